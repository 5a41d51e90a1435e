"""Tables with typed columns: numbers, money and dates compared as such, and the column that names its records."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from core.answering.tables.values import ColumnKind, Notation, notation_of
from core.text.stems import stem
from core.types import DocumentTable

_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")  # between the words of "ShareWomen"
_WORD = re.compile(r"[^\W_]+")
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


@dataclass(frozen=True, slots=True)
class Column:
    name: str
    stems: tuple[str, ...]  # of its name's words
    notation: Notation
    distinct: int  # different texts
    filled: int  # cells that are not empty

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


def typed(table: DocumentTable, text: str) -> TypedTable:
    """The table read out of its document's `text`."""
    places = table.cells.tolist()
    by_column: dict[int, list[str]] = defaultdict(list)
    for _, column, start, end in places:
        by_column[column].append(text[start:end].strip())
    notations = {column: notation_of(texts) for column, texts in by_column.items()}
    rows: dict[int, dict[int, Cell]] = defaultdict(dict)
    found: dict[str, dict[int, list[int]]] = defaultdict(lambda: defaultdict(list))
    for row, column, start, end in places:
        content = text[start:end].strip()
        rows[row][column] = Cell(row, column, start, end, content, notations[column].value(content))
        found[fold(content)][column].append(row)
    columns = tuple(
        Column(
            name,
            tuple(stem(word) for word in words(name)),
            notations.get(at, Notation()),
            len(set(by_column[at])),
            len(by_column[at]),
        )
        for at, name in enumerate(table.columns)
    )
    named: dict[str, list[int]] = defaultdict(list)
    for at, name in enumerate(table.columns):
        for spelling in spellings(words(name)):
            named[spelling].append(at)
    for at, name in enumerate(table.columns):  # without its unit, where no other column has that name
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
    )


def words(text: str) -> list[str]:
    return _WORD.findall(_CAMEL.sub(" ", text))


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
