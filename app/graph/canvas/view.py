"""Looking around: pan, wheel zoom, keys and clicks, told as signals. Knows nothing of nodes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QEvent, QPointF, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QFocusEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QGraphicsView

from app.graph.canvas.camera import Bounds, Camera, Room, canvas_room
from app.look import theme as look
from app.look.motion import MOTION_MS, Glide
from app.look.translation import tr
from app.widgets.accessible import Role, Spoken, speak

_STEP = 1.35  # one press of + or one notch of the wheel
_COMMANDS = {
    Qt.Key.Key_Plus: "zoom in",  # not shown
    Qt.Key.Key_Equal: "zoom in",  # not shown
    Qt.Key.Key_Minus: "zoom out",  # not shown
    Qt.Key.Key_F: "fit",
    Qt.Key.Key_0: "fit",
    Qt.Key.Key_Home: "fit",
    Qt.Key.Key_Left: "left",
    Qt.Key.Key_Right: "right",
    Qt.Key.Key_Up: "up",
    Qt.Key.Key_Down: "down",
    Qt.Key.Key_Return: "expand",
    Qt.Key.Key_Enter: "expand",
    Qt.Key.Key_Escape: "clear",
    Qt.Key.Key_M: "map",
    Qt.Key.Key_Backspace: "close",
    Qt.Key.Key_H: "hide",
    Qt.Key.Key_Delete: "hide",
    Qt.Key.Key_P: "pin",
    Qt.Key.Key_Space: "gather",
}


class _Box(pg.ViewBox):  # type: ignore[misc]
    """A view box that pans with the left or middle button and reports clicks."""

    def __init__(self, view: CanvasView) -> None:
        super().__init__(lockAspect=True, enableMenu=False, defaultPadding=0.0)
        self._view = view

    def mouseDragEvent(self, event: Any, axis: int | None = None) -> None:
        left = event.button() == Qt.MouseButton.LeftButton
        if left and (self._view.lassoes(event) or self._view.carries(event)):
            event.accept()
        elif event.button() in (Qt.MouseButton.LeftButton, Qt.MouseButton.MiddleButton):
            self._view.touched = True
            super().mouseDragEvent(event, axis)

    def wheelEvent(self, event: Any, axis: int | None = None) -> None:
        self._view.touched = True
        super().wheelEvent(event, axis)

    def mouseClickEvent(self, event: Any) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            event.accept()
            if not event.double():  # the view has told of those, at the second press
                gathers = event.modifiers() & Qt.KeyboardModifier.ControlModifier
                (self._view.picked if gathers else self._view.clicked).emit(QPointF(event.pos()))


class CanvasView(pg.GraphicsView):  # type: ignore[misc]
    """A view on the plane. `touched` is true once the person has moved it."""

    camera_changed = Signal(object)  # Camera
    pointed = Signal(QPointF)
    left = Signal()
    clicked = Signal(QPointF)
    double_clicked = Signal(QPointF)
    picked = Signal(QPointF)  # a click with Ctrl
    # zoom in, zoom out, fit, left, right, up, down, expand, clear, map, close, hide, show, pin, gather, all
    commanded = Signal(str)
    menu_wanted = Signal(QPointF, bool)  # where, and whether by keyboard
    carried = Signal(QPointF, bool)  # where to, and whether it is let go there
    moved = Signal(QPointF, bool)  # the same of what is dragged without Shift
    lassoed = Signal(QPointF, str, bool)  # a loop's "begin", "way" or "end", and whether it takes away

    def __init__(self) -> None:
        super().__init__(background=None)
        self.touched = self._framed = False  # framed: it has the keyboard, and not by a click
        self.setViewportUpdateMode(QGraphicsView.ViewportUpdateMode.FullViewportUpdate)
        self.setCacheMode(QGraphicsView.CacheModeFlag.CacheNone)
        self.box = _Box(self)
        self.setCentralItem(self.box)
        self.box.disableAutoRange()
        self.box.sigRangeChanged.connect(self._range_changed)
        self.box.sigResized.connect(self._range_changed)
        self._glide = Glide(self)
        self.can_carry: Callable[[QPointF], bool] = lambda _: (
            False
        )  # what is at a place, by a drag with Shift
        self.can_move: Callable[[QPointF], bool] = lambda _: False  # the same without Shift
        self._carrying = self._moving = False
        self._loop = (False, False)  # whether a drag draws a loop, and one that takes away
        self.spoken = Spoken(Role.List)  # who knows the nodes tells its parts
        speak(self, self.spoken)
        self.setAccessibleName(tr("Graph"))

    def camera(self) -> Camera:
        """Return where the view looks now."""
        (x0, x1), (_, y1) = self.box.viewRange()
        width, height = max(int(self.box.width()), 1), max(int(self.box.height()), 1)
        return Camera(x0, y1, width / max(x1 - x0, 1e-12), width, height)

    def look_at(self, x: float, y: float, scale: float, animate: bool = True) -> None:
        """Centre on a data point at a scale in pixels per data unit."""
        now = self.camera()
        begin = np.array([*now.to_data(now.width / 2, now.height / 2), np.log(now.scale)])
        end = np.array([x, y, np.log(scale)])

        def step(share: float) -> None:
            at = begin + (end - begin) * share
            self._set_camera(float(at[0]), float(at[1]), float(np.exp(at[2])))

        self._glide.run(step, MOTION_MS if animate and self.isVisible() else 0)

    def fit(self, bounds: Bounds, room: Room | None = None, animate: bool = True) -> float:
        """Show a rectangle in the middle of a room, the whole view without its margin by default; its scale."""
        left, bottom, right, top = bounds
        width, height = self.box.width(), self.box.height()
        room = room or canvas_room(width, height)
        scale = float(room.scale(bounds))
        x = (left + right) / 2 - ((room.left + room.right) / 2 - width / 2) / scale
        y = (bottom + top) / 2 + ((room.top + room.bottom) / 2 - height / 2) / scale
        self.look_at(x, y, scale, animate=animate)
        return scale

    def finish(self) -> None:
        """End a running movement."""
        self._glide.finish()

    def zoom(self, factor: float) -> None:
        """Zoom about the centre."""
        now = self.camera()
        self.touched = True
        self.look_at(*now.to_data(now.width / 2, now.height / 2), now.scale * factor)

    def _set_camera(self, x: float, y: float, scale: float) -> None:
        half_width, half_height = self.box.width() / 2 / scale, self.box.height() / 2 / scale
        self.box.setRange(
            xRange=(x - half_width, x + half_width), yRange=(y - half_height, y + half_height), padding=0.0
        )

    def _range_changed(self, *_: object) -> None:
        self.camera_changed.emit(self.camera())

    # ------------------------------------------------------------ input

    def lassoes(self, event: Any) -> bool:
        """Return whether a drag draws a loop: one that began with Ctrl; with Shift, too, it takes away."""
        if event.isStart():
            keys, no = event.modifiers(), Qt.KeyboardModifier.NoModifier
            ctrl = keys & Qt.KeyboardModifier.ControlModifier != no
            self._loop = (ctrl, keys & Qt.KeyboardModifier.ShiftModifier != no)
            if ctrl:
                self.lassoed.emit(QPointF(event.buttonDownPos()), "begin", self._loop[1])
        if self._loop[0]:
            stage = "end" if event.isFinish() else "way"
            self.lassoed.emit(QPointF(event.pos()), stage, self._loop[1])
        return self._loop[0]

    def carries(self, event: Any) -> bool:
        """Return whether a drag takes something along, and not the view: by the keys with which it began."""
        if event.isStart():
            shift = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
            begin = QPointF(event.buttonDownPos())
            self._carrying = shift and self.can_carry(begin)
            self._moving = not shift and self.can_move(begin)
        if self._carrying or self._moving:
            signal = self.carried if self._carrying else self.moved
            signal.emit(QPointF(event.pos()), event.isFinish())
        return self._carrying or self._moving

    def keyPressEvent(self, event: QKeyEvent) -> None:
        command, ctrl = (
            _COMMANDS.get(Qt.Key(event.key())),
            event.modifiers() & Qt.KeyboardModifier.ControlModifier,
        )
        if ctrl:
            command = "all" if event.key() == Qt.Key.Key_A and event.modifiers() == ctrl else None
        if command is None:
            event.ignore()
            return
        event.accept()
        if command in ("zoom in", "zoom out"):
            self.zoom(_STEP if command == "zoom in" else 1 / _STEP)
        elif event.modifiers() & Qt.KeyboardModifier.ShiftModifier and command in (
            "left",
            "right",
            "up",
            "down",
        ):
            self._pan(command)
        elif command == "hide" and event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            self.commanded.emit("show")
        else:
            self.commanded.emit(command)

    def _pan(self, command: str) -> None:
        now = self.camera()
        dx = {"left": -0.2, "right": 0.2}.get(command, 0.0) * now.width
        dy = {"up": -0.2, "down": 0.2}.get(command, 0.0) * now.height
        self.touched = True
        self.look_at(*now.to_data(now.width / 2 + dx, now.height / 2 + dy), now.scale)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self._framed = event.reason() != Qt.FocusReason.MouseFocusReason
        self.viewport().update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._framed = False
        self.viewport().update()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self._framed:
            painter = QPainter(self.viewport())
            painter.setPen(QPen(look.current().color("accent"), 2))
            painter.drawRect(self.viewport().rect().adjusted(1, 1, -1, -1))
            painter.end()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        super().mouseDoubleClickEvent(event)
        if event.button() == Qt.MouseButton.LeftButton and not (
            event.modifiers() & Qt.KeyboardModifier.ControlModifier
        ):
            self.double_clicked.emit(event.position())

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        event.accept()
        by_keyboard = event.reason() == QContextMenuEvent.Reason.Keyboard
        self.menu_wanted.emit(QPointF(event.pos()), by_keyboard)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        super().mouseMoveEvent(event)
        if not event.buttons():
            self.pointed.emit(event.position())

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self.left.emit()
