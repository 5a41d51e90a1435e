"""New nodes and edges: put in by batches, each node beside its neighbours in the free direction. No Qt."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from app.graph.canvas.arrays import Floats, GraphArrays

_GOLDEN = 2.399963229728653  # golden angle, radians
_ANGLES = np.linspace(0.0, 2 * np.pi, 8, endpoint=False)
_TURN = np.stack([np.cos(_ANGLES), np.sin(_ANGLES)])
# Three rings of eight places, as columns x and y; the outer ones are worth less.
_RINGS = np.concatenate([_TURN, 1.9 * _TURN, 3.0 * _TURN], axis=1)
_WORTH = np.repeat([1.0, 0.55, 0.3], 8)
_WAITING = 50_000  # edges kept whose ends have not come yet


def place(placed: Floats, fresh: int, edges: NDArray[np.int32], spacing: float) -> Floats:
    """Return positions (fresh, 2) for `fresh` new nodes beside `placed` (n, 2), which stay.

    `edges` holds pairs of rows where row n is the first new node; `spacing` is the wanted distance.
    A node takes the emptiest of 24 places around the centre of its placed neighbours; a node
    without any goes to the rim, on a spiral. Order matters: earlier new nodes may carry later ones.
    """
    base = len(placed)
    plane = _Plane(placed, fresh, spacing)
    partners: dict[int, list[int]] = {}
    for a, b in edges.tolist():
        if a >= base:
            partners.setdefault(a, []).append(b)
        if b >= base:
            partners.setdefault(b, []).append(a)
    new = range(base, base + fresh)
    ready = deque(row for row in new if any(other < base for other in partners.get(row, ())))
    for row in (None, *new):
        # First all that touch what is placed, and on from them; then the others, from the rim.
        if row is not None and not plane.done[row]:
            plane.put_on_rim(row)
            ready.extend(partners.get(row, ()))
        while ready:
            one = ready.popleft()
            if not plane.done[one]:
                plane.put_near(one, [other for other in partners[one] if plane.done[other]])
                ready.extend(other for other in partners[one] if not plane.done[other])
    return np.stack([plane.x[base:], plane.y[base:]], axis=1)


class _Plane:
    """Taken places, as columns: comparing whole columns is many times faster than rows of two."""

    def __init__(self, placed: Floats, fresh: int, spacing: float) -> None:
        base = len(placed)
        self.spacing = spacing
        far = np.full(fresh, np.inf, np.float32)  # not placed yet: near nothing
        self.x = np.concatenate([placed[:, 0], far])
        self.y = np.concatenate([placed[:, 1], far])
        self.done = np.arange(base + fresh) < base
        self.centre = (float(self.x[:base].mean()), float(self.y[:base].mean())) if base else (0.0, 0.0)

    def put_on_rim(self, row: int) -> None:
        """Put a node on the sunflower spiral that holds `row` nodes at this spacing."""
        radius, angle = self.spacing * 1.1 * math.sqrt(row), row * _GOLDEN
        self._put(row, self.centre[0] + radius * math.cos(angle), self.centre[1] + radius * math.sin(angle))

    def put_near(self, row: int, near: list[int]) -> None:
        """Put a node at the emptiest place around the middle of `near`."""
        x, y = float(self.x[near].mean()), float(self.y[near].mean())
        angle = row * _GOLDEN  # turned a little for every node, so that no grid shows
        places_x = x + self.spacing * (_RINGS[0] * math.cos(angle) - _RINGS[1] * math.sin(angle))
        places_y = y + self.spacing * (_RINGS[0] * math.sin(angle) + _RINGS[1] * math.cos(angle))
        reach = 4.0 * self.spacing
        around = np.flatnonzero((np.abs(self.x - x) < reach) & (np.abs(self.y - y) < reach))[:400]
        if len(around):
            gaps = np.square(places_x[:, None] - self.x[around])
            gaps += np.square(places_y[:, None] - self.y[around])
            # Being near the neighbours counts as well as being free.
            best = int(np.argmax(np.minimum(gaps.min(axis=1), self.spacing**2) * _WORTH))
        else:
            best = 0
        self._put(row, float(places_x[best]), float(places_y[best]))

    def _put(self, row: int, x: float, y: float) -> None:
        self.x[row], self.y[row], self.done[row] = x, y, True


class PendingGrowth:
    """Collects additions; `apply` places them. Nodes that are known and edges that are drawn are left out."""

    def __init__(self, arrays: GraphArrays) -> None:
        self._arrays = arrays
        self.forget()

    def forget(self) -> None:
        """Drop what waits, for another graph."""
        self._nodes: dict[str, tuple[str, int, int | None, tuple[float, float] | None]] = {}
        self._edges: list[tuple[str, str]] = []
        self._known: set[int] | None = None
        self._untried = False
        self._spacing = 0.0

    def __bool__(self) -> bool:
        """Return whether nodes wait, or edges that have not been tried."""
        return bool(self._nodes) or self._untried

    def add_nodes(
        self,
        ids: Sequence[str],
        names: Sequence[str],
        communities: Sequence[int] | None,
        degrees: Sequence[int] | None,
        positions: Sequence[tuple[float, float]] | None,
    ) -> None:
        """Queue these nodes for the next batch."""
        row = self._arrays.row
        for place_in, id in enumerate(ids):
            if id not in row:
                community = int(communities[place_in]) if communities is not None else -1
                degree = int(degrees[place_in]) if degrees is not None else None
                spot = positions[place_in] if positions is not None else None
                self._nodes[id] = (names[place_in], community, degree, spot)

    def add_edges(self, pairs: Sequence[tuple[str, str]]) -> None:
        """Queue these edges for the next batch, or until both ends are known."""
        self._edges.extend(pairs)
        self._untried = True

    def apply(self, most: int = 150) -> tuple[int, int]:
        """Add at most so many nodes, and the edges whose ends are there then.

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
        """Return a good distance of neighbours: that of a square grid over the inner bulk of the nodes.

        Kept while the graph grows: measured again, the rim would feed upon itself.
        """
        if self._spacing == 0.0:
            xy, self._spacing = self._arrays.xy, 1.0
            if len(xy) > 8:
                low, high = np.percentile(xy, [10, 90], axis=0)
                self._spacing = max(math.sqrt(float(np.prod(high - low)) / (0.64 * len(xy))), 1e-3)
        return self._spacing

    def _rows(self, fresh: dict[str, int]) -> np.ndarray[tuple[int, int], np.dtype[np.int32]]:
        """Return the waiting edges with known ends as rows, shape (k, 2), each once, without loops."""
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
