"""Documents as rows: which there are, and what stands in those that are looked at."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QLocale, QModelIndex, QPersistentModelIndex, Qt, Signal

from app.look import theme
from app.look.plain_text import tooltip
from app.look.translation import tr, trn
from core.text.escape_controls import escape_controls
from core.types import FACTS_READ_IN, NOT_READ, DocumentListing, DocumentRow, State
from core.workspace import describe_notices, kind_of, summarise_notices

BATCH = 200  # rows that are read at a time
MOST = 4_000  # rows at hand
MOST_STEPS = 40  # rows that come and go one by one
Index = QModelIndex | QPersistentModelIndex
ROLE = Qt.ItemDataRole
DOCUMENT = ROLE.UserRole  # the Document of a row
DETAIL = ROLE.UserRole + 1  # the second line of the first column
COLOUR = ROLE.UserRole + 2  # of the second line: a role of the theme
NAME, STATE, PAGES, PASSAGES, KIND, DATE, REASON = range(7)
TITLES = (tr("Document"), tr("State"), tr("Pages"), tr("Passages"), tr("Type"), tr("Date"), tr("Reason"))
SORTS = (
    tr("Sort by document"),
    tr("Sort by state"),
    tr("Sort by pages"),
    tr("Sort by passages"),
    tr("Sort by type"),
    tr("Sort by date"),
    tr("Sort by reason"),
)
TIPS = (
    tr("Title and path inside the folder"),
    tr("waiting, read, read in part or failed"),
    tr("Pages of the document, where its format has them"),
    tr("Passages that the document was cut into"),
    tr("Format, by the file's ending"),
    tr("The date that the document states"),
    tr("Why the document could not be read"),
)
STATES = {State.PENDING: tr("waiting"), State.DONE: tr("read"), State.FAILED: tr("failed")}
ICONS = {
    State.PENDING: ("clock", "muted"),
    State.DONE: ("check-circle", "ok"),
    State.FAILED: ("warning-circle", "error"),
}


def language_name(code: str) -> str:
    """ "de" -> "German"; a code that Qt does not know stays."""
    language = QLocale.codeToLanguage(code)
    return code if language == QLocale.Language.AnyLanguage else QLocale.languageToString(language)


class DocumentModel(QAbstractTableModel):
    """Which documents are listed, and of these the ones that were looked at last.

    `wanted(row)`: what stands there is not at hand; answer with `put`. `order_wanted`: other documents are to be
    listed, or in another order; answer with `show_listing`.
    """

    wanted = Signal(int)
    order_wanted = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.listing = DocumentListing()
        self._row: dict[str, int] = {}  # id -> row
        self._at_hand: dict[str, DocumentRow] = {}  # those that were put last come last
        self._asked: set[int] = set()  # pages that are on their way
        self._private: Mapping[str, str] = {}  # why, in words, by id
        self.column, self.order = NAME, Qt.SortOrder.AscendingOrder

    # ------------------------------------------------------------ content

    def show_listing(
        self, listing: DocumentListing, rows: Sequence[DocumentRow], keeping: bool = False
    ) -> None:
        """List these; those of `rows` are as they are now, all others are to be read again unless `keeping` them.

        Rows that stay keep their selection: only what came or went is told, where that is little.
        """
        before, after = self.listing.ids, listing.ids
        steps = _steps(before, after)
        stays = frozenset(after) if keeping else frozenset()
        cached = {id: row for id, row in self._at_hand.items() if id in stays}
        self._at_hand, self._asked = {**cached, **{row.document.id: row for row in rows}}, set()
        if steps is None:
            self.beginResetModel()
            self._list(listing)
            self.endResetModel()
            return
        ids = list(before)
        for row, id in steps:
            if id:
                self.beginInsertRows(QModelIndex(), row, row)
                ids.insert(row, id)
            else:
                self.beginRemoveRows(QModelIndex(), row, row)
                del ids[row]
            self.listing = replace(self.listing, ids=tuple(ids))
            (self.endInsertRows if id else self.endRemoveRows)()
        self._list(listing)
        if after:
            self.dataChanged.emit(self.index(0, 0), self.index(len(after) - 1, len(TITLES) - 1))

    def _list(self, listing: DocumentListing) -> None:
        self.listing = listing
        self._row = {id: row for row, id in enumerate(listing.ids)}

    def put(self, rows: Sequence[DocumentRow]) -> None:
        """What stands in some rows, as it is now; what was put long before is forgotten."""
        for row in rows:
            self._at_hand.pop(row.document.id, None)
            self._at_hand[row.document.id] = row
        for id in list(self._at_hand)[: max(0, len(self._at_hand) - MOST)]:
            del self._at_hand[id]
        places = [place for row in rows if (place := self._row.get(row.document.id)) is not None]
        self._asked.difference_update({place // BATCH for place in places})
        if places:
            self.dataChanged.emit(self.index(min(places), 0), self.index(max(places), len(TITLES) - 1))

    def set_private(self, reasons: Mapping[str, str]) -> None:
        """Set which documents say that they are private, and why."""
        if reasons != self._private:
            self._private = reasons
            if self.listing.ids:
                self.dataChanged.emit(self.index(0, 0), self.index(len(self.listing.ids) - 1, NAME))

    def private(self, document_id: str) -> bool:
        return document_id in self._private

    def page(self, row: int) -> tuple[str, ...]:
        """Return ids of what is read together with a row."""
        first = row // BATCH * BATCH
        return self.listing.ids[first : first + BATCH]

    def missing(self, rows: Sequence[int]) -> list[str]:
        """Return ids of what stands in these rows and is not at hand."""
        return [id for row in rows if (id := self.listing.ids[row]) not in self._at_hand]

    def at(self, row: int) -> DocumentRow | None:
        """Return what stands there, as far as it is at hand; else it is asked for."""
        if not 0 <= row < len(self.listing.ids):
            return None
        found = self._at_hand.get(self.listing.ids[row])
        if found is None and row // BATCH not in self._asked:
            self._asked.add(row // BATCH)
            self.wanted.emit(row)
        return found

    @property
    def matching(self) -> int:
        return len(self.listing.ids)

    @property
    def total(self) -> int:
        """Documents with and without the filter's consent."""
        return self.listing.total

    @property
    def failed(self) -> int:
        """Documents that could not be read, wholly or in part."""
        return self.listing.failed

    @property
    def unread(self) -> int:
        """Documents of which nothing could be read."""
        return self.listing.unread

    def row_of(self, document_id: str) -> int:
        """Return the row of a document; -1 when the filter hides it."""
        return self._row.get(document_id, -1)

    def cells(self, row: int) -> list[str]:
        """Return a row word for word, as it is copied; empty where it is not at hand."""
        found = self.at(row)
        return [_value(found, column) if found is not None else "" for column in range(len(TITLES))]

    # ------------------------------------------------------------ Qt

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008, N802 - Qt's
        return 0 if parent.isValid() else len(self.listing.ids)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008, N802 - Qt's
        return 0 if parent.isValid() else len(TITLES)

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        self.column, self.order = max(column, 0), order
        self.order_wanted.emit()

    def headerData(  # noqa: N802 - Qt's
        self, section: int, orientation: Qt.Orientation, role: int = ROLE.DisplayRole
    ) -> Any:
        if orientation != Qt.Orientation.Horizontal:
            return None
        if role == ROLE.DisplayRole:
            return TITLES[section]
        if role == ROLE.ToolTipRole:
            return tooltip(TIPS[section])
        if role == ROLE.TextAlignmentRole and section in (PAGES, PASSAGES):
            return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        return None

    def data(self, index: Index, role: int = ROLE.DisplayRole) -> Any:
        row = self.at(index.row()) if index.isValid() and role in _ROLES else None
        if row is None:
            return None
        document, column = row.document, index.column()
        if role == ROLE.DisplayRole:
            return escape_controls(_value(row, column))
        if role == DOCUMENT:
            return document
        if role == DETAIL:
            words = escape_controls(_detail(row))
            return tr("private   {words}", words=words) if self.private(document.id) else words
        if role == COLOUR:
            return _colour(row)
        if role == ROLE.ToolTipRole:
            return _tip(row, self._private.get(document.id, ""))
        if role == ROLE.DecorationRole and column == NAME:
            partly = document.state is State.DONE and row.failed
            if self.private(document.id) and document.state is State.DONE and not partly:
                return theme.icon("lock", "accent")
            return theme.icon("warning", "warn") if partly else theme.icon(*ICONS[document.state])
        if role == ROLE.AccessibleTextRole and column == NAME:
            words = tr("{name}, {state}", name=escape_controls(_value(row, NAME)), state=_state(row))
            return tr("{words}, private", words=words) if self.private(document.id) else words
        if role == ROLE.TextAlignmentRole and column in (PAGES, PASSAGES):
            return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        return None


_ROLES = frozenset(
    {
        ROLE.DisplayRole, ROLE.ToolTipRole, ROLE.DecorationRole, ROLE.AccessibleTextRole, ROLE.TextAlignmentRole,
        DOCUMENT, DETAIL, COLOUR,
    }
)  # fmt: skip


def _steps(before: Sequence[str], after: Sequence[str]) -> list[tuple[int, str]] | None:
    """How one list of ids becomes the other: (row, "") for what goes there, (row, id) for what comes, one after the
    other; None where much does, or what stays is in another order."""
    if before == after:
        return []
    if abs(len(before) - len(after)) > MOST_STEPS:
        return None
    gone, new = set(before).difference(after), set(after).difference(before)
    if len(gone) + len(new) > MOST_STEPS:
        return None
    if [id for id in before if id not in gone] != [id for id in after if id not in new]:
        return None
    away = [(row, "") for row, id in enumerate(before) if id in gone]
    return [*reversed(away), *((row, id) for row, id in enumerate(after) if id in new)]


def _value(row: DocumentRow, column: int) -> str:
    document = row.document
    if column == NAME:
        return document.title or PurePosixPath(document.path).name
    if column == STATE:
        return _state(row)
    if column == PAGES:
        return f"{document.pages:,}" if document.pages else ""
    if column == PASSAGES:
        return f"{row.passages:,}" if row.passages else ""
    if column == KIND:
        return kind_of(document.path, document.media_type)
    if column == DATE:
        return document.date or ""
    return document.reason


def _state(row: DocumentRow) -> str:
    partly = row.document.state is State.DONE and row.failed
    return tr("read in part") if partly else STATES[row.document.state]


def _colour(row: DocumentRow) -> str:
    if row.document.state is State.FAILED:
        return "error"
    left_out = any(notice.kind in NOT_READ for notice in row.notices)
    return "warn" if row.failed or left_out else "muted"


def _detail(row: DocumentRow) -> str:
    document = row.document
    if document.state is State.FAILED:
        return document.reason
    if row.failed:
        return trn("{count} passage failed", "{count} passages failed", row.failed)
    parts = [kind_of(document.path, document.media_type)]
    if words := summarise_notices(row.notices):
        parts.append(words)
    if document.pages:
        parts.append(trn("{count} page", "{count} pages", document.pages))
    if row.passages and document.state is State.DONE:
        parts.append(trn("{count} passage", "{count} passages", row.passages))
    elif document.state is State.PENDING:
        parts.append(STATES[State.PENDING])
    if document.date:
        parts.append(document.date[:10])
    if document.language not in {"", "en"}:
        parts.append(language_name(document.language))
    return "   ".join(parts)


def _tip(row: DocumentRow, private: str) -> str:
    document = row.document
    size = tr("{state}, {size} bytes", state=STATES[document.state], size=document.size)
    lines = [document.title, document.path, size]
    if document.state is State.FAILED:
        lines += [document.reason, document.remedy]
    elif document.language:
        name = language_name(document.language)
        lines.append(
            tr("Written in {language}.", language=name)
            if document.language in FACTS_READ_IN
            else tr(
                "Written in {language}: its names are read, facts only by a language model.", language=name
            )
        )
    lines += [*describe_notices(row.notices), private]
    return tooltip("\n".join(line for line in dict.fromkeys(map(escape_controls, lines)) if line))
