"""How quick and how fluid the window is: the benches of `core.research.benches.harness` that need Qt.

startup: spawns `python -m app` several times; seconds from the spawn to the first painted window.
fluid: a 10 ms timer in the real window measures its lateness while a real indexing process feeds the
graph on screen.
`clew research bench NAME` runs this file in a process of its own, as `bench_window.py NAME SIZES [DATASET]`; it prints
one JSON object. All run offscreen where there is no display.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

HOME = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(HOME))  # run as a file, it sees its own folder alone

from core.research.benches.harness import Arguments, Figure, Figures, measure, parse_sizes, report  # noqa: E402

if TYPE_CHECKING:
    from PySide6.QtWidgets import QApplication

    from app.session.session import Session
    from app.shell.main_window import MainWindow

TICK_MS = 10
RUNS = 7  # starts
PASSAGES = 1_000  # that are indexed
IDLE_S = 3.0  # of the window at rest, for comparison
AFTER_S = 1.2  # the final layout is part of the measurement


def main(name: str, sizes: str = "", dataset: str = "") -> int:
    """Print one JSON object; exit code 1 when it fails."""
    if not os.environ.get("DISPLAY") and not os.environ.get("WAYLAND_DISPLAY"):
        os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    try:
        figures = measure(name, Arguments(Path(dataset) if dataset else None, parse_sizes(sizes)))
    except (RuntimeError, subprocess.SubprocessError) as error:
        print(error, file=sys.stderr)
        return 1
    print(json.dumps(report(name, figures)))
    return 0


# ---------------------------------------------------------------- startup


def startup(arguments: Arguments) -> Figures:
    """Seconds from spawning the process to its first paint, the median of several starts."""
    runs = arguments.sizes[0] if arguments.sizes else RUNS
    with tempfile.TemporaryDirectory(prefix="clew-bench-") as place:
        found = [_one_start(Path(place) / "settings.ini") for _ in range(runs + 1)]
    seconds = [start for start, _ in found[1:]]  # the first one warms the disk cache
    heavy = sorted({name for _, names in found for name in names})
    bare = statistics.median(_bare_start() for _ in range(3))
    return {
        "first_paint": Figure(statistics.median(seconds), "s", bare, "at most 1.5 s"),
        "slowest": Figure(max(seconds), "s"),
        "first_ever": Figure(found[0][0], "s"),
        "heavy_modules": Figure(len(heavy), "modules", goal="0: neither torch nor spaCy imported"),
    }


def _one_start(settings: Path) -> tuple[float, list[str]]:
    environment = {**os.environ, "CLEW_FIRST_PAINT": "1", "CLEW_SETTINGS": str(settings)}
    begin = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-m", "app"], env=environment, cwd=HOME, capture_output=True, text=True, timeout=60
    )
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
    if done.returncode != 0 or not lines:
        raise RuntimeError(f"The window did not start (exit code {done.returncode}): {done.stderr.strip()}")
    report = json.loads(lines[-1])
    return report["at"] - begin, report["heavy"]


def _bare_start() -> float:
    """What Python and Qt's widgets alone take to import: the floor."""
    begin = time.monotonic()
    subprocess.run([sys.executable, "-c", "import PySide6.QtWidgets"], check=True, timeout=60)
    return time.monotonic() - begin


# ---------------------------------------------------------------- fluid


@dataclass(frozen=True, slots=True)
class Lateness:
    """How late a 10 ms timer was, in milliseconds."""

    ticks: int
    p50: float
    p99: float
    worst: float


class Stopwatch:
    """A 10 ms timer in the event loop that is measured; `phase` names what the ticks belong to."""

    def __init__(self) -> None:
        from PySide6.QtCore import Qt, QTimer

        self._late: dict[str, list[float]] = {}
        self._phase = ""
        self._last = time.perf_counter()
        self._timer = QTimer(interval=TICK_MS)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._tick)
        self._timer.start()

    def begin(self, phase: str) -> None:
        """The next ticks belong to this phase."""
        self._phase = phase
        self._late.setdefault(phase, [])
        self._last = time.perf_counter()

    def _tick(self) -> None:
        now = time.perf_counter()
        if self._phase:
            self._late[self._phase].append(max(0.0, (now - self._last) * 1000 - TICK_MS))
        self._last = now

    def of(self, phase: str) -> Lateness:
        """Percentiles of a phase."""
        late = sorted(self._late.get(phase) or [0.0])
        return Lateness(len(late), late[len(late) // 2], late[int(len(late) * 0.99)], late[-1])


def fluid(arguments: Arguments) -> Figures:
    """Lateness in the window while that many passages are indexed with the graph on screen."""
    from bench_texts import write_texts

    from app.session import operations
    from app.session.indexing import IndexingState
    from core.types import Status

    passages = arguments.sizes[0] if arguments.sizes else PASSAGES
    with tempfile.TemporaryDirectory(prefix="clew-bench-") as name:
        place = Path(name)
        write_texts(place / "texts", passages)
        app, session, window = window_in(place)
        watch = Stopwatch()
        finished: list[Status] = []
        broken: list[str] = []
        session.indexing.finished.connect(finished.append)
        session.indexing.crashed.connect(lambda words, lines: broken.append(f"{words}\n{lines}"))
        session.indexing.failed.connect(lambda words, remedy: broken.append(f"{words} {remedy}"))
        turn(app, 1.0)
        watch.begin("idle")
        turn(app, IDLE_S)
        watch.begin("")
        operations.open_folder(session, place / "texts", place / "workspace")
        until(app, lambda: session.indexing.state is IndexingState.RUNNING or bool(broken), 60)
        begin = time.perf_counter()
        watch.begin("indexing")
        until(app, lambda: bool(finished or broken), 3600)
        seconds = time.perf_counter() - begin
        turn(app, AFTER_S)
        watch.begin("models")
        until(app, lambda: session.tasks.busy("models"), 10)
        until(app, lambda: not session.tasks.busy("models"), 60)
        watch.begin("")
        drawn = window.workbench.graph.canvas.node_count if window.workbench else 0
        window.close()
        if not finished:
            raise RuntimeError(broken[0] if broken else "Indexing did not end within an hour.")
    return _fluid_figures(watch, finished[0].passages, passages, seconds, drawn)


def window_in(place: Path) -> tuple[QApplication, Session, MainWindow]:
    """A window on the screen, its settings in `place`."""
    from PySide6.QtWidgets import QApplication

    from app.look import theme
    from app.session.preferences import Preferences
    from app.session.session import Session
    from app.shell.main_window import MainWindow

    app = QApplication(sys.argv[:1])
    theme.apply(app, "light")
    session = Session()
    window = MainWindow(session, Preferences(place / "settings.ini"))
    window.resize(1440, 900)
    window.show()
    return app, session, window


def _fluid_figures(watch: Stopwatch, found: int, wanted: int, seconds: float, drawn: int) -> Figures:
    idle, late, models = watch.of("idle"), watch.of("indexing"), watch.of("models")
    return {
        "late_p50": Figure(late.p50, "ms", idle.p50, ""),
        "late_p99": Figure(late.p99, "ms", idle.p99, "at most 50 ms"),
        "late_worst": Figure(late.worst, "ms", idle.worst, "at most 250 ms"),
        "passages": Figure(found, "passages", goal=f"at least {wanted:,}"),
        "seconds": Figure(seconds, "s"),
        "nodes_drawn": Figure(drawn, "nodes"),
        "ticks": Figure(late.ticks, "ticks"),
        "models_late_p99": Figure(models.p99, "ms"),
        "models_late_worst": Figure(models.worst, "ms"),
    }


# ---------------------------------------------------------------- the event loop


class Turns:
    """CPU time of this thread, in milliseconds: `total`, and the `worst` turn of the event loop."""

    def __init__(self) -> None:
        from PySide6.QtCore import QAbstractEventDispatcher

        dispatcher = QAbstractEventDispatcher.instance()
        dispatcher.awake.connect(self._note)
        dispatcher.aboutToBlock.connect(self._note)
        self.restart()

    def restart(self) -> None:
        self.total = self.worst = 0.0
        self._last = time.thread_time()

    def _note(self) -> None:
        now = time.thread_time()
        took, self._last = (now - self._last) * 1000, now
        self.total, self.worst = self.total + took, max(self.worst, took)


def turn(app: object, seconds: float) -> None:
    until(app, lambda: False, seconds)


def until(app: object, done: Callable[[], bool], seconds: float, every_ms: int = 50) -> None:
    """Run the real event loop, not processEvents, until `done`, asked so often, or the time is over."""
    from PySide6.QtCore import QEventLoop, QTimer

    loop = QEventLoop()
    check = QTimer(interval=every_ms)
    check.timeout.connect(lambda: loop.quit() if done() else None)
    check.start()
    QTimer.singleShot(int(seconds * 1000), loop.quit)
    loop.exec()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
