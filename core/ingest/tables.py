"""Turns rows into lines that read like sentences: "Payer: Vestmar AS; Amount: 1,250 EUR."."""

from __future__ import annotations

import csv
import re
from array import array
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import TYPE_CHECKING, NamedTuple

from core.ingest.cleaning import joined_lines, one_line

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

DELIMITERS = ",;\t|"
LOOKED_AT = 50  # lines from which the delimiter is told
MOST_ACROSS = 200  # columns that one cell may take
CAPTIONS = 10  # rows among which the header is
LONGEST_NAME = 120  # characters of a column's name; questions of surveys are long
YEAR = re.compile(r"(?:1[5-9]|20)\d\d")
NUMBER = re.compile(r"[-+(]?[€$£]?\s?\d[\d.,' /:%-]*\)?(?:\s?[€$£%])?")
PLAIN = re.compile(r"[!-~]+(?: [!-~]+)*")
MIDNIGHT = re.compile(r"(\d{4}-\d\d-\d\d)[ T]00:00:00(?:\.0+)?")
_LINE = re.compile(r"[^\r\n]*(?:\r\n|[\r\n])|[^\r\n]+")
_PIECES = 5_000  # that are joined at once: cells one by one take several times the room of their text
Cells = Mapping[int, Mapping[int, str]]  # the filled cells alone: row -> column -> text, counted from 0
Rows = Iterable[tuple[int, Mapping[int, str]]]  # the same one by one, in order


@dataclass(frozen=True, slots=True)
class Table:
    """Rows as text. The cells of the header stand in every line as labels, so they have no place.

    `cells`, (n, 4) int32 in the order of the text: row and column from 0 in the rows that were given, start, end.
    """

    text: str
    cells: NDArray[np.int32]
    columns: tuple[str, ...] = ()  # names by column, where a row of names heads the table
    header: int = -1  # the row of the names


def csv_rows(text: str) -> Iterator[list[str]]:
    """Rows of comma, semicolon, tab or bar separated text, one by one."""
    csv.field_size_limit(2**31 - 1)
    if "\0" in text:
        text = text.replace("\0", "")
    # newline handling is csv's own, so lines are handed over with their ends.
    return csv.reader(_lines(text), delimiter=_delimiter(text))


def _lines(text: str) -> Iterator[str]:
    return (line[0] for line in _LINE.finditer(text))


def _delimiter(text: str) -> str:
    """The separator that cuts most lines into the same number of cells, above one."""
    lines = [line for line in islice(_lines(text), LOOKED_AT) if line.strip()]
    best, most = ",", 0.0
    for delimiter in DELIMITERS:
        counts = [len(row) for row in csv.reader(lines, delimiter=delimiter)]
        usual = max(set(counts), key=lambda n: (counts.count(n), n), default=1)
        score = counts.count(usual) / max(1, len(counts)) * min(usual, 20) if usual > 1 else 0.0
        if score > most:
            best, most = delimiter, score
    return best


def table_text(rows: Sequence[Sequence[str]], name: str = "") -> str:
    """`name`, then one line a row; cells that are empty are left out. Empty when no cell is filled."""
    return placed_table(sparse(rows), name).text


def sparse(rows: Iterable[Sequence[str]]) -> Rows:
    """Rows with all their cells as the filled ones alone."""
    filled = ((index, {n: cell for n, cell in enumerate(row) if cell}) for index, row in enumerate(rows))
    return ((index, row) for index, row in filled if row)


def spread(rows: Iterable[Sequence[tuple[str, int, int]]]) -> list[list[str]]:
    """A grid out of cells as (text, columns across, rows down): a merged one stands in each of its rows once."""
    grid: list[list[str]] = []
    reaching: dict[int, tuple[str, int]] = {}  # by column: what stands in the next rows, in how many
    for row in rows:
        cells: list[str] = []
        given = iter(row)
        following: dict[int, tuple[str, int]] = {}
        while True:
            if len(cells) in reaching:
                text, down, across = *reaching.pop(len(cells)), 1
            elif (cell := next(given, None)) is not None:
                text, across, down = cell
            else:
                break
            for part in (text, *[""] * (min(across, MOST_ACROSS) - 1)):
                if down > 1 and len(cells) < MOST_ACROSS:
                    following[len(cells)] = part, down - 1
                cells.append(part)
        reaching = {**reaching, **following}
        grid.append(cells)
    return grid


def placed_table(rows: Rows, name: str = "") -> Table:
    """As `table_text`, and where each cell's text lies in it. `rows` and their cells are in order."""
    filled = ((index, row) for index, raw in rows if (row := _filled(raw)))
    first = list(islice(filled, LOOKED_AT))
    writer = _Writer()
    if not first:
        return writer.table()
    head = header_of([row for _, row in first[:CAPTIONS]], max(len(row) for _, row in first))
    if head is not None and len(first) == head.row + 1:
        head = None  # a header alone is still text
    names = (
        {column: label for column, cell in head.names.items() if (label := cell.rstrip(": "))} if head else {}
    )
    labels = {column: f"{label}: " for column, label in names.items()}
    top = head.row if head else 0
    if title := one_line(name):
        writer.line(title)
    for index, row in first[:top]:  # the caption above the table
        writer.row(index, {}, row, " ", closed=False)
    body = chain(first[top + (head is not None) :], filled)
    for at, (index, row) in enumerate(body):
        if not (head and at and row == first[top][1]):  # a header comes again where a page begins
            writer.row(index, labels, row, "; ", closed=True)
    columns = tuple(names.get(column, "") for column in range(max(head.names) + 1)) if head else ()
    return writer.table(columns, first[top][0] if head else -1)


def _filled(row: Mapping[int, str]) -> dict[int, str]:
    return {column: cell for column, text in row.items() if (cell := _cell(text))}


def _cell(text: str) -> str:
    """The text of a cell on one line; most are so already."""
    if PLAIN.fullmatch(text) is None:
        text = joined_lines(text)
    return MIDNIGHT.sub(r"\1", text) if "00:00:00" in text else text


class _Writer:
    """Lines of text, and the places of cells in them."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._joined: list[str] = []
        self._cells = array("i")
        self._length = 0

    def table(self, columns: tuple[str, ...] = (), header: int = -1) -> Table:
        import numpy as np  # the process that reads loads it only where there is a table

        cells = np.frombuffer(self._cells, dtype=np.int32) if self._cells else np.zeros(0, dtype=np.int32)
        return Table("".join([*self._joined, *self._pieces]), cells.reshape(-1, 4), columns, header)

    def line(self, text: str) -> None:
        self._write("\n" + text if self._length else text)

    def row(
        self, index: int, labels: Mapping[int, str], row: Mapping[int, str], gap: str, *, closed: bool
    ) -> None:
        """One line of the filled cells, each after its label ("Payer: ") where there is one."""
        before = "\n" if self._length else ""
        add, at, last = self._pieces.append, self._length, ""
        for column, cell in row.items():
            lead = before + labels.get(column, "")
            start = at + len(lead)
            at = start + len(cell)
            add(lead)
            add(cell)
            self._cells.extend((index, column, start, at))
            before, last = gap, cell
        self._length = at
        if closed and not last.endswith((".", "!", "?")):
            self._write(".")
        if len(self._pieces) > _PIECES:
            self._joined.append("".join(self._pieces))
            self._pieces.clear()

    def _write(self, text: str) -> None:
        self._pieces.append(text)
        self._length += len(text)


def pairs_text(rows: Sequence[Sequence[str]]) -> str:
    """Rows of a name and its value, one line each: "Capital: EUR 1,000."."""
    cells = [[joined_lines(cell) for cell in row] for row in rows]
    return "\n".join(
        _closed(f"{row[0].rstrip(': ')}: {' '.join(filter(None, row[1:]))}") for row in cells if any(row)
    )


class _Head(NamedTuple):
    """`row`: index of the last row that names columns."""

    row: int
    names: Mapping[int, str]


def header_of(first: Sequence[Mapping[int, str]], width: int) -> _Head | None:
    """The first row that is no caption, where it names the columns; `width` cells at most a row.

    Names that come again are told apart by what stands above or below them: "2020 men", "2021 men".
    """
    for index, row in enumerate(first):
        if len(row) < max(1, width - 1, width * 0.6):
            continue
        if not _all_names(row, first[index + 1 :]):
            return None
        if len(set(row.values())) == len(row):
            return _Head(index, row)
        below = first[index + 1] if index + 1 < len(first) else {}
        if index and (names := _distinguished(first[index - 1], row)):
            return _Head(index, names)
        if below and _all_names(below, first[index + 2 :]) and (names := _distinguished(row, below)):
            return _Head(index + 1, names)
        return None
    return None


def _distinguished(above: Mapping[int, str], row: Mapping[int, str]) -> dict[int, str] | None:
    """Names of groups before the names below them; a group reaches to where the next begins."""
    names: dict[int, str] = {}
    group = ""
    for column in range(max((*above, *row)) + 1):
        group = above.get(column, group)
        words = dict.fromkeys(filter(None, (group, row.get(column, ""))))
        if column in row or column in above:
            names[column] = " ".join(words)
    return names if len(set(names.values())) == len(names) else None


def _all_names(row: Mapping[int, str], below: Sequence[Mapping[int, str]]) -> bool:
    """Whether all cells may name columns: words, years above what are no years, numbers that count the columns."""
    numbers = {column: cell for column, cell in row.items() if NUMBER.fullmatch(cell)}
    if len(numbers) == len(row) or any(len(cell) > LONGEST_NAME for cell in row.values()):
        return False
    return _counts(numbers.values()) or not any(
        YEAR.fullmatch(cell) is None or all(YEAR.fullmatch(other.get(column, "0")) for other in below)
        for column, cell in numbers.items()
    )


def _counts(cells: Collection[str]) -> bool:
    """Whether these are 0, 1, 2 ... or 1, 2, 3 ..., three at the least."""
    return len(cells) >= 3 and any(
        list(cells) == [str(first + n) for n in range(len(cells))] for first in (0, 1)
    )


def _closed(line: str) -> str:
    return line if line.endswith((".", "!", "?")) else line + "."
