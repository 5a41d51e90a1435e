"""The axis of the time band: its buckets, its steps and its counts, against days that are looked at one by one."""

from __future__ import annotations

from datetime import date, timedelta
from itertools import pairwise
from random import Random

import numpy as np
import pytest

from app.graph.time_view import TimeAxis, as_dates, count_between, starts
from core.text.dates import day_span
from core.types import DayRows


def number(text: str) -> int:
    return date.fromisoformat(text).toordinal()


def axis(first: str, last: str, width: int) -> TimeAxis:
    return TimeAxis(number(first), number(last), width)


def rows(*days: tuple[int, str]) -> DayRows:
    spans = [day_span(text) for _, text in days]
    first, last = np.array(spans, np.int32).reshape(-1, 2).T
    return DayRows(np.array([row for row, _ in days], np.int32), first, last)


@pytest.mark.parametrize(
    ("last", "unit", "bucket"),
    [
        ("2021-04-01", "D", ("2021-02-10", "2021-02-10")),
        ("2024-01-01", "M", ("2021-02-01", "2021-02-28")),
        ("2090-01-01", "Y", ("2021-01-01", "2021-12-31")),
        ("2890-01-01", "Y", ("2020-01-01", "2029-12-31")),
    ],
)
def test_buckets_are_days_months_years_or_decades_by_the_zoom(
    last: str, unit: str, bucket: tuple[str, str]
) -> None:
    visible = axis("2021-01-01", last, 900)
    assert visible.unit == unit
    assert visible.bucket(number("2021-02-10")) == (number(bucket[0]), number(bucket[1]))
    edges = visible.edges
    assert (np.diff(edges) > 0).all()
    assert edges[0] <= visible.first and edges[-1] >= visible.last


@pytest.mark.parametrize("unit", ["M", "Y"])
def test_every_day_lies_in_the_bucket_that_begins_with_its_month_or_year(unit: str) -> None:
    day = date(1999, 12, 1)
    while day < date(2001, 2, 1):
        first, behind = starts(1, unit, day.toordinal(), day.toordinal()).tolist()
        assert date.fromordinal(first) == day.replace(day=1, month=1 if unit == "Y" else day.month)
        assert first <= day.toordinal() < behind
        day += timedelta(days=1)


def test_a_thing_is_counted_once_a_bucket_and_a_longer_date_apart() -> None:
    visible = axis("2021-01-01", "2021-12-31", 600)
    assert visible.unit == "M"
    days = rows((0, "2021-03-04"), (0, "2021-03-20"), (1, "2021-03"), (2, "2021"), (3, "2019-03"))
    within, longer = visible.counts(days)
    march = int(np.searchsorted(visible.edges, number("2021-03-01")))
    assert within[march] == 2 and within.sum() == 2
    assert set(longer[(visible.edges[:-1] >= number("2021-01-01"))]) == {1}


def test_counts_are_those_of_days_looked_at_one_by_one() -> None:
    random, visible = Random(3), axis("1990-05-10", "1993-02-01", 500)
    begins = [number("1990-01-01") + random.randrange(1300) for _ in range(300)]
    spans = [(begin, begin + random.choice((0, 0, 0, 30, 400))) for begin in begins]
    things = [random.randrange(80) for _ in spans]
    days = DayRows(*np.array([(t, *s) for t, s in zip(things, spans, strict=True)], np.int32).T)
    within, longer = visible.counts(days)
    edges = visible.edges.tolist()
    for at, (first, behind) in enumerate(pairwise(edges)):
        inside = {t for t, (a, b) in zip(things, spans, strict=True) if first <= a and b < behind}
        over = [1 for a, b in spans if a < behind and b >= first and not (first <= a and b < behind)]
        assert (within[at], longer[at]) == (len(inside), len(over))
        met = {t for t, (a, b) in zip(things, spans, strict=True) if a < behind and b >= first}
        assert count_between(days, first, behind - 1) == len(met)


@pytest.mark.parametrize(
    ("first", "last", "spoken"),
    [
        ("2019-01-01", "2021-12-31", ("2019", "2021")),
        ("2021-03-01", "2021-05-31", ("2021-03", "2021-05")),
        ("2021-03-02", "2021-05-31", ("2021-03-02", "2021-05-31")),
        ("2020-02-01", "2020-02-29", ("2020-02", "2020-02")),
    ],
)
def test_a_range_is_stated_as_short_as_it_can_be(first: str, last: str, spoken: tuple[str, str]) -> None:
    assert as_dates(number(first), number(last)) == spoken
    begin, end = (day_span(text) for text in spoken)
    assert begin and end and (begin[0], end[1]) == (number(first), number(last))


def test_a_step_keeps_the_day_of_the_month_where_it_can() -> None:
    months, years = axis("2019-01-01", "2021-12-31", 600), axis("1900-01-01", "2000-01-01", 900)
    assert months.step_by(number("2020-01-31"), 1) == number("2020-02-29")
    assert months.step_by(number("2020-01-01"), -1) == number("2019-12-01")
    assert years.step_by(number("1960-02-29"), 1) == number("1961-02-28")


def test_zoom_and_pan_stay_within_the_full() -> None:
    full_axis = axis("1900-01-01", "2000-01-01", 900)
    near = full_axis.zoom(number("1999-06-01"), 1e-9, full_axis)
    assert near.last - near.first == pytest.approx(14) and near.last <= full_axis.last
    assert near.x(near.day(123.0)) == pytest.approx(123.0)
    far = near.pan(-1e9, full_axis)
    assert far.first == full_axis.first and far.last - far.first == pytest.approx(14)
    assert near.zoom(near.first, 1e9, full_axis) == full_axis


def test_dates_far_from_all_others_do_not_squeeze_the_axis_at_first() -> None:
    full_axis = axis("1000-01-01", "2020-01-01", 900)
    days = rows((0, "1000"), *((row, f"{1950 + row}") for row in range(1, 60)))
    first = full_axis.around(days)
    assert number("1900-01-01") < first.first < number("1952-01-01") and first.last > number("2008-01-01")
    assert full_axis.around(rows((0, "1000"), (1, "2019"))) == full_axis
