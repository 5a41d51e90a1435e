"""Finds what repeats across documents: sign-up forms and cookie notices of saved pages, footers of mailing lists.

Only where furniture is to be expected: in pages whose own menus were found, next to those or at an edge, and at the end
of mails. Clauses, headings and lists of names that many documents share are their content.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Set
from dataclasses import dataclass
from hashlib import blake2b
from itertools import groupby

from core.ingest import media
from core.ingest.cleaning import one_line
from core.ingest.language import main_language, with_languages
from core.ingest.outline import Blocks, in_order
from core.progress import TaskContext
from core.protocols import Chunker
from core.store.store import Store
from core.types import Block, BlockKind, LoadedDocument

OFTEN = 4  # documents, of one author one
REPEATED = 1  # the level of boilerplate that the other documents tell; what the page itself tells has level 0
MOST = 0.5  # share of a page's text; where more repeats, the page is a version of another
CONTENT = frozenset({BlockKind.TABLE, BlockKind.CODE})
LINE = re.compile(r"\S(?:[^\n]*\S)?")


@dataclass(frozen=True, slots=True)
class _Line:
    start: int
    end: int
    hash: int | None  # None: it is no furniture, whatever repeats
    around: bool  # boilerplate by what the page itself tells


def line_hashes(document: LoadedDocument) -> Set[int]:
    """Hashes of the lines that are boilerplate if other documents have them."""
    return {line.hash for line in _lines(document) if line.hash is not None}


def repeated_blocks(document: LoadedDocument, repeated: Set[int]) -> tuple[Block, ...]:
    """The lines with these hashes that are boilerplate."""
    lines = list(_lines(document))
    mail = document.media_type == media.MAIL
    found: list[_Line] = []
    at = 0
    for furniture, run in groupby(lines, key=lambda line: line.around or line.hash in repeated):
        part = list(run)
        at += len(part)
        edge = at == len(lines) or (at == len(part) and not mail)
        if furniture and (edge or any(line.around for line in part)):
            found += (line for line in part if not line.around)
    own = sum(line.end - line.start for line in lines if not line.around)
    most = own - 1 if mail else MOST * own
    if sum(line.end - line.start for line in found) > most:
        return ()
    return tuple(Block(BlockKind.BOILERPLATE, line.start, line.end, REPEATED) for line in found)


def settle_repetition(store: Store, chunker: Chunker, context: TaskContext) -> None:
    """Cut the passages anew of documents in which other lines repeat than before. Raises Cancelled."""
    documents = store.lines.refresh(OFTEN)
    for number, id in enumerate(documents):
        document = store.documents.get(id)
        context.report("compare", number, len(documents), document.path)
        text = store.documents.text(id)
        before = tuple(store.documents.blocks(id, 0, len(text)))
        own = tuple(block for block in before if not _by_others(block))
        pages = tuple(store.documents.pages(id))
        loaded = LoadedDocument(text, document.title, document.media_type, pages=pages, blocks=own)
        # The outer one first, where a line is a block of its own.
        blocks = in_order((*repeated_blocks(loaded, store.lines.repeated(id)), *own))
        with store.database.transaction() as connection:
            if blocks != before:
                loaded = LoadedDocument(text, document.title, document.media_type, pages=pages, blocks=blocks)
                passages = with_languages(chunker.passages(id, loaded), loaded)
                store.documents.rechunk(connection, id, blocks, passages, main_language(passages))
            store.lines.settled(connection, id)


def _by_others(block: Block) -> bool:
    return block.kind is BlockKind.BOILERPLATE and block.level == REPEATED


def _lines(document: LoadedDocument) -> Iterator[_Line]:
    """The lines of a saved page or a mail; of other documents none."""
    if document.media_type != media.MAIL and not any(
        block.kind is BlockKind.BOILERPLATE for block in document.blocks
    ):
        return
    blocks = Blocks(document.blocks)
    turns = {block.start for block in document.blocks if block.kind is BlockKind.TURN}
    # What stands above a mail says who wrote it to whom, so it is neither the mail's text nor furniture.
    notes = (b.end for b in document.blocks if b.kind is BlockKind.NOTE and b.start == 0)
    for match in LINE.finditer(document.text, next(notes, 0)):
        start, end = match.span()
        within = blocks.within(start, end)
        spans_line = all(block.start == 0 and block.end == end - start for block in within)
        around = any(block.kind is BlockKind.BOILERPLATE for block in within)
        content = start in turns or not spans_line or any(block.kind in CONTENT for block in within)
        yield _Line(start, end, None if around or content else _hash(match[0]), around)


def _hash(line: str) -> int:
    words = one_line(line).casefold().encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(words, digest_size=8).digest(), signed=True)
