"""Where the view looks: data units (y up) as pixels (y down), and the room for a graph clear of legends."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRect

from app.graph.canvas.arrays import Floats

MARGIN = 64  # pixels between the outermost nodes and the border, a sixth of a small canvas at most
_GAP = 20  # pixels between the outermost nodes and a legend beside them
_LEAST = 40.0  # pixels of a room, where there is hardly any
_WORTH = 0.55  # a graph shown this much smaller is worse than one with a few nodes covered
_ALONE = 80.0  # scale of a single node
Bounds = tuple[float, float, float, float]  # left, bottom, right, top in data units, y up


@dataclass(frozen=True, slots=True)
class Camera:
    """`left` and `top` are the data coordinates of the upper left pixel; `scale` is pixels per data unit."""

    left: float
    top: float
    scale: float
    width: int  # pixels
    height: int

    def to_screen(self, xy: Floats) -> Floats:
        """Return the pixels of data points; both of shape (n, 2)."""
        factor = np.array([self.scale, -self.scale], np.float32)
        return (xy - np.array([self.left, self.top], np.float32)) * factor

    def inside(self, screen: Floats, reach: Floats | float = 0.0) -> NDArray[np.bool_]:
        """Return which pixels (n, 2) lie in the view, or at most `reach` (n,) from it; (n,)."""
        x, y = screen[:, 0], screen[:, 1]
        found: NDArray[np.bool_] = (
            (x > -reach) & (y > -reach) & (x < self.width + reach) & (y < self.height + reach)
        )
        return found

    def to_data(self, x: float, y: float) -> tuple[float, float]:
        """Return the data point under a pixel."""
        return self.left + x / self.scale, self.top - y / self.scale


class Room(NamedTuple):
    """Part of the canvas in pixels, y down."""

    left: float
    top: float
    right: float
    bottom: float

    def scale(self, bounds: Bounds) -> float:
        """Return the pixels per data unit at which a rectangle just fits."""
        left, bottom, right, top = bounds
        if right - left < 1e-6 and top - bottom < 1e-6:
            return _ALONE
        across, up = max(self.right - self.left, _LEAST), max(self.bottom - self.top, _LEAST)
        return min(across / max(right - left, 1e-6), up / max(top - bottom, 1e-6))


def canvas_room(width: float, height: float) -> Room:
    """Return the canvas without its margin."""
    across, up = min(MARGIN, width / 6), min(MARGIN, height / 6)
    return Room(across, up, width - across, height - up)


def clear_room(
    places: Floats, radii: Floats, bounds: Bounds, size: tuple[float, float], covered: Sequence[QRect]
) -> Room:
    """Return the room that shows these bounds largest with no place (n, 2) covered, or else the fewest.

    `radii` (n,) of the places in data units, 0 for those drawn as small marks.
    """
    rooms = sorted(_rooms(*size, covered), key=lambda room: -room.scale(bounds))
    fewest, best = len(places) + 1, rooms[0]
    for room in rooms:
        if room.scale(bounds) < _WORTH * rooms[0].scale(bounds):
            break
        hidden = _hidden(places, radii, bounds, room, covered)
        if hidden < fewest:
            fewest, best = hidden, room
        if not hidden:
            break
    return best


def _rooms(width: float, height: float, covered: Sequence[QRect]) -> list[Room]:
    """Return the full canvas, and what each covered part leaves of it beside, above and below."""
    canvas = canvas_room(width, height)
    lefts, tops, rights, bottoms = ({edge} for edge in canvas)
    for part in covered:
        middle = part.center()
        if middle.x() < width / 2:
            lefts.add(max(part.right() + _GAP, canvas.left))
        else:
            rights.add(min(part.left() - _GAP, canvas.right))
        if middle.y() < height / 2:
            tops.add(max(part.bottom() + _GAP, canvas.top))
        else:
            bottoms.add(min(part.top() - _GAP, canvas.bottom))
    found = [Room(*edges) for edges in product(lefts, tops, rights, bottoms)]
    return [room for room in found if room.right - room.left >= _LEAST <= room.bottom - room.top] or [canvas]


def _hidden(places: Floats, radii: Floats, bounds: Bounds, room: Room, covered: Sequence[QRect]) -> int:
    """Return how many places a covered part hides when the bounds are centred in a room."""
    left, bottom, right, top = bounds
    scale = room.scale(bounds)
    x = (places[:, 0] - (left + right) / 2) * scale + (room.left + room.right) / 2
    y = ((bottom + top) / 2 - places[:, 1]) * scale + (room.top + room.bottom) / 2
    wide = np.maximum(radii * scale, 4.0)
    hidden = np.zeros(len(places), np.bool_)
    for part in covered:
        hidden |= (
            (x > part.left() - wide)
            & (x < part.right() + wide)
            & (y > part.top() - wide)
            & (y < part.bottom() + wide)
        )
    return int(hidden.sum())
