"""What a reader hands to the loader: text, pages, blocks; and the headings under which a place stands."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from core.config import ReadingConfig
from core.errors import DocumentError
from core.ingest.cleaning import one_line
from core.ingest.ocr import installed
from core.text.translation import tr
from core.types import Block, BlockKind, Boxes, DocumentTable, Notice, Page, Region

READER = "12"  # raised when a reader gives other text for the same file
NO_TEXT = DocumentError(
    tr("The file holds no text."), tr("If it holds pictures of text, run it through an OCR program.")
)


@dataclass(frozen=True, slots=True)
class Reading:
    """Cleaned text of a file and what the file says of itself; empty where it says nothing."""

    text: str
    pages: tuple[Page, ...] = ()
    title: str = ""  # as its metadata has it, sensible or not
    heading: str = ""  # its first heading
    date: str = ""  # in whatever form the file has it
    author: str = ""
    regions: tuple[Region, ...] = ()
    boxes: Boxes | None = None
    blocks: tuple[Block, ...] = ()
    tables: tuple[DocumentTable, ...] = ()
    metadata: tuple[tuple[str, str], ...] = ()
    notices: tuple[Notice, ...] = ()


def reader_version(config: ReadingConfig) -> str:
    """Changes when the same file may be read differently: with the readers, and with OCR at hand."""
    return f"{READER} ocr {config.ocr_language}" if installed() else READER


def is_panic(error: BaseException) -> bool:
    """Whether an extension written in Rust stumbled over a bug of its own; that is no Exception."""
    return type(error).__name__ == "PanicException"


# ------------------------------------------------------------ blocks and headings


LONGEST_HEADING = 200  # characters; a longer one is prose that was set as a heading


def in_order(blocks: Iterable[Block]) -> tuple[Block, ...]:
    """Blocks with some text, by start, the outer before the inner."""
    return tuple(sorted((b for b in blocks if b.end > b.start), key=lambda b: (b.start, -b.end)))


class Outline:
    """Paths of headings by place. A heading stands under those of a lower level before it."""

    def __init__(self, text: str, blocks: Sequence[Block], title: str) -> None:
        """`title`, which is read with every passage anyway, is no part of a path."""
        self._starts: list[int] = []
        self._over: list[tuple[str, ...]] = []  # the path of each heading
        self._under: list[tuple[str, ...]] = [()]  # of what follows each, the first of what precedes all
        stack: list[tuple[int, str]] = []
        known = one_line(title).casefold()
        for block in blocks:
            if block.kind is not BlockKind.HEADING or block.end - block.start > LONGEST_HEADING:
                continue
            while stack and stack[-1][0] >= block.level:
                stack.pop()
            self._starts.append(block.start)
            self._over.append(tuple(words for _, words in stack if words))
            words = one_line(text[block.start : block.end])
            stack.append((block.level, "" if words.casefold() == known else words))
            self._under.append(tuple(words for _, words in stack if words))

    def path(self, at: int) -> tuple[str, ...]:
        """Headings above the place `at`, the outermost first; of a heading, those above it."""
        index = bisect_left(self._starts, at)
        heading = index < len(self._starts) and self._starts[index] == at
        return self._over[index] if heading else self._under[index]

    def paths(self) -> set[tuple[str, ...]]:
        """Every path that a place has."""
        return {*self._over, *self._under}


class Blocks:
    """The blocks of a document by place."""

    def __init__(self, blocks: Sequence[Block]) -> None:
        """`blocks` by start, the outer before the inner."""
        self._blocks = blocks
        self._starts = [block.start for block in blocks]
        self._around: list[int] = []  # of each block the number of the one that it lies in, -1 for none
        opened: list[int] = []
        for number, block in enumerate(blocks):
            while opened and blocks[opened[-1]].end <= block.start:
                opened.pop()
            self._around.append(opened[-1] if opened else -1)
            opened.append(number)

    def within(self, start: int, end: int) -> tuple[Block, ...]:
        """The parts of blocks that lie in text[start:end], counted from `start`."""
        first, last = bisect_right(self._starts, start), bisect_left(self._starts, end)
        outer: list[int] = []
        number = first - 1
        while number >= 0:  # a block around all of a long text must not have all before it looked through
            outer.append(number)
            number = self._around[number]
        return tuple(
            replace(b, start=max(b.start, start) - start, end=min(b.end, end) - start)
            for b in map(self._blocks.__getitem__, (*reversed(outer), *range(first, last)))
            if b.end > start
        )
