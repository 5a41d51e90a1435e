"""What nearly every widget that draws itself begins with, and the mark of Clew."""

from __future__ import annotations

import math

from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import (
    QColor,
    QFont,
    QIcon,
    QPaintDevice,
    QPainter,
    QPainterPath,
    QPaintEvent,
    QPen,
    QPixmap,
)
from PySide6.QtWidgets import QWidget

from app.look import theme


def smooth(device: QPaintDevice) -> QPainter:
    """Return a painter without stairs."""
    painter = QPainter(device)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    return painter


def rounded(
    painter: QPainter, box: QRect, outline: str = "", fill: str = "", radius: float = theme.RADIUS
) -> None:
    """A box with round corners, a hairline around it; colours are roles of the theme, "" for none."""
    now = theme.current()
    painter.setPen(QColor(now.color(outline)) if outline else Qt.PenStyle.NoPen)
    painter.setBrush(QColor(now.color(fill)) if fill else Qt.BrushStyle.NoBrush)
    painter.drawRoundedRect(QRectF(box).adjusted(0.5, 0.5, -0.5, -0.5), radius, radius)


def paint_text(
    painter: QPainter,
    box: QRect | QRectF,
    text: str,
    role: str = "text",
    size: int = theme.BODY,
    weight: QFont.Weight = QFont.Weight.Normal,
    place: Qt.AlignmentFlag = Qt.AlignmentFlag.AlignLeft,
) -> int:
    """One line in the middle of a box's height, cut at its end; the pixels that it takes. role: of the theme."""
    painter.setFont(theme.font(size, weight))
    painter.setPen(theme.current().color(role))
    metrics = painter.fontMetrics()
    elided = metrics.elidedText(text, Qt.TextElideMode.ElideRight, int(box.width()))
    if not place & Qt.AlignmentFlag.AlignVertical_Mask:
        place |= Qt.AlignmentFlag.AlignVCenter
    painter.drawText(box, int(place | Qt.TextFlag.TextSingleLine), elided)
    return metrics.horizontalAdvance(elided)


def paint_share(painter: QPainter, track: QRectF, share: float, least: float, begin: float = 0.0) -> None:
    """A part of a whole, 0 to 1, as a bar in a track from `begin` on; at least so many pixels of it are seen."""
    now, round_ = theme.current(), track.height() / 2
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(now.color("border"))
    painter.drawRoundedRect(track, round_, round_)
    painter.setBrush(now.color("accent"))
    wide = max(track.width() * min(share, 1.0), least)
    left = min(track.left() + begin * track.width(), track.right() - wide)
    painter.drawRoundedRect(QRectF(left, track.top(), wide, track.height()), round_, round_)


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
    """Return the window's icon."""
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
