"""Reads HTML with the standard parser: blocks as typed parts, tables as rows, menus as boilerplate."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from html.parser import HTMLParser

from core.ingest.boilerplate import without_boilerplate
from core.ingest.cleaning import clean, joined_lines, one_line
from core.ingest.flow import Flow, Part, table_part
from core.ingest.package import Stated
from core.ingest.reading import Reading
from core.ingest.tables import MarkedCell, pairs_text, spread
from core.types import BlockKind

SILENT = frozenset({"script", "style", "template", "noscript", "svg", "object", "iframe", "select", "head"})
BLOCKS = frozenset(
    "address article aside blockquote body caption dd details dialog div dl dt fieldset figcaption figure footer "
    "form h1 h2 h3 h4 h5 h6 header hr li main nav ol p pre section summary table title ul".split()
)
VOID = frozenset("area base br col embed hr img input link meta param source track wbr".split())
HEADINGS = {f"h{level}": level for level in range(1, 7)}
CAPTIONS = frozenset({"caption", "figcaption"})
# What a page itself marks as standing around its content. HTML, 4.3; WAI-ARIA 1.2, 5.3.4.
FURNITURE = frozenset({"nav", "footer", "dialog"})
FURNITURE_ROLES = frozenset(
    {"navigation", "contentinfo", "search", "dialog", "alertdialog", "menu", "menubar", "toolbar"}
)
DATES = (
    "date",
    "dc.date",
    "dcterms.created",
    "dcterms.date",
    "article:published_time",
    "pubdate",
    "datepublished",
)
AUTHORS = ("author", "dc.creator", "dcterms.creator", "article:author")
WHITE = re.compile(r"[ \t\n\r\f]+")  # what HTML takes for one space; others are letters
NOTES = re.compile(r"\b(?:footnote|endnote|rearnote)s?\b")  # not doc-noteref. DPUB-ARIA 1.1; EPUB structure
CHARSET = re.compile(rb"""charset\s*=\s*["']?\s*([\w-]{2,40})""", re.IGNORECASE)
LONG_CELL = 200  # characters; tables with longer cells only lay the page out


def declared_charset(data: bytes) -> str:
    """The encoding that an HTML page names in its first 2 KB, or an empty string."""
    found = CHARSET.search(data[:2048])
    return found[1].decode("ascii") if found else ""


def read_html(text: str) -> Reading:
    """Text of a page without scripts and styles; tables as rows, list items as lines, typed blocks."""
    page = _page(text)
    flow = Flow()
    for part in without_boilerplate(page.parts):
        flow.add(part)
    return flow.reading(page.stated())


def html_parts(text: str) -> list[Part]:
    """What a page, or a piece of one, says in order; what it marks as furniture is boilerplate."""
    return _page(text).parts


def _page(text: str) -> _Page:
    page = _Page()
    page.feed(text)
    page.close()
    page.end()
    return page


class _Page(HTMLParser):
    """Collects typed parts; of open tables the innermost keeps its own until it ends."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[Part] = []
        self._open: list[tuple[str, str]] = []  # (tag, what it does to the text within) of open elements
        self._tags: Counter[str] = Counter()  # of open elements
        self._within: Counter[str] = Counter()  # what open elements do
        self._pieces: list[str] = []  # of the part that is being read
        self._linked = 0  # characters of it in links
        self._point = False  # whether the next part begins an item
        self._layouts: list[bool] = []  # of open tables: whether they only lay the page out
        self._rows: list[list[list[Part]]] = []  # cells of the innermost
        self._spans: list[list[tuple[int, int]]] = []  # of its cells: columns across, rows down
        self._heads: list[list[bool]] = []  # whether they are headings
        self._named = 0  # rows that begin with a heading cell
        self._title: list[str] = []
        self._metadata: dict[str, str] = {}

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = {name: value or "" for name, value in attrs}
        if tag == "meta":
            self._meta(attributes)
        elif tag == "body":  # also after a head that was never closed
            self._close(0)
        elif tag == "br":
            if self._pieces and self._pieces[-1] == "\n":
                self._flush()
            self._write("\n")
        elif tag == "table":
            self._begin_table()
        elif tag == "tr" and self._layouts:
            self._flush()
            self._begin_row()
        elif tag in {"td", "th"} and self._layouts:
            self._flush()
            if not self._rows:
                self._begin_row()
            self._named += tag == "th" and not self._rows[-1]
            self._rows[-1].append([])
            self._spans[-1].append((_span(attributes, "colspan"), _span(attributes, "rowspan")))
            self._heads[-1].append(tag == "th")
        elif tag in BLOCKS:
            self._flush()
            self._point = tag == "li" or (self._point and tag not in {"ul", "ol", "table"})
        if tag not in VOID:
            if tag in {"a", "p"} and self._open and self._open[-1][0] == tag:
                self._pop()  # neither stands within itself
            does = _does(tag, attributes)
            self._open.append((tag, does))
            self._tags[tag] += 1
            self._within[does] += 1

    def handle_endtag(self, tag: str) -> None:
        if tag == "table" and self._layouts:
            self._end_table()
        elif tag in BLOCKS or tag in {"td", "th", "tr"}:
            self._flush()
        if self._tags[tag]:
            while self._open[-1][0] != tag:
                self._pop()
            self._pop()

    def _pop(self) -> None:
        tag, does = self._open.pop()
        self._tags[tag] -= 1
        self._within[does] -= 1

    def _close(self, depth: int) -> None:
        while len(self._open) > depth:
            self._pop()

    def handle_data(self, data: str) -> None:
        if self._within["title"]:
            self._title.append(data)
        elif not self._within["silent"]:
            if not self._within["code"]:
                data = WHITE.sub(" ", data)
                data = data.lstrip(" ") if not self._pieces or self._pieces[-1][-1] in " \n" else data
            self._write(data)

    def _meta(self, attributes: Mapping[str, str]) -> None:
        name = (
            attributes.get("name") or attributes.get("property") or attributes.get("itemprop") or ""
        ).lower()
        if name and attributes.get("content"):
            self._metadata.setdefault(name, attributes["content"])

    def _write(self, text: str) -> None:
        if text:
            self._pieces.append(text)
            self._linked += len(text) if self._within["link"] else 0

    def _flush(self) -> None:
        """End a part."""
        pieces, self._pieces = self._pieces, []
        linked, self._linked = self._linked, 0
        if not pieces or not (text := clean("".join(pieces))):
            return
        kind, level = self._kind()
        if kind in {BlockKind.HEADING, BlockKind.ITEM}:
            text = joined_lines(text)
        if kind is BlockKind.ITEM and self._point:
            text = f"- {text}"
        self._point = False
        self._add(Part(text, kind, level, linked))

    def _kind(self) -> tuple[BlockKind | None, int]:
        within = self._within
        if within["furniture"]:
            return BlockKind.BOILERPLATE, 0
        if level := next((level for tag, level in HEADINGS.items() if self._tags[tag]), 0):
            return BlockKind.HEADING, level
        if within["quotation"]:
            return BlockKind.QUOTATION, within["quotation"]
        for kind in (BlockKind.NOTE, BlockKind.CODE, BlockKind.CAPTION, BlockKind.ITEM):
            if within[kind]:
                return kind, 0
        return None, 0

    def _add(self, part: Part) -> None:
        """To the open cell, else to the page; what stands between the cells of a table stands before it."""
        cell = self._rows[-1][-1] if self._layouts and self._rows and self._rows[-1] else None
        (self.parts if cell is None or self._layouts[-1] else cell).append(part)

    def _begin_table(self) -> None:
        """A table around another one only lays the page out: what it holds so far stands as it is."""
        self._flush()
        if self._layouts:
            self._lay_out()
            self._layouts = [True] * len(self._layouts)
        self._layouts.append(False)
        self._named = 0

    def _begin_row(self) -> None:
        self._rows.append([])
        self._spans.append([])
        self._heads.append([])

    def _lay_out(self) -> None:
        rows, self._rows, self._spans, self._heads = self._rows, [], [], []
        self.parts += (part for row in rows for cell in row for part in cell)

    def _end_table(self) -> None:
        self._flush()
        layout = self._layouts.pop()
        cells = [["\n".join(part.text for part in cell) for cell in row] for row in self._rows]
        columns = max(map(len, cells), default=0)
        if layout or columns < 2 or any(len(cell) > LONG_CELL for row in cells for cell in row):
            self._lay_out()
            return
        pairs = self._named >= len(cells) and all(len(row) == 2 for row in cells)
        linked = sum(part.linked for row in self._rows for cell in row for part in cell)
        placed = [
            [(MarkedCell.of(text, heading=head), *span) for text, span, head in zip(*row, strict=True)]
            for row in zip(cells, self._spans, self._heads, strict=True)
        ]
        self._rows, self._spans, self._heads = [], [], []
        part = (
            Part(pairs_text(cells), BlockKind.TABLE, linked=linked)
            if pairs
            else table_part(spread(placed), linked)
        )
        if part.text:
            self.parts.append(
                replace(part, kind=BlockKind.BOILERPLATE) if self._within["furniture"] else part
            )

    def end(self) -> None:
        """What was never closed ends."""
        while self._layouts:
            self._end_table()
        self._flush()

    def stated(self) -> Stated:
        return Stated(
            one_line("".join(self._title)),
            next((self._metadata[name] for name in DATES if name in self._metadata), ""),
            next((self._metadata[name] for name in AUTHORS if name in self._metadata), ""),
        )


def _span(attributes: Mapping[str, str], name: str) -> int:
    stated = attributes.get(name, "")
    return int(stated) if stated.isascii() and stated.isdigit() and len(stated) < 5 else 1


def _does(tag: str, attributes: Mapping[str, str]) -> str:
    """What an element does to the text within."""
    if tag in SILENT:
        return "silent"
    if tag in FURNITURE or attributes.get("role", "").lower() in FURNITURE_ROLES:
        return "furniture"
    if tag == "title":
        return "title"
    if tag == "button" or (tag == "a" and "href" in attributes):
        return "link"
    if NOTES.search(f"{attributes.get('role')} {attributes.get('epub:type')}"):
        return BlockKind.NOTE
    if tag == "blockquote":
        return "quotation"
    if tag == "pre":
        return BlockKind.CODE
    if tag in CAPTIONS:
        return BlockKind.CAPTION
    return BlockKind.ITEM if tag == "li" else ""
