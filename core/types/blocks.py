"""What the parts of a document are: headings, items, tables, turns of a conversation. What lies in none is prose."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class BlockKind(StrEnum):
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
