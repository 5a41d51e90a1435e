"""Finds where a workbook's sheets begin: kreuzberg tells the cells from the first filled one on, not its place."""

from __future__ import annotations

import io
import posixpath
import re
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from xml.etree import ElementTree

from core.ingest import media

MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
LINK = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
OFFICE = "{urn:oasis:names:tc:opendocument:xmlns:office:1.0}"
TABLE = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
LARGEST = 256 * 2**20  # bytes of one sheet's XML
CELL = re.compile(
    rb"""<(?:\w+:)?c\s[^>]*?\br=["']([A-Z]{1,3})(\d{1,7})["'][^>]*?(/?)>(?:\s*<(?:\w+:)?(v|is|f)\b)?"""
)
DAMAGED = (
    zipfile.BadZipFile,
    KeyError,
    ElementTree.ParseError,
    EOFError,
    OSError,
    ValueError,
    NotImplementedError,
)


@dataclass(frozen=True, slots=True)
class UsedRange:
    """First and last row and column that are filled, from 0."""

    top: int
    left: int
    bottom: int
    right: int


def origins(data: bytes, kind: str, shapes: Mapping[str, tuple[int, int]]) -> dict[str, tuple[int, int]]:
    """Row and column, from 0, at which each sheet's cells begin.

    `shapes` has the rows and columns of each sheet as they were read; a sheet whose used range has
    another shape is left out, for its cells would be named wrongly. So are all of old XLS files.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            ranges = dict(_of_ods(archive) if kind == media.ODS else _of_xlsx(archive))
    except DAMAGED:
        return {}
    return {
        name: (used.top, used.left)
        for name, used in ranges.items()
        if shapes.get(name) == (used.bottom - used.top + 1, used.right - used.left + 1)
    }


def _of_xlsx(archive: zipfile.ZipFile) -> Iterator[tuple[str, UsedRange]]:
    book = "xl/workbook.xml"
    links = {
        item.get("Id", ""): posixpath.normpath(posixpath.join("xl", item.get("Target", ""))).lstrip("/")
        for item in ElementTree.fromstring(archive.read("xl/_rels/workbook.xml.rels"))
    }
    for sheet in ElementTree.fromstring(archive.read(book)).iter(f"{MAIN}sheet"):
        part = links.get(sheet.get(LINK, ""), "")
        if part in archive.namelist() and archive.getinfo(part).file_size <= LARGEST:
            used = _extent(_xlsx_cells(archive.read(part)))
            if used is not None:
                yield sheet.get("name", ""), used


def _xlsx_cells(xml: bytes) -> Iterator[tuple[int, int]]:
    columns: dict[bytes, int] = {}
    for found in CELL.finditer(xml):
        letters, row, empty, content = found.groups()
        if empty or not content:
            continue
        column = columns.get(letters)
        if column is None:
            column = columns[letters] = _column(letters)
        yield int(row) - 1, column


def _column(letters: bytes) -> int:
    number = 0
    for letter in letters:
        number = 26 * number + letter - 64
    return number - 1


def _of_ods(archive: zipfile.ZipFile) -> Iterator[tuple[str, UsedRange]]:
    if archive.getinfo("content.xml").file_size > LARGEST:
        return
    for sheet in ElementTree.fromstring(archive.read("content.xml")).iter(f"{TABLE}table"):
        used = _extent(_ods_cells(sheet))
        if used is not None:
            yield sheet.get(f"{TABLE}name", ""), used


def _ods_cells(sheet: ElementTree.Element) -> Iterator[tuple[int, int]]:
    row = 0
    for line in sheet.iter(f"{TABLE}table-row"):
        column = 0
        for cell in line:
            repeated = int(cell.get(f"{TABLE}number-columns-repeated", "1"))
            if cell.get(f"{OFFICE}value-type") or cell.find(f"{TEXT}p") is not None:
                yield row, column
                yield row + int(line.get(f"{TABLE}number-rows-repeated", "1")) - 1, column + repeated - 1
            column += repeated
        row += int(line.get(f"{TABLE}number-rows-repeated", "1"))


def _extent(cells: Iterator[tuple[int, int]]) -> UsedRange | None:
    first = next(cells, None)
    if first is None:
        return None
    top, left = bottom, right = first
    for row, column in cells:
        top, bottom = min(top, row), max(bottom, row)
        left, right = min(left, column), max(right, column)
    return UsedRange(top, left, bottom, right)
