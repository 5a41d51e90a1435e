"""Dates in the words of documents: where they stand, and the day, month or year that each names in ISO 8601.

The names of months are written out here, once for everyone: those of `calendar` and `strptime` follow the locale, which
Qt sets to the person's.
"""

from __future__ import annotations

import re
from calendar import monthrange
from datetime import date as Day
from functools import lru_cache

ENGLISH_MONTHS = (
    "January February March April May June July August September October November December".split()
)
GERMAN_MONTHS = "Januar Februar März April Mai Juni Juli August September Oktober November Dezember".split()
FRENCH_MONTHS = "janvier février mars avril mai juin juillet août septembre octobre novembre décembre".split()
ENGLISH_DAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
# In lower case, with English short forms and what keyboards without accents write.
MONTHS = {
    **{
        form: number
        for names in (ENGLISH_MONTHS, GERMAN_MONTHS, FRENCH_MONTHS)
        for number, name in enumerate(map(str.lower, names), 1)
        for form in ((name, name[:3]) if names is ENGLISH_MONTHS else (name,))
    },
    "sept": 9,
    "jänner": 1,
    "fevrier": 2,
    "aout": 8,
    "decembre": 12,
}
# Months in English, German, French, Spanish, Italian, Portuguese, Dutch and the Nordic languages, by how their names
# begin.
MONTH_BEGINNINGS = {
    **dict.fromkeys(("jan", "gen", "ene"), 1),
    **dict.fromkeys(("feb", "fév", "fev"), 2),
    **dict.fromkeys(("mar", "mär", "mrt", "maa"), 3),
    **dict.fromkeys(("apr", "avr", "abr"), 4),
    **dict.fromkeys(("may", "mai", "mag", "mei", "maj"), 5),
    **dict.fromkeys(("juin", "jun", "giu"), 6),
    **dict.fromkeys(("juil", "jul", "lug"), 7),
    **dict.fromkeys(("aug", "aoû", "aou", "ago"), 8),
    **dict.fromkeys(("sep", "set"), 9),
    **dict.fromkeys(("oct", "okt", "ott", "out"), 10),
    **dict.fromkeys(("nov",), 11),
    **dict.fromkeys(("dec", "dez", "déc", "dic", "des"), 12),
}
# "May" is no short form.
_MONTH = rf"(?:{'|'.join(ENGLISH_MONTHS)}|(?:Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)\b\.?)"
_DAY = r"\d{1,2}(?:st|nd|rd|th)?"
_DATE = re.compile(
    rf"(?:(?<![\w.])|(?<=[a-z] \d{{4}}))(?:\d{{4}}-\d{{2}}-\d{{2}}|{_DAY}(?:\s+of)?\s+{_MONTH},?\s+\d{{3,4}}"
    rf"|{_MONTH}\s+{_DAY}\s*,\s*\d{{3,4}}|{_MONTH}\s+{_DAY}\s+\d{{4}}|{_MONTH},?\s+\d{{4}})(?:(?!\w)|(?=\d{{1,2}}\s+{_MONTH}))"
)
_ANY_CASE = re.compile(_DATE.pattern, re.IGNORECASE)
_ISO = re.compile(r"(\d{4})-(\d{2})(?:-(\d{2}))?")
_STATED = re.compile(r"(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?(?=$|T| )")
_YEAR = re.compile(r"(?:(?:in|the year|early|late|mid|since|until|by|of)[\s-]+)*(\d{4})", re.IGNORECASE)
_YEARS = re.compile(r"(?<![\d.,])(1\d{3}|2[01]\d{2})(?![\d%])(s\b)?")
_MEASURE = re.compile(r"-[^\W\d_]")
_DIGITS = re.compile(r"\d{3}")
_FIRST, _LAST = 1000, 2200  # years; other numbers of four digits are hardly dates


def find_dates(text: str) -> list[tuple[int, int]]:
    """Spans of dates with at least a month and a year, in order, none overlapping: '5 October 1987', 'Oct. 5, 1987',
    'May 1987', '1987-10-05'."""
    return [match.span() for match in _DATE.finditer(text)]


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
    return _read(text[slice(*spans[0])]) if len(spans) == 1 else ""


def day_range(date: str) -> tuple[int, int]:
    """First and last day of an ISO date as numbers: "2021-03" is 20210300 to 20210399, so that days compare with
    months; (0, 0) for no date. A time of day is left out."""
    parts = date[:10].split("-")
    if not all(part.isdecimal() for part in parts) or len(parts[0]) != 4:
        return 0, 0
    year, month, day = (*map(int, parts), 0, 0)[:3]
    low = year * 10000 + month * 100 + day
    return low, low + (0 if day else 99 if month else 9999)


@lru_cache(maxsize=10_000)  # a sentence is read for each of its facts
def date_in(text: str) -> str:
    """The only date, with at least a month, that a sentence names; "" when it names none or several."""
    if not _DIGITS.search(text):
        return ""
    spans = find_dates(text)
    return _read(text[slice(*spans[0])]) if len(spans) == 1 else ""


def day_span(date: str) -> tuple[int, int] | None:
    """First and last day, by `datetime.date.toordinal`, of a date in ISO 8601, with or without month, day and time;
    None for what no calendar has."""
    if not (found := _STATED.match(date)):
        return None
    year, month, day = (int(part or 0) for part in found.groups())
    if not _FIRST <= year <= _LAST:
        return None
    try:
        first = Day(year, month or 1, day or 1)
        last = first if day else Day(year, month or 12, monthrange(year, month or 12)[1])
    except ValueError:
        return None
    return first.toordinal(), last.toordinal()


def named_days(name: str) -> tuple[int, int] | None:
    """First and last day, as `day_span`, of what a name of a time names: a date, or all years from the first to the
    last that stands in it: "1938-1940", "summer of 1943", "the early 1930s" with all ten."""
    if date := iso(name):
        return day_span(date)
    years = [int(found[1]) + at for found in _YEARS.finditer(name) for at in (0, 9 if found[2] else 0)]
    if not years:
        return None
    return Day(min(years), 1, 1).toordinal(), Day(max(years), 12, 31).toordinal()


def date_key(text: str) -> str:
    """'YYYY-MM-DD' or 'YYYY-MM' when the whole text is such a date in whatever case, else "" (also for bare years)."""
    words = " ".join(text.split()).strip(" .,;()")
    found = _read(words) if _ANY_CASE.fullmatch(words) else ""
    return found if len(found) > 4 else ""


def dates_in(text: str) -> frozenset[str]:
    """Keys of all full dates that stand in the text."""
    found = (_read(match.group()) for match in _ANY_CASE.finditer(" ".join(text.split())))
    return frozenset(date for date in found if len(date) == 10)


def only_counts(date: str, sentence: str) -> bool:
    """Whether what looks like a year is a measure in the sentence wherever it stands: a 1001-room hotel."""
    if len(date) != 4:
        return False
    found = [match.end() for match in re.finditer(rf"(?<!\d){date}(?!\d)", sentence)]
    return bool(found) and all(_MEASURE.match(sentence, end) for end in found)


def _read(date: str) -> str:
    """In ISO 8601, of what `find_dates` finds."""
    numbers = [int(number) for number in re.findall(r"\d+", date)]
    if _ISO.fullmatch(date):
        return _checked(*numbers)
    month = next((MONTHS[w] for w in re.findall(r"[a-z]+", date.casefold()) if w in MONTHS), 0)
    day = next((n for n in numbers[:-1] if n <= 31), 0)
    return _checked(numbers[-1], month, day) if month else ""


def _checked(year: int, month: int, day: int = 0) -> str:
    """Without the parts that no calendar has."""
    if not _FIRST <= year <= _LAST:
        return ""
    if not 1 <= month <= 12:
        return f"{year:04}"
    if not 1 <= day <= monthrange(year, month)[1]:
        return f"{year:04}-{month:02}"
    return f"{year:04}-{month:02}-{day:02}"
