"""Where new nodes go while the graph grows: next to their neighbours, in the free direction. No Qt."""

from __future__ import annotations

import math
from collections import deque

import numpy as np
from numpy.typing import NDArray

from app.graph.canvas.arrays import Floats

_GOLDEN = 2.399963229728653  # golden angle, radians
_ANGLES = np.linspace(0.0, 2 * np.pi, 8, endpoint=False)
_TURN = np.stack([np.cos(_ANGLES), np.sin(_ANGLES)])
# Three rings of eight places, as columns x and y; the outer ones are worth less.
_RINGS = np.concatenate([_TURN, 1.9 * _TURN, 3.0 * _TURN], axis=1)
_WORTH = np.repeat([1.0, 0.55, 0.3], 8)


def place(placed: Floats, fresh: int, edges: NDArray[np.int32], spacing: float) -> Floats:
    """Positions for `fresh` new nodes, shape (fresh, 2), beside `placed`, shape (n, 2), which stay.

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
                plane.put_beside(one, [other for other in partners[one] if plane.done[other]])
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
        """A place on the sunflower spiral that holds `row` nodes at this spacing."""
        radius, angle = self.spacing * 1.1 * math.sqrt(row), row * _GOLDEN
        self._put(row, self.centre[0] + radius * math.cos(angle), self.centre[1] + radius * math.sin(angle))

    def put_beside(self, row: int, near: list[int]) -> None:
        """The emptiest of places around the middle of `near`."""
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
