"""A loop drawn by hand around nodes, and what lies within it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF

from app.graph.canvas.arrays import Floats
from app.graph.canvas.camera import Camera
from app.look import theme as look

_STEP = 2.0  # pixels between two corners that are kept
_TINT = 40  # of 255, how much of the accent lies upon what is within


def within(corners: Floats, points: Floats) -> NDArray[np.bool_]:
    """Which points (n, 2) lie in a closed polygon with these corners (k, 2), by the even-odd rule; (n,).

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
        """Shape (k, 2), data units."""
        return np.array(self._corners, np.float32).reshape(-1, 2)

    def add(self, point: QPointF, camera: Camera) -> None:
        """Lead it on to a pixel."""
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
