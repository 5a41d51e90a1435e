"""Where a document's text stands on its pages, from the boxes of its words; and which text stands at a place."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING, NamedTuple

from core.types import Boxes

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

HIGHER = 2.0  # heights of a line that may lie between two words of a mark
LONGEST = 200  # characters of a word


class PageBox(NamedTuple):
    """In points from the page's top left corner."""

    page: int  # from 1
    left: float
    top: float
    right: float
    bottom: float


@dataclass(frozen=True, slots=True, eq=False)
class PlacedText:
    """The words of one document: `PlacedText(boxes).lines(start, end)`. Spans are offsets in its text."""

    boxes: Boxes

    def lines(self, start: int, end: int) -> list[PageBox]:
        """What covers start..end, a box for each line. Of a word that only partly lies in it the same part is taken."""
        found: list[PageBox] = []
        for box in self.words(start, end):
            last = found[-1] if found else None
            if last is not None and _goes_on(last, box):
                found[-1] = _union(last, box)
            else:
                found.append(box)
        return found

    def cells(self, cells: NDArray[np.int32], page: int) -> list[tuple[PageBox, int, int]]:
        """(box, start, end) of the cells of a table that stand on a page; `cells` as those of a DocumentTable.

        Each is as wide as what stands in its column, and as high as what stands in its row.
        """
        found: dict[tuple[int, int], tuple[PageBox, int, int]] = {}
        for row, column, start, end in cells.tolist():
            boxes = [box for box in self.words(start, end) if box.page == page]
            if boxes:
                found[row, column] = (reduce(_union, boxes), start, end)
        rows, columns = dict[int, PageBox](), dict[int, PageBox]()
        for (row, column), (box, _, _) in found.items():
            rows[row] = _union(rows.get(row, box), box)
            columns[column] = _union(columns.get(column, box), box)
        return [
            (
                PageBox(page, columns[column].left, rows[row].top, columns[column].right, rows[row].bottom),
                start,
                end,
            )
            for (row, column), (_, start, end) in found.items()
        ]

    def words(self, start: int, end: int) -> list[PageBox]:
        """The boxes of the words in start..end, in order."""
        import numpy as np

        spans = self.boxes.spans
        first = int(np.searchsorted(spans[:, 0], start - LONGEST))
        last = int(np.searchsorted(spans[:, 0], end))
        found = []
        for row in np.flatnonzero(spans[first:last, 1] > start) + first:
            begin, stop, page = (int(value) for value in spans[row])
            left, top, right, bottom = (float(value) for value in self.boxes.corners[row])
            wide, size = right - left, max(stop - begin, 1)
            near, far = max(start - begin, 0) / size, max(stop - end, 0) / size
            found.append(PageBox(page, left + near * wide, top, right - far * wide, bottom))
        return found

    def character_at(self, page: int, x: float, y: float, reach: float = 0.0) -> int | None:
        """The character at a place, or that of the nearest word if that is at most `reach` points away."""
        import numpy as np

        rows = self._of_page(page)
        corners = self.boxes.corners[rows]
        if not len(corners):
            return None
        aside = np.maximum(np.maximum(corners[:, 0] - x, x - corners[:, 2]), 0)
        apart = np.maximum(np.maximum(corners[:, 1] - y, y - corners[:, 3]), 0)
        # Words of the same line are nearer than those above and below.
        at = int(np.argmin(aside + 4 * apart))
        if aside[at] > reach or apart[at] > reach:
            return None
        start, end, _ = (int(value) for value in self.boxes.spans[rows][at])
        left, right = float(corners[at, 0]), float(corners[at, 2])
        share = min(max((x - left) / max(right - left, 0.1), 0.0), 1.0)
        # Behind the last letter is where a selection ends that takes the whole word.
        return start + (round if reach else int)(share * (end - start - (0 if reach else 1e-6)))

    def word_at(self, page: int, x: float, y: float) -> tuple[int, int] | None:
        """Start and end of the word at a place."""
        place = self.character_at(page, x, y)
        if place is None:
            return None
        spans = self.boxes.spans[self._of_page(page)]
        for start, end, _ in spans[(spans[:, 0] <= place) & (spans[:, 1] > place)]:
            return int(start), int(end)
        return None

    def page_of(self, place: int) -> int | None:
        """The page of the first word that begins at a character or behind it."""
        import numpy as np

        row = int(np.searchsorted(self.boxes.spans[:, 0], place))
        return int(self.boxes.spans[row, 2]) if row < len(self.boxes.spans) else None

    def left_edge(self, page: int) -> float:
        """Where the words of a page begin; 0 where it has none."""
        corners = self.boxes.corners[self._of_page(page)]
        return float(corners[:, 0].min()) if len(corners) else 0.0

    def _of_page(self, page: int) -> slice:
        """Its rows: pages ascend as the text does."""
        import numpy as np

        numbers: NDArray[np.int32] = self.boxes.spans[:, 2]
        return slice(int(np.searchsorted(numbers, page)), int(np.searchsorted(numbers, page, "right")))


def _goes_on(one: PageBox, next_: PageBox) -> bool:
    height = min(one.bottom - one.top, next_.bottom - next_.top)
    on_same_line = min(one.bottom, next_.bottom) - max(one.top, next_.top) > height / 2
    return one.page == next_.page and on_same_line and -height < next_.left - one.right < HIGHER * height


def _union(one: PageBox, other: PageBox) -> PageBox:
    return PageBox(
        one.page,
        min(one.left, other.left),
        min(one.top, other.top),
        max(one.right, other.right),
        max(one.bottom, other.bottom),
    )
