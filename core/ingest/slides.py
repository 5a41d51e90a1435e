"""Reads PPTX slide by slide: kreuzberg 4.10 hangs notes on the wrong slide and loses page borders."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from core.ingest.drawings import description, diagram_lines, may_hold_text_emu, read_chart
from core.ingest.equations import equation_text, raised
from core.ingest.flow import Flow, comment_lead
from core.ingest.numbering import format_number
from core.ingest.package import MAIN, Element, Package, attribute, local, opened, parse_int
from core.ingest.reading import Reading
from core.ingest.tables import spread
from core.types import NoticeKind, Page

A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
TITLES = {"ctrTitle": 1, "title": 2}  # of the whole, of a slide: their levels
MARGINS = frozenset({"dt", "ftr", "hdr"})  # placeholders that come again on every slide
SILENT = frozenset({"sldNum", "sldImg"})  # placeholders that hold no content
NOTES = "Notes: "
DEEPEST = 9  # levels of a list
# How the numbers of a paragraph are written, by what the name of its kind begins with. ECMA-376, 20.1.10.61.
STYLES = {
    "alphaLc": "lowerLetter", "alphaUc": "upperLetter", "romanLc": "lowerRoman", "romanUc": "upperRoman",
    "arabicDb": "decimalFullWidth", "arabic": "decimal", "circleNum": "decimalEnclosedCircle",
    "ea1Chs": "chineseCounting", "ea1Cht": "taiwaneseCounting", "ea1Jpn": "japaneseCounting", "thaiNum": "decimal",
    "hindi": "decimal",
}  # fmt: skip


class Number(NamedTuple):
    """How a paragraph is numbered."""

    scheme: str  # ECMA-376, 20.1.10.61
    start: int


class SlideLine(NamedTuple):
    """A paragraph of a shape."""

    text: str
    level: int
    number: Number | None


def add_lines(flow: Flow, lines: Iterable[SlideLine]) -> None:
    """Paragraphs of a shape as one part, but for numbered ones."""
    plain: list[str] = []
    counted: dict[int, tuple[Number, int]] = {}  # level -> its last number
    for text, level, number in lines:
        counted = {higher: state for higher, state in counted.items() if higher <= level}
        if number is None:
            counted.pop(level, None)
            plain.append(text)
            continue
        known, last = counted.get(level, (None, 0))
        counted[level] = number, last + 1 if known == number else number.start
        flow.paragraph("\n".join(plain))
        plain = []
        flow.point(text, _label(counted[level][1], number.scheme))
    flow.paragraph("\n".join(plain))


def read_slides(data: bytes) -> Reading:
    """Each slide is a page: title, text, tables, charts, then comments and the speaker's notes; footers last.

    Raises DocumentError when it is damaged.
    """
    pages: list[Page] = []
    with opened(data, "presentation") as package:
        main = next(iter(package.relations("", MAIN).values()), "ppt/presentation.xml")
        targets = package.relations(main)
        listed = (item for item in package.xml(main).iter() if local(item) == "sldId")
        parts = [targets[relation] for item in listed if (relation := item.get(f"{R}id", "")) in targets]
        walk = _Walk(package, main)
        for number, part in enumerate(dict.fromkeys(parts), 1):
            before = walk.flow.parts
            walk.slide(part, number)
            pages.append(walk.flow.page(number, before))
        walk.flow.note("Footer", "", "\n".join(walk.margins))
        stated = package.stated()
    return replace(walk.flow.reading(stated), pages=tuple(pages))


@dataclass(frozen=True, slots=True)
class _Layout:
    """What a slide has from its layout: the numbers of its placeholders' paragraphs by level."""

    numbers: dict[tuple[str, str], dict[int, Element]] = field(default_factory=dict)  # by type and index
    of_bodies: dict[int, Element] = field(default_factory=dict)  # from the master, by level


class _Walk:
    def __init__(self, package: Package, main: str) -> None:
        self.flow = Flow()
        self.margins: dict[str, None] = {}  # lines at the edges of slides, each once
        self._package = package
        self._authors = {
            attribute(author, "id"): attribute(author, "name")
            for kind in ("/commentAuthors", "/authors")
            for root in package.related(main, kind)
            for author in root
        }
        self._layouts: dict[str, _Layout] = {}
        self._comments = 0

    def slide(self, part: str, number: int) -> None:
        root = self._package.xml(part)
        targets = self._package.relations(part)
        layout = next(iter(self._package.relations(part, "/slideLayout").values()), "")
        self._shapes(root, targets, self._layout(layout))
        for comments in self._package.related(part, "/comments"):
            self._commented(comments)
        for notes in self._package.related(part, "/notesSlide"):
            spoken = [
                line
                for shape in notes.iter()
                if local(shape) == "sp" and _placeholder(shape)[0] in {"body", ""}
                for line in _lines(shape)
            ]
            self.flow.note(f"Slide {number} notes", NOTES, "\n".join(spoken))

    def _layout(self, part: str) -> _Layout:
        """What slides of a layout have from it. The texts of it and of its master are shown on each of them."""
        if part in self._layouts or not self._package.has(part):
            return self._layouts.setdefault(part, _Layout())
        root = self._package.xml(part)
        numbers = {
            _placeholder(shape): _numbered_levels(shape.find("./{*}txBody/{*}lstStyle"))
            for shape in root.iter()
            if local(shape) == "sp"
        }
        bodies: dict[int, Element] = {}
        roots = [root]
        if attribute(root, "showMasterSp") not in {"0", "false"}:
            roots += self._package.related(part, "/slideMaster")
        for master in self._package.related(part, "/slideMaster"):
            bodies = _numbered_levels(master.find("./{*}txStyles/{*}bodyStyle"))
        for one in roots:
            drawn = (shape for shape in one.iter() if local(shape) == "sp" and shape.find(".//{*}ph") is None)
            self.margins.update((line, None) for shape in drawn for line in _lines(shape))
        return self._layouts.setdefault(part, _Layout(numbers, bodies))

    def _shapes(self, element: Element, targets: dict[str, str], layout: _Layout) -> None:
        for child in _visible_children(element):
            name = local(child)
            properties = child.find("./*/{*}cNvPr")
            if properties is not None and attribute(properties, "hidden") in {"1", "true"}:
                self.flow.notice(NoticeKind.HIDDEN)
            elif name == "sp":
                self._text(child, layout)
            elif name == "pic":
                self.flow.caption(description(properties))
                if may_hold_text_emu(child.find("./{*}spPr/{*}xfrm/{*}ext")):
                    self.flow.notice(NoticeKind.PICTURE)
            elif name == "graphicFrame":
                self._frame(child, targets)
                self.flow.caption(description(properties))
            else:
                self._shapes(child, targets, layout)

    def _text(self, shape: Element, layout: _Layout) -> None:
        kind, index = _placeholder(shape)
        if kind in SILENT:
            return
        if kind in MARGINS:
            self.margins.update(dict.fromkeys(_lines(shape)))
        elif kind in TITLES:
            self.flow.title("\n".join(_lines(shape)), TITLES[kind])
        else:
            levels = dict(layout.of_bodies) if kind == "body" else {}
            levels.update(layout.numbers.get((kind, index), {}))
            levels.update(_numbered_levels(shape.find("./{*}txBody/{*}lstStyle")))
            self._paragraphs(shape, levels)

    def _paragraphs(self, shape: Element, levels: dict[int, Element]) -> None:
        lines = []
        for paragraph in shape.iter(f"{A}p"):
            if line := _line(paragraph):
                properties = paragraph.find(f"./{A}pPr")
                level = parse_int("" if properties is None else attribute(properties, "lvl"), 0)
                lines.append(SlideLine(line, level, _numbering(properties, levels.get(level))))
        add_lines(self.flow, lines)

    def _frame(self, frame: Element, targets: dict[str, str]) -> None:
        """A table, a chart, a diagram; of what another program shows, a notice."""
        for content in frame.iterfind("./{*}graphic/{*}graphicData/*"):
            name = local(content)
            if name == "tbl":
                self.flow.table(_rows(content))
            elif name in {"chart", "relIds"}:
                part = targets.get(attribute(content, "id" if name == "chart" else "dm"), "")
                if not self._package.has(part):
                    self.flow.notice(NoticeKind.CHART)
                elif name == "chart":
                    self.flow.chart(read_chart(self._package.xml(part)))
                else:
                    for _, line in diagram_lines(self._package.xml(part)):
                        self.flow.point(line)
            else:
                embedded = next((one for one in content.iter() if local(one) == "oleObj"), None)
                detail = (
                    name if embedded is None else attribute(embedded, "progId") or attribute(embedded, "name")
                )
                self.flow.notice(NoticeKind.OTHER, detail=detail)

    def _commented(self, root: Element) -> None:
        """Comments and the answers to them, of PowerPoint before and since 2021."""
        for comment in root.iter():
            if local(comment) not in {"cm", "reply"}:
                continue
            text = comment.findtext("./{*}text") or "\n".join(
                _lines(body) if (body := comment.find("./{*}txBody")) is not None else ()
            )
            author = self._authors.get(attribute(comment, "authorId"), "")
            self._comments += 1
            time = attribute(comment, "dt") or attribute(comment, "created")
            self.flow.note(f"Comment {self._comments}", comment_lead(author, time), text)


def _visible_children(element: Element) -> Iterator[Element]:
    """The children; of alternates the first: the others say the same for older programs."""
    for child in element:
        if local(child) == "AlternateContent":
            yield from _visible_children(child[0] if len(child) else child)
        else:
            yield child


def _placeholder(shape: Element) -> tuple[str, str]:
    """(type, index) of the placeholder that a shape fills; two empty texts for none."""
    found = shape.find("./{*}nvSpPr/{*}nvPr/{*}ph")
    return ("", "") if found is None else (found.get("type", "body"), found.get("idx", "0"))


def _numbered_levels(styles: Element | None) -> dict[int, Element]:
    """The properties of the levels of a list that say something of bullets or numbers, by level from 0."""
    levels = {} if styles is None else {at: styles.find(f"./{A}lvl{at + 1}pPr") for at in range(DEEPEST)}
    return {at: found for at, found in levels.items() if found is not None and _bullet(found) is not None}


def _bullet(properties: Element) -> Element | None:
    return next(
        (one for one in properties if local(one) in {"buAutoNum", "buNone", "buChar", "buBlip"}), None
    )


def _numbering(own: Element | None, inherited: Element | None) -> Number | None:
    """How a paragraph is numbered: by itself or by its level; None where it is not."""
    for properties in (own, inherited):
        if properties is not None and (bullet := _bullet(properties)) is not None:
            if local(bullet) != "buAutoNum":
                return None
            return Number(attribute(bullet, "type"), parse_int(attribute(bullet, "startAt"), 0) or 1)
    return None


def _label(number: int, kind: str) -> str:
    style = next((style for start, style in STYLES.items() if kind.startswith(start)), "decimal")
    text = format_number(number, style)
    if kind.endswith("ParenBoth"):
        return f"({text})"
    return text + (")" if kind.endswith("ParenR") else "." if kind.endswith("Period") else "")


def _lines(shape: Element) -> Iterator[str]:
    return filter(None, map(_line, shape.iter(f"{A}p")))


def _line(paragraph: Element) -> str:
    return _inline(paragraph).strip()


def _inline(element: Element) -> str:
    pieces: list[str] = []
    for child in _visible_children(element):
        name = local(child)
        if name == "t":
            pieces.append(child.text or "")
        elif name == "br":
            pieces.append("\n")
        elif name in {"oMath", "oMathPara"}:
            pieces.append(equation_text(child))
        elif name == "r" and _is_raised(child):
            pieces.append(raised("".join(pieces[-8:]), _inline(child)))
        elif name not in {"pPr", "rPr", "endParaRPr"}:
            pieces.append(_inline(child))
    return "".join(pieces)


def _is_raised(run: Element) -> bool:
    properties = run.find(f"./{A}rPr")
    return properties is not None and parse_int(attribute(properties, "baseline").removesuffix("%"), 0) > 0


def _rows(table: Element) -> list[list[str]]:
    """Cells, merged ones in each of their rows."""
    return spread(
        [
            (
                " ".join(_lines(cell)),
                parse_int(attribute(cell, "gridSpan"), 0) or 1,
                parse_int(attribute(cell, "rowSpan"), 0) or 1,
            )
            for cell in row.findall(f"{A}tc")
            if not {attribute(cell, "hMerge"), attribute(cell, "vMerge")} & {"1", "true"}
        ]
        for row in table.findall(f"{A}tr")
    )
