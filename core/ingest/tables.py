"""Turns rows into lines that read like sentences: "Payer: Vestmar AS; Amount: 1,250 EUR."."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence
from itertools import islice

from core.ingest.cleaning import clean, one_line
from core.ingest.reading import Reading

DELIMITERS = ",;\t|"
LOOKED_AT = 50  # lines from which the delimiter is told
NUMBER = re.compile(r"[-+(]?[€$£]?\s?\d[\d.,' /:%-]*\)?(?:\s?[€$£%])?")
MIDNIGHT = re.compile(r"(\d{4}-\d\d-\d\d)[ T]00:00:00(?:\.0+)?")


def read_csv(text: str, name: str) -> Reading:
    """Comma, semicolon, tab or bar separated text; `name` is the line above its rows."""
    text = text.replace("\0", "")
    delimiter = _delimiter(text)
    csv.field_size_limit(2**31 - 1)
    # newline handling is csv's own, so lines are handed over with their ends.
    rows = csv.reader(text.splitlines(keepends=True), delimiter=delimiter)
    return Reading(clean(table_text(list(rows), name)))


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
    cells = [[MIDNIGHT.sub(r"\1", one_line(cell)) for cell in row] for row in rows]
    cells = [row for row in cells if any(row)]
    if not cells:
        return ""
    top, headed = _header(cells)
    lines = [one_line(name)] if name else []
    lines.extend(" ".join(filter(None, row)) for row in cells[:top])  # the caption above the table
    header = cells[top] if headed else []
    body = cells[top + 1 :] if headed else cells[top:]
    if headed and not body:  # a header alone is still text
        header, body = [], [header]
    lines.extend(_closed("; ".join(_labelled(header, row))) for row in body)
    return "\n".join(lines)


def pairs_text(rows: Sequence[Sequence[str]]) -> str:
    """Rows of a name and its value, one line each: "Capital: EUR 1,000."."""
    cells = [[one_line(cell) for cell in row] for row in rows]
    return "\n".join(
        _closed(f"{row[0].rstrip(': ')}: {' '.join(filter(None, row[1:]))}") for row in cells if any(row)
    )


def _header(cells: list[list[str]]) -> tuple[int, bool]:
    """Index of the first row that is no caption, and whether it names the columns."""
    width = max(sum(1 for cell in row if cell) for row in cells)
    for index, row in enumerate(cells[:10]):
        filled = [cell for cell in row if cell]
        if len(filled) >= max(1, width - 1, width * 0.6):
            words = not any(NUMBER.fullmatch(cell) or len(cell) > 60 for cell in filled)
            return index, words and len(set(filled)) == len(filled)
    return 0, False


def _labelled(header: list[str], row: list[str]) -> Iterator[str]:
    for index, cell in enumerate(row):
        if cell:
            label = header[index].rstrip(": ") if index < len(header) else ""
            yield f"{label}: {cell}" if label else cell


def _closed(line: str) -> str:
    return line if line.endswith((".", "!", "?")) else line + "."
