"""The picture of all edges, drawn once per view in slices of a few milliseconds and then stamped.

Lines dominate the cost of a frame (about 2 microseconds each), so they live in a pixmap. While the
view moves the last picture is shown moved and scaled; a new one is drawn beside it and put in its
place when it is complete, so that nothing flickers. New edges are drawn onto the finished picture.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from pyqtgraph.Qt import internals
from PySide6.QtCore import QLineF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPixmap

from app.graph.canvas.arrays import Floats, GraphArrays, Ints, Rows
from app.graph.canvas.camera import Camera
from app.look.colors import mixed
from app.look.theme import Theme

_SLICE = 1000  # lines between two looks at the clock
_WIDEST = 7  # width classes above that of a single edge
_FEW = 80  # gathered edges among which none has to step back
Segments = NDArray[np.float32]


@dataclass(slots=True)
class _Picture:
    """Edges up to number `upto` as seen by `camera`."""

    camera: Camera
    pixmap: QPixmap
    upto: int
    segments: Segments  # (k, 4) still to draw from `done` on, sorted by style
    styles: NDArray[np.int16]
    done: int = 0
    thinned: bool = False

    @property
    def complete(self) -> bool:
        return self.done >= len(self.segments)


def width_classes(facts: Ints) -> Ints:
    """0 for a single edge, one more each time that an edge stands for twice as many; at most 7."""
    return np.minimum(np.log2(np.maximum(facts, 1)), _WIDEST).astype(np.int32)


def edge_width(width_class: int) -> float:
    """Pixels."""
    return 1.0 + 0.75 * width_class


class LineBuffer:
    """Draws many lines in one call, without a Python object for each."""

    def __init__(self) -> None:
        self._lines = internals.PrimitiveArray(QLineF, 4)

    def draw(self, painter: QPainter, segments: Segments) -> None:
        """Segments have shape (k, 4): x1, y1, x2, y2 in pixels."""
        if len(segments):
            self._lines.resize(len(segments))
            self._lines.ndarray()[:] = segments
            painter.drawLines(*self._lines.drawargs())


def segments_of(screen: Floats, pairs: Ints) -> Segments:
    """Line coordinates, shape (k, 4), of pairs of rows."""
    return np.concatenate([screen[pairs[:, 0]], screen[pairs[:, 1]]], axis=1)


class EdgeLayer:
    """Keeps the picture of the edges in step with arrays and camera."""

    def __init__(self, arrays: GraphArrays, theme: Theme) -> None:
        self._arrays, self._theme = arrays, theme
        self._front: _Picture | None = None
        self._back: _Picture | None = None
        self._lines = LineBuffer()
        self._dpr = 1.0

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.invalidate()

    def invalidate(self) -> None:
        """Positions, colours or filters changed: nothing drawn so far is right."""
        self._front = self._back = None

    def stale(self, camera: Camera) -> bool:
        """Whether the shown picture is not the final one of this camera."""
        front = self._front
        return (
            front is None or front.thinned or front.camera != camera or front.upto < self._arrays.edge_count
        )

    def advance(self, camera: Camera, budget: float, most: int = 0, dpr: float = 1.0) -> bool:
        """Draw on for about `budget` seconds; True when the picture of this camera is complete.

        `most` thins to that many edges (0: all); a thinned picture counts as complete but stale.
        """
        end = time.perf_counter() + budget
        if dpr != self._dpr:
            self._dpr = dpr
            self.invalidate()
        front = self._front
        if front is not None and front.camera == camera and (most or not front.thinned):
            self._append(front)
            return True
        if self._back is None or (self._back.camera != camera and not most):
            self._back = self._begin(camera, most)
        back = self._back
        self._draw(back, end)
        if not back.complete:
            return False
        self._front, self._back = back, None
        self._append(back)
        return back.camera == camera

    def paint(self, painter: QPainter, camera: Camera, opacity: float) -> None:
        """Stamp the picture, moved and scaled when it was drawn for another camera."""
        front = self._front
        if front is None:
            return
        painter.setOpacity(opacity)
        if front.camera == camera:
            painter.drawPixmap(0, 0, front.pixmap)
        else:
            old = front.camera
            ratio = camera.scale / old.scale
            left = (old.left - camera.left) * camera.scale
            top = (camera.top - old.top) * camera.scale
            target = QRectF(left, top, old.width * ratio, old.height * ratio)
            painter.drawPixmap(target, front.pixmap, QRectF(front.pixmap.rect()))
        painter.setOpacity(1.0)

    def _begin(self, camera: Camera, most: int) -> _Picture:
        pixmap = QPixmap(int(camera.width * self._dpr), int(camera.height * self._dpr))
        pixmap.setDevicePixelRatio(self._dpr)
        pixmap.fill(Qt.GlobalColor.transparent)
        numbers = np.arange(self._arrays.edge_count)
        thinned = 0 < most < len(numbers)
        if thinned:
            numbers = numbers[:: len(numbers) // most + 1]
        segments, styles = self._visible(camera, numbers)
        return _Picture(camera, pixmap, self._arrays.edge_count, segments, styles, thinned=thinned)

    def _visible(self, camera: Camera, numbers: Rows) -> tuple[Segments, NDArray[np.int16]]:
        """Segments that touch the view, sorted by style: those between communities first."""
        arrays = self._arrays
        pairs = arrays.edges[numbers]
        screen = camera.to_screen(arrays.xy)
        # Columns, not rows of two: numpy is many times faster along the long axis.
        first, second = pairs[:, 0], pairs[:, 1]
        seen = np.ones(len(pairs), np.bool_)
        for axis, size in ((0, camera.width), (1, camera.height)):
            place = np.ascontiguousarray(screen[:, axis])
            a, b = place[first], place[second]
            seen &= (np.maximum(a, b) >= 0) & (np.minimum(a, b) <= size)
        pairs = pairs[seen]
        one, other = arrays.community[pairs[:, 0]], arrays.community[pairs[:, 1]]
        same = (one == other) & (one >= 0)
        colors = np.where(same, one % len(self._theme.communities), -1)
        # Below zero in steps of 16: the widest are drawn first, so that the fine ones stay legible.
        styles = (colors - 16 * width_classes(arrays.facts[numbers[seen]])).astype(np.int16)
        order = np.argsort(styles, kind="stable")
        return segments_of(screen, pairs[order]), styles[order]

    def _draw(self, picture: _Picture, end: float) -> None:
        painter = QPainter(picture.pixmap)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        while not picture.complete:
            start = picture.done
            style = int(picture.styles[start])
            stop = min(start + _SLICE, int(np.searchsorted(picture.styles, style, side="right")))
            painter.setPen(self._pen(style))
            self._lines.draw(painter, picture.segments[start:stop])
            picture.done = stop
            if time.perf_counter() > end:
                break
        painter.end()

    def _append(self, picture: _Picture) -> None:
        """Draw the edges that came since the picture was begun."""
        if picture.upto >= self._arrays.edge_count or picture.thinned:
            return
        numbers = np.arange(picture.upto, self._arrays.edge_count)
        picture.segments, picture.styles = self._visible(picture.camera, numbers)
        picture.done, picture.upto = 0, self._arrays.edge_count
        self._draw(picture, float("inf"))

    def _pen(self, style: int) -> QPen:
        theme, width = self._theme, -((style + 1) // 16)
        style += 16 * width
        crowd = self._arrays.edge_count
        share = 0.5 if crowd < 2500 else 0.38 if crowd < 20000 else 0.3
        color = QColor(theme.edge) if style < 0 else mixed(theme.communities[style], theme.canvas, share)
        if self._arrays.grouped:
            # Among many lines the single facts step back, so that the strong ties are seen.
            floor = min(max(_FEW / max(crowd, 1), 0.2), 0.8)
            color = mixed(color.name(), theme.canvas, floor + (1 - floor) * min(width / 5, 1.0))
        pen = QPen(color, edge_width(width))
        pen.setCapStyle(Qt.PenCapStyle.FlatCap)
        pen.setCosmetic(True)
        return pen
