"""Collects a written document in reading order: paragraphs, points, tables, and what hangs on them."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from core.ingest.cleaning import clean, joined_lines, one_line
from core.ingest.drawings import Chart
from core.ingest.package import Element, Stated
from core.ingest.reading import Reading
from core.ingest.running_lines import PAGE_NUMBER
from core.ingest.sheets import document_tables
from core.ingest.tables import Table, placed_table, sparse
from core.types import Block, BlockKind, DocumentTable, Notice, NoticeKind, Page, Region

DEEPEST_HEADING = 6
DAY = re.compile(r"\d{4}-\d\d-\d\d")  # at the beginning of a time


@dataclass(frozen=True, slots=True)
class Part:
    """A cleaned run of text of one kind; prose where the kind is None."""

    text: str
    kind: BlockKind | None = None
    level: int = 0
    linked: int = 0  # characters that stand in links
    table: Table | None = None  # whose text this is


def table_part(rows: Sequence[Sequence[str]], linked: int = 0) -> Part:
    """Rows with the places of their cells."""
    table = placed_table(sparse(rows))
    return Part(table.text, BlockKind.TABLE, linked=linked, table=table)


def labelled(label: str, text: str) -> str:
    """A text after its number, if it has one."""
    return f"{label} {text}" if label else text


def comment_lead(author: str, time: str = "") -> str:
    """What stands before a comment: "Comment by Ada Moe (2024-05-04): "."""
    name, day = one_line(author), DAY.match(time)
    return "Comment" + (f" by {name}" if name else "") + (f" ({day[0]})" if day else "") + ": "


class Flow:
    """The text so far; each part is cleaned by itself, so that places stay true."""

    def __init__(self) -> None:
        self._heading = ""  # the first one
        self._regions: list[Region] = []
        self._pieces: list[str] = []
        self._blocks: list[Block] = []
        self._length = 0
        self._starts: list[int] = []  # of the parts
        self._last: BlockKind | None = None
        self._tables: list[DocumentTable] = []
        self._above = ""  # the heading or caption that stood last
        self._notices: Counter[tuple[NoticeKind, str]] = Counter()

    def reading(self, stated: Stated) -> Reading:
        text = "".join(self._pieces)
        begins = "" if self._blocks and self._blocks[0].start == 0 else heading_of(text)
        return Reading(
            text,
            title=stated.title,
            heading=self._heading or begins,
            date=stated.date,
            author=stated.author,
            regions=tuple(self._regions),
            blocks=tuple(self._blocks),
            tables=tuple(self._tables),
            notices=tuple(Notice(kind, count, detail) for (kind, detail), count in self._notices.items()),
        )

    def notice(self, kind: NoticeKind, count: int = 1, detail: str = "") -> None:
        """Count what is not read; alike ones are one notice."""
        if count:
            self._notices[kind, one_line(detail)] += count

    @property
    def parts(self) -> int:
        """How many there are so far."""
        return len(self._starts)

    def page(self, number: int, before: int) -> Page:
        """The page that holds all parts but for the `before` first ones."""
        start = self._starts[before] if before < len(self._starts) else self._length
        return Page(number, start, self._length)

    def paragraph(self, text: str) -> None:
        self.add(Part(clean(text)))

    def title(self, text: str, level: int, label: str = "") -> None:
        """A heading, after its number where it has one."""
        if words := clean(text):
            self.add(Part(labelled(label, words), BlockKind.HEADING, min(max(level, 1), DEEPEST_HEADING)))

    def point(self, text: str, label: str = "") -> None:
        """An item of a list, after its number or, without one, a dash."""
        if line := joined_lines(text):
            self.add(Part(labelled(label or "-", line), BlockKind.ITEM))

    def caption(self, text: str) -> None:
        """The words for a picture."""
        self.add(Part(clean(text), BlockKind.CAPTION))

    def chart(self, chart: Chart) -> None:
        """A chart as its title with its kind, and a table; a notice where the file holds no values of it."""
        self.caption(chart.heading)
        self.table(chart.rows)
        if not chart.rows:
            self.notice(NoticeKind.CHART, detail=chart.title)

    def table(self, rows: Sequence[Sequence[str]]) -> None:
        self.add(table_part(rows))

    def note(self, name: str, lead: str, text: str) -> None:
        """What does not stand in the text itself; it is a region of that name."""
        if body := clean(text):
            self.add(Part(lead + body, BlockKind.NOTE))
            self._regions.append(Region(self._length - len(lead + body), self._length, name))

    def add(self, part: Part) -> None:
        """What stands next; an empty part is nothing."""
        if not part.text:
            return
        near = part.kind is BlockKind.ITEM or part.kind is self._last is BlockKind.BOILERPLATE
        gap = "" if not self._pieces else "\n" if near else "\n\n"
        self._pieces += [gap, part.text]
        start = self._length + len(gap)
        self._starts.append(start)
        self._length = start + len(part.text)
        if part.kind is BlockKind.HEADING and not self._heading:
            self._heading = one_line(part.text)
        if part.kind in {BlockKind.HEADING, BlockKind.CAPTION}:
            self._above = one_line(part.text)
        if part.table is not None and part.kind is BlockKind.TABLE:
            self._tables += document_tables(self._above, part.table, start)
        if part.kind is not None:
            if part.kind is self._last is BlockKind.BOILERPLATE:
                start = self._blocks.pop().start
            self._blocks.append(Block(part.kind, start, self._length, part.level))
        self._last = part.kind


class Walk(ABC):
    """One walk through the XML of a document. Notes, comments and text boxes follow the block they hang on."""

    def __init__(self) -> None:
        self.flow = Flow()
        self._waiting: list[tuple[str, Element | str]] = []  # (name of the note, element or words)
        self._notes = self._comments = 0

    @abstractmethod
    def blocks(self, element: Element) -> None:
        """Tell all paragraphs and tables below."""

    @abstractmethod
    def lines(self, element: Element) -> Iterator[str]:
        """The text of each paragraph, and of the rows of tables."""

    @abstractmethod
    def signature(self, comment: Element) -> tuple[str, str]:
        """Who wrote a comment, and when in ISO 8601; "" where it does not say."""

    def margin(self, kind: str, roots: Iterable[Element]) -> None:
        """Headers or footers: each line once, a page number alone never."""
        lines = dict.fromkeys(line for root in roots for line in self.lines(root))
        words = [line for line in lines if not PAGE_NUMBER.fullmatch(line.strip().lower())]
        self.flow.note(kind, "", "\n".join(words))
        self.hanging()

    def box(self, element: Element) -> None:
        """Have the blocks below told after this one."""
        self._waiting.append(("", element))

    def caption(self, words: str) -> None:
        """Have the words for a picture told after this block."""
        self._waiting.append(("", words))

    def mark(self, kind: str, element: Element) -> str:
        """Have a note told after this block; its sign in the text: "[1]", none for a comment."""
        if kind == "comment":
            self._comments += 1
            self._waiting.append((f"Comment {self._comments}", element))
            return ""
        self._notes += 1
        self._waiting.append((f"{kind.capitalize()} {self._notes}", element))
        return f"[{self._notes}]"

    def hanging(self) -> None:
        """Tell what waits, and what hangs on that."""
        while self._waiting:
            name, element = self._waiting.pop(0)
            if isinstance(element, str):
                self.flow.caption(element)
                continue
            if not name:
                outer, self._waiting = self._waiting, []
                self.blocks(element)
                self._waiting += outer
                continue
            kind, _, number = name.partition(" ")
            lead = comment_lead(*self.signature(element)) if kind == "Comment" else f"[{number}] "
            self.flow.note(name, lead, "\n".join(self.lines(element)))


def heading_of(text: str) -> str:
    """Return the first line if it looks like a heading (short, alone, no full stop), else an empty string."""
    first, _, rest = text.partition("\n")
    first = first.strip(" #*=_\t")
    alone = not rest or rest.startswith("\n") or len(first) < 60
    plain = (
        first and not first.endswith((".", ",", ";", ":", "!")) and ": " not in first and "\t" not in first
    )
    return first if plain and alone and len(first) <= 120 and not first[0].islower() else ""
