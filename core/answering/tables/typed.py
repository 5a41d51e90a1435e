"""Tables with typed columns: numbers, money and dates compared as such, and the column that names its records."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum

from core.answering.words import stem
from core.types import DocumentTable

# A number with its sign, grouping and decimals; money and percent signs may stand before or after it.
_NUMBER = re.compile(
    r"(?P<open>\()?(?P<sign>[-−+])?\s?(?P<before>[$€£¥%]|[A-Z]{3}\s)?\s?(?P<digits>\d[\d.,'’   ]*\d|\d)"
    r"\s?(?P<after>[$€£¥%]|[A-Z]{3})?\)?"
)
_DATE_FORMS = (
    "%Y-%m-%d", "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y", "%Y/%m/%d", "%d %B %Y", "%d %b %Y", "%B %d, %Y",
    "%b %d, %Y", "%d.%m.%y", "%d/%m/%y", "%m/%d/%y", "%d-%b-%y", "%d-%b-%Y", "%Y-%m-%d %H:%M:%S", "%Y-%m",
)  # fmt: skip
_DATE_LIKE = re.compile(r"(?=.*\d)[\w./:, -]{6,24}")
_MOSTLY = 0.8  # share of a column's cells that have its kind
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")  # between the words of "ShareWomen"
_WORD = re.compile(r"[^\W_]+")
_YEARS = range(1000, 2200)


class ColumnKind(StrEnum):
    TEXT = "text"
    NUMBER = "number"
    DATE = "date"
    YEAR = "year"


@dataclass(frozen=True, slots=True)
class Cell:
    """`value`: a number, or days for a date; None for text. Offsets in the document's text."""

    row: int
    column: int
    start: int
    end: int
    text: str
    value: float | None = None


@dataclass(frozen=True, slots=True)
class Column:
    name: str
    stems: tuple[str, ...]  # of its name's words
    folded: str  # the name in one piece, where it is one word: "ShareWomen"
    kind: ColumnKind
    distinct: int  # different texts
    filled: int  # cells that are not empty


@dataclass(frozen=True, slots=True)
class TypedTable:
    """`rows` maps each row to its cells by column; `found` the folded text of a cell to (column, rows)."""

    name: str
    columns: tuple[Column, ...]
    rows: Mapping[int, Mapping[int, Cell]]
    found: Mapping[str, Mapping[int, tuple[int, ...]]]
    key: int  # the column that names the records; -1 where none does


def typed(table: DocumentTable, text: str) -> TypedTable:
    """The table read out of its document's `text`."""
    rows: dict[int, dict[int, Cell]] = defaultdict(dict)
    by_column: dict[int, list[str]] = defaultdict(list)
    for row, column, start, end in table.cells.tolist():
        content = text[start:end].strip()
        rows[row][column] = Cell(row, column, start, end, content)
        by_column[column].append(content)
    kinds = {column: _kind(texts) for column, texts in by_column.items()}
    found: dict[str, dict[int, list[int]]] = defaultdict(lambda: defaultdict(list))
    for row, cells in rows.items():
        for column, cell in cells.items():
            value = value_of(cell.text, kinds[column])
            cells[column] = Cell(row, column, cell.start, cell.end, cell.text, value)
            if folded := fold(cell.text):
                found[folded][column].append(row)
    columns = tuple(
        Column(
            name,
            tuple(stem(word) for word in _WORD.findall(_CAMEL.sub(" ", name))),
            stem(name) if _WORD.fullmatch(name) else "",
            kinds.get(at, ColumnKind.TEXT),
            len(set(by_column[at])),
            len(by_column[at]),
        )
        for at, name in enumerate(table.columns)
    )
    frozen = {key: {c: tuple(r) for c, r in places.items()} for key, places in found.items()}
    return TypedTable(table.name, columns, rows, frozen, _key(columns, len(rows)))


def fold(text: str) -> str:
    """Words and figures in lower case, one space between."""
    return " ".join(_WORD.findall(text.casefold()))


def value_of(text: str, kind: ColumnKind) -> float | None:
    """The cell's number, or its date in days; None for what is neither."""
    if kind is ColumnKind.DATE:
        found = date_of(text)
        return None if found is None else float(found.toordinal())
    return None if kind is ColumnKind.TEXT else number_of(text)


def number_of(text: str) -> float | None:
    """ "1,250.50 EUR" -> 1250.5, "(3.4)" -> -3.4, "1.250,50" -> 1250.5; None for anything else."""
    match = _NUMBER.fullmatch(text.strip())
    if match is None:
        return None
    digits = re.sub(r"[\s'’  ]", "", match["digits"])
    comma, point = digits.rfind(","), digits.rfind(".")
    if comma >= 0 and point >= 0:
        decimal, group = (",", ".") if comma > point else (".", ",")
        digits = digits.replace(group, "").replace(decimal, ".")
    elif comma >= 0:
        grouped = re.fullmatch(r"\d{1,3}(?:,\d{3})+", digits)
        digits = digits.replace(",", "" if grouped else ".")
    if digits.count(".") > 1:
        if not re.fullmatch(r"\d{1,3}(?:\.\d{3})+", digits):
            return None
        digits = digits.replace(".", "")
    try:
        value = float(digits)
    except ValueError:
        return None
    return -value if match["sign"] in {"-", "−"} or match["open"] else value


def date_of(text: str) -> date | None:
    """A date in one of the usual forms; day first where both readings are possible."""
    text = text.strip()
    if not _DATE_LIKE.fullmatch(text):
        return None
    for form in _DATE_FORMS:
        try:
            return datetime.strptime(text, form).date()
        except ValueError:
            continue
    return None


def _kind(texts: Sequence[str]) -> ColumnKind:
    """What most filled cells are."""
    if not texts:
        return ColumnKind.TEXT
    sample = texts[:200]
    numbers = [n for text in sample if (n := number_of(text)) is not None]
    if len(numbers) >= _MOSTLY * len(sample):
        years = sum(n in _YEARS and float(n).is_integer() for n in numbers)
        return ColumnKind.YEAR if years >= 0.95 * len(numbers) else ColumnKind.NUMBER
    if sum(date_of(text) is not None for text in sample) >= _MOSTLY * len(sample):
        return ColumnKind.DATE
    return ColumnKind.TEXT


def _key(columns: Sequence[Column], rows: int) -> int:
    """The column that names the records: of texts that differ, the first that is filled nearly everywhere."""
    scores = Counter[int]()
    for at, column in enumerate(columns):
        if column.filled < 0.9 * rows:
            continue
        unlike = column.distinct / max(1, column.filled)
        fits = {ColumnKind.TEXT: 0.3, ColumnKind.NUMBER: -0.3}.get(column.kind, 0.0)
        scores[at] = round(1000 * (unlike + fits - 0.02 * at))
    best = scores.most_common(1)
    return best[0][0] if best and columns[best[0][0]].distinct > 0.5 * rows else -1
