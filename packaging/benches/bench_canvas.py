"""How large graphs are drawn, in the real window: `clew research bench canvas`.

Made workspaces of 5,000, 20,000 and 50,000 entities with four facts each, all entities drawn: what comes until
the first picture, real repaints while a hand drags and turns the wheel, until all is drawn after it stopped, memory.
A frame is the time on the wall of one event and of the repaint that follows; a hold is the CPU time that the window's
thread took for one event, or for one turn of its loop. Each workspace is measured in a process of its own.
"""

from __future__ import annotations

import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench_window import HOME, Turns, until, window_in

from core.research.benches.harness import Arguments, Figure, Figures

if TYPE_CHECKING:
    from PySide6.QtWidgets import QApplication, QWidget

    from app.graph.canvas.canvas import GraphCanvas
    from app.graph.panel import GraphPanel

SIZES = {5_000: 60, 20_000: 60, 50_000: 30}  # entities, and frames a second to reach
FACTS = 4  # an entity
FRAMES = 60  # of each movement
EVERY_S = 0.016  # between two events
_SLACK_S = 1.5  # for what follows an act, e.g. a card


def canvas(arguments: Arguments) -> Figures:
    """Figures of each size; its made workspace takes up to a minute."""
    found, sizes = Figures(), arguments.sizes or tuple(SIZES)
    for entities in sizes:
        least = SIZES.get(entities, 60)
        with _built_workspace(entities) as place:
            measured = _apart("folded", place) | _apart("canvas", place)
        name, large = f"{entities // 1000}k", entities == max(sizes)
        found[f"{name}_nodes"] = Figure(measured["nodes"], "nodes", goal=f"{measured['edges']:,.0f} edges")
        found[f"{name}_folded"] = Figure(measured["folded"], "s", goal="under 3 s" if large else "")
        found[f"{name}_first"] = Figure(measured["first"], "s", goal="under 3 s" if large else "")
        for act in ("pan", "zoom"):
            goal = f"95 % under {1000 / least:.0f} ms"
            found[f"{name}_{act}_p50"] = Figure(measured[f"{act}_p50"], "ms")
            found[f"{name}_{act}_p95"] = Figure(measured[f"{act}_p95"], "ms", goal=goal)
            found[f"{name}_{act}_detail"] = Figure(measured[f"{act}_detail"], "ms", goal="under 300 ms")
        found[f"{name}_hold"] = Figure(measured["hold"], "ms", goal="under 50 ms")
        found[f"{name}_open_hold"] = Figure(measured["open_hold"], "ms", goal="under 50 ms")
        found[f"{name}_memory"] = Figure(measured["memory"], "GB", goal="under 1.5 GB")
    return found


# ---------------------------------------------------------------- workspaces and processes


@contextmanager
def _built_workspace(entities: int) -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="clew-bench-") as name:
        place = Path(name) / "workspace"
        _child("make", place, str(entities))
        yield place


def _apart(name: str, place: Path) -> dict[str, float]:
    found: dict[str, float] = json.loads(_child(name, place).splitlines()[-1])
    return found


def _child(*words: object) -> str:
    command = [sys.executable, str(Path(__file__)), *map(str, words)]
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, cwd=HOME).stdout


def _make(place: Path, entities: int) -> None:
    from core.ingest.derive import _place
    from core.progress import TaskContext
    from core.research.synthetic.workspace import generate_workspace
    from core.workspace import Workspace

    Workspace.open(place, create=True).close()
    store = generate_workspace(place, entities, TaskContext(), facts=FACTS * entities)
    with store.database.transaction():
        _place(store, TaskContext())
        store.marks.clear()
    store.close()


# ---------------------------------------------------------------- a window and a hand


@dataclass(slots=True)
class Hand:
    """Real events on the canvas. `frames`: milliseconds of each with its repaint; `hold`: the longest of CPU time."""

    app: QApplication
    canvas: GraphCanvas
    frames: list[float] = field(default_factory=list)
    hold: float = 0.0

    @property
    def surface(self) -> QWidget:
        """What the events go to."""
        found: QWidget = self.canvas._view.viewport()
        return found

    def act(self, send: Callable[[], object]) -> None:
        """One event, what it leaves to the loop, and the repaint."""
        until(self.app, bool, EVERY_S, 1)  # a hand is no quicker, and the view looks no more often
        begin, busy = time.perf_counter(), time.thread_time()
        send()
        self.surface.repaint()
        self.frames.append((time.perf_counter() - begin) * 1000)
        self.app.processEvents()
        self.hold = max(self.hold, (time.thread_time() - busy) * 1000)

    def timings(self, name: str) -> dict[str, float]:
        """Median and 95th percentile; the next act begins anew."""
        frames, self.frames = sorted(self.frames), []
        return {f"{name}_p50": statistics.median(frames), f"{name}_p95": frames[int(len(frames) * 0.95)]}

    def detail(self) -> float:
        """Milliseconds from now until all is drawn and painted."""
        begin, turns = time.perf_counter(), Turns()
        until(self.app, self.complete, 10, 2)
        took = (time.perf_counter() - begin) * 1000
        self.hold = max(self.hold, turns.worst)
        return took

    def complete(self) -> bool:
        """Whether the final picture is on the screen."""
        stage, item = self.canvas._stage, self.canvas._item
        still = item.moving or item.edges.stale(stage.view.camera()) or item._frame is None
        return not still and self.canvas.node_count > 0

    def pan(self) -> None:
        """Drag to and fro."""
        from PySide6.QtCore import QPoint, Qt
        from PySide6.QtTest import QTest

        button, middle = Qt.MouseButton.MiddleButton, self.surface.rect().center()
        QTest.mousePress(self.surface, button, pos=middle)
        for step in range(1, FRAMES + 1):
            far = step if step <= FRAMES // 2 else FRAMES - step
            to = middle + QPoint(9 * far, 4 * far)
            self._moved(partial(self._move, to, button))
        QTest.mouseRelease(self.surface, button, pos=to)

    def _moved(self, send: Callable[[], object]) -> None:
        before = self.canvas._view.camera()
        self.act(send)
        if self.canvas._view.camera() == before:
            raise RuntimeError("The view did not move.")

    def _move(self, to: object, button: object, pressed: object = None) -> None:
        from PySide6.QtCore import QEvent, QPointF, Qt
        from PySide6.QtGui import QMouseEvent

        here, keys = QPointF(to), pressed or Qt.KeyboardModifier.NoModifier  # type: ignore[call-overload]
        around = QPointF(self.surface.mapToGlobal(to))  # type: ignore[call-overload]
        none = Qt.MouseButton.NoButton
        event = QMouseEvent(QEvent.Type.MouseMove, here, around, none, button or none, keys)  # type: ignore[call-overload]
        self.app.sendEvent(self.surface, event)

    def zoom(self) -> None:
        """Turn the wheel in and out again, beside the middle."""
        for step in range(FRAMES):
            self._moved(partial(self._wheel, 60 if step < FRAMES // 2 else -60))

    def _wheel(self, by: int) -> None:
        from PySide6.QtCore import QPoint, QPointF, Qt
        from PySide6.QtGui import QWheelEvent

        here = self.surface.rect().center() + QPoint(90, 40)
        keys, phase = Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase
        around = QPointF(self.surface.mapToGlobal(here))
        none = Qt.MouseButton.NoButton
        event = QWheelEvent(QPointF(here), around, QPoint(), QPoint(0, by), none, keys, phase, False)
        self.app.sendEvent(self.surface, event)


@contextmanager
def _open_graph(place: Path, folded: bool) -> Iterator[tuple[Hand, GraphPanel, float, Turns]]:
    """A window on a workspace, the panel of its graph, and the seconds from opening it to the first picture."""
    from app.graph.canvas.items import GraphItem
    from app.session import operations
    from core.workspace import Workspace

    Workspace.trust(place)
    with tempfile.TemporaryDirectory(prefix="clew-bench-") as name:
        app, session, window = window_in(Path(name))
        window.preferences.folded = folded
        until(app, bool, 0.5)
        painted: list[float] = []
        paint = GraphItem._paint

        def noted(item: GraphItem, *arguments: Any) -> None:
            paint(item, *arguments)
            painted.append(time.perf_counter())

        GraphItem._paint = noted  # type: ignore[method-assign]
        begin = time.perf_counter()
        operations.open_workspace(session, place)
        until(app, lambda: window.workbench is not None, 60, 1)
        turns = Turns()
        until(app, lambda: bool(painted), 60, 2)
        GraphItem._paint = paint  # type: ignore[method-assign]
        if window.workbench is None:
            raise RuntimeError("The workspace was not opened.")
        seconds, panel = painted[0] - begin, window.workbench.graph
        hand = Hand(app, panel.canvas)
        yield hand, panel, seconds, turns
        window.close()


def _measure_folded(place: Path) -> dict[str, float]:
    with _open_graph(place, folded=True) as (_, _, seconds, _):
        return {"folded": seconds}


def _measure_canvas(place: Path) -> dict[str, float]:
    with _open_graph(place, folded=False) as (hand, panel, first, turns):
        found = {"first": first, "nodes": panel.canvas.node_count, "edges": panel.canvas.edge_count}
        hand.detail()
        found["open_hold"] = turns.worst
        until(hand.app, bool, _SLACK_S)
        hand.hold = 0.0
        for name, move in (("pan", hand.pan), ("zoom", hand.zoom)):
            move()
            found[f"{name}_detail"] = hand.detail()
            found |= hand.timings(name)
        found["hold"] = hand.hold
    found["memory"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    return found


if __name__ == "__main__":
    act, where = sys.argv[1], Path(sys.argv[2])
    measures = {"folded": _measure_folded, "canvas": _measure_canvas}
    if act == "make":
        _make(where, int(sys.argv[3]))
    else:
        print(json.dumps(measures[act](where)))
