"""Discs for nodes: stamped by the thousand, with numbers where they stand for many, and outlines of open groups."""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen, QPixmap, QPolygonF, QTransform

from app.graph.canvas.arrays import Floats, GraphArrays, Ints, Rows
from app.graph.canvas.camera import Camera
from app.look import theme as look
from app.look.colors import mixed
from app.look.theme import Theme

HEAT_LEVELS = 32
_SIZES = 78
_RATIO, _SMALLEST = 1.065, 1.2  # radii of the size steps: 1.2 px to 153 px
LARGEST = 150.0  # pixels of radius
_ATLAS_WIDTH = 1024
_MOST_CACHED = 800  # rendered numbers
_MOST_OUTLINES = 150  # that are painted
_NO_BOXES = np.zeros((0, 2, 2), np.float32)
_MOST_COMPARED = 300  # discs in view that are looked at in pairs
_NARROWEST, _WIDEST = 60, 220  # pixels of the name of an open group
_LEGIBLE = 9.0  # pixels of radius, below which no number is legible within
FAINT = (0.05, 0.09, 0.13)  # how much of its colour fills an outline, by how deep it lies


class NodeSprites:
    """An atlas of discs. A style is a community mark, the neutral grey or a heat level.

    Each style has a second form, for nodes that stand for many: a thin ring around the disc, and room for
    a number within.
    """

    def __init__(self, theme: Theme, dpr: float) -> None:
        self.theme, self.dpr = theme, dpr
        self._colors = len(theme.communities)
        self.neutral = 2 * self._colors
        self.first_heat = self.neutral + 1
        self.first_group = self.first_heat + HEAT_LEVELS
        # Per (style, size): left, top, side in device pixels; side 0: not drawn yet.
        self._slots = np.zeros((2 * self.first_group * _SIZES, 3), np.float64)
        self._x, self._y, self._shelf = 0, 0, 0
        self.pixmap = _blank_atlas(_ATLAS_WIDTH, 256)

    def community_styles(self, community: Ints) -> Ints:
        """Return the style of each community number; shape (n,)."""
        styles = community % (2 * self._colors)
        return np.where(community < 0, self.neutral, styles).astype(np.int32)

    def heat_styles(self, heat: Floats) -> Ints:
        """Return the style of each heat in 0..1; shape (n,)."""
        level = np.clip(heat * HEAT_LEVELS, 0, HEAT_LEVELS - 1).astype(np.int32)
        return level + np.int32(self.first_heat)

    def places(self, styles: Ints, radii: Floats) -> NDArray[np.float64]:
        """Return atlas rectangles, shape (n, 3): left, top, side, in device pixels. Draws missing ones."""
        steps = np.log(np.maximum(radii, _SMALLEST) / _SMALLEST) / np.log(_RATIO)
        keys = styles * _SIZES + np.minimum(np.rint(steps), _SIZES - 1).astype(np.int32)
        missing = keys[self._slots[keys, 2] == 0]
        for key in np.unique(missing).tolist():
            self._draw(key)
        slots: NDArray[np.float64] = self._slots[keys]
        return slots

    def _draw(self, key: int) -> None:
        style, step = divmod(key, _SIZES)
        radius = _SMALLEST * _RATIO**step * self.dpr
        side = int(np.ceil(2 * radius + 3 * self.dpr)) + 2
        if self._x + side > _ATLAS_WIDTH:
            self._x, self._y, self._shelf = 0, self._y + self._shelf, 0
        self._shelf = max(self._shelf, side)
        if self._y + side > self.pixmap.height():
            taller = _blank_atlas(_ATLAS_WIDTH, max(2 * self.pixmap.height(), self._y + side))
            painter = QPainter(taller)
            painter.drawPixmap(0, 0, self.pixmap)
            painter.end()
            self.pixmap = taller
        painter = QPainter(self.pixmap)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        centre = QPointF(self._x + side / 2, self._y + side / 2)
        self._disc(painter, centre, radius, style)
        painter.end()
        self._slots[key] = self._x, self._y, side
        self._x += side

    def table(self) -> tuple[NDArray[np.uint32], NDArray[np.bool_]]:
        """Of each style of a single node: outline and filling, (k, 2), and whether it wears a ring, (k,)."""
        looks = [self._look(style) for style in range(self.first_group)]
        border = QColor(self.theme.strong_border).rgba()
        colours = [
            (border if style >= self.first_heat else color.rgba(), color.rgba())
            for style, (color, _) in enumerate(looks)
        ]
        return np.array(colours, np.uint32), np.array([ring for _, ring in looks], np.bool_)

    def ground(self, style: int) -> QColor:
        """Return the colour in the middle of a node that stands for many."""
        color, ring = self._look(style)
        return QColor(self.theme.canvas) if ring else color

    def _disc(self, painter: QPainter, centre: QPointF, radius: float, style: int) -> None:
        if style >= self.first_group:
            self._group(painter, centre, radius, style - self.first_group)
            return
        color, ring = self._look(style)
        rim = min(1.25 * self.dpr, radius * 0.35)
        # A rim in the canvas colour parts a node from edges and from its neighbours.
        painter.setBrush(QColor(self.theme.canvas))
        painter.drawEllipse(centre, radius + rim, radius + rim)
        if style >= self.first_heat:
            # The cold end comes near the canvas: an outline keeps every hot node at 3:1.
            painter.setBrush(QColor(self.theme.strong_border))
            painter.drawEllipse(centre, radius, radius)
            radius -= min(self.dpr, radius * 0.3)
        painter.setBrush(color)
        painter.drawEllipse(centre, radius, radius)
        if ring:
            painter.setBrush(QColor(self.theme.canvas))
            painter.drawEllipse(centre, radius * 0.68, radius * 0.68)
            painter.setBrush(color)
            painter.drawEllipse(centre, radius * 0.36, radius * 0.36)

    def _group(self, painter: QPainter, centre: QPointF, radius: float, style: int) -> None:
        """Paint from the outside: a rim in the canvas colour, a thin ring, a gap, the disc."""
        color, ring = self._look(style)
        canvas, line = QColor(self.theme.canvas), min(max(1.2 * self.dpr, radius * 0.045), 2.5 * self.dpr)
        gap = min(max(1.6 * self.dpr, radius * 0.06), 4.0 * self.dpr)
        rim, inner = 1.25 * self.dpr, radius - line - gap
        line_color = QColor(self.theme.strong_border) if style >= self.first_heat else color
        parts = [(radius + rim, canvas), (radius, line_color), (radius - line, canvas), (inner, color)]
        if style >= self.first_heat:
            parts[3:] = [(inner, line_color), (inner - min(self.dpr, inner * 0.3), color)]
        if ring:
            parts.append((inner * 0.72, canvas))
        for size, brush in parts:
            painter.setBrush(brush)
            painter.drawEllipse(centre, max(size, 0.5), max(size, 0.5))

    def _look(self, style: int) -> tuple[QColor, bool]:
        if style >= self.first_heat:
            return self.theme.heat_color((style - self.first_heat) / (HEAT_LEVELS - 1)), False
        return self.theme.community_mark(style if style < self.neutral else -1)


def _blank_atlas(width: int, height: int) -> QPixmap:
    pixmap = QPixmap(width, height)
    pixmap.fill(Qt.GlobalColor.transparent)
    return pixmap


@dataclass(frozen=True, slots=True)
class Outline:
    """An open group: what it held stands within `corners`, shape (k, 2), the same k for all, convex, in data units."""

    id: str
    name: str
    community: int
    depth: int  # 0: within no other
    corners: Floats


@dataclass(frozen=True, slots=True)
class Groups:
    """What `GraphCanvas.set_graph` is told of a graph of which some nodes stand for many."""

    radii: Floats  # (n,) in data units; 0 for a single node
    members: Ints  # (n,) how many each stands for; 1 for a single node
    facts: Ints  # (m,) how many edges each edge stands for
    frame: Floats  # (2, 2) two corners of what the whole of it takes when all is open
    words: Mapping[str, str] = field(default_factory=dict)  # said of a group by its id, one line or two
    open: Sequence[Outline] = ()  # those that hold others before these
    counts: str = ""  # said above the graph in place of the number of nodes and edges


class GroupLayer:
    """Paints outlines below everything else, and numbers upon the discs."""

    def __init__(self, arrays: GraphArrays) -> None:
        self._arrays = arrays
        self.open: Sequence[Outline] = ()
        self.words: Mapping[str, str] = {}
        self._shapes: dict[int, QPolygonF] = {}  # of the open ones that were painted, in data units
        self._boxes = _NO_BOXES  # of the open ones, their lower left and upper right corners, shape (o, 2, 2)
        self.marked = ""  # id of the open group that is chosen
        self._numbers: OrderedDict[tuple[str, int, int], QPixmap] = OrderedDict()
        self._dpr = 1.0

    def forget(self) -> None:
        """Forget the groups, for another graph."""
        self.open, self.words, self.marked = (), {}, ""
        self._shapes, self._boxes = {}, _NO_BOXES

    def show(self, groups: Groups) -> None:
        """Show the groups of the graph that the arrays hold now."""
        self.open, self.words = groups.open, groups.words
        self._shapes, self._boxes = {}, _NO_BOXES
        if self.open:
            corners = np.stack([each.corners for each in self.open])
            self._boxes = np.stack([corners.min(axis=1), corners.max(axis=1)], axis=1)

    def _shape(self, row: int) -> QPolygonF:
        """Return the outline of a group, built when it is painted first: of very many only some are."""
        if row not in self._shapes:
            self._shapes[row] = QPolygonF([QPointF(x, y) for x, y in self.open[row].corners.tolist()])
        return self._shapes[row]

    def _rows_in_view(self, camera: Camera) -> list[int]:
        """Return the outlines in view, outer ones first; of very many only the largest."""
        low, high = self._boxes[:, 0], self._boxes[:, 1]
        right, bottom = camera.to_data(camera.width, camera.height)
        visible = (
            (high[:, 0] > camera.left)
            & (low[:, 0] < right)
            & (high[:, 1] > bottom)
            & (low[:, 1] < camera.top)
        )
        rows = np.flatnonzero(visible)
        if len(rows) > _MOST_OUTLINES:
            sizes = (high - low)[rows].max(axis=1)
            rows = np.sort(rows[np.argsort(-sizes, kind="stable")[:_MOST_OUTLINES]])
        found: list[int] = rows.tolist()
        return found

    def in_view(self, camera: Camera) -> list[Outline]:
        """Return the open groups in view, outer ones first."""
        return [self.open[row] for row in self._rows_in_view(camera)]

    def restyle(self) -> None:
        """Rebuild after fonts or colours changed."""
        self._numbers.clear()

    def paint_outlines(self, painter: QPainter, camera: Camera, opacity: float) -> None:
        """Paint the open groups as faint areas, the outer ones first."""
        theme = look.current()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setOpacity(max(opacity, 0.5))
        painter.save()
        move = QTransform(
            camera.scale, 0, 0, -camera.scale, -camera.left * camera.scale, camera.top * camera.scale
        )
        painter.setTransform(move, True)
        for row in self._rows_in_view(camera):
            outline = self.open[row]
            color = theme.community_mark(outline.community)[0].name()
            marked = outline.id == self.marked
            faint = FAINT[min(outline.depth, len(FAINT) - 1)]
            painter.setBrush(mixed(color, theme.canvas, faint))
            pen = QPen(
                QColor(theme.accent) if marked else mixed(color, theme.canvas, 0.45), 2.0 if marked else 1.0
            )
            pen.setCosmetic(True)
            painter.setPen(pen)
            painter.drawPolygon(self._shape(row))
        painter.restore()
        painter.setOpacity(1.0)

    def captions(self, camera: Camera) -> list[tuple[QRect, str]]:
        """Return where the names of the open groups stand: upon the upper edge, never overlapping."""
        metrics = QFontMetricsF(look.font(look.SMALL))
        found: list[tuple[QRect, str]] = []
        for row in self._rows_in_view(camera):
            outline = self.open[row]
            room = float(self._boxes[row, 1, 0] - self._boxes[row, 0, 0]) * camera.scale - 16
            if room < _NARROWEST:
                continue
            top = int(np.argmax(outline.corners[:, 1]))
            text = metrics.elidedText(outline.name, Qt.TextElideMode.ElideRight, min(room, look.px(_WIDEST)))
            width, height = math.ceil(metrics.horizontalAdvance(text)) + 12, math.ceil(metrics.height()) + 4
            x, y = camera.to_screen(outline.corners[top : top + 1])[0].tolist()
            box = QRect(round(x - width / 2), round(y - height / 2), width, height)
            if not any(box.intersects(other) for other, _ in found):
                found.append((box, text))
        return found

    def paint_captions(self, painter: QPainter, camera: Camera) -> None:
        """Paint the names of the open groups."""
        theme = look.current()
        painter.setFont(look.font(look.SMALL))
        painter.setPen(QPen(QColor(theme.border), 1))
        for box, text in self.captions(camera):
            painter.setBrush(QColor(theme.canvas))
            painter.setPen(QPen(QColor(theme.border), 1))
            painter.drawRoundedRect(QRectF(box).adjusted(0.5, 0.5, -0.5, -0.5), 4, 4)
            painter.setPen(QColor(theme.muted))
            painter.drawText(box, int(Qt.AlignmentFlag.AlignCenter), text)

    def paint_numbers(
        self,
        painter: QPainter,
        rows: Rows,
        screen: Floats,
        radii: Floats,
        colors: Sequence[QColor],
        dpr: float,
    ) -> None:
        """How many the nodes in `rows` stand for, where a disc has room for it; colours are of the ground."""
        if dpr != self._dpr:
            self._dpr = dpr
            self._numbers.clear()
        covered = _covered_discs(screen[rows], radii[rows])
        for row, color, hidden in zip(rows.tolist(), colors, covered.tolist(), strict=True):
            radius = float(radii[row])
            if radius < _LEGIBLE or hidden:
                continue
            picture = self._number(f"{int(self._arrays.members[row]):,}", radius, color)
            if picture is None:
                continue
            x, y = screen[row].tolist()
            side = picture.deviceIndependentSize()
            spot = QPointF(round(x - side.width() / 2), round(y - side.height() / 2))
            painter.drawPixmap(spot, picture)

    def _number(self, text: str, radius: float, color: QColor) -> QPixmap | None:
        size = int(min(max(radius * 0.55, look.px(8)), look.px(18)))
        key = (text, size, color.rgb())
        if key not in self._numbers:
            face = look.font()
            face.setPixelSize(size)
            face.setBold(True)
            metrics = QFontMetricsF(face)
            width = metrics.horizontalAdvance(text)
            if width > 1.45 * radius:
                return None
            picture = QPixmap(int((width + 2) * self._dpr), int(metrics.height() * self._dpr))
            picture.setDevicePixelRatio(self._dpr)
            picture.fill(Qt.GlobalColor.transparent)
            painter = QPainter(picture)
            painter.setFont(face)
            painter.setPen(look.current().upon(color))
            painter.drawText(QPointF(1, metrics.ascent()), text)
            painter.end()
            self._numbers[key] = picture
            if len(self._numbers) > _MOST_CACHED:
                self._numbers.popitem(last=False)
        return self._numbers[key]

    def open_at(self, x: float, y: float) -> list[str]:
        """Return the ids of the open groups around a point in data units, the outer ones first."""
        return [outline.id for outline in self.open if _contains(outline.corners, x, y)]


def _covered_discs(centres: Floats, radii: Floats) -> NDArray[np.bool_]:
    """Return which discs have a smaller one upon their middle, shape (n,)."""
    if len(radii) > _MOST_COMPARED:
        return np.zeros(len(radii), np.bool_)
    way = centres[:, None] - centres[None, :]
    near = np.hypot(way[..., 0], way[..., 1]) < radii[None, :] + 0.25 * radii[:, None]
    covered: NDArray[np.bool_] = (near & (radii[None, :] < radii[:, None])).any(axis=1)
    return covered


def _contains(corners: Floats, x: float, y: float) -> bool:
    """Return whether a point lies to the left of each side of a convex polygon."""
    way = np.roll(corners, -1, axis=0) - corners
    return bool((way[:, 0] * (y - corners[:, 1]) - way[:, 1] * (x - corners[:, 0]) >= 0).all())
