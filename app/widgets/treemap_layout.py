"""Where the areas of a treemap lie: squarified, and nested two levels deep."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF

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
    """Where the row that begins at `at` ends: one more would make its worst rectangle longer."""
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
    """The room that an area with a strip leaves to those inside it."""
    return rect.adjusted(EDGE, px(HEADER), -EDGE, -EDGE)


def tiles(below: Mapping[int | None, Sequence[TreemapItem]], place: int | None, rect: QRectF) -> list[Tile]:
    """All areas below a place, each followed by those inside it. `below`: largest first."""
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
    """How far a tile is in a direction; infinite where it does not lie there."""
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
