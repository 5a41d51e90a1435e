"""Dates in a text: where they stand, and which comes first."""

from __future__ import annotations

import re
from dataclasses import dataclass

_MONTHS = "january february march april may june july august september october november december".split(" ")
_NUMBER = {name[:n]: i + 1 for i, name in enumerate(_MONTHS) for n in (3, 4, len(name))}
_MONTH = (
    r"(?P<{0}>(?:January|February|March|April|May|June|July|August|September|October|November|December"
    r"|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)\b\.?)"
)
_DAY = r"(?P<{0}>\d{{1,2}})(?:st|nd|rd|th)?"
_YEAR = r"(?P<{0}>1\d{{3}}|20\d{{2}})"
_DATE = re.compile(
    "|".join(
        (
            r"(?<!\d)(?P<y1>\d{4})-(?P<m1>\d{2})-(?P<d1>\d{2})(?!\d)",
            r"(?<![\w.])"
            + _DAY.format("d2")
            + r"(?:\s+of)?\s+"
            + _MONTH.format("m2")
            + r",?\s+(?P<y2>\d{3,4})(?!\w)",
            r"(?<!\w)" + _MONTH.format("m3") + r"\s+" + _DAY.format("d3") + r"\s*,?\s+(?P<y3>\d{3,4})(?!\w)",
            r"(?<!\w)" + _MONTH.format("m4") + r",?\s+" + _YEAR.format("y4") + r"(?!\w)",
            r"(?<![\w.])" + _DAY.format("d5") + r"\s+" + _MONTH.format("m5") + r"(?!\w)",
            r"(?<!\w)" + _MONTH.format("m6") + r"\s+" + _DAY.format("d6") + r"(?![\w,]*\d)",
            r"(?<![\w.,/$€£#-])" + _YEAR.format("y7") + r"(?![\w/%]|[.,]\d)",
        )
    )
)

_DIGIT = re.compile(r"\d")


@dataclass(frozen=True, slots=True)
class Date:
    """A date as read; month and day are 0 where the text does not give them, year 0 likewise."""

    start: int
    end: int
    year: int
    month: int = 0
    day: int = 0


def find_dates(text: str) -> list[Date]:
    """Dates in order, none overlapping. A day and month without a year has year 0."""
    if not _DIGIT.search(text):  # the pattern is long; most sentences hold no date
        return []
    return [_read(match) for match in _DATE.finditer(text)]


def _read(match: re.Match[str]) -> Date:
    parts = {key[0]: value for key, value in match.groupdict().items() if value is not None}
    month = parts.get("m", "0").rstrip(".").lower()
    number = int(month) if month.isdigit() else _NUMBER[month]
    return Date(*match.span(), int(parts.get("y", 0)), number, int(parts.get("d", 0)))


def earlier(left: Date, right: Date) -> bool | None:
    """Whether `left` comes before `right`; None when the text does not decide it."""
    if not left.year or not right.year:
        return None
    for a, b in ((left.year, right.year), (left.month, right.month), (left.day, right.day)):
        if not a or not b:
            return None
        if a != b:
            return a < b
    return None
