"""What is drawn upon the picture of a page: as with a highlighter, so that black stays black.

A page is paper, white in every theme, so colours are those of the light one.
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from app.look import theme
from app.reader.page_layout import Place
from app.reader.text import MarkKind
from core.workspace.placed_text import PageBox

PAPER = theme.LIGHT
DIM = 38  # of 255: how much darker paper is in a dark window
BAR, BAR_GAP = 3, 8  # the bar beside a marked line, pixels; points between that and the text
AROUND = 3.0  # points around what stands in a cell


def on_screen(box: PageBox, place: Place, around: float = 0.0) -> QRectF:
    """A box on its page in pixels."""
    left, top = place.left + (box.left - around) * place.scale, place.top + (box.top - around) * place.scale
    right, bottom = (
        place.left + (box.right + around) * place.scale,
        place.top + (box.bottom + around) * place.scale,
    )
    return QRectF(left, top, right - left, bottom - top)


def paint_mark(painter: QPainter, kind: MarkKind, boxes: Sequence[PageBox], place: Place) -> None:
    """Boxes of one mark, a line each; a passage has its bar alone."""
    if kind == "passage":
        return
    painter.setPen(Qt.PenStyle.NoPen)
    for box in boxes:
        rect = on_screen(box, place, 1.0)
        if kind == "entity":
            _wash(painter, rect, PAPER.accent_soft)
            painter.fillRect(QRectF(rect.left(), rect.bottom() - 1.5, rect.width(), 2), PAPER.color("accent"))
        elif kind == "cited":
            _wash(painter, rect, PAPER.mark)
        else:
            _wash(painter, rect, "#c9d5ff")
            if kind == "found-here":
                frame(painter, rect, PAPER.color("text"), 2.0)


def paint_names(painter: QPainter, boxes: Sequence[PageBox], place: Place) -> None:
    """A dotted line below each, as in the text."""
    soft = PAPER.color("strong_border")
    painter.setPen(QPen(soft, 1.2, Qt.PenStyle.DotLine))
    for box in boxes:
        rect = on_screen(box, place)
        painter.drawLine(rect.bottomLeft(), rect.bottomRight())


def paint_cells(painter: QPainter, cells: Sequence[tuple[PageBox, bool]], place: Place) -> None:
    """Outlines of a table's cells; the cited one stands out."""
    soft = PAPER.color("strong_border")
    soft.setAlphaF(0.45)
    for box, cited in cells:
        rect = on_screen(box, place, AROUND)
        frame(painter, rect, PAPER.color("accent") if cited else soft, 2.0 if cited else 1.0)


def paint_selection(painter: QPainter, boxes: Sequence[PageBox], place: Place) -> None:
    for box in boxes:
        _wash(painter, on_screen(box, place), "#a9bcff")


def paint_paper(painter: QPainter, place: Place) -> None:
    """The sheet itself, with a hairline around it."""
    sheet = QRectF(place.left, place.top, place.width, place.height)
    painter.fillRect(sheet.adjusted(-1, -1, 1, 1), theme.current().color("border"))
    painter.fillRect(sheet, QColor("#ffffff"))


def dim(painter: QPainter, place: Place) -> None:
    """Paper is white in a dark window, too, but not glaring."""
    if theme.current().dark:
        painter.fillRect(QRectF(place.left, place.top, place.width, place.height), QColor(0, 0, 0, DIM))


def frame(painter: QPainter, rect: QRectF, color: QColor, width: float) -> None:
    painter.setPen(QPen(color, width))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRoundedRect(rect, 2, 2)


def _wash(painter: QPainter, rect: QRectF, color: str) -> None:
    painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_Multiply)
    painter.fillRect(rect, QColor(color))
    painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_SourceOver)


def paint_bar(
    painter: QPainter, kind: MarkKind, boxes: Sequence[PageBox], margin: float, place: Place
) -> None:
    """Beside marked lines, left of a page's text: told by more than colour."""
    if kind not in ("cited", "passage"):
        return
    left = place.left + max(margin - BAR_GAP, 0.0) * place.scale - BAR
    top, bottom = min(box.top for box in boxes), max(box.bottom for box in boxes)
    bar = QRectF(left, place.top + top * place.scale, BAR, max((bottom - top) * place.scale, 1.0))
    painter.fillRect(bar, PAPER.color("accent" if kind == "cited" else "strong_border"))
