"""Reads workbooks of Excel, cell by cell: what is not filled costs nothing, however far out a cell lies."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from decimal import Decimal
from typing import IO
from xml.etree import ElementTree

from python_calamine import CalamineError, CalamineWorkbook, PasswordError

from core.errors import DocumentError
from core.ingest.cleaning import one_line
from core.ingest.media import LOCKED
from core.ingest.package import MAIN, Element, Package, attribute, local, opened
from core.ingest.reading import Reading, is_panic
from core.ingest.sheets import sheets_reading
from core.ingest.tables import Rows
from core.translation import tr

LETTERS = re.compile(r"[A-Z]{1,3}")
ESCAPED = re.compile(r"_x([0-9A-Fa-f]{4})_")  # ECMA-376, 22.4.2.4: characters that XML cannot hold
ASIDE = re.compile(r'"[^"]*"|\\.|\[[^\]]*\]|_.|\*.')  # parts of a number format that do not tell its kind
DATE_FORMATS = frozenset({*range(14, 23), *range(27, 37), *range(45, 48), *range(50, 59)})
EPOCH, EPOCH_1904 = datetime(1899, 12, 30), datetime(1904, 1, 1)
DAMAGED = DocumentError(
    tr("The workbook is damaged or incomplete."),
    tr("Open it in its own program; if that works, save it again, else get a new copy."),
)


def read_xlsx(data: bytes) -> Reading:
    """Every sheet as its name and one line a row; sheets and cells are regions. Raises DocumentError."""
    with opened(data, "workbook") as package:
        main = next(iter(package.relations("", MAIN).values()), "xl/workbook.xml")
        book = package.xml(main)
        values = _Values(package, main, book)
        targets = package.relations(main)
        parts = [
            (one_line(attribute(sheet, "name")), targets.get(attribute(sheet, "id"), ""))
            for sheet in book.iterfind("./{*}sheets/{*}sheet")
        ]
        reading = sheets_reading(
            (name, _sheet(package.open(part), values)) for name, part in parts if package.has(part)
        )
        stated = package.stated()
    return replace(reading, title=stated.title, date=stated.date, author=stated.author)


def read_xls(data: bytes) -> Reading:
    """As `read_xlsx`, of Excel 97 to 2003: their sheets are small enough to be held as a whole."""
    try:
        with CalamineWorkbook.from_filelike(io.BytesIO(data)) as book:
            return sheets_reading([(one_line(name), _old_sheet(book, name)) for name in book.sheet_names])
    except PasswordError as error:
        raise LOCKED from error
    except (CalamineError, OSError, ValueError) as error:
        raise DAMAGED from error
    except BaseException as error:
        if not is_panic(error):
            raise
        raise DAMAGED from error


def _old_sheet(book: CalamineWorkbook, name: str) -> Rows:
    sheet = book.get_sheet_by_name(name)
    left = (
        sheet.start[1] if sheet.start else 0
    )  # rows come from the first one on, cells from the first filled one
    rows = (
        (row, {column: _value(value) for column, value in enumerate(cells, left) if value != ""})
        for row, cells in enumerate(sheet.iter_rows())
    )
    return ((row, cells) for row, cells in rows if cells)


def _value(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return number_text(value) if isinstance(value, int | float) else str(value)


class _Values:
    """What the cells of one workbook mean: they hold numbers of shared texts and of formats."""

    def __init__(self, package: Package, main: str, book: Element) -> None:
        about = book.find("./{*}workbookPr")
        old = about is not None and attribute(about, "date1904") in {"1", "true"}
        self._epoch = EPOCH_1904 if old else EPOCH
        self._shared: list[str] = []
        for part in package.relations(main, "/sharedStrings").values():
            if package.has(part):
                self._shared += [_string(item) for item in _elements(package.open(part), "si")]
        self._dates = {style for root in package.related(main, "/styles") for style in _date_styles(root)}

    def text(self, cell: Element) -> str:
        """A cell as it reads: dates in ISO's form, numbers with up to 15 digits as Excel has them."""
        kind = cell.get("t", "n")
        if kind == "inlineStr":
            return "".join(_string(inner) for inner in cell.iterfind("./{*}is"))
        value = cell.findtext("./{*}v") or ""
        if kind == "s":
            at = int(value or -1)
            return self._shared[at] if 0 <= at < len(self._shared) else ""
        if kind == "b":
            return "true" if value == "1" else "false"
        if kind != "n" or not value:
            return _unescaped(value)
        return self._number(value, int(cell.get("s", 0)) in self._dates)

    def _number(self, value: str, is_date: bool) -> str:
        try:
            number = float(value)
            return _moment(number, self._epoch) if is_date else number_text(number)
        except (ValueError, OverflowError):
            return value


def number_text(number: float) -> str:
    """0.1 + 0.2 -> "0.3"; never with an exponent."""
    return format(Decimal(f"{number:.15g}"), "f")


def _moment(serial: float, epoch: datetime) -> str:
    """A day and time; below one day a time alone, without the day that stands for none."""
    moment = epoch + timedelta(seconds=round(serial * 86_400))
    return f"{moment:%H:%M:%S}" if 0 <= serial < 1 else moment.isoformat(" ")


def _sheet(file: IO[bytes], values: _Values) -> Rows:
    """The filled cells of a sheet. Rows and cells without a place follow those before."""
    number = -1
    for row in _elements(file, "row"):
        number = max(number + 1, int(row.get("r") or number + 2) - 1)
        column = -1
        cells: dict[int, str] = {}
        for cell in row:
            found = LETTERS.match(cell.get("r", ""))
            column = _column(found[0]) if found else column + 1
            if text := values.text(cell):
                cells[column] = text
        if cells:
            yield number, cells


def _column(letters: str) -> int:
    number = 0
    for letter in letters:
        number = 26 * number + ord(letter) - 64
    return number - 1


def _elements(file: IO[bytes], name: str) -> Iterator[Element]:
    """The elements of this name; what is past is dropped, so that a large part costs little memory."""
    with file:
        before = parent = None
        for event, element in ElementTree.iterparse(file, ("start", "end")):
            wanted = local(element) == name
            if event == "start":
                parent = before if wanted and parent is None else parent
                before = element
            elif wanted:
                yield element
                if parent is not None:
                    parent.clear()


def _string(item: Element) -> str:
    """The text of a cell in all its runs, without the reading aids of Asian letters."""
    runs = (run if local(run) == "t" else run.find("./{*}t") for run in item if local(run) != "rPh")
    return _unescaped("".join(run.text or "" for run in runs if run is not None))


def _unescaped(text: str) -> str:
    return ESCAPED.sub(lambda found: chr(int(found[1], 16)), text) if "_x" in text else text


def _date_styles(root: Element) -> Iterator[int]:
    """Numbers of the cell styles that show a number as a date or time."""
    codes = {
        attribute(item, "numFmtId"): attribute(item, "formatCode") for item in root.iterfind(".//{*}numFmt")
    }
    for number, style in enumerate(root.iterfind("./{*}cellXfs/{*}xf")):
        identity = attribute(style, "numFmtId")
        code = ASIDE.sub("", codes.get(identity, "")).lower()
        if (identity.isdigit() and int(identity) in DATE_FORMATS) or set(code) & set("ymdhs"):
            yield number
