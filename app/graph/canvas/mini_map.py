"""The whole graph in a corner, with the part in view framed; click or drag to go there."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QImage, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.graph.canvas.arrays import GraphArrays
from app.graph.canvas.camera import Camera
from app.look import theme as look
from app.look.translation import tr
from app.widgets.accessible import Role, Spoken, speak

_STEPS = 32  # of the scale of colours
_MARGIN = 8


class MiniMap(QWidget):
    """An overview of the nodes. `moved(x, y)` tells the data point that the person wants to see."""

    moved = Signal(float, float)

    def __init__(self, arrays: GraphArrays, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._arrays = arrays
        self._picture: QImage | None = None
        self._camera = Camera(0, 0, 1, 1, 1)
        self._map = Camera(0, 0, 1, 1, 1)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        speak(self, Spoken(Role.Graphic))
        self.setAccessibleName(tr("Overview map"))
        self.setToolTip(tr("The whole graph. Click or drag to go there."))
        self.setCursor(Qt.CursorShape.CrossCursor)
        look.notifier().changed.connect(self.refresh)

    def sizeHint(self) -> QSize:
        return QSize(176, 124)

    def refresh(self, *_: object) -> None:
        """Positions or colours changed."""
        self._picture = None
        self.update()

    def set_camera(self, camera: Camera) -> None:
        """The view shows another part."""
        self._camera = camera
        self.update()

    def _draw(self) -> QImage:
        """Nodes as dots of 2 x 2 device-independent pixels, set straight into the image."""
        theme, arrays = look.current(), self._arrays
        left, bottom, right, top = arrays.bounds()
        width, height = self.width() - 2 * _MARGIN, self.height() - 2 * _MARGIN
        scale = min(width / max(right - left, 1e-6), height / max(top - bottom, 1e-6))
        middle_x, middle_y = (left + right) / 2, (top + bottom) / 2
        self._map = Camera(
            middle_x - self.width() / 2 / scale,
            middle_y + self.height() / 2 / scale,
            scale,
            self.width(),
            self.height(),
        )
        image = QImage(self.width(), self.height(), QImage.Format.Format_RGB32)
        image.fill(QColor(theme.surface))
        count = len(theme.communities)
        steps = np.linspace(0, 255, _STEPS).astype(int)
        scale_colors = [QColor(*rgb).rgb() for rgb in theme.heat_table()[steps].tolist()]
        colors = [*(QColor(value).rgb() for value in (*theme.communities, theme.neutral)), *scale_colors]
        which = np.where(arrays.category < 0, count, arrays.category % count)
        levels = np.nan_to_num(arrays.level) * (_STEPS - 1)
        which = np.where(np.isnan(arrays.level), which, count + 1 + levels.astype(np.int32))
        dots = self._map.to_screen(arrays.xy).astype(np.int32)
        x, y = dots[:, 0], dots[:, 1]
        inside = (x >= 0) & (y >= 0) & (x < self.width() - 1) & (y < self.height() - 1)
        pixels = np.frombuffer(image.bits(), np.uint32).reshape(self.height(), image.bytesPerLine() // 4)
        shade = np.array(colors, np.uint32)[which[inside]]
        x, y = dots[inside].T
        for dx, dy in ((0, 0), (1, 0), (0, 1), (1, 1)):
            pixels[y + dy, x + dx] = shade
        self._draw_groups(image, colors, which)
        return image

    def _draw_groups(self, image: QImage, colors: list[int], which: NDArray[np.int32]) -> None:
        """Nodes that stand for many, as discs."""
        arrays, painter = self._arrays, QPainter(image)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        rows = np.flatnonzero(arrays.radius > 0)
        for row, (x, y) in zip(rows.tolist(), self._map.to_screen(arrays.xy[rows]).tolist(), strict=True):
            painter.setBrush(QColor(colors[int(which[row])]))
            radius = max(float(arrays.radius[row]) * self._map.scale, 1.5)
            painter.drawEllipse(QPointF(x, y), radius, radius)
        painter.end()

    def paintEvent(self, event: QPaintEvent) -> None:
        theme, painter = look.current(), QPainter(self)
        if self._picture is None:
            self._picture = self._draw()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        frame = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        painter.setPen(QPen(QColor(theme.border), 1))
        painter.setBrush(QColor(theme.surface))
        painter.drawRoundedRect(frame, look.RADIUS, look.RADIUS)
        inner = self.rect().adjusted(4, 4, -4, -4)
        painter.drawImage(inner, self._picture, inner)
        view = self._view_rect().intersected(QRectF(inner))
        soft = QColor(theme.accent)
        soft.setAlpha(0 if view.contains(QRectF(inner).adjusted(12, 12, -12, -12)) else 28)
        painter.setBrush(soft)
        painter.setPen(QPen(QColor(theme.accent), 1.25))
        painter.drawRoundedRect(view, 3, 3)
        painter.end()

    def _view_rect(self) -> QRectF:
        """The part in view, in the map's pixels."""
        camera = self._camera
        right, bottom = camera.to_data(camera.width, camera.height)
        corners = np.array([[camera.left, camera.top], [right, bottom]], np.float32)
        (x0, y0), (x1, y1) = self._map.to_screen(corners).tolist()
        return QRectF(QPointF(x0, y0), QPointF(x1, y1))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._go(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._go(event)

    def _go(self, event: QMouseEvent) -> None:
        if event.buttons() & Qt.MouseButton.LeftButton:
            place = event.position()
            self.moved.emit(*self._map.to_data(place.x(), place.y()))
