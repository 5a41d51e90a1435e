"""The mark of Clew: a ball of thread whose end leads out. Painted, so that it is sharp at every size."""

from __future__ import annotations

import math

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QIcon, QPainter, QPainterPath, QPaintEvent, QPen, QPixmap
from PySide6.QtWidgets import QWidget

from app.look import theme


def paint_mark(painter: QPainter, box: QRectF, color: QColor) -> None:
    """Draw the mark into a square box."""
    side = min(box.width(), box.height())
    center = QPointF(box.x() + side * 0.46, box.y() + side * 0.46)
    radius = side * 0.38
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    pen = QPen(color, max(1.2, side * 0.075))
    pen.setCapStyle(Qt.PenCapStyle.RoundCap)
    painter.setPen(pen)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawEllipse(center, radius, radius)
    for turn, width in ((-28, 0.42), (62, 0.42)):
        painter.save()
        painter.translate(center)
        painter.rotate(turn)
        painter.drawArc(QRectF(-radius * width, -radius, 2 * radius * width, 2 * radius), 90 * 16, 180 * 16)
        painter.restore()
    angle = math.radians(58)
    end = QPointF(center.x() + radius * math.cos(angle), center.y() + radius * math.sin(angle))
    thread = QPainterPath(end)
    right = box.x() + side * 0.97
    thread.quadTo(
        QPointF(center.x() + radius * 0.9, box.y() + side * 0.95), QPointF(right, box.y() + side * 0.90)
    )
    painter.drawPath(thread)
    painter.restore()


def app_icon() -> QIcon:
    """The window's icon."""
    icon = QIcon()
    for side in (16, 24, 32, 48, 64, 128, 256):
        picture = QPixmap(side, side)
        picture.fill(Qt.GlobalColor.transparent)
        painter = QPainter(picture)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor("#3453d1"))
        painter.drawRoundedRect(QRectF(0, 0, side, side), side * 0.22, side * 0.22)
        inset = side * 0.16
        paint_mark(painter, QRectF(inset, inset, side - 2 * inset, side - 2 * inset), QColor("#ffffff"))
        painter.end()
        icon.addPixmap(picture)
    return icon


class Mark(QWidget):
    """The mark as a widget, in the accent colour of the theme in use."""

    def __init__(self, side: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Clew")  # not shown
        theme.square(self, side)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        paint_mark(QPainter(self), QRectF(self.rect()), theme.current().color("accent"))
