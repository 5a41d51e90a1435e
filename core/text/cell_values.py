"""Numbers and dates as people write them in cells, with signs, groups and units."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from itertools import islice

from core.text.dates import cell_date, month_first_of, read_cell

_SPACES = "   "  # space, no-break space, narrow no-break space
_MONEY = r"[$€£¥%]|[A-Z]{3}\b"
_NUMBER = re.compile(
    rf"(?P<open>\()?(?P<sign>[-−–+])?[{_SPACES}]?(?:{_MONEY})?[{_SPACES}]?(?P<minus>[-−])?"
    rf"(?P<digits>\d{{1,3}}(?:(?P<group>[,.'’{_SPACES}])\d{{3}})(?:(?P=group)\d{{3}})*(?:[.,]\d+)?|\d+(?:[.,]\d+)?|[.,]\d+)"
    rf"(?P<power>[eE][-+]?\d{{1,3}})?[{_SPACES}]?(?:{_MONEY})?\)?"
)
_MARKS = re.compile(r"(?:\[[\w*†‡]{1,3}\]|[*†‡]){1,3}$")  # of notes, behind a figure: "12[1]", "7*"
_UNIT = re.compile(r"(?P<number>.*\d)\s?(?P<unit>[^\W\d_]{1,8}[²³]?|°[CF]?|[^\W\d_]+/[^\W\d_]+)")
# What only one of the two decimal signs leaves behind: "12,5", "1.250,50", "1.250.000".
_COMMA = re.compile(r"\d,\d{1,2}(?!\d)|\d,\d{4,}|\d\.\d{3},\d|\d\.\d{3}\.\d{3}")
_POINT = re.compile(r"\d\.\d{1,2}(?!\d)|\d\.\d{4,}|\d,\d{3}\.\d|\d,\d{3},\d{3}")
_MOSTLY = 0.8  # share of a column's cells that have its kind, and share of numbers with its unit
_LEAST_FILLED = 0.3  # share of numbers in a column whose other cells all hold one sign for "nothing"
_SAMPLE = 500  # cells by which a column is judged
_YEARS = range(1000, 2200)


class ColumnKind(StrEnum):
    TEXT = "text"
    NUMBER = "number"
    DATE = "date"
    YEAR = "year"


@dataclass(frozen=True, slots=True)
class Notation:
    """How a column is written."""

    kind: ColumnKind = ColumnKind.TEXT
    decimal: str = "."
    unit: str = ""  # that stands after its numbers
    month_first: bool | None = None  # of 04/05/2021; None where the column does not tell

    def value(self, text: str) -> float | None:
        """The cell's number, or its date in days; None for what is neither."""
        if self.kind is ColumnKind.TEXT:
            return None
        if self.kind is ColumnKind.DATE:
            found = date_of(text, self.month_first)
            return None if found is None else float(found.toordinal())
        if self.unit and text.endswith(self.unit):
            text = text.removesuffix(self.unit)
        return number_of(text, self.decimal)

    def decimals(self, text: str) -> int:
        """How many figures stand behind the decimal sign."""
        sign, figures = self.decimal or ".", _MARKS.sub("", text).removesuffix(self.unit)
        return sum(character.isdigit() for character in figures.rpartition(sign)[2]) if sign in figures else 0


def notation_of(texts: Sequence[str]) -> Notation:
    """How most filled cells are written; a sign that stands wherever there is no number ("n/a") is no text."""
    sample = texts[:: max(1, len(texts) // _SAMPLE)]
    if not sample:
        return Notation()
    decimal = _decimal(sample)
    unit = _unit(sample)
    numbers: list[float] = []
    others = Counter[str]()
    for text in sample:
        number = number_of(text.removesuffix(unit) if unit else text, decimal)
        if number is None:
            others[text.casefold()] += 1
        else:
            numbers.append(number)
    blank = others.most_common(1)[0][1] if others else 0
    if len(numbers) >= max(_MOSTLY * (len(sample) - blank), _LEAST_FILLED * len(sample), 1):
        years = sum(n.is_integer() and int(n) in _YEARS for n in numbers)
        plain = all("," not in text and "." not in text for text in islice(sample, 50))
        kind = ColumnKind.YEAR if plain and not unit and years >= 0.95 * len(numbers) else ColumnKind.NUMBER
        return Notation(kind, decimal, unit)
    dates = [found for text in sample if (found := read_cell(text))]
    month_first = month_first_of(dates)
    sure = sum(not date.unsure or month_first is not None for date in dates)
    if sure and sure >= _MOSTLY * (len(sample) - blank):
        return Notation(ColumnKind.DATE, month_first=month_first)
    return Notation()


def number_of(text: str, decimal: str = "") -> float | None:
    """ "1,250.50 EUR" -> 1250.5, "(3.4)" -> -3.4, "1.250,50" -> 1250.5, "1 250" -> 1250; None for anything else.

    `decimal`: the sign before decimals; without it "1,250" and "1.250.000" are read as groups, "1.250" is not.
    """
    text = _MARKS.sub("", text.strip())
    match = _NUMBER.fullmatch(text)
    if match is None or (match["open"] and not text.endswith(")")):
        return None
    digits = match["digits"]
    group = match["group"] or ""
    if group == "." and digits.count(".") == 1 and "," not in digits and decimal != ",":
        group = ""  # 1.250
    elif group == "," and digits.count(",") == 1 and "." not in digits and decimal == ",":
        group = ""  # 1,250
    if group:
        digits = digits.replace(group, "")
    value = float(digits.replace(",", ".") + (match["power"] or ""))
    return -value if match["sign"] in {"-", "−", "–"} or match["minus"] or match["open"] else value


def marks_of(texts: Sequence[str]) -> set[str]:
    """Currencies and percent signs of a column's figures; figures without any count beside percents alone."""
    found = {
        match[0] if (match := re.search(_MONEY, text)) else ""
        for text in texts
        if any(map(str.isdigit, text))
    }
    return found if "%" in found else found - {""}


def date_of(text: str, month_first: bool | None = None) -> date | None:
    """A date with at least a month, of which the first day counts, with or without a time; None where day and month
    cannot be told apart."""
    day = cell_date(text, month_first)
    return date.fromisoformat(f"{day}-01"[:10]) if len(day) > 4 else None


def _decimal(texts: Sequence[str]) -> str:
    """The sign before decimals in a column."""
    commas = sum(_COMMA.search(text) is not None for text in texts)
    points = sum(_POINT.search(text) is not None for text in texts)
    return "," if commas > points else "." if points else ""


def _unit(texts: Sequence[str]) -> str:
    """What stands after the numbers of a column that has one unit: " kg"."""
    found = [
        match for text in texts if (match := _UNIT.fullmatch(text)) and number_of(match["number"]) is not None
    ]
    if len(found) < _MOSTLY * len(texts):
        return ""
    unit, times = Counter(match["unit"] for match in found).most_common(1)[0]
    return unit if times == len(found) else ""
