"""Which documents are listed, and in which order; what is seen of them is read a page at a time."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import PurePosixPath
from typing import Any

from core.store.documents import DocumentColumns
from core.store.store import Store
from core.types import Document, DocumentListing, State
from core.workspace.document_filter import DocumentFilter

NAME, STATE, PAGES, PASSAGES, KIND, DATE, REASON = range(7)
_NUMBER = re.compile(r"(\d+)")
_STATES = {State.FAILED: 0, State.DONE: 1, State.PENDING: 3}  # 2: read in part


def kind_of(path: str, media_type: str) -> str:
    """The format in a word people use: the file's ending in capitals."""
    return PurePosixPath(path).suffix.lstrip(".").upper() or media_type


def natural(text: str) -> str:
    """A sort key by which "Note 2" comes before "Note 10"; before each number a NUL, which no text of a store has."""
    return _NUMBER.sub(_by_length, text.lower())


def _by_length(number: re.Match[str]) -> str:
    digits = "".join(str(int(digit)) for digit in number[0]) if not number[0].isascii() else number[0]
    digits = digits.lstrip("0")
    return f"\0{chr(len(digits))}{digits}"


def listed(
    store: Store, wanted: DocumentFilter, failed_only: bool, column: int, descending: bool
) -> DocumentListing:
    """All documents that match, only failed ones if asked, by a column; those alike there by path.

    Half a second for 100,000 documents, so not on a window's thread.
    """
    table = store.documents.columns()
    failed = [
        state == State.FAILED or id in table.failed for id, state in zip(table.ids, table.states, strict=True)
    ]
    rows = [at for at in range(len(table.ids)) if not failed_only or failed[at]]
    if wanted.terms:
        rows = [at for at in rows if wanted.matches(_document(table, at))]
    rank, paths = _rank(table, column), table.paths
    # Two sorts by texts and numbers: a tuple for each of 100,000 documents would keep the garbage collector busy.
    rows.sort(key=lambda at: natural(paths[at]), reverse=descending)
    rows.sort(key=rank, reverse=descending)
    return DocumentListing(
        tuple([table.ids[at] for at in rows]),
        len(table.ids),
        sum(failed),
        sum(state == State.FAILED for state in table.states),
    )


def _rank(table: DocumentColumns, column: int) -> Callable[[int], Any]:
    """By what the document of a row of the table is sorted."""
    if column == NAME:
        return lambda at: natural(table.titles[at] or PurePosixPath(table.paths[at]).name)
    if column == STATE:
        return lambda at: _state(table, at)
    if column == PAGES:
        return table.pages.__getitem__
    if column == PASSAGES:
        return table.passages.__getitem__
    if column == KIND:
        return lambda at: natural(kind_of(table.paths[at], table.media_types[at]))
    if column == DATE:
        return lambda at: table.dates[at] or ""
    return lambda at: natural(table.reasons[at])


def _state(table: DocumentColumns, at: int) -> int:
    state = State(table.states[at])
    return 2 if state is State.DONE and table.ids[at] in table.failed else _STATES[state]


def _document(table: DocumentColumns, at: int) -> Document:
    """As far as filters look at it."""
    return Document(
        table.ids[at],
        table.paths[at],
        "",
        0,
        table.titles[at],
        table.media_types[at],
        date=table.dates[at],
        author=table.authors[at],
        state=State(table.states[at]),
    )
