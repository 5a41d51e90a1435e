"""Reads HTML with the standard parser: blocks as typed parts, tables as rows, menus as boilerplate."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from html.parser import HTMLParser

from core.ingest.cleaning import clean, joined_lines, one_line
from core.ingest.drawings import described, may_hold_text
from core.ingest.equations import EquationBuilder, raised
from core.ingest.flow import Flow, Part, table_part
from core.ingest.headers import LONGEST_LABEL
from core.ingest.package import Stated
from core.ingest.page_furniture import (
    BULLET,
    LISTS,
    PageList,
    digits_of,
    is_hidden,
    is_raised,
    is_tiny,
    list_style,
    page_list,
    side_in_points,
    without_boilerplate,
)
from core.ingest.reading import Reading
from core.ingest.tables import MarkedCell, pairs_text, spread
from core.types import BlockKind, NoticeKind

SILENT = frozenset(
    "script style template noscript svg object iframe canvas video audio select datalist head".split()
)
UNREAD = {
    "canvas": NoticeKind.CHART,
    "iframe": NoticeKind.OTHER,
    "object": NoticeKind.OTHER,
    "embed": NoticeKind.OTHER,
}
INLINE = frozenset(
    {*UNREAD, "img", "input", "textarea", "select", "math"}
)  # that show something by themselves
FIELDS = frozenset(
    {"", "text", "search", "email", "tel", "url", "number", "date", "time", "datetime-local", "month", "week"}
)
LETTERS = frozenset("a b big em font i small span strong u".split())  # elements that style letters
BLOCKS = frozenset(
    "address article aside blockquote body caption dd details dialog div dl dt fieldset figcaption figure footer "
    "form h1 h2 h3 h4 h5 h6 header hr li main nav ol p pre section summary table title ul".split()
)
VOID = frozenset("area base br col embed hr img input link meta param source track wbr".split())
HEADINGS = {f"h{level}": level for level in range(1, 7)}
CHECKED, UNCHECKED = "☒ ", "☐ "
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
TERMS = frozenset({"dt", "dd", "dl"})
LONGEST_VALUE = 80  # characters of what a term stands for in a form; longer text explains it
NESTED = 20  # elements within a term that are looked at
LONG_CELL = 200  # characters; tables with longer cells only lay the page out
MOST_NESTED = 1 / 3  # tables in a table, for each of its filled cells; one with more only lays the page out


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
    for (kind, detail), count in page.unread.items():
        flow.notice(kind, count, detail)
    return flow.reading(page.stated())


def add_html(flow: Flow, text: str) -> None:
    """Put what a page of a larger whole says, and what is not read of it, to the rest."""
    page = _page(text)
    for part in page.parts:
        flow.add(part)
    for (kind, detail), count in page.unread.items():
        flow.notice(kind, count, detail)


def html_parts(text: str) -> list[Part]:
    """What a page, or a piece of one, says in order; what it marks as furniture is boilerplate."""
    return _page(text).parts


def _page(text: str) -> _Page:
    page = _Page()
    page.feed(_closed(text))
    page.close()
    page.end()
    return page


def _closed(text: str) -> str:
    """A page in which each comment and tag that begins also ends: the parser looks for each end to the last letter."""
    after = max(text.rfind("-->"), text.rfind("--!>"), 0)
    text = text[:after] + text[after:].replace("<!--", "&lt;!--")
    after = text.rfind(">") + 1
    return text[:after] + text[after:].replace("<", "&lt;")


@dataclass(slots=True)
class _Choice:
    """An open field to choose from."""

    texts: list[str] = field(default_factory=list)
    chosen: list[int] = field(default_factory=list)


@dataclass(slots=True)
class _Grid:
    """What an open table holds so far."""

    rows: list[list[list[Part]]] = field(default_factory=list)  # the parts of its cells
    spans: list[list[tuple[int, int]]] = field(
        default_factory=list
    )  # of its cells: columns across, rows down
    heads: list[list[bool]] = field(default_factory=list)  # whether they are headings
    named: int = 0  # rows that begin with a heading cell
    nested: int = 0  # tables in its cells

    def begin_row(self) -> None:
        self.rows.append([])
        self.spans.append([])
        self.heads.append([])

    @property
    def parts(self) -> list[Part]:
        return [part for row in self.rows for cell in row for part in cell]

    @property
    def texts(self) -> list[list[str]]:
        return [["\n".join(part.text for part in cell) for cell in row] for row in self.rows]

    def holds_records(self, texts: list[list[str]]) -> bool:
        """Whether it is no mere layout: that has one column, cells as long as a page's, or a table in many cells."""
        if max(map(len, texts), default=0) < 2 or any(len(cell) > LONG_CELL for row in texts for cell in row):
            return False
        if not self.nested:
            return True
        filled = sum(map(bool, (cell for row in texts for cell in row))) - sum(map(sum, self.heads))
        return self.nested <= MOST_NESTED * filled


class _Page(HTMLParser):
    """Collects typed parts; an open table keeps its own until it ends."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[Part] = []
        self._open: list[tuple[str, str]] = []  # (tag, what it does to the text within) of open elements
        self._tags: defaultdict[str, int] = defaultdict(int)  # of open elements
        self._within: defaultdict[str, int] = defaultdict(int)  # what open elements do
        self._pieces: list[str] = []  # of the part that is being read
        # Where in it an open raised mark begins, and the element that raises it, with how many of these are open.
        self._raised: tuple[int, str, int] | None = None
        self._linked = 0  # characters of it in links
        self._mark = ""  # what the next part begins with, if it begins an item: "- ", "3. "
        self._mark_depth = 0  # lists that were open when it was set
        self._lists: list[PageList] = []  # that are open
        self._pending: tuple[PageList, str, int] | None = (
            None  # the list of the mark, where its total is not known
        )
        self._term: Part | None = None  # of a list of descriptions, which the next part describes
        self._words: list[tuple[str, int]] = []  # for pictures of this part, with the characters in links
        self._drawn: list[str] = []  # text of the drawing that is open
        self._choice: _Choice | None = None
        self._equation: EquationBuilder | None = None
        self._skipped = False  # whether the open hidden element holds letters
        self.unread: Counter[tuple[NoticeKind, str]] = Counter()
        self._layouts: list[bool] = []  # of open tables: whether they only lay the page out
        self._grid = _Grid()  # of the innermost
        self._around: _Grid | None = None  # of the table of records that it stands in
        self._title: list[str] = []
        self._metadata: dict[str, str] = {}

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = {name: value or "" for name, value in attrs}
        if self._equation is not None and tag not in BLOCKS:
            self._equation.start(tag, attributes)
            return
        if self._equation is not None:
            self._end_equation()  # that was never closed
        if tag == "meta":
            self._meta(attributes)
        elif tag == "body":  # also after a head that was never closed
            self._close(0)
        elif tag == "sup" or (tag in LETTERS and is_raised(attributes)):
            self._raised = len(self._pieces), tag, self._tags[tag] + 1
        elif tag == "br":
            if self._pieces and self._pieces[-1] == "\n":
                self._flush()
            self._write("\n")
        elif tag == "table":
            self._begin_table()
        elif tag == "tr" and self._layouts:
            self._flush()
            self._grid.begin_row()
        elif tag in {"td", "th"} and self._layouts:
            self._flush()
            grid = self._grid
            if not grid.rows:
                grid.begin_row()
            grid.named += tag == "th" and not grid.rows[-1]
            grid.rows[-1].append([])
            grid.spans[-1].append((_span(attributes, "colspan"), _span(attributes, "rowspan")))
            grid.heads[-1].append(tag == "th")
        elif tag in BLOCKS and not self._tags["svg"]:
            self._flush()
            if tag == "li":
                self._begin_item(attributes)
            elif tag == "table":
                self._mark = ""
        elif not self._within["silent"]:
            if tag in INLINE:
                self._begin_inline(tag, attributes)
        elif tag == "option" and self._choice is not None:
            if "selected" in attributes:
                self._choice.chosen.append(len(self._choice.texts))
            self._choice.texts.append("")
        if self._tags["svg"] and tag in {"text", "title"}:
            self._drawn.append("")
        if tag not in VOID:
            if tag in {"a", "p"} and self._open and self._open[-1][0] == tag:
                self._pop()  # neither stands within itself
            does = "" if tag == "title" and self._tags["svg"] else _does(tag, attributes)
            if tag in LISTS:
                self._lists.append(page_list(tag, attributes))
            self._open.append((tag, does))
            self._tags[tag] += 1
            self._within[does] += 1
            self._within["silent"] += does == "hidden"

    def _begin_inline(self, tag: str, attributes: Mapping[str, str]) -> None:
        """What shows something by its attributes, and what begins to be read in its own way: INLINE."""
        if tag in UNREAD and not is_hidden(tag, attributes) and not is_tiny(attributes):
            self.unread[UNREAD[tag], tag if UNREAD[tag] is NoticeKind.OTHER else ""] += 1
        if tag == "img":
            self._words.append((described(attributes.get("alt", "")), self._within["link"]))
            if may_hold_text(side_in_points(attributes, "width"), side_in_points(attributes, "height")):
                self.unread[NoticeKind.PICTURE, ""] += 1
        elif tag == "input" and "hidden" not in attributes:
            self._field(attributes)
        elif tag == "textarea":
            self._lead()
        elif tag == "select":
            self._choice = _Choice()
        elif tag == "math":
            self._equation = EquationBuilder()
            self._equation.start(tag, attributes)

    def _begin_item(self, attributes: Mapping[str, str]) -> None:
        """The number of an item; one that begins within another that says nothing yet follows its number."""
        inner = self._mark if len(self._lists) > self._mark_depth else ""
        self._mark, self._mark_depth, self._pending = BULLET, len(self._lists), None
        if not self._lists:
            return
        around = self._lists[-1]
        style = list_style(attributes, around.style)
        if stated := digits_of(attributes.get("value", "")):
            around.number = int(stated)
        label = around.label(around.number, style)
        if around.waiting is not None:
            self._pending = around, label, around.counted
        around.number += around.step
        around.counted += 1
        self._mark = (inner if inner != BULLET else "") + label

    def _end_list(self, ended: PageList) -> None:
        """Numbers that count down to one are known when all items are."""
        for parts, place, label, below in ended.waiting or ():
            rest = parts[place].text.removeprefix(label)
            parts[place] = replace(parts[place], text=ended.label(ended.counted - below, ended.style) + rest)

    def _field(self, attributes: Mapping[str, str]) -> None:
        """What a field of a form shows."""
        kind = attributes.get("type", "").lower()
        if kind in {"checkbox", "radio"}:
            if self._pieces and not self._pieces[-1].endswith((" ", "\n")):
                self._write(" ")
            self._write(CHECKED if "checked" in attributes else UNCHECKED)
        elif kind in FIELDS and (value := one_line(attributes.get("value", ""))):
            self._lead()
            self._write(f"{value} ")

    def _lead(self) -> None:
        """Set the value of a field apart from its label."""
        if len(self._pieces) > 1 and self._pieces[-2] in {CHECKED, UNCHECKED}:
            self._write("\n")  # the words of a box are no label of what follows
        elif self._pieces and (label := self._pieces[-1].rstrip()):
            self._pieces[-1] = label if label.endswith((":", "?")) else f"{label}:"
            self._write(" ")

    def handle_endtag(self, tag: str) -> None:
        if self._raised is not None and self._raised[1:] == (tag, self._tags[tag]):
            begin, self._raised = self._raised[0], None
            before = "".join(self._pieces[max(0, begin - 8) : begin])
            if mark := "".join(self._pieces[begin:]):
                self._pieces[begin:] = [raised(before, mark)]
        if self._equation is not None:
            if tag == "math" or tag in BLOCKS:
                self._end_equation()
            else:
                self._equation.end(tag)
            if tag == "math":
                return
        if tag == "table" and self._layouts:
            self._end_table()
        elif (tag in BLOCKS or tag in {"td", "th", "tr"}) and not self._tags["svg"]:
            self._flush()
            self._mark = "" if tag == "li" else self._mark
        elif tag == "select" and self._choice is not None:
            choice, self._choice = self._choice, None
            if words := ", ".join(filter(None, (one_line(choice.texts[at]) for at in choice.chosen))):
                self._lead()
                self._write(f"{words} ")
        elif tag == "svg" and self._tags["svg"] == 1:
            drawn, self._drawn = self._drawn, []
            self._words.append(("\n".join(filter(None, map(one_line, drawn))), self._within["link"]))
        if self._tags[tag]:
            while self._open[-1][0] != tag:
                self._pop()
            self._pop()

    def _end_equation(self) -> None:
        if self._equation is not None:
            equation, self._equation = self._equation, None
            self._write(equation.text())

    def _pop(self) -> None:
        tag, does = self._open.pop()
        self._tags[tag] -= 1
        self._within[does] -= 1
        if tag in LISTS:
            self._end_list(self._lists.pop())
        if does == "hidden":
            self._within["silent"] -= 1
            if self._skipped and not self._within["hidden"]:
                self._skipped = False
                if not self._within["furniture"]:
                    self.unread[NoticeKind.HIDDEN, ""] += 1

    def _close(self, depth: int) -> None:
        while len(self._open) > depth:
            self._pop()

    def handle_data(self, data: str) -> None:
        if self._equation is not None:
            self._equation.data(data)
        elif self._within["title"]:
            self._title.append(data)
        elif not self._within["silent"]:
            if not self._within["code"]:
                data = WHITE.sub(" ", data)
                data = data.lstrip(" ") if not self._pieces or self._pieces[-1][-1] in " \n" else data
            self._write(data)
        elif self._within["hidden"]:
            self._skipped = self._skipped or (
                not self._tags["script"] and not self._tags["style"] and bool(data.strip())
            )
        elif self._choice is not None and self._choice.texts:
            self._choice.texts[-1] += data
        elif self._drawn and (self._tags["text"] or self._tags["title"]):
            self._drawn[-1] += data

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
        if not self._pieces and not self._words:
            self._raised, self._linked = None, 0
            return
        pieces, self._pieces = self._pieces, []
        self._raised = None
        linked, self._linked = self._linked, 0
        words, self._words = self._words, []
        text = clean("".join(pieces)) if pieces else ""
        pictured = [(clean(one), bool(link)) for one, link in words if one]
        kind, level = self._kind()
        if text and kind is None and (self._tags["dt"] or self._tags["dd"]) and self._of_list(text, linked):
            text = ""
        if not text and pictured:  # pictures that stand for text
            text = "\n".join(dict.fromkeys(one for one, _ in pictured))
            linked = len(text) if kind is None or all(link for _, link in pictured) else 0
            kind, pictured = kind or BlockKind.CAPTION, []
        if not text:
            return
        if kind in {BlockKind.HEADING, BlockKind.ITEM}:
            text = joined_lines(text)
        self._add(self._marked(Part(text, kind, level, linked)))
        for one in dict.fromkeys(one for one, _ in pictured):
            kind = BlockKind.BOILERPLATE if self._within["furniture"] else BlockKind.CAPTION
            self._add(Part(one, kind, linked=len(one)))

    def _of_list(self, text: str, linked: int) -> bool:
        """Put the value of a term behind it: "Exporter: Lumen Ltd"; whether that was done. Sentences stand below it."""
        inner = next((tag for tag, _ in reversed(self._open[-NESTED:]) if tag in TERMS), "")
        term, self._term = self._term, None
        place = self._place()
        if inner == "dt" and "\n" not in text and len(text) <= LONGEST_LABEL:
            self._term = Part(text, linked=linked)
            place.append(self._term)
            return True
        if inner != "dd" or term is None or not place or place[-1] is not term:
            return False
        if len(text) > LONGEST_VALUE or "\n" in text or text.endswith(tuple(".!?:;。")):
            return False
        gap = " " if term.text.endswith((":", "?")) else ": "
        place[-1] = Part(f"{term.text}{gap}{text}", linked=term.linked + linked)
        return True

    def _marked(self, part: Part) -> Part:
        """A part after the number of its item; headings and quotations have one where the item begins with them."""
        mark, self._mark = self._mark, ""
        pending, self._pending = self._pending, None
        if (
            not mark
            or part.kind is BlockKind.BOILERPLATE
            or (mark == BULLET and part.kind is not BlockKind.ITEM)
        ):
            return part
        if pending is not None:
            around, label, below = pending
            if around.waiting is not None and mark == label:
                place = self._place()
                around.waiting.append((place, len(place), label, below))
        return replace(part, text=mark + part.text)

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

    def _place(self) -> list[Part]:
        """The open cell, else the page; what stands between the cells of a table stands before it."""
        if self._layouts and not self._layouts[-1]:
            for grid in (self._grid, self._around):
                if grid is not None and grid.rows and grid.rows[-1]:
                    return grid.rows[-1][-1]
        return self.parts

    def _add(self, part: Part) -> None:
        self._place().append(part)

    def _begin_table(self) -> None:
        """A table around another one only lays the page out, unless it has headings: what it holds so far stands as
        it is. Of tables within each other two may hold records."""
        self._flush()
        if self._layouts == [False] and self._grid.rows and any(self._grid.heads[0]):
            self._around, self._grid = self._grid, _Grid()
        elif self._layouts:
            around, self._around = self._around, None
            inner, self._grid = self._grid, _Grid()
            self.parts += [*(around.parts if around else ()), *inner.parts]
            self._layouts = [True] * len(self._layouts)
        self._layouts.append(False)

    def _end_table(self) -> None:
        self._flush()
        layout = self._layouts.pop()
        grid, self._grid, self._around = self._grid, self._around or _Grid(), None
        place = self._place()
        self._grid.nested += bool(self._layouts)
        cells = grid.texts
        if layout or not grid.holds_records(cells):
            place += grid.parts
            return
        pairs = grid.named >= len(cells) and all(len(row) == 2 for row in cells)
        linked = sum(part.linked for part in grid.parts)
        placed = [
            [(MarkedCell.of(text, heading=head), *span) for text, span, head in zip(*row, strict=True)]
            for row in zip(cells, grid.spans, grid.heads, strict=True)
        ]
        part = (
            Part(pairs_text(cells), BlockKind.TABLE, linked=linked)
            if pairs
            else table_part(spread(placed), linked)
        )
        if part.text:
            place.append(replace(part, kind=BlockKind.BOILERPLATE) if self._within["furniture"] else part)

    def end(self) -> None:
        """What was never closed ends."""
        self._end_equation()
        while self._layouts:
            self._end_table()
        self._flush()
        self._close(0)

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
    if is_hidden(tag, attributes):
        return "hidden"
    if tag in FURNITURE or ("role" in attributes and attributes["role"].lower() in FURNITURE_ROLES):
        return "furniture"
    if tag == "title":
        return "title"
    if tag == "button" or (tag == "a" and "href" in attributes):
        return "link"
    if attributes and NOTES.search(f"{attributes.get('role')} {attributes.get('epub:type')}"):
        return BlockKind.NOTE
    if tag == "blockquote":
        return "quotation"
    if tag == "pre":
        return BlockKind.CODE
    if tag in CAPTIONS:
        return BlockKind.CAPTION
    return BlockKind.ITEM if tag == "li" else ""
