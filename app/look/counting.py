"""Times, dates and lists, said the same everywhere in the window."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date

from humanize import precisedelta
from PySide6.QtCore import QDate, QLocale

from app.look.translation import catalogue, tr


def long_time(seconds: float) -> str:
    """`40 s`, `3 minutes`, `1 hour and 30 minutes`."""
    return (
        tr("{seconds} s", seconds=f"{seconds:.0f}")
        if seconds < 60
        else precisedelta(seconds, minimum_unit="minutes", format="%.0f")
    )


def calendar_day(day: date) -> str:
    """`3 March 2026`."""
    return _language().toString(QDate(day.year, day.month, day.day), "d MMMM yyyy")  # not shown


def axis_words(day: date, unit: str) -> str:
    """As short as an axis needs: `2026`, `Mar 2026` or `3 Mar`, by the unit: Y, M or D."""
    words = {"Y": "yyyy", "M": "MMM yyyy", "D": "d MMM"}[unit]  # not shown
    return _language().toString(QDate(day.year, day.month, day.day), words)


def range_words(first: int, last: int) -> str:
    """`2021`, `2019 to 2021`, `March to May 2021` or whole days, of days by `date.toordinal`."""
    begin, end, behind = (date.fromordinal(day) for day in (first, last, last + 1))
    is_monthly = begin.day == behind.day == 1
    if is_monthly and begin.month == behind.month == 1:
        one, other = axis_words(begin, "Y"), axis_words(end, "Y")
    else:
        form, full = ("MMMM", "MMMM yyyy") if is_monthly else ("d MMMM", "d MMMM yyyy")  # not shown
        one, other = (_language().toString(QDate(day.year, day.month, day.day), full) for day in (begin, end))
        if one != other and begin.year == end.year:
            one = _language().toString(QDate(begin.year, begin.month, begin.day), form)
    return one if one == other else tr("{begin} to {end}", begin=one, end=other)


def listed(parts: Iterable[str]) -> str:
    """`Tallinn`, `Tallinn and Riga`, `Tallinn, Riga, and Narva`."""
    return _language().createSeparatedList(list(parts))


def _language() -> QLocale:
    """That of the texts, wherever the machine stands."""
    return QLocale(catalogue.info().get("language", "en"))
