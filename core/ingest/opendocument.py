"""Reads OpenDocument texts, presentations and sheets (ODT, ODP, ODS) by walking their XML. ODF 1.3, part 3."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace

from core.ingest.cleaning import one_line
from core.ingest.drawings import Chart, described, may_hold_text
from core.ingest.equations import equation_text, raised
from core.ingest.flow import Walk, comment_lead, labelled
from core.ingest.number_formats import note_of
from core.ingest.opendocument_numbering import ListNumbering
from core.ingest.package import Element, Package, Stated, attribute, local, opened, parse_int
from core.ingest.reading import Reading
from core.ingest.running_lines import PAGE_NUMBER
from core.ingest.sheets import Sheet, SheetNote, chart_note, sheets_reading
from core.ingest.tables import Cells, MarkedCell, spread, table_text
from core.ingest.workbooks import number_text, over_column, with_merged
from core.types import BlockKind, NoticeKind

# What was deleted; set up rather than written; readings of Asian letters.
SILENT = frozenset(
    "tracked-changes note-citation number ruby-text forms shapes scripts sequence-decls variable-decls "
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
POINTS = {"cm": 28.35, "mm": 2.835, "in": 72.0, "pt": 1.0, "px": 0.75, "pc": 12.0}
LENGTH = re.compile(r"(\d{1,6}(?:\.\d{1,9})?)(cm|mm|in|pt|px|pc)")
MOST_SPACES = 1_000  # that one element may stand for
MOST_REPEATED = 1_000_000  # cells that repeat others; of further ones the first alone is read


def read_text(data: bytes) -> Reading:
    """A text or a presentation; headers and footers last. Raises DocumentError when it is damaged."""
    with opened(data, "document") as package:
        content = package.xml("content.xml")
        styles = package.xml("styles.xml") if package.has("styles.xml") else None
        walk = _Walk(package, [content] if styles is None else [styles, content])
        body = content.find("./{*}body")
        walk.blocks(content if body is None else body)
        walk.margins(content, styles)
        return walk.flow.reading(_stated(package))


def read_sheets(data: bytes) -> Reading:
    """Every sheet as its name and one line a row; sheets and cells are regions. Raises DocumentError."""
    with opened(data, "workbook") as package:
        content = package.xml("content.xml")
        bold = {
            attribute(style, "name")
            for style in content.iterfind("./{*}automatic-styles/{*}style")
            if _attribute_of(style.find("./{*}text-properties"), "font-weight") == "bold"
        }
        walk = _Walk(package)
        sheets = []
        for table in content.iterfind("./{*}body/{*}spreadsheet/{*}table"):
            name = one_line(attribute(table, "name"))
            cells = _Cells(walk, bold, name)
            rows = cells.read(table)
            sheets.append(
                Sheet(name, with_merged(rows.items(), cells.merged), cells.notes + walk.drawn(table))
            )
        if sheets and package.has("styles.xml"):
            sheets[-1] = sheets[-1]._replace(notes=[*sheets[-1].notes, *_margins(package.xml("styles.xml"))])
        reading = sheets_reading(sheets)
        stated = _stated(package)
    notices = walk.flow.reading(stated).notices
    return replace(reading, title=stated.title, date=stated.date, author=stated.author, notices=notices)


def _margins(styles: Element) -> list[SheetNote]:
    """Heads and feet of the sheets' pages, but lines with a field: the number of the page, the name of the sheet."""
    lines: dict[str, None] = {}
    for master in styles.iterfind(".//{*}master-page"):
        for edge in master:
            if local(edge).startswith(("header", "footer")) and attribute(edge, "display") != "false":
                for line in edge.iterfind(".//{*}p"):
                    if {local(part) for part in line.iter()} <= {"p", "span", "s", "tab", "a"}:
                        lines[one_line(" ".join(line.itertext()))] = None
    return [SheetNote(line) for line in lines if line]


class _Walk(Walk):
    def __init__(self, package: Package | None = None, roots: Sequence[Element] = ()) -> None:
        """`roots`: the parts that hold styles."""
        super().__init__()
        self._package = package
        self._slides = 0
        self._masters: dict[str, None] = {}  # of the slides
        self._lists = ListNumbering(roots)
        self._hidden = set[str]()
        positions: dict[
            str, tuple[str, str]
        ] = {}  # of letters above the line, and the style that is built upon
        for style in (one for root in roots for one in root.iter() if local(one) == "style"):
            properties = style.find("./{*}text-properties")
            if _attribute_of(properties, "display") == "none":
                self._hidden.add(attribute(style, "name"))
            positions[attribute(style, "name")] = (
                _attribute_of(properties, "text-position"),
                attribute(style, "parent-style-name"),
            )
        self._raised = {name for name in positions if _is_raised(name, positions)}
        self._controls = {
            attribute(control, "id"): control
            for root in roots
            for forms in root.iter()
            if local(forms) == "forms"
            for control in forms.iter()
        }

    def signature(self, comment: Element) -> tuple[str, str]:
        return comment.findtext("./{*}creator") or "", comment.findtext("./{*}date") or ""

    def blocks(self, element: Element) -> None:
        if local(element) == "frame":
            self._frame(element)
            return
        for child in self._visible_children(element):
            self._block(child)

    def _block(self, child: Element) -> None:
        name = local(child)
        if name == "h":
            label = self._lists.heading_label(child)
            self.flow.title(self._text(child), parse_int(attribute(child, "outline-level"), 1), label)
            self.hanging()
        elif name == "p":
            self._paragraph(child)
        elif name == "table":
            self.flow.table(self._rows(child))
            self.hanging()
        elif name == "frame":
            self._frame(child)
        elif name == "control":
            self.flow.paragraph(self._control(child))
        elif name == "annotation":
            self.mark("comment", child)
            self.hanging()
        elif name == "notes":
            self.flow.note(f"Slide {self._slides} notes", "Notes: ", "\n".join(self.lines(child)))
        else:
            if name == "page":
                self._slides += 1
                self._masters[attribute(child, "master-page-name")] = None
            self._nested(child, name)

    def _paragraph(self, element: Element) -> None:
        label = self._lists.label(element)
        text = self._text(element)
        if label is None:
            self.flow.paragraph(text)
        else:
            self.flow.point(text, label)
        self.hanging()

    def _nested(self, element: Element, name: str) -> None:
        if name in {"list-item", "list-header"}:
            self._lists.begin_item(element)
        if name == "list":
            self._lists.begin_list(element)
        self.blocks(element)
        if name == "list":
            self._lists.end_list()

    def lines(self, element: Element) -> Iterator[str]:
        for child in self._visible_children(element):
            name = local(child)
            if name == "h":
                yield labelled(self._lists.heading_label(child), self._text(child))
            elif name == "p":
                label = self._lists.label(child)
                yield labelled(label or "", self._text(child))
            elif name == "table":
                yield table_text(self._rows(child))
            elif name == "control":
                yield self._control(child)
            elif name == "list":
                self._lists.begin_list(child)
                yield from self.lines(child)
                self._lists.end_list()
            elif name != "annotation":
                if name in {"list-item", "list-header"}:
                    self._lists.begin_item(child)
                yield from self.lines(child)

    def margins(self, content: Element, styles: Element | None) -> None:
        """Headers and footers of pages; what is drawn on all slides."""
        pages = [] if styles is None else list(styles.iter())
        for kind in ("header", "footer"):
            names = (kind, f"{kind}-left", f"{kind}-first")
            self.margin(kind.capitalize(), (one for one in pages if local(one) in names))
        if not self._slides:
            return
        lines: dict[str, None] = {}
        for one in content.iter():
            if local(one) in {"header-decl", "footer-decl", "date-time-decl"}:
                lines[one_line(one.text or "")] = None
        for master in pages:
            if local(master) == "master-page" and attribute(master, "name") in self._masters:
                drawn = (
                    shape for shape in master if not attribute(shape, "class") and local(shape) != "notes"
                )
                lines.update((line, None) for shape in drawn for line in self.lines(shape))
        self.flow.note(
            "Footer", "", "\n".join(line for line in lines if not PAGE_NUMBER.fullmatch(line.lower()))
        )
        self._waiting.clear()

    def _frame(self, frame: Element) -> None:
        """What a frame shows: the first that is read of what stands in it for the same; words for pictures."""
        if attribute(frame, "class") == "title":
            self.flow.title("\n".join(self.lines(frame)), 2)
            self.hanging()
            return
        parts = {local(child): child for child in reversed(frame)}
        if "object" in parts:
            self._object(parts["object"])
        elif "object-ole" in parts:
            self.flow.notice(NoticeKind.OTHER, detail="OLE")
        elif "image" in parts and not parts.keys() & {"table", "text-box"}:
            if may_hold_text(_points(attribute(frame, "width")), _points(attribute(frame, "height"))):
                self.flow.notice(NoticeKind.PICTURE)
        else:
            for part in self._visible_children(frame):  # beside a table stands its picture
                self._block(part)
            return
        for name in ("title", "desc"):
            if name in parts:
                self.flow.caption(described(parts[name].text or ""))

    def _embedded(self, element: Element) -> Element | None:
        """The content of an object that lies in the file."""
        part = f"{attribute(element, 'href').removeprefix('./')}/content.xml"
        if self._package is not None and self._package.has(part):
            return self._package.xml(part)
        return next((child for child in element if local(child) in {"document", "math"}), None)

    def _object(self, element: Element) -> None:
        root = self._embedded(element)
        if root is None:
            self.flow.notice(NoticeKind.OTHER, detail=attribute(element, "href"))
        elif (chart := root.find(".//{*}chart/{*}chart")) is not None:
            self.flow.chart(self._chart(chart))
        elif (formula := _formula(root)) is not None:
            self.flow.paragraph(equation_text(formula))
        else:
            body = root.find("./{*}body")
            self.blocks(root if body is None else body)

    def drawn(self, table: Element) -> list[SheetNote]:
        """What a sheet draws: what charts show, the words of shapes."""
        notes = []
        for frame in table.iter():
            if local(frame) != "frame" or (drawn := frame.find("./{*}object")) is None:
                continue
            root = self._embedded(drawn)
            chart = None if root is None else root.find(".//{*}chart/{*}chart")
            if chart is not None and (note := chart_note(self._chart(chart))):
                notes.append(note)
            else:
                self.flow.notice(NoticeKind.CHART)
        notes += (
            SheetNote(words, kind=BlockKind.CAPTION)
            for shape in table.iterfind("./{*}shapes/*")
            if local(shape) != "frame" or shape.find("./{*}object") is None
            if (words := " ".join(self.lines(shape)).strip())
        )
        return notes

    def _chart(self, chart: Element) -> Chart:
        """Its title and the table of its values."""
        title = _words(chart.find("./{*}title"))
        axes = {
            attribute(axis, "dimension"): words
            for axis in chart.iterfind("./{*}plot-area/{*}axis")
            if (words := _words(axis.find("./{*}title")))
        }
        if "y" in axes and axes["y"] not in title:
            title = f"{title} ({axes['y']})" if title else axes["y"]
        table = chart.find("./{*}table")
        rows = [] if table is None else self._rows(table)
        rows = [["" if cell == "NaN" else cell for cell in row] for row in rows]
        if rows and rows[0]:
            names = (rows[0][0] or axes.get("x", ""), *rows[0][1:])
            rows[0] = [MarkedCell.of(name, heading=True) for name in names]
        series = (one for one in chart.iterfind("./{*}plot-area/{*}series"))
        kinds = [attribute(one, "class") for one in (chart, *series)]
        return Chart(title, rows, [kind.rpartition(":")[2] for kind in kinds if kind])

    def _control(self, element: Element) -> str:
        """What a field of a form shows, after its label."""
        control = self._controls.get(attribute(element, "control"))
        if control is None:
            return ""
        kind, label = local(control), attribute(control, "label")
        if kind in {"checkbox", "radio"}:
            state = {
                attribute(control, name)
                for name in ("current-state", "current-selected", "state", "selected")
            }
            return labelled("☒" if state & {"checked", "true"} else "☐", label)
        if kind in {"button", "fixed-text", "frame"}:
            return label
        chosen = [
            attribute(option, "label")
            for option in control.iterfind("./{*}option")
            if "true" in {attribute(option, "current-selected"), attribute(option, "selected")}
        ]
        value = attribute(control, "current-value") or attribute(control, "value") or ", ".join(chosen)
        name = label or attribute(control, "title") or attribute(control, "name")
        return f"{name}: {value}" if value and kind not in {"password", "hidden"} else ""

    def _visible_children(self, element: Element) -> Iterator[Element]:
        for child in element:
            if not _silent(child):
                if self._is_hidden(child):
                    self.flow.notice(NoticeKind.HIDDEN, detail=attribute(child, "name"))
                else:
                    yield child
            elif local(child) == "tracked-changes" and (deleted := len(child.findall("./*/{*}deletion"))):
                self.flow.notice(NoticeKind.HIDDEN, deleted, "deletion")

    def _is_hidden(self, element: Element) -> bool:
        if local(element) == "section":
            return attribute(element, "display") == "none"
        return attribute(element, "style-name") in self._hidden or attribute(element, "is-hidden") == "true"

    def _rows(self, table: Element) -> list[list[str]]:
        """Cells, merged ones in each of their rows."""
        return spread(
            [
                (
                    "\n".join(self.lines(cell)),
                    parse_int(attribute(cell, "number-columns-spanned"), 1),
                    _down(cell),
                )
                for cell in _nearest(row, CELLS)
                if local(cell) == "table-cell"
                for _ in range(min(_times(cell, "columns"), MOST_ALIKE))
            ]
            for row in _nearest(table, ("table-row",))
        )

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
            elif name == "frame":
                pieces.append(self._formula_in(child))
            elif name == "control":
                pieces.append(self._control(child))
            elif name in BOXES:
                self.box(child)
            elif self._is_hidden(child):
                self.flow.notice(NoticeKind.HIDDEN)
            elif name == "span" and attribute(child, "style-name") in self._raised:
                pieces.append(raised("".join(pieces[-8:]), self._inline(child)))
            elif not _silent(child):
                pieces.append(self._inline(child))
            pieces.append(child.tail or "")
        return "".join(pieces)

    def _formula_in(self, frame: Element) -> str:
        """A formula in a line; any other frame follows the block."""
        element = next((child for child in frame if local(child) == "object"), None)
        root = None if element is None else self._embedded(element)
        if root is not None and (formula := _formula(root)) is not None:
            return equation_text(formula)
        self.box(frame)
        return ""


def _is_raised(name: str, positions: Mapping[str, tuple[str, str]]) -> bool:
    """Whether letters of a style stand above the line, by itself or by what it is built upon."""
    for _ in range(DEEPEST_STYLE):
        position, name = positions.get(name, ("", ""))
        if position or not name:
            return RAISED.match(position) is not None
    return False


CELLS = ("table-cell", "covered-table-cell")
RAISED = re.compile(r"super\b|[1-9]\d*(?:\.\d+)?%")  # how far above the line letters stand
DEEPEST_STYLE = 16  # styles that are built upon each other
MOST_ALIKE = 63  # cells of a text that stand for each other


def _attribute_of(element: Element | None, name: str) -> str:
    return "" if element is None else attribute(element, name)


def _down(cell: Element) -> int:
    return parse_int(attribute(cell, "number-rows-spanned"), 1)


def _points(length: str) -> float:
    found = LENGTH.fullmatch(length)
    return float(found[1]) * POINTS[found[2]] if found else 0.0


def _formula(root: Element) -> Element | None:
    return root if local(root) == "math" else None


def _words(element: Element | None) -> str:
    return "" if element is None else one_line(" ".join(element.itertext()))


def _silent(element: Element) -> bool:
    name = local(element)
    return name in SILENT or name.endswith("-source") or element.tag.startswith(DESCRIBES)


def _nearest(element: Element, names: tuple[str, ...]) -> Iterator[Element]:
    """Rows of a table or cells of a row, also in groups, but not those of inner tables."""
    for child in element:
        if local(child) in names:
            yield child
        elif local(child) not in {"table", *CELLS}:
            yield from _nearest(child, names)


class _Cells:
    """Reads the filled cells of a sheet. Rows and cells that repeat others stand in the file once."""

    def __init__(self, walk: _Walk, bold: Collection[str], name: str) -> None:
        self.merged: list[tuple[int, int, int, int]] = []  # first row, column, last row, column
        self.notes: list[SheetNote] = []
        self._walk, self._bold, self._name = walk, bold, name

    def read(self, table: Element) -> Cells:
        rows: dict[int, dict[int, str]] = {}
        number = 0
        left = MOST_REPEATED
        for row in _nearest(table, ("table-row",)):
            cells: dict[int, str] = {}
            column = 0
            for cell in _nearest(row, CELLS):
                times = _times(cell, "columns")
                if text := self._cell(cell, number, column):
                    left -= times - 1
                    cells.update(dict.fromkeys(range(column, column + (times if left >= 0 else 1)), text))
                column += times
            times = _times(row, "rows")
            if cells:
                left -= (times - 1) * len(cells)
                rows.update(dict.fromkeys(range(number, number + (times if left >= 0 else 1)), cells))
            number += times
        return rows

    def _cell(self, cell: Element, row: int, column: int) -> str:
        across, down = parse_int(attribute(cell, "number-columns-spanned"), 1), _down(cell)
        if across > 1 or down > 1:
            self.merged.append((row, column, row + down - 1, column + across - 1))
        for note in cell.iterfind("./{*}annotation"):
            if words := " ".join(self._walk.lines(note)).strip():
                self.notes.append(SheetNote(words, comment_lead(*self._walk.signature(note)), (row, column)))
        formula = attribute(cell, "formula")
        text = _value(cell)
        if formula and not text and not attribute(cell, "value-type"):
            self._walk.flow.notice(NoticeKind.FORMULA, detail=self._name)
        heading = attribute(cell, "style-name") in self._bold
        total = bool(formula) and over_column(formula, row, column)
        if not (text and (heading or total)):
            return text
        behind = text.note if isinstance(text, MarkedCell) else ""
        return MarkedCell.of(text, note=behind, heading=heading, total=total)


def _times(element: Element, what: str) -> int:
    return max(1, int(attribute(element, f"number-{what}-repeated") or 1))


def _value(cell: Element) -> str:
    """A cell as it is displayed, days in ISO's form; the figure or what is displayed beside it where that differs."""
    kind = attribute(cell, "value-type")
    text = "\n".join(_Walk().lines(cell))
    if kind in NUMBERS and (value := attribute(cell, "value")):
        number = float(value)
        return MarkedCell.of(text, note=note_of(number, text)) if text else number_text(number)
    if kind in {"date", "boolean"} and (value := attribute(cell, f"{kind}-value")):
        value = value.replace("T", " ")
        if kind == "date" and text and not value.startswith(text):
            return MarkedCell.of(value, note=f"({one_line(text)})")
        return value
    return text or attribute(cell, "string-value")


def _stated(package: Package) -> Stated:
    """Title, date and author of meta.xml."""
    if not package.has("meta.xml"):
        return Stated("", "", "")
    found = {local(item): item.text or "" for item in package.xml("meta.xml").iter()}
    date = found.get("creation-date") or found.get("date", "")
    return Stated(found.get("title", ""), date, found.get("initial-creator") or found.get("creator", ""))
