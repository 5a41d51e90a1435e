"""What the reader knows of an open document, without Qt: its text, its pages, the part on screen.

Places are characters (code points) of the document's text, half open. Qt counts UTF-16 units, so a
`Window` translates between the two.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Literal, NamedTuple

from core.progress import TaskContext
from core.types import Block, Document, DocumentTable, Mention, Page, Region
from core.workspace.placed_text import PlacedText

if TYPE_CHECKING:
    from core.workspace import Workspace

REACH = 50_000  # characters shown on each side of a place
LIMIT = 3 * REACH  # most characters on screen at once
LONG_LINE = 2_000  # longer lines are broken, because Qt lays out whole lines
MOST_MATCHES = 5_000
STRIDE = 100_000
PIECE = 5_000  # characters that Qt is handed at once: a few milliseconds

MAIL = ("message/rfc822", "application/vnd.ms-outlook")
SHEETS = re.compile(r"text/csv|spreadsheet|ms-excel")
SLIDES = re.compile(r"presentation|powerpoint")
Look = Literal["", "page", "sheet", "mail", "slides"]

# Signs at which Qt would start a paragraph of its own, or which it cannot hold; one for one.
_SIGNS = str.maketrans("\r\x0b\x0c\u2029\x00\ufdd0\ufdd1\ufffc", "\n\n\n\n    ")
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class OpenDocument:
    """A document with all that is drawn of it; `mentions` and `blocks` in order of their start."""

    document: Document
    text: str
    pages: tuple[Page, ...] = ()
    mentions: tuple[Mention, ...] = ()
    blocks: tuple[Block, ...] = ()
    placed: PlacedText | None = None  # where its text stands on its pages
    tables: tuple[DocumentTable, ...] = ()
    regions: tuple[Region, ...] = ()  # of sheets and their cells
    recognised: frozenset[int] = frozenset()  # numbers of pages that are pictures

    @property
    def look(self) -> Look:
        """As what it can be shown besides its text."""
        kind = self.document.media_type
        if kind == "application/pdf" and self.document.file:
            return "page"
        if kind in MAIL:
            return "mail"
        if SHEETS.search(kind) and (self.tables or self.regions):
            return "sheet"
        return "slides" if SLIDES.search(kind) and self.pages else ""

    def page(self, number: int) -> Page | None:
        """Return the page of a number, from 1."""
        at = bisect_left(self.pages, number, key=lambda page: page.number)
        return self.pages[at] if at < len(self.pages) and self.pages[at].number == number else None

    def page_at(self, place: int) -> Page | None:
        """Return the page that holds a character; None where the format has no pages."""
        if not self.pages:
            return None
        return self.pages[max(bisect_right(self.pages, place, key=lambda page: page.start) - 1, 0)]

    def mentions_in(self, start: int, end: int) -> list[Mention]:
        """Mentions that lie wholly in start..end; those without extent are left out."""
        first = bisect_left(self.mentions, start, key=lambda mention: mention.start)
        found = []
        for mention in self.mentions[first:]:
            if mention.start >= end:
                break
            if mention.start < mention.end <= end:
                found.append(mention)
        return found

    def mention_at(self, place: int) -> Mention | None:
        """Return the shortest mention that covers a character."""
        near = self.mentions_in(max(place - 300, 0), place + 300)
        covering = [mention for mention in near if mention.start <= place < mention.end]
        return min(covering, key=lambda mention: mention.end - mention.start, default=None)


def read_document(workspace: Workspace, document_id: str, context: TaskContext) -> OpenDocument:
    """Return all that is drawn of a document; runs off the GUI thread."""
    document = workspace.documents.get(document_id)
    text = workspace.documents.text(document_id)
    context.check()
    mentions = sorted(workspace.documents.mentions(document_id), key=lambda mention: mention.start)
    context.check()
    stated = dict(workspace.documents.metadata(document_id))
    cells = (
        workspace.documents.regions(document_id, 0, len(text)) if SHEETS.search(document.media_type) else ()
    )
    return OpenDocument(
        document,
        text,
        tuple(workspace.documents.pages(document_id)),
        tuple(mentions),
        tuple(workspace.documents.blocks(document_id, 0, len(text))),
        placed=workspace.documents.placed(document_id),
        tables=tuple(workspace.documents.tables(document_id)),
        regions=tuple(cells),
        recognised=numbers_of(stated.get("ocr", "")),
    )


class Piece(NamedTuple):
    """Whole lines of a window, and Qt's position of their first sign in it."""

    position: int
    text: str

    @property
    def end(self) -> int:
        return self.position + len(self.text.encode("utf-16-le")) // 2


@dataclass(frozen=True, slots=True)
class Window:
    """Characters start..end of a document's text, and the text that Qt is handed for them."""

    start: int
    end: int
    text: str
    # Characters (from the window's start) from which on Qt's position is one further: behind a sign
    # of two UTF-16 units, and at a line feed that was put in.
    _shift_offsets: tuple[int, ...] = field(default=(), repr=False)

    def to_qt(self, place: int) -> int:
        """Position in the Qt document; clamped to the window."""
        inside = min(max(place, self.start), self.end) - self.start
        return inside + bisect_right(self._shift_offsets, inside)

    def from_qt(self, position: int) -> int:
        """Character of the document's text at a Qt position."""
        wide_chars = self._shift_offsets
        passed = bisect_right(range(len(wide_chars)), position, key=lambda at: wide_chars[at] + at + 1)
        return self.start + position - passed

    def holds(self, start: int, end: int) -> bool:
        return self.start <= start and end <= self.end

    def pieces(self) -> list[Piece]:
        """Return the shown text in pieces of whole lines, each of at least PIECE characters but the last."""
        found, at, position = [], 0, 0
        while at < len(self.text):
            end = self.text.find("\n", at + PIECE) + 1 or len(self.text)
            found.append(Piece(position, self.text[at:end]))
            at, position = end, found[-1].end
        return found or [Piece(0, "")]


def window_around(opened: OpenDocument, start: int, end: int, reach: int = REACH) -> Window:
    """Return the text from `reach` before a place to `reach` behind it."""
    return window(opened, start - reach, max(end, start) + reach)


def window(opened: OpenDocument, start: int, end: int) -> Window:
    """The text start..end, clamped to the document; each page begins a line, and no line is very long."""
    start = max(start, 0)
    end = min(max(end, start), len(opened.text))
    text = plain_signs(opened.text[start:end])
    pages = [page.start - start for page in opened.pages if start < page.start < end]
    breaks = sorted({*_long_line_breaks(text), *(at for at in pages if text[at - 1] != "\n")})
    wide = [] if text.isascii() else [at + 1 for at, sign in enumerate(text) if sign > "\uffff"]
    pieces = [text[one:other] for one, other in pairwise([0, *breaks, len(text)])]
    return Window(start, end, "\n".join(pieces), tuple(sorted(wide + breaks)))


def plain_signs(text: str) -> str:
    """Text of the same length in which a line feed is the only sign that starts a paragraph in Qt."""
    return _LONE_SURROGATE.sub("\ufffd", text.replace("\r\n", " \n")).translate(_SIGNS)


def _long_line_breaks(text: str) -> list[int]:
    """Return places that cut lines of more than LONG_LINE characters, behind a blank where there is one."""
    breaks, at = [], 0
    for line in text.split("\n"):
        end = at + len(line)
        while end - at > LONG_LINE:
            blank = text.rfind(" ", at + LONG_LINE // 2, at + LONG_LINE)
            at = blank + 1 if blank >= 0 else at + LONG_LINE
            breaks.append(at)
        at = end + 1
    return breaks


def numbers_of(ranges: str) -> frozenset[int]:
    """ "1-3, 7" -> 1, 2, 3 and 7."""
    found = (re.fullmatch(r"(\d{1,6})(?:-(\d{1,6}))?", part.strip()) for part in ranges.split(","))
    spans = ((int(one[1]), int(one[2] or one[1])) for one in found if one is not None)
    return frozenset(number for first, last in spans for number in range(first, last + 1))


def find_all(text: str, wanted: str, context: TaskContext) -> list[tuple[int, int]]:
    """Return places of a string, whatever its case, at most MOST_MATCHES; blanks match any white space."""
    words = [re.escape(word) for word in wanted.split()]
    if not words:
        return []
    pattern = re.compile(r"\s+".join(words), re.IGNORECASE)
    found: list[tuple[int, int]] = []
    at = 0
    while at < len(text) and len(found) < MOST_MATCHES:
        context.check()
        # In strides, so that the window's thread gets its turn: a search holds the interpreter.
        match = pattern.search(text, at, at + STRIDE + LONG_LINE)
        if match is not None and match.start() < at + STRIDE:
            found.append(match.span())
            at = match.end()
        else:
            at += STRIDE
    return found
