"""What is drawn upon the picture of a page: as with a highlighter, so that black stays black.

A page is paper, white in every theme, so colours are those of the light one.
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from app.look import theme
from app.reader.document import OpenDocument
from app.reader.page_layout import Place
from app.reader.text import Mark, MarkKind
from core.types import Mention
from core.workspace.placed_text import PageBox

MOST_CELLS = 2_000  # of a page


class PageContents:
    """The boxes of one document by page."""

    def __init__(self, opened: OpenDocument) -> None:
        self.opened = opened
        self._names: dict[int, list[tuple[Mention, list[PageBox]]]] = {}
        self._cells: dict[int, list[tuple[PageBox, int, int]]] = {}
        self._marks: dict[int, list[tuple[MarkKind, list[PageBox]]]] = {}
        self._margins: dict[int, float] = {}
        self._all_marks: Sequence[Mark] = ()
        self._cited: tuple[tuple[int, int], ...] = ()

    def set_marks(self, marks: Sequence[Mark]) -> None:
        self._all_marks, self._marks = marks, {}
        self._cited = tuple((mark.start, mark.end) for mark in marks if mark.kind == "cited")

    def marks(self, number: int) -> Sequence[tuple[MarkKind, list[PageBox]]]:
        """Return what is marked on a page, the most important last."""
        if number not in self._marks:
            page = self.opened.page(number)
            near = (
                (mark.kind, [box for box in self.lines(mark.start, mark.end) if box.page == number])
                for mark in self._all_marks
                if page is not None and mark.start < page.end and mark.end > page.start
            )
            self._marks[number] = [(kind, boxes) for kind, boxes in near if boxes]
        return self._marks[number]

    def lines(self, start: int, end: int) -> list[PageBox]:
        return self.opened.placed.lines(start, end) if self.opened.placed is not None else []

    def margin(self, number: int) -> float:
        """Return where the text of a page begins, in points from its left edge."""
        if number not in self._margins:
            placed = self.opened.placed
            self._margins[number] = placed.left_edge(number) if placed is not None else 0.0
        return self._margins[number]

    def names(self, number: int) -> Sequence[tuple[Mention, list[PageBox]]]:
        """Return the names of a page in the order of its text, with their boxes."""
        if number not in self._names:
            page = self.opened.page(number)
            mentions = self.opened.mentions_in(page.start, page.end) if page is not None else []
            self._names[number] = [
                (one, boxes) for one in mentions if (boxes := self.lines(one.start, one.end))
            ]
        return self._names[number]

    def cells(self, number: int) -> list[tuple[PageBox, bool]]:
        """Return the cells of its tables, and whether words of them are cited."""
        if number not in self._cells:
            self._cells[number] = self._read_cells(number)
        cited = self._cited
        return [
            (box, any(start < last and first < end for first, last in cited))
            for box, start, end in self._cells[number]
        ]

    def _read_cells(self, number: int) -> list[tuple[PageBox, int, int]]:
        page, placed = self.opened.page(number), self.opened.placed
        if page is None or placed is None:
            return []
        found: list[tuple[PageBox, int, int]] = []
        for table in self.opened.tables:
            if table.end > page.start and table.start < page.end:
                inside = (table.cells[:, 2] >= page.start) & (table.cells[:, 3] <= page.end)
                found += placed.cells(table.cells[inside][:MOST_CELLS], number)
        return found

    def place_of(self, place: int) -> PageBox | None:
        """Return the box of the first word that begins at a character or behind it, else of its page's top."""
        boxes = self.opened.placed.words(place, place + 400) if self.opened.placed is not None else []
        if boxes:
            return boxes[0]
        page = self.opened.page_at(place)
        return PageBox(page.number, 0.0, 0.0, 0.0, 0.0) if page is not None else None


PAPER = theme.LIGHT
DIM = 38  # of 255: how much darker paper is in a dark window
BAR, BAR_GAP = 3, 8  # the bar beside a marked line, pixels; points between that and the text
AROUND = 3.0  # points around what stands in a cell


def on_screen(box: PageBox, place: Place, around: float = 0.0) -> QRectF:
    """Return a box on its page in pixels."""
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
    """Paint a dotted line below each, as in the text."""
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
    """Paint the sheet itself, with a hairline around it."""
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
