"""Filter and list documents, a page at a time, and say in words what was not read of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from core.store.documents import DocumentColumns
from core.store.store import Store
from core.text.translation import tr, trn
from core.types import NOT_READ, Document, DocumentListing, Notice, NoticeKind, State

_TERM = re.compile(r'(?:(?P<field>[a-z]+):)?(?:"(?P<phrase>[^"]*)"|(?P<word>\S+))', re.IGNORECASE)

_FIELDS: Mapping[str, Callable[[Document], str]] = {
    "author": lambda document: document.author or "",
    "from": lambda document: document.author or "",
    "title": lambda document: document.title,
    "path": lambda document: document.path,
    "type": lambda document: f"{document.media_type} {document.path.rpartition('.')[2]}",
    "date": lambda document: document.date or "",
    "state": lambda document: document.state.value,
}


@dataclass(frozen=True, slots=True)
class DocumentFilter:
    """`lund author:"Karen Lund" type:pdf after:2021-05 before:2021-07`; every term must hold.

    A word is sought in title, path, author and date; `after` and `before` take the begin of an ISO
    date, both inclusive, and let no document without a date through. A field that there is none of is
    sought as a word. Letter case does not matter.
    """

    terms: tuple[tuple[str, str], ...] = ()

    @classmethod
    def parse(cls, text: str) -> DocumentFilter:
        """Never fails: whatever is typed is sought."""
        terms = []
        for match in _TERM.finditer(text.lower()):
            field, value = (
                match["field"] or "",
                match["phrase"] if match["phrase"] is not None else match["word"],
            )
            if field in (*_FIELDS, "after", "before"):
                terms.append((field, value))
            else:
                terms.append(("", f"{field}:{value}" if field else value))
        return cls(tuple(terms))

    def matches(self, document: Document) -> bool:
        return all(_holds(document, field, value) for field, value in self.terms)


def _holds(document: Document, field: str, value: str) -> bool:
    date = (document.date or "")[:10]
    if field == "after":
        return bool(date) and date[: len(value)] >= value
    if field == "before":
        return bool(date) and date[: len(value)] <= value
    if field:
        return value in _FIELDS[field](document).lower()
    return value in f"{document.title}\n{document.path}\n{document.author or ''}\n{date}".lower()


# ------------------------------------------------------------ listing


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


# ------------------------------------------------------------ notices in words


def describe_notices(notices: Sequence[Notice]) -> list[str]:
    """Return one line for each notice, what was not read first; for people, not yet safe to show as it stands."""
    return [_line(notice) for notice in sorted(notices, key=lambda notice: notice.kind not in NOT_READ)]


def summarise_notices(notices: Sequence[Notice]) -> str:
    """Return a few words for a list of documents: how much was not read, else what was guessed; "" for nothing."""
    left = sum(notice.count for notice in notices if notice.kind in NOT_READ)
    if left:
        return trn("{count} part not read", "{count} parts not read", left)
    return tr("read by a guess") if notices else ""


def _line(notice: Notice) -> str:
    words = _words(notice)
    return tr("{words}: {detail}", words=words, detail=notice.detail) if notice.detail else words


def _words(notice: Notice) -> str:
    count = notice.count
    if notice.kind is NoticeKind.CHART:
        return trn("{count} chart is not read", "{count} charts are not read", count)
    if notice.kind is NoticeKind.FORM:
        return trn("{count} form field is not read", "{count} form fields are not read", count)
    if notice.kind is NoticeKind.ANNOTATION:
        return trn("{count} annotation is not read", "{count} annotations are not read", count)
    if notice.kind is NoticeKind.COMMENT:
        return trn("{count} comment is not read", "{count} comments are not read", count)
    if notice.kind is NoticeKind.FORMULA:
        return trn(
            "{count} formula has no stored value and is not read",
            "{count} formulas have no stored value and are not read",
            count,
        )
    if notice.kind is NoticeKind.PICTURE:
        return trn(
            "{count} picture, which may hold text, is not read",
            "{count} pictures, which may hold text, are not read",
            count,
        )
    if notice.kind is NoticeKind.ALTERNATIVE:
        return tr("The mail has another wording, which is not read")
    if notice.kind is NoticeKind.HIDDEN:
        return trn("{count} hidden part is not read", "{count} hidden parts are not read", count)
    if notice.kind is NoticeKind.ENCODING:
        return tr("The encoding is a guess")
    if notice.kind is NoticeKind.DATE:
        return tr("The text names another date than the file")
    if notice.kind is NoticeKind.ORDER:
        return tr("The order of the text is a guess")
    return trn("{count} part is not read", "{count} parts are not read", count)
