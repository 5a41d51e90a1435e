"""The axis of the time band: which days are seen, buckets of years, months or days, what falls in them. No Qt.

Days are numbers as `datetime.date.toordinal` gives them; numpy counts from 1970 on.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import MAXYEAR, date
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from core.types import DayRows

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


@dataclass(frozen=True)
class TimeAxis:
    """The days from `first` to behind `last`, both with parts of days, on `width` pixels."""

    first: float
    last: float
    width: int

    @classmethod
    def over(cls, span: tuple[int, int], width: int) -> TimeAxis:
        """All of a span, both days inclusive, with some room."""
        room = max((span[1] - span[0]) * _ROOM, 2.0)
        return cls(span[0] - room, span[1] + 1 + room, max(width, 1))

    def around(self, days: DayRows) -> TimeAxis:
        """Where most dates lie, if that is a small part: a few that are far from all others would squeeze it."""
        if len(days) < _FEW:
            return self
        low, high = np.quantile(days.first, (_OUTER, 1 - _OUTER)).tolist()
        most = TimeAxis.over((int(low), int(high)), self.width)
        small = most.last - most.first < _SMALL * (self.last - self.first)
        return most.zoomed((most.first + most.last) / 2, 1.0, self) if small else self

    def x(self, day: float) -> float:
        return (day - self.first) / (self.last - self.first) * self.width

    def day(self, x: float) -> float:
        return self.first + x / self.width * (self.last - self.first)

    def zoomed(self, at: float, factor: float, whole: TimeAxis) -> TimeAxis:
        """Nearer (a factor below 1) or farther around a day, never beyond the whole."""
        days = min(max((self.last - self.first) * factor, _LEAST_DAYS), whole.last - whole.first)
        share = (at - self.first) / (self.last - self.first)
        return replace(self, first=at - share * days, last=at + (1 - share) * days)._within(whole)

    def panned(self, days: float, whole: TimeAxis) -> TimeAxis:
        return replace(self, first=self.first + days, last=self.last + days)._within(whole)

    def _within(self, whole: TimeAxis) -> TimeAxis:
        over = max(whole.first - self.first, 0.0) + min(whole.last - self.last, 0.0)
        return replace(self, first=self.first + over, last=self.last + over)

    @cached_property
    def _unit(self) -> tuple[int, str]:
        pixels = self.width / (self.last - self.first)
        return next(((count, unit) for count, unit, days in _BUCKETS if days * pixels >= _BUCKET), (100, "Y"))

    @property
    def unit(self) -> str:
        """Of the buckets: D, M or Y, also for ten or a hundred years."""
        return self._unit[1]

    @cached_property
    def edges(self) -> Days:
        """First days of the buckets in view, and of the one behind them: (b + 1,)."""
        return starts(*self._unit, int(self.first), int(np.ceil(self.last)))

    def bucket(self, day: float) -> tuple[int, int]:
        """First and last day of the bucket around a day; also beyond the view."""
        first, behind = starts(*self._unit, int(day), int(day) + 1)[:2].tolist()
        return first, behind - 1

    def stepped(self, day: int, buckets: int) -> int:
        """The same day so many buckets later, or earlier; of a month that is too short the last."""
        count, unit = self._unit
        if unit == "D":
            return min(max(day + buckets * count, 1), _LAST)
        then = date.fromordinal(day)
        months = then.year * 12 + then.month - 1 + buckets * count * (12 if unit == "Y" else 1)
        year, month = min(max(months // 12, 1), MAXYEAR - 1), months % 12 + 1
        end = starts(1, "M", *[date(year, month, 1).toordinal()] * 2)[1] - 1
        return int(min(date(year, month, 1).toordinal() + then.day - 1, end))

    def labels(self, room: float) -> tuple[Days, str]:
        """Days at which a label of `room` pixels begins, and the unit that it says."""
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
    """First days of the buckets that hold `first` to `last`, and of the one behind them."""
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
    """How many things have a date that meets these days, both inclusive."""
    return len(np.unique(days.rows[(days.first <= last) & (days.last >= first)]))


def as_dates(first: int, last: int) -> tuple[str, str]:
    """A range in ISO 8601, as short as it can be said: whole years, whole months, or days."""
    begin, end, behind = date.fromordinal(first), date.fromordinal(last), date.fromordinal(last + 1)
    if begin.day == behind.day == 1:
        length = 4 if begin.month == behind.month == 1 else 7
        return begin.isoformat()[:length], end.isoformat()[:length]
    return begin.isoformat(), end.isoformat()
