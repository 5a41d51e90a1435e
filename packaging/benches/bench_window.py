"""How quick and how fluid the window is: `python packaging/benches/bench_window.py NAME --json`.

startup: spawns `python -m app` several times; seconds from the spawn to the first painted window.
fluid: a 10 ms timer in the real window measures its lateness while a real indexing process feeds the
graph on screen.
decision: CPU time of the window's thread for one decision about two names, all panels open, in a copy of the workspace
that is named, or in a made one. canvas, interaction: see `bench_canvas.py`. window: see `bench_open.py`.
All run offscreen where there is no display.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from PySide6.QtWidgets import QApplication

    from app.session.session import Message, Session
    from app.shell.main_window import MainWindow

HOME = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(HOME))  # run as a file, it sees its own folder alone
TICK_MS = 10
RUNS = 7
IDLE_S = 3.0  # of the window at rest, for comparison
ENTITIES = 100_000  # of a made workspace, which takes a quarter of an hour
PAIRS, ROUND_S = 3, 2.5  # of names to decide about, four times each; until all that a decision does has ended
WARM_S = 60.0  # until the first decision, which waits for the models that are loaded
AFTER_S = 1.2  # the final layout is part of the measurement
Figures = dict[str, dict[str, object]]


def main(argv: list[str] | None = None) -> int:
    """Prints one JSON object with `--json`, lines for people without. Exit code 1 when it fails."""
    parser = argparse.ArgumentParser(prog="bench_window.py", description=__doc__)
    names = ("startup", "fluid", "decision", "page", "canvas", "interaction", "window")
    parser.add_argument("name", choices=names)
    parser.add_argument("workspace", nargs="?", type=Path, help="for decision and window")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--runs", type=int, default=RUNS, help="starts to measure")
    parser.add_argument("--passages", type=int, default=1000, help="passages to index")
    parser.add_argument("--entities", type=int, default=ENTITIES, help="of the workspace that decision makes")
    chosen = parser.parse_args(argv)
    if not os.environ.get("DISPLAY") and not os.environ.get("WAYLAND_DISPLAY"):
        os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    try:
        if chosen.name in ("canvas", "interaction"):
            import bench_canvas

            figures = getattr(bench_canvas, chosen.name)()
        elif chosen.name == "window":
            from bench_open import window

            figures = window(chosen.workspace)
        elif chosen.name == "decision":
            figures = decision(chosen.workspace, chosen.entities)
        elif chosen.name == "page":
            from bench_page import page

            figures = page()
        else:
            figures = startup(chosen.runs) if chosen.name == "startup" else fluid(chosen.passages)
    except (RuntimeError, subprocess.SubprocessError) as error:
        print(error, file=sys.stderr)
        return 1
    if chosen.json:
        print(json.dumps({"name": chosen.name, "figures": figures}))
    else:
        for name, row in figures.items():
            print(f"{name:>24}  {row['value']} {row['unit']}   goal: {row['goal']}")
    return 0


def figure(value: float, unit: str, goal: str = "", baseline: float | None = None) -> dict[str, object]:
    """One row of the report, rounded to what the clock can tell."""
    rounded = None if baseline is None else round(baseline, 4)
    return {"value": round(value, 4), "unit": unit, "baseline": rounded, "goal": goal}


# ---------------------------------------------------------------- startup


def startup(runs: int) -> Figures:
    """Seconds from spawning the process to its first paint, the median of several starts."""
    with tempfile.TemporaryDirectory(prefix="clew-bench-") as place:
        found = [_one_start(Path(place) / "settings.ini") for _ in range(runs + 1)]
    seconds = [start for start, _ in found[1:]]  # the first one warms the disk cache
    heavy = sorted({name for _, names in found for name in names})
    bare = statistics.median(_bare_start() for _ in range(3))
    return {
        "first_paint": figure(statistics.median(seconds), "s", "at most 1.5 s", bare),
        "slowest": figure(max(seconds), "s"),
        "first_ever": figure(found[0][0], "s"),
        "heavy_modules": figure(len(heavy), "modules", "0: neither torch nor spaCy imported"),
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
    told = json.loads(lines[-1])
    return told["at"] - begin, told["heavy"]


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


def fluid(passages: int) -> Figures:
    """Lateness in the window while that many passages are indexed with the graph on screen."""
    from bench_texts import write_texts

    from app.session import operations
    from app.session.indexing import IndexingState
    from core.types import Status

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
        _turn(app, 1.0)
        watch.begin("idle")
        _turn(app, IDLE_S)
        watch.begin("")
        operations.open_folder(session, place / "texts", place / "workspace")
        until(app, lambda: session.indexing.state is IndexingState.RUNNING or bool(broken), 60)
        begin = time.perf_counter()
        watch.begin("indexing")
        until(app, lambda: bool(finished or broken), 3600)
        seconds = time.perf_counter() - begin
        _turn(app, AFTER_S)
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
        "late_p50": figure(late.p50, "ms", "", idle.p50),
        "late_p99": figure(late.p99, "ms", "at most 50 ms", idle.p99),
        "late_worst": figure(late.worst, "ms", "at most 250 ms", idle.worst),
        "passages": figure(found, "passages", f"at least {wanted:,}"),
        "seconds": figure(seconds, "s"),
        "nodes_drawn": figure(drawn, "nodes"),
        "ticks": figure(late.ticks, "ticks"),
        "models_late_p99": figure(models.p99, "ms"),
        "models_late_worst": figure(models.worst, "ms"),
    }


# ---------------------------------------------------------------- decision


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


def decision(workspace: Path | None, entities: int) -> Figures:
    """Two names are joined, that is taken back, joined again and kept apart; the window's thread alone counts."""
    from app.session import operations
    from core.types import NameChange
    from core.workspace import Workspace
    from tests.made import settled_workspace

    with tempfile.TemporaryDirectory(prefix="clew-bench-") as name:
        place = Path(name) / "workspace"
        if workspace is not None:
            shutil.copytree(workspace, place)
        else:
            settled_workspace(place, entities)
        Workspace.trust(place)
        app, session, window = window_in(Path(name))
        told: list[Message] = []
        session.told.connect(told.append)
        operations.open_workspace(session, place)
        until(app, lambda: window.workbench is not None and window.workbench.graph.canvas.node_count > 0, 120)
        if window.workbench is None or session.workspace is None:
            raise RuntimeError("The workspace was not opened.")
        for dock in window.workbench.docks.values():
            dock.show()
        _turn(app, 2 * ROUND_S)
        turns, found, idle = Turns(), list[tuple[float, float]](), list[float]()

        def measured(act: Callable[[], object], done: Callable[[], bool] = bool) -> tuple[float, float]:
            _turn(app, ROUND_S)
            turns.restart()
            act()
            until(app, done, WARM_S if done is not bool else 0)  # the models may be on their way
            _turn(app, ROUND_S)
            return turns.total, turns.worst

        def decide(kind: str, ids: tuple[str, str]) -> None:
            change = NameChange(kind, ids)
            session.decisions.add(
                lambda workspace, context: workspace.names.change(change, context),
                lambda _: session.tell(kind),
                lambda _: None,
                window,
            )

        def take_back() -> None:
            session.decisions.turn(True, "", lambda _: session.tell("undone"), lambda _: None, window)

        known = session.workspace.graph.entities(1 + 10 * PAIRS)
        for one, other in zip(known[:PAIRS], known[-PAIRS:], strict=True):
            operations.select_entity(session, one.id)
            join, keep_apart = (partial(decide, kind, (one.id, other.id)) for kind in ("merge", "part"))
            for act in (join, take_back, join, keep_apart):
                idle.append(measured(lambda: None)[0])
                count = len(told)
                found.append(measured(act, partial(_more, told, count)))
                if len(told) == count or told[-1].level == "error":
                    raise RuntimeError(told[-1].text if told else "Nothing was decided.")
        nodes = window.workbench.graph.canvas.node_count
        window.close()
    totals, worst = zip(*found, strict=True)
    return {
        "median": figure(statistics.median(totals), "ms", "under 30 ms", statistics.median(idle)),
        "slowest": figure(max(totals), "ms"),
        "turn_median": figure(statistics.median(worst), "ms"),
        "turn_worst": figure(max(worst), "ms", "at most 50 ms"),
        "decisions": figure(len(found), "decisions"),
        "nodes_drawn": figure(nodes, "nodes"),
    }


def _more(told: list[Message], than: int) -> bool:
    return len(told) > than


def _turn(app: object, seconds: float) -> None:
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
    sys.exit(main())
