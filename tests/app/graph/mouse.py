"""What a graph shows, and a real mouse over it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QMouseEvent, QWheelEvent
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from app.graph.canvas.canvas import GraphCanvas
from app.graph.canvas.controls import GraphControls
from app.graph.canvas.items import GraphItem
from app.graph.canvas.view import CanvasView
from app.graph.panel import GraphPanel
from app.widgets.notices import HoverCard
from tests.waiting import process_events, wait_until

LEFT, NONE = Qt.MouseButton.LeftButton, Qt.MouseButton.NoButton
NO_KEYS = Qt.KeyboardModifier.NoModifier


def view_of(canvas: GraphCanvas) -> CanvasView:
    """The part that takes the keyboard."""
    found = canvas.focusProxy()
    assert isinstance(found, CanvasView)
    return found


def surface_of(canvas: GraphCanvas) -> QWidget:
    """The part that takes the mouse."""
    found: QWidget = view_of(canvas).viewport()
    return found


def item_of(canvas: GraphCanvas) -> GraphItem:
    """What is painted."""
    return next(each for each in view_of(canvas).scene().items() if isinstance(each, GraphItem))


def card_of(canvas: GraphCanvas) -> HoverCard:
    """The card beside the pointer."""
    return next(each for each in canvas.findChildren(HoverCard) if each.parent() is canvas)


def controls_of(canvas: GraphCanvas) -> GraphControls:
    found = canvas.findChild(GraphControls)
    assert found is not None
    return found


def drawn(canvas: GraphCanvas) -> set[str]:
    """Ids of the nodes that are drawn."""
    return set(canvas.drawn_ids())


def names(canvas: GraphCanvas) -> set[str]:
    return {canvas.name_of(id) for id in canvas.drawn_ids()}


def ids(canvas: GraphCanvas, rows: Sequence[int]) -> list[str]:
    """Ids of nodes by their rows."""
    return [item_of(canvas).arrays.ids[int(row)] for row in rows]


def place(canvas: GraphCanvas, id: str) -> QPoint:
    """Where a node is on the canvas."""
    arrays = item_of(canvas).arrays
    x, y = view_of(canvas).camera().to_screen(arrays.xy)[arrays.row[id]].tolist()
    return QPoint(round(x), round(y))


def move(
    canvas: GraphCanvas, to: QPoint, buttons: Qt.MouseButton = NONE, keys: Qt.KeyboardModifier = NO_KEYS
) -> None:
    around = QPointF(surface_of(canvas).mapToGlobal(to))
    view_of(
        canvas
    ).sceneObj._lastMoveEventTime = 0  # else pyqtgraph leaves out what comes within ten milliseconds
    event = QMouseEvent(QEvent.Type.MouseMove, QPointF(to), around, NONE, buttons, keys)
    QApplication.sendEvent(surface_of(canvas), event)


def drag(
    qtbot: QtBot,
    canvas: GraphCanvas,
    way: Sequence[QPoint],
    keys: Qt.KeyboardModifier = NO_KEYS,
    before_the_end: Callable[[], object] = lambda: None,
) -> None:
    """Press at the beginning of a way, go along it, let go at its end."""
    qtbot.mousePress(surface_of(canvas), LEFT, keys, way[0])
    for at in way[1:]:
        move(canvas, at, LEFT, keys)
    before_the_end()
    qtbot.mouseRelease(surface_of(canvas), LEFT, keys, way[-1])


def wheel(widget: QWidget, at: QPointF, angle: int, keys: Qt.KeyboardModifier = NO_KEYS) -> None:
    """Turn the wheel over a place of a widget."""
    event = QWheelEvent(
        at,
        widget.mapToGlobal(at),
        QPoint(),
        QPoint(0, angle),
        NONE,
        keys,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(widget, event)


def settle(panel: GraphPanel) -> None:
    """Wait until what is wanted is drawn, and at rest."""
    wait_until(lambda: process_events() or not (panel.shaping.busy or panel.live.pending))
    panel.canvas.settle()
