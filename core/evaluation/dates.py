"""Dates in the common English spellings, so that '5 October 1987' equals 'October 5, 1987'."""

from __future__ import annotations

import re

_MONTHS = {
    name: number
    for number, names in enumerate(
        ("january jan", "february feb", "march mar", "april apr", "may", "june jun", "july jul",
         "august aug", "september sep sept", "october oct", "november nov", "december dec"),
        start=1,
    )
    for name in names.split()
}  # fmt: skip
_MONTH = "|".join(sorted(_MONTHS, key=len, reverse=True))
_DAY_FIRST = re.compile(rf"(\d{{1,2}})(?:st|nd|rd|th)?(?:\s+of)?\s+({_MONTH})\.?,?\s+(\d{{3,4}})")
_MONTH_FIRST = re.compile(rf"({_MONTH})\.?\s+(\d{{1,2}})(?:st|nd|rd|th)?,?\s+(\d{{3,4}})")
_MONTH_YEAR = re.compile(rf"({_MONTH})\.?,?\s+(\d{{3,4}})")
_ISO = re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2})")


def date_key(text: str) -> str:
    """'YYYY-MM-DD' or 'YYYY-MM' when the whole text is such a date, else "" (also for bare years)."""
    words = " ".join(text.casefold().split()).strip(" .,;()")
    if found := _ISO.fullmatch(words):
        year, month, day = (int(part) for part in found.groups())
        return f"{year:04d}-{month:02d}-{day:02d}"
    if found := _DAY_FIRST.fullmatch(words):
        return f"{int(found[3]):04d}-{_MONTHS[found[2]]:02d}-{int(found[1]):02d}"
    if found := _MONTH_FIRST.fullmatch(words):
        return f"{int(found[3]):04d}-{_MONTHS[found[1]]:02d}-{int(found[2]):02d}"
    if found := _MONTH_YEAR.fullmatch(words):
        return f"{int(found[2]):04d}-{_MONTHS[found[1]]:02d}"
    return ""


def dates_in(text: str) -> frozenset[str]:
    """Keys of all full dates that stand in the text."""
    words = " ".join(text.casefold().split())
    found = (pattern.finditer(words) for pattern in (_ISO, _DAY_FIRST, _MONTH_FIRST))
    return frozenset(date_key(match.group()) for matches in found for match in matches)
