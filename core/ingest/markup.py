"""Reads HTML with the standard parser: blocks as paragraphs, tables as rows."""

from __future__ import annotations

import re
from html.parser import HTMLParser

from core.ingest.cleaning import clean, one_line
from core.ingest.reading import Reading
from core.ingest.tables import pairs_text, table_text

SILENT = frozenset(
    {"script", "style", "template", "noscript", "svg", "nav", "object", "iframe", "select", "head"}
)
BLOCKS = frozenset(
    "address article aside blockquote body caption dd details div dl dt fieldset figcaption figure footer form "
    "h1 h2 h3 h4 h5 h6 header hr li main ol p pre section summary table title ul".split()
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
CHARSET = re.compile(rb"""charset\s*=\s*["']?\s*([\w-]{2,40})""", re.IGNORECASE)
LONG_CELL = 200  # characters; tables with longer cells only lay the page out


def declared_charset(data: bytes) -> str:
    """The encoding that an HTML page names in its first 2 KB, or an empty string."""
    found = CHARSET.search(data[:2048])
    return found[1].decode("ascii") if found else ""


def read_html(text: str) -> Reading:
    """Text of a page without scripts, styles and menus; tables as rows, list items as lines."""
    parser = _Page()
    parser.feed(text)
    parser.close()
    return parser.reading()


class _Page(HTMLParser):
    """Collects blocks of text; an open table keeps its own until it ends."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self._output: list[str] = []
        self._cells: list[list[list[list[str]]]] = []  # open tables: rows: cells: runs of text
        self._nested: list[bool] = []
        self._named: list[int] = []  # rows that begin with a heading cell
        self._silent = 0
        self._capture = ""  # title or heading that is being read
        self._captured: dict[str, list[str]] = {"title": [], "heading": []}
        self._metadata: dict[str, str] = {}
        self._preformatted = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "meta":
            self._meta({name: value or "" for name, value in attrs})
        elif tag == "title":
            self._capture = "title" if not self._captured["title"] else ""
        elif tag in SILENT:
            self._silent += 1
        elif tag == "body":
            self._silent = 0  # a head that was never closed
        elif tag == "table":
            if self._cells:
                self._nested[-1] = True
            self._cells.append([])
            self._nested.append(False)
            self._named.append(0)
        elif tag == "tr" and self._cells:
            self._cells[-1].append([])
        elif tag in {"td", "th"} and self._cells:
            if not self._cells[-1]:
                self._cells[-1].append([])
            self._named[-1] += tag == "th" and not self._cells[-1][-1]
            self._cells[-1][-1].append([])
        else:
            self._begin(tag)

    def _begin(self, tag: str) -> None:
        if tag == "br":
            self._write("\n")
        elif tag == "li":
            self._write("\n- ")
        elif tag in BLOCKS:
            self._write("\n\n")
        if tag == "pre":
            self._preformatted += 1
        if tag in {"h1", "h2"} and not self._captured["heading"]:
            self._capture = "heading"

    def handle_endtag(self, tag: str) -> None:
        if tag in {"title", "h1", "h2"}:
            self._capture = ""
        if tag in SILENT:
            self._silent = max(0, self._silent - 1)
        elif tag == "table" and self._cells:
            self._end_table()
        elif tag in BLOCKS and tag not in {"li", "title"}:
            self._write("\n\n")
        if tag == "pre":
            self._preformatted = max(0, self._preformatted - 1)

    def handle_data(self, data: str) -> None:
        if self._capture:
            self._captured[self._capture].append(data)
        if not self._silent and self._capture != "title":
            if not self._preformatted:
                data = WHITE.sub(" ", data)
                data = data.lstrip(" ") if self._written()[-1:] in {" ", "\n"} else data
            self._write(data)

    def _meta(self, attributes: dict[str, str]) -> None:
        name = (
            attributes.get("name") or attributes.get("property") or attributes.get("itemprop") or ""
        ).lower()
        if name and attributes.get("content"):
            self._metadata.setdefault(name, attributes["content"])

    def _write(self, text: str) -> None:
        if text and (sink := self._sink()) is not None:
            sink.append(text)

    def _written(self) -> str:
        """What was written last."""
        sink = self._sink()
        return sink[-1] if sink else ""

    def _sink(self) -> list[str] | None:
        """Where text goes: the open cell, else the page; nowhere between the cells of a table."""
        if not self._cells:
            return self._output
        return self._cells[-1][-1][-1] if self._cells[-1] and self._cells[-1][-1] else None

    def _end_table(self) -> None:
        rows = [["".join(cell) for cell in row] for row in self._cells.pop()]
        named = self._named.pop()
        if self._nested.pop() or any(len(cell) > LONG_CELL for row in rows for cell in row):
            text = "\n\n".join(cell for row in rows for cell in row)
        elif rows and named >= len(rows) and all(len(row) == 2 for row in rows):
            text = pairs_text(rows)
        else:
            text = table_text(rows)
        self._write(f"\n\n{text}\n\n")

    def reading(self) -> Reading:
        while self._cells:  # tables that were never closed
            self._end_table()
        return Reading(
            text=clean("".join(self._output)),
            title=one_line("".join(self._captured["title"])),
            heading=one_line("".join(self._captured["heading"])),
            date=next((self._metadata[name] for name in DATES if name in self._metadata), ""),
            author=next((self._metadata[name] for name in AUTHORS if name in self._metadata), ""),
        )
