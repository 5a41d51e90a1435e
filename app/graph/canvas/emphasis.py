"""What of the graph stands out, and how far the rest steps back. No Qt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from app.graph.canvas.arrays import Floats, GraphArrays, Ints, Rows

FADED = 0.15  # opacity of what is not hot, lit or highlighted
SOFT = 0.40  # opacity around a hovered node
MOST_LINKS = 4_000  # lines of a preview
_HEAT_SPAN = 500.0  # the coldest heat that still counts is this many times below the hottest


def heat_levels(values: Floats) -> tuple[Floats, float, float]:
    """Return heat in 0..1 on a logarithmic scale, shape (n,), and the values at both ends.

    Values below the 500th part of the largest (and zeros) come out as NaN: not hot.
    """
    high = float(values.max(initial=0.0))
    if high <= 0.0:
        return np.full(len(values), np.nan, np.float32), 0.0, 0.0
    hot = values >= high / _HEAT_SPAN
    low = float(values[hot].min())
    span = np.log(high / low)
    levels = np.full(len(values), np.nan, np.float32)
    levels[hot] = np.log(values[hot] / low) / span if span > 0 else 1.0
    return levels, low, high


@dataclass(frozen=True, slots=True, eq=False)
class TimePreview:
    """What of the drawn graph lies in a range of dates; nothing else is drawn."""

    visible: NDArray[np.bool_]  # (n,)
    links: Ints  # (k, 2) rows of nodes that are there

    def drawn_links(self) -> Ints:
        """Return the links to draw, thinned where there are many."""
        return self.links[:: len(self.links) // (MOST_LINKS + 1) + 1]


class Emphasis:
    """Selected, hovered, hot, lit on a path, highlighted: rows of the arrays it was made with."""

    def __init__(self, arrays: GraphArrays) -> None:
        self._arrays = arrays
        self.clear()

    def clear(self) -> None:
        """Remove all emphasis."""
        self.selected = -1
        self.hovered = -1
        self.heat: Floats | None = None  # 0..1 or NaN, shape (n,)
        self.heat_ends = (0.0, 0.0)
        self._values: dict[str, float] = {}
        self.path: Rows = np.zeros(0, np.intp)
        self.highlighted: Rows = np.zeros(0, np.intp)
        self.chosen: Rows = np.zeros(0, np.intp)  # a set beside what is selected
        self.edge = -1  # number of the edge under the pointer
        self.edge_selected = -1  # of the one whose fact is selected
        self.preview: TimePreview | None = None

    @property
    def visible(self) -> NDArray[np.bool_] | None:
        """Return which nodes are drawn at all, (n,); None: all. Nodes newer than the preview are."""
        preview = self.preview
        return preview.visible if preview is not None and len(preview.visible) == len(self._arrays) else None

    def set_heat(self, values: Mapping[str, float]) -> None:
        """Set the heat by id; ids that are not drawn are left out."""
        self._values = dict(values)
        self.renew_heat()

    def renew_heat(self) -> None:
        """Spread the heat over the rows again, after nodes came."""
        if not self._values:
            self.heat = None
            return
        row = np.zeros(len(self._arrays), np.float32)
        for id, value in self._values.items():
            if (place := self._arrays.row.get(id)) is not None:
                row[place] = value
        levels, low, high = heat_levels(row)
        self.heat_ends = (low, high)
        self.heat = levels if high > 0 else None

    def value_of(self, id: str) -> float | None:
        """Return the heat of a node as it was set, or None."""
        return self._values.get(id)

    def set_path(self, ids: Sequence[str]) -> None:
        """Highlight the nodes in this order and the edges between them."""
        self.path = self._arrays.rows_of(ids)

    def focus(self) -> tuple[NDArray[np.bool_] | None, float]:
        """Return the nodes in front, (n,), and the others' opacity; None where nothing stands out."""
        count = len(self._arrays)
        front = np.zeros(count, np.bool_)
        rest = 1.0
        if self.heat is not None:
            front[: len(self.heat)] |= ~np.isnan(self.heat)
            rest = FADED
        if len(self.path):
            front[self.path] = True
            rest = FADED
        if len(self.highlighted):
            front[self.highlighted] = True
            rest = FADED
        if len(self.chosen):
            front[self.chosen] = True
            rest = min(rest, SOFT)
        centre = self.hovered if self.hovered >= 0 else self.selected
        if centre >= 0:
            front[centre] = True
            if rest == 1.0 or len(self.chosen):
                front[self._arrays.neighbours(centre)] = True
                rest = SOFT
        return (front, rest) if rest < 1.0 else (None, 1.0)

    def lit_edges(self) -> Rows:
        """Return the edge numbers at the hovered and the selected node."""
        rows = {row for row in (self.hovered, self.selected) if row >= 0}
        parts = [self._arrays.incident(row) for row in rows]
        if not parts or self.preview is not None:  # its links are drawn instead
            return np.zeros(0, np.intp)
        return np.unique(np.concatenate(parts)).astype(np.intp)

    def focus_edges(self, front: NDArray[np.bool_]) -> Rows:
        """Return the edges that stay visible in front: between hot or highlighted nodes."""
        if self.preview is not None or (self.heat is None and not len(self.highlighted)):
            return np.zeros(0, np.intp)
        return self._arrays.edges_within(front)

    def path_pairs(self) -> Ints:
        """Return consecutive rows of the path, shape (k - 1, 2)."""
        return np.stack([self.path[:-1], self.path[1:]], axis=1).astype(np.int32)
