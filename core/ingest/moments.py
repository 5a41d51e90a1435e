"""Dates and times as chats and mail programs write them, in ISO 8601 where the day is known."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date

from core.text.dates import ENGLISH_MONTHS, MONTH_BEGINNINGS

_MONTH = rf"(?:{'|'.join(sorted(MONTH_BEGINNINGS, key=len, reverse=True))})[^\W\d_]{{0,7}}\.?"
DATE = r"\d{4}[-./]\d{1,2}[-./]\d{1,2}|\d{1,2}[-./]\d{1,2}[-./](?:\d{4}|\d{2})"
TIME = r"\d{1,3}(?::\d{2}){1,3}(?:[.,]\d{1,6})?(?:\s?[ap]\.?m\b\.?)?(?:Z|\s?[+-]\d{2}:?\d{2}\b)?"
WRITTEN = (
    rf"\d{{1,2}}(?:st|nd|rd|th|\.)?\s(?:of\s|de\s)?{_MONTH}\s?,?\s(?:de\s)?\d{{4}}|{_MONTH}\s\d{{1,2}}(?:st|nd|rd|th)?"
    rf"(?:,\s|\s(?:{TIME}\s)?)\d{{4}}"
)
_NUMBERS = re.compile(rf"(?<![\d.:/-])(?:{DATE})(?![\d-])")
_WORDS = re.compile(rf"(?<!\w)(?:{WRITTEN})(?!\w)", re.IGNORECASE)
_TIME = re.compile(rf"(?<![\d:.]){TIME}", re.IGNORECASE)
_FRAME = " []()<>"
_NUMBER = re.compile(r"\d+")
_FIGURE = re.compile(r"\d")
_MONTH_NAME = re.compile(_MONTH, re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Calendar:
    """How a document writes its dates."""

    month_first: bool | None = None  # of 04/05/2021; None where nothing tells

    def day(self, text: str) -> tuple[str, tuple[int, int]] | None:
        """The first date of `text` in ISO 8601, and its span; None where there is none or it is not sure."""
        if not _FIGURE.search(text):
            return None  # for speed: this is asked of every line
        if found := _WORDS.search(text):
            name = _MONTH_NAME.search(found[0])
            month = next(
                n for begin, n in MONTH_BEGINNINGS.items() if name and name[0].lower().startswith(begin)
            )
            numbers = [int(number) for number in _NUMBER.findall(_TIME.sub(" ", found[0]))]
            return _dated(numbers[-1], month, numbers[0], found.span())
        if (found := _NUMBERS.search(text)) is None:
            return None
        first, second, third = (int(number) for number in _NUMBER.findall(found[0]))
        if first > 31:
            return _dated(first, second, third, found.span())
        year = third + 2000 if third < 100 else third
        if "." in found[0] or first > 12 or self.month_first is False:
            return _dated(year, second, first, found.span())
        if second > 12 or self.month_first or first == second:
            return _dated(year, first, second, found.span())
        return None

    def moment(self, text: str, day: str = "") -> str:
        """Date and time of a stamp; the time alone where neither it nor `day` tells the day, else as written."""
        found = self.day(text)
        stated, (start, end) = found or (day, (0, 0))
        rest = f"{text[:start]} {text[end:]}"
        time = _TIME.search(rest)
        clock = _clock(time[0]) if time else ""
        if found is None and _NUMBERS.search(text):
            return text.strip(_FRAME)
        if stated and clock:
            return f"{stated}T{clock}"
        return clock or (stated if found else "") or text.strip(_FRAME)


def calendar(dates: Iterable[str]) -> Calendar:
    """What all of a document's dates together tell: 13/05/2021 has the day first, so 04/05/2021 has it too."""
    for text in dates:
        found = _NUMBERS.search(text)
        if found and "/" in found[0] and not re.match(r"\d{4}", found[0]):
            first, second = (int(number) for number in _NUMBER.findall(found[0])[:2])
            if (first > 12) != (second > 12):
                return Calendar(second > 12)
    return Calendar()


def document_day(title: str, path: str, stated: str | None) -> str:
    """When a document was made, in ISO 8601: a day in its title or its name counts more than what it states of itself;
    "" where nothing tells."""
    for text in (title, path):
        if found := Calendar().day(text):
            return found[0]
    return (stated or "")[:10]


def written_day(time: str) -> str:
    """ "2021-05-04T10:03" -> "4 May 2021", as people ask; "" where the day is not known."""
    try:
        day = date.fromisoformat(time[:10])
    except ValueError:
        return ""
    return f"{day.day} {ENGLISH_MONTHS[day.month - 1]} {day.year}"


def _dated(year: int, month: int, day: int, span: tuple[int, int]) -> tuple[str, tuple[int, int]] | None:
    try:
        return date(year, month, day).isoformat(), span
    except ValueError:
        return None


def _clock(text: str) -> str:
    """ "1:47 pm" -> "13:47"; "" for what no clock shows, such as the fourth hour of the second day of a flight."""
    numbers = [int(number) for number in _NUMBER.findall(re.split(r"[.,+Z-]", text, maxsplit=1)[0])]
    if len(numbers) > 3 or numbers[0] > 23:
        return ""
    if half := re.search(r"([ap])\.?m", text, re.IGNORECASE):
        numbers[0] = numbers[0] % 12 + 12 * (half[1].lower() == "p")
    return ":".join(f"{number:02d}" for number in numbers)
