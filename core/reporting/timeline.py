"""Dates in the words of documents, as "1930", "1930-05" or "1930-05-04"."""

from __future__ import annotations

import calendar
import re
from functools import lru_cache

from core.extraction.dates import find_dates

_MONTHS = {
    name.casefold(): number
    for names in (calendar.month_name, calendar.month_abbr)
    for number, name in enumerate(names)
    if name
} | {"sept": 9}
_ISO = re.compile(r"(\d{4})-(\d{2})(?:-(\d{2}))?")
_YEAR = re.compile(r"(?:(?:in|the year|early|late|mid|since|until|by|of)[\s-]+)*(\d{4})", re.IGNORECASE)
_MEASURE = re.compile(r"-[^\W\d_]")
_DIGITS = re.compile(r"\d{3}")
_FIRST, _LAST = 1000, 2200  # years; other numbers of four digits are hardly dates


@lru_cache(maxsize=10_000)
def iso(text: str) -> str:
    """The date that the text is; "" when it is none, or not one only. `iso("4 May 1930")` is "1930-05-04"."""
    text = " ".join(text.split())
    if found := _ISO.fullmatch(text):
        year, month, day = (int(part or 0) for part in found.groups())
        return _checked(year, month, day)
    if found := _YEAR.fullmatch(text):
        return _checked(int(found.group(1)), 0, 0)
    spans = find_dates(text)
    if len(spans) != 1:
        return ""
    part = text[slice(*spans[0])]
    if found := _ISO.fullmatch(part):
        return iso(part)
    month = next((_MONTHS[w] for w in re.findall(r"[a-z]+", part.casefold()) if w in _MONTHS), 0)
    numbers = [int(number) for number in re.findall(r"\d+", part)]
    day = next((n for n in numbers[:-1] if n <= 31), 0)
    return _checked(numbers[-1], month, day) if month else ""


@lru_cache(maxsize=10_000)  # a sentence is read for each of its facts
def date_in(text: str) -> str:
    """The only date, with at least a month, that a sentence names; "" when it names none or several."""
    if not _DIGITS.search(text):
        return ""
    spans = find_dates(text)
    return iso(text[slice(*spans[0])]) if len(spans) == 1 else ""


def only_counts(date: str, sentence: str) -> bool:
    """Whether what looks like a year is a measure in the sentence wherever it stands: a 1001-room hotel."""
    if len(date) != 4:
        return False
    found = [match.end() for match in re.finditer(rf"(?<!\d){date}(?!\d)", sentence)]
    return bool(found) and all(_MEASURE.match(sentence, end) for end in found)


def _checked(year: int, month: int, day: int) -> str:
    """Without the parts that no calendar has."""
    if not _FIRST <= year <= _LAST:
        return ""
    if not 1 <= month <= 12:
        return f"{year:04}"
    if not 1 <= day <= calendar.monthrange(year, month)[1]:
        return f"{year:04}-{month:02}"
    return f"{year:04}-{month:02}-{day:02}"
