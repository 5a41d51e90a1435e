"""Dates with times as chat programs stamp their messages, in the forms of many locales, put into one plain form.

Forms and names of the halves of the day are those of the Unicode CLDR.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import date
from itertools import pairwise

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
