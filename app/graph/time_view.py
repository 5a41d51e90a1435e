"""The picture of the dates under the graph: its axis, bars of facts, marks of documents, the chosen range."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import MAXYEAR, date
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
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

from app.look import theme
from app.look.colors import mixed
from app.look.counting import axis_words, range_words
from app.look.painting import paint_text, rounded
from app.look.translation import tr, trn
from app.widgets.accessible import Part, Role, Spoken, announce, speak
from core.types import DayRows, Timeline

_EPOCH = date(1970, 1, 1).toordinal()
_LAST = date(MAXYEAR, 12, 31).toordinal()
_LEAST_DAYS = 14.0  # in view at most zoom
_BUCKET = 5.0  # pixels, at least
_ROOM = 1 / 40  # of the span, on each side of it
_FEW = 20  # dates, of which none is far from the others
_OUTER, _SMALL = (
    0.02,
    0.5,
)  # share of dates at either side that may be out of view at first, where so much room is won
# Years, months or days in a bucket, or between two labels, with about as many days as that is.
_BUCKETS = ((1, "D", 1), (1, "M", 30), (1, "Y", 365), (10, "Y", 3650), (100, "Y", 36500))
_STEPS = (
    (1, "D", 1), (2, "D", 2), (7, "D", 7), (1, "M", 28), (3, "M", 90), (6, "M", 180), (1, "Y", 365), (2, "Y", 730),
    (5, "Y", 1825), (10, "Y", 3650), (20, "Y", 7300), (50, "Y", 18250), (100, "Y", 36500), (500, "Y", 182500),
)  # fmt: skip

Days = NDArray[np.int64]
Range = tuple[int, int]  # days, both inclusive
_MARKS, _LABELS = 5, 15  # pixels at 100 %: the row of documents, that of the years
_GRIP = 5  # pixels on either side of an end that take hold of it
_MOST_PARTS = 60  # of a screen reader
_ZOOM = 0.8  # a notch of the wheel, or +
_ARROWS = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}


@dataclass(frozen=True)
class TimeAxis:
    """The days from `first` to behind `last`, both with parts of days, on `width` pixels."""

    first: float
    last: float
    width: int

    @classmethod
    def over(cls, span: tuple[int, int], width: int) -> TimeAxis:
        """Return the axis of a full span, both days inclusive, with some room."""
        room = max((span[1] - span[0]) * _ROOM, 2.0)
        return cls(span[0] - room, span[1] + 1 + room, max(width, 1))

    def around(self, days: DayRows) -> TimeAxis:
        """Where most dates lie, if that is a small part: a few that are far from all others would squeeze it."""
        if len(days) < _FEW:
            return self
        low, high = np.quantile(days.first, (_OUTER, 1 - _OUTER)).tolist()
        most = TimeAxis.over((int(low), int(high)), self.width)
        small = most.last - most.first < _SMALL * (self.last - self.first)
        return most.zoom((most.first + most.last) / 2, 1.0, self) if small else self

    def x(self, day: float) -> float:
        return (day - self.first) / (self.last - self.first) * self.width

    def day(self, x: float) -> float:
        return self.first + x / self.width * (self.last - self.first)

    def zoom(self, at: float, factor: float, full_axis: TimeAxis) -> TimeAxis:
        """Return the axis nearer (a factor below 1) or farther around a day, never beyond the full one."""
        days = min(max((self.last - self.first) * factor, _LEAST_DAYS), full_axis.last - full_axis.first)
        share = (at - self.first) / (self.last - self.first)
        return replace(self, first=at - share * days, last=at + (1 - share) * days)._clamp(full_axis)

    def pan(self, days: float, full_axis: TimeAxis) -> TimeAxis:
        return replace(self, first=self.first + days, last=self.last + days)._clamp(full_axis)

    def _clamp(self, full_axis: TimeAxis) -> TimeAxis:
        over = max(full_axis.first - self.first, 0.0) + min(full_axis.last - self.last, 0.0)
        return replace(self, first=self.first + over, last=self.last + over)

    @cached_property
    def _unit(self) -> tuple[int, str]:
        pixels = self.width / (self.last - self.first)
        return next(((count, unit) for count, unit, days in _BUCKETS if days * pixels >= _BUCKET), (100, "Y"))

    @property
    def unit(self) -> str:
        """Return the unit of the buckets: D, M or Y, also for ten or a hundred years."""
        return self._unit[1]

    @cached_property
    def edges(self) -> Days:
        """Return the first days of the buckets in view, and of the one after them: (b + 1,)."""
        return starts(*self._unit, int(self.first), int(np.ceil(self.last)))

    def bucket(self, day: float) -> tuple[int, int]:
        """Return the first and last day of the bucket around a day, even beyond the view."""
        first, behind = starts(*self._unit, int(day), int(day) + 1)[:2].tolist()
        return first, behind - 1

    def step_by(self, day: int, buckets: int) -> int:
        """Return the same day so many buckets away; where a month is too short, its last."""
        count, unit = self._unit
        if unit == "D":
            return min(max(day + buckets * count, 1), _LAST)
        then = date.fromordinal(day)
        months = then.year * 12 + then.month - 1 + buckets * count * (12 if unit == "Y" else 1)
        year, month = min(max(months // 12, 1), MAXYEAR - 1), months % 12 + 1
        end = starts(1, "M", *[date(year, month, 1).toordinal()] * 2)[1] - 1
        return int(min(date(year, month, 1).toordinal() + then.day - 1, end))

    def labels(self, room: float) -> tuple[Days, str]:
        """Return days at which a label of `room` pixels begins, and the unit that it states."""
        pixels = self.width / (self.last - self.first)
        count, unit = next(((c, u) for c, u, days in _STEPS if days * pixels >= room), _STEPS[-1][:2])
        days = starts(count, unit, int(self.first), int(self.last))
        return days[(days >= self.first) & (days <= self.last)], unit

    def counts(self, days: DayRows) -> tuple[Days, Days]:
        """How many things are of each bucket, (b,): those with a date in it, and dates that are longer than it."""
        edges = self.edges
        first, last = (np.searchsorted(edges, column, "right") - 1 for column in (days.first, days.last))
        count = len(edges) - 1
        in_range = (last >= 0) & (first < count)
        within = in_range & (first == last) & (first >= 0)
        cells = np.unique(days.rows[within].astype(np.int64) * count + first[within])
        longer = in_range & ~within
        change = np.bincount(np.maximum(first[longer], 0), minlength=count + 1)
        change -= np.bincount(np.minimum(last[longer] + 1, count), minlength=count + 1)
        return np.bincount(cells % count, minlength=count), np.cumsum(change)[:count]


def starts(count: int, unit: str, first: int, last: int) -> Days:
    """Return the first days of the buckets from `first` to `last`, and of the one after them."""
    if unit == "D":
        origin = 1  # a Monday
        low = first - (first - origin) % count
        return np.arange(low, last + count + 1, count)
    size = count * (12 if unit == "Y" else 1)
    months = [date.fromordinal(min(max(day, 1), _LAST)) for day in (first, last)]
    low, high = (day.year * 12 + day.month - 1 for day in months)
    low -= low % size
    numbers = np.arange(low, high + size + 1, size) - 1970 * 12
    if len(numbers) > 1 and numbers[-2] > high - 1970 * 12:
        numbers = numbers[:-1]
    found: Days = numbers.astype("datetime64[M]").astype("datetime64[D]").astype(np.int64) + _EPOCH
    return found


def count_between(days: DayRows, first: int, last: int) -> int:
    """Return how many things have a date that meets these days, both inclusive."""
    return len(np.unique(days.rows[(days.first <= last) & (days.last >= first)]))


def as_dates(first: int, last: int) -> tuple[str, str]:
    """Return a range in ISO 8601, as short as possible: full years, full months, or days."""
    begin, end, behind = date.fromordinal(first), date.fromordinal(last), date.fromordinal(last + 1)
    if begin.day == behind.day == 1:
        length = 4 if begin.month == behind.month == 1 else 7
        return begin.isoformat()[:length], end.isoformat()[:length]
    return begin.isoformat(), end.isoformat()


class TimeView(QWidget):
    """Signals: chosen((first, last), or None for all times) while the hand moves it; pointed(words of the bucket under
    the pointer and what is in it, or ""; where)."""

    chosen = Signal(object)
    pointed = Signal(str, str, QPointF)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.timeline: Timeline | None = None
        self.range: Range | None = None
        self.axis = self.full_axis = TimeAxis(0.0, 1.0, 1)
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
        """Show the timeline of a workspace; where the days are the same the axis stays."""
        before = self.full_axis
        self.timeline = timeline
        if timeline is not None and timeline.span is not None:
            self.full_axis = TimeAxis.over(timeline.span, self.width())
            if (before.first, before.last) != (self.full_axis.first, self.full_axis.last):
                self.axis = self.full_axis.around(timeline.fact_days)
        self._count()

    def show_range(self, chosen: Range | None) -> None:
        """Show the chosen range, whoever chose it; emits nothing."""
        if chosen != self.range:
            self.range = chosen
            self.update()

    def words(self) -> str:
        """Return the chosen range in words."""
        return range_words(*self.range) if self.range is not None else tr("All times")

    def _count(self) -> None:
        if self.timeline is not None:
            self._facts, self._longer = self.axis.counts(self.timeline.fact_days)
        self.update()

    def _look(self, axis: TimeAxis) -> None:
        if axis != self.axis:
            self.axis = axis
            self._count()

    # ------------------------------------------------------------ choosing

    def choose(self, chosen: Range | None) -> None:
        """Take the person's choice, within the days that there are."""
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
            self._drag = self._span_from(begin)
            return
        first, last = self.range
        left, right = self.axis.x(first), self.axis.x(last + 1)
        if abs(x - right) <= _GRIP and abs(x - right) <= abs(x - left):
            self._drag = lambda day: (first, max(self.axis.bucket(day)[1], first))
        elif abs(x - left) <= _GRIP:
            self._drag = lambda day: (min(self.axis.bucket(day)[0], last), last)
        elif left < x < right:
            self._drag = lambda day: self._move_range(first, last, begin, day)
        else:
            self._drag = self._span_from(begin)

    def _span_from(self, begin: float) -> Callable[[float], Range]:
        """From the bucket where the hand began to that where it is."""
        one = self.axis.bucket(begin)

        def spanned(day: float) -> Range:
            other = self.axis.bucket(day)
            return min(one[0], other[0]), max(one[1], other[1])

        return spanned

    def _move_range(self, first: int, last: int, begin: float, day: float) -> Range:
        """By whole buckets, as many as the hand went."""
        axis = self.axis
        low, high = sorted((axis.bucket(begin)[0], axis.bucket(day)[0]))
        steps = int(np.searchsorted(axis.edges, high) - np.searchsorted(axis.edges, low))
        return self._step_range((first, last), steps if day >= begin else -steps)

    def _step_range(self, days: Range, steps: int) -> Range:
        return self.axis.step_by(days[0], steps), self.axis.step_by(days[1] + 1, steps) - 1

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
            self.pointed.emit(range_words(first, last), count_words(self.timeline, first, last), place)

    def leaveEvent(self, event: QEvent) -> None:
        self.pointed.emit("", "", QPointF())

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zooms around the pointer; sideways, or with Shift, it moves what is seen."""
        across, along = event.angleDelta().x(), event.angleDelta().y()
        if event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            across, along = across or along, 0
        axis = self.axis
        if along:
            axis = axis.zoom(axis.day(event.position().x()), _ZOOM ** (along / 120), self.full_axis)
        self._look(axis.pan(-across / 120 * (axis.last - axis.first) / 10, self.full_axis))
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
            self._choose_by_key(self._range_by_arrow(_ARROWS[key], modifiers))
        elif key in (Qt.Key.Key_Home, Qt.Key.Key_End):
            self._choose_by_key(self._at_end(key is Qt.Key.Key_End))
        elif key in (Qt.Key.Key_Plus, Qt.Key.Key_Equal, Qt.Key.Key_Minus):
            middle = sum(self.range) / 2 if self.range is not None else (self.axis.first + self.axis.last) / 2
            factor = 1 / _ZOOM if key is Qt.Key.Key_Minus else _ZOOM
            self._look(self.axis.zoom(middle, factor, self.full_axis))
            return True
        else:
            return False
        announce(self, self.words())
        return True

    def _range_by_arrow(self, step: int, modifiers: Qt.KeyboardModifier) -> Range:
        """Return the next bucket; with Shift one more on that side, with Ctrl one less on the other."""
        if self.range is None:
            return self._first_choice()
        first, last = self.range
        moved = self._step_range(self.range, step)
        if modifiers == Qt.KeyboardModifier.ShiftModifier:
            return (moved[0], last) if step < 0 else (first, moved[1])
        if modifiers == Qt.KeyboardModifier.ControlModifier:
            return (min(moved[0], last), last) if step > 0 else (first, max(moved[1], first))
        return moved

    def _first_choice(self) -> Range:
        """Return the fullest bucket in view."""
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
        full_axis, axis = self.full_axis, self.axis
        first, last = chosen
        if last < full_axis.first or first > full_axis.last:
            return
        self.choose(chosen)
        ahead = max(last + 1 - axis.last, 0.0) or min(first - axis.first, 0.0)
        self._look(axis.pan(ahead, full_axis))

    # ------------------------------------------------------------ painting

    def resizeEvent(self, event: QResizeEvent) -> None:
        width = max(self.width(), 1)
        self.full_axis = TimeAxis(self.full_axis.first, self.full_axis.last, width)
        self._look(TimeAxis(self.axis.first, self.axis.last, width))

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.update()

    def _bars(self) -> QRect:
        """Return where the bars stand."""
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
            self._paint_marks(painter, marks, self.timeline.document_days)
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

    def _paint_marks(self, painter: QPainter, box: QRect, creation_days: DayRows) -> None:
        now, axis = theme.current(), self.axis
        visible = (creation_days.last >= axis.first) & (creation_days.first <= axis.last)
        first, last = creation_days.first[visible], creation_days.last[visible]
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
        """Paint a mark at the sides behind which there is more."""
        for more, sign, place in (
            (self.axis.first > self.full_axis.first, "\u2039", Qt.AlignmentFlag.AlignLeft),
            (self.axis.last < self.full_axis.last, "\u203a", Qt.AlignmentFlag.AlignRight),
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
        """Return the fullest buckets in view, in their order."""
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


def count_words(timeline: Timeline, first: int, last: int) -> str:
    """Return `12 facts, 3 documents` of these days."""
    facts = trn("{count} dated fact", "{count} dated facts", count_between(timeline.fact_days, first, last))
    documents = count_between(timeline.document_days, first, last)
    return trn("{facts}, {count} document", "{facts}, {count} documents", documents, facts=facts)
