"""The heat of A, of B, and how far they are apart, on one layout, seen through one camera."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPoint, QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QEnterEvent,
    QFont,
    QFontMetricsF,
    QImage,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPolygonF,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.look import theme
from app.look.painting import paint_text, rounded, smooth
from app.look.translation import tr
from app.widgets.accessible import Part, Role, Spoken, announce_focus, speak
from core.text.escape_controls import escape_controls
from core.types import CommonLayout

Floats = NDArray[np.float64]
_HIGH, _HEAD = 240, 24  # pixels at 100 %: a pane, and its heading
_THIRD = 680  # from this width on the difference stands beside both, else below them
_SPAN = 500  # times as hot as what is drawn coldest; what is colder is a faint dot
_HOTTEST = 40  # entities of either side that the first view makes room for
_NAMED = 7  # of a pane
_SMALL, _LARGE = 2.5, 8.5  # radius in pixels, cold and hot
_NEAR, _RING = 14, 12  # pixels: from the pointer, and around what is lit
_CLOSEST, _FARTHEST = 0.2, 40.0  # zoom, of the first view


@dataclass(frozen=True, slots=True)
class Hot:
    """One entity that is hot on a side; shares of the walk, 0 to 1."""

    id: str
    name: str
    a: float
    b: float


class HeatPanes(QWidget):
    """The wheel (with Ctrl, or once it has the keyboard), + and - zoom, dragging moves, 0 shows all that is hot; Up
    and Down go through what differs most. Signals: chosen(entity id), pointed(entity id, "" for none)."""

    chosen = Signal(str)
    pointed = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._hot: tuple[Hot, ...] = ()
        self._all = self._at = np.zeros((0, 2))
        self._lit = -1
        self._centre, self._scale, self._fitted = QPointF(), 1.0, 1.0
        self._dragged: QPointF | None = None
        self._moved = False
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        speak(self, Spoken(Role.List, self._parts, lambda: self._lit))
        self.setAccessibleName(tr("Heat of both sides"))
        theme.follow(self, self._fit_height)

    def show_heat(self, layout: CommonLayout, a: dict[str, float], b: dict[str, float]) -> None:
        """Shares by entity id; who has no place in the layout is not drawn. What differs most comes first."""
        rows = {id: row for row, id in enumerate(layout.ids) if id in a or id in b}
        found = [Hot(id, layout.names[row], a.get(id, 0.0), b.get(id, 0.0)) for id, row in rows.items()]
        self._hot = tuple(sorted(found, key=lambda hot: -abs(hot.a - hot.b)))
        self._all = layout.positions.astype(np.float64)
        self._at = self._all[[rows[hot.id] for hot in self._hot]].reshape(-1, 2)
        self._lit = -1
        self.fit()

    @property
    def lit(self) -> Hot | None:
        return self._hot[self._lit] if 0 <= self._lit < len(self._hot) else None

    def fit(self) -> None:
        """Show what is hottest on either side."""
        order = np.argsort([-max(hot.a, hot.b) for hot in self._hot], kind="stable")[:_HOTTEST]
        points = self._at[order] if len(order) else self._all
        if not len(points):
            return
        low, high = points.min(axis=0), points.max(axis=0)
        room = self.panes()[0].adjusted(28, theme.px(_HEAD) + 20, -28, -20)
        sides = np.maximum(high - low, 1e-3)
        self._scale = self._fitted = max(min(room.width() / sides[0], room.height() / sides[1]), 1e-6)
        self._centre = QPointF(*((low + high) / 2))
        self.update()

    # ------------------------------------------------------------ places

    def sizeHint(self) -> QSize:
        return QSize(theme.px(560), self.height())

    @property
    def _in_a_row(self) -> bool:
        return self.width() >= theme.px(_THIRD)

    def _fit_height(self) -> None:
        high = theme.px(_HIGH)
        self.setFixedHeight(high if self._in_a_row else 2 * high + theme.WITHIN)

    def panes(self) -> list[QRect]:
        """A, B, and the difference."""
        high, count = theme.px(_HIGH), 3 if self._in_a_row else 2
        wide = (self.width() - (count - 1) * theme.WITHIN) // count
        rects = [QRect(at * (wide + theme.WITHIN), 0, wide, high) for at in range(count)]
        return rects if self._in_a_row else [*rects, QRect(0, high + theme.WITHIN, self.width(), high)]

    def _points(self, pane: QRect, xy: Floats) -> Floats:
        """Pixels of data points, both of shape (n, 2); up is up."""
        middle = QRectF(pane.adjusted(0, theme.px(_HEAD), 0, 0)).center()
        shift = (middle.x() - self._centre.x() * self._scale, middle.y() + self._centre.y() * self._scale)
        points: Floats = xy * np.array([self._scale, -self._scale]) + np.array(shift)
        return points

    def place(self, hot: Hot, pane: int = 0) -> QPoint:
        """Return where an entity stands in a pane."""
        at = self._points(self.panes()[pane], self._at[[self._hot.index(hot)]])[0]
        return QPointF(*at).toPoint()

    # ------------------------------------------------------------ painting

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = smooth(self)
        painters: tuple[Callable[[QPainter, QRect], None], ...] = (
            partial(self._paint_side, left=True),
            partial(self._paint_side, left=False),
            self._paint_difference,
        )
        for pane, paint in zip(self.panes(), painters, strict=True):
            rounded(painter, pane, "accent" if self.hasFocus() else "border", "canvas")
            painter.save()
            painter.setClipRect(pane.adjusted(2, 2, -2, -2))
            painter.drawImage(pane.topLeft(), self._dots(pane))
            paint(painter, pane)
            painter.restore()
        painter.end()

    def _dots(self, pane: QRect) -> QImage:
        """Return a picture of all that has a place, faintly."""
        image = QImage(pane.size(), QImage.Format.Format_ARGB32_Premultiplied)
        image.fill(Qt.GlobalColor.transparent)
        at = self._points(pane.translated(-pane.topLeft()), self._all).astype(np.int64)
        inside = ((at >= 2) & (at < [pane.width() - 3, pane.height() - 3])).all(axis=1)
        x, y = at[inside].T
        pixels = np.frombuffer(image.bits(), np.uint32).reshape(image.height(), image.bytesPerLine() // 4)
        for dx, dy in ((0, 0), (1, 0), (0, 1), (1, 1)):
            pixels[y + dy, x + dx] = theme.current().color("border").rgb()
        return image

    def _paint_side(self, painter: QPainter, pane: QRect, left: bool) -> None:
        values = np.array([hot.a if left else hot.b for hot in self._hot])
        low, high = self._range()
        order = np.argsort(values, kind="stable")
        at = self._points(pane, self._at)
        drawn: list[tuple[int, QRectF]] = []
        for row in order[values[order] >= low].tolist():
            warm = math.log(values[row] / low) / math.log(high / low) if high > low else 1.0
            radius = theme.px(100) / 100 * (_SMALL + (_LARGE - _SMALL) * warm)
            painter.setPen(QPen(theme.current().color("canvas"), 1))
            painter.setBrush(theme.current().heat_color(warm))
            drawn.append((row, self._disc(painter, QPointF(*at[row]), radius)))
        names = [(row, box) for row, box in drawn[::-1]]
        self._finish(painter, pane, "A" if left else "B", tr("share of the walk"), names)
        if not drawn:
            words = tr("This way walks no graph: it has no heat.")
            paint_text(painter, pane, words, "muted", place=Qt.AlignmentFlag.AlignHCenter)

    def _paint_difference(self, painter: QPainter, pane: QRect) -> None:
        at = self._points(pane, self._at)
        most = max((abs(hot.a - hot.b) for hot in self._hot), default=0.0)
        drawn: list[tuple[int, QRectF]] = []
        for row in range(len(self._hot) - 1, -1, -1):
            hot = self._hot[row]
            share = abs(hot.a - hot.b) / most if most else 0.0
            if share < 0.02:
                continue
            radius = theme.px(100) / 100 * (_SMALL + (_LARGE - _SMALL) * math.sqrt(share))
            painter.setPen(QPen(theme.current().color("canvas"), 1))
            painter.setBrush(theme.current().color("accent" if hot.a > hot.b else "warn"))
            shape = self._disc if hot.a > hot.b else self._diamond
            drawn.append((row, shape(painter, QPointF(*at[row]), radius)))
        words = tr("\u25cf more in A   \u25c6 more in B")
        self._finish(painter, pane, tr("Difference"), words, drawn[::-1])
        if not drawn and self._hot:
            words = tr("Both sides have the same heat.")
            paint_text(painter, pane, words, "muted", place=Qt.AlignmentFlag.AlignHCenter)

    @staticmethod
    def _disc(painter: QPainter, at: QPointF, radius: float) -> QRectF:
        painter.drawEllipse(at, radius, radius)
        return QRectF(at.x() - radius, at.y() - radius, 2 * radius, 2 * radius)

    @staticmethod
    def _diamond(painter: QPainter, at: QPointF, radius: float) -> QRectF:
        far = radius * 1.25
        ends = ((0, -far), (far, 0), (0, far), (-far, 0))
        painter.drawPolygon(QPolygonF([at + QPointF(x, y) for x, y in ends]))
        return QRectF(at.x() - far, at.y() - far, 2 * far, 2 * far)

    def _finish(
        self, painter: QPainter, pane: QRect, title: str, words: str, marks: list[tuple[int, QRectF]]
    ) -> None:
        """Names beside the marks, the largest first, where nothing stands yet; the lit one; the heading."""
        taken: list[QRectF] = []
        first = [(row, box) for row, box in marks if row == self._lit]
        for row, box in [*first, *(each for each in marks if each[0] != self._lit)][: 3 * _NAMED]:
            if len(taken) < _NAMED:
                ring = QRectF(0, 0, 2 * theme.px(_RING), 2 * theme.px(_RING))
                ring.moveCenter(box.center())
                self._name(painter, pane, row, box | ring if row == self._lit else box, taken)
        if (lit := self.lit) is not None:
            middle = QPointF(*self._points(pane, self._at[[self._lit]])[0])
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(theme.current().color("accent"), 2))
            painter.drawEllipse(middle, theme.px(_RING), theme.px(_RING))
            words = tr(
                "{name}: {a} in A, {b} in B", name=escape_controls(lit.name), a=_share(lit.a), b=_share(lit.b)
            )
        head = QRect(pane.left() + theme.WITHIN, pane.top(), pane.width() - 2 * theme.WITHIN, theme.px(_HEAD))
        painter.fillRect(head.adjusted(-theme.WITHIN, 2, theme.WITHIN, 0), theme.current().color("surface"))
        wide = paint_text(painter, head, title, weight=QFont.Weight.DemiBold) + theme.WITHIN
        paint_text(painter, head.adjusted(wide, 0, 0, 0), words, "muted", theme.SMALL)

    def _name(self, painter: QPainter, pane: QRect, row: int, box: QRectF, taken: list[QRectF]) -> None:
        name = escape_controls(self._hot[row].name)
        metrics = QFontMetricsF(theme.font(theme.SMALL))
        wide = min(metrics.horizontalAdvance(name) + 4, theme.px(150))
        room = QRectF(box.right() + 2, box.center().y() - metrics.height() / 2, wide, metrics.height())
        if room.right() > pane.right() - 4:
            room.moveRight(box.left() - 2)
        inside = QRectF(pane.adjusted(2, theme.px(_HEAD), -2, -2)).contains(room)
        if inside and not any(room.intersects(other) for other in taken):
            taken.append(room)
            ground = theme.current().color("canvas")
            ground.setAlpha(200)
            painter.fillRect(room, ground)
            paint_text(painter, room, name, size=theme.SMALL)

    def _range(self) -> tuple[float, float]:
        """Coldest that is drawn and hottest, of both sides, above 0."""
        values = [value for hot in self._hot for value in (hot.a, hot.b) if value > 0]
        hottest = max(values, default=1.0)
        return max(min(values, default=1.0), hottest / _SPAN), hottest

    # ------------------------------------------------------------ the hand

    def _parts(self) -> list[Part]:
        found = []
        for at, hot in enumerate(self._hot):
            words = tr("{a} in A, {b} in B", a=_share(hot.a), b=_share(hot.b))
            spot = self.place(hot)
            found.append(Part(hot.name, words, QRect(spot.x() - 6, spot.y() - 6, 12, 12), at == self._lit))
        return found

    def _light(self, at: int) -> None:
        if at != self._lit:
            self._lit = at
            lit = self.lit
            self.pointed.emit(lit.id if lit else "")
            self.update()

    def _under(self, point: QPointF) -> int:
        pane = next((each for each in self.panes() if each.contains(point.toPoint())), None)
        if pane is None or not len(self._at):
            return -1
        away = np.hypot(*(self._points(pane, self._at) - np.array([point.x(), point.y()])).T)
        nearest = int(np.argmin(away))
        return nearest if away[nearest] <= theme.px(_NEAR) else -1

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._dragged, self._moved = event.position(), False

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._dragged is None or not event.buttons() & Qt.MouseButton.LeftButton:
            self._light(self._under(event.position()))
            return
        way = event.position() - self._dragged
        self._moved = self._moved or way.manhattanLength() > 3
        if self._moved:
            self._dragged = event.position()
            self._centre += QPointF(-way.x() / self._scale, way.y() / self._scale)
            self.update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._dragged = None
        if not self._moved:
            self._light(self._under(event.position()))
            if (lit := self.lit) is not None:
                self.chosen.emit(lit.id)

    def leaveEvent(self, event: QEnterEvent) -> None:  # type: ignore[override]
        if not self.hasFocus():
            self._light(-1)

    def wheelEvent(self, event: QWheelEvent) -> None:
        if not (self.hasFocus() or event.modifiers() & Qt.KeyboardModifier.ControlModifier):
            event.ignore()  # the panel scrolls
            return
        point = event.position()
        pane = next((each for each in self.panes() if each.contains(point.toPoint())), self.panes()[0])
        middle = QRectF(pane.adjusted(0, theme.px(_HEAD), 0, 0)).center()
        self._zoom(1.2 ** (event.angleDelta().y() / 120), point - middle)

    def _zoom(self, factor: float, around: QPointF) -> None:
        """`around`: pixels from the middle of a pane that keep their place."""
        wanted = self._scale * factor
        scale = min(max(wanted, self._fitted * _CLOSEST), self._fitted * _FARTHEST)
        away = 1 / self._scale - 1 / scale
        self._centre += QPointF(around.x() * away, -around.y() * away)
        self._scale = scale
        self.update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_height()
        self.fit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}.get(Qt.Key(event.key()), 0)
        zoom = {Qt.Key.Key_Plus: 1.25, Qt.Key.Key_Equal: 1.25, Qt.Key.Key_Minus: 0.8}.get(Qt.Key(event.key()))
        if step and self._hot:
            self._light(max(0, min(self._lit + step, len(self._hot) - 1)))
            announce_focus(self, self._lit)
        elif zoom is not None:
            self._zoom(zoom, QPointF())
        elif event.key() == Qt.Key.Key_0:
            self.fit()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.lit is not None:
            self.chosen.emit(self.lit.id)
        else:
            super().keyPressEvent(event)


def _share(value: float) -> str:
    """Of the walk's mass."""
    return f"{value:.1%}" if value >= 0.001 or not value else tr("under 0.1%")
