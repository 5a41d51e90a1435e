"""Lines on the canvas: the edges as they were when a picture of them began, and those that follow from others."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from pyqtgraph.Qt import internals
from PySide6.QtCore import QLineF, QPointF, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPen, QPolygonF

from app.graph.canvas import strokes
from app.graph.canvas.arrays import TIE, Floats, GraphArrays, Ints
from app.graph.canvas.camera import Camera
from app.look import theme as look
from app.look.colors import mixed
from app.look.theme import Theme

_WIDEST = 7  # width classes above that of a single edge
_FEW = 80  # gathered edges among which none has to step back
_BAND = (
    150  # rows drawn in one go: they stay in the processor's cache, and between two a drawing can be given up
)
_BORDER = 8  # pixels around a band, as wide as the widest line
_SAMPLE = 64  # every so many edges are looked at to tell how many are in view
_band_pool = ThreadPoolExecutor(1, thread_name_prefix="clew-picture")
_TIES = 48  # styles below are those of ties, sixteen colours for each shade; as many for each width of facts follow
_BETWEEN = _TIES + 16 * _WIDEST  # style of single edges between communities
_STYLES = _BETWEEN + 16
_TIE_WIDTH = 0.8  # pixels
_TIE_SHARES = (0.42, 0.62, 0.85)  # of the colour of a fact: in fewer than 3 places, than 8, in more
_CLEAR = 2500  # of these in view, which do not hide each other yet
Segments = NDArray[np.float32]
Pixels = NDArray[np.uint32]
# By rows of EDGE_KINDS.
LINES = (Qt.PenStyle.DashLine, Qt.PenStyle.SolidLine, Qt.PenStyle.DotLine)
_ARROWED, _DASHED = 1_500, 6_000  # edges in view: of more nobody tells one arrow, or dash, from another
_LONG, _WING, _DERIVED_WIDTH = 8.0, 3.5, 1.4  # pixels
_DERIVED_SHARE = 0.62  # of the colour of texts


@dataclass(frozen=True, slots=True, eq=False)
class Marks:
    """How nodes look. Rows of styles and radii are those of the nodes; of the others those of styles."""

    radii: Floats  # (n,) pixels
    styles: Ints  # (n,)
    colours: Pixels  # (k, 2) outline and filling
    ringed: NDArray[np.bool_]  # (k,)
    rim: float  # pixels


class Content:
    """Edges, and nodes that are single ones, as they were when this was made."""

    def __init__(self, arrays: GraphArrays, theme: Theme, part: slice = slice(None)) -> None:
        self.upto, self.nodes = arrays.edge_count, len(arrays)
        self._xy, self._community = arrays.xy.copy(), arrays.community.copy()
        is_line = arrays.kinds[part] < 0  # the others have a layer of their own
        self._pairs = arrays.edges[part][is_line]
        self._strengths = arrays.strengths[part][is_line]
        self._is_tie = arrays.kinds[part][is_line] == TIE
        self._single = arrays.radius == 0
        self._grouped, self._theme = arrays.grouped, theme

    # ------------------------------------------------------------ edges by their looks

    @cached_property
    def _sorted(self) -> tuple[Ints, NDArray[np.uint8]]:
        """Pairs and their styles: sixteen times how much finer than the widest, plus colour.

        Ties come first, below all, the weakest before the others, then the widest, so that the fine ones stay legible,
        and those between communities before those within one.
        """
        one, other = self._community[self._pairs[:, 0]], self._community[self._pairs[:, 1]]
        colours = np.where((one == other) & (one >= 0), 1 + one % len(self._theme.communities), 0)
        shades = np.searchsorted((3, 8), self._strengths, "right")
        facts = _TIES + 16 * (_WIDEST - width_classes(self._strengths))
        widths = np.where(self._is_tie, 16 * shades, facts)
        styles = (widths + colours).astype(np.uint8)
        order = np.argsort(styles, kind="stable")
        return self._pairs[order], styles[order]

    def _colour(self, style: int) -> QColor:
        theme, crowd, width = self._theme, self.upto, max(0.0, _width_class(style))
        share = 0.5 if crowd < 2500 else 0.38 if crowd < 20000 else 0.3
        own = style % 16 - 1
        color = QColor(theme.edge) if own < 0 else mixed(theme.communities[own], theme.canvas, share)
        if self._grouped:
            # Among many lines the single facts step back, so that the strong ties are seen.
            floor = min(max(_FEW / max(crowd, 1), 0.2), 0.8)
            color = mixed(color.name(), theme.canvas, floor + (1 - floor) * min(width / 5, 1.0))
        return mixed(color.name(), theme.canvas, _TIE_SHARES[style // 16]) if style < _TIES else color

    @cached_property
    def _table(self) -> Pixels:
        """Premultiplied colour of each style at each cover, (256 x 256,)."""
        table, shares = np.zeros((256, 256), np.uint32), np.arange(256) / 255
        for style in np.unique(self._sorted[1]).tolist():
            colour = np.array(self._colour(style).getRgb(), np.float64)
            channels = np.outer(colour, shares) + 0.5
            red, green, blue, alpha = channels.astype(np.uint32)
            table[style] = alpha << 24 | red << 16 | green << 8 | blue
        return table.ravel()

    def in_view(self, camera: Camera) -> int:
        """Return about how many edges touch the view."""
        pairs = self._pairs[::_SAMPLE]
        return int(_touching(camera.to_screen(self._xy[pairs.ravel()]), camera).sum()) * _SAMPLE

    def _looks(self, camera: Camera, step: int) -> Ints:
        """Width in pixels of each style, and of 256 how far a line covers, (k, 2): less where many cross each other
        between communities, so that one sees where they are dense; the fewer are drawn, the more each."""
        pairs, styles = self._sorted[0][::_SAMPLE], self._sorted[1][::_SAMPLE]
        between = pairs[styles == _BETWEEN]
        crossing = _SAMPLE * int(_touching(camera.to_screen(self._xy[between.ravel()]), camera).sum())
        looks = np.zeros((_STYLES, 2), np.int32)
        looks[:, 0] = [max(1, round(edge_width(_width_class(style)))) for style in range(_STYLES)]
        looks[:, 1] = 256
        looks[_BETWEEN, 1] = 256 * min(1.0, step * (_CLEAR / max(crossing, 1)) ** 0.85)
        return looks

    # ------------------------------------------------------------ drawing

    def paint(self, image: QImage, camera: Camera) -> None:
        """Paint the edges, by Qt."""
        pairs, styles = self._sorted
        ends = camera.to_screen(self._xy)[pairs.ravel()]
        in_view = _touching(ends, camera)
        segments, styles = ends.reshape(-1, 4)[in_view], styles[in_view]
        painter, lines = QPainter(image), LineBuffer()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for style in np.unique(styles).tolist():
            pen = QPen(self._colour(style), edge_width(_width_class(style)))
            pen.setCapStyle(Qt.PenCapStyle.FlatCap)
            pen.setCosmetic(True)
            painter.setPen(pen)
            lines.draw(painter, segments[styles == style])
        painter.end()

    def segments_by_style(self, camera: Camera) -> list[tuple[str, float, float, Segments]]:
        """Colour, width in pixels, opacity and lines, (k, 4) pixels, of each style, from the back to the front."""
        pairs, styles = self._sorted
        ends = camera.to_screen(self._xy)[pairs.ravel()]
        in_view = _touching(ends, camera)
        segments, styles, looks = ends.reshape(-1, 4)[in_view], styles[in_view], self._looks(camera, 1)
        found = []
        for style in np.unique(styles).tolist():
            width, cover = looks[style].tolist()
            found.append((self._colour(style).name(), float(width), cover / 256, segments[styles == style]))
        return found

    def fill(
        self,
        image: QImage,
        camera: Camera,
        step: int,
        marks: Marks | None,
        cancelled: Callable[[], bool],
        pair: bool,
    ) -> None:
        """Every `step`-th edge, and the nodes, by the compiled loops, which compiles them at first.

        `pair`: with a second thread, as nobody needs the other core.
        """
        strokes.kernels()
        pixels = np.frombuffer(image.bits(), np.uint32).reshape(image.height(), image.bytesPerLine() // 4)
        order = np.zeros(0, np.int64)
        if marks is not None:
            singles = np.flatnonzero(self._single[: len(marks.radii)])
            order = singles[np.argsort(marks.radii[singles], kind="stable")]  # the large ones last
        looks = self._looks(camera, step)
        assert len(self._table)  # made once, and not on both threads at a time
        scale = camera.scale * image.devicePixelRatio()
        starts = range(0, len(pixels), _BAND)

        def bands(some: range) -> None:
            for first in some:
                if not cancelled():
                    top = camera.top - first / scale
                    self._band(
                        pixels[first : first + _BAND], camera.left, top, scale, step, looks, marks, order
                    )

        other = _band_pool.submit(bands, starts[1::2]) if pair else None
        bands(starts[::2] if pair else starts)
        if other is not None:
            other.result()

    def _band(
        self,
        pixels: Pixels,
        left: float,
        top: float,
        scale: float,
        step: int,
        looks: Ints,
        marks: Marks | None,
        order: NDArray[np.int64],
    ) -> None:
        lines, discs = strokes.kernels()
        pairs, styles = self._sorted
        high, wide = pixels.shape[0] + 2 * _BORDER, pixels.shape[1] + 2 * _BORDER
        covers = np.zeros(high * wide, np.uint16)
        corner = (left - _BORDER / scale, top + _BORDER / scale, scale)
        lines(covers, wide, self._xy, pairs, styles, looks, *corner, step)
        inside = covers.reshape(high, wide)[_BORDER:-_BORDER, _BORDER:-_BORDER]
        pixels[:] = self._table[inside]
        if marks is not None:
            canvas = QColor(self._theme.canvas).rgba()
            own = (marks.radii, marks.styles, marks.colours, marks.ringed, canvas, marks.rim)
            discs(pixels, self._xy, order, *own, left, top, scale)


def _touching(ends: Floats, camera: Camera) -> NDArray[np.bool_]:
    """Return which lines, whose ends follow each other in (2k, 2), touch the view; (k,)."""
    in_view = np.ones(len(ends) // 2, np.bool_)
    for axis, size in ((0, camera.width), (1, camera.height)):
        # Columns, not rows of two: numpy is many times faster along the long axis.
        a, b = ends[::2, axis], ends[1::2, axis]
        in_view &= (np.maximum(a, b) >= 0) & (np.minimum(a, b) <= size)
    return in_view


def width_classes(strengths: Ints | Floats) -> Ints:
    """Return 0 for a single fact, one more for each doubling of the facts, or of their strength; at most 7."""
    return np.minimum(np.log2(np.maximum(strengths, 1)), _WIDEST).astype(np.int32)


def _width_class(style: int) -> float:
    """Return the class of the width of a style; -1 of a tie."""
    return -1 if style < _TIES else _WIDEST - (style - _TIES) // 16


def edge_width(width_class: float) -> float:
    """Return the width in pixels; of a tie, below class 0, less than that of a single fact."""
    return _TIE_WIDTH if width_class < 0 else 1.0 + 0.75 * width_class


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
    """Return line coordinates, shape (k, 4), of pairs of rows."""
    return np.concatenate([screen[pairs[:, 0]], screen[pairs[:, 1]]], axis=1)


@dataclass(frozen=True, slots=True, eq=False)
class DerivedLines:
    """What is seen of them: lines (k, 4) in pixels, from rim to rim, and their kinds (k,)."""

    lines: NDArray[np.float32]
    kinds: NDArray[np.int8]

    def heads(self) -> NDArray[np.float32]:
        """Return the corners of the arrows at the ends, (k, 3, 2); none where they are too many."""
        if len(self.lines) > _ARROWED:
            return np.zeros((0, 3, 2), np.float32)
        tail, tip = self.lines[:, :2], self.lines[:, 2:]
        way = tip - tail
        along = way / np.maximum(np.hypot(*way.T), 1e-6)[:, None]
        across = np.stack([-along[:, 1], along[:, 0]], axis=1) * _WING
        back = tip - along * _LONG
        return np.stack([tip, back + across, back - across], axis=1).astype(np.float32)


def derived_lines(
    pairs: Ints, kinds: NDArray[np.int8], screen: Floats, radii: Floats, width: int, height: int
) -> DerivedLines:
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
    return DerivedLines(np.concatenate([begin, end], axis=1).astype(np.float32), kinds[rows][visible])


def line_pen(kind: int) -> QPen:
    """Return how edges of a kind, a row of EDGE_KINDS, are drawn."""
    pen = QPen(derived_colour(), _DERIVED_WIDTH, LINES[kind])
    pen.setCapStyle(Qt.PenCapStyle.FlatCap)
    return pen


def derived_colour() -> QColor:
    theme = look.current()
    return mixed(theme.text, theme.canvas, _DERIVED_SHARE)


def paint_derived(painter: QPainter, found: DerivedLines, opacity: float, buffer: LineBuffer) -> None:
    """Paint the lines with their arrows, below the nodes."""
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
    painter.setBrush(derived_colour())
    for corners in found.heads().tolist():
        painter.drawPolygon(QPolygonF([QPointF(*corner) for corner in corners]))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setOpacity(1.0)
