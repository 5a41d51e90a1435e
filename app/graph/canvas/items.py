"""Everything that is painted in the graph's view, in the order in which it is painted."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from pyqtgraph.Qt import internals
from PySide6.QtCore import QLineF, QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPixmap

from app.graph.canvas.arrays import Floats, GraphArrays, Ints, Rows
from app.graph.canvas.camera import Camera
from app.graph.canvas.discs import LARGEST, GroupLayer, NodeSprites
from app.graph.canvas.edges import EdgeLayer
from app.graph.canvas.emphasis import Emphasis
from app.graph.canvas.lines import (
    DerivedLines,
    LineBuffer,
    Marks,
    derived_lines,
    edge_width,
    paint_derived,
    segments_of,
    width_classes,
)
from app.graph.canvas.picking import CROWD, EdgeFinder, Lasso
from app.graph.canvas.words import CROWDED, WIDEST, EdgeWords, LabelLayer, PathLayer, PlacedWord
from app.look import theme as look
from app.look.colors import mixed
from app.look.motion import may_move

FADE_S = 0.18  # seconds in which a new node appears
PULSE_S = 0.9  # seconds for which a located node pulses
_LARGEST_SINGLE = 15.0  # pixels of radius, where there are few
_LEAST_GROUP = 6.0  # pixels of radius
_GROUP_GROWTH = 0.55  # power of the zoom
_AMONG_GROUPS = 0.7  # single nodes are smaller beside discs
_MANY_GROUPS = 12  # in view, whose names are shortened more
_STAMPED = 8_000  # single nodes that are drawn one by one, in a frame
_MOST_PINS = 200  # that are drawn
_CHOSEN_RINGS = 120  # at most, around what is chosen: that it is in front says it of the others
_FEW_CHOSEN = 40  # of more the rings are thin, so that colours are seen
_EDGE_REACH = 5.0  # pixels from an edge at which it is meant
_STRONG_GROUPS = 60  # nodes that stand for many whose names are in the larger face


class GraphItem(pg.GraphicsObject):  # type: ignore[misc]
    """The graph in a view box: edges, nodes, what stands out, rings and labels."""

    def __init__(self, arrays: GraphArrays, emphasis: Emphasis) -> None:
        super().__init__()
        self.arrays, self.emphasis = arrays, emphasis
        self.edges = EdgeLayer(arrays, look.current(), self._marks)
        self.labels = LabelLayer()
        self.groups = GroupLayer(arrays)
        self.way = PathLayer()
        self.lasso, self.edge_words, self.finder = Lasso(), EdgeWords(), EdgeFinder(arrays)
        self.camera = Camera(0.0, 0.0, 1.0, 1, 1)
        self.moving = False
        self.fit_scale = 1.0
        self._sprites = NodeSprites(look.current(), 1.0)
        self._frame: QPixmap | None = (
            None  # what was painted last, at rest: what lies upon it is often painted anew
        )
        self._carried = (-1, -1, QPointF())  # row, row of the one that it lies on, and where it is dragged to
        self.relabel: Callable[[], Sequence[QRect]] | None = (
            None  # labels are chosen with the next frame, clear of these
        )
        self._births: list[tuple[int, int, float]] = []  # first row, end row, time
        self.pinned: Sequence[str] = ()  # ids of nodes that stay where a person put them
        self._pulse = (-1, 0.0)
        self._fragments = internals.PrimitiveArray(QPainter.PixmapFragment, 10)
        self._lines = LineBuffer()
        self.covered: Callable[[], Sequence[QRect]] = list  # what no words may lie upon

    # ------------------------------------------------------------ state

    def update(self, *_: object) -> None:
        """Repaint everything."""
        self._frame = None
        super().update()

    def set_camera(self, camera: Camera) -> None:
        """Look from elsewhere."""
        if (camera.width, camera.height) != (self.camera.width, self.camera.height):
            self.prepareGeometryChange()
        self.camera = camera
        self.update()

    def boundingRect(self) -> QRectF:
        return QRectF(0, 0, self.camera.width, self.camera.height)

    def restyle(self) -> None:
        """Rebuild after the theme changed."""
        self.edges.set_theme(look.current())
        self._sprites = NodeSprites(look.current(), self._sprites.dpr)
        self.labels.restyle()
        self.groups.restyle()
        self.update()

    def forget(self, keep_edges: bool = False) -> None:
        """Another graph: no births, no pulse, no pictures but that of the edges, until they are drawn anew."""
        self._births.clear()
        self._pulse = (-1, 0.0)
        self.labels.labels = []
        self.groups.forget()
        self.finder.forget()
        self.edge_words.forget()
        self.edges.invalidate(keep_edges)

    def born(self, first: int, end: int) -> None:
        """Fade in the rows from `first` to `end` from now on."""
        if may_move():
            self._births.append((first, end, time.monotonic()))

    def pulse(self, row: int) -> None:
        """Draw the eye to a node."""
        self._pulse = (row, time.monotonic())

    def carry(self, row: int, target: int, point: QPointF) -> None:
        """Show that a node is dragged to a place, and onto which one; -1 for none."""
        self._carried = (row, target, point)
        self.repaint_upon()

    def repaint_upon(self) -> None:
        """Repaint what lies upon the graph; what is below stays as it was painted."""
        super().update()

    def point(self, point: QPointF | None) -> None:
        """Where the pointer is, None for elsewhere: what edges say is said near it."""
        if self.edge_words.by_row and point != self.edge_words.pointer:
            self.repaint_upon()
        self.edge_words.pointer = point

    @property
    def lively(self) -> bool:
        """Return whether something changes by itself, so that frames are needed."""
        now = time.monotonic()
        self._births = [birth for birth in self._births if now - birth[2] < FADE_S + 0.05]
        return bool(self._births) or (self._pulse[0] >= 0 and now - self._pulse[1] < PULSE_S)

    # ------------------------------------------------------------ measures

    def radii(self, heated: bool = True) -> Floats:
        """Return the radii of the nodes in pixels, (n,): by degree, a little by zoom, and by heat."""
        arrays = self.arrays
        crowd = min(1.0, max(0.33, math.sqrt(1200 / max(len(arrays), 1))))
        zoom = min(2.6, max(0.6, (self.camera.scale / self.fit_scale) ** 0.5))
        plain = np.minimum(2.6 + 1.25 * np.sqrt(arrays.degree), _LARGEST_SINGLE)
        size_radii = 2.6 + (_LARGEST_SINGLE - 2.6) * arrays.size
        radii = np.where(np.isnan(size_radii), plain, size_radii) * (crowd * zoom)
        heat = self.emphasis.heat
        if heat is not None and heated:
            radii[: len(heat)] += np.nan_to_num(heat, nan=0.0) ** 2 * 11.0 * crowd
        if arrays.grouped:
            # Discs shrink with the map, so that they never touch, and grow more slowly than it.
            zoom = self.camera.scale / self.fit_scale
            scale = self.fit_scale * (zoom if zoom < 1 else zoom**_GROUP_GROWTH)
            discs = np.clip(arrays.radius * scale, _LEAST_GROUP, LARGEST)
            radii = np.where(arrays.radius > 0, discs, _AMONG_GROUPS * radii)
        pixels: Floats = radii.astype(np.float32)
        return pixels

    def row_at(self, x: float, y: float) -> int:
        """Return the row of the node under a pixel, or -1; small nodes have the reach of middling ones."""
        if not len(self.arrays):
            return -1
        screen = self.camera.to_screen(self.arrays.xy)
        gap = np.hypot(screen[:, 0] - x, screen[:, 1] - y) - np.maximum(self.radii(), 5.0) - 3.0
        if self.emphasis.visible is not None:
            gap[~self.emphasis.visible] = np.inf
        nearest = int(np.argmin(gap))
        if self.arrays.grouped and gap[nearest] <= 0:
            # What stands upon a disc comes before the disc, and a small disc before a large one.
            hit = np.flatnonzero(gap <= 0)
            nearest = int(hit[np.lexsort((gap[hit], self.arrays.radius[hit]))[0]])
        return nearest if gap[nearest] <= 0 else -1

    def edge_at(self, x: float, y: float) -> int:
        """Return the number of the edge under a pixel, or -1; edges at the selected node come first."""
        emphasis = self.emphasis
        if emphasis.preview is not None:
            return -1
        found = self.finder.near(
            *self.camera.to_data(x, y), _EDGE_REACH / self.camera.scale, emphasis.visible
        )
        own = found[(self.arrays.edges[found] == emphasis.selected).any(axis=1)]
        found = own if len(own) else found
        return int(found[0]) if 0 < len(found) <= CROWD else -1

    def place_labels(self, covered: Sequence[QRect] = ()) -> None:
        """Choose the labels for this camera anew, clear of the covered parts of the view."""
        if len(self.arrays):
            self._place_labels(covered, self.camera.to_screen(self.arrays.xy), self.radii())
        else:
            self.labels.labels = []

    def _place_labels(self, covered: Sequence[QRect], screen: Floats, radii: Floats) -> None:
        arrays, emphasis = self.arrays, self.emphasis
        visible = self.camera.inside(screen)
        front, _ = emphasis.focus()
        if front is not None:
            visible &= front
        if emphasis.visible is not None:
            visible &= emphasis.visible
        weight = radii + arrays.degree * np.float32(1e-3)
        first = [row for row in (emphasis.hovered, emphasis.selected, *emphasis.path.tolist()) if row >= 0]
        weight[first] += 1e6
        rows = np.flatnonzero(visible)
        if len(rows) > 400:
            rows = rows[np.argpartition(-weight[rows], 400)[:400]]
        rows = rows[np.argsort(-weight[rows], kind="stable")]
        forced = int((weight[rows] >= 1e6).sum())
        strong = forced + (10 if front is None else 4)
        if arrays.grouped:
            strong = max(strong, forced + int((arrays.radius[rows[:_STRONG_GROUPS]] > 0).sum()))
        extent = (self.camera.width, self.camera.height)
        covered = [*covered, *(box for box, _ in self.groups.captions(self.camera))]
        signs = self.way.signs(emphasis.path.tolist(), screen, radii, self.camera)
        covered += [sign.box.toAlignedRect() for sign in signs]
        discs = int((arrays.radius[rows] > 0).sum())
        self.labels.place(
            arrays.names,
            rows,
            forced,
            strong,
            screen[rows],
            radii[rows],
            extent,
            covered,
            look.px(CROWDED if discs > _MANY_GROUPS else WIDEST),
        )

    # ------------------------------------------------------------ painting

    def paint(self, painter: QPainter, option: Any, widget: Any = None) -> None:
        if not len(self.arrays):
            return
        dpr = painter.device().devicePixelRatioF()
        if self.moving or self.lively:
            self._paint(painter, dpr)
            self._paint_upon(painter)
            return
        if self._frame is None or self._frame.devicePixelRatio() != dpr:
            frame = QPixmap(math.ceil(self.camera.width * dpr), math.ceil(self.camera.height * dpr))
            frame.setDevicePixelRatio(dpr)
            frame.fill(QColor(look.current().canvas))
            within = QPainter(frame)
            self._paint(within, dpr)
            within.end()
            self._frame = frame
        painter.drawPixmap(0, 0, self._frame)
        self._paint_upon(painter)

    def _paint(self, painter: QPainter, dpr: float) -> None:
        arrays = self.arrays
        if dpr != self._sprites.dpr:
            self._sprites = NodeSprites(look.current(), dpr)
        screen, radii = self.camera.to_screen(arrays.xy), self.radii()
        if self.relabel is not None:
            covered, self.relabel = self.relabel(), None
            self._place_labels(covered, screen, radii)
        front, rest = self.emphasis.focus()
        self.groups.paint_outlines(painter, self.camera, rest)
        there = self.emphasis.visible
        if there is None:
            there = np.ones(len(arrays), np.bool_)
            self._paint_edges(painter, rest, dpr)
            paint_derived(painter, self.derived(screen, radii), rest, self._lines)
            own = there.copy()  # those that are not in the picture of the edges
            own[: self.edges.nodes] = arrays.radius[: self.edges.nodes] > 0
            if (
                len(arrays) - self.edges.nodes > _STAMPED
            ):  # none is drawn yet: the largest show what is coming
                own &= radii > np.partition(radii, -_STAMPED)[-_STAMPED]
        else:
            self._paint_links(painter, screen, rest)
            own = there
        alive = self._opacity(len(arrays))
        if front is None:
            self._stamp(painter, screen, radii, own, alive)
        else:
            self._stamp(painter, screen, radii, own & ~front, alive * np.float32(rest))
            self._paint_front_edges(painter, screen, front)
            self._stamp(painter, screen, radii, front & there, alive)
        self._paint_rings(painter, screen, radii)
        vivid = {row for row in (self.emphasis.selected,) if row >= 0}
        self.groups.paint_captions(painter, self.camera)
        self.labels.paint(painter, arrays.names, screen, vivid, dpr)
        self.way.paint(painter, self.emphasis.path.tolist(), screen, radii, self.camera)

    def _paint_upon(self, painter: QPainter) -> None:
        """Paint what follows the pointer."""
        emphasis = self.emphasis
        words = bool(self.edge_words.by_row) and not (self.moving or self.lively or emphasis.preview)
        edges = [
            edge for edge in (emphasis.edge_selected, emphasis.edge) if 0 <= edge < self.arrays.edge_count
        ]
        if words or edges:
            screen, radii = self.camera.to_screen(self.arrays.xy), self.radii()
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            for edge in edges:
                one, other = self.arrays.edges[edge].tolist()
                self._paint_edge(painter, one, other, screen, radii)
            if words:
                placed = self.words_placed(screen, radii)
                self.edge_words.paint(painter, placed, screen, radii)
        self.lasso.paint(painter, self.camera)
        self._paint_carried(painter)

    def words_placed(self, screen: Floats, radii: Floats) -> list[PlacedWord]:
        """Return what edges say, clear of names, legends and the signs of a path."""
        covered = [QRectF(part) for part in self.covered()]
        covered += self.labels.boxes(self.arrays.names, screen)
        covered += [
            sign.box for sign in self.way.signs(self.emphasis.path.tolist(), screen, radii, self.camera)
        ]
        return self.edge_words.placed(screen, radii, self.camera, covered, self.emphasis.visible)

    def _paint_edge(self, painter: QPainter, one: int, other: int, screen: Floats, radii: Floats) -> None:
        """Paint an edge from rim to rim."""
        way = QLineF(QPointF(*screen[one].tolist()), QPointF(*screen[other].tolist()))
        length = way.length()
        if length <= float(radii[one] + radii[other]):
            return
        ends = (way.pointAt(float(radii[one]) / length), way.pointAt(1 - float(radii[other]) / length))
        for color, width in ((look.current().canvas, 5.0), (look.current().accent, 2.5)):
            painter.setPen(QPen(QColor(color), width, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
            painter.drawLine(*ends)

    def _paint_carried(self, painter: QPainter) -> None:
        row, target, point = self._carried
        if not 0 <= row < len(self.arrays):
            return
        theme, radii = look.current(), self.radii()
        screen = self.camera.to_screen(self.arrays.xy)
        begin = QPointF(*screen[row].tolist())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(QColor(theme.accent), 2.0, Qt.PenStyle.DashLine))
        painter.drawLine(begin, point)
        _ring(painter, screen[row], float(radii[row]) + 3.0, QColor(theme.accent), 2.5)
        if 0 <= target < len(self.arrays):
            _ring(painter, screen[target], float(radii[target]) + 5.0, QColor(theme.canvas), 7.0)
            _ring(painter, screen[target], float(radii[target]) + 5.0, QColor(theme.accent), 4.0)

    def _paint_edges(self, painter: QPainter, opacity: float, dpr: float) -> None:
        # Small graphs are drawn anew in every frame; for large ones the last picture moves along.
        self.edges.advance(self.camera, self.moving, dpr)
        self.edges.paint(painter, self.camera, opacity)

    def _marks(self, dpr: float) -> Marks:
        """Return how nodes look from here where nothing stands out, in device pixels."""
        if dpr != self._sprites.dpr:
            self._sprites = NodeSprites(look.current(), dpr)
        radii = self.radii(heated=False) * np.float32(dpr)
        return Marks(radii, self._styles(np.arange(len(self.arrays))), *self._sprites.table(), 1.25 * dpr)

    def _styles(self, rows: Rows) -> Ints:
        """Return the styles of sprites without heat."""
        level = self.arrays.level[rows]
        styles = self._sprites.community_styles(self.arrays.category[rows])
        scaled = ~np.isnan(level)
        styles[scaled] = self._sprites.heat_styles(level[scaled])
        return styles

    def node_styles(self, rows: Rows) -> Ints:
        """Return the styles of sprites, with heat."""
        styles, heat = self._styles(rows), self.emphasis.heat
        if heat is not None:
            own = heat[np.minimum(rows, len(heat) - 1)]
            hot = ~np.isnan(own) & (rows < len(heat))
            styles[hot] = self._sprites.heat_styles(own[hot])
        return styles

    def derived(self, screen: Floats, radii: Floats) -> DerivedLines:
        """Return the visible part of the derived edges."""
        arrays, camera = self.arrays, self.camera
        return derived_lines(arrays.edges, arrays.kinds, screen, radii, camera.width, camera.height)

    def colours(self) -> tuple[NDArray[np.uint32], NDArray[np.bool_]]:
        """Of each style: outline and filling, (k, 2), and whether it wears a ring, (k,)."""
        return self._sprites.table()

    def _paint_links(self, painter: QPainter, screen: Floats, opacity: float) -> None:
        """Paint the facts of a preview."""
        if self.emphasis.preview is None:
            return
        theme = look.current()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setOpacity(opacity)
        painter.setPen(QPen(mixed(theme.muted, theme.canvas, 0.45), 1.0))
        self._lines.draw(painter, segments_of(screen, self.emphasis.preview.drawn_links()))
        painter.setOpacity(1.0)

    def _opacity(self, count: int) -> Floats:
        opacity = np.ones(count, np.float32)
        now = time.monotonic()
        for first, end, born in self._births:
            opacity[first:end] = min(1.0, (now - born) / FADE_S)
        return opacity

    def _stamp(
        self, painter: QPainter, screen: Floats, radii: Floats, mask: NDArray[np.bool_], opacity: Floats
    ) -> None:
        """Stamp the masked nodes that touch the view, the large ones last."""
        rows = np.flatnonzero(mask & self.camera.inside(screen, radii))
        if not len(rows):
            return
        # Discs that stand for many lie below all others, the large ones below the small ones.
        rows = rows[np.lexsort((radii[rows], -self.arrays.radius[rows]))]
        styles = self.node_styles(rows)
        discs = int((self.arrays.radius[rows] > 0).sum())  # they come first
        grounds = [self._sprites.ground(style) for style in styles[:discs].tolist()]
        styles[:discs] += self._sprites.first_group
        places = self._sprites.places(styles, radii[rows])
        self._fragments.resize(len(rows))
        fields = self._fragments.ndarray()
        fields[:, 0:2] = screen[rows]
        fields[:, 2:4] = places[:, 0:2]
        fields[:, 4] = fields[:, 5] = places[:, 2]
        fields[:, 6:8] = 1.0 / self._sprites.dpr
        fields[:, 8] = 0.0
        fields[:, 9] = opacity[rows]
        first, count = self._fragments.drawargs()
        painter.drawPixmapFragments(first, count, self._sprites.pixmap)
        if discs:
            painter.setOpacity(float(opacity[rows[0]]))
            self.groups.paint_numbers(painter, rows[:discs], screen, radii, grounds, self._sprites.dpr)
            painter.setOpacity(1.0)

    def _paint_front_edges(self, painter: QPainter, screen: Floats, front: NDArray[np.bool_]) -> None:
        theme, pairs = look.current(), self.arrays.edges
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        quiet = self.emphasis.focus_edges(front)
        painter.setPen(QPen(mixed(theme.muted, theme.canvas, 0.45), 1.0))
        self._lines.draw(painter, segments_of(screen, pairs[quiet[:4000]]))
        lit = self.emphasis.lit_edges()
        self._paint_lit(painter, screen, lit[:4000])
        if len(self.emphasis.path) > 1:
            way = segments_of(screen, self.emphasis.path_pairs())
            for color, width in ((theme.canvas, 6.0), (theme.accent, 3.0)):
                pen = QPen(QColor(color), width, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap)
                painter.setPen(pen)
                self._lines.draw(painter, way)

    def _paint_lit(self, painter: QPainter, screen: Floats, lit: Rows) -> None:
        theme, pairs = look.current(), self.arrays.edges
        classes = width_classes(self.arrays.strengths[lit])
        for width in np.unique(classes)[::-1].tolist():
            pen = QPen(mixed(theme.accent, theme.canvas, 0.75), edge_width(width) + 0.4)
            painter.setPen(pen)
            self._lines.draw(painter, segments_of(screen, pairs[lit[classes == width]]))

    def _paint_rings(self, painter: QPainter, screen: Floats, radii: Floats) -> None:
        theme, emphasis = look.current(), self.emphasis
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        chosen = emphasis.chosen[self.camera.inside(screen[emphasis.chosen])]
        if len(chosen) > _CHOSEN_RINGS:
            chosen = chosen[np.argsort(-radii[chosen], kind="stable")[:_CHOSEN_RINGS]]
        few = len(chosen) <= _FEW_CHOSEN
        for row in chosen.tolist():
            if few:
                _ring(painter, screen[row], float(radii[row]) + 2.5, QColor(theme.canvas), 4.0)
            _ring(painter, screen[row], float(radii[row]) + 1.0 + few, QColor(theme.accent), 1.25 + few / 2)
        for row in emphasis.path.tolist():
            _ring(painter, screen[row], float(radii[row]) + 2.0, QColor(theme.accent), 2.0)
        if emphasis.hovered >= 0:
            row = emphasis.hovered
            _ring(painter, screen[row], float(radii[row]) + 2.5, QColor(theme.text), 1.5)
        if emphasis.selected >= 0:
            row = emphasis.selected
            _ring(painter, screen[row], float(radii[row]) + 3.0, QColor(theme.canvas), 5.0)
            _ring(painter, screen[row], float(radii[row]) + 3.0, QColor(theme.accent), 2.5)
        self._paint_pins(painter, screen, radii)
        row, begun = self._pulse
        age = (time.monotonic() - begun) / PULSE_S
        if 0 <= row < len(screen) and age < 1.0 and may_move():
            wave = (age * 2) % 1.0
            color = QColor(theme.accent)
            color.setAlphaF(1.0 - wave)
            _ring(painter, screen[row], float(radii[row]) + 4 + 26 * wave, color, 3.0)

    def _paint_pins(self, painter: QPainter, screen: Floats, radii: Floats) -> None:
        """Paint a needle with a round head in each pinned node in view."""
        rows = self.arrays.rows_of(self.pinned)
        theme = look.current()
        for row in rows[self.camera.inside(screen[rows])][:_MOST_PINS].tolist():
            foot = QPointF(*(screen[row] + (0.6 * radii[row], -0.6 * radii[row])).tolist())
            head = foot + QPointF(5.0, -8.0)
            for color, more in ((theme.canvas, 2.0), (theme.text, 0.0)):
                painter.setPen(QPen(QColor(color), 1.6 + more))
                painter.drawLine(foot, head)
                painter.setBrush(QColor(theme.accent if not more else color))
                painter.drawEllipse(head, 3.2 + more / 2, 3.2 + more / 2)
        painter.setBrush(Qt.BrushStyle.NoBrush)


def _ring(painter: QPainter, centre: Floats, radius: float, color: QColor, width: float) -> None:
    painter.setPen(QPen(color, width))
    painter.drawEllipse(QPointF(float(centre[0]), float(centre[1])), radius, radius)
