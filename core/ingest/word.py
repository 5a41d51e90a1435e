"""Reads Word files (DOCX) by walking their XML, for every library leaves something out.

python-docx passes over insertions, text boxes, content controls and notes; docx2python tells text boxes
and moved text twice; mammoth passes over headers and simple fields; kreuzberg 4.10 drops "&", "<", tabs.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from core.ingest.flow import Walk
from core.ingest.package import MAIN, Element, Package, attribute, local, opened
from core.ingest.raised_marks import raised
from core.ingest.reading import Reading
from core.ingest.symbols import symbol
from core.ingest.tables import table_text

SIGNS = {"tab": "\t", "ptab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "\u2011", "softHyphen": "\xad"}
# Deleted and moved away; instructions of fields; properties, whose children bear the names of text.
SILENT = frozenset(
    "del moveFrom instrText pPr rPr tblPr tblGrid trPr tcPr sectPr sdtPr sdtEndPr rubyPr".split()
)
NOTES = {"footnoteReference": "footnote", "endnoteReference": "endnote", "commentReference": "comment"}
HEADING = re.compile(r"heading ?(\d)|title$", re.IGNORECASE)
MOST_COLUMNS = 63  # that Word allows
BODY_LEVEL, NO_LIST = "9", "0"  # what properties say to undo those of a style


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
        self._headings, self._lists = _styles(package.related(main, "/styles"))
        self._hung = {
            (kind, attribute(note, "id")): note
            for kind in NOTES.values()
            for root in package.related(main, f"/{kind}s")
            for note in root
        }

    def author(self, comment: Element) -> str:
        return attribute(comment, "author")

    def blocks(self, element: Element) -> None:
        for child in _children(element):
            name = local(child)
            if name == "p":
                self._paragraph(child)
            elif name == "tbl":
                self.flow.table(list(self._rows(child)))
                self.hanging()
            else:
                self.blocks(child)

    def lines(self, element: Element) -> Iterator[str]:
        for child in _children(element):
            name = local(child)
            if name == "p":
                yield self._inline(child)
            elif name == "tbl":
                yield table_text(list(self._rows(child)))
            else:
                yield from self.lines(child)

    def _paragraph(self, element: Element) -> None:
        text = self._inline(element)
        style = _property(element, "pStyle", "")
        outline = _property(element, "outlineLvl", BODY_LEVEL)
        if outline != BODY_LEVEL:
            self.flow.title(text, int(outline) + 1)
        elif style in self._headings:
            self.flow.title(text, self._headings[style])
        elif _property(element, "numPr/{*}numId", "1" if style in self._lists else NO_LIST) != NO_LIST:
            self.flow.point(text)
        else:
            self.flow.paragraph(text)
        self.hanging()

    def _inline(self, element: Element) -> str:
        pieces: list[str] = []
        for child in _children(element):
            name = local(child)
            if name == "t":  # of text, of drawings, of formulas
                pieces.append(child.text or "")
            elif name in SIGNS:
                pieces.append(SIGNS[name])
            elif name == "sym":
                code = attribute(child, "char")
                pieces.append(symbol(attribute(child, "font"), int(code, 16) if code else 0))
            elif name in NOTES:
                note = self._hung.pop((NOTES[name], attribute(child, "id")), None)
                pieces.append("" if note is None else self.mark(NOTES[name], note))
            elif name == "txbxContent":
                self.box(child)
            elif name == "r" and _property(child, "vertAlign", "", "rPr") == "superscript":
                pieces.append(raised("".join(pieces[-8:]), self._inline(child)))
            else:
                pieces.append(self._inline(child))
        return "".join(pieces)

    def _rows(self, table: Element) -> Iterator[list[str]]:
        above: dict[int, str] = {}  # by column, what a merged cell of the last row says
        for row in _nearest(table, "tr"):
            if row.find("./{*}trPr/{*}del") is not None:
                continue
            cells: list[str] = []
            merged: dict[int, str] = {}
            for cell in _nearest(row, "tc"):
                span = _property(cell, "gridSpan", "1", "tcPr")
                goes_on = cell.find("./{*}tcPr/{*}vMerge")
                text = "\n".join(self.lines(cell))
                if goes_on is not None:
                    text = text or above.get(len(cells), "")
                    merged[len(cells)] = text
                cells.append(text)
                cells += [""] * (min(int(span), MOST_COLUMNS) - 1)
            above = merged
            yield cells


def _children(element: Element) -> Iterator[Element]:
    """What is told of an element. Of alternates the first: the others say the same for older programs."""
    for child in element:
        name = local(child)
        if name == "AlternateContent":
            yield from _children(child[0] if len(child) else child)
        elif name not in SILENT:
            yield child


def _nearest(element: Element, name: str) -> Iterator[Element]:
    """Rows of a table or cells of a row, also within content controls, but not those of inner tables."""
    for child in _children(element):
        if local(child) == name:
            yield child
        elif local(child) not in {"p", "tbl"}:
            yield from _nearest(child, name)


def _property(element: Element, name: str, default: str, of: str = "pPr") -> str:
    found = element.find(f"./{{*}}{of}/{{*}}{name}")
    return default if found is None else attribute(found, "val") or default


def _styles(roots: Iterable[Element]) -> tuple[dict[str, int], frozenset[str]]:
    """Names of the styles of headings, with their level, and of points of lists."""
    styles = {attribute(style, "styleId"): style for root in roots for style in root}
    headings = {"Title": 1, **{f"Heading{level}": level for level in range(1, 10)}}
    lists = set()
    for identity in styles:
        at, chain = identity, []
        while at in styles and at not in chain:
            chain.append(at)
            name = styles[at].find("./{*}name")
            if name is not None and (match := HEADING.match(attribute(name, "val"))):
                headings.setdefault(identity, int(match[1] or 1))
            if _property(styles[at], "numPr/{*}numId", NO_LIST) != NO_LIST:
                lists.add(identity)
            based = styles[at].find("./{*}basedOn")
            at = "" if based is None else attribute(based, "val")
    return headings, frozenset(lists)
