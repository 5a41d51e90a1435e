"""Reads workbooks of Excel, cell by cell: what is not filled costs nothing, however far out a cell lies."""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal
from functools import lru_cache
from itertools import islice
from typing import IO
from xml.etree import ElementTree

from core.errors import DocumentError
from core.ingest.cleaning import one_line
from core.ingest.drawings import description, may_hold_text_emu, paragraphs, read_chart
from core.ingest.equations import raised
from core.ingest.flow import comment_lead
from core.ingest.number_formats import (
    BUILT_IN,
    GENERAL,
    LOCAL_DATES,
    displayed_moment,
    is_date_code,
    is_day_code,
    is_time_code,
    moment_of,
    with_note,
)
from core.ingest.package import MAIN, Element, Package, attribute, local, opened
from core.ingest.reading import Reading
from core.ingest.sheets import Sheet, SheetNote, chart_note, place, sheets_reading
from core.ingest.tables import MarkedCell, Rows, covering, marked_cell, repeated
from core.text.translation import tr
from core.types import BlockKind, Notice, NoticeKind

LETTERS = re.compile(r"[A-Z]{1,3}")
PLACE = re.compile(r"([A-Z]{1,3})(\d{1,7})")
ESCAPED = re.compile(r"_x([0-9A-Fa-f]{4})_")  # ECMA-376, 22.4.2.4: characters that XML cannot hold
MERGED = re.compile(rb'<(?:\w+:)?mergeCell\s[^>]*?ref="([A-Z]{1,3})(\d{1,7}):([A-Z]{1,3})(\d{1,7})"')
# Over cells of its own column, two at the least: a row of totals. File formats know no other names of functions.
TOTAL = re.compile(
    r"(?:of:)?=?\s*(?:SUM|SUBTOTAL|AGGREGATE|AVERAGE|COUNTA?|MIN|MAX|MEDIAN|PRODUCT)\s*\((?:\d+\s*[,;]\s*){0,2}"
    r"\[?\.?\$?([A-Z]{1,3})\$?(\d+):\.?\$?([A-Z]{1,3})\$?(\d+)\]?",
    re.IGNORECASE,
)
# Heads and feet of pages, in parts; the number of a page, a date or a name that stands there by its code is no text.
_MARGIN = re.compile(rb"<(?:\w+:)?(?:odd|even|first)(?:Header|Footer)>([^<]+)<")
_PART = re.compile(r"(?<!&)&[LCR]")
_FIELD = re.compile(r"(?<!&)&[PNDTAFZG]")
_CODE = re.compile(r'(?<!&)&(?:"[^"]*"|\d+|K[0-9A-F]{6}|K\d\d[-+]\d{3}|[A-Z])|&(?=&)')
_MARGINS = 2**16  # bytes at a sheet's end in which they stand
CHUNK = 2**20
MOST_MERGED = 100_000  # ranges of one sheet
MOST_NOTES = 10_000  # of one sheet
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
        parts: dict[str, str] = {}  # sheets: part -> name
        for sheet in book.iterfind("./{*}sheets/{*}sheet"):
            parts.setdefault(targets.get(attribute(sheet, "id"), ""), one_line(attribute(sheet, "name")))
        people = {
            attribute(person, "id"): attribute(person, "displayName")
            for root in package.related(main, "/person")
            for person in root
        }
        missing = _Missing()
        sheets = []
        for part, name in parts.items():
            if package.has(part):
                notes = _notes(package, people, part, missing)
                sheets.append(Sheet(name, _sheet(package, part, values, missing.of(name), notes), notes))
        reading = sheets_reading(sheets)
        stated = package.stated()
    return replace(
        reading, title=stated.title, date=stated.date, author=stated.author, notices=missing.notices()
    )


class _Missing:
    """What is not read of a workbook."""

    def __init__(self) -> None:
        self._formulas: list[str] = []
        self._others: Counter[NoticeKind] = Counter()

    def of(self, sheet: str) -> Callable[[int, int], None]:
        """Note a formula without a value at (row, column) of the sheet."""
        return lambda row, column: self._formulas.append(f"{sheet}!{place(row, column)}")

    def add(self, kind: NoticeKind) -> None:
        self._others[kind] += 1

    def notices(self) -> tuple[Notice, ...]:
        formulas = (
            (Notice(NoticeKind.FORMULA, len(self._formulas), self._formulas[0]),) if self._formulas else ()
        )
        return (*formulas, *(Notice(kind, count) for kind, count in self._others.items()))


def with_merged(rows: Rows, merged: Iterable[tuple[int, int, int, int]]) -> Rows:
    """Rows with merged cells, (first row, column, last row, column), in each of their rows that holds others."""
    begins: dict[int, list[tuple[int, int, int]]] = {}
    for first, left, last, right in islice(merged, MOST_MERGED):
        begins.setdefault(first, []).append((left, last, right - left + 1))
    if not begins:
        return rows
    return _with_merged(rows, begins)


def _with_merged(rows: Rows, begins: Mapping[int, Sequence[tuple[int, int, int]]]) -> Rows:
    reaching: dict[int, tuple[int, str]] = {}  # by column: the last row, and the cell for further rows
    for number, row in rows:
        if reaching:
            reaching = {column: each for column, each in reaching.items() if each[0] >= number}
            if merged := {column: text for column, (_, text) in reaching.items() if column not in row}:
                row = dict(sorted({**row, **merged}.items()))
        for column, last, across in begins.get(number, ()):
            if column in row:
                row = {**row, column: covering(row[column], across)}
                if last > number:
                    reaching[column] = last, repeated(row[column])
        yield number, row


@dataclass(frozen=True, slots=True)
class CellStyle:
    """What the style of a cell says of its text."""

    code: str = ""  # format of numbers; "" for General
    is_date: bool = False
    heading: bool = False


PLAIN_STYLE = CellStyle()


class _Values:
    """What the cells of one workbook mean: they hold numbers of shared texts and of styles."""

    def __init__(self, package: Package, main: str, book: Element) -> None:
        about = book.find("./{*}workbookPr")
        old = about is not None and attribute(about, "date1904") in {"1", "true"}
        self._epoch = EPOCH_1904 if old else EPOCH
        self._shared: list[str] = []
        for part in package.relations(main, "/sharedStrings").values():
            if package.has(part):
                self._shared += [_string(item) for item in _elements(package.open(part), "si")]
        self._styles = [style for root in package.related(main, "/styles") for style in _styles(root)]
        self.number = lru_cache(maxsize=10_000)(self._number)  # columns repeat their figures

    def text(self, cell: Element, value: str | None) -> str:
        """A cell as it reads: dates in ISO's form, numbers as they are displayed, with up to 15 digits."""
        kind = cell.get("t", "n")
        at = int(cell.get("s", 0))
        style = self._styles[at] if 0 <= at < len(self._styles) else PLAIN_STYLE
        if kind == "n":
            return self.number(value, style) if value else ""
        text = self._words(cell, kind, value or "")
        return MarkedCell.of(text, heading=True) if style.heading and text else text

    def _words(self, cell: Element, kind: str, value: str) -> str:
        if kind == "inlineStr":
            return "".join(_string(inner) for inner in cell.iterfind("./{*}is"))
        if kind == "s":
            at = int(value or -1)
            return self._shared[at] if 0 <= at < len(self._shared) else ""
        if kind == "b":
            return "true" if value == "1" else "false"
        return _unescaped(value)

    def _number(self, value: str, style: CellStyle) -> str:
        try:
            number = float(value)
            if style.is_date:
                text, note = moment_text(number, self._epoch, style.code)
            else:
                text, note = with_note(number, style.code) if style.code else ("", "")
        except (ValueError, OverflowError, ArithmeticError):
            return value
        return MarkedCell.of(text or number_text(number), note=note, heading=style.heading)


def number_text(number: float) -> str:
    """0.1 + 0.2 -> "0.3"; never with an exponent."""
    return format(Decimal(f"{number:.15g}"), "f")


def moment_text(serial: float, epoch: datetime, code: str) -> tuple[str, str]:
    """A day and time in ISO's form, below one day a time alone, and as it is displayed where that differs."""
    moment = moment_of(serial, epoch)
    text = f"{moment:%H:%M:%S}" if 0 <= serial < 1 else moment.isoformat(" ")
    if code and not is_time_code(code):
        text = text.removesuffix(" 00:00:00")
    display = displayed_moment(moment, serial, code) if code else ""
    if "[" in code and display and not is_day_code(code):
        return display, ""  # hours that pass: no day
    return text, f"({display})" if display and not text.startswith(display) else ""


def _sheet(
    package: Package, part: str, values: _Values, missing: Callable[[int, int], None], notes: list[SheetNote]
) -> Rows:
    """The filled cells of a sheet; what stands at the edges of its pages comes to `notes`."""
    merged = _merged(package.open(part), notes)
    return with_merged(_rows(package.open(part), values, missing), merged)


def _merged(file: IO[bytes], notes: list[SheetNote]) -> Iterator[tuple[int, int, int, int]]:
    """(First row, column, last row, column) of the merged cells of a sheet: they stand behind all cells, so their
    bytes are looked for before these are parsed. So do the heads and feet of its pages, which come to `notes`."""
    with file:
        rest = end = b""
        while chunk := file.read(CHUNK):
            rest += chunk
            end = (end + chunk)[-_MARGINS:]
            if b"mergeCell " in rest:
                for match in MERGED.finditer(rest):
                    left, right = (_column(match[at].decode()) for at in (1, 3))
                    yield int(match[2]) - 1, left, int(match[4]) - 1, right
                rest = rest[rest.rfind(b"<") :]
            rest = rest[-200:]
    notes += margin_notes(
        html.unescape(match[1].decode("utf-8", "replace")) for match in _MARGIN.finditer(end)
    )


def margin_notes(texts: Iterable[str]) -> list[SheetNote]:
    """The heads and feet of a sheet's pages, "&LDepot list&RPage &P", a note for each part without a field."""
    parts = (part for text in texts for part in _PART.split(text) if not _FIELD.search(part))
    return [
        SheetNote(words) for words in dict.fromkeys(one_line(_CODE.sub("", part)) for part in parts) if words
    ]


def _rows(file: IO[bytes], values: _Values, missing: Callable[[int, int], None]) -> Rows:
    """Rows and cells without a place follow those before."""
    number = -1
    shared: dict[str, int] = {}  # of formulas for totals: the row
    for row in _elements(file, "row"):
        number = max(number + 1, int(row.get("r") or number + 2) - 1)
        column = -1
        cells: dict[int, str] = {}
        for cell in row:
            found = LETTERS.match(cell.get("r", ""))
            column = _column(found[0]) if found else column + 1
            value = formula = None
            for child in cell:
                if child.tag.endswith("}v"):
                    value = child.text
                elif child.tag.endswith("}f"):
                    formula = child
            text = values.text(cell, value)
            if formula is not None:
                if not text and cell.get("t") != "str":
                    missing(number, column)
                elif text and _is_total(formula, number, column, shared):
                    text = marked_cell(text)
                    text.total = True
            if text:
                cells[column] = text
        if cells:
            yield number, cells


def _is_total(formula: Element, row: int, column: int, shared: dict[str, int]) -> bool:
    """Whether a cell is computed over those above it; cells of one row may share a formula."""
    if (words := formula.text) and over_column(words, row, column):
        if formula.get("t") == "shared":
            shared[formula.get("si", "")] = row
        return True
    return not words and shared.get(formula.get("si", "")) == row


def over_column(formula: str, row: int, column: int) -> bool:
    """Whether it sums, averages or counts two cells and more of its own column, above its row."""
    match = TOTAL.match(formula)
    if match is None:
        return False
    first, last = (_column(match[at].upper()) for at in (1, 3))
    return first == last == column and int(match[2]) < int(match[4]) <= row


def _notes(package: Package, people: Mapping[str, str], part: str, missing: _Missing) -> list[SheetNote]:
    """Comments on cells, what charts show, the words of drawings."""
    notes = list(islice(_comments(package, people, part), MOST_NOTES))
    for drawing in package.relations(part, "/drawing").values():
        if not package.has(drawing):
            continue
        root = package.xml(drawing)
        for shape in root.iter():
            if local(shape) == "sp" and (words := " ".join(paragraphs(shape))):
                notes.append(SheetNote(words, kind=BlockKind.CAPTION))
            elif local(shape) == "pic":
                if may_hold_text_emu(shape.find("./{*}spPr/{*}xfrm/{*}ext")):
                    missing.add(NoticeKind.PICTURE)
                if words := description(shape.find("./{*}nvPicPr/{*}cNvPr")):
                    notes.append(SheetNote(words, kind=BlockKind.CAPTION))
        charts = {**package.relations(drawing, "/chart"), **package.relations(drawing, "/chartEx")}
        for chart in dict.fromkeys(charts.values()):
            if not package.has(chart):
                continue
            if note := chart_note(read_chart(package.xml(chart))):
                notes.append(note)
            else:
                missing.add(NoticeKind.CHART)
    return notes


def _comments(package: Package, people: Mapping[str, str], part: str) -> Iterator[SheetNote]:
    """Threads of comments as they are; older readers find each thread as one comment, with a word of its own."""
    threaded = set()
    for root in package.related(part, "/threadedComment"):
        for comment in root:
            author, time = people.get(attribute(comment, "personId"), ""), attribute(comment, "dT")
            if (cell := _place_of(attribute(comment, "ref"))) and (text := comment.findtext("./{*}text")):
                threaded.add(cell)
                yield SheetNote(text, comment_lead(author, time), cell)
    for root in package.related(part, "/comments"):
        authors = [author.text or "" for author in root.iterfind("./{*}authors/{*}author")]
        for comment in root.iterfind("./{*}commentList/{*}comment"):
            cell, at = _place_of(attribute(comment, "ref")), attribute(comment, "authorId")
            author = authors[int(at)] if at.isdigit() and int(at) < len(authors) else ""
            text = "".join(_string(words) for words in comment.iterfind("./{*}text"))
            text = text.strip().removeprefix(f"{author}:").strip()  # as Excel begins them
            if cell and text and cell not in threaded:
                yield SheetNote(text, comment_lead(author), cell)


def _place_of(name: str) -> tuple[int, int] | None:
    """ "AB12" -> (11, 27)."""
    match = PLACE.fullmatch(name)
    return (int(match[2]) - 1, _column(match[1])) if match else None


def _column(letters: str) -> int:
    number = 0
    for letter in letters:
        number = 26 * number + ord(letter) - 64
    return number - 1


def _elements(file: IO[bytes], name: str) -> Iterator[Element]:
    """The elements of this name; what is past is dropped, so that a large part costs little memory."""
    with file:
        parent = None
        tag = ""
        for event, element in ElementTree.iterparse(file, ("start", "end")):
            if not tag:
                if local(element) != name:
                    parent = element
                    continue
                tag = element.tag
            if element.tag == tag and event == "end":
                yield element
                if parent is not None:
                    parent.clear()


def _string(item: Element) -> str:
    """The text of a cell in all its runs, without the reading aids of Asian letters."""
    pieces: list[str] = []
    for run in item:
        name = local(run)
        words = run if name == "t" else run.find("./{*}t") if name != "rPh" else None
        if words is None or not words.text:
            continue
        place = run.find("./{*}rPr/{*}vertAlign") if name == "r" else None
        is_mark = place is not None and attribute(place, "val") == "superscript"
        pieces.append(raised("".join(pieces[-8:]), words.text) if is_mark else words.text)
    return _unescaped("".join(pieces))


def _unescaped(text: str) -> str:
    return ESCAPED.sub(lambda found: chr(int(found[1], 16)), text) if "_x" in text else text


def _styles(root: Element) -> Iterator[CellStyle]:
    """The cell styles by their number."""
    codes = {
        attribute(item, "numFmtId"): attribute(item, "formatCode") for item in root.iterfind(".//{*}numFmt")
    }
    bold = [
        (mark := font.find("./{*}b")) is not None and attribute(mark, "val") not in {"0", "false"}
        for font in root.iterfind("./{*}fonts/{*}font")
    ]
    for style in root.iterfind("./{*}cellXfs/{*}xf"):
        identity, font = attribute(style, "numFmtId"), attribute(style, "fontId")
        number = int(identity) if identity.isdigit() and len(identity) < 6 else 0
        code = codes.get(identity, BUILT_IN.get(number, ""))
        local_date = identity not in codes and number in LOCAL_DATES
        heading = font.isdigit() and len(font) < 6 and int(font) < len(bold) and bold[int(font)]
        yield CellStyle("" if code == GENERAL else code, local_date or is_date_code(code), heading)
