"""Tables with typed columns: numbers, money and dates compared as such, and the column that names its records.

What a table does not say for sure is a doubt: what rests on it is no answer that is sure.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from core.text.cell_values import ColumnKind, Notation, marks_of, notation_of
from core.text.stems import stem
from core.text.summary_rows import summaries_of, written_cells
from core.types import DocumentTable

_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")  # between the words of "ShareWomen"
_WORD = re.compile(r"[^\W_]+")
# As sheets are written out: the sign of a merged cell that comes again.
_DITTO = re.compile(r"(?: [\[(][^\])]*[\])])? 〃")
_CURRENCY = re.compile(r"[A-Z]{3}|[€$£¥₣₹]")
_ENDS = r"[^\W\d_]{0,4}\s?\d[\d.,]*"
_RANGE = re.compile(rf"{_ENDS}\s?(?:[-–—/…]|\.\.|to|bis|à|a|al|tot|til)\s?{_ENDS}", re.IGNORECASE)
_WIDEST = 10_000  # numbers of a range
_PARTED = re.compile(r"\s*[;&+/]\s*|,\s+|\s+(?:and|und|et|y|e|en|og|och)\s+")  # between what a cell may name
_GROUPS = re.compile(r"\D*[1-9]\d{0,2}\.\d{3}\D*")
_ASIDE = re.compile(r"\s*[(\[][^()\[\]]*[)\]]\s*$|,\s*\S{1,4}$")  # "Price (EUR)", "Length, m"


@dataclass(frozen=True, slots=True)
class Cell:
    """`value`: a number, or days for a date; None for text. Offsets in the document's text."""

    row: int
    column: int
    start: int
    end: int
    text: str
    value: float | None = None
    again: bool = False  # a number of a merged cell, in a row below its first


@dataclass(frozen=True, slots=True)
class Column:
    name: str
    stems: tuple[str, ...]  # of its name's words
    notation: Notation
    distinct: int  # different texts
    filled: int  # cells that are not empty
    ranged: bool = False  # cells that stand for several: "12-15", "Ada and Bo"
    unlike: bool = False  # figures of several currencies, or that may be thousands or decimals
    unread: frozenset[int] = frozenset()  # rows whose cell holds figures and is no number as the others are
    nameless: frozenset[int] = (
        frozenset()
    )  # rows that say in a column of names that there is none: "vacant", "-"
    running: bool = False  # each figure is the one above it and what another column adds

    @property
    def kind(self) -> ColumnKind:
        return self.notation.kind


@dataclass(frozen=True, slots=True)
class TypedTable:
    """`rows` maps each row to its cells by column; `found` the folded text of a cell to (column, rows).

    `named` maps what a question may call a column, see `spellings`, to the columns.
    """

    name: str
    columns: tuple[Column, ...]
    rows: Mapping[int, Mapping[int, Cell]]
    found: Mapping[str, Mapping[int, tuple[int, ...]]]
    named: Mapping[str, tuple[int, ...]]
    key: int  # the column that names the records; -1 where none does
    apart: tuple[int, ...] = ()  # rows of totals, averages and notes: no records, not among `rows`
    doubtful: frozenset[int] = frozenset()  # rows that may be no records
    parts: bool = False  # records of several kinds, which nothing adds up
    units: int = -1  # the column of currencies beside the figures; -1 for none

    def numbers_records(self, column: int) -> bool:
        """Whether the figures of a column may be names: the first column without any twice, or numbers that count
        rows or groups of rows (1, 1, 2, 2)."""
        cells = (cells.get(column) for cells in self.rows.values())
        values = [cell.value for cell in cells if cell is not None and cell.value is not None]
        if len(values) < max(2, self.columns[column].filled) or any(v != int(v) for v in values):
            return False
        if not column and len(set(values)) == len(self.rows):
            return True
        return values[0] < values[-1] and all(b - a in (0, 1) for a, b in pairwise(values))

    def repeats(self, column: int) -> bool:
        """Whether names come again, and not just kinds of what another column numbers."""
        of = self.columns[column]
        texts = [cell.text for cells in self.rows.values() if (cell := cells.get(column)) is not None]
        numbered = (
            column != 0 and self.numbers_records(0) and 2 * sum(" " in text for text in texts) < len(texts)
        )
        return of.distinct < of.filled and not of.nameless and not numbered

    def counts_things(self, column: int) -> bool:
        """Whether the figures of a column may say how many things each row stands for."""
        notation = self.columns[column].notation
        values = [cell.value for cells in self.rows.values() if (cell := cells.get(column)) is not None]
        if notation.kind is not ColumnKind.NUMBER or notation.unit or self.numbers_records(column):
            return False
        return all(value is None or (value >= 0 and value == int(value)) for value in values)

    def is_parted(self, one: int, other: int) -> bool:
        """Whether a column without name and cells stands between two: they may be of two tables."""
        between = self.columns[min(one, other) + 1 : max(one, other)]
        return any(not column.name and not column.filled for column in between)


def typed(table: DocumentTable, text: str) -> TypedTable:
    """The table read out of its document's `text`."""
    places, figures = written_cells(table, text)
    aside = summaries_of(table, text)
    body = [place for place in places if place[0] not in aside.apart]
    by_column: dict[int, list[str]] = defaultdict(list)
    for row, column, _, _, content in body:
        by_column[column].append(figures.get((row, column), content))
    notations = {column: notation_of(texts) for column, texts in by_column.items()}
    rows: dict[int, dict[int, Cell]] = defaultdict(dict)
    found: dict[str, dict[int, list[int]]] = defaultdict(lambda: defaultdict(list))
    for row, column, start, end, content in body:
        value = notations[column].value(figures.get((row, column), content))
        again = value is not None and _DITTO.match(text, end) is not None
        rows[row][column] = Cell(row, column, start, end, content, value, again)
        found[fold(content)][column].append(row)
    names = [""] * len(table.columns) if _are_questions(table.columns, by_column) else table.columns
    running = _running(rows, [at for at, each in notations.items() if each.kind is ColumnKind.NUMBER])
    columns = tuple(
        _column(
            name,
            notations.get(at, Notation()),
            {row: cells[at] for row, cells in rows.items() if at in cells},
            running=at in running,
        )
        for at, name in enumerate(names)
    )
    named: dict[str, list[int]] = defaultdict(list)
    for at, name in enumerate(names):
        for spelling in spellings(words(name)):
            named[spelling].append(at)
    for at, name in enumerate(names):  # without its unit, where no other column has that name
        for spelling in spellings(words(_ASIDE.sub("", name))):
            if spelling not in named:
                named[spelling].append(at)
    return TypedTable(
        table.name,
        columns,
        rows,
        {key: {c: tuple(r) for c, r in places.items()} for key, places in found.items()},
        {key: tuple(places) for key, places in named.items()},
        _key(columns, len(rows)),
        tuple(sorted(aside.apart)),
        aside.doubtful | _undated(rows, columns),
        aside.parts,
        _units(columns, rows),
    )


def _undated(rows: Mapping[int, Mapping[int, Cell]], columns: Sequence[Column]) -> frozenset[int]:
    """Rows with words where the others have a date, which lack what all others have: balances below a statement."""
    dated = [at for at, column in enumerate(columns) if column.kind is ColumnKind.DATE]
    if not dated:
        return frozenset()
    often = [at for at, column in enumerate(columns) if at not in dated and 2 * column.filled > len(rows)]
    return frozenset(
        row
        for row, cells in rows.items()
        if any(at in cells and cells[at].value is None and not _has_figure(cells[at].text) for at in dated)
        and not all(at in cells for at in often)
    )


def _has_figure(text: str) -> bool:
    return any(map(str.isdigit, text))


def _running(rows: Mapping[int, Mapping[int, Cell]], measured: Sequence[int]) -> set[int]:
    """Columns of figures that change from row to row by a figure of the row: balances, cumulative sums."""
    steps = list(pairwise(rows.values()))

    def runs(total: int) -> bool:
        return all(
            (now := after.get(total)) is not None
            and (last := before.get(total)) is not None
            and any(
                c in after
                and math.isclose(abs((now.value or 0) - (last.value or 0)), abs(after[c].value or 0))
                for c in measured
                if c != total
            )
            for before, after in steps
        )

    return {column for column in measured if len(steps) > 1 and runs(column)}


def _units(columns: Sequence[Column], rows: Mapping[int, Mapping[int, Cell]]) -> int:
    """The column of codes like EUR and CHF that stands directly beside a column of figures; -1 for none."""
    for at, column in enumerate(columns):
        adjacent = [columns[n].kind for n in (at - 1, at + 1) if 0 <= n < len(columns)]
        if ColumnKind.NUMBER not in adjacent or column.kind is not ColumnKind.TEXT or column.distinct < 2:
            continue
        codes = (cells[at].text for cells in rows.values() if at in cells)
        if all(map(_CURRENCY.fullmatch, codes)):
            return at
    return -1


def _column(name: str, notation: Notation, cells: Mapping[int, Cell], *, running: bool = False) -> Column:
    texts = [cell.text for cell in cells.values()]
    distinct = set(texts)
    measured = notation.kind in (ColumnKind.NUMBER, ColumnKind.YEAR)
    points = [text for text in texts if "." in text] if measured else []
    thousands = len(points) > 1 and "," not in "".join(texts) and all(map(_GROUPS.fullmatch, points))
    ranges = sum(_RANGE.fullmatch(text) is not None for text in texts)
    several = notation.kind is ColumnKind.TEXT and (
        2 * ranges > len(texts)
        or 3 * sum(len(parts_of(text)) > 1 and ";" in text for text in texts) > len(texts)
        or any(part in distinct for text in texts for part in _other_parts(text))
        or _are_lists([text.count(", ") for text in texts])
    )
    unread = frozenset(
        row for row, cell in cells.items() if cell.value is None and any(map(str.isdigit, cell.text))
    )
    return Column(
        name,
        tuple(stem(word) for word in words(name)),
        notation,
        len(set(texts)),
        len(texts),
        several,
        measured and (thousands or len(marks_of(texts)) > 1),
        unread if notation.kind is not ColumnKind.TEXT else frozenset(),
        _nameless(cells) if notation.kind is ColumnKind.TEXT else frozenset(),
        running,
    )


def _are_questions(names: Sequence[str], by_column: Mapping[int, Sequence[str]]) -> bool:
    """Whether the row above is one of the records: it asks as they do, as on a form."""
    return any(
        name.rstrip().endswith("?") and any(text.rstrip().endswith("?") for text in by_column.get(at, ()))
        for at, name in enumerate(names)
    )


def _are_lists(commas: Sequence[int]) -> bool:
    """Whether most cells list something, some more than others: "Moe, Ada" everywhere are names turned around."""
    return max(commas, default=0) > 1 and len(set(commas)) > 1 and 2 * sum(map(bool, commas)) > len(commas)


def _nameless(cells: Mapping[int, Cell]) -> frozenset[int]:
    """Rows without a name where most have one: "vacant", "tbd", "N.N.", "-" among names that begin with a capital, and
    "Vacant" that comes again among names of several words that do not."""
    others = {
        row: cell.text
        for row, cell in cells.items()
        if not any(a.isupper() and b.islower() for a, b in pairwise(cell.text))
    }
    if 2 * len(others) > len(cells):
        return frozenset()
    single = [cell.text.casefold() for cell in cells.values() if " " not in cell.text]
    names = {cell.text.casefold() for cell in cells.values() if " " in cell.text}
    again = {text for text, count in Counter(single).items() if count > 1}
    if len(names) < len(cells) - len(single) or len(names) < len(single):
        again = set()
    return frozenset(
        row
        for row, cell in cells.items()
        if not _has_figure(cell.text)
        and (
            cell.text.casefold() in again
            or (row in others and (cell.text[0].islower() or max(map(len, words(cell.text)), default=0) < 2))
        )
    )


def words(text: str) -> list[str]:
    return _WORD.findall(_CAMEL.sub(" ", text))


def parts_of(text: str) -> list[str]:
    """What a cell that names several names: "Ada and Bo" -> Ada, Bo; "3-5" -> 3, 4, 5."""
    if _RANGE.fullmatch(text) and len(ends := re.findall(r"\d+", text)) == 2:
        first, last = map(int, ends)
        if first < last < first + _WIDEST:
            return [str(number) for number in range(first, last + 1)]
    return [part.strip() for part in _PARTED.split(text)]


def _other_parts(text: str) -> list[str]:
    parts = parts_of(text)
    return parts if len(parts) > 1 else []


def spellings(name: Sequence[str]) -> tuple[str, ...]:
    """Keys under which a name is found: its letters in one piece ("sharewomen"), the stems of its words."""
    joined = "".join(name).casefold()
    return ("=" + joined, " ".join(stem(word) for word in name)) if joined else ()


def fold(text: str) -> str:
    """Words and figures in lower case, one space between; a text without any as it is."""
    text = text.casefold()
    return " ".join(_WORD.findall(text)) or text


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
