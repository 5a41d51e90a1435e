"""Reads OpenDocument texts, presentations and sheets (ODT, ODP, ODS) by walking their XML. ODF 1.3, part 3."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from core.ingest.cleaning import one_line
from core.ingest.flow import Walk
from core.ingest.package import Element, Package, Stated, attribute, local, opened
from core.ingest.reading import Reading
from core.ingest.sheets import sheets_reading
from core.ingest.tables import Cells, table_text
from core.ingest.workbooks import number_text

# What was deleted; set up rather than written; readings of Asian letters.
SILENT = frozenset(
    "tracked-changes note-citation ruby-text forms shapes scripts sequence-decls variable-decls "
    "user-field-decls header-decl footer-decl date-time-decl".split()
)
DESCRIBES = ("{http://purl.org/dc/", "{urn:oasis:names:tc:opendocument:xmlns:svg-compatible:")
BOXES = frozenset(
    "text-box custom-shape rect ellipse circle line polyline polygon path connector caption".split()
)
NUMBERS = frozenset({"float", "percentage", "currency"})
WHITE = re.compile(r"[ \t\r\n]+")  # collapses, but for what has elements of its own: signs no XML can hold
SPACE, TAB, BREAK = "\x01", "\x02", "\x03"
WRITTEN = str.maketrans({SPACE: " ", TAB: "\t", BREAK: "\n"})
MOST_SPACES = 1_000  # that one element may stand for
MOST_REPEATED = 1_000_000  # cells that repeat others; of further ones the first alone is read


def read_text(data: bytes) -> Reading:
    """A text or a presentation; headers and footers last. Raises DocumentError when it is damaged."""
    with opened(data, "document") as package:
        walk = _Walk()
        walk.blocks(package.xml("content.xml"))
        if package.has("styles.xml"):
            styles = package.xml("styles.xml")
            for kind in ("header", "footer"):
                names = (kind, f"{kind}-left", f"{kind}-first")
                walk.margin(kind.capitalize(), (one for one in styles.iter() if local(one) in names))
        return walk.flow.reading(_stated(package))


def read_sheets(data: bytes) -> Reading:
    """Every sheet as its name and one line a row; sheets and cells are regions. Raises DocumentError."""
    with opened(data, "workbook") as package:
        tables = package.xml("content.xml").iterfind("./{*}body/{*}spreadsheet/{*}table")
        sheets = [(one_line(attribute(table, "name")), _cells(table).items()) for table in tables]
        stated = _stated(package)
    return replace(sheets_reading(sheets), title=stated.title, date=stated.date, author=stated.author)


class _Walk(Walk):
    def __init__(self) -> None:
        super().__init__()
        self._slides = 0

    def author(self, comment: Element) -> str:
        return comment.findtext("./{*}creator") or ""

    def blocks(self, element: Element, point: bool = False) -> None:
        """`point`: the first paragraph begins an item of a list."""
        for child in _shown_children(element):
            name = local(child)
            if name in {"p", "h"}:
                text = self._text(child)
                if name == "h":
                    self.flow.title(text, int(attribute(child, "outline-level") or 1))
                else:
                    (self.flow.point if point else self.flow.paragraph)(text)
                self.hanging()
                point = False
            elif name == "table":
                self.flow.table([list(cells.values()) for cells in self._rows(child)])
                self.hanging()
            elif name == "frame" and attribute(child, "class") == "title":
                self.flow.title("\n".join(self.lines(child)), 2)
            elif name == "notes":
                self.flow.note(f"Slide {self._slides} notes", "Notes: ", "\n".join(self.lines(child)))
            else:
                self._slides += name == "page"
                self.blocks(child, point or name == "list-item")

    def lines(self, element: Element) -> Iterator[str]:
        for child in _shown_children(element):
            name = local(child)
            if name in {"p", "h"}:
                yield self._text(child)
            elif name == "table":
                yield table_text([list(cells.values()) for cells in self._rows(child)])
            elif name != "annotation":
                yield from self.lines(child)

    def _rows(self, table: Element) -> Iterator[dict[int, str]]:
        for row in _nearest(table, ("table-row",)):
            yield {n: "\n".join(self.lines(cell)) for n, cell in enumerate(_nearest(row, CELLS))}

    def _text(self, paragraph: Element) -> str:
        """White space collapses across elements, so the whole is put together first. ODF 1.3, part 3, 6.1.2."""
        return WHITE.sub(" ", self._inline(paragraph)).strip(" ").translate(WRITTEN)

    def _inline(self, element: Element) -> str:
        pieces = [element.text or ""]
        for child in element:
            name = local(child)
            if name == "s":
                pieces.append(SPACE * min(int(attribute(child, "c") or 1), MOST_SPACES))
            elif name == "tab":
                pieces.append(TAB)
            elif name == "line-break":
                pieces.append(BREAK)
            elif name == "note":
                pieces.append(self.mark(attribute(child, "note-class") or "footnote", child))
            elif name == "annotation":
                pieces.append(self.mark("comment", child))
            elif name in BOXES:
                self.box(child)
            elif not _silent(child):
                pieces.append(self._inline(child))
            pieces.append(child.tail or "")
        return "".join(pieces)


CELLS = ("table-cell", "covered-table-cell")


def _silent(element: Element) -> bool:
    name = local(element)
    return name in SILENT or name.endswith("-source") or element.tag.startswith(DESCRIBES)


def _shown_children(element: Element) -> Iterator[Element]:
    return (child for child in element if not _silent(child))


def _nearest(element: Element, names: tuple[str, ...]) -> Iterator[Element]:
    """Rows of a table or cells of a row, also in groups, but not those of inner tables."""
    for child in element:
        if local(child) in names:
            yield child
        elif local(child) not in {"table", *CELLS}:
            yield from _nearest(child, names)


def _cells(table: Element) -> Cells:
    """The filled cells of a sheet. Rows and cells that repeat others stand in the file once."""
    rows: dict[int, dict[int, str]] = {}
    number = left = 0
    left = MOST_REPEATED
    for row in _nearest(table, ("table-row",)):
        cells: dict[int, str] = {}
        column = 0
        for cell in _nearest(row, CELLS):
            times = _times(cell, "columns")
            if text := _value(cell):
                left -= times - 1
                cells.update(dict.fromkeys(range(column, column + (times if left >= 0 else 1)), text))
            column += times
        times = _times(row, "rows")
        if cells:
            left -= (times - 1) * len(cells)
            rows.update(dict.fromkeys(range(number, number + (times if left >= 0 else 1)), cells))
        number += times
    return rows


def _times(element: Element, what: str) -> int:
    return max(1, int(attribute(element, f"number-{what}-repeated") or 1))


def _value(cell: Element) -> str:
    """A cell as it reads: numbers and dates as they are kept, everything else as it is shown."""
    kind = attribute(cell, "value-type")
    if kind in NUMBERS and (value := attribute(cell, "value")):
        return number_text(float(value))
    if kind in {"date", "boolean"} and (value := attribute(cell, f"{kind}-value")):
        return value.replace("T", " ")
    return "\n".join(_Walk().lines(cell)) or attribute(cell, "string-value")


def _stated(package: Package) -> Stated:
    """Title, date and author of meta.xml."""
    if not package.has("meta.xml"):
        return Stated("", "", "")
    found = {local(item): item.text or "" for item in package.xml("meta.xml").iter()}
    date = found.get("creation-date") or found.get("date", "")
    return Stated(found.get("title", ""), date, found.get("initial-creator") or found.get("creator", ""))
