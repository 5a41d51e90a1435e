"""Numbers with their nouns, times and dates, said the same everywhere in the window."""

from __future__ import annotations

from datetime import date

from humanize import precisedelta
from PySide6.QtCore import QDate, QLocale

from app.look.translation import catalogue, tr


def counted(count: int, one: str, many: str = "") -> str:
    """`1 document`, `2,040 entities`. `many`: a plural that is not made with s or ies."""
    return f"{count:,} {one if count == 1 else many or plural(one)}"


def plural(one: str) -> str:
    """`entities` of `entity`, `passages` of `passage`."""
    return f"{one[:-1]}ies" if one.endswith("y") else f"{one}s"


def long_time(seconds: float) -> str:
    """`40 s`, `3 minutes`, `1 hour and 30 minutes`."""
    return (
        tr("{seconds} s", seconds=f"{seconds:.0f}")
        if seconds < 60
        else precisedelta(seconds, minimum_unit="minutes", format="%.0f")
    )


def calendar_day(day: date) -> str:
    """`3 March 2026`, in the language of the texts wherever the machine stands."""
    language = QLocale(catalogue.info().get("language", "en"))
    return language.toString(QDate(day.year, day.month, day.day), "d MMMM yyyy")  # not shown
