"""Dates and times as chats and mail programs write them, in ISO 8601 where the day is known."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from itertools import pairwise

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
_DIGITS = re.compile(r"\d+")
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
    numbers = [int(number) for number in _DIGITS.findall(re.split(r"[.,+Z-]", text, maxsplit=1)[0])]
    if len(numbers) > 3 or numbers[0] > 23:
        return ""
    if half := re.search(r"([ap])\.?m", text, re.IGNORECASE):
        numbers[0] = numbers[0] % 12 + 12 * (half[1].lower() == "p")
    return ":".join(f"{number:02d}" for number in numbers)


# ------------------------------------------------------------ stamps of chat programs


MARKS = re.compile("[\u061c\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]")  # nobody sees them
_BEFORE_NOON = (
    "am|a. m.|vorm.|上午|早上|凌晨|清晨|오전|午前|ص|صباحًا|ق.ظ|π.μ.|sa|de.|fm|f.m.|dop.|ap.|पूर्वाह्न|öö"
    "|до полудня"
)
_AFTER_NOON = (
    "pm|p. m.|nachm.|下午|中午|晚上|오후|午後|م|مساءً|ب.ظ|μ.μ.|ch|du.|em|e.m.|odp.|ip.|अपराह्न|ös|после полудня"
)


def _halves(names: str) -> str:
    """A pattern: dots and blanks within the names may be there or not."""
    letters = (re.escape(name.replace(" ", "").replace(".", "")) for name in names.split("|"))
    return "|".join(
        r"\.?\s?".join(re.findall(r"\\?.", name)) for name in sorted(letters, key=len, reverse=True)
    )


_HALF = rf"(?:(?:{_halves(_AFTER_NOON)}|{_halves(_BEFORE_NOON)})(?![^\W\d_])\.?)"
_DAY = (
    r"(?:\d{1,4}(?:[./-]|\.\s)\d{1,2}(?:[./-]|\.\s)\d{1,4}\.?"
    r"|\d{4}\s?[年년]\s?\d{1,2}\s?[月월]\s?\d{1,2}\s?[日일])"
)
_CLOCK = rf"(?:{_HALF}\s?)?\d{{1,2}}[:.]\d\d(?:[:.]\d\d)?(?:\s?{_HALF})?"
# "à", "um", "klo", "kl.", "г.,": a short word may join day and time.
STAMP = rf"{_DAY}(?:\s[^\W\d_]{{1,3}}\.?)?[,،]?\s{{1,3}}(?:[^\W\d_]{{1,3}}\.?\s)?{_CLOCK}(?:\sч\.)?"
_STAMP = re.compile(
    rf"(?P<day>{_DAY})(?:\s(?!{_HALF})[^\W\d_]{{1,3}}\.?)?[,،]?\s{{1,3}}(?:(?!{_HALF})[^\W\d_]{{1,3}}\.?\s)?"
    rf"(?:(?P<before>{_HALF})\s?)?(?P<hour>\d{{1,2}})[:.](?P<rest>\d\d(?:[:.]\d\d)?)(?:\s?(?P<after>{_HALF}))?(?:\sч\.)?",
    re.IGNORECASE,
)
_LATE = re.compile(rf"(?:{_halves(_AFTER_NOON)})\.?", re.IGNORECASE)
_NUMBER = re.compile(r"\d+")
_SLASHED = re.compile(r"(?<![\d./-])(\d{1,2})[/-](\d{1,2})[/-](\d{4}|\d\d)(?!\d)")


def plain_stamp(stamp: str) -> str:
    """ "20/6/2017 8:28 p. m." -> "20/6/2017 20:28", "2017. 11. 7. 오후 8:20" -> "2017-11-7 20:20"."""
    found = _STAMP.fullmatch(stamp.strip(" []()<>"))
    if found is None:
        return stamp
    first, second, third = (int(number) for number in _NUMBER.findall(found["day"]))
    if first > 31:
        day = f"{first}-{second}-{third}"
    else:
        mark = next((mark for mark in ".-" if mark in found["day"]), "/")
        day = f"{first}{mark}{second}{mark}{third:02d}"
    hour, half = int(found["hour"]), found["before"] or found["after"]
    if half and hour < 13:
        hour = hour % 12 + 12 * (_LATE.fullmatch(half) is not None)
    rest = ":".join(f"{int(part):02d}" for part in _NUMBER.findall(found["rest"]))
    return f"{day} {hour:02d}:{rest}"


def month_comes_first(stamps: Iterable[str]) -> bool | None:
    """Whether 7/11/2017 is 11 July in a list of stamps in order; None where both ways the days ascend, or neither."""
    numbers = [tuple(map(int, found.groups())) for stamp in stamps if (found := _SLASHED.search(stamp))]
    ascend = [
        all(one <= other for one, other in pairwise(_days(numbers, month_first)))
        for month_first in (False, True)
    ]
    return None if ascend[0] == ascend[1] else ascend[1]


def _days(numbers: Iterable[tuple[int, ...]], month_first: bool) -> list[int]:
    """Ordinals of the days; one that there is none of descends."""
    days = []
    for first, second, year in numbers:
        month, day = (first, second) if month_first else (second, first)
        try:
            days.append(date(year + 2000 * (year < 100), month, day).toordinal())
        except ValueError:
            days += [1, 0]
    return days
