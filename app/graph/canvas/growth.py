"""New nodes and edges, gathered and put into the arrays in batches. No Qt."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import islice

import numpy as np

from app.graph.canvas.arrays import GraphArrays
from app.graph.canvas.placement import place

_WAITING = 50_000  # edges kept whose ends have not come yet


class PendingGrowth:
    """Collects additions; `apply` places them. Nodes that are known and edges that are drawn are left out."""

    def __init__(self, arrays: GraphArrays) -> None:
        self._arrays = arrays
        self.forget()

    def forget(self) -> None:
        """Another graph: drop what waits."""
        self._nodes: dict[str, tuple[str, int, int | None, tuple[float, float] | None]] = {}
        self._edges: list[tuple[str, str]] = []
        self._known: set[int] | None = None
        self._untried = False
        self._spacing = 0.0

    def __bool__(self) -> bool:
        """Whether nodes wait, or edges that have not been tried."""
        return bool(self._nodes) or self._untried

    def add_nodes(
        self,
        ids: Sequence[str],
        names: Sequence[str],
        communities: Sequence[int] | None,
        degrees: Sequence[int] | None,
        positions: Sequence[tuple[float, float]] | None,
    ) -> None:
        """Wait with these nodes for the next batch."""
        row = self._arrays.row
        for place_in, id in enumerate(ids):
            if id not in row:
                community = int(communities[place_in]) if communities is not None else -1
                degree = int(degrees[place_in]) if degrees is not None else None
                spot = positions[place_in] if positions is not None else None
                self._nodes[id] = (names[place_in], community, degree, spot)

    def add_edges(self, pairs: Sequence[tuple[str, str]]) -> None:
        """Wait with these edges for the next batch, or until both ends are known."""
        self._edges.extend(pairs)
        self._untried = True

    def apply(self, most: int = 150) -> tuple[int, int]:
        """Put at most so many nodes in, and the edges whose ends are there then.

        Returns the first new row and the row after the last one.
        """
        arrays, first = self._arrays, len(self._arrays)
        if len(self._nodes) <= most:
            nodes, self._nodes = self._nodes, {}
        else:
            nodes = {id: self._nodes.pop(id) for id in list(islice(self._nodes, most))}
        fresh = {id: first + place_in for place_in, id in enumerate(nodes)}
        edges = self._rows(fresh)
        names = [node[0] for node in nodes.values()]
        communities = np.array([node[1] for node in nodes.values()], np.int32)
        degrees = np.array([node[2] or 0 for node in nodes.values()], np.int32)
        xy = place(arrays.xy, len(nodes), edges, self.spacing())
        for place_in, node in enumerate(nodes.values()):
            if node[3] is not None:
                xy[place_in] = node[3]
        arrays.append_nodes(list(nodes), names, communities, degrees, xy)
        has_degrees = any(node[2] is not None for node in nodes.values())
        arrays.append_edges(edges, count_degrees=not has_degrees)
        return first, len(arrays)

    def spacing(self) -> float:
        """A good distance between neighbours: that of a square grid over the inner bulk of the nodes.

        Kept while the graph grows: measured again, the rim would feed upon itself.
        """
        if self._spacing == 0.0:
            xy, self._spacing = self._arrays.xy, 1.0
            if len(xy) > 8:
                low, high = np.percentile(xy, [10, 90], axis=0)
                self._spacing = max(math.sqrt(float(np.prod(high - low)) / (0.64 * len(xy))), 1e-3)
        return self._spacing

    def _rows(self, fresh: dict[str, int]) -> np.ndarray[tuple[int, int], np.dtype[np.int32]]:
        """The waiting edges whose ends are known as rows, shape (k, 2), each once, without loops."""
        row = self._arrays.row
        if self._known is None:
            low, high = np.sort(self._arrays.edges.astype(np.int64), axis=1).T
            self._known = set((low << 32 | high).tolist())
        pairs: list[tuple[int, int]] = []
        later: list[tuple[str, str]] = []
        for source, target in self._edges:
            a = row.get(source, fresh.get(source, -1))
            b = row.get(target, fresh.get(target, -1))
            if a < 0 or b < 0:
                later.append((source, target))
                continue
            key = min(a, b) << 32 | max(a, b)
            if a != b and key not in self._known:
                self._known.add(key)
                pairs.append((a, b))
        self._edges, self._untried = later[-_WAITING:], False
        return np.array(pairs, np.int32).reshape(-1, 2)
