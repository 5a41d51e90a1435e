"""A real mouse over a graph."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.graph.canvas.canvas import GraphCanvas

LEFT, NONE = Qt.MouseButton.LeftButton, Qt.MouseButton.NoButton
NO_KEYS = Qt.KeyboardModifier.NoModifier


def place(canvas: GraphCanvas, id: str) -> QPoint:
    """Where a node is on the canvas."""
    row = canvas._arrays.row[id]
    x, y = canvas._view.camera().to_screen(canvas._arrays.xy)[row].tolist()
    return QPoint(round(x), round(y))


def move(
    canvas: GraphCanvas, to: QPoint, buttons: Qt.MouseButton = NONE, keys: Qt.KeyboardModifier = NO_KEYS
) -> None:
    surface = canvas._view.viewport()
    around = QPointF(surface.mapToGlobal(to))
    scene = canvas._view.sceneObj
    scene._lastMoveEventTime = 0  # else pyqtgraph leaves out what comes within ten milliseconds
    event = QMouseEvent(QEvent.Type.MouseMove, QPointF(to), around, NONE, buttons, keys)
    QApplication.sendEvent(surface, event)


def drag(
    qtbot: QtBot,
    canvas: GraphCanvas,
    way: Sequence[QPoint],
    keys: Qt.KeyboardModifier = NO_KEYS,
    before_the_end: Callable[[], object] = lambda: None,
) -> None:
    """Press at the beginning of a way, go along it, let go at its end."""
    surface = canvas._view.viewport()
    qtbot.mousePress(surface, LEFT, keys, way[0])
    for at in way[1:]:
        move(canvas, at, LEFT, keys)
    before_the_end()
    qtbot.mouseRelease(surface, LEFT, keys, way[-1])
