"""A watchdog on the window's thread: nothing may hold it long in one go.

A go is what the thread does from one turn of the event loop to the next, or for one key or click of a test.
It is measured in CPU time of that thread, for the time on the wall says more of what else the machine does.
What the test itself does does not count, nor do imports, the making and placing of a whole workbench, what Qt does of
itself (it shows, lays out and deletes widgets, where no line of ours is to blame), and passes of the
garbage collector (`app.session.collector` is for those): the test process holds models that the window's has not.

Where the thread is, a signal after every few milliseconds of CPU time tells. Python handles it on the window's thread
itself: what another thread saw there could die on that other one, and widgets that do stop both for ever.
"""

from __future__ import annotations

import dis
import gc
import os
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import pytest
from PySide6.QtCore import QAbstractEventDispatcher, QCoreApplication, QObject, Slot
from PySide6.QtTest import QTest
from pytestqt.qt_compat import qt_api

# Whole suites on busy machines saw goes of 30 ms take 81 and 195: it fails for what no noise explains.
_SLACK = 1 if os.environ.get("CLEW_WATCHDOG") == "strict" else 6
LIMIT = _SLACK * 0.050  # seconds of the thread's CPU time
LARGE_LIMIT = _SLACK * 0.100  # while a workspace of 20,000 entities is opened
_LOOK = 0.005  # seconds of CPU time between two looks at where the thread is
_YARD = 0.000_14  # seconds that `_yardstick` takes on the machine that the limits are meant for
_ROOT = f"{Path(__file__).resolve().parents[2]}/"
_BEGUN = dis.opmap["RESUME"]

# Places in a stack that hold the thread today, and why that is known.
KNOWN = {
    "app/look/style_sheet.py:dress": "Qt reads one sheet for the whole application: 20 to 48 ms, 68 at load 14",
    "app/shell/workbench.py:_fit_room": "Qt lays out every panel that comes together: 38 ms, 52 on a very busy machine",
}
# Made once: imports, and the workbench of a workspace.
_APART = ("<frozen importlib._bootstrap>:_find_and_load:", "app/shell/main_window.py:_on_opening:")

_ACTS: dict[type, tuple[str, ...]] = {
    QTest: ("mouseClick", "mouseDClick", "mousePress", "mouseRelease", "mouseMove", "keyClick"),
    QCoreApplication: ("processEvents", "sendPostedEvents"),
}

Place = tuple[CodeType, int]


@dataclass(frozen=True, slots=True)
class Hold:
    """One go that took too long, and where the thread was seen meanwhile: "file:function:line", innermost last."""

    seconds: float
    stacks: tuple[tuple[str, ...], ...]

    def __str__(self) -> str:
        shared = [
            same[0] for same in takewhile(lambda same: len({*same}) == 1, zip(*self.stacks, strict=False))
        ]
        # The callee tells which panel it was: what leads there is the same for all.
        inner = Counter(" > ".join(_own(stack[len(shared) :])[-3:]) for stack in self.stacks)
        words = "; ".join(f"{count} x {place}" for place, count in inner.most_common(6))
        return f"{self.seconds * 1000:.0f} ms in {' > '.join(shared[-4:])}, of it: {words}"


class Watchdog(QObject):
    """Notes every go above `limit`, from `begin` to `end`."""

    def __init__(self) -> None:
        super().__init__()
        self.limit = LIMIT
        self.holds: list[Hold] = []
        self._depth = 0  # of event loops that the test runs
        self._since = self._looked = self._collected = 0.0
        self._seen: list[tuple[float, tuple[Place, ...]]] = []  # seconds, and where they went
        self._yards: list[float] = []
        self._blind = False
        self._thread = threading.get_ident()

    def begin(self) -> None:
        dispatcher = QAbstractEventDispatcher.instance()
        dispatcher.awake.connect(self._turn)
        dispatcher.aboutToBlock.connect(self._turn)
        gc.callbacks.append(self._collecting)
        signal.signal(signal.SIGPROF, self._look)
        signal.siginterrupt(signal.SIGPROF, False)
        signal.setitimer(signal.ITIMER_PROF, _LOOK, _LOOK)

    def end(self) -> None:
        signal.setitimer(signal.ITIMER_PROF, 0)
        # A last signal may be on its way; with no handler it would end the process.
        signal.signal(signal.SIGPROF, lambda *_: None)
        gc.callbacks.remove(self._collecting)
        dispatcher = QAbstractEventDispatcher.instance()
        if dispatcher is not None:
            dispatcher.awake.disconnect(self._turn)
            dispatcher.aboutToBlock.disconnect(self._turn)

    @contextmanager
    def counting(self) -> Iterator[None]:
        """What is done inside counts: an event loop, or a key or click."""
        if not self._depth:
            self._restart()
        self._depth += 1
        try:
            yield
        finally:
            self._turn()
            self._depth -= 1

    @Slot()
    def _turn(self) -> None:
        if not self._depth:
            return
        if time.thread_time() - self._since > self.limit:
            seen = [(seconds, _places(stack)) for seconds, stack in self._seen]
            own = [(seconds, places) for seconds, places in seen if _is_ours(places)]
            # A busy or slow machine computes more slowly: a fixed piece of work tells by how much.
            yards = self._yards or [_yardstick() for _ in range(5)]
            took = sum(seconds for seconds, _ in own) / max(1.0, sum(yards) / len(yards) / _YARD)
            if took > self.limit:
                self.holds.append(Hold(took, tuple(places for _, places in own)))
        self._restart()

    def _restart(self) -> None:
        self._seen, self._yards = [], []
        self._since = self._looked = time.thread_time()

    def _collecting(self, phase: str, _: dict[str, int]) -> None:
        """A pass of the collector does not count."""
        if threading.get_ident() == self._thread:
            self._blind = phase == "start"
            if self._blind:
                self._collected = time.thread_time()
            else:
                self._leave_out(self._collected)

    def _leave_out(self, begin: float) -> None:
        took = time.thread_time() - begin
        self._since += took
        self._looked += took

    def _look(self, _: int, frame: FrameType | None) -> None:
        if not self._depth or self._blind:
            return
        now, self._blind = time.thread_time(), True
        if frame is not None and frame.f_code.co_code[frame.f_lasti] == _BEGUN:
            frame = frame.f_back  # what has only begun took none of that time
        stack = []
        while frame is not None and frame.f_code.co_filename != __file__:
            stack.append((frame.f_code, frame.f_lineno))
            frame = frame.f_back
        self._seen.append((now - self._looked, tuple(reversed(stack))))
        self._looked = now
        if now - self._since > self.limit / 2:
            self._yards.append(_yardstick())
        self._leave_out(now)
        self._blind = False


@contextmanager
def watching() -> Iterator[Watchdog]:
    """One at work on this thread, while an event loop runs or a key or click is acted on; fails where it was held."""
    made = Watchdog()

    def counted(act: Callable[..., Any]) -> Callable[..., Any]:
        def wrapped(*given: Any, **named: Any) -> Any:
            with made.counting():
                return act(*given, **named)

        return wrapped

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(qt_api, "exec", counted(qt_api.exec))
        for owner, acts in _ACTS.items():
            for act in acts:
                patch.setattr(owner, act, staticmethod(counted(getattr(owner, act))))
        made.begin()
        try:
            yield made
        finally:
            made.end()
    if held := "\n".join(map(str, unknown(made.holds))):
        pytest.fail(f"The window's thread was held:\n{held}", pytrace=False)


def unknown(holds: list[Hold]) -> list[Hold]:
    """Those that no known place explains."""
    return [
        hold
        for hold in holds
        if not any(known in place for stack in hold.stacks for place in stack for known in KNOWN)
    ]


def _own(stack: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(place for place in stack if place.startswith(("app/", "core/"))) or stack


def _is_ours(places: tuple[str, ...]) -> bool:
    return any(place.startswith("app/") for place in places) and not any(
        place.startswith(_APART) for place in places
    )


def _places(stack: tuple[Place, ...]) -> tuple[str, ...]:
    def short(name: str) -> str:
        return name.removeprefix(_ROOT).rsplit("site-packages/")[-1]

    return tuple(f"{short(code.co_filename)}:{code.co_name}:{line}" for code, line in stack)


def _yardstick() -> float:
    begin = time.thread_time()
    sum(number * number for number in range(4_000))
    return time.thread_time() - begin
