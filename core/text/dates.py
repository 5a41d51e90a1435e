"""Read dates where they stand in texts, in numbers and in words: the one reader for prose, cells, stamps and titles.

Of 04/05/2021 the year alone is sure until the document's own usage tells day and month apart (`month_first_of`).
The names of months are written out here, once for everyone: those of `calendar` and `strptime` follow the locale, which
Qt sets to the person's.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date as Day
from functools import lru_cache

ENGLISH_MONTHS = (
    "January February March April May June July August September October November December".split()
)
ENGLISH_DAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
GERMAN_MONTHS = "Januar Februar März April Mai Juni Juli August September Oktober November Dezember".split()
FRENCH_MONTHS = "janvier février mars avril mai juin juillet août septembre octobre novembre décembre".split()
_NAMES = (*ENGLISH_MONTHS, *GERMAN_MONTHS)
_SMALL_NAMES = (  # of languages that write months with a small letter
    " ".join(FRENCH_MONTHS),
    "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
    "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
    "januari februari maart april mei juni juli augustus september oktober november december",
    "januari februari mars april maj juni juli augusti september oktober november december",
    "januar februar marts april maj juni juli august september oktober november desember",
    "января февраля марта апреля мая июня июля августа сентября октября ноября декабря",
    "январе феврале марте апреле мае июне июле августе сентябре октябре ноябре декабре",
    "январь февраль март апрель май июнь июль август сентябрь октябрь ноябрь декабрь",
    "يناير فبراير مارس أبريل مايو يونيو يوليو أغسطس سبتمبر أكتوبر نوفمبر ديسمبر",
)
# Every name in lower case, also as keyboards without accents write it, and the short forms that begin it.
_FULL = {
    form: at % 12 + 1
    for at, name in enumerate((*_NAMES, *(name for names in _SMALL_NAMES for name in names.split())))
    for form in (name.lower(), name.lower().translate(str.maketrans("éûäç", "euac")))
} | {"jänner": 1, "jaenner": 1, "maerz": 3, "setiembre": 9}
MONTHS = (
    {
        name[:length]: number
        for length in (3, 4)
        for name, number in _FULL.items()
        if (name[:length]) not in {"jui", "juin"}
    }
    | _FULL
    | {"mrz": 3, "mrt": 3}
)
_ENGLISH = {form for name in map(str.lower, ENGLISH_MONTHS) for form in (name, name[:3])} | {"sept"}
_CAPITAL = frozenset(map(str.lower, _NAMES))  # months that stand with a capital also within a sentence
_SMALL = frozenset(_FULL) - {"may", "march"}  # which are verbs
_SHORT = _ENGLISH - _FULL.keys() | {"okt", "dez", "mrz", "mär"}  # that stand before a year without a point

_INITIALS = "".join(sorted({letter for name in MONTHS for letter in (name[0], name[0].upper())}))
MONTH = rf"(?:{'|'.join(sorted({name[:3] for name in MONTHS}))})[^\W\d_]{{0,7}}"
# Without regard to case; the long ones of most languages by how they end.
WEEKDAY = (
    r"(?:[^\W\d_]{2,9}(?:day|tag|di|dì|dag)|mittwoch|lunes|martes|miércoles|jueves|viernes|sábado|sabato|domingo|domenica|"
    r"dimanche|mon|tues?|wed|thu(?:rs)?|fri|sat|sun|lun|mar|mer|mié|jue|jeu|gio|ven|vie|sam|sáb|sab|dom|dim|mo|di|mi|do|fr|sa|"
    r"so)"
)
_TH = r"(?:st|nd|rd|th|er|re|\.?[º°ª]|\.?ten|\.)?"
_TO = r"(?:\s?[-–—/]\s?|\s(?:and|to|until|through|bis|und|au|et|al|e|y|a|até|til|tot)\s(?:(?:le|the|el|il|den|dem)\s)?)"
# A month before its day or its year; what stands before it is looked at afterwards, in a few characters.
# Most words fail at their first letter, or at what follows them; `MONTHS` judges the others.
_NAMED = re.compile(
    rf"\b([{_INITIALS}][^\W\d_]{{2,9}})(\.?(?:,?\s{{1,3}}(?:(?:de|del|di|of)\s)?|[-/])['’]?)(?=\d)"
)
_DAY_BEFORE = re.compile(
    rf"(?:(?<![\w.,/])|(?<=[a-z]\s\d{{4}}))"
    rf"(?:(?P<first>\d{{1,2}}){_TH}(?:\s(?:de\s)?(?P<month>{MONTH})\.?)?{_TO})?"
    rf"(?P<day>\d{{1,2}}){_TH}(?:\s{{1,3}}(?:(?:of|de|di)\s)?|(?P<mark>[-/]))\Z",
    re.IGNORECASE,
)
_MONTH_BEFORE = re.compile(rf"(?<!\w)(?P<month>{MONTH})\.?\s(?P<first>\d{{1,2}}){_TH}{_TO}\Z", re.IGNORECASE)
_DAY_AFTER = re.compile(
    rf"(?P<day>\d{{1,2}})(?:st|nd|rd|th)?(?:{_TO}(?P<last>\d{{1,2}})(?:st|nd|rd|th)?)?"
    rf"(?:\s*,\s*(?=\d{{4}})|,?\s+)(?:\d{{1,2}}:\d\d(?::\d\d)?\s)?(?P<year>\d{{3,4}})(?:(?!\w)|(?=\d{{1,2}}\s+{MONTH}))",
    re.IGNORECASE,
)
_YEAR_AFTER = re.compile(rf"\d{{2,4}}(?:(?!\w)|(?=\d{{1,2}}\s+{MONTH}))", re.IGNORECASE)
_REACH = 40  # characters before a month or a number that may belong to its date
_NUMBERS = re.compile(
    r"(\d{1,4})([./-]|\. )(\d{1,2})\2(\d{1,4})"
    r"(T\d\d:?\d\d(?::?\d\d(?:[.,]\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?)?(?![\w/])(?![.,]\d)"
)
_EASTERN = re.compile(r"(?<!\d)(\d{4})\s?[年년]\s?(\d{1,2})\s?[月월](?:\s?(\d{1,2})\s?[日号號일])?")
_OUTSIDE = re.compile(r"(?:[\w/+]|\d[.,]|\w\.)\Z")  # before what is part of a longer number
_GOES_ON = re.compile(r"-\d")
_FROM_DAY = re.compile(r"(?<![\w.,/])(\d{1,2})\.(?:(\d{1,2})\.)?\s?(?:[-–—]|bis|al|au)\s?\Z")
# Words that stand before a date rather than before the number of a section.
_DATING = re.compile(
    r"(?:^|\W)(?:on|since|until|till|from|dated|by|to|and|am|vom|den|dem|seit|bis|ab|zum|und|le|du|au|dès|et|el|del|al|"
    rf"desde|hasta|il|dal|dall['’]|fino|(?:{'|'.join(ENGLISH_DAYS)})|[^\W\d_]+tag|[^\W\d_]{{1,20}}:),?\s{{1,2}}\Z",
    re.IGNORECASE,
)
_AFTER_WORD = re.compile(r"[^\W_]\s\Z")
_VERSION = re.compile(r"versi[oóò]ne?s?\s\Z", re.IGNORECASE)
_ISO = re.compile(r"(\d{4})-(\d{2})(?:-(\d{2}))?")
_STATED = re.compile(r"(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?(?=$|T| )")
_COMPACT = re.compile(r"(\d{4})(\d{2})(\d{2})|(\d{4})-(\d{2})|(\d{1,2})[-/](\d{4})")  # in a cell
_CLOCK = re.compile(r"[T ]\d{1,2}:\d\d(?::\d\d(?:\.\d+)?)?\s?(?:[AaPp][Mm])?(?:Z|[+-]\d\d:?\d\d)?\Z")
_YEAR = re.compile(r"(?:(?:in|the year|early|late|mid|since|until|by|of)[\s-]+)*(\d{4})", re.IGNORECASE)
_YEARS = re.compile(r"(?<![\d.,])(1\d{3}|2[01]\d{2})(?![\d%])(s\b)?")
_MEASURE = re.compile(r"-[^\W\d_]")
_FIGURES = re.compile(r"\d{3}|\d[./-]\d\d|['’]\d\d|(?<!\d)0\d(?!\d)")
_FIRST, _LAST = 1000, 2200  # years; other numbers of four digits are hardly dates
_CENTURY = 40  # two figures below it are of the years from 2000 on, the others of those from 1900 on


@dataclass(frozen=True, slots=True)
class WrittenDate:
    """A date at text[start:end], with at least a month and a year; 0 for what it does not name."""

    start: int
    end: int
    year: int
    month: int
    day: int = 0
    unsure: bool = False  # whether day and month may change places
    since: tuple[int, int] = (0, 0)  # month and day on which a range begins that ends on this date
    month_first: bool | None = None  # what it shows of the usage of its document

    def iso(self, month_first: bool | None = None) -> str:
        """Return the day, month or year in ISO 8601: of a range, and of what is unsure, the part that is common."""
        year, month, day = self._read(month_first)
        if self.since[0] and month:
            day, month = 0, month if month == self.since[0] else 0
        return _checked(year, month, day)

    def days(self, month_first: bool | None = None) -> tuple[int, int] | None:
        """Return its first and last day, as `day_span`."""
        last = day_span(_checked(*self._read(month_first)))
        if last is None or not self.since[0]:
            return last
        first = day_span(_checked(self.year, *self.since))
        return (first[0], last[1]) if first is not None and first[0] <= last[1] else last

    def _read(self, month_first: bool | None) -> tuple[int, int, int]:
        if not self.unsure:
            return self.year, self.month, self.day
        if month_first is None:
            return self.year, 0, 0
        return (self.year, self.day, self.month) if month_first else (self.year, self.month, self.day)


def read_dates(text: str, stamp: bool = False) -> list[WrittenDate]:
    """Return the dates in order, none overlapping; a `stamp` holds little else, so 3.5.19 and 18-11-17 are some."""
    if not (stamp or _FIGURES.search(text)):
        return []
    found = sorted((*_in_words(text, stamp), *_in_numbers(text, stamp)), key=lambda one: one.start)
    return [one for at, one in enumerate(found) if not at or one.start >= found[at - 1].end]


def month_first_of(dates: Iterable[WrittenDate]) -> bool | None:
    """Return what the dates of a document show of all of them: 13/05/2021 has the day first, so 04/05/2021 has it too.

    None where nothing tells, or some tell the contrary of others.
    """
    usage = {one.month_first for one in dates} - {None}
    return usage.pop() if len(usage) == 1 else None


def find_dates(text: str) -> list[tuple[int, int]]:
    """Return spans of dates with at least a month and a year, in order, none overlapping: '5 October 1987',
    'Oct. 5, 1987', 'May 1987', '1987-10-05', '05/10/1987', '3.-5. März 2019'."""
    return [(one.start, one.end) for one in read_dates(text)]


@lru_cache(maxsize=10_000)
def written_date(text: str) -> WrittenDate | None:
    """Return the only date, with at least a month, that a text names; None when it names none or several."""
    dates = read_dates(text)
    return dates[0] if len(dates) == 1 else None


@lru_cache(maxsize=10_000)
def iso(text: str) -> str:
    """The date that the text is; "" when it is none, or not one only. `iso("4 May 1930")` is "1930-05-04"."""
    text = " ".join(text.split())
    if found := _ISO.fullmatch(text):
        year, month, day = (int(part or 0) for part in found.groups())
        return _checked(year, month, day)
    if found := _YEAR.fullmatch(text):
        return _checked(int(found.group(1)), 0, 0)
    return date_in(text)


def date_words(date: str) -> str:
    """Return an ISO date as people write it, as far as it goes: "9 November 2021", "November 2021", "2021"."""
    parts = date[:10].split("-")
    if len(parts) < 2 or not all(map(str.isdecimal, parts)) or not 1 <= int(parts[1]) <= 12:
        return date
    month = f"{ENGLISH_MONTHS[int(parts[1]) - 1]} {parts[0]}"
    return f"{int(parts[2])} {month}" if len(parts) > 2 else month


def day_range(date: str) -> tuple[int, int]:
    """First and last day of an ISO date as numbers: "2021-03" is 20210300 to 20210399, so that days compare with
    months; (0, 0) for no date. A time of day is left out."""
    parts = date[:10].split("-")
    if not all(part.isdecimal() for part in parts) or len(parts[0]) != 4:
        return 0, 0
    year, month, day = (*map(int, parts), 0, 0)[:3]
    low = year * 10000 + month * 100 + day
    return low, low + (0 if day else 99 if month else 9999)


def date_in(text: str) -> str:
    """The only date, with at least a month, that a sentence names; "" when it names none or several."""
    date = written_date(text)
    return date.iso() if date else ""


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


def stated_date(first: int, last: int) -> str:
    """Return the day, month or year in ISO 8601 that begins and ends on these days; "" for any other span."""
    day = Day.fromordinal(first).isoformat()
    return next((form for form in (day, day[:7], day[:4]) if day_span(form) == (first, last)), "")


def named_days(name: str, month_first: bool | None = None) -> tuple[int, int] | None:
    """First and last day, as `day_span`, of what a name of a time names: a date, or all years from the first to the
    last that stands in it: "1938-1940", "summer of 1943", "the early 1930s" with all ten."""
    if (date := written_date(name)) and (days := date.days(month_first)):
        return days
    if stated := iso(name):
        return day_span(stated)
    years = [int(found[1]) + at for found in _YEARS.finditer(name) for at in (0, 9 if found[2] else 0)]
    if not years:
        return None
    return Day(min(years), 1, 1).toordinal(), Day(max(years), 12, 31).toordinal()


def read_cell(text: str) -> WrittenDate | None:
    """Return the date that a cell or a field of metadata is, of whatever case, with or without a time; None for
    anything else, and for a range."""
    text = _CLOCK.sub("", " ".join(text.split()).strip(" .,;()")).rstrip(" ,")
    if not 4 < len(text) <= _REACH or not text[-1].isdigit():
        return None
    if found := _COMPACT.fullmatch(text):
        parts = [int(part or 0) for part in found.groups()]
        year, month, day = max(parts[:3], [*parts[3:5], 0], [parts[6], parts[5], 0])
        real = _real(year, month, day or 1) and (day or not found[1])
        return WrittenDate(0, len(text), year, month, day) if real else None
    dates = read_dates(text, stamp=True)
    if len(dates) != 1 or dates[0].end - dates[0].start < len(text) or dates[0].since[0]:
        return None
    return dates[0]


def cell_date(text: str, month_first: bool | None = None) -> str:
    """Return the date that a cell is, as `read_cell`, in ISO 8601; "" where it is none."""
    found = read_cell(text)
    return found.iso(month_first) if found else ""


def date_key(text: str) -> str:
    """'YYYY-MM-DD' or 'YYYY-MM' when the whole text is such a date in whatever case, else "" (also for bare years)."""
    date = cell_date(text)
    return date if len(date) > 4 else ""


def dates_in(text: str) -> frozenset[str]:
    """Keys of all full dates that stand in the text."""
    found = (one.iso() for one in read_dates(" ".join(text.split())))
    return frozenset(date for date in found if len(date) == 10)


def only_counts(date: str, sentence: str) -> bool:
    """Whether what looks like a year is a measure in the sentence wherever it stands: a 1001-room hotel."""
    if len(date) != 4:
        return False
    found = [match.end() for match in re.finditer(rf"(?<!\d){date}(?!\d)", sentence)]
    return bool(found) and all(_MEASURE.match(sentence, end) for end in found)


def _in_words(text: str, stamp: bool) -> Iterator[WrittenDate]:
    """Dates whose month is a word."""
    for found in _NAMED.finditer(text):
        start, after = found.start(1), found.end()
        word, month = found[1].lower(), MONTHS.get(found[1].lower())
        if month is None:
            continue
        window = text[max(0, start - _REACH) : start]
        left, offset = _DAY_BEFORE.search(window), max(0, start - _REACH)
        year = _YEAR_AFTER.match(text, after)
        marked = found[2][-1] in "-/'’"  # before a year of two figures
        # "04 Feb 09": nobody writes a number of things so.
        padded = left is not None and year is not None and "0" in (left["day"][0], year[0][0])
        if left and year and (len(year[0]) > 2 or marked or stamp or padded):
            since = (
                (MONTHS.get((left["month"] or word).lower(), 0), int(left["first"]))
                if left["first"]
                else (0, 0)
            )
            day = int(left["day"])
            yield WrittenDate(offset + left.start(), year.end(), _full_year(year[0]), month, day, since=since)
        elif (word in _FULL or word in _ENGLISH) and (days := _DAY_AFTER.match(text, after)):
            if not (stamp or word in _FULL or found[1][0].isupper()):
                continue
            since, begin, day = (0, 0), start, int(days["day"])
            if days["last"]:
                since, day = (month, day), int(days["last"])
            elif earlier := _MONTH_BEFORE.search(window):
                since = MONTHS.get(earlier["month"].lower(), 0), int(earlier["first"])
                begin = offset + earlier.start() if since[0] else start
            yield WrittenDate(begin, days.end(), int(days["year"]), month, day, since=since)
        elif year and (len(year[0]) == 4 or (marked and found[2][-1] in "'’")):
            line = (not start or text[start - 1] == "\n") and text[year.end() : year.end() + 1] in {"", "\n"}
            if stamp or _alone(found[1], "." in found[2], line):
                yield WrittenDate(start, year.end(), _full_year(year[0]), month)


def _alone(word: str, point: bool, line: bool) -> bool:
    """Whether a word before a year is a month as it is written: "May 1987" and "mai 1987", no "may 1987".

    `line`: both are all that stands in their line.
    """
    name = word.lower()
    if name in _FULL:
        return name in _CAPITAL or line or word.isupper() if word[0].isupper() else name in _SMALL
    return word[0].isupper() and (name in _SHORT or (point and name in MONTHS))


def _in_numbers(text: str, stamp: bool) -> Iterator[WrittenDate]:
    """Dates that are numbers alone, and those with the signs of East Asia for year, month and day."""
    for found in _EASTERN.finditer(text) if "年" in text or "년" in text else ():
        year, month, day = (int(part or 0) for part in found.groups())
        if _real(year, month, day or 1):
            yield WrittenDate(*found.span(), year, month, day)
    for found in _NUMBERS.finditer(text):
        start, end = found.span()
        first, sign, second, third, clock = found.groups()
        sign = sign.strip()
        before = text[max(0, start - _REACH) : start]
        if _OUTSIDE.search(before) or (sign == "-" and _GOES_ON.match(text, end)):
            continue
        if len(first) == 4:
            usual = sign != "-" or len(second) == len(third) == 2 or stamp
            if usual and len(third) <= 2 and _real(int(first), int(second), int(third)):
                yield WrittenDate(start, end, int(first), int(second), int(third))
            continue
        if clock or len(first) > 2 or len(third) not in {2, 4}:
            continue
        if not stamp and (
            before[-1:] == "-" and sign == "-" or not _dates(before, sign, first, second, third)
        ):
            continue
        if dated := _ordered(start, end, sign, int(first), int(second), _full_year(third)):
            if sign == "." and (range_ := _FROM_DAY.search(before)):
                since = int(range_[2] or dated.month), int(range_[1])
                start -= len(before) - range_.start()
                dated = WrittenDate(start, end, dated.year, dated.month, dated.day, since=since)
            yield dated


def _dates(before: str, sign: str, first: str, second: str, third: str) -> bool:
    """Whether three numbers in prose are a date rather than a version, a section or a code."""
    if sign != ".":
        return len(third) == 4 or sign == "/"
    if _VERSION.search(before):
        return False
    if len(third) == 4 or _DATING.search(before):
        return True
    return len(first) == len(second) == 2 and not _AFTER_WORD.search(before)


def _ordered(start: int, end: int, sign: str, first: int, second: int, year: int) -> WrittenDate | None:
    """The date of day and month in the order in which a calendar has them; unsure where both orders are."""
    day_first, month_first = _real(year, second, first), _real(year, first, second)
    if day_first and month_first and first != second and sign != ".":
        return WrittenDate(start, end, year, second, first, unsure=True)
    usage = None if sign == "." or first == second else not day_first
    if day_first:
        return WrittenDate(start, end, year, second, first, month_first=usage)
    return WrittenDate(start, end, year, first, second, month_first=usage) if month_first else None


def _full_year(figures: str) -> int:
    year = int(figures)
    return year if len(figures) > 2 else year + (2000 if year < _CENTURY else 1900)


def _real(year: int, month: int, day: int) -> bool:
    return _FIRST <= year <= _LAST and 1 <= month <= 12 and 1 <= day <= monthrange(year, month)[1]


def _checked(year: int, month: int, day: int = 0) -> str:
    """Without the parts that no calendar has."""
    if not _FIRST <= year <= _LAST:
        return ""
    if not 1 <= month <= 12:
        return f"{year:04}"
    if not 1 <= day <= monthrange(year, month)[1]:
        return f"{year:04}-{month:02}"
    return f"{year:04}-{month:02}-{day:02}"
