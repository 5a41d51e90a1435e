"""Reads Word files (DOCX) by walking their XML, for every library leaves something out.

python-docx passes over insertions, text boxes, content controls and notes; docx2python tells text boxes
and moved text twice; mammoth passes over headers and simple fields; kreuzberg 4.10 drops "&", "<", tabs.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from core.ingest.drawings import described, diagram_lines, may_hold_text, may_hold_text_emu, read_chart
from core.ingest.encodings import symbol_letter
from core.ingest.equations import equation_text, raised
from core.ingest.flow import Walk, labelled
from core.ingest.numbering import Level, ListCounter
from core.ingest.package import MAIN, Element, Package, attribute, child_value, local, opened, parse_int
from core.ingest.reading import Reading
from core.ingest.tables import MarkedCell, covering, repeated, table_text
from core.types import NoticeKind

LEVELS = 9
NO_LIST = "0"  # what properties say to undo the list of a style
OFF = frozenset({"0", "false", "off"})


class WordNumbering:
    """Labels paragraphs in the order of the text. Lists of one abstract definition count on from each other."""

    def __init__(self, roots: Iterable[Element], styles: Mapping[str, Element]) -> None:
        parts = [child for root in roots for child in root]
        self._styles = styles
        self._abstract = {
            attribute(one, "abstractNumId"): one for one in parts if local(one) == "abstractNum"
        }
        self._lists = {attribute(one, "numId"): one for one in parts if local(one) == "num"}
        self._levels: dict[str, dict[int, Level]] = {}  # by list
        self._of_styles: dict[str, dict[str, int]] = {}  # by list: style -> the level that is linked to it
        self._counters: dict[str, ListCounter] = {}  # by abstract definition
        self._begun: set[tuple[str, int]] = set()  # lists and levels whose own start was used

    def label(self, numbered: tuple[str, str], style: str) -> str:
        """The next number of a paragraph in a list: (id, level, "" for that of its style), "" for a bullet."""
        identity, stated = numbered
        definition = self._definition(identity)
        if not definition:
            return ""
        levels = self._levels_of(identity)
        level = int(stated) if stated.isdigit() else self._of_styles[identity].get(style, 0)
        level = min(level, LEVELS - 1)
        counter = self._counters.setdefault(definition, ListCounter())
        return counter.label(levels, level, self._own_start(identity, level))

    def _definition(self, identity: str) -> str:
        """The abstract definition of a list; "" where there is none."""
        found = self._lists.get(identity)
        return "" if found is None else child_value(found, "abstractNumId")

    def _levels_of(self, identity: str) -> dict[int, Level]:
        if identity not in self._levels:
            levels, linked = self._read(identity, frozenset())
            self._levels[identity], self._of_styles[identity] = levels, linked
        return self._levels[identity]

    def _read(self, identity: str, through: frozenset[str]) -> tuple[dict[int, Level], dict[str, int]]:
        abstract = self._abstract.get(self._definition(identity))
        if abstract is None or identity in through:
            return {}, {}
        levels: dict[int, Level] = {}
        linked: dict[str, int] = {}
        if style := child_value(abstract, "numStyleLink"):  # the levels stand in the list of that style
            named = self._styles.get(style)
            other = None if named is None else named.find("./{*}pPr/{*}numPr/{*}numId")
            if other is not None:
                levels, linked = self._read(attribute(other, "val"), through | {identity})
        overrides = self._lists[identity].findall("./{*}lvlOverride")
        own = [
            *abstract.findall("./{*}lvl"),
            *(one for change in overrides for one in change.findall("./{*}lvl")),
        ]
        for element in own:
            at = parse_int(attribute(element, "ilvl"), 0)
            levels[at] = _level(element)
            if style := child_value(element, "pStyle"):
                linked[style] = at
        for change in overrides:
            at = parse_int(attribute(change, "ilvl"), 0)
            if (start := child_value(change, "startOverride")) and at in levels:
                levels[at] = replace(levels[at], start=parse_int(start, 1))
        return levels, linked

    def _own_start(self, identity: str, level: int) -> int | None:
        """The number that a list begins with at its first item of a level, where it says so itself."""
        if (identity, level) in self._begun:
            return None
        self._begun.add((identity, level))
        for change in self._lists[identity].iterfind("./{*}lvlOverride"):
            if attribute(change, "ilvl") == str(level) and (start := child_value(change, "startOverride")):
                return parse_int(start, 1)
        return None


def _level(element: Element) -> Level:
    style = child_value(element, "numFmt") or "decimal"
    plain = element.find("./{*}isLgl")
    return Level(
        style,
        child_value(element, "lvlText"),
        parse_int(child_value(element, "start"), 1),
        parse_int(child_value(element, "lvlRestart"), -1),
        plain is not None and attribute(plain, "val") not in OFF,
    )


# ------------------------------------------------------------ documents


SIGNS = {"tab": "\t", "ptab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "\u2011", "softHyphen": "\xad"}
# Deleted and moved away; instructions of fields; properties, whose children bear the names of text.
SILENT = frozenset(
    "del moveFrom instrText pPr rPr tblPr tblGrid trPr tcPr sectPr sdtPr sdtEndPr rubyPr".split()
)
NOTES = {"footnoteReference": "footnote", "endnoteReference": "endnote", "commentReference": "comment"}
HEADING = re.compile(r"heading ?(\d)|title$", re.IGNORECASE)
MOST_COLUMNS = 63  # that Word allows
MOST_FIELDS = 100  # within each other; Word allows 20
BUILT_IN = {"Title": 1, **{f"Heading{level}": level for level in range(1, 10)}}  # styles that are headings
BODY_LEVEL = "9"  # what properties say to undo the outline level of a style
CHECKED, UNCHECKED = "☒", "☐"
POINTS = {"pt": 1.0, "in": 72.0, "px": 0.75, "cm": 28.35, "mm": 2.835, "": 0.75}
SIZE = re.compile(r"(?<![\w-])(width|height):\s*([\d.]{1,9})(pt|in|px|cm|mm|)")


def read_word(data: bytes) -> Reading:
    """Paragraphs, lists and tables in order; headers and footers last. Raises DocumentError when it is damaged."""
    with opened(data, "document") as package:
        main = next(iter(package.relations("", MAIN).values()), "word/document.xml")
        walk = _Walk(package, main)
        walk.blocks(package.xml(main))
        for kind in ("header", "footer"):
            walk.margin(kind.capitalize(), package.related(main, f"/{kind}"))
        return walk.flow.reading(package.stated())


class _Walk(Walk):
    def __init__(self, package: Package, main: str) -> None:
        super().__init__()
        self._package = package
        self._parts = package.relations(main)
        styles = {
            attribute(style, "styleId"): style for root in package.related(main, "/styles") for style in root
        }
        self._styles = {identity: _style(identity, styles) for identity in styles}
        self._numbering = WordNumbering(package.related(main, "/numbering"), styles)
        self._fields: list[bool] = []  # open fields: whether their instruction is being read
        self._hides = False  # whether the style of the paragraph hides it
        self._hung = {
            (kind, attribute(note, "id")): note
            for kind in NOTES.values()
            for root in package.related(main, f"/{kind}s")
            for note in root
        }

    def _style_of(self, name: str) -> _Style:
        return self._styles.get(name) or _Style(BUILT_IN.get(name, 0))

    def signature(self, comment: Element) -> tuple[str, str]:
        return attribute(comment, "author"), attribute(comment, "date")

    def blocks(self, element: Element) -> None:
        for child in self._children(element):
            name = local(child)
            if name == "p":
                self._paragraph(child)
            elif name == "tbl":
                self.flow.table(list(self._rows(child)))
                self.hanging()
            elif name == "chart":
                if root := self._part(child, "id"):
                    self.flow.chart(read_chart(root))
            elif name == "relIds":
                for _, line in diagram_lines(root) if (root := self._part(child, "dm")) else ():
                    self.flow.point(line)
            else:
                self.blocks(child)

    def lines(self, element: Element) -> Iterator[str]:
        for child in self._children(element):
            name = local(child)
            if name == "p":
                text = self._inline(child)
                numbered = self._numbered(child, _property(child, "pStyle", ""), text)
                yield text if numbered is None else labelled(numbered, text)
            elif name == "tbl":
                yield table_text(list(self._rows(child)))
            else:
                yield from self.lines(child)

    def _paragraph(self, element: Element) -> None:
        name = _property(element, "pStyle", "")
        style = self._style_of(name)
        self._hides = style.hidden
        text = self._inline(element)
        self._hides = False
        self._fields.clear()  # no instruction goes on in the next paragraph
        label = self._numbered(element, name, text)
        outline = _property(element, "outlineLvl", BODY_LEVEL)
        if outline != BODY_LEVEL:
            self.flow.title(text, parse_int(outline, 0) + 1, label or "")
        elif style.heading:
            self.flow.title(text, style.heading, label or "")
        elif label is not None:
            self.flow.point(text, label)
        else:
            self.flow.paragraph(text)
        self.hanging()

    def _numbered(self, element: Element, style: str, text: str) -> str | None:
        """The number of a paragraph in a list, "" for a bullet, None for one in no list."""
        own = element.find("./{*}pPr/{*}numPr")
        of_style = self._style_of(style).numbered
        identity, level = of_style
        if own is not None:
            stated = child_value(own, "numId")
            if stated:
                identity = stated
                level = "0" if identity != of_style[0] else level
            level = child_value(own, "ilvl") or level
        if identity in {"", NO_LIST} or (
            not text.strip() and element.find("./{*}pPr/{*}rPr/{*}del") is not None
        ):
            return None
        return self._numbering.label((identity, level), style)

    def _inline(self, element: Element) -> str:
        pieces: list[str] = []
        name = ""
        for child in self._children(element):
            equation, name = name == "oMath", local(child)
            if name == "r":
                text = self._run(child)
                pieces.append(raised("".join(pieces[-8:]), text) if self._is_raised(child) else text)
            elif name == "t":  # of text, of drawings
                pieces.append("" if True in self._fields else child.text or "")
            elif name in SIGNS:
                pieces.append(SIGNS[name])
            elif name == "fldChar":
                pieces.append(self._field(child))
            elif name == "sym":
                code = attribute(child, "char")
                pieces.append(symbol_letter(attribute(child, "font"), int(code, 16) if code else 0))
            elif name in NOTES:
                note = self._hung.pop((NOTES[name], attribute(child, "id")), None)
                pieces.append("" if note is None else self.mark(NOTES[name], note))
            elif name == "txbxContent":
                self.box(child)
            elif name == "oMath":
                pieces += [" " if pieces and equation else "", equation_text(child)]
            elif name == "oMathPara":
                pieces.append("\n".join(map(equation_text, child.iterfind("./{*}oMath"))))
            elif name in {"inline", "anchor"}:
                pieces.append(self._drawing(child))
            elif name in {"pict", "object"}:
                pieces.append(self._old_drawing(child, name))
            else:
                pieces.append(self._inline(child))
        return "".join(pieces)

    def _is_raised(self, run: Element) -> bool:
        """By its own marks, else by those of its style."""
        if (properties := run.find("./{*}rPr")) is None:
            return False
        if own := child_value(properties, "vertAlign"):
            return own == "superscript"
        if parse_int(child_value(properties, "position"), 0) > 0:
            return True
        return self._style_of(child_value(properties, "rStyle")).raised

    def _run(self, element: Element) -> str:
        """A run of letters, unless it is hidden."""
        properties = element.find("./{*}rPr")
        hidden = self._hides
        if properties is not None:
            hidden = hidden or self._style_of(child_value(properties, "rStyle")).hidden
            own = properties.find("./{*}vanish")
            hidden = hidden if own is None else attribute(own, "val") not in OFF
        text = self._inline(element)
        if hidden and text.strip():
            self.flow.notice(NoticeKind.HIDDEN)
            return ""
        return text

    def _field(self, element: Element) -> str:
        """Where a field begins, or its result does; what a form's field shows is no text, but a property."""
        kind = attribute(element, "fldCharType")
        if kind == "begin":
            self._fields += [True] * (len(self._fields) < MOST_FIELDS)
            return _form_value(element)
        if self._fields:
            if kind == "separate":
                self._fields[-1] = False
            else:
                self._fields.pop()
        return ""

    def _drawing(self, element: Element) -> str:
        """Text in a drawing; its charts, diagrams and the words for its pictures follow the block."""
        content = element.find("./{*}graphic/{*}graphicData")
        properties = element.find("./{*}docPr")
        if properties is not None and attribute(properties, "hidden") in {"1", "true"}:
            self.flow.notice(NoticeKind.HIDDEN)
            return ""
        if content is not None and any(local(child) in {"chart", "relIds"} for child in content):
            self.box(content)
        words = [described(attribute(properties, "descr"))] if properties is not None else []
        pictures = element.findall(".//{*}pic")
        for picture in pictures:
            named = picture.find("./{*}nvPicPr/{*}cNvPr")
            words.append("" if named is None else described(attribute(named, "descr")))
            sizes = (element.find("./{*}extent"), picture.find("./{*}spPr/{*}xfrm/{*}ext"))
            if may_hold_text_emu(sizes[0] if len(pictures) == 1 else sizes[1]):
                self.flow.notice(NoticeKind.PICTURE)
        for text in dict.fromkeys(filter(None, words)):
            self.caption(text)
        return self._inline(element)

    def _old_drawing(self, element: Element, name: str) -> str:
        """A drawing in VML; what an embedded object shows is not read."""
        if (embedded := element.find("./{*}OLEObject")) is not None:
            self.flow.notice(NoticeKind.OTHER, detail=attribute(embedded, "ProgID"))
        for shape in element.iter():
            if words := described(attribute(shape, "alt")):
                self.caption(words)
            if local(shape) == "textpath" and (words := attribute(shape, "string")):
                self.caption(words)  # letters that are drawn
            if name == "pict" and shape.find("./{*}imagedata") is not None:
                size = {
                    side: float(number) * POINTS[unit]
                    for side, number, unit in SIZE.findall(attribute(shape, "style"))
                }
                if may_hold_text(size.get("width", 0), size.get("height", 0)):
                    self.flow.notice(NoticeKind.PICTURE)
        return self._inline(element)

    def _part(self, element: Element, name: str) -> Element | None:
        """The part that an element names by its relation."""
        part = self._parts.get(attribute(element, name), "")
        return self._package.xml(part) if self._package.has(part) else None

    def _children(self, element: Element) -> Iterator[Element]:
        """What is shown of an element. Of alternates the first: the others say the same for older programs."""
        for child in element:
            name = local(child)
            if name == "AlternateContent":
                yield from self._children(child[0] if len(child) else child)
            elif name not in SILENT:
                yield child
            elif name == "del" and child.find(".//{*}delText") is not None:
                self.flow.notice(NoticeKind.HIDDEN, detail="deletion")

    def _nearest(self, element: Element, name: str) -> Iterator[Element]:
        """Rows of a table or cells of a row, also within content controls, but not those of inner tables."""
        for child in self._children(element):
            if local(child) == name:
                yield child
            elif local(child) not in {"p", "tbl"}:
                yield from self._nearest(child, name)

    def _rows(self, table: Element) -> Iterator[list[str]]:
        above: dict[int, str] = {}  # by column, what a merged cell of the last row says
        for row in self._nearest(table, "tr"):
            if row.find("./{*}trPr/{*}del") is not None:
                self.flow.notice(NoticeKind.HIDDEN, detail="deletion")
                continue
            names = row.find("./{*}trPr/{*}tblHeader") is not None
            cells: list[str] = []
            merged: dict[int, str] = {}
            for cell in self._nearest(row, "tc"):
                span = _property(cell, "gridSpan", "1", "tcPr")
                goes_on = cell.find("./{*}tcPr/{*}vMerge")
                text = covering(MarkedCell.of("\n".join(self.lines(cell)), heading=names), parse_int(span, 0))
                if goes_on is not None:
                    text = text or (repeated(again) if (again := above.get(len(cells), "")) else "")
                    merged[len(cells)] = text
                cells.append(text)
                cells += [""] * (min(int(span), MOST_COLUMNS) - 1)
            above = merged
            yield cells


def _property(element: Element, name: str, default: str, of: str = "pPr") -> str:
    found = element.find(f"./{{*}}{of}/{{*}}{name}")
    return default if found is None else attribute(found, "val") or default


def _form_value(element: Element) -> str:
    """What a box to tick or a list to choose from shows; the text of other fields stands in the document."""
    box, choice = element.find("./{*}ffData/{*}checkBox"), element.find("./{*}ffData/{*}ddList")
    if box is not None:
        state = next(
            (one for name in ("checked", "default") if (one := box.find(f"./{{*}}{name}")) is not None), None
        )
        return UNCHECKED if state is None or attribute(state, "val") in OFF else CHECKED
    if choice is not None:
        entries = choice.findall("./{*}listEntry")
        at = parse_int(child_value(choice, "result") or child_value(choice, "default"), 0)
        return attribute(entries[at], "val") if at < len(entries) else ""
    return ""


@dataclass(frozen=True, slots=True)
class _Style:
    """What a style says of a paragraph or run, what it is based on included."""

    heading: int = 0  # its level, from 1
    numbered: tuple[str, str] = ("", "")  # list and level; "" for what it does not say
    hidden: bool = False
    raised: bool = False


def _style(identity: str, styles: Mapping[str, Element]) -> _Style:
    heading = BUILT_IN.get(identity, 0)
    numbering = level = ""
    hidden: bool | None = None
    position = ""
    at, chain = identity, set[str]()
    while at in styles and at not in chain:
        chain.add(at)
        style = styles[at]
        if not heading:
            match = HEADING.match(child_value(style, "name"))
            outline = _property(style, "outlineLvl", BODY_LEVEL)
            heading = (
                int(match[1] or 1) if match else 0 if outline == BODY_LEVEL else parse_int(outline, 0) + 1
            )
        numbering = numbering or _property(style, "numPr/{*}numId", "")
        level = level or _property(style, "numPr/{*}ilvl", "")
        if hidden is None and (own := style.find("./{*}rPr/{*}vanish")) is not None:
            hidden = attribute(own, "val") not in OFF
        position = position or _property(style, "vertAlign", "", "rPr")
        at = child_value(style, "basedOn")
    return _Style(heading, (numbering, level), bool(hidden), position == "superscript")
