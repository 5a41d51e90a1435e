"""Edges that follow from others, each kind with a line of its own and an arrow: in dashes to what came later, whole to
what stands above, dotted to what is cited."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF

from app.graph.canvas.arrays import Floats, Ints
from app.graph.canvas.content import LineBuffer
from app.look import theme as look
from app.look.colors import mixed

# By rows of EDGE_KINDS.
LINES = (Qt.PenStyle.DashLine, Qt.PenStyle.SolidLine, Qt.PenStyle.DotLine)
_ARROWED, _DASHED = 1_500, 6_000  # edges in view: of more nobody tells one arrow, or dash, from another
_LONG, _WING, _WIDTH = 8.0, 3.5, 1.4  # pixels
_SHARE = 0.62  # of the colour of texts


@dataclass(frozen=True, slots=True, eq=False)
class Seen:
    """What is seen of them: lines (k, 4) in pixels, from rim to rim, and their kinds (k,)."""

    lines: NDArray[np.float32]
    kinds: NDArray[np.int8]

    def heads(self) -> NDArray[np.float32]:
        """Corners of the arrows at the ends, (k, 3, 2); none where they are too many."""
        if len(self.lines) > _ARROWED:
            return np.zeros((0, 3, 2), np.float32)
        tail, tip = self.lines[:, :2], self.lines[:, 2:]
        way = tip - tail
        along = way / np.maximum(np.hypot(*way.T), 1e-6)[:, None]
        across = np.stack([-along[:, 1], along[:, 0]], axis=1) * _WING
        back = tip - along * _LONG
        return np.stack([tip, back + across, back - across], axis=1).astype(np.float32)


def seen(
    pairs: Ints, kinds: NDArray[np.int8], screen: Floats, radii: Floats, width: int, height: int
) -> Seen:
    """Of edges `pairs` (m, 2) with `kinds` (m,), -1: facts, those that follow from others and touch the view."""
    rows = np.flatnonzero(kinds >= 0)
    one, other = pairs[rows].T
    tail, tip = screen[one], screen[other]
    touching = np.ones(len(rows), np.bool_)
    for axis, size in ((0, width), (1, height)):
        low, high = np.minimum(tail[:, axis], tip[:, axis]), np.maximum(tail[:, axis], tip[:, axis])
        touching &= (high >= 0) & (low <= size)
    way = tip - tail
    length = np.hypot(*way.T)
    room = length > radii[one] + radii[other] + _LONG
    visible = touching & room
    along = way[visible] / length[visible, None]
    begin = tail[visible] + along * radii[one[visible], None]
    end = tip[visible] - along * (radii[other[visible], None] + 1.5)
    return Seen(np.concatenate([begin, end], axis=1).astype(np.float32), kinds[rows][visible])


def line_pen(kind: int) -> QPen:
    """How edges of a kind, a row of EDGE_KINDS, are drawn."""
    pen = QPen(colour(), _WIDTH, LINES[kind])
    pen.setCapStyle(Qt.PenCapStyle.FlatCap)
    return pen


def colour() -> QColor:
    theme = look.current()
    return mixed(theme.text, theme.canvas, _SHARE)


def paint(painter: QPainter, found: Seen, opacity: float, buffer: LineBuffer) -> None:
    """The lines with their arrows, below the nodes."""
    if not len(found.lines):
        return
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setOpacity(opacity)
    for kind in range(len(LINES)):
        pen = line_pen(kind)
        if len(found.lines) > _DASHED:
            pen.setStyle(Qt.PenStyle.SolidLine)
        painter.setPen(pen)
        buffer.draw(painter, found.lines[found.kinds == kind])
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(colour())
    for corners in found.heads().tolist():
        painter.drawPolygon(QPolygonF([QPointF(*corner) for corner in corners]))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setOpacity(1.0)
