"""What a hand means on the canvas: the edge under the pointer, and the nodes within a loop."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF

from app.graph.canvas.arrays import Floats, GraphArrays, Rows
from app.graph.canvas.camera import Camera
from app.look import theme as look

CROWD = 12  # of edges at one place, among which none can be meant
_ROUNDED = 1e-5  # of a coordinate, by which a line of 32 bits may be off
_STEP = 2.0  # pixels between two corners that are kept
_TINT = 40  # of 255, how much of the accent lies upon what is within


@dataclass(frozen=True, slots=True, eq=False)
class _Columns:
    """Of each edge the line that it lies on, (m,) each, and its ends; numpy is many times faster along columns.

    A place is across * x + down * y - off away from the line.
    """

    across: Floats
    down: Floats
    off: Floats
    ends: Floats  # (m, 4): x, y of one end, x, y of the other


class EdgeFinder:
    """Finds edges near a place: first those whose lines pass by it, few, and of these the ones that reach so far.

    The lines of all edges are kept until `forget`.
    """

    def __init__(self, arrays: GraphArrays) -> None:
        self._arrays = arrays
        self._cache: tuple[tuple[int, int], _Columns] | None = None

    def forget(self) -> None:
        """Rebuild on demand: nodes have moved, or the edges changed."""
        self._cache = None

    def near(self, x: float, y: float, reach: float, there: NDArray[np.bool_] | None = None) -> Rows:
        """Return the edges at most `reach` from a place, the nearest first; all in data units.

        `there`: nodes (n,) without which an edge is not seen.
        """
        lines = self._columns()
        away = lines.across * np.float32(x)
        away += lines.down * np.float32(y)
        away -= lines.off
        rows = np.flatnonzero(np.abs(away, out=away) <= 1.1 * reach + _ROUNDED * max(abs(x), abs(y)))
        if there is not None:
            rows = rows[there[self._arrays.edges[rows]].all(axis=1)]
        gaps = distances(lines.ends[rows], x, y)
        order = np.argsort(gaps, kind="stable")
        return rows[order[: int((gaps <= reach).sum())]]

    def _columns(self) -> _Columns:
        arrays = self._arrays
        key = (len(arrays), arrays.edge_count)
        if self._cache is None or self._cache[0] != key:
            ends = arrays.xy[arrays.edges.ravel()].reshape(-1, 4)
            x0, y0, x1, y1 = (np.ascontiguousarray(column) for column in ends.T)
            across, down = y0 - y1, x1 - x0
            length = np.maximum(np.hypot(across, down), np.float32(1e-12))
            across /= length
            down /= length
            self._cache = (key, _Columns(across, down, across * x0 + down * y0, ends))
        return self._cache[1]


def distances(ends: Floats, x: float, y: float) -> NDArray[np.float64]:
    """Return the distances from a place to lines with these ends, (k, 4); (k,)."""
    begin, end = ends[:, :2].astype(np.float64), ends[:, 2:].astype(np.float64)
    along, away = end - begin, np.array([x, y]) - begin
    length = (along**2).sum(axis=1)
    share = np.clip((away * along).sum(axis=1) / np.where(length > 0, length, 1.0), 0.0, 1.0)
    gaps: NDArray[np.float64] = np.hypot(*(away - along * share[:, None]).T)
    return gaps


def points_inside(corners: Floats, points: Floats) -> NDArray[np.bool_]:
    """Return which points (n, 2) lie in a closed polygon (k, 2), by the even-odd rule; (n,).

    Each side is crossed only by points of its height, which are found by bisection: as a side of a loop is short,
    the work grows with n + k and not with their product.
    """
    inside = np.zeros(len(points), np.bool_)
    if len(corners) < 3 or not len(points):
        return inside
    low, high = corners.min(axis=0), corners.max(axis=0)
    near = np.flatnonzero(((points >= low) & (points <= high)).all(axis=1))
    near = near[np.argsort(points[near, 1], kind="stable")]
    x, y = points[near].astype(np.float64).T
    odd = np.zeros(len(near), np.bool_)
    begins = corners.astype(np.float64)
    ends = np.roll(begins, -1, axis=0)
    # A point at the height of a corner belongs to one of the two sides only.
    first = np.searchsorted(y, np.minimum(begins[:, 1], ends[:, 1]), side="left").tolist()
    last = np.searchsorted(y, np.maximum(begins[:, 1], ends[:, 1]), side="left").tolist()
    for (x0, y0), (x1, y1), one, end in zip(begins.tolist(), ends.tolist(), first, last, strict=True):
        if one < end:
            own = slice(one, end)
            odd[own] ^= x[own] < x0 + (y[own] - y0) * ((x1 - x0) / (y1 - y0))
    inside[near] = odd
    return inside


class Lasso:
    """The loop while it is drawn; its corners are kept in data units, so that the view may move meanwhile."""

    def __init__(self) -> None:
        self._corners: list[tuple[float, float]] = []

    def __bool__(self) -> bool:
        return bool(self._corners)

    @property
    def corners(self) -> Floats:
        """Return the corners, shape (k, 2), in data units."""
        return np.array(self._corners, np.float32).reshape(-1, 2)

    def add(self, point: QPointF, camera: Camera) -> None:
        """Extend the loop to a pixel."""
        place = camera.to_data(point.x(), point.y())
        if self._corners:
            (x0, y0), (x1, y1) = self._corners[-1], place
            if max(abs(x1 - x0), abs(y1 - y0)) * camera.scale < _STEP:
                return
        self._corners.append(place)

    def drop(self) -> None:
        self._corners.clear()

    def paint(self, painter: QPainter, camera: Camera) -> None:
        if not self._corners:
            return
        loop = QPolygonF([QPointF(x, y) for x, y in camera.to_screen(self.corners).tolist()])
        fill = QColor(look.current().accent)
        fill.setAlpha(_TINT)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(look.current().accent), 1.5, Qt.PenStyle.DashLine))
        painter.setBrush(fill)
        painter.drawPolygon(loop)
