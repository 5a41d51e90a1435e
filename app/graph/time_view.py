"""The picture of the time band: bars of dated facts, marks of documents, the chosen range; and what the hand does."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRect, QRectF, Qt, Signal
from PySide6.QtGui import (
    QFocusEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.graph.time_axis import TimeAxis, count_between
from app.look import theme
from app.look.colors import mixed
from app.look.counting import axis_words, range_words
from app.look.painting import paint_text, rounded
from app.look.translation import tr, trn
from app.widgets.accessible import Part, Role, Spoken, announce, speak
from core.types import DayRows, Timeline

Range = tuple[int, int]  # days, both inclusive

_MARKS, _LABELS = 5, 15  # pixels at 100 %: the row of documents, that of the years
_GRIP = 5  # pixels on either side of an end that take hold of it
_MOST_PARTS = 60  # of a screen reader
_ZOOM = 0.8  # a notch of the wheel, or +
_ARROWS = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}


class TimeView(QWidget):
    """Signals: chosen((first, last), or None for all times) while the hand moves it; pointed(words of the bucket under
    the pointer and what is in it, or ""; where)."""

    chosen = Signal(object)
    pointed = Signal(str, str, QPointF)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.timeline: Timeline | None = None
        self.range: Range | None = None
        self.axis = self.whole = TimeAxis(0.0, 1.0, 1)
        self._facts = self._longer = np.zeros(0, np.int64)  # in each bucket; dates that are longer than it
        self._drag: Callable[[float], Range] | None = None  # the range, by the day under the pointer
        speak(self, Spoken(Role.Slider, self._parts, self._current, Role.ListItem, self.words))
        self.setAccessibleName(tr("Dates of facts and documents"))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumWidth(120)

    # ------------------------------------------------------------ content

    def show_timeline(self, timeline: Timeline | None) -> None:
        """Of a workspace; where the same days are seen as before the axis stays."""
        before = self.whole
        self.timeline = timeline
        if timeline is not None and timeline.span is not None:
            self.whole = TimeAxis.over(timeline.span, self.width())
            if (before.first, before.last) != (self.whole.first, self.whole.last):
                self.axis = self.whole.around(timeline.told)
        self._count()

    def show_range(self, chosen: Range | None) -> None:
        """Show what is chosen, whoever chose it; tells nobody."""
        if chosen != self.range:
            self.range = chosen
            self.update()

    def words(self) -> str:
        """What is chosen."""
        return range_words(*self.range) if self.range is not None else tr("All times")

    def _count(self) -> None:
        if self.timeline is not None:
            self._facts, self._longer = self.axis.counts(self.timeline.told)
        self.update()

    def _look(self, axis: TimeAxis) -> None:
        if axis != self.axis:
            self.axis = axis
            self._count()

    # ------------------------------------------------------------ choosing

    def choose(self, chosen: Range | None) -> None:
        """The person chose; within the days that there are."""
        if chosen is not None:
            chosen = (min(chosen), max(chosen))
        if chosen != self.range:
            self.range = chosen
            self.update()
            self.chosen.emit(chosen)

    def clear(self) -> None:
        self._drag = None
        self.choose(None)

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's names, here and below
        if event.button() is not Qt.MouseButton.LeftButton or self.timeline is None:
            event.ignore()
            return
        x = event.position().x()
        begin, self._drag = self.axis.day(x), None
        if self.range is None:
            self._drag = self._spanning(begin)
            return
        first, last = self.range
        left, right = self.axis.x(first), self.axis.x(last + 1)
        if abs(x - right) <= _GRIP and abs(x - right) <= abs(x - left):
            self._drag = lambda day: (first, max(self.axis.bucket(day)[1], first))
        elif abs(x - left) <= _GRIP:
            self._drag = lambda day: (min(self.axis.bucket(day)[0], last), last)
        elif left < x < right:
            self._drag = lambda day: self._moved(first, last, begin, day)
        else:
            self._drag = self._spanning(begin)

    def _spanning(self, begin: float) -> Callable[[float], Range]:
        """From the bucket where the hand began to that where it is."""
        one = self.axis.bucket(begin)

        def spanned(day: float) -> Range:
            other = self.axis.bucket(day)
            return min(one[0], other[0]), max(one[1], other[1])

        return spanned

    def _moved(self, first: int, last: int, begin: float, day: float) -> Range:
        """By whole buckets, as many as the hand went."""
        axis = self.axis
        low, high = sorted((axis.bucket(begin)[0], axis.bucket(day)[0]))
        steps = int(np.searchsorted(axis.edges, high) - np.searchsorted(axis.edges, low))
        return self._stepped((first, last), steps if day >= begin else -steps)

    def _stepped(self, days: Range, steps: int) -> Range:
        return self.axis.stepped(days[0], steps), self.axis.stepped(days[1] + 1, steps) - 1

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        x = event.position().x()
        if self._drag is not None:
            inside = min(max(x, 0.0), self.width() - 1.0)
            self.choose(self._drag(self.axis.day(inside)))
        self._set_cursor(x)
        self._point(event.position())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._drag = None

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self.clear()

    def _set_cursor(self, x: float) -> None:
        near = False
        if self.range is not None:
            ends = (self.axis.x(self.range[0]), self.axis.x(self.range[1] + 1))
            near = any(abs(x - end) <= _GRIP for end in ends)
        self.setCursor(Qt.CursorShape.SizeHorCursor if near else Qt.CursorShape.ArrowCursor)

    def _point(self, place: QPointF) -> None:
        if self.timeline is not None and self.timeline.span is not None:
            first, last = self.axis.bucket(self.axis.day(place.x()))
            self.pointed.emit(range_words(first, last), counted_words(self.timeline, first, last), place)

    def leaveEvent(self, event: QEvent) -> None:
        self.pointed.emit("", "", QPointF())

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zooms around the pointer; sideways, or with Shift, it moves what is seen."""
        across, along = event.angleDelta().x(), event.angleDelta().y()
        if event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            across, along = across or along, 0
        axis = self.axis
        if along:
            axis = axis.zoomed(axis.day(event.position().x()), _ZOOM ** (along / 120), self.whole)
        self._look(axis.panned(-across / 120 * (axis.last - axis.first) / 10, self.whole))
        event.accept()

    # ------------------------------------------------------------ by the keyboard

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key, modifiers = Qt.Key(event.key()), event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        if self.timeline is None or self.timeline.span is None or not self._on_key(key, modifiers):
            super().keyPressEvent(event)

    def _on_key(self, key: Qt.Key, modifiers: Qt.KeyboardModifier) -> bool:
        if key is Qt.Key.Key_Escape and self.range is not None:
            self.clear()
        elif key in _ARROWS:
            self._choose_by_key(self._arrowed(_ARROWS[key], modifiers))
        elif key in (Qt.Key.Key_Home, Qt.Key.Key_End):
            self._choose_by_key(self._at_end(key is Qt.Key.Key_End))
        elif key in (Qt.Key.Key_Plus, Qt.Key.Key_Equal, Qt.Key.Key_Minus):
            middle = sum(self.range) / 2 if self.range is not None else (self.axis.first + self.axis.last) / 2
            factor = 1 / _ZOOM if key is Qt.Key.Key_Minus else _ZOOM
            self._look(self.axis.zoomed(middle, factor, self.whole))
            return True
        else:
            return False
        announce(self, self.words())
        return True

    def _arrowed(self, step: int, modifiers: Qt.KeyboardModifier) -> Range:
        """The next bucket; with Shift one more on that side, with Ctrl one less on the other."""
        if self.range is None:
            return self._first_choice()
        first, last = self.range
        moved = self._stepped(self.range, step)
        if modifiers == Qt.KeyboardModifier.ShiftModifier:
            return (moved[0], last) if step < 0 else (first, moved[1])
        if modifiers == Qt.KeyboardModifier.ControlModifier:
            return (min(moved[0], last), last) if step > 0 else (first, max(moved[1], first))
        return moved

    def _first_choice(self) -> Range:
        """The fullest bucket in view."""
        at = int(np.argmax(self._facts)) if len(self._facts) else 0
        return int(self.axis.edges[at]), int(self.axis.edges[at + 1]) - 1

    def _at_end(self, end: bool) -> Range:
        """As long as it is, from the first date on, or up to the last."""
        if self.timeline is None or self.timeline.span is None:
            return self._first_choice()
        first, last = self.timeline.span
        length = self.range[1] - self.range[0] if self.range is not None else 0
        if self.range is None:
            return self.axis.bucket(last if end else first)
        return (last - length, last) if end else (first, first + length)

    def _choose_by_key(self, chosen: Range) -> None:
        """What is chosen stays in view."""
        full_axis, axis = self.whole, self.axis
        first, last = chosen
        if last < full_axis.first or first > full_axis.last:
            return
        self.choose(chosen)
        ahead = max(last + 1 - axis.last, 0.0) or min(first - axis.first, 0.0)
        self._look(axis.panned(ahead, full_axis))

    # ------------------------------------------------------------ painting

    def resizeEvent(self, event: QResizeEvent) -> None:
        width = max(self.width(), 1)
        self.whole = TimeAxis(self.whole.first, self.whole.last, width)
        self._look(TimeAxis(self.axis.first, self.axis.last, width))

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.update()

    def _bars(self) -> QRect:
        """Where the bars stand."""
        return self.rect().adjusted(0, theme.px(4), 0, -theme.px(_LABELS + _MARKS + 3))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, now = QPainter(self), theme.current()
        bars, axis = self._bars(), self.axis
        if self.timeline is not None and self.timeline.span is not None:
            if self.range is not None:
                box = self._range_box()
                painter.fillRect(box, now.color("accent_soft"))
            self._paint_bars(painter, bars)
            marks = QRect(0, bars.bottom() + 2, self.width(), theme.px(_MARKS))
            self._paint_marks(painter, marks, self.timeline.made)
            painter.fillRect(0, bars.bottom() + 1, self.width(), 1, now.color("border"))
            self._paint_labels(painter, axis)
            self._paint_beyond(painter, bars)
            if self.range is not None:
                box = self._range_box()
                for x in (box.left(), box.right()):
                    painter.fillRect(QRectF(x - 1, box.top(), 2, box.height()), now.color("accent"))
        if self.hasFocus():
            rounded(painter, self.rect(), "accent")
        painter.end()

    def _range_box(self) -> QRectF:
        first, last = self.range or (0, 0)
        left, right = self.axis.x(first), self.axis.x(last + 1)
        below = self._bars().bottom() + 2 + theme.px(_MARKS)
        return QRectF(left, 0, max(right - left, 2.0), below)

    def _paint_bars(self, painter: QPainter, box: QRect) -> None:
        """Whole bars are facts with a date in the bucket; upon them, pale, dates of which it is a part."""
        now, edges = theme.current(), self.axis.edges
        most = max(int((self._facts + self._longer).max(initial=0)), 1)
        for at in np.flatnonzero(self._facts + self._longer).tolist():
            first, behind = int(edges[at]), int(edges[at + 1])
            left, right = self.axis.x(first), self.axis.x(behind)
            inside = self.range is None or (first <= self.range[1] and behind > self.range[0])
            colour = now.color("accent" if self.range is not None and inside else "neutral")
            left, wide = round(left), max(round(right) - round(left) - 1, 1)
            solid = self._height(int(self._facts[at]), most, box)
            pale = self._height(int(self._facts[at] + self._longer[at]), most, box) - solid
            painter.fillRect(QRect(left, box.bottom() + 1 - solid, wide, solid), colour)
            painter.fillRect(
                QRect(left, box.bottom() + 1 - solid - pale, wide, pale),
                mixed(colour.name(), now.canvas, 0.65),
            )

    @staticmethod
    def _height(count: int, most: int, box: QRect) -> int:
        """By the root, so that a few facts beside many are seen; at least two pixels."""
        return max(round((count / most) ** 0.5 * box.height()), 2) if count else 0

    def _paint_marks(self, painter: QPainter, box: QRect, made: DayRows) -> None:
        now, axis = theme.current(), self.axis
        visible = (made.last >= axis.first) & (made.first <= axis.last)
        first, last = made.first[visible], made.last[visible]
        inside = np.ones(len(first), bool)
        if self.range is not None:
            inside = (first <= self.range[1]) & (last >= self.range[0])
        left = np.floor(axis.x(first)).astype(int)  # type: ignore[arg-type]
        right = np.ceil(axis.x(last + 1)).astype(int)  # type: ignore[arg-type]
        wide = np.maximum(right - left, 2)
        for of, role in ((~inside, "neutral"), (inside, "text")):
            for x, w in np.unique(np.stack([left[of], wide[of]], axis=1), axis=0).tolist():
                painter.fillRect(QRect(x, box.top(), w, box.height()), now.color(role))

    def _paint_beyond(self, painter: QPainter, box: QRect) -> None:
        """A mark at the sides behind which there is more."""
        for more, sign, place in (
            (self.axis.first > self.whole.first, "\u2039", Qt.AlignmentFlag.AlignLeft),
            (self.axis.last < self.whole.last, "\u203a", Qt.AlignmentFlag.AlignRight),
        ):
            if more:
                paint_text(painter, box.adjusted(2, 0, -2, 0), sign, "muted", theme.HEADING, place=place)

    def _paint_labels(self, painter: QPainter, axis: TimeAxis) -> None:
        days, unit = axis.labels(float(theme.px(84 if axis.unit != "Y" else 64)))
        top = self.height() - theme.px(_LABELS)
        for day in days.tolist():
            x = round(axis.x(day))
            painter.fillRect(QRect(x, top, 1, theme.px(4)), theme.current().color("strong_border"))
            box = QRect(x + 4, top, theme.px(80), theme.px(_LABELS))
            if box.left() + theme.px(40) < self.width():
                paint_text(painter, box, axis_words(date.fromordinal(day), unit), "muted", theme.SMALL)

    # ------------------------------------------------------------ for screen readers

    def _parts(self) -> list[Part]:
        """The fullest buckets in view, in their order."""
        if self.timeline is None:
            return []
        fullest = np.argsort(-self._facts, kind="stable")[:_MOST_PARTS]
        parts, edges = [], self.axis.edges
        for at in sorted(fullest[self._facts[fullest] > 0].tolist()):
            first, last = int(edges[at]), int(edges[at + 1]) - 1
            left, right = round(self.axis.x(first)), round(self.axis.x(last + 1))
            inside = self.range is not None and first <= self.range[1] and last >= self.range[0]
            box = QRect(left, 0, right - left, self.height())
            words = trn("{count} fact", "{count} facts", int(self._facts[at]))
            parts.append(Part(range_words(first, last), words, box, inside))
        return parts

    def _current(self) -> int:
        return next((at for at, part in enumerate(self._parts()) if part.chosen), -1)


def counted_words(timeline: Timeline, first: int, last: int) -> str:
    """`12 facts, 3 documents` of these days."""
    facts = trn("{count} dated fact", "{count} dated facts", count_between(timeline.told, first, last))
    documents = count_between(timeline.made, first, last)
    return trn("{facts}, {count} document", "{facts}, {count} documents", documents, facts=facts)
