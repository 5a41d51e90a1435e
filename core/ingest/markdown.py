"""Reads Markdown (CommonMark with tables and footnotes, pulldown-cmark): its words without its marks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, cast

import pyromark

from core.ingest.cleaning import clean, joined_lines
from core.ingest.conversation import apart
from core.ingest.equations import raised
from core.ingest.flow import Flow, Part, table_part
from core.ingest.layout import WIDEST, line_width, paragraphs
from core.ingest.markup import html_parts
from core.ingest.package import Stated
from core.ingest.page_furniture import without_boilerplate
from core.ingest.reading import LONGEST_HEADING, Reading
from core.types import BlockKind

FRONT_MATTER = re.compile(r"\A---\n(.*?)\n(?:---|\.\.\.)(?:\n|\Z)", re.DOTALL)
FIELD = re.compile(r"^(title|date|created|author|authors)\s*:\s*(.+)$", re.IGNORECASE | re.MULTILINE)
EXTENSIONS = pyromark.Options.ENABLE_TABLES | pyromark.Options.ENABLE_FOOTNOTES
TABS = re.compile(r"^\t+", re.MULTILINE)  # four spaces or a tab would make code of what they only set in
RULE = re.compile(r"[=\-_*~\s]+")
INLINE_TAG = re.compile(
    r"</?(?:a|abbr|b|bdi|bdo|big|cite|code|del|dfn|em|font|i|img|ins|kbd|mark|q|s|samp|small|span|strike|strong|"
    r"sub|sup|tt|u|var|wbr)\b[^>]*>|<[!?].*>",
    re.IGNORECASE | re.DOTALL,
)
RAISED_TAG = re.compile(r"<(/?)sup\b[^>]*>", re.IGNORECASE)
BREAK = re.compile(r"<br\b[^>]*>", re.IGNORECASE)
# What opens and closes links, in the order of the text: escaped signs, code, brackets, blank lines.
BRACKETS = re.compile(
    r"\\.|```|~~~|(?P<open>!?\[)|(?P<close>\](?:\((?:[^()\s\\]|\\.|\([^()\s]{0,500}\)){0,3000}"
    r"(?:\s+(?:\"[^\"\n]{0,500}\"|'[^'\n]{0,500}'))?\s?\))?)|(?P<blank>\n\n)"
)
MARKER_GAP = re.compile(r"(?:(?<=^)|(?<=^[*+-] )|(?<=^[*+-] [*+-] ))([*+-]|\d{1,9}[.)]) {2,}", re.MULTILINE)
LEAD = re.compile(r"(?:#{1,6} +|[*+-] +|> ?|\d{1,9}[.)] +)*")
FENCED = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)
INLINE_LINK = re.compile(r"\]\((?:https?:|mailto:|/|#|\.)")
HASHES = re.compile(r"^#{1,6} ", re.MULTILINE)
ATTRIBUTES = re.compile(r"\s*\{[#.:][^{}]*\}\Z")  # of a heading: "{#anchor .class}"
HEADING_ALONE = re.compile(r"(?:\A|(?<=\n\n))#{1,6} +[\"'“‘(\[*_]*[^\W_].*(?=\n\n|\n?\Z)")
SENTENCE = re.compile(r"^(?!#)(?:\S+ ){7,}\S*[.!?:…]['\"”’»)*_]*$", re.MULTILINE)
STATEMENT = re.compile(r"[;{}]$", re.MULTILINE)
# A break that no margin of a usual width explains, nor the end of a sentence: a wider one does.
WIDE_BREAK = re.compile(rf"(?<=[^\n]{{{WIDEST}}}[^\n.!?:;])\n(?! )")
SAMPLE = 100_000  # characters by which a text is judged
FARTHEST = 5_000  # characters from the beginning of a link to its end


def read_markdown(text: str) -> Reading:
    """Plain text with typed blocks; title, date and author from the front matter, heading from the first heading."""
    text = apart(TABS.sub("", clean(text)))
    fields: dict[str, str] = {}
    flow = Flow()
    front = FRONT_MATTER.match(text)
    if front:
        for name, value in FIELD.findall(front[1]):
            fields.setdefault(name.lower(), value.strip().strip("\"'[]"))
        text = text[front.end() :]
        flow.paragraph(front[1])
    parts = markdown_parts(text)
    for part in without_boilerplate(parts):
        flow.add(part)
    reading = flow.reading(
        Stated(
            fields.get("title", ""),
            fields.get("date", fields.get("created", "")),
            fields.get("author", fields.get("authors", "")),
        )
    )
    # A saved page begins with its title, often above the menus, and then it is no heading of the text.
    return (
        replace(reading, heading=parts[0].text) if parts and parts[0].kind is BlockKind.HEADING else reading
    )


def is_markdown(text: str) -> bool:
    """Whether a cleaned text that does not say so is surely Markdown: by its links or headings, among sentences.

    The comments of programs and of their settings are no headings: other lines touch them.
    """
    sample = FENCED.sub("", text[:SAMPLE])
    if 20 * len(STATEMENT.findall(sample)) > sample.count("\n") + 1:
        return False
    if len(INLINE_LINK.findall(sample)) >= 3:
        return True
    alone = len(HEADING_ALONE.findall(sample))
    return 0 < len(HASHES.findall(sample)) <= 1.2 * alone and SENTENCE.search(sample) is not None


def markdown_parts(text: str) -> list[Part]:
    """What cleaned Markdown without front matter says, in order."""
    text = plain_links(MARKER_GAP.sub(r"\1 ", text))
    walk = _Walk(line_width(text))
    for event in pyromark.events(text, options=EXTENSIONS):
        walk.take(event)
    return walk.parts


def plain_links(text: str) -> str:
    """Links as the parser knows them, out of what saved pages have.

    A link around several paragraphs becomes one in each of their lines; one around other links goes.
    """
    edits: list[tuple[int, int, str]] = []  # start, end, what stands there instead
    opened: list[tuple[int, int, int]] = []  # where a link begins; the blank lines and links before it
    blanks = links = 0
    for match in BRACKETS.finditer(text):
        if match["blank"]:
            blanks += 1
        elif match["open"]:
            opened.append((match.start(), blanks, links))
        elif match["close"] and opened:
            start, blanks_before, links_before = opened.pop()
            if match["close"] == "]" or match.end() - start > FARTHEST:
                continue
            if links > links_before and text[start] == "[":
                edits += [(start, start + 1, ""), (match.start(), match.end(), "")]
            elif blanks > blanks_before:
                inner = text[start + 1 + (text[start] == "!") : match.start()]
                edits.append((start, match.end(), "\n\n".join(_linked(inner))))
            links += text[start] == "["
    pieces: list[str] = []
    at = 0
    for start, end, instead in sorted(edits):
        pieces += [text[at:start], instead]
        at = end
    return "".join([*pieces, text[at:]])


def _linked(text: str) -> Iterator[str]:
    """Every line as a link of its own, headings and items with their marks before it."""
    for line in text.split("\n"):
        if line:
            lead = LEAD.match(line)
            marks = lead[0] if lead else ""
            yield f"{marks}[{line[len(marks) :]}](#)"


class _Walk:
    """Takes the parser's events one by one."""

    def __init__(self, width: int) -> None:
        """`width`: characters of a full line, see `line_width`."""
        self.parts: list[Part] = []
        self._width = width
        self._pieces: list[str] = []
        self._raised: int | None = None  # where an open raised mark begins
        self._linked = self._pictured = 0  # characters
        self._link_end = 0  # pieces up to the end of the last link
        self._within = {"Link": 0, "Image": 0, "BlockQuote": 0, "Item": 0}
        self._numbers: list[int | None] = []  # of the next item of each open list
        self._mark = ""  # what the next paragraph begins with: "- ", "3. ", "[1] "
        self._html: list[str] = []
        self._code = False
        self._level = 0
        self._note = False
        self._rows: list[list[str]] = []
        self._table_linked = 0

    def take(self, event: Any) -> None:
        if isinstance(event, str):
            if event in {"SoftBreak", "HardBreak"}:
                self._pieces.append("\n")
            return
        ((kind, value),) = cast("dict[str, Any]", event).items()
        if kind in {"Start", "End"}:
            name, detail = next(iter(value.items())) if isinstance(value, dict) else (value, None)
            (self._start if kind == "Start" else self._end)(name, detail)
        elif kind in {"Text", "Code"}:
            self._text(value)
        elif kind == "Html":
            self._html.append(value)
        elif kind == "InlineHtml":
            if tag := RAISED_TAG.fullmatch(value):
                self._raise(closes=bool(tag[1]))
            elif not INLINE_TAG.fullmatch(value):
                self._pieces.append("\n" if BREAK.fullmatch(value) else value)
        elif kind == "FootnoteReference":
            self._pieces.append(f"[{value}]")

    def _raise(self, *, closes: bool) -> None:
        """Begin a raised mark, or write the one that ends here."""
        begin, self._raised = self._raised, None if closes else len(self._pieces)
        if closes and begin is not None and begin < len(self._pieces):
            mark = "".join(self._pieces[begin:])
            self._pieces[begin:] = [raised("".join(self._pieces[max(0, begin - 8) : begin]), mark)]

    def _text(self, text: str) -> None:
        self._pieces.append(text)
        self._linked += len(text) if self._within["Link"] else 0
        self._pictured += len(text) if self._within["Image"] else 0

    def _start(self, name: str, detail: Any) -> None:
        if name in {"Item", "List", "Paragraph", "Heading", "BlockQuote", "CodeBlock", "HtmlBlock", "Table"}:
            self._flush()
        if name in {"Link", "Image"} and self._pieces and self._link_end == len(self._pieces):
            self._pieces.append(" ")  # two links side by side, which the page set apart
        if name in self._within:
            self._within[name] += 1
        if name == "Heading":
            self._level = int(detail["level"][1:])
        elif name == "List":
            self._numbers.append(detail)
        elif name == "Item":
            number = self._numbers[-1]
            self._mark = "- " if number is None else f"{number}. "
            self._numbers[-1] = None if number is None else number + 1
        elif name == "FootnoteDefinition":
            self._flush()
            self._mark, self._note = f"[{detail}] ", True
        elif name == "CodeBlock":
            self._code = detail != "Indented"
        elif name == "HtmlBlock":
            self._html = []
        elif name in {"TableHead", "TableRow"}:
            self._rows.append([])

    def _end(self, name: str, detail: Any) -> None:
        if name == "TableCell":
            self._rows[-1].append("".join(self._pieces))
            self._table_linked += self._linked + self._pictured
            self._clear()
        elif name == "Table":
            self._add(table_part(self._rows, self._table_linked))
            self._rows, self._table_linked = [], 0
        elif name == "HtmlBlock":
            self.parts += html_parts("".join(self._html))
        elif name in {"Paragraph", "Heading", "Item", "CodeBlock", "BlockQuote", "FootnoteDefinition"}:
            self._flush()
        if name in {"Link", "Image"}:
            self._link_end = len(self._pieces)
        if name in self._within:
            self._within[name] -= 1
        if name == "Heading":
            self._level = 0
        elif name == "List":
            self._numbers.pop()
        elif name == "CodeBlock":
            self._code = False
        elif name == "FootnoteDefinition":
            self._note = False

    def _flush(self) -> None:
        """End a part."""
        if not self._pieces:
            return
        text = clean("".join(self._pieces))
        linked, pictured = self._linked, self._pictured
        self._clear()
        if not text or RULE.fullmatch(text):
            return
        kind, level = self._kind(text, pictured)
        mark, self._mark = self._mark if kind is not BlockKind.HEADING else "", ""
        if kind in {BlockKind.HEADING, BlockKind.ITEM}:
            text = ATTRIBUTES.sub("", joined_lines(text)) if kind is BlockKind.HEADING else joined_lines(text)
        elif kind is not BlockKind.CODE:
            text = paragraphs(WIDE_BREAK.sub(" ", text).split("\n"), self._width)
        self._add(Part(mark + text, kind, level, linked + pictured))

    def _kind(self, text: str, pictured: int) -> tuple[BlockKind | None, int]:
        if self._code:
            return BlockKind.CODE, 0
        if self._within["BlockQuote"]:
            return BlockKind.QUOTATION, self._within["BlockQuote"]
        if self._note:
            return BlockKind.NOTE, 0
        if self._level and len(text) <= LONGEST_HEADING:
            return BlockKind.HEADING, self._level
        if pictured >= len(text):
            return BlockKind.CAPTION, 0
        return (BlockKind.ITEM if self._within["Item"] else None), 0

    def _add(self, part: Part) -> None:
        if part.text:
            self.parts.append(part)

    def _clear(self) -> None:
        self._pieces = []
        self._raised = None
        self._linked = self._pictured = self._link_end = 0
