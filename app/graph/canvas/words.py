"""Words on the graph: names beside nodes, what edges say near the pointer, and the facts of a path."""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QLineF, QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen, QPixmap, QPolygonF

from app.graph.canvas.arrays import Floats, Rows
from app.graph.canvas.camera import Camera
from app.look import theme as look
from app.look.painting import paint_text
from app.look.translation import tr
from app.session.overlay import ChainFact

MOST = 80  # labels on screen
WIDEST, CROWDED = 190, 130  # pixels, longer names are elided; among many large discs
_CANDIDATES = 180
_CELL = 4  # pixels of the occupancy grid
_MOST_COVERED = 40  # cells of other discs that an important label may hide
_MOST_CACHED = 600  # rendered labels
_LARGE = 20.0  # pixels of radius
_SIGN_HIGH, _SIGN_PAD, _SIGN_WIDEST = 20, 6, 180  # pixels of a sign at 100 %
_ROOM = 60  # between two nodes for what is told there
_ARROW, _WING = 11.0, 5.0  # pixels
_APART = 26  # of a sign of the end from the node
MOST_EDGE_WORDS = 12  # words on screen
_TRIED = 40  # edges, the nearest to the pointer
_NEAR = 240.0  # pixels from the pointer
_HIGH, _PAD, _WIDEST = 16, 4, 150  # pixels of a box at 100 %
_LEAST = 34.0  # pixels of an edge between the rims of its nodes
_SPOTS = (0.0, 0.12, -0.12, 0.24, -0.24)  # along the edge, from the best place


@dataclass(frozen=True, slots=True)
class Label:
    """A placed label: its node and the offset of its upper left corner from the node's centre, pixels."""

    row: int
    dx: float
    dy: float
    strong: bool


def place_labels(
    screen: Floats,
    radii: Floats,
    sizes: Floats,
    forced: int,
    strong: int,
    width: int,
    height: int,
    covered: Sequence[QRect] = (),
) -> list[tuple[int, float, float]]:
    """Greedy placement in the given order: (index, dx, dy) of the labels that found room.

    `screen` (n, 2) are node centres in order of importance, `radii` (n,) theirs, `sizes` (k, 2) the
    width and height of the first k labels, k <= n, all in pixels. Labels cover neither each other nor
    the discs of the first `strong` nodes nor `covered`; the first `strong` may cover other discs when
    there is no better place, and the first `forced` are placed in any case. The eight places around
    a point of Christensen, Marks and Shieber 1995, section 2.
    """
    labels = np.zeros((height // _CELL + 2, width // _CELL + 2), np.bool_)
    discs = labels.copy()
    for part in covered:
        _mark(labels, part.left() - 4, part.top() - 4, part.right() + 4, part.bottom() + 4)
    for index, ((x, y), radius) in enumerate(zip(screen.tolist(), radii.tolist(), strict=True)):
        half = radius * 0.7
        _mark(labels if index < strong else discs, x - half, y - half, x + half, y + half)
    placed: list[tuple[int, float, float]] = []
    count = len(sizes)
    rows = zip(screen[:count].tolist(), radii[:count].tolist(), sizes.tolist(), strict=True)
    for index, ((x, y), radius, (w, h)) in enumerate(rows):
        spots = _spots(radius, w, h)
        best, least = -1, _MOST_COVERED if index < strong else 2
        for at, (dx, dy) in enumerate(spots):
            cells = _cells(x + dx, y + dy, w, h, width, height)
            if cells is None or labels[cells].any():
                continue
            hidden = int(discs[cells].sum())
            if hidden < least:
                best, least = at, hidden
            if hidden == 0:
                break
        if best < 0 and index >= forced:
            continue
        dx, dy = spots[max(best, 0)]
        _mark(labels, x + dx - 2, y + dy, x + dx + w + 2, y + dy + h)
        placed.append((index, dx, dy))
        if len(placed) >= MOST:
            break
    return placed


def _spots(radius: float, w: float, h: float) -> tuple[tuple[float, float], ...]:
    """Return the upper left corners of a label's eight places around its node, the best ones first."""
    gap, slant = radius + 2, radius * 0.7 + 1
    right, left = (gap + 2, -h / 2), (-gap - 2 - w, -h / 2)
    below, above = (-w / 2, gap), (-w / 2, -gap - h)
    # The name of a large disc belongs below it, as wide as the disc itself.
    sides = (below, right, left, above) if radius > _LARGE else (right, below, left, above)
    return (
        *sides,
        (slant, slant),
        (slant, -slant - h),
        (-slant - w, slant),
        (-slant - w, -slant - h),
    )


def _cells(x: float, y: float, w: float, h: float, width: int, height: int) -> tuple[slice, slice] | None:
    """Return the grid cells of a box, or None where it leaves the view."""
    if x < 2 or y < 2 or x + w > width - 2 or y + h > height - 2:
        return None
    return slice(int(y) // _CELL, int(y + h) // _CELL + 1), slice(int(x) // _CELL, int(x + w) // _CELL + 1)


def _mark(taken: NDArray[np.bool_], x0: float, y0: float, x1: float, y1: float) -> None:
    top, left = max(int(y0) // _CELL, 0), max(int(x0) // _CELL, 0)
    taken[top : max(int(y1) // _CELL + 1, 0), left : max(int(x1) // _CELL + 1, 0)] = True


class LabelLayer:
    """Keeps the placed labels and their rendered pictures."""

    def __init__(self) -> None:
        self.labels: list[Label] = []
        self._pictures: OrderedDict[tuple[str, bool, bool], QPixmap] = OrderedDict()
        self._widths: dict[tuple[str, bool], float] = {}
        self._dpr, self._widest = 1.0, WIDEST
        self._set_fonts()

    def _set_fonts(self) -> None:
        self._fonts = (look.font(look.SMALL), look.font(look.SMALL + 1, QFont.Weight.DemiBold))
        self._metrics = tuple(QFontMetricsF(font) for font in self._fonts)

    def restyle(self) -> None:
        """Rebuild after fonts or colours changed."""
        self._set_fonts()
        self._pictures.clear()
        self._widths.clear()

    def place(
        self,
        names: list[str],
        rows: Rows,
        forced: int,
        strong: int,
        screen: Floats,
        radii: Floats,
        size: tuple[int, int],
        covered: Sequence[QRect] = (),
        widest: int = WIDEST,
    ) -> None:
        """Choose labels for `rows`, the most important first; `screen` and `radii` belong to them.

        The first `forced` always get one; the first `strong` are set in the larger, bolder face.
        """
        if widest != self._widest:
            self._widest = widest
            self._widths.clear()
            self._pictures.clear()
        rows = rows[:_CANDIDATES]
        boxes = np.zeros((len(rows), 2), np.float32)
        for index, row in enumerate(rows.tolist()):
            boxes[index] = self._box(names[row], index < strong)
        spots = place_labels(screen, radii, boxes, forced, strong, *size, covered)
        self.labels = [Label(int(rows[index]), dx, dy, index < strong) for index, dx, dy in spots]

    def _box(self, name: str, strong: bool) -> tuple[float, float]:
        key = (name, strong)
        metrics = self._metrics[strong]
        if key not in self._widths:
            self._widths[key] = min(metrics.horizontalAdvance(name), self._widest)
        return self._widths[key], metrics.height() - 1

    def text_of(self, name: str, strong: bool) -> tuple[str, float]:
        """Return what a label says, and its base line below its upper edge."""
        metrics = self._metrics[strong]
        return metrics.elidedText(name, Qt.TextElideMode.ElideRight, self._widest), metrics.ascent()

    def boxes(self, names: list[str], screen: Floats) -> list[QRectF]:
        """Return where labels stand, in pixels; `screen` (n, 2) are their nodes' places."""
        found = []
        for label in self.labels:
            if label.row < len(screen):
                x, y = screen[label.row].tolist()
                found.append(QRectF(x + label.dx, y + label.dy, *self._box(names[label.row], label.strong)))
        return found

    def paint(self, painter: QPainter, names: list[str], screen: Floats, vivid: set[int], dpr: float) -> None:
        """Stamp the labels at their nodes' places, shape (n, 2); `vivid` rows are in the accent colour."""
        if dpr != self._dpr:
            self._dpr = dpr
            self._pictures.clear()
        for label in self.labels:
            if label.row < len(screen):
                x, y = screen[label.row].tolist()
                picture = self._picture(names[label.row], label.strong, label.row in vivid)
                spot = QPointF(round(x + label.dx) - 3, round(y + label.dy) - 3)
                painter.drawPixmap(spot, picture)

    def _picture(self, name: str, strong: bool, vivid: bool) -> QPixmap:
        key = (name, strong, vivid)
        picture = self._pictures.get(key)
        if picture is None:
            picture = self._render(name, strong, vivid)
            self._pictures[key] = picture
            if len(self._pictures) > _MOST_CACHED:
                self._pictures.popitem(last=False)
        return picture

    def _render(self, name: str, strong: bool, vivid: bool) -> QPixmap:
        theme, metrics = look.current(), self._metrics[strong]
        text = metrics.elidedText(name, Qt.TextElideMode.ElideRight, self._widest)
        width = math.ceil(metrics.horizontalAdvance(text)) + 6
        height = math.ceil(metrics.height()) + 6
        picture = QPixmap(int(width * self._dpr), int(height * self._dpr))
        picture.setDevicePixelRatio(self._dpr)
        picture.fill(Qt.GlobalColor.transparent)
        painter = QPainter(picture)
        painter.setFont(self._fonts[strong])
        base = QPointF(3, 3 + metrics.ascent())
        # The halo is the text itself in the canvas colour, set around: far cheaper than stroked outlines.
        painter.setPen(QColor(theme.canvas))
        for angle in range(12):
            turn = angle * math.pi / 6
            painter.drawText(base + QPointF(2 * math.cos(turn), 2 * math.sin(turn)), text)
        painter.setPen(QColor(theme.accent if vivid else theme.text))
        painter.drawText(base, text)
        painter.end()
        return picture


@dataclass(frozen=True, slots=True)
class Way:
    """What is told along a path of n nodes: n - 1 facts or none, and what it leads to, "" for nothing."""

    facts: tuple[ChainFact, ...] = ()
    reaches: str = ""


NO_WAY = Way()


@dataclass(frozen=True, slots=True)
class Sign:
    """A box with words, in pixels; `number` of a fact, "" at the end. `tied` to this place by a dotted line."""

    box: QRectF
    words: str
    number: str = ""
    tied: tuple[QPointF, QPointF] | None = None


class PathLayer:
    """Painted over nodes and names; the line itself is painted below them."""

    def __init__(self) -> None:
        self.captions = NO_WAY
        self.covered: Callable[[], Sequence[QRect]] = list  # by what lies upon the graph

    def signs(self, rows: Sequence[int], screen: Floats, radii: Floats, camera: Camera) -> list[Sign]:
        """Where what stands. `rows` of the path's nodes; `screen` (n, 2) and `radii` (n,) of all nodes, in pixels."""
        if not rows or max(rows) >= len(screen):
            return []
        places = [QPointF(*screen[row].tolist()) for row in rows]
        found: list[Sign] = []
        if len(self.captions.facts) == len(rows) - 1:
            for at, fact in enumerate(self.captions.facts):
                ends = [(places[end], float(radii[rows[end]]) + 3.0) for end in (at, at + 1)]
                number = str(at + 1)
                box = self._move_clear(_clear(_middle(*ends), fact.predicate, number, found, camera), camera)
                found.append(Sign(box, fact.predicate, number))
        if self.captions.reaches:
            begin, end = _beyond(places, float(radii[rows[-1]]) + 3.0)
            box = _clear(end, self.captions.reaches, "", found, camera)
            found.append(Sign(box, self.captions.reaches, tied=(begin, box.center())))
        return found

    def _move_clear(self, box: QRectF, camera: Camera) -> QRectF:
        """Return the box, or where it is covered one beside what covers it."""
        for part in self.covered():
            if box.intersects(QRectF(part)):
                right = part.right() + 6.0
                box.moveLeft(right if right + box.width() < camera.width else part.left() - 6.0 - box.width())
        return box

    def paint(
        self, painter: QPainter, rows: Sequence[int], screen: Floats, radii: Floats, camera: Camera
    ) -> None:
        """See `signs`."""
        signs = self.signs(rows, screen, radii, camera)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for fact, one, other in zip(self.captions.facts, rows[:-1], rows[1:], strict=False) if signs else ():
            begin, end = (one, other) if fact.forward else (other, one)
            way = QLineF(QPointF(*screen[begin].tolist()), QPointF(*screen[end].tolist()))
            arrow(painter, way, float(radii[end]) + 3.0)
        for sign in signs:
            _paint_sign(painter, sign)


def _middle(one: tuple[QPointF, float], other: tuple[QPointF, float]) -> QPointF:
    """Return where a fact is written: halfway, but above both nodes where they are too near for that."""
    way = QLineF(one[0], other[0])
    middle = way.center()
    if way.length() - one[1] - other[1] < look.px(_ROOM):
        middle.setY(min(place.y() - wide for place, wide in (one, other)) - look.px(_SIGN_HIGH) / 2 - 2)
    return middle


def _beyond(places: Sequence[QPointF], wide: float) -> tuple[QPointF, QPointF]:
    """From the rim of the last node to where the end is told, above or below it: signs are wide."""
    last = places[-1]
    away = last - places[-2] if len(places) > 1 else QPointF(0, 1)
    down = 1.0 if away.y() >= 0 else -1.0
    aside = away.x() / (math.hypot(away.x(), away.y()) or 1.0) * look.px(40)
    return last + QPointF(0, down * wide), last + QPointF(aside, down * (wide + look.px(_APART)))


def _clear(middle: QPointF, words: str, number: str, others: Sequence[Sign], camera: Camera) -> QRectF:
    """Return a box for the words around a place, out of the way of those that stand already."""
    metrics = QFontMetricsF(look.font(look.SMALL, QFont.Weight.DemiBold))
    high, most = float(look.px(_SIGN_HIGH)), float(look.px(_SIGN_WIDEST))
    wide = min(metrics.horizontalAdvance(words), most) + 2 * _SIGN_PAD + (high if number else 0.0) + 1
    box = QRectF(middle.x() - wide / 2, middle.y() - high / 2, wide, high)
    box.moveLeft(min(max(box.left(), 4.0), max(camera.width - wide - 4.0, 4.0)))
    while any(box.intersects(other.box) for other in others):
        box.translate(0, high + 2)
    return box


def _paint_sign(painter: QPainter, sign: Sign) -> None:
    now, box, high = look.current(), sign.box, sign.box.height()
    if sign.tied is not None:
        painter.setPen(QPen(QColor(now.accent), 1.5, Qt.PenStyle.DotLine))
        painter.drawLine(*sign.tied)
    painter.setPen(QPen(QColor(now.accent), 1.0))
    painter.setBrush(QColor(now.surface))
    painter.drawRoundedRect(box, high / 2, high / 2)
    if sign.number:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(now.accent))
        circle, centre = QRectF(box.left(), box.top(), high, high), Qt.AlignmentFlag.AlignCenter
        painter.drawEllipse(circle)
        paint_text(painter, circle, sign.number, "on_accent", look.SMALL, QFont.Weight.DemiBold, centre)
    text_box = box.adjusted((high if sign.number else 0.0) + _SIGN_PAD, 0, -_SIGN_PAD, 0)
    paint_text(painter, text_box, sign.words, "text", look.SMALL, QFont.Weight.DemiBold)


def arrow(painter: QPainter, way: QLineF, gap: float, size: float = 1.0) -> None:
    """Paint an arrowhead before the rim of the node at the end."""
    length, long, wing = way.length(), _ARROW * size, _WING * size
    if length < gap + long:
        return
    tip, back = way.pointAt(1 - gap / length), way.pointAt(1 - (gap + long) / length)
    across = QPointF(-way.dy() / length * wing, way.dx() / length * wing)
    painter.setPen(QPen(QColor(look.current().canvas), 1.5))
    painter.setBrush(QColor(look.current().accent))
    painter.drawPolygon(QPolygonF([tip, back + across, back - across]))


@dataclass(frozen=True, slots=True)
class EdgeWord:
    """The strongest fact of an edge: its predicate, whether it leads away from the node, how many others there are."""

    predicate: str
    forward: bool
    more: int = 0

    @property
    def words(self) -> str:
        return (
            tr("{predicate} +{count}", predicate=self.predicate, count=self.more)
            if self.more
            else self.predicate
        )


@dataclass(frozen=True, slots=True)
class PlacedWord:
    """Words in a box of pixels, beside an edge from the node `row` of the fact's subject to that of its object."""

    box: QRectF
    words: str
    subject: int
    object: int


class EdgeWords:
    """`node` is the row of the one whose edges speak, -1 for none; `by_row`: of the row of the other end."""

    def __init__(self) -> None:
        self.node = -1
        self.by_row: Mapping[int, EdgeWord] = {}
        self.pointer: QPointF | None = None  # None: it is elsewhere

    def forget(self) -> None:
        self.node, self.by_row = -1, {}

    def placed(
        self,
        screen: Floats,
        radii: Floats,
        camera: Camera,
        covered: Sequence[QRectF] = (),
        there: NDArray[np.bool_] | None = None,
    ) -> list[PlacedWord]:
        """What is written where. `screen` (n, 2), `radii` (n,) and `there` (n,) are those of all nodes, in pixels."""
        rows = np.array([row for row in self.by_row if row < len(screen)], np.intp)
        if there is not None:
            rows = rows[there[rows]]
        if not 0 <= self.node < len(screen) or not len(rows):
            return []
        centre = screen[self.node]
        ways = screen[rows] - centre
        length = np.maximum(np.hypot(ways[:, 0], ways[:, 1]), 1e-6)
        rims = float(radii[self.node]), radii[rows]
        room = length - rims[0] - rims[1]
        best, point = np.full(len(rows), 0.55), self.pointer
        if point is not None:
            best = ((np.array([point.x(), point.y()]) - centre) * ways).sum(axis=1) / length**2
        # Never upon a node: between the rims, and a little off them.
        best = np.clip(best, (rims[0] + 0.25 * room) / length, (rims[0] + 0.75 * room) / length)
        close = room >= look.px(int(_LEAST))
        gaps = np.arange(len(rows), dtype=np.float64)  # without a pointer those told first, the strongest
        if point is not None:
            gaps = np.hypot(*(centre + ways * best[:, None] - (point.x(), point.y())).T)
            close &= gaps < look.px(int(_NEAR))
        order = np.flatnonzero(close)[np.argsort(gaps[close], kind="stable")][:_TRIED]
        taken = [(part.left(), part.top(), part.right(), part.bottom()) for part in covered]
        discs = np.array([self.node, *rows[order]], np.intp)
        taken += [
            (x - r, y - r, x + r, y + r)
            for (x, y), r in zip(screen[discs].tolist(), radii[discs].tolist(), strict=True)
        ]
        return self._thinned(order.tolist(), rows, centre, ways, best, taken, camera)

    def _thinned(
        self,
        order: list[int],
        rows: NDArray[np.intp],
        centre: Floats,
        ways: Floats,
        best: NDArray[np.float64],
        taken: list[tuple[float, float, float, float]],
        camera: Camera,
    ) -> list[PlacedWord]:
        """One after the other, where its box lies on none that stands already."""
        metrics, high = QFontMetricsF(look.font(look.SMALL)), float(look.px(_HIGH))
        boxes = np.zeros((len(taken) + MOST_EDGE_WORDS, 4))
        boxes[: len(taken)] = taken
        count, found = len(taken), list[PlacedWord]()
        for at in order:
            row = int(rows[at])
            word = self.by_row[row]
            wide = min(metrics.horizontalAdvance(word.words), float(look.px(_WIDEST))) + 2 * _PAD + 1
            for aside in _SPOTS:
                x, y = (centre + ways[at] * np.float32(best[at] + aside * min(1.0, best[at]))).tolist()
                box = (x - wide / 2, y - high / 2, x + wide / 2, y + high / 2)
                if box[0] < 2 or box[1] < 2 or box[2] > camera.width - 2 or box[3] > camera.height - 2:
                    continue
                own = boxes[:count]
                apart = (
                    (own[:, 2] <= box[0])
                    | (own[:, 0] >= box[2])
                    | (own[:, 3] <= box[1])
                    | (own[:, 1] >= box[3])
                )
                if apart.all():
                    boxes[count] = box
                    count += 1
                    ends = (self.node, row) if word.forward else (row, self.node)
                    found.append(PlacedWord(QRectF(box[0], box[1], wide, high), word.words, *ends))
                    break
            if len(found) == MOST_EDGE_WORDS:
                break
        return found

    def paint(self, painter: QPainter, placed: Sequence[PlacedWord], screen: Floats, radii: Floats) -> None:
        """Arrows first, so that no word is crossed."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for each in placed:
            way = QLineF(QPointF(*screen[each.subject].tolist()), QPointF(*screen[each.object].tolist()))
            arrow(painter, way, float(radii[each.object]) + 1.0, 0.7)
        ground = QColor(look.current().canvas)
        ground.setAlphaF(0.88)
        for each in placed:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(ground)
            painter.drawRoundedRect(each.box, 4, 4)
            paint_text(painter, each.box.adjusted(_PAD, 0, -_PAD, 0), each.words, "accent", look.SMALL)
