"""Reads workbooks of Excel 97 to 2003: values by calamine, and what it leaves out, how the cells display them.

[MS-XLS] 2.4 for the records: formats of numbers, fonts, and the style of each cell.
"""

from __future__ import annotations

import io
import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, time, timedelta

import olefile
from python_calamine import CalamineError, CalamineWorkbook, PasswordError

from core.ingest.cleaning import one_line
from core.ingest.media import LOCKED
from core.ingest.number_formats import BUILT_IN, GENERAL, LOCAL_DATES, is_date_code, with_note
from core.ingest.reading import Reading, is_panic
from core.ingest.sheets import Sheet, sheets_reading
from core.ingest.tables import MarkedCell, Rows
from core.ingest.workbooks import (
    DAMAGED,
    EPOCH,
    PLAIN_STYLE,
    CellStyle,
    margin_notes,
    moment_text,
    number_text,
    with_merged,
)
from core.types import Notice, NoticeKind

OLD_BOOKS = ("Workbook", "Book")  # names of the stream, of Excel 97 and of 5
BEGIN, END, SHEET, FONT, FORMAT, STYLE, COMMENT = 0x809, 0x0A, 0x85, 0x31, 0x41E, 0xE0, 0x1C
MARGINS = frozenset({0x14, 0x15})  # the head and the foot of a sheet's pages
NUMBER, SMALL, SMALLS, FORMULA, TEXT, LABEL = 0x203, 0x27E, 0xBD, 0x06, 0xFD, 0x204
CHART_SHEET, CHART = 2, 0x20
BOLD = 600  # the weight of a font, from which on it is
DAY = timedelta(days=1)
Place = tuple[int, int]


@dataclass(slots=True)
class _Styles:
    """The styles of cells that have one, by the name of their sheet, and what else the records hold."""

    cells: dict[str, dict[Place, CellStyle]] = field(default_factory=dict)
    margins: dict[str, list[str]] = field(default_factory=dict)
    comments: int = 0
    charts: int = 0


def read_xls(data: bytes) -> Reading:
    """As `read_xlsx`: these sheets are small enough to be held as a whole. Raises DocumentError."""
    if not _has_end(data):
        raise DAMAGED
    try:
        with CalamineWorkbook.from_filelike(io.BytesIO(data)) as book:
            styles = _styles_of(data)
            reading = sheets_reading(
                Sheet(
                    one_line(name),
                    _sheet(book, name, styles.cells.get(name, {})),
                    margin_notes(styles.margins.get(name, ())),
                )
                for name in book.sheet_names
            )
    except PasswordError as error:
        raise LOCKED from error
    except (CalamineError, OSError, ValueError) as error:
        raise DAMAGED from error
    except BaseException as error:
        if not is_panic(error):
            raise
        raise DAMAGED from error
    counted = ((NoticeKind.CHART, styles.charts), (NoticeKind.COMMENT, styles.comments))
    return replace(reading, notices=tuple(Notice(kind, count) for kind, count in counted if count))


def _has_end(data: bytes) -> bool:
    """Whether the file holds a workbook, and its sectors follow each other to an end.

    Of a chain that runs in a circle calamine asks for memory until there is none.
    """
    try:
        with olefile.OleFileIO(io.BytesIO(data)) as file:
            if not any(map(file.exists, OLD_BOOKS)):
                return False
            file.loadminifat()
            return all(
                _ends(file.minifat if entry.is_minifat else file.fat, entry.isectStart)
                for entry in file.direntries
                if entry is not None and entry.size
            )
    except (OSError, ValueError, LookupError, struct.error):
        return False


def _ends(following: Sequence[int], sector: int) -> bool:
    for _ in range(len(following) + 1):
        if sector >= len(following):
            return True
        sector = following[sector]
    return False


def _sheet(book: CalamineWorkbook, name: str, styles: Mapping[Place, CellStyle]) -> Rows:
    sheet = book.get_sheet_by_name(name)
    left = (
        sheet.start[1] if sheet.start else 0
    )  # rows come from the first one on, cells from the first filled one
    rows = (
        (
            row,
            {
                column: _value(value, styles.get((row, column), PLAIN_STYLE))
                for column, value in enumerate(cells, left)
                if value != ""
            },
        )
        for row, cells in enumerate(sheet.iter_rows())
    )
    merged = [(first, left, last, right) for (first, left), (last, right) in sheet.merged_cell_ranges or ()]
    return with_merged(((row, cells) for row, cells in rows if cells), merged)


def _value(value: object, style: CellStyle) -> str:
    text, note = str(value), ""
    if isinstance(value, bool):
        text = text.lower()
    elif isinstance(value, int | float):
        text, note = with_note(value, style.code) if style.code and not style.is_date else ("", "")
        text = text or number_text(value)
    elif isinstance(value, date | time | timedelta) and style.is_date:
        text, note = moment_text(_serial(value), EPOCH, style.code)
    return MarkedCell.of(text, note=note, heading=style.heading)


def _serial(value: date | time | timedelta) -> float:
    """Days since the epoch."""
    if isinstance(value, timedelta):
        return value / DAY
    if isinstance(value, time):
        return (datetime.combine(EPOCH, value) - EPOCH) / DAY
    moment = value if isinstance(value, datetime) else datetime.combine(value, time())
    return (moment - EPOCH) / DAY


def _styles_of(data: bytes) -> _Styles:
    """What the records say beyond the values; nothing of files older than Excel 97, or damaged ones."""
    found = _Styles()
    try:
        with olefile.OleFileIO(io.BytesIO(data)) as file:
            stream = file.openstream("Workbook").read()
        sheets, styles = _book(stream, found)
        reached = 0
        for begin, name in sorted(sheets):
            if begin >= reached:  # sheets that share their records would take time by the square
                reached = _cells(stream, begin, styles, found, name)
    except (OSError, ValueError, IndexError, struct.error):
        return found
    return found


def _records(stream: bytes, at: int) -> Iterator[tuple[int, int, int]]:
    """(kind, start, end) of the records of one part, without those of the parts within it but for where they begin."""
    depth = 0
    while at + 4 <= len(stream):
        kind, length = struct.unpack_from("<HH", stream, at)
        if depth <= 1:
            yield kind, at + 4, at + 4 + length
        depth += (kind == BEGIN) - (kind == END)
        if depth <= 0:
            return
        at += 4 + length


def _book(stream: bytes, found: _Styles) -> tuple[list[tuple[int, str]], list[CellStyle]]:
    """The sheets by their places, and the styles by their number."""
    sheets: list[tuple[int, str]] = []
    codes: dict[int, str] = {}
    bold: list[bool] = []
    used: list[tuple[int, int]] = []  # font and format of each style
    for kind, start, end in _records(stream, 0):
        if kind == SHEET:
            begin, _, sort = struct.unpack_from("<IBB", stream, start)
            found.charts += sort == CHART_SHEET
            if not sort:
                sheets.append((begin, _string(stream, start + 6, "B", end)))
        elif kind == FORMAT:
            codes[struct.unpack_from("<H", stream, start)[0]] = _string(stream, start + 2, "H", end)
        elif kind == FONT:
            bold.append(struct.unpack_from("<H", stream, start + 6)[0] >= BOLD)
        elif kind == STYLE:
            used.append(struct.unpack_from("<HH", stream, start))
    bold[4:4] = [False]  # no font has the number four
    return sheets, [_style(codes, number, font < len(bold) and bold[font]) for font, number in used]


def _style(codes: Mapping[int, str], number: int, heading: bool) -> CellStyle:
    code = codes.get(number, BUILT_IN.get(number, ""))
    is_date = (number not in codes and number in LOCAL_DATES) or is_date_code(code)
    return CellStyle("" if code == GENERAL else code, is_date, heading)


def _string(stream: bytes, at: int, count: str, end: int) -> str:
    """A text after the number of its letters and whether they are wide."""
    (letters,) = struct.unpack_from(f"<{count}", stream, at)
    at += struct.calcsize(count)
    wide = stream[at] & 1
    raw = stream[at + 1 : min(end, at + 1 + letters * (1 + wide))]
    return raw.decode("utf-16-le" if wide else "latin-1", "replace")


def _cells(stream: bytes, begin: int, styles: list[CellStyle], found: _Styles, name: str) -> int:
    """Add the cells of a sheet that have a style; where its records end."""
    cells = found.cells.setdefault(name, {})
    wanted = {number: style for number, style in enumerate(styles) if style != PLAIN_STYLE}
    end = begin
    for kind, start, end in _records(stream, begin):
        if kind in {NUMBER, SMALL, FORMULA, TEXT, LABEL}:
            row, column, style = struct.unpack_from("<HHH", stream, start)
            if style in wanted:
                cells[row, column] = wanted[style]
        elif kind == SMALLS:
            row, column = struct.unpack_from("<HH", stream, start)
            for more, at in enumerate(range(start + 4, end - 7, 6)):
                (style,) = struct.unpack_from("<H", stream, at)
                if style in wanted:
                    cells[row, column + more] = wanted[style]
        elif kind in MARGINS and end > start + 2:
            found.margins.setdefault(name, []).append(_string(stream, start, "H", end))
        elif kind == COMMENT:
            found.comments += 1
        elif kind == BEGIN and start > begin + 4:
            found.charts += struct.unpack_from("<H", stream, start + 2)[0] == CHART
    return end
