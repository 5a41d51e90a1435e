"""A watchdog on the window's thread: nothing may hold it long in one go.

A go is what the thread does from one turn of the event loop to the next, or for one key or click of `qtbot`.
It is measured in CPU time of that thread, for the time on the wall says more of what else the machine does.
What the test itself does does not count, nor do imports, the making and placing of a whole workbench, what Qt does of
itself (it shows, lays out and deletes widgets, where no line of ours is to blame), and passes of the
garbage collector (`app.session.collector` is for those): the test process holds models that the window's has not.
"""

from __future__ import annotations

import gc
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from itertools import takewhile
from types import FrameType
from typing import Any

from PySide6.QtCore import QAbstractEventDispatcher, QObject, Slot

LIMIT = 0.050  # seconds of the thread's CPU time
LARGE_LIMIT = 0.100  # while a workspace of 20,000 entities is opened
_LOOK = 0.005  # seconds between two looks at where the thread is

# Places in a stack that hold the thread today, and why that is known. To be emptied.
KNOWN = {
    "app/shell/main_window.py:set_theme": "every widget is styled anew at once: 150 ms",
    "app/session/operations.py:done": "every panel shows an answer in one go: 66 ms on a busy machine",
}


@dataclass(frozen=True, slots=True)
class Hold:
    """One go that took too long, and where the thread was seen meanwhile: "file:function:line", innermost last."""

    seconds: float
    stacks: tuple[tuple[str, ...], ...]

    def __str__(self) -> str:
        shared = [
            same[0] for same in takewhile(lambda same: len({*same}) == 1, zip(*self.stacks, strict=False))
        ]
        inner = Counter(" > ".join(stack[len(shared) :][:3]) for stack in self.stacks)
        words = "; ".join(f"{count} x {place}" for place, count in inner.most_common(4))
        return f"{self.seconds * 1000:.0f} ms in {' > '.join(shared[-4:])}, of it: {words}"


class Watchdog(QObject):
    """Notes every go above `limit`, from `begin` to `end`."""

    def __init__(self) -> None:
        super().__init__()
        self.limit = LIMIT
        self.holds: list[Hold] = []
        self._depth = 0  # of event loops that the test runs
        self._since = 0.0
        self._seen: list[tuple[str, ...]] = []
        # What the frames hold dies on their own thread: a widget that dies on another one stops both for ever.
        self._held: list[object] = []
        self._looking = threading.Lock()
        self._clock = time.pthread_getcpuclockid(threading.get_ident())
        self._thread = threading.get_ident()
        self._best = min(_yardstick() for _ in range(10))
        self._pass = ExitStack()
        self._stop = threading.Event()
        self._looks = threading.Thread(target=self._look, name="watchdog", daemon=True)

    def begin(self) -> None:
        dispatcher = QAbstractEventDispatcher.instance()
        dispatcher.awake.connect(self._turn)
        dispatcher.aboutToBlock.connect(self._turn)
        gc.callbacks.append(self._collecting)
        self._looks.start()

    def end(self) -> None:
        dispatcher = QAbstractEventDispatcher.instance()
        if dispatcher is not None:
            dispatcher.awake.disconnect(self._turn)
            dispatcher.aboutToBlock.disconnect(self._turn)
        gc.callbacks.remove(self._collecting)
        self._stop.set()
        self._looks.join()

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
        took, seen = time.thread_time() - self._since, tuple(self._seen)
        if took > self.limit:
            # A busy machine computes more slowly, too: a fixed piece of work tells by how much.
            took /= max(1.0, min(_yardstick() for _ in range(2)) / self._best)
            own = [stack for stack in seen if stack]
            if seen and took * len(own) / len(seen) > self.limit:
                self.holds.append(Hold(took, seen))
        self._restart()

    def _restart(self) -> None:
        with self._looking:
            held, self._held = self._held, []
        held.clear()
        self._seen = []
        self._since = time.thread_time()

    @contextmanager
    def apart(self) -> Iterator[None]:
        """What is done inside does not count."""
        begin, since = time.thread_time(), self._since
        try:
            yield
        finally:
            if threading.get_ident() == self._thread:
                self._since = since + time.thread_time() - begin

    def _collecting(self, phase: str, _: dict[str, int]) -> None:
        if threading.get_ident() == self._thread:
            if phase == "start":
                self._pass.enter_context(self.apart())
            else:
                self._pass.close()

    def _look(self) -> None:
        """On a thread of its own: where the other one is, once its go takes long."""
        before = 0.0
        while not self._stop.wait(_LOOK):
            since, now = self._since, time.clock_gettime(self._clock)
            if self._depth and now - since > self.limit / 2 and now - before > _LOOK / 2:
                with self._looking:
                    self._note(since)
            before = now

    def _note(self, since: float) -> None:
        frames = sys._current_frames()
        self._held.append(frames)
        stack, frame = [], frames.get(self._thread)
        self._held.append(stack)
        while frame is not None:
            stack.append(frame)
            frame = frame.f_back
        if self._since == since:
            self._seen.append(_places(stack))


def within(
    context: Callable[[], AbstractContextManager[None]], act: Callable[..., Any]
) -> Callable[..., Any]:
    """The same act, inside `counting` or `apart`."""

    def wrapped(*given: Any, **named: Any) -> Any:
        with context():
            return act(*given, **named)

    return wrapped


def unknown(holds: list[Hold]) -> list[Hold]:
    """Those that no known place explains."""
    return [
        hold
        for hold in holds
        if not any(known in place for stack in hold.stacks for place in stack for known in KNOWN)
    ]


def _places(stack: list[FrameType]) -> tuple[str, ...]:
    found = []
    for one in stack:
        name = one.f_code.co_filename
        short = name[name.rfind("/app/") + 1 :] if "/app/" in name else name.rsplit("site-packages/")[-1]
        if "/pytestqt/" in name:
            break
        found.append(f"{short}:{one.f_code.co_name}:{one.f_lineno}")
    return tuple(reversed(found))


def _yardstick() -> float:
    begin = time.thread_time()
    sum(number * number for number in range(20_000))
    return time.thread_time() - begin
