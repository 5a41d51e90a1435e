"""Dates and times as chats and mail programs write them, in ISO 8601 where the day is known."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date

from core.text.dates import ENGLISH_MONTHS, MONTH, read_dates

DATE = r"\d{4}[-./]\d{1,2}[-./]\d{1,2}|\d{1,2}[-./]\d{1,2}[-./](?:\d{4}|\d{2})"
TIME = r"\d{1,3}(?::\d{2}){1,3}(?:[.,]\d{1,6})?(?:\s?[ap]\.?m\b\.?)?(?:Z|\s?[+-]\d{2}:?\d{2}\b)?"
WRITTEN = (
    rf"\d{{1,2}}(?:st|nd|rd|th|\.)?\s(?:of\s|de\s)?{MONTH}\.?\s?,?\s(?:de\s)?\d{{4}}|{MONTH}\.?\s\d{{1,2}}(?:st|nd|rd|th)?"
    rf"(?:,\s|\s(?:{TIME}\s)?)\d{{4}}"
)
_TIME = re.compile(rf"(?<![\d:.]){TIME}", re.IGNORECASE)
_CLOCK_AFTER = re.compile(r"(?<=\d)T\d")
_FRAME = " []()<>"
_NUMBER = re.compile(r"\d+")
_FIGURE = re.compile(r"\d")


@dataclass(frozen=True, slots=True)
class Calendar:
    """How a document writes its dates."""

    month_first: bool | None = None  # of 04/05/2021; None where nothing tells

    def day(self, text: str) -> tuple[str, tuple[int, int]] | None:
        """The first date of `text` in ISO 8601, and its span; None where there is none or it is not sure."""
        if not _FIGURE.search(text):
            return None  # for speed: this is asked of every line
        for found in read_dates(text, stamp=True):
            day = found.iso(self.month_first)
            if len(day) == 10:
                clock = _CLOCK_AFTER.search(text, found.start, found.end)
                return day, (found.start, clock.start() if clock else found.end)
            if found.unsure:
                return None
        return None

    def moment(self, text: str, day: str = "") -> str:
        """Date and time of a stamp; the time alone where neither it nor `day` tells the day, else as written."""
        found = self.day(text)
        stated, (start, end) = found or (day, (0, 0))
        rest = f"{text[:start]} {text[end:]}"
        time = _TIME.search(rest)
        clock = _clock(time[0]) if time else ""
        if found is None and read_dates(text, stamp=True):
            return text.strip(_FRAME)
        if stated and clock:
            return f"{stated}T{clock}"
        return clock or (stated if found else "") or text.strip(_FRAME)


def calendar(dates: Iterable[str]) -> Calendar:
    """What all of a document's dates together tell: 13/05/2021 has the day first, so 04/05/2021 has it too."""
    usage = (found.month_first for text in dates for found in read_dates(text, stamp=True)[:1])
    return Calendar(next((month_first for month_first in usage if month_first is not None), None))


def written_day(time: str) -> str:
    """ "2021-05-04T10:03" -> "4 May 2021", as people ask; "" where the day is not known."""
    try:
        day = date.fromisoformat(time[:10])
    except ValueError:
        return ""
    return f"{day.day} {ENGLISH_MONTHS[day.month - 1]} {day.year}"


def _clock(text: str) -> str:
    """ "1:47 pm" -> "13:47"; "" for what no clock shows, such as the fourth hour of the second day of a flight."""
    numbers = [int(number) for number in _NUMBER.findall(re.split(r"[.,+Z-]", text, maxsplit=1)[0])]
    if len(numbers) > 3 or numbers[0] > 23:
        return ""
    if half := re.search(r"([ap])\.?m", text, re.IGNORECASE):
        numbers[0] = numbers[0] % 12 + 12 * (half[1].lower() == "p")
    return ":".join(f"{number:02d}" for number in numbers)
