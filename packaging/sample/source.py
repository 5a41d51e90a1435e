"""The small markup in which the sample's binary documents are written.

A source is a header of `key: value` lines, an empty line, and blocks separated by empty lines:
`# ` and `## ` headings, `- ` bullets, `| a | b |` table rows, `@ ` lines that keep their breaks,
`! ` speaker's notes, `---` for a new page; all else is a paragraph.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from pathlib import Path

MARKS = {"# ": "title", "## ": "heading", "- ": "bullets", "@ ": "lines", "! ": "notes"}


@dataclass(frozen=True, slots=True)
class Block:
    """`kind` is title, heading, bullets, lines, notes, table, break or paragraph."""

    kind: str
    lines: tuple[str, ...] = ()

    @property
    def rows(self) -> list[list[str]]:
        """The cells of a table, row by row."""
        return [[cell.strip() for cell in line.strip().strip("|").split("|")] for line in self.lines]


@dataclass(frozen=True, slots=True)
class Source:
    """One document to make. `body` is the text under the header, as it stands."""

    title: str
    author: str
    date: date
    look: str
    letterhead: tuple[str, ...]
    encoding: str
    body: str

    @property
    def blocks(self) -> list[Block]:
        """The body cut into blocks, in order."""
        parts = [part.strip("\n") for part in self.body.split("\n\n")]
        return [_block(part) for part in parts if part.strip()]

    def parts(self, kind: str) -> list[tuple[str, list[Block]]]:
        """The blocks under each block of `kind`, with that block's text: slides, sheets, chapters."""
        found: list[tuple[str, list[Block]]] = []
        for block in self.blocks:
            if block.kind == kind:
                found.append((block.lines[0], []))
            else:
                found[-1][1].append(block)
        return found


def _block(text: str) -> Block:
    lines = text.split("\n")
    if text == "---":
        return Block("break")
    if lines[0].startswith("|"):
        return Block("table", tuple(lines))
    for mark, kind in MARKS.items():
        if lines[0].startswith(mark):
            return Block(kind, tuple(line.removeprefix(mark) for line in lines))
    return Block("paragraph", (" ".join(lines),))


def read_source(path: Path) -> Source:
    """Raises KeyError without a title and ValueError for a date that is not ISO 8601."""
    header, _, body = path.read_text(encoding="utf-8").partition("\n\n")
    keys = dict(line.split(": ", 1) for line in header.splitlines())
    return Source(
        title=keys["title"],
        author=keys.get("author", ""),
        date=date.fromisoformat(keys.get("date", "2021-01-01")),
        look=keys.get("look", "letter"),
        letterhead=tuple(part.strip() for part in keys.get("letterhead", "").split("|") if part.strip()),
        encoding=keys.get("encoding", "utf-8"),
        body=body,
    )
