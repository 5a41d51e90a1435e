"""Turns rows into lines that read like sentences: "Payer: Vestmar AS; Amount: 1,250 EUR."."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

from core.ingest.cleaning import joined_lines, one_line

DELIMITERS = ",;\t|"
LOOKED_AT = 50  # lines from which the delimiter is told
CAPTIONS = 10  # rows among which the header is
LONGEST_NAME = 120  # characters of a column's name; questions of surveys are long
YEAR = re.compile(r"(?:1[5-9]|20)\d\d")
NUMBER = re.compile(r"[-+(]?[€$£]?\s?\d[\d.,' /:%-]*\)?(?:\s?[€$£%])?")
PLAIN = re.compile(r"[!-~]+(?: [!-~]+)*")
MIDNIGHT = re.compile(r"(\d{4}-\d\d-\d\d)[ T]00:00:00(?:\.0+)?")
Cells = Mapping[int, Mapping[int, str]]  # the filled cells alone: row -> column -> text, counted from 0


class Placed(NamedTuple):  # large tables have millions
    """Where a filled cell's text lies; row and column count from 0 in the rows that were given."""

    row: int
    column: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Table:
    """Rows as text. The cells of the header stand in every line as labels, so they have no place."""

    text: str
    cells: tuple[Placed, ...]  # in the order of the text
    columns: tuple[str, ...] = ()  # names by column, where a row of names heads the table
    header: int = -1  # the row of the names


def csv_rows(text: str) -> list[list[str]]:
    """Rows of comma, semicolon, tab or bar separated text."""
    text = text.replace("\0", "")
    csv.field_size_limit(2**31 - 1)
    delimiter = _delimiter(text)
    # newline handling is csv's own, so lines are handed over with their ends.
    return list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))


def _delimiter(text: str) -> str:
    """The separator that cuts most lines into the same number of cells, above one."""
    lines = [line for line in islice(text.splitlines(), LOOKED_AT) if line.strip()]
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


def sparse(rows: Iterable[Sequence[str]]) -> Cells:
    """Rows with all their cells as the filled ones alone."""
    filled = ((index, {n: cell for n, cell in enumerate(row) if cell}) for index, row in enumerate(rows))
    return {index: row for index, row in filled if row}


def placed_table(rows: Cells, name: str = "") -> Table:
    """As `table_text`, and where each cell's text lies in it. `rows` and their cells are in order."""
    cells = {index: row for index, raw in rows.items() if (row := _filled(raw))}
    filled = list(cells)
    if not filled:
        return Table("", ())
    top, headed = _header(list(islice(cells.values(), CAPTIONS)), max(map(len, cells.values())))
    if headed and len(filled) == top + 1:
        headed = False  # a header alone is still text
    header = cells[filled[top]] if headed else {}
    labels = {column: f"{label}: " for column, cell in header.items() if (label := cell.rstrip(": "))}
    writer = _Writer()
    if title := one_line(name):
        writer.line(title)
    for index in filled[:top]:  # the caption above the table
        writer.row(index, {}, cells[index], " ", closed=False)
    for index in filled[top + headed :]:
        writer.row(index, labels, cells[index], "; ", closed=True)
    columns = (
        tuple(header.get(column, "").rstrip(": ") for column in range(max(header) + 1)) if header else ()
    )
    return Table("".join(writer.pieces), tuple(writer.cells), columns, filled[top] if headed else -1)


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
        self.pieces: list[str] = []
        self.cells: list[Placed] = []
        self._length = 0

    def line(self, text: str) -> None:
        self._write("\n" + text if self.pieces else text)

    def row(
        self, index: int, labels: Mapping[int, str], row: Mapping[int, str], gap: str, *, closed: bool
    ) -> None:
        """One line of the filled cells, each after its label ("Payer: ") where there is one."""
        before = "\n" if self.pieces else ""
        add, at, last = self.pieces.append, self._length, ""
        for column, cell in row.items():
            lead = before + labels.get(column, "")
            start = at + len(lead)
            at = start + len(cell)
            add(lead)
            add(cell)
            self.cells.append(Placed(index, column, start, at))
            before, last = gap, cell
        self._length = at
        if closed and not last.endswith((".", "!", "?")):
            self._write(".")

    def _write(self, text: str) -> None:
        self.pieces.append(text)
        self._length += len(text)


def pairs_text(rows: Sequence[Sequence[str]]) -> str:
    """Rows of a name and its value, one line each: "Capital: EUR 1,000."."""
    cells = [[joined_lines(cell) for cell in row] for row in rows]
    return "\n".join(
        _closed(f"{row[0].rstrip(': ')}: {' '.join(filter(None, row[1:]))}") for row in cells if any(row)
    )


def _header(first: Sequence[Mapping[int, str]], width: int) -> tuple[int, bool]:
    """Index of the first row that is no caption, and whether it names the columns; `width` cells at most a row."""
    for index, row in enumerate(first):
        if len(row) >= max(1, width - 1, width * 0.6):
            words = any(not NUMBER.fullmatch(cell) for cell in row.values())
            below = first[index + 1 :]
            named = all(_names(cell, column, below) for column, cell in row.items())
            return index, words and named and len(set(row.values())) == len(row)
    return 0, False


def _names(cell: str, column: int, below: Sequence[Mapping[int, str]]) -> bool:
    """Whether a cell may name a column: words, or a year above what are no years."""
    if len(cell) > LONGEST_NAME:
        return False
    if not NUMBER.fullmatch(cell):
        return True
    return YEAR.fullmatch(cell) is not None and not all(YEAR.fullmatch(row.get(column, "0")) for row in below)


def _closed(line: str) -> str:
    return line if line.endswith((".", "!", "?")) else line + "."
