"""Documents as rows: filtered, sorted, fetched lazily as one scrolls."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QLocale, QModelIndex, QPersistentModelIndex, Qt

from app.look import theme
from app.look.plain_text import tooltip
from app.look.translation import tr, trn
from core.types import FACTS_READ_IN, Document, State
from core.visible import visible
from core.workspace import DocumentFilter

BATCH = 200  # rows handed to the view at a time
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


def kind_of(document: Document) -> str:
    """The format in a word people use: the file's ending in capitals."""
    return PurePosixPath(document.path).suffix.lstrip(".").upper() or document.media_type


def language_name(code: str) -> str:
    """ "de" -> "German"; a code that Qt does not know stays."""
    language = QLocale.codeToLanguage(code)
    return code if language == QLocale.Language.AnyLanguage else QLocale.languageToString(language)


def natural(text: str) -> tuple[tuple[int, str], ...]:
    """A sort key by which "Note 2" comes before "Note 10"."""
    parts = re.split(r"(\d+)", text.lower())
    return tuple((int(part), "") if part.isdecimal() else (-1, part) for part in parts)


class DocumentModel(QAbstractTableModel):
    """All documents of the workspace; what is shown follows the filter and the sorting."""

    def __init__(self) -> None:
        super().__init__()
        self._all: list[Document] = []
        self._shown: list[Document] = []
        self._loaded = 0
        self._passages: dict[str, int] = {}
        self._troubled: dict[str, int] = {}  # failed passages by document id
        self._wanted, self._failed_only = DocumentFilter(), False
        self._column, self._order = NAME, Qt.SortOrder.AscendingOrder

    # ------------------------------------------------------------ content

    def set_documents(
        self, documents: list[Document], failed_passages: Mapping[str, int] | None = None
    ) -> None:
        """Show these; rows that stay where they are keep their place and selection.

        failed_passages: how many passages failed, by document id.
        """
        self._all = list(documents)
        self._troubled = dict(failed_passages or {})
        shown = self._arranged()
        if [d.id for d in shown] == [d.id for d in self._shown]:
            self._shown = shown
            if self._loaded:
                self.dataChanged.emit(self.index(0, 0), self.index(self._loaded - 1, len(TITLES) - 1))
            return
        self._reset(shown)

    def renew(
        self, ids: Collection[str], documents: Sequence[Document], failed_passages: Mapping[str, int]
    ) -> None:
        """Show these documents as they are now, and no more those of `ids` that are not among them."""
        now = {document.id: document for document in documents}
        self._all = [*(d for d in self._all if d.id not in ids), *documents]
        self._troubled = {id: n for id, n in self._troubled.items() if id not in ids} | dict(failed_passages)
        for id in ids:
            document, row = now.get(id), self._place_of(id)
            if document is not None and not self._wants(document):
                document = None
            if row >= 0 and document is not None and self._stays(row, document):
                self._shown[row] = document
                if row < self._loaded:
                    self.dataChanged.emit(self.index(row, 0), self.index(row, len(TITLES) - 1))
                continue
            if row >= 0:
                self._take(row)
            if document is not None:
                self._put(document)

    def _stays(self, row: int, document: Document) -> bool:
        """Whether a document belongs where it stood before it changed."""
        return self._rank(document) == self._rank(self._shown[row])

    def _take(self, row: int) -> None:
        if row < self._loaded:
            self.beginRemoveRows(QModelIndex(), row, row)
            self._loaded -= 1
            del self._shown[row]
            self.endRemoveRows()
        else:
            del self._shown[row]

    def _put(self, document: Document) -> None:
        row = self._row_for(document)
        if row <= self._loaded:
            self.beginInsertRows(QModelIndex(), row, row)
            self._loaded += 1
            self._shown.insert(row, document)
            self.endInsertRows()
        else:
            self._shown.insert(row, document)

    def _row_for(self, document: Document) -> int:
        """Where a document belongs among those that are shown."""
        rank = self._rank(document)
        if self._order == Qt.SortOrder.DescendingOrder:
            return len(self._shown) - bisect_right(self._shown[::-1], rank, key=self._rank)
        return bisect_right(self._shown, rank, key=self._rank)

    def set_passages(self, counts: Mapping[str, int]) -> None:
        """How many passages each document has, by document id."""
        self._passages.update(counts)
        if self._loaded:
            self.dataChanged.emit(self.index(0, 0), self.index(self._loaded - 1, PASSAGES))

    def set_filter(self, text: str, failed_only: bool) -> None:
        """Show only documents that match (see DocumentFilter), and only failed ones if asked."""
        self._wanted, self._failed_only = DocumentFilter.parse(text), failed_only
        self._reset(self._arranged())

    @property
    def total(self) -> int:
        """Documents with and without the filter's consent."""
        return len(self._all)

    @property
    def matching(self) -> int:
        return len(self._shown)

    @property
    def failed(self) -> int:
        """Documents that could not be read, wholly or in part."""
        return sum(self._has_failed(document) for document in self._all)

    @property
    def unread(self) -> int:
        """Documents of which nothing could be read."""
        return sum(document.state is State.FAILED for document in self._all)

    def _has_failed(self, document: Document) -> bool:
        return document.state is State.FAILED or document.id in self._troubled

    def row_of(self, document_id: str) -> int:
        """The row of a document, fetched if need be; -1 when the filter hides it."""
        row = self._place_of(document_id)
        while row >= self._loaded:
            self.fetchMore(QModelIndex())
        return row

    def _place_of(self, document_id: str) -> int:
        return next((row for row, document in enumerate(self._shown) if document.id == document_id), -1)

    def cells(self, row: int) -> list[str]:
        """A row word for word, as it is copied."""
        return [self._value(self._shown[row], column) for column in range(len(TITLES))]

    def _reset(self, shown: list[Document]) -> None:
        self.beginResetModel()
        self._shown, self._loaded = shown, min(BATCH, len(shown))
        self.endResetModel()

    def _arranged(self) -> list[Document]:
        descending = self._order == Qt.SortOrder.DescendingOrder
        return sorted(filter(self._wants, self._all), key=self._rank, reverse=descending)

    def _wants(self, document: Document) -> bool:
        return (not self._failed_only or self._has_failed(document)) and self._wanted.matches(document)

    def _rank(self, document: Document) -> tuple[Any, ...]:
        column = self._column
        value: Any = self._value(document, column)
        if column in (PAGES, PASSAGES):
            value = document.pages if column == PAGES else self._passages.get(document.id, -1)
        return (natural(value) if isinstance(value, str) else value, natural(document.path))

    def _value(self, document: Document, column: int) -> str:
        if column == NAME:
            return document.title or PurePosixPath(document.path).name
        if column == STATE:
            return self._state(document)
        if column == PAGES:
            return f"{document.pages:,}" if document.pages else ""
        if column == PASSAGES:
            count = self._passages.get(document.id)
            return "" if count is None else f"{count:,}"
        if column == KIND:
            return kind_of(document)
        if column == DATE:
            return document.date or ""
        return document.reason

    def _state(self, document: Document) -> str:
        partly = document.state is State.DONE and document.id in self._troubled
        return tr("read in part") if partly else STATES[document.state]

    def _colour(self, document: Document) -> str:
        if document.state is State.FAILED:
            return "error"
        return "warn" if document.id in self._troubled else "muted"

    def _detail(self, document: Document) -> str:
        if document.state is State.FAILED:
            return document.reason
        if count := self._troubled.get(document.id):
            return trn("{count} passage failed", "{count} passages failed", count)
        parts = [kind_of(document)]
        if document.pages:
            parts.append(trn("{count} page", "{count} pages", document.pages))
        count = self._passages.get(document.id)
        if count is not None and document.state is State.DONE:
            parts.append(trn("{count} passage", "{count} passages", count))
        elif document.state is State.PENDING:
            parts.append(STATES[State.PENDING])
        if document.date:
            parts.append(document.date[:10])
        if document.language not in {"", "en"}:
            parts.append(language_name(document.language))
        return "   ".join(parts)

    # ------------------------------------------------------------ Qt

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008, N802 - Qt's
        return 0 if parent.isValid() else self._loaded

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008, N802 - Qt's
        return 0 if parent.isValid() else len(TITLES)

    def canFetchMore(self, parent: Index) -> bool:  # noqa: N802 - Qt's
        return not parent.isValid() and self._loaded < len(self._shown)

    def fetchMore(self, parent: Index) -> None:  # noqa: N802 - Qt's
        end = min(self._loaded + BATCH, len(self._shown))
        if end > self._loaded:
            self.beginInsertRows(QModelIndex(), self._loaded, end - 1)
            self._loaded = end
            self.endInsertRows()

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        self._column, self._order = max(column, 0), order
        self._reset(self._arranged())

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
        if not index.isValid() or index.row() >= len(self._shown):
            return None
        document, column = self._shown[index.row()], index.column()
        if role == ROLE.DisplayRole:
            return visible(self._value(document, column))
        if role == DOCUMENT:
            return document
        if role == DETAIL:
            return visible(self._detail(document))
        if role == COLOUR:
            return self._colour(document)
        if role == ROLE.ToolTipRole:
            return _tip(document)
        if role == ROLE.DecorationRole and column == NAME:
            partly = document.state is State.DONE and document.id in self._troubled
            return theme.icon("warning", "warn") if partly else theme.icon(*ICONS[document.state])
        if role == ROLE.AccessibleTextRole and column == NAME:
            return tr(
                "{name}, {state}", name=visible(self._value(document, NAME)), state=self._state(document)
            )
        if role == ROLE.TextAlignmentRole and column in (PAGES, PASSAGES):
            return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        return None


def _tip(document: Document) -> str:
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
    return tooltip("\n".join(line for line in dict.fromkeys(map(visible, lines)) if line))
