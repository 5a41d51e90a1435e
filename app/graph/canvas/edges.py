"""The picture of all edges, drawn once per view and then stamped.

Lines dominate the cost of a frame (about 2 microseconds each), so they live in a picture, and where they are
many another thread draws it. Meanwhile the last one is shown, moved and scaled with the view; the new one is put
in its place when it is complete, so that nothing flickers. New edges are drawn onto the finished picture.
"""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from pyqtgraph.Qt import internals
from PySide6.QtCore import QLineF, QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPen

from app.graph.canvas.arrays import Floats, GraphArrays, Ints
from app.graph.canvas.camera import Camera
from app.look.colors import mixed
from app.look.theme import Theme

HERE = 2500  # lines that are drawn at once on the window's thread
_SLICE = 250  # lines in one call, which lets no other thread go on
_WIDEST = 7  # width classes above that of a single edge
_FEW = 80  # gathered edges among which none has to step back
_painter = ThreadPoolExecutor(1, thread_name_prefix="clew-edges")
Segments = NDArray[np.float32]


@dataclass(slots=True)
class _Picture:
    """Edges up to number `upto` as seen by `camera`."""

    camera: Camera
    image: QImage
    upto: int
    thinned: bool
    right: bool = True  # False: of an earlier state of the graph
    drawing: Future[None] | None = None  # on the other thread

    @property
    def complete(self) -> bool:
        return self.drawing is None or self.drawing.done()


@dataclass(frozen=True, slots=True)
class _Lines:
    """What is drawn, kept from what the graph becomes meanwhile. Rows of pairs and facts correspond."""

    xy: Floats
    community: Ints
    pairs: Ints
    facts: Ints
    crowd: int
    grouped: bool
    theme: Theme

    def draw(self, image: QImage, camera: Camera) -> None:
        """On any thread."""
        segments, styles = self._visible(camera)
        painter, lines = QPainter(image), LineBuffer()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        done = 0
        while done < len(segments):
            style = int(styles[done])
            stop = int(np.searchsorted(styles, style, side="right"))
            painter.setPen(self._pen(style))
            for first in range(done, stop, _SLICE):
                lines.draw(painter, segments[first : min(first + _SLICE, stop)])
            done = stop
        painter.end()

    def _visible(self, camera: Camera) -> tuple[Segments, NDArray[np.int16]]:
        """Segments that touch the view, sorted by style: those between communities first."""
        pairs, screen = self.pairs, camera.to_screen(self.xy)
        # Columns, not rows of two: numpy is many times faster along the long axis.
        first, second = pairs[:, 0], pairs[:, 1]
        seen = np.ones(len(pairs), np.bool_)
        for axis, size in ((0, camera.width), (1, camera.height)):
            place = np.ascontiguousarray(screen[:, axis])
            a, b = place[first], place[second]
            seen &= (np.maximum(a, b) >= 0) & (np.minimum(a, b) <= size)
        pairs = pairs[seen]
        one, other = self.community[pairs[:, 0]], self.community[pairs[:, 1]]
        same = (one == other) & (one >= 0)
        colors = np.where(same, one % len(self.theme.communities), -1)
        # Below zero in steps of 16: the widest are drawn first, so that the fine ones stay legible.
        styles = (colors - 16 * width_classes(self.facts[seen])).astype(np.int16)
        order = np.argsort(styles, kind="stable")
        return segments_of(screen, pairs[order]), styles[order]

    def _pen(self, style: int) -> QPen:
        theme, crowd, width = self.theme, self.crowd, -((style + 1) // 16)
        style += 16 * width
        share = 0.5 if crowd < 2500 else 0.38 if crowd < 20000 else 0.3
        color = QColor(theme.edge) if style < 0 else mixed(theme.communities[style], theme.canvas, share)
        if self.grouped:
            # Among many lines the single facts step back, so that the strong ties are seen.
            floor = min(max(_FEW / max(crowd, 1), 0.2), 0.8)
            color = mixed(color.name(), theme.canvas, floor + (1 - floor) * min(width / 5, 1.0))
        pen = QPen(color, edge_width(width))
        pen.setCapStyle(Qt.PenCapStyle.FlatCap)
        pen.setCosmetic(True)
        return pen


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
        self._dpr = 1.0

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.invalidate()

    def invalidate(self, keep: bool = False) -> None:
        """Positions, colours or filters changed; with `keep` what was drawn is shown until that is drawn anew."""
        if self._front is not None:
            self._front.right = False
        self._front = self._front if keep else None
        self._drop_back()

    def _drop_back(self) -> None:
        if self._back is not None and self._back.drawing is not None:
            self._back.drawing.cancel()
        self._back = None

    def stale(self, camera: Camera) -> bool:
        """Whether the shown picture is not the final one of this camera."""
        front = self._front
        return front is None or front.thinned or not self._fits(front, camera) or self._behind(front)

    @property
    def outdated(self) -> bool:
        """Whether the shown picture is kept from an earlier state of the graph."""
        return self._front is not None and not self._front.right

    def waiting(self, camera: Camera) -> bool:
        """Whether another thread still draws the final picture of this camera: a frame now would show nothing new."""
        back = self._back
        return back is not None and back.camera == camera and not back.complete

    def _fits(self, picture: _Picture, camera: Camera) -> bool:
        return picture.right and picture.camera == camera

    def _behind(self, picture: _Picture) -> bool:
        return picture.upto < self._arrays.edge_count

    def advance(self, camera: Camera, most: int = 0, dpr: float = 1.0, wait: bool = False) -> bool:
        """Draw, or go on; True when the picture of this camera is complete, as it is after a `wait`.

        `most` thins to that many edges (0: all); a thinned picture counts as complete but stale.
        """
        if dpr != self._dpr:
            self._dpr = dpr
            self.invalidate()
        front = self._front
        if front is not None and self._fits(front, camera) and (most or not front.thinned):
            self._append(front)
            return True
        if self._back is not None and self._back.camera != camera and not most:
            self._drop_back()
        if self._back is None:
            self._back = self._begin(camera, most)
        back = self._back
        if wait and back.drawing is not None:
            back.drawing.result()
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
            painter.drawImage(0, 0, front.image)
        else:
            old = front.camera
            ratio = camera.scale / old.scale
            left = (old.left - camera.left) * camera.scale
            top = (camera.top - old.top) * camera.scale
            target = QRectF(left, top, old.width * ratio, old.height * ratio)
            painter.drawImage(target, front.image, QRectF(front.image.rect()))
        painter.setOpacity(1.0)

    def _begin(self, camera: Camera, most: int) -> _Picture:
        width, height = int(camera.width * self._dpr), int(camera.height * self._dpr)
        image = QImage(width, height, QImage.Format.Format_ARGB32_Premultiplied)
        image.setDevicePixelRatio(self._dpr)
        image.fill(Qt.GlobalColor.transparent)
        count = self._arrays.edge_count
        step = count // most + 1 if 0 < most < count else 1
        picture = _Picture(camera, image, count, step > 1)
        lines = self._lines(slice(None, None, step))
        if count <= HERE:
            lines.draw(image, camera)
        else:
            picture.drawing = _painter.submit(lines.draw, image, camera)
        return picture

    def _lines(self, part: slice) -> _Lines:
        arrays = self._arrays
        pairs, facts = arrays.edges[part].copy(), arrays.facts[part].copy()
        xy, community = arrays.xy.copy(), arrays.community.copy()
        return _Lines(xy, community, pairs, facts, arrays.edge_count, arrays.grouped, self._theme)

    def _append(self, picture: _Picture) -> None:
        """Draw the edges that came since the picture was begun."""
        if self._behind(picture) and not picture.thinned:
            self._lines(slice(picture.upto, None)).draw(picture.image, picture.camera)
            picture.upto = self._arrays.edge_count
