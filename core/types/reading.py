"""What was read: documents, their blocks, tables, pages and passages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

CONTEXT = " › "
FACTS_READ_IN = frozenset({"en", "fr"})  # ISO 639; of other languages the rules read names alone


class BlockKind(StrEnum):
    """What a part of a document is; what lies in none is prose."""

    HEADING = "heading"  # level 1 to 6
    ITEM = "item"  # of a list
    TABLE = "table"
    QUOTATION = "quotation"  # words of somebody else, `speaker` where it is known; level: depth from 1
    TURN = "turn"  # what `speaker` says in a conversation, the line that names the speaker included
    CODE = "code"
    NOTE = "note"  # footnote, endnote, comment, signature
    EVENT = "event"  # what the program of a conversation tells: who came and went
    CAPTION = "caption"
    BOILERPLATE = "boilerplate"  # menus, share bars, notices: read by nobody, in no passage


@dataclass(frozen=True, slots=True)
class Block:
    """A run of a document's text (of a passage's, as its part). Blocks nest or lie apart, they never overlap else."""

    kind: BlockKind
    start: int
    end: int
    level: int = 0
    speaker: str = ""  # who says it, as written
    addressee: str = ""  # to whom, as written
    time: str = ""  # when, as written or in ISO 8601


@dataclass(frozen=True, slots=True)
class DocumentTable:
    """A table: columns with names, rows as records.

    `cells`, (n, 4) int32 in reading order: row from 0 (the header left out), column, start, end in the document.
    """

    name: str  # of the sheet, or the caption; "" for none
    start: int
    end: int
    columns: tuple[str, ...]  # names in order; "" for a column without one
    cells: NDArray[np.int32]


class State(StrEnum):
    """Where a document or a passage stands in one stage."""

    PENDING = "pending"
    DONE = "done"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Document:
    """A file of the folder or a part of one. `id` is a hash of `path`, so a changed file keeps its id."""

    id: str
    path: str  # relative to the folder, with forward slashes; of a part: the file's path, "/", its name
    sha256: str  # of the file
    size: int  # bytes
    title: str
    media_type: str
    modified_ns: int = 0
    date: str | None = None  # ISO 8601, as the document states it
    author: str | None = None
    pages: int = 0  # 0: the format has no pages
    state: State = State.PENDING
    reason: str = ""  # why it failed, in words for people
    remedy: str = ""  # what to do about it
    file: str = ""  # path of the file that holds it; "" where it came from no file
    language: str = ""  # ISO 639, of most of its text; "" where nothing tells


@dataclass(frozen=True, slots=True)
class Page:
    """Where a page lies in its document's text. `number` counts from 1."""

    number: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Region:
    """A place within a document that has a name: `Payments!B12` for a cell, `Slide notes`."""

    start: int
    end: int
    name: str


@dataclass(frozen=True, slots=True)
class Boxes:
    """Where runs of a document's text stand on its pages.

    `spans`, (n, 3) int32: start, end (document offsets, ascending), page number from 1. `corners`,
    (n, 4) float32: left, top, right, bottom in points (1/72 inch) from the page's top left corner.
    """

    spans: NDArray[np.int32]
    corners: NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class PagePicture:
    """A page, or a part of one, as it looks.

    `pixels` are rows of blue, green, red and an unused byte, four a pixel, packed. `clip` is left, top, right, bottom
    of what they show, in pixels of the whole page, which has `size` (width, height) at `scale` pixels a point.
    """

    number: int  # of the page, from 1
    scale: float
    clip: tuple[int, int, int, int]
    size: tuple[int, int]
    pixels: bytes


class NoticeKind(StrEnum):
    """What a person should know of how a document was read."""

    # Shown by the usual program and not in the text: `count` of them, `detail` where.
    CHART = "chart"
    FORM = "form"
    ANNOTATION = "annotation"
    COMMENT = "comment"
    FORMULA = "formula"  # a cell without a stored value
    PICTURE = "picture"  # that may hold text
    ALTERNATIVE = "alternative"  # the other wording of a mail, which says more than the one that was read
    HIDDEN = "hidden"  # text, rows, sheets or slides that the program hides
    OTHER = "other"  # `detail` names it
    # In the text, by a guess: `detail` is what was taken.
    ENCODING = "encoding"
    DATE = "date"  # of the text and of the file differ by more than a year; `detail` is the file's
    ORDER = "order"  # of what stands on a page


NOT_READ = frozenset(
    {
        NoticeKind.CHART, NoticeKind.FORM, NoticeKind.ANNOTATION, NoticeKind.COMMENT, NoticeKind.FORMULA,
        NoticeKind.PICTURE, NoticeKind.ALTERNATIVE, NoticeKind.HIDDEN, NoticeKind.OTHER,
    }
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Notice:
    """Something that was not read, or was read by a guess."""

    kind: NoticeKind
    count: int = 1
    detail: str = ""  # a name, a place or a value as the file has it; never a sentence


@dataclass(frozen=True, slots=True)
class LoadedDocument:
    """What a loader makes of a file: plain text, its pages and what the file says of itself."""

    text: str
    title: str
    media_type: str
    date: str | None = None
    author: str | None = None
    pages: tuple[Page, ...] = ()
    regions: tuple[Region, ...] = ()
    boxes: Boxes | None = None
    blocks: tuple[Block, ...] = ()  # by start, the outer before the inner
    tables: tuple[DocumentTable, ...] = ()
    metadata: tuple[tuple[str, str], ...] = ()  # (name, value), such as ("sender", "Ada <ada@example.org>")
    notices: tuple[Notice, ...] = ()


@dataclass(frozen=True, slots=True)
class LoadedPart:
    """One document of a file: the file itself, a member of an archive, an attachment, a message.

    `name` is "" for the file itself, else its path within the file ("inner/a.pdf"). A part that could
    not be read has no document, but a reason and a remedy.
    """

    name: str
    document: LoadedDocument | None
    reason: str = ""
    remedy: str = ""
    raw: str = ""  # what its reader said, word for word


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of a passage; offsets in the passage's text."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Passage:
    """A run of whole sentences that fits the encoder's window; offsets in the document's text."""

    id: str
    document_id: str
    ordinal: int  # 0, 1, 2... within the document
    title: str  # the document's
    text: str
    start: int
    end: int
    page: int | None = None  # page on which it starts, from 1
    sentences: tuple[Sentence, ...] = ()
    headings: tuple[str, ...] = ()  # under which it stands, the outermost first
    blocks: tuple[Block, ...] = ()  # the parts of blocks that lie in it; offsets in its text
    language: str = ""  # ISO 639; "" where nothing tells


def context_line(title: str, headings: Sequence[str]) -> str:
    """What is read before a passage, by the encoder and by the search for words: where it stands."""
    return CONTEXT.join(part for part in (title, *headings) if part)
