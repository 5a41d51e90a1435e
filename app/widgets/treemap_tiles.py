"""Where the areas of a treemap lie, squarified and nested two levels deep, and how each is painted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen

from app.look import theme as look
from app.look.colors import mixed
from app.look.theme import px

HEADER = 20  # pixels of the strip that names an area which holds others
EDGE = 2  # left free around the areas inside
NEST_WIDTH, NEST_HEIGHT = 44, 46  # smaller areas show nothing of what they hold


@dataclass(frozen=True, slots=True)
class TreemapItem:
    """What an area stands for. `weight` > 0 gives its size, `colour` is the number of a community's mark."""

    id: int
    parent: int | None
    weight: float
    label: str
    colour: int = -1
    detail: str = ""  # said with the label, in plain words


@dataclass(frozen=True, slots=True)
class Tile:
    """An item and the rectangle that it got. Depth 1 lies in the place that is shown, 2 within a tile."""

    item: TreemapItem
    rect: QRectF
    depth: int
    holds: int = 0  # items below it
    header: bool = False  # whether they are drawn inside, under a strip with its name


def squarify(weights: Sequence[float], rect: QRectF) -> list[QRectF]:
    """Rectangles that fill `rect`, areas in proportion to the weights, as near to squares as a greedy
    choice gets. Weights: above 0, the largest first. Bruls, Huizing and van Wijk 2000, section 3.
    """
    if rect.width() <= 0 or rect.height() <= 0:
        return [QRectF(rect.topLeft(), rect.topLeft()) for _ in weights]
    scale = rect.width() * rect.height() / (sum(weights) or 1.0)
    areas = [weight * scale for weight in weights]
    found: list[QRectF] = []
    free, at = QRectF(rect), 0
    while at < len(areas):
        end = _row_end(areas, at, min(free.width(), free.height()))
        if end == len(areas):  # the rest, whatever rounding left of it
            return found + _row(areas[at:end], free, fill=True)[0]
        row, free = _row(areas[at:end], free)
        found += row
        at = end
    return found


def _row_end(areas: Sequence[float], at: int, side: float) -> int:
    """Return where the row that begins at `at` ends: one more would make its worst rectangle longer."""
    if side <= 0:  # the larger ones took all, to the last digit
        return len(areas)
    total, worst, end = 0.0, float("inf"), at
    while end < len(areas):
        longer = total + areas[end]
        square, side_square = longer * longer, side * side
        ratio = max(side_square * areas[at] / square, square / (side_square * areas[end])) if square else 1.0
        if ratio > worst:
            break
        total, worst, end = longer, ratio, end + 1
    return max(end, at + 1)


def _row(areas: Sequence[float], free: QRectF, fill: bool = False) -> tuple[list[QRectF], QRectF]:
    """Lay one row along the shorter side; returns it and what is left. fill: it takes all there is."""
    total, found, done = sum(areas), [], 0.0
    upright = free.width() >= free.height()  # a column at the left, else a line at the top
    long, wide = (free.height(), free.width()) if upright else (free.width(), free.height())
    thick = wide if fill or long <= 0 else min(total / long, wide)
    for area in areas:
        begin, done = done, done + area
        low, high = (long * begin / total, long * done / total) if total else (0.0, 0.0)
        if upright:
            found.append(QRectF(free.left(), free.top() + low, thick, high - low))
        else:
            found.append(QRectF(free.left() + low, free.top(), high - low, thick))
    left = free.adjusted(thick, 0, 0, 0) if upright else free.adjusted(0, thick, 0, 0)
    return found, left


def inner(rect: QRectF) -> QRectF:
    """Return the room that an area with a strip leaves to those inside it."""
    return rect.adjusted(EDGE, px(HEADER), -EDGE, -EDGE)


def tiles(below: Mapping[int | None, Sequence[TreemapItem]], place: int | None, rect: QRectF) -> list[Tile]:
    """Return all areas below a place, each followed by those inside it. `below`: largest first."""
    found: list[Tile] = []
    upper = below.get(place, ())
    for item, area in zip(upper, squarify([item.weight for item in upper], rect), strict=True):
        children = below.get(item.id, ())
        nested = bool(children) and area.width() >= px(NEST_WIDTH) and area.height() >= px(NEST_HEIGHT)
        found.append(Tile(item, area, 1, len(children), nested))
        if nested:
            inside = squarify([child.weight for child in children], inner(area))
            for child, spot in zip(children, inside, strict=True):
                found.append(Tile(child, spot, 2, len(below.get(child.id, ()))))
    return found


def nearest(found: Sequence[Tile], at: int, across: int, down: int) -> int:
    """The tile of the same depth next to tile `at` in a direction (-1, 0 or 1 each); itself at the rim."""
    here, depth = found[at].rect, found[at].depth
    middle, best, chosen = here.center(), float("inf"), at
    for place, tile in enumerate(found):
        if place == at or tile.depth != depth:
            continue
        away = _away(here, tile.rect, middle, across, down)
        if away < best:
            best, chosen = away, place
    return chosen


def _away(here: QRectF, other: QRectF, middle: QPointF, across: int, down: int) -> float:
    """Return how far a tile is in a direction; infinite where it does not lie there."""
    if across:
        gap = other.left() - here.right() if across > 0 else here.left() - other.right()
        aside = _outside(middle.y(), other.top(), other.bottom())
        centre = abs(other.center().y() - middle.y())
    else:
        gap = other.top() - here.bottom() if down > 0 else here.top() - other.bottom()
        aside = _outside(middle.x(), other.left(), other.right())
        centre = abs(other.center().x() - middle.x())
    if gap < -0.5:
        return float("inf")
    # What lies straight ahead comes first, then the near, then what is centred best.
    return max(gap, 0.0) + 2.0 * aside + 1e-3 * centre


def _outside(value: float, low: float, high: float) -> float:
    return max(low - value, value - high, 0.0)


LABEL_WIDTH, LABEL_HEIGHT = 38, 18  # smaller areas are named by their tooltip only
LINES = 4  # of a name
STUMP = 4  # letters of a name that is cut
_FRAME, _FILL, _LIT = 0.78, 0.2, 0.36  # share of the colour over the surface


@lru_cache(maxsize=512)
def tint(colour: str, surface: str, share: float) -> str:
    """Return a colour over a surface, as `#rrggbb`."""
    return mixed(colour, surface, share).name()


@lru_cache(maxsize=512)
def ink(fill: str, preferred: str) -> str:
    """Return the colour of text upon a fill: the theme's where it has 4.5:1, else black or white (one has)."""
    if look.contrast(fill, preferred) >= 4.5:
        return preferred
    return max(("#000000", "#ffffff"), key=lambda one: look.contrast(fill, one))


def fill_of(tile: Tile, lit: bool = False) -> str:
    """Return what a tile is filled with."""
    theme = look.current()
    colour = theme.community_mark(tile.item.colour)[0].name()
    share = _FRAME if tile.header else _LIT if lit else _FILL
    return tint(colour, theme.surface, share)


def box_of(tile: Tile) -> QRect:
    """Return the pixels of a tile: whole ones, with a gap to its neighbours where there is room for one."""
    rect = tile.rect
    sides = (rect.left(), rect.top(), rect.right(), rect.bottom())
    left, top, right, bottom = (round(side) for side in sides)
    gap = 2 if tile.depth == 1 else 1
    across = gap if right - left > 3 * gap else 0
    down = gap if bottom - top > 3 * gap else 0
    return QRect(left, top, max(right - left - across, 1), max(bottom - top - down, 1))


def paint_tile(painter: QPainter, tile: Tile, lit: bool = False) -> None:
    """Fill, edge and name of one tile."""
    theme, box = look.current(), box_of(tile)
    fill = fill_of(tile, lit)
    colour, ring = theme.community_mark(tile.item.colour)
    round_ = 4 if min(box.width(), box.height()) >= 20 else 0
    if round_ == 0:  # most of thousands: plain rectangles are drawn ten times faster
        painter.fillRect(box, colour)
        if min(box.width(), box.height()) > 2:
            painter.fillRect(box.adjusted(1, 1, -1, -1), QColor(fill))
        return
    painter.setPen(QPen(colour, 1))
    painter.setBrush(QColor(fill))
    painter.drawRoundedRect(QRectF(box).adjusted(0.5, 0.5, -0.5, -0.5), round_, round_)
    painter.setPen(QColor(ink(fill, theme.text)))
    if tile.header:
        _header(painter, tile, box, ring)
    elif box.width() >= look.px(LABEL_WIDTH) and box.height() >= look.px(LABEL_HEIGHT):
        _name(painter, tile, box, ring and tile.depth == 1)


def _header(painter: QPainter, tile: Tile, box: QRect, ring: bool) -> None:
    strip = QRectF(box.left() + 6, box.top(), box.width() - 12, look.px(HEADER))
    if ring:
        _second_mark(painter, strip)
        strip.setLeft(strip.left() + 14)
    face = look.font(look.SMALL, QFont.Weight.DemiBold)
    painter.setFont(face)
    metrics = QFontMetricsF(face)
    size = f"{tile.item.weight:,.0f}"
    wide = metrics.horizontalAdvance(size)
    if strip.width() > wide + 60:
        painter.drawText(strip, int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight), size)
        strip.setRight(strip.right() - wide - 6)
    words = shortened(tile.item.label, metrics, strip.width())
    painter.drawText(strip, int(Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine), words)


def _second_mark(painter: QPainter, strip: QRectF) -> None:
    """The ring of a community whose colour another one has too."""
    pen = painter.pen()
    painter.setPen(QPen(pen.color(), 2))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawEllipse(QPointF(strip.left() + 4, strip.center().y()), 4, 4)
    painter.setPen(pen)


def _name(painter: QPainter, tile: Tile, box: QRect, ring: bool) -> None:
    face = look.font(look.SMALL)
    metrics = QFontMetricsF(face)
    room = QRectF(box).adjusted(7, 5, -6, -4)
    if room.height() < metrics.height():
        room = QRectF(box).adjusted(7, 0, -6, 0)
    if ring and room.width() > 60:
        _second_mark(painter, QRectF(room.left(), room.top(), room.width(), metrics.height()))
        room.setLeft(room.left() + 14)
    painter.setFont(face)
    height = metrics.lineSpacing()
    fits = max(int((room.height() + 2) // height), 1)
    lines = wrapped(tile.item.label, metrics, room.width(), min(fits, LINES))
    size = f"{tile.item.weight:,.0f}"
    if len(lines) < fits and metrics.horizontalAdvance(size) <= room.width():
        lines.append(size)
    top = room.top() if fits > 1 else room.center().y() - metrics.height() / 2
    flags = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine)
    for row, line in enumerate(lines):
        painter.drawText(QRectF(room.left(), top + row * height, room.width(), metrics.height()), flags, line)


def wrapped(text: str, metrics: QFontMetricsF, width: float, most: int) -> list[str]:
    """Return a text in at most so many lines of a width; what is left over is shortened at its end."""
    words, lines = text.split(), [""]
    if any(metrics.horizontalAdvance(word) > width for word in words[:2]):
        most = 1  # a column of stumps tells nobody anything
    for at, word in enumerate(words):
        longer = f"{lines[-1]} {word}".strip()
        if metrics.horizontalAdvance(longer) <= width or not lines[-1]:
            lines[-1] = longer
        elif len(lines) < most:
            lines.append(word)
        else:
            lines[-1] = " ".join([lines[-1], *words[at:]])
            break
    return [elided for line in lines if (elided := shortened(line, metrics, width))]


def shortened(text: str, metrics: QFontMetricsF, width: float) -> str:
    """A text cut to a width in pixels; nothing where less than `STUMP` letters are left: these say nothing."""
    elided = metrics.elidedText(text, Qt.TextElideMode.ElideRight, width)
    return elided if elided == text or len(elided.rstrip("\u2026")) >= STUMP else ""


def paint_rings(painter: QPainter, tile: Tile, chosen: bool, focused: bool, hovered: bool) -> None:
    """Outlines of a tile's states, told apart by their breadth and place, not by their colour alone."""
    theme, rect = look.current(), QRectF(box_of(tile))
    if min(rect.width(), rect.height()) < 8:  # a ring must be seen around the smallest
        grow = (8 - min(rect.width(), rect.height())) / 2
        rect.adjust(-grow, -grow, grow, grow)
    painter.setBrush(Qt.BrushStyle.NoBrush)

    def ring(inset: float, width: float, role: str) -> None:
        painter.setPen(QPen(theme.color(role), width))
        painter.drawRoundedRect(rect.adjusted(inset, inset, -inset, -inset), 3, 3)

    if hovered and not chosen:
        ring(0.5, 1, "text")
    if chosen:
        ring(2.0, 4, "accent")
    if focused:  # outside the other, so that both are seen
        ring(1.0, 2, "text")
