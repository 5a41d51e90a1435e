"""What nearly every widget that draws itself begins with."""

from __future__ import annotations

from PySide6.QtCore import QRect, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QPaintDevice, QPainter

from app.look import theme


def smooth(device: QPaintDevice) -> QPainter:
    """A painter without stairs."""
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
