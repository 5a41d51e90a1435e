"""What the cells of a document's sheets hold and where; without Qt."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from core.types import DocumentTable, Region

_CELL = re.compile(r"(.*)!([A-Z]{1,4})([1-9]\d{0,8})")


@dataclass(frozen=True, slots=True)
class Sheet:
    """Rows and columns that hold something. Cells are (start, end) in the document's text by row and column."""

    name: str
    start: int
    end: int
    columns: tuple[str, ...]  # as headings: names, else letters
    rows: tuple[int, ...]  # their numbers in the file, from 1
    cells: dict[tuple[int, int], tuple[int, int]] = field(repr=False)

    def cell_at(self, place: int) -> tuple[int, int] | None:
        """Row and column of the cell that holds a character, or of the next one behind it."""
        behind = ((start, at) for at, (start, end) in self.cells.items() if end > place)
        return min(behind, default=(0, None))[1]


def sheets(tables: Iterable[DocumentTable], regions: Iterable[Region]) -> tuple[Sheet, ...]:
    """From its cells by their names; from its tables where there are too many cells to have names."""
    headed = {table.name: table for table in tables}
    named: dict[str, dict[tuple[int, int], tuple[int, int]]] = {}
    sheet_regions: dict[str, Region] = {}
    for region in regions:
        if (match := _CELL.fullmatch(region.name)) is not None:
            at = int(match[3]), _number(match[2])
            named.setdefault(match[1], {})[at] = (region.start, region.end)
        elif "!" not in region.name:
            sheet_regions[region.name] = region
    found = [_named(name, cells, headed.get(name)) for name, cells in named.items()] + [
        _headed(table) for name, table in headed.items() if name not in named
    ]
    return tuple(sorted(found, key=lambda sheet: sheet.start))


def _named(name: str, cells: dict[tuple[int, int], tuple[int, int]], table: DocumentTable | None) -> Sheet:
    rows = sorted({row for row, _ in cells})
    at = {row: index for index, row in enumerate(rows)}
    wide = 1 + max(column for _, column in cells)
    names = table.columns if table is not None else ()
    columns = tuple(
        names[column] if column < len(names) and names[column] else letters(column) for column in range(wide)
    )
    placed = {(at[row], column): span for (row, column), span in cells.items()}
    start = min(start for start, _ in cells.values())
    end = max(end for _, end in cells.values())
    return Sheet(name, start, end, columns, tuple(rows), placed)


def _headed(table: DocumentTable) -> Sheet:
    cells = {(row, column): (start, end) for row, column, start, end in table.cells.tolist()}
    height = 1 + max((row for row, _ in cells), default=-1)
    columns = tuple(name or letters(column) for column, name in enumerate(table.columns))
    return Sheet(table.name, table.start, table.end, columns, tuple(range(1, height + 1)), cells)


def letters(column: int) -> str:
    """0 -> "A", 27 -> "AB"."""
    found, column = "", column + 1
    while column:
        column, rest = divmod(column - 1, 26)
        found = chr(65 + rest) + found
    return found


def _number(column: str) -> int:
    number = 0
    for letter in column:
        number = 26 * number + ord(letter) - 64
    return number - 1
