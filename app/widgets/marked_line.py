"""A sentence on one line, some of its words marked."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRect, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QTextCharFormat, QTextLayout

from app.look import theme


def paint_marked(painter: QPainter, line: QRect, text: str, marks: Sequence[tuple[int, int]]) -> None:
    """On one line that begins a little before the first mark, so that this is seen; marks as (start, end)."""
    now, face = theme.current(), theme.font()
    metrics = QFontMetrics(face)
    if marks and metrics.horizontalAdvance(text[: marks[0][1]]) > line.width():
        cut = max(text.rfind(" ", 0, max(marks[0][0] - 20, 0)), 0)
        text, marks = "… " + text[cut:].lstrip(), [(a - cut + 1, b - cut + 1) for a, b in marks]
    layout = QTextLayout(metrics.elidedText(text, Qt.TextElideMode.ElideRight, line.width()), face)
    formats = []
    for start, end in marks:
        found = QTextLayout.FormatRange()
        found.start, found.length, found.format = _wide(text[:start]), _wide(text[start:end]), _mark()
        formats.append(found)
    layout.setFormats(formats)
    layout.beginLayout()
    laid = layout.createLine()
    laid.setLineWidth(100_000)
    layout.endLayout()
    painter.setPen(now.color("text"))
    painter.save()
    painter.setClipRect(line)
    layout.draw(painter, QPointF(line.left(), line.top() + (line.height() - laid.height()) / 2))
    painter.restore()


def _wide(text: str) -> int:
    """Length as Qt counts it."""
    return len(text.encode("utf-16-le")) // 2


def _mark() -> QTextCharFormat:
    shape, now = QTextCharFormat(), theme.current()
    shape.setBackground(now.color("mark"))
    shape.setForeground(now.color("on_mark"))
    return shape
