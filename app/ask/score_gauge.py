"""The route gauge: a score from 0 to 1 between two thresholds, and the features that moved it, in words."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFocusEvent,
    QFont,
    QFontMetrics,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPolygonF,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.look import theme as look
from app.look.colors import mixed
from app.look.counting import listed
from app.look.motion import MOTION_MS, Glide
from app.look.painting import paint_text, smooth
from app.look.plain_text import tooltip
from app.look.translation import tr
from app.widgets.accessible import Part, Role, Spoken, announce_focus, speak

MOST = 5  # features shown
_BAR_TOP, _BAR_HEIGHT, _ROW = 30, 26, 20
_SIDE = 2  # pixels kept free left and right of the bar


class ScoreGauge(QWidget):
    """Zones left to right; clicking one, or arrow keys and Enter, asks for it with `zone_chosen`."""

    zone_chosen = Signal(str)

    def __init__(
        self, zones: tuple[str, str, str] = ("dense", "fusion", "graph"), parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._zones = zones
        self._score, self._low, self._high = 0.0, 1 / 3, 2 / 3
        self._zone, self._forced, self._empty = zones[0], False, True
        self._needle = 0.0
        self._features: list[tuple[str, float]] = []
        self._pointed, self._cursor = -1, -1
        self._glide = Glide(self)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        speak(self, Spoken(Role.Grouping, self._parts, lambda: self._cursor, Role.RadioButton, self._value))
        self.setAccessibleName(tr("Route gauge"))

    # ------------------------------------------------------------ content

    def set_score(
        self,
        score: float,
        low: float,
        high: float,
        zone: str,
        features: Sequence[tuple[str, float]] = (),
        forced: bool = False,
    ) -> None:
        """Score and thresholds in 0..1 with low <= high; `features` are (words, contribution), of which
        the five that moved the score most are shown. `forced`: a person chose the zone."""
        begin = self._needle
        self._score = min(max(score, 0.0), 1.0)
        self._low, self._high, self._zone, self._forced = low, high, zone, forced
        self._features = sorted(features, key=lambda pair: -abs(pair[1]))[:MOST]
        self._empty = False
        words = listed(f"{name} {value:+.2f}" for name, value in self._features)
        numbers = {"score": f"{score:.2f}", "low": f"{low:.2f}", "high": f"{high:.2f}"}
        values = {**numbers, "route": zone, "features": words}
        description = (
            tr("Score {score}, thresholds {low} and {high}, route {route} forced. {features}", **values)
            if forced
            else tr("Score {score}, thresholds {low} and {high}, route {route} chosen. {features}", **values)
        )
        self.setAccessibleDescription(description)
        self.updateGeometry()

        def step(share: float) -> None:
            self._needle = begin + (self._score - begin) * share
            self.update()

        self._glide.run(step, MOTION_MS if self.isVisible() else 0)

    def set_zones(self, zones: tuple[str, str, str]) -> None:
        """Other names, left to right."""
        self._zones = zones
        self.update()

    def clear(self) -> None:
        """Show no score."""
        self._empty, self._features = True, []
        self.setAccessibleDescription(tr("No score yet"))
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(320, self.heightForWidth(320))

    def minimumSizeHint(self) -> QSize:
        return QSize(220, self.heightForWidth(220))

    def heightForWidth(self, width: int) -> int:
        return look.px(_BAR_TOP + _BAR_HEIGHT + 22) + (
            look.px(_ROW) * len(self._features) + 8 if self._features else 0
        )

    def _value(self) -> str:
        return "" if self._empty else f"{self._score:.2f}"

    def _parts(self) -> Sequence[Part]:
        return [
            Part(name, "", self.zone_rect(at).toRect(), not self._empty and name == self._zone)
            for at, name in enumerate(self._zones)
        ]

    # ------------------------------------------------------------ geometry

    def _x(self, value: float) -> float:
        return _SIDE + value * (self.width() - 2 * _SIDE)

    def zone_rect(self, index: int) -> QRectF:
        """Return where a zone is painted; 0 is the left one."""
        ends = (0.0, self._low, self._high, 1.0)
        left, right = self._x(ends[index]), self._x(ends[index + 1])
        return QRectF(left, look.px(_BAR_TOP), right - left, look.px(_BAR_HEIGHT))

    def _zone_at(self, point: QPointF) -> int:
        for index in range(3):
            if self.zone_rect(index).adjusted(0, -4, 0, 4).contains(point):
                return index
        return -1

    # ------------------------------------------------------------ input

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._point_at(self._zone_at(event.position()))

    def leaveEvent(self, event: object) -> None:
        self._point_at(-1)

    def _point_at(self, index: int) -> None:
        if index != self._pointed:
            self._pointed = index
            shape = Qt.CursorShape.PointingHandCursor if index >= 0 else Qt.CursorShape.ArrowCursor
            self.setCursor(shape)
            self.setToolTip(
                tooltip(tr("Answer by the {route} route", route=self._zones[index])) if index >= 0 else ""
            )
            self.update()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        index = self._zone_at(event.position())
        if index >= 0 and event.button() == Qt.MouseButton.LeftButton:
            self._cursor = index
            self.update()
            self.zone_chosen.emit(self._zones[index])

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = event.key()
        if key in (Qt.Key.Key_Left, Qt.Key.Key_Right):
            step = 1 if key == Qt.Key.Key_Right else -1
            begin = self._cursor if self._cursor >= 0 else self._taken()
            self._cursor = min(max(begin + step, 0), 2)
            announce_focus(self, self._cursor)
            self.update()
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space) and self._cursor >= 0:
            self.zone_chosen.emit(self._zones[self._cursor])
        else:
            super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        if self._cursor < 0:
            self._cursor = self._taken()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._cursor = -1

    def _taken(self) -> int:
        """Return the zone that was taken; where a person chose a way that is none, the one of the score."""
        if self._zone in self._zones:
            return self._zones.index(self._zone)
        return int(self._score > self._low) + int(self._score >= self._high)

    # ------------------------------------------------------------ painting

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = smooth(self)
        for index in range(3):
            self._paint_zone(painter, index)
        self._paint_ticks(painter)
        if not self._empty:
            self._paint_needle(painter)
            for row, (words, value) in enumerate(self._features):
                self._paint_feature(painter, row, words, value)
        painter.end()

    def _paint_zone(self, painter: QPainter, index: int) -> None:
        theme, rect = look.current(), self.zone_rect(index).adjusted(1, 0.5, -1, -0.5)
        active = not self._empty and self._zones[index] == self._zone
        painter.setPen(QPen(QColor(theme.accent if active or index == self._pointed else theme.border), 1))
        painter.setBrush(QColor(theme.accent_soft if active else theme.raised))
        painter.drawRoundedRect(rect, 4, 4)
        if self.hasFocus() and index == self._cursor:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(QColor(theme.accent), 2))
            painter.drawRoundedRect(rect.adjusted(2, 2, -2, -2), 3, 3)
        weight, name = QFont.Weight.Bold if active else QFont.Weight.Normal, self._zones[index]
        metrics = QFontMetrics(look.font(look.SMALL, weight))
        forced = tr("{route} (forced)", route=name)
        if active and self._forced and metrics.horizontalAdvance(forced) <= rect.width() - 6:
            name = forced
        width = min(metrics.horizontalAdvance(name), rect.width() - 4) + 4.0
        box, role = self._avoid_needle(rect, width), "text" if active else "muted"
        paint_text(painter, box, name, role, look.SMALL, weight, Qt.AlignmentFlag.AlignCenter)

    def _avoid_needle(self, rect: QRectF, width: float) -> QRectF:
        """Return the part of a zone in which its name is centred: all of it, or what lies beside the needle."""
        x = self._x(self._needle)
        if self._empty or abs(rect.center().x() - x) > width / 2 + 5:
            return rect
        left, right = QRectF(rect), QRectF(rect)
        left.setRight(x - 3)
        right.setLeft(x + 3)
        wider = max(left, right, key=QRectF.width)
        return wider if wider.width() >= width else rect

    def _paint_ticks(self, painter: QPainter) -> None:
        theme = look.current()
        bottom = look.px(_BAR_TOP) + look.px(_BAR_HEIGHT)
        for value in (0.0, self._low, self._high, 1.0):
            x = self._x(value)
            inner = 0.0 < value < 1.0
            if inner:
                painter.setPen(QPen(QColor(theme.strong_border), 1.5))
                painter.drawLine(QPointF(x, look.px(_BAR_TOP) - 3), QPointF(x, bottom + 4))
            box = QRectF(x - look.px(24), bottom + 4, look.px(48), look.px(16))
            box.moveLeft(min(max(box.left(), _SIDE), self.width() - _SIDE - box.width()))
            if value in (0.0, 1.0):
                place = Qt.AlignmentFlag.AlignLeft if value == 0.0 else Qt.AlignmentFlag.AlignRight
            else:
                place = Qt.AlignmentFlag.AlignHCenter
            number = f"{value:.2f}" if inner else f"{value:.0f}"
            paint_text(painter, box, number, "muted", look.SMALL, place=place | Qt.AlignmentFlag.AlignTop)

    def _paint_needle(self, painter: QPainter) -> None:
        theme, x = look.current(), self._x(self._needle)
        tip = QPointF(x, look.px(_BAR_TOP) - 1)
        head = QPolygonF([tip, QPointF(x - 5, look.px(_BAR_TOP) - 9), QPointF(x + 5, look.px(_BAR_TOP) - 9)])
        bottom = QPointF(x, look.px(_BAR_TOP) + look.px(_BAR_HEIGHT) + 2)
        for role, width in (("surface", 4), ("text", 2)):
            painter.setPen(QPen(theme.color(role), width))
            painter.drawLine(QPointF(x, look.px(_BAR_TOP) - 2), bottom)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(theme.text))
        painter.drawPolygon(head)
        box = QRectF(x - look.px(24), 0, look.px(48), look.px(_BAR_TOP) - 10)
        box.moveLeft(min(max(box.left(), 0.0), self.width() - box.width()))
        middle = Qt.AlignmentFlag.AlignCenter
        paint_text(painter, box, f"{self._score:.2f}", weight=QFont.Weight.Bold, place=middle)

    def _paint_feature(self, painter: QPainter, row: int, words: str, value: float) -> None:
        """Words on the left, a bar left or right of a middle line, the signed number on the right."""
        theme, height = look.current(), look.px(_ROW)
        top = look.px(_BAR_TOP + _BAR_HEIGHT + 22) + 6 + row * height
        number, bars = float(look.px(48)), min(96.0, self.width() * 0.28)
        room = self.width() - number - bars - 12
        paint_text(painter, QRectF(_SIDE, top, room, height), words, size=look.SMALL)
        centre = room + 8 + bars / 2
        longest = max(abs(item[1]) for item in self._features) or 1.0
        length = max(1.5, abs(value) / longest * (bars / 2 - 2))
        bar = QRectF(centre if value >= 0 else centre - length, top + look.px(6), length, look.px(8))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(theme.accent) if value >= 0 else mixed(theme.warn, theme.surface, 0.85))
        painter.drawRoundedRect(bar, 2, 2)
        painter.setPen(QPen(QColor(theme.strong_border), 1))
        painter.drawLine(QPointF(centre, top + 2), QPointF(centre, top + height - 2))
        sign = f"{value:+.2f}".replace("-", "\u2212")
        box = QRectF(self.width() - number - _SIDE, top, number, height)
        paint_text(painter, box, sign, "muted", look.SMALL, place=Qt.AlignmentFlag.AlignRight)
