"""What stands on each page of an open document: names, cells, marks; found when a page is first seen."""

from __future__ import annotations

from collections.abc import Sequence

from app.reader.document import OpenDocument
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
        """What is marked on a page, the most important last."""
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
        """Where the text of a page begins, in points from its left edge."""
        if number not in self._margins:
            placed = self.opened.placed
            self._margins[number] = placed.left_edge(number) if placed is not None else 0.0
        return self._margins[number]

    def names(self, number: int) -> Sequence[tuple[Mention, list[PageBox]]]:
        """The names of a page in the order of its text, with their boxes."""
        if number not in self._names:
            page = self.opened.page(number)
            mentions = self.opened.mentions_in(page.start, page.end) if page is not None else []
            self._names[number] = [
                (one, boxes) for one in mentions if (boxes := self.lines(one.start, one.end))
            ]
        return self._names[number]

    def cells(self, number: int) -> list[tuple[PageBox, bool]]:
        """The cells of its tables, and whether words of them are cited."""
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
        """The box of the first word that begins at a character or behind it, else of its page's top."""
        boxes = self.opened.placed.words(place, place + 400) if self.opened.placed is not None else []
        if boxes:
            return boxes[0]
        page = self.opened.page_at(place)
        return PageBox(page.number, 0.0, 0.0, 0.0, 0.0) if page is not None else None
