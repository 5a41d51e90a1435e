"""Reads tables of sheets: text, and a named region for each sheet and each of its cells."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import starmap
from typing import NamedTuple

from core.ingest.cleaning import joined_lines, one_line
from core.ingest.drawings import Chart
from core.ingest.reading import Reading
from core.ingest.tables import Rows, Table, csv_rows, placed_table, sparse, table_text
from core.types import Block, BlockKind, DocumentTable, Region

MOST_CELLS = 20_000  # of one document; beyond it each row is a region, not each cell
MOST_ROWS = 50_000  # beyond it only the sheets are
MOST_CHARTED = 300  # cells of a chart's table that is written out
LONGEST_CAPTION = 80  # characters of a caption by which a table is called


def read_csv(text: str, name: str) -> Reading:
    """Comma, semicolon, tab or bar separated text; `name` is the line above its rows."""
    return sheets_reading([(name, sparse(csv_rows(text)))])


class SheetNote(NamedTuple):
    """What a sheet holds beside its cells: a comment on the cell at (row, column), the words of a drawing."""

    text: str
    lead: str = ""
    cell: tuple[int, int] | None = None
    kind: BlockKind = BlockKind.NOTE


def chart_note(chart: Chart) -> SheetNote | None:
    """A chart as its title with its kind, and its values; of a large one the names alone, its values stand in cells."""
    if 0 < sum(map(len, chart.rows)) <= MOST_CHARTED:
        lines = filter(None, (one_line(chart.heading), table_text(chart.rows)))
        return SheetNote("\n".join(lines), kind=BlockKind.TABLE)
    names = [name for name in dict.fromkeys(chart.rows[0] if chart.rows else ()) if name]
    if not chart.title and not names:
        return None
    return SheetNote("; ".join(filter(None, (chart.heading, *names))), kind=BlockKind.CAPTION)


class Sheet(NamedTuple):
    """The filled cells of a sheet, and what stands beside them."""

    name: str
    rows: Rows
    notes: Sequence[SheetNote] = ()


def sheets_reading(sheets: Iterable[tuple[str, Rows] | Sheet]) -> Reading:
    """One text out of the cells of sheets, each followed by its notes."""
    parts = [
        (name, table, notes)
        for name, rows, notes in starmap(Sheet, sheets)
        if (table := placed_table(rows, name)).text or notes
    ]
    finest = _finest([table for _, table, _ in parts])
    pieces: list[str] = []
    regions: list[Region] = []
    typed: list[DocumentTable] = []
    blocks: list[Block] = []
    offset = 0
    for name, table, notes in parts:
        text = table.text or name
        if name:
            regions.append(Region(offset, offset + len(text), name))
        if finest != "sheets":
            regions += _cells(name, table, offset, rows=finest == "rows")
        typed += document_tables(name, table, offset)
        pieces.append(text)
        for number, note in enumerate(notes, 1):
            start = offset + len(text) + 2
            words = note.text if note.kind is BlockKind.TABLE else joined_lines(note.text)
            text = f"{_of_row(note, table)}{note.lead}{words}"
            blocks.append(Block(note.kind, start, start + len(text)))
            where = place(*note.cell) if note.cell else f"note {number}"
            regions.append(Region(start, start + len(text), f"{name}!{where} {note.kind.value}".strip()))
            pieces.append(text)
            offset = start
        offset += len(text) + 2
    return Reading("\n\n".join(pieces), regions=tuple(regions), tables=tuple(typed), blocks=tuple(blocks))


def _of_row(note: SheetNote, table: Table) -> str:
    """The cell that a note is on, with the first cell of its row: "C7, Mooring fee: "."""
    if note.cell is None:
        return ""
    row = table.cells[table.cells[:, 0] == note.cell[0]]
    first = table.text[row[0, 2] : row[0, 3]] if len(row) else ""
    return f"{place(*note.cell)}{', ' if first else ''}{first}: "


def document_tables(name: str, table: Table, offset: int) -> list[DocumentTable]:
    """The tables of a grid whose text begins at `offset`; of several each is called by its caption, too."""
    alone = bool(name) and len(table.records) == 1
    found = []
    for records in table.records:
        cells = records.cells
        cells[:, 2:] += offset
        caption = records.name if len(records.name) <= LONGEST_CAPTION and not alone else ""
        called = ": ".join(dict.fromkeys(filter(None, (name, caption))))
        found.append(
            DocumentTable(called, records.start + offset, records.end + offset, records.columns, cells)
        )
    return found


def _finest(tables: list[Table]) -> str:
    """What is small enough in number to be named: cells, rows or sheets."""
    if sum(len(table.cells) for table in tables) <= MOST_CELLS:
        return "cells"
    rows = sum(1 + int((table.cells[1:, 0] != table.cells[:-1, 0]).sum()) for table in tables)
    return "rows" if rows <= MOST_ROWS else "sheets"


def _cells(name: str, table: Table, offset: int, *, rows: bool) -> list[Region]:
    """Regions "Payments!B12", or of whole rows "Payments!A12:F12"."""
    cells = table.cells
    if not rows:
        return [
            Region(offset + start, offset + end, f"{name}!{place(row, column)}")
            for row, column, start, end in cells.tolist()
        ]
    ends = (cells[1:, 0] != cells[:-1, 0]).nonzero()[0]
    firsts, lasts = [0, *(ends + 1).tolist()], [*ends.tolist(), -1]
    return [
        Region(offset + start, offset + end, f"{name}!{place(row, left)}:{place(row, right)}")
        for (row, left, start, _), (_, right, _, end) in zip(
            cells[firsts].tolist(), cells[lasts].tolist(), strict=True
        )
    ]


def place(row: int, column: int) -> str:
    """(11, 27) -> "AB12"."""
    letters = ""
    column += 1
    while column:
        column, rest = divmod(column - 1, 26)
        letters = chr(65 + rest) + letters
    return f"{letters}{row + 1}"
