"""A picture as pixels, drawn on any thread."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QImage, QPainter, QPainterPath, QPen, QPolygonF

from app.graph.canvas.content import LineBuffer
from app.graph.picture.shapes import Area, Box, Discs, Lines, Picture, Shape, Words
from core.text.escape_controls import escape_controls

_AT_ONCE = 200  # lines drawn in one call, in which no other thread may run Python
SCALE = 2  # pixels of the file for one of the view


def painted(
    picture: Picture, edges: Callable[[QImage], None] | None, check: Callable[[], None] = lambda: None
) -> QImage:
    """The image, at twice the size of the view; `check` may raise.

    `edges`: draws upon the ground, before all shapes.
    """
    image = QImage(picture.width * SCALE, picture.height * SCALE, QImage.Format.Format_ARGB32_Premultiplied)
    image.setDevicePixelRatio(SCALE)
    image.fill(QColor(picture.ground))
    if edges is not None:
        edges(image)
    painter = QPainter(image)
    try:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for shape in picture.shapes:
            check()
            painter.setOpacity(1.0 if isinstance(shape, Words) else shape.opacity)
            _paint(painter, shape, picture.family, check)
    finally:
        painter.end()  # also where it is given up: an image must not die before its painter
    return image


def _paint(painter: QPainter, shape: Shape, family: tuple[str, ...], check: Callable[[], None]) -> None:
    if isinstance(shape, Lines):
        _lines(painter, shape, check)
    elif isinstance(shape, Discs):
        painter.setPen(_pen(shape.outline, shape.width))
        fills = shape.fills or [""] * len(shape.radii)
        # Columns: a list for each disc would have the collector at work on the window's thread.
        columns = (*shape.centres.T.tolist(), shape.radii.tolist(), fills)
        for x, y, radius, fill in zip(*columns, strict=True):
            painter.setBrush(_brush(fill))
            painter.drawEllipse(QPointF(x, y), radius, radius)
    elif isinstance(shape, Area):
        painter.setPen(_pen(shape.outline, shape.width))
        painter.setBrush(_brush(shape.fill))
        painter.drawPolygon(QPolygonF([QPointF(x, y) for x, y in shape.corners.tolist()]))
    elif isinstance(shape, Box):
        painter.setPen(_pen(shape.outline, 1.0))
        painter.setBrush(_brush(shape.fill))
        box = QRectF(shape.left, shape.top, shape.width, shape.height)
        painter.drawRoundedRect(box, shape.round, shape.round)
    else:
        _words(painter, shape, family)


def _lines(painter: QPainter, shape: Lines, check: Callable[[], None]) -> None:
    pen = _pen(shape.colour, shape.width)
    if shape.dotted:
        pen.setStyle(Qt.PenStyle.DotLine)
    painter.setPen(pen)
    buffer = LineBuffer()
    for first in range(0, len(shape.ends), _AT_ONCE):
        check()
        buffer.draw(painter, shape.ends[first : first + _AT_ONCE])


def _words(painter: QPainter, shape: Words, family: tuple[str, ...]) -> None:
    face = QFont(list(family))
    face.setPixelSize(round(shape.size))
    face.setWeight(QFont.Weight.DemiBold if shape.bold else QFont.Weight.Normal)
    text, x = escape_controls(shape.text), shape.x
    if shape.anchor != "start":
        wide = QFontMetricsF(face).horizontalAdvance(text)
        x -= wide / 2 if shape.anchor == "middle" else wide
    if shape.halo:
        letters = QPainterPath()
        letters.addText(QPointF(x, shape.y), face, text)
        pen = QPen(QColor(shape.halo), 4.0)
        pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
        painter.strokePath(letters, pen)
    painter.setFont(face)
    painter.setPen(QColor(shape.colour))
    painter.drawText(QPointF(x, shape.y), text)


def _pen(colour: str, width: float) -> QPen:
    return QPen(QColor(colour), width) if colour else QPen(Qt.PenStyle.NoPen)


def _brush(colour: str) -> QColor | Qt.BrushStyle:
    return QColor(colour) if colour else Qt.BrushStyle.NoBrush
