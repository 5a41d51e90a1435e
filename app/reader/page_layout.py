"""Where the pages of a document lie below each other, at a zoom; without Qt."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import NamedTuple

GAP, EDGE = 16, 20  # pixels between two pages, and around all of them
A4 = (595.0, 842.0)  # points; of a page whose size cannot be read
MOST_SIDE = 4_000.0  # points: larger pages are shown smaller
ZOOMS = (0.1, 8.0)
WIDEST_FIT = 2.0  # pixels a point: a page that fits a wide view need not be read from across the room


class Place(NamedTuple):
    """Of a page in the pixels of the whole scroll, and how many of them a point of it takes."""

    left: float
    top: float
    width: float
    height: float
    scale: float

    @property
    def bottom(self) -> float:
        return self.top + self.height


@dataclass(frozen=True)
class PageLayout:
    """`sizes` are (width, height) in points, `zoom` is pixels a point, `room` the width of the view in pixels."""

    sizes: Sequence[tuple[float, float]] = ()
    zoom: float = 1.0
    room: float = 0.0

    @cached_property
    def _visible_sizes(self) -> list[tuple[float, float, float]]:
        """Width, height in pixels and the scale, of each page."""
        found = []
        for width, height in self.sizes:
            if width < 1 or height < 1:
                width, height = A4
            scale = self.zoom * min(1.0, MOST_SIDE / max(width, height))
            found.append((max(width * scale, 1.0), max(height * scale, 1.0), scale))
        return found

    @cached_property
    def _tops(self) -> list[float]:
        return list(accumulate((height + GAP for _, height, _ in self._visible_sizes), initial=float(EDGE)))

    @cached_property
    def width(self) -> float:
        """Of all, with the edges."""
        return max((width for width, _, _ in self._visible_sizes), default=0.0) + 2 * EDGE

    @property
    def height(self) -> float:
        return self._tops[-1] - GAP + EDGE if self.sizes else 0.0

    def place(self, number: int) -> Place:
        """Of a page, from 1; pages are in the middle of the room."""
        width, height, scale = self._visible_sizes[number - 1]
        return Place((max(self.room, self.width) - width) / 2, self._tops[number - 1], width, height, scale)

    def page_at(self, y: float) -> int:
        """Return the number of the page at a height, of the nearest one in a gap; 0 where there is none."""

        return min(max(bisect_right(self._tops, y + GAP / 2), 1), len(self.sizes)) if self.sizes else 0

    def between(self, top: float, bottom: float) -> range:
        """Return numbers of the pages that show between two heights."""
        if not self.sizes:
            return range(0)
        first, last = self.page_at(top), self.page_at(bottom)
        return range(first, last + 1)

    def zoom_to(self, width: float, height: float = 0.0, number: int = 1) -> float:
        """The zoom at which the widest page fits a width, or with a height the page `number` fits both."""
        if not self.sizes:
            return self.zoom
        plain = PageLayout(self.sizes)
        if not height:
            return within(min((width - 2 * EDGE) / max(plain.width - 2 * EDGE, 1.0), WIDEST_FIT))
        page = plain.place(number)
        return within(min((width - 2 * EDGE) / page.width, (height - 2 * GAP) / page.height))


def within(zoom: float) -> float:
    return min(max(zoom, ZOOMS[0]), ZOOMS[1])
