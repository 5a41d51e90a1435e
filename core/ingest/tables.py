"""Turns the cells of a grid into lines that read like sentences: "Payer: Vestmar AS; Amount: 1,250 EUR.".

A grid holds tables with names of columns, forms (a label, then its value), captions and notes, stacked or side by side.
"""

from __future__ import annotations

import csv
import re
from array import array
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice, pairwise
from types import MappingProxyType
from typing import TYPE_CHECKING

from core.ingest.cleaning import joined_lines, one_line
from core.ingest.headers import (
    MEASURED,
    NUMBER,
    Head,
    Kind,
    Row,
    across,
    continues,
    first_captions,
    form_labels,
    has_own_header,
    header_of,
    heads_a_sheet,
    is_evident,
    is_stacked_form,
    kind_of,
    side_by_side,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

DELIMITERS = ",;\t|"
LOOKED_AT = 50  # lines by which the delimiter, rows by which the header is chosen
LONGEST_FORM = 200  # rows
MOST_BUFFERED = 300  # rows by which tables side by side are found
MOST_ACROSS = 200  # columns that one cell may take
DITTO = "〃"  # follows a number of a merged cell where it comes again: it counts once
_LETTER = "[!-~\u00a1-\u024f\u2010-\u2027\u20ac]"  # that NFC leaves alone
PLAIN = re.compile(f"{_LETTER}+(?: {_LETTER}+)*")
CELL_END = "\x1f"
PLAIN_ROW = re.compile(f"{PLAIN.pattern}(?:{CELL_END}{PLAIN.pattern})*")
MIDNIGHT = re.compile(r"(\d{4}-\d\d-\d\d)[ T]00:00:00(?:\.0+)?")
TIMED = re.compile(r"\d{4}-\d\d-\d\d[ T](?!00:00:00)\d\d:\d\d")
_LINE = re.compile(r"[^\r\n]*(?:\r\n|[\r\n])|[^\r\n]+")
NO_KINDS: Mapping[int, Kind] = MappingProxyType({})
_PIECES = 5_000  # that are joined at once: cells one by one take several times the room of their text
Cells = Mapping[int, Mapping[int, str]]  # the filled cells alone: row -> column -> text, counted from 0
Placed = tuple[int, Row]  # a row with its number
Rows = Iterable[Placed]  # the same one by one, in order


class MarkedCell(str):
    """A cell with what its format says beyond its text; most cells are plain strings."""

    note: str = ""  # follows the text: "[1234.5678]", a figure that is rounded there; "(4-Mar-21)", a date as displayed
    again: bool = False  # a merged cell, in a row below its first or a column right of it
    heading: bool = False  # written as a heading: bold, <th>
    total: bool = False  # computed from the cells above it
    across: int = 1  # columns that it covers

    @classmethod
    def of(cls, text: str, *, note: str = "", heading: bool = False, total: bool = False) -> str:
        """Return a plain string where there is nothing to mark."""
        if not text or not (note or heading or total):
            return text
        cell = cls(text)
        cell.note, cell.heading, cell.total = note, heading, total
        return cell

    def with_text(self, text: str) -> MarkedCell:
        cell = MarkedCell(text)
        cell.__dict__.update(self.__dict__)
        return cell


def marked_cell(text: str) -> MarkedCell:
    """Return a copy that can be marked: readers share cells of one value."""
    return text.with_text(text) if isinstance(text, MarkedCell) else MarkedCell(text)


def covering(text: str, across: int) -> str:
    """Return a cell that is merged over so many columns."""
    if not text or across < 2:
        return text
    cell = marked_cell(text)
    cell.across = min(across, MOST_ACROSS)
    return cell


def repeated(text: str) -> MarkedCell:
    """Return a merged cell for a row below its first, or a column right of its first."""
    cell = marked_cell(text)
    cell.again = True
    return cell


@dataclass(frozen=True, slots=True)
class Records:
    """The records of one table. `cells`, (n, 4) int32: row from 0 (an empty row counts), column, start, end."""

    name: str  # the caption above it; "" for none
    start: int
    end: int
    columns: tuple[str, ...]  # "" for a column without a name
    cells: NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Table:
    """A grid as text. The cells of a header stand in every line as labels, so they have no place.

    `cells`, (n, 4) int32 in the order of the text: row and column from 0 in the rows that were given, start, end.
    """

    text: str
    cells: NDArray[np.int32]
    records: tuple[Records, ...] = ()


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
        remaining = iter(row)
        following: dict[int, tuple[str, int]] = {}
        while True:
            if len(cells) in reaching:
                text, down, across = *reaching.pop(len(cells)), 1
            elif (cell := next(remaining, None)) is not None:
                text, across, down = cell
                text = covering(text, across)
            else:
                break
            for part in (text, *[""] * (min(across, MOST_ACROSS) - 1)):
                if down > 1 and len(cells) < MOST_ACROSS:
                    following[len(cells)] = (repeated(part) if part else part), down - 1
                cells.append(part)
        reaching = {**reaching, **following}
        grid.append(cells)
    return grid


def placed_table(rows: Rows, name: str = "") -> Table:
    """As `table_text`, and where each cell's text lies in it. `rows` and their cells are in order."""
    waiting = iter(rows)
    sample = list(islice(waiting, MOST_BUFFERED))
    timed = _columns_of_times(sample)
    filled = ((index, row) for index, raw in chain(sample, waiting) if (row := _filled(raw, timed)))
    writer = _Writer()
    first = list(islice(filled, MOST_BUFFERED))
    if first and (title := one_line(name)):
        writer.line(title)
    for band in _bands(first, filled):
        _Band(writer).write(band)
    return writer.table()


def _columns_of_times(rows: Sequence[Placed]) -> set[int]:
    """Columns whose days have times: midnight is one of these there, and no mere day."""
    columns = {column for _, row in rows for column, text in row.items() if "00:00:00" in text}
    return {column for _, row in rows for column in columns if TIMED.match(row.get(column, ""))}


def _filled(row: Row, timed: Container[int]) -> Row:
    joined = CELL_END.join(row.values())
    if PLAIN_ROW.fullmatch(joined) is not None and "00:00:00" not in joined:
        return row  # most
    return {column: cell for column, text in row.items() if (cell := _cell(text, column in timed))}


def _cell(text: str, is_timed: bool) -> str:
    """The text of a cell on one line; most are so already."""
    line = text if PLAIN.fullmatch(text) is not None else joined_lines(text)
    if not is_timed and "00:00:00" in line:
        line = MIDNIGHT.sub(r"\1", line)
    return text.with_text(line) if isinstance(text, MarkedCell) and line else line


def _bands(first: Sequence[Placed], rest: Iterator[Placed]) -> Iterator[Iterable[Placed]]:
    """Tables that stand side by side one after the other; a grid without any as it comes."""
    begins = side_by_side(first)
    if len(begins) < 2:
        yield chain(first, rest)
        return
    rows = [*first, *rest]
    for left, right in zip(begins, [*begins[1:], None], strict=True):
        parts = (
            (index, {c: cell for c, cell in row.items() if left <= c and (right is None or c < right)})
            for index, row in rows
        )
        yield [part for part in parts if part[1]]


class _Band:
    """Writes tables one below the other, each below its header, and the forms and notes between them."""

    def __init__(self, writer: _Writer) -> None:
        self._writer = writer
        self._table: _Open | None = None
        self._caption = ""
        self._widest = 0  # cells of a row
        self._wide = False  # more than one column

    def write(self, rows: Iterable[Placed]) -> None:
        rows = iter(rows)
        first = list(islice(rows, LONGEST_FORM + 1))
        if len(first) <= LONGEST_FORM and (labels := form_labels([row for _, row in first])):
            segments = list(_segments(iter(first)))
            if len(segments) == 1 or not any(is_evident([row for _, row in head]) for head, _ in segments):
                self._writer.form(first, labels)
                return
        if len(first) <= LONGEST_FORM and is_stacked_form([row for _, row in first]):
            self._writer.stacked_form(first)
            return
        self._widest = max((len(row) for _, row in first), default=0)
        self._wide = self._widest > 1
        above: list[Placed] = []  # a row of names with an empty row below it
        for head, following in _segments(chain(first, rows)):
            words = [row for _, row in head]
            if self._wide and first_captions(words) == len(words) < LOOKED_AT:
                self._captions(head)
                continue
            if above and (has_own_header(words, None) or not set(words[0]) <= set(above[-1][1])):
                self._plain(above)
                above = []
            head, above = [*above, *head], []
            if self._table is None and _names_alone([row for _, row in head]):
                above = head
                continue
            self._segment(head, following)
        self._plain(above)
        self._end()

    def _segment(self, head: list[Placed], following: Iterator[Placed]) -> None:
        """The rows up to an empty one: of the table above, or of another."""
        words = [row for _, row in head]
        captions = first_captions(words) if self._wide else 0
        below = words[captions:]
        table = self._table
        if table is not None and not has_own_header(words, table.head) and continues(below, table.head):
            self._captions(head[:captions])
            self._writer.records(table, chain(head[captions:], following), gap=True)
            return
        self._end()
        if len(head) < LOOKED_AT and len(side_by_side(head)) > 1:
            for band in _bands(head, following):
                _Band(self._writer).write(band)
            return
        labels = form_labels(below) if len(head) < LOOKED_AT and below else None
        if table is None and self._widest > 2 and heads_a_sheet(below):
            labels = frozenset([min(below[0])])
        if labels:
            self._captions(head[:captions])
            self._writer.form(head[captions:], labels)
            self._caption = ""
            return
        if len(head) < LOOKED_AT and is_stacked_form(below):
            self._captions(head[:captions])
            self._writer.stacked_form(head[captions:])
            self._caption = ""
            return
        names = header_of(words, max(map(len, words)))
        if names is None or len(words) == names.row + 1:  # a header alone is still text
            self._captions(head[:captions])
            self._plain(chain(head[captions:], following))
            return
        self._captions(head[: names.first])
        body = head[names.row + 1 :]
        filled = {
            column + more
            for _, row in body
            if row not in names.cells
            for column, cell in row.items()
            for more in range(across(cell))
        }
        for index, row in head[
            names.first : names.row + 1
        ]:  # names of columns that hold nothing are no labels
            if unused := {
                column: name
                for column, name in row.items()
                if not any(column + more in filled for more in range(across(name)))
            }:
                self._writer.row(index, {}, unused, "; ", closed=True)
        self._table = self._writer.open(names, self._caption)
        self._writer.records(self._table, chain(body, following), gap=False)
        self._caption = ""

    def _captions(self, rows: Iterable[Placed]) -> None:
        for index, row in rows:
            self._writer.row(index, {}, row, " ", closed=False)
            self._caption = " ".join(row.values())
            if self._table is not None:
                self._table.apart.add(index)

    def _plain(self, rows: Iterable[Placed]) -> None:
        for index, row in rows:
            self._writer.row(index, {}, row, "; ", closed=True)
            self._caption = ""

    def _end(self) -> None:
        if self._table is not None:
            self._writer.close(self._table)
            self._table = None


def _names_alone(rows: Sequence[Row]) -> bool:
    head = header_of(rows, max(map(len, rows)))
    return head is not None and head.row + 1 == len(rows) and len(rows[-1]) > 1


def _segments(rows: Iterator[Placed]) -> Iterator[tuple[list[Placed], Iterator[Placed]]]:
    """Runs of rows between empty ones: the first rows of each, and an iterator over those that follow."""
    following = next(rows, None)

    def run() -> Iterator[Placed]:
        nonlocal following
        while following is not None:
            row, following = following, next(rows, None)
            yield row
            if following is not None and following[0] > row[0] + 1:
                return

    while following is not None:
        one = run()
        yield list(islice(one, LOOKED_AT)), one


@dataclass(slots=True)
class _Open:
    """A table that is being written; `begin` and `end` of its cells among all, `apart` rows that are no records."""

    head: Head
    labels: Mapping[int, str]
    name: str
    start: int
    begin: int
    stop: int = 0
    end: int = 0
    apart: set[int] = field(default_factory=set)


class _Writer:
    """Lines of text, and the places of cells in them."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._joined: list[str] = []
        self._cells = array("i")
        self._length = 0
        self._tables: list[_Open] = []

    def table(self) -> Table:
        import numpy as np  # the process that reads loads it only where there is a table

        cells = np.frombuffer(self._cells, dtype=np.int32) if self._cells else np.zeros(0, dtype=np.int32)
        cells = cells.reshape(-1, 4)
        text = "".join([*self._joined, *self._pieces])
        self._joined, self._pieces = [], []  # a large table is in memory once
        records = [_records(table, cells[table.begin : table.end]) for table in self._tables]
        return Table(text, cells, tuple(found for found in records if len(found.cells)))

    def line(self, text: str) -> None:
        self._write("\n" + text if self._length else text)

    def open(self, head: Head, caption: str) -> _Open:
        labels = {column: f"{name}: " for column, cell in head.names.items() if (name := cell.rstrip(": "))}
        return _Open(head, labels, caption, self._length + (self._length > 0), len(self._cells) // 4)

    def records(self, table: _Open, rows: Iterable[Placed], *, gap: bool) -> None:
        """Rows below a header."""
        for index, row in rows:
            if row in table.head.cells and len(self._cells) > 4 * table.begin:
                continue  # a header comes again where a page begins
            if self.row(index, table.labels, row, "; ", closed=True, kinds=table.head.kinds):
                table.apart.add(index)
        table.stop, table.end = self._length, len(self._cells) // 4

    def close(self, table: _Open) -> None:
        self._tables.append(table)

    def form(self, rows: Iterable[Placed], labels: frozenset[int]) -> None:
        """Each label with the value that follows it: "Tenant: Ada Moe; Born: 1951."."""
        for index, row in rows:
            leads: dict[int, str] = {}
            for left, right in pairwise(row):
                paired = left in labels and right not in labels
                leads[right] = "; " if not paired else " " if row[left].endswith(":") else ": "
            self.row(index, leads, row, "", closed=True)

    def stacked_form(self, rows: Sequence[Placed]) -> None:
        """Each label with the value below it."""
        for (above, labels), (below, values) in zip(rows[::2], rows[1::2], strict=True):
            lead = "\n" if self._length else ""
            for column, label in labels.items():
                value = values.get(column, "")
                self._cell(above, column, label, lead)
                if value:
                    self._cell(below, column, value, " " if label.endswith(":") else ": ")
                lead = "; "
            self._write(".")

    def _cell(self, index: int, column: int, cell: str, lead: str) -> None:
        start = self._length + len(lead)
        self._write(f"{lead}{cell}{_note(cell) if isinstance(cell, MarkedCell) else ''}")
        self._cells.extend((index, column, start, start + len(cell)))

    def row(
        self,
        index: int,
        labels: Mapping[int, str],
        row: Row,
        gap: str,
        *,
        closed: bool,
        kinds: Mapping[int, Kind] = NO_KINDS,
    ) -> bool:
        """One line of the filled cells, each after its label ("Payer: ") where there is one; whether one is a total."""
        is_total = False
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
            if isinstance(cell, MarkedCell):
                is_total |= cell.total
                if note := _note(cell):
                    add(note)
                    at, last = at + len(note), note
                if cell.across > 1 and len(row) > 1 and not _labels_row(cell, column, kinds):
                    at = self._across(index, column, repeated(cell), labels, row, at)
        self._length = at
        if closed and not last.endswith((".", "!", "?")):
            self._write(".")
        if len(self._pieces) > _PIECES:
            self._joined.append("".join(self._pieces))
            self._pieces.clear()
        return is_total

    def _across(
        self, index: int, first: int, cell: MarkedCell, labels: Mapping[int, str], row: Row, at: int
    ) -> int:
        """Write a cell that is merged over columns from `first` on under the other names of these; where it ends."""
        for column in range(first + 1, first + cell.across):
            label = labels.get(column, "")
            if column in row:
                break
            if not label or label == labels.get(column - 1):
                continue
            lead, note = f"; {label}", _note(cell)
            start = at + len(lead)
            self._pieces += (lead, cell, note)
            self._cells.extend((index, column, start, start + len(cell)))
            at = start + len(cell) + len(note)
        return at

    def _write(self, text: str) -> None:
        self._pieces.append(text)
        self._length += len(text)


def _labels_row(cell: MarkedCell, column: int, kinds: Mapping[int, Kind]) -> bool:
    """Whether a merged cell says what its row is, as that of a total does, before columns of figures."""
    return (
        column == min(kinds, default=-1)
        and kind_of(cell) not in MEASURED
        and any(kinds.get(each) in MEASURED for each in range(column, column + cell.across))
    )


def _note(cell: MarkedCell) -> str:
    """What follows the text of a cell."""
    note = f" {cell.note}" if cell.note else ""
    return f"{note} {DITTO}" if cell.again and NUMBER.fullmatch(cell) else note


def _records(table: _Open, cells: NDArray[np.int32]) -> Records:
    """The cells below a header: of columns up to its last name, without rows that are no records.

    Labels of rows stand in a first column that often has no name.
    """
    import numpy as np

    left, right = min(table.head.names), max(table.head.names)
    left -= left > 0 and bool((cells[:, 1] == left - 1).any())
    columns = tuple(table.labels.get(column, "").removesuffix(": ") for column in range(left, right + 1))
    wanted = (cells[:, 1] >= left) & (cells[:, 1] <= right)
    if table.apart:
        wanted &= ~np.isin(cells[:, 0], list(table.apart))
    cells = cells.copy() if wanted.all() else cells[wanted]
    if len(cells):  # an empty row, or several, counts as one, a heading between as two
        steps = np.minimum(np.diff(cells[:, 0]), 2)
        if table.apart:
            apart = np.array(sorted(table.apart))
            places = np.searchsorted(apart, cells[:, 0])
            steps += np.diff(places) > 0
        cells[0, 0] = 0
        np.cumsum(steps, out=cells[1:, 0])
        cells[:, 1] -= left
    return Records(table.name, table.start, table.stop, columns, cells)


def pairs_text(rows: Sequence[Sequence[str]]) -> str:
    """Rows of a name and its value, one line each: "Capital: EUR 1,000."."""
    cells = [[joined_lines(cell) for cell in row] for row in rows]
    return "\n".join(
        _closed(f"{row[0].rstrip(': ')}: {' '.join(filter(None, row[1:]))}") for row in cells if any(row)
    )


def _closed(line: str) -> str:
    return line if line.endswith((".", "!", "?")) else line + "."
