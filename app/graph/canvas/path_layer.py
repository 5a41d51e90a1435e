"""A chain of facts upon the graph: numbered, with predicates, arrows as the facts are told, and what it leads to."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QLineF, QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen, QPolygonF

from app.graph.canvas.arrays import Floats
from app.graph.canvas.camera import Camera
from app.look import theme as look
from app.look.painting import paint_text
from app.session.overlay import ChainFact

_HIGH, _PAD, _WIDEST = 20, 6, 180  # pixels of a sign at 100 %
_ROOM = 60  # between two nodes for what is told there
_ARROW, _WING = 11.0, 5.0  # pixels
_APART = 26  # of a sign of the end from the node


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
        self.told = NO_WAY
        self.covered: Callable[[], Sequence[QRect]] = list  # by what lies upon the graph

    def signs(self, rows: Sequence[int], screen: Floats, radii: Floats, camera: Camera) -> list[Sign]:
        """Where what stands. `rows` of the path's nodes; `screen` (n, 2) and `radii` (n,) of all nodes, in pixels."""
        if not rows or max(rows) >= len(screen):
            return []
        places = [QPointF(*screen[row].tolist()) for row in rows]
        found: list[Sign] = []
        if len(self.told.facts) == len(rows) - 1:
            for at, fact in enumerate(self.told.facts):
                ends = [(places[end], float(radii[rows[end]]) + 3.0) for end in (at, at + 1)]
                number = str(at + 1)
                box = self._move_clear(_clear(_middle(*ends), fact.predicate, number, found, camera), camera)
                found.append(Sign(box, fact.predicate, number))
        if self.told.reaches:
            begin, end = _beyond(places, float(radii[rows[-1]]) + 3.0)
            box = _clear(end, self.told.reaches, "", found, camera)
            found.append(Sign(box, self.told.reaches, tied=(begin, box.center())))
        return found

    def _move_clear(self, box: QRectF, camera: Camera) -> QRectF:
        """The box, or where it is covered one beside what covers it."""
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
        for fact, one, other in zip(self.told.facts, rows[:-1], rows[1:], strict=False) if signs else ():
            begin, end = (one, other) if fact.forward else (other, one)
            way = QLineF(QPointF(*screen[begin].tolist()), QPointF(*screen[end].tolist()))
            arrow(painter, way, float(radii[end]) + 3.0)
        for sign in signs:
            _paint_sign(painter, sign)


def _middle(one: tuple[QPointF, float], other: tuple[QPointF, float]) -> QPointF:
    """Where a fact is told: halfway, but above both nodes where they are too near for that."""
    way = QLineF(one[0], other[0])
    middle = way.center()
    if way.length() - one[1] - other[1] < look.px(_ROOM):
        middle.setY(min(place.y() - wide for place, wide in (one, other)) - look.px(_HIGH) / 2 - 2)
    return middle


def _beyond(places: Sequence[QPointF], wide: float) -> tuple[QPointF, QPointF]:
    """From the rim of the last node to where the end is told, above or below it: signs are wide."""
    last = places[-1]
    away = last - places[-2] if len(places) > 1 else QPointF(0, 1)
    down = 1.0 if away.y() >= 0 else -1.0
    aside = away.x() / (math.hypot(away.x(), away.y()) or 1.0) * look.px(40)
    return last + QPointF(0, down * wide), last + QPointF(aside, down * (wide + look.px(_APART)))


def _clear(middle: QPointF, words: str, number: str, others: Sequence[Sign], camera: Camera) -> QRectF:
    """A box for the words around a place, out of the way of those that stand already."""
    metrics = QFontMetricsF(look.font(look.SMALL, QFont.Weight.DemiBold))
    high, most = float(look.px(_HIGH)), float(look.px(_WIDEST))
    wide = min(metrics.horizontalAdvance(words), most) + 2 * _PAD + (high if number else 0.0) + 1
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
    text_box = box.adjusted((high if sign.number else 0.0) + _PAD, 0, -_PAD, 0)
    paint_text(painter, text_box, sign.words, "text", look.SMALL, QFont.Weight.DemiBold)


def arrow(painter: QPainter, way: QLineF, gap: float, size: float = 1.0) -> None:
    """A head before the rim of the node at the end."""
    length, long, wing = way.length(), _ARROW * size, _WING * size
    if length < gap + long:
        return
    tip, back = way.pointAt(1 - gap / length), way.pointAt(1 - (gap + long) / length)
    across = QPointF(-way.dy() / length * wing, way.dx() / length * wing)
    painter.setPen(QPen(QColor(look.current().canvas), 1.5))
    painter.setBrush(QColor(look.current().accent))
    painter.drawPolygon(QPolygonF([tip, back + across, back - across]))
