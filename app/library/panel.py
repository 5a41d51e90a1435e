"""What I have: the documents of the workspace, their states and, where one failed, why and what to do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, QPoint, QRect, Qt, Signal
from PySide6.QtGui import QGuiApplication, QIcon, QPainter, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHeaderView,
    QMenu,
    QStackedWidget,
    QTableView,
    QWidget,
)

from app.library.documents_model import (
    COLOUR,
    DATE,
    DETAIL,
    DOCUMENT,
    KIND,
    NAME,
    PAGES,
    PASSAGES,
    REASON,
    SORTS,
    STATE,
    TITLES,
    DocumentModel,
    Index,
)
from app.library.failures import FailureCard
from app.library.foot import LibraryFoot
from app.library.head import LibraryHead
from app.library.removal import RemovalBar
from app.look import theme
from app.look.painting import paint_text
from app.look.plain_text import set_tip
from app.look.translation import tr, trn
from app.session import operations
from app.session.about import about_action
from app.session.changes import Following
from app.session.commands import Command
from app.session.panels import Area, PanelSpec
from app.session.selection import Selected
from app.session.session import Session
from app.widgets.copying import CopyKeys, Rows, chosen_rows, make_copyable
from app.widgets.empty_state import EmptyState
from app.widgets.layout import column
from app.widgets.row_list import RowDelegate
from core.progress import TaskContext
from core.types import Changed, Document, Failure, Scope, State

if TYPE_CHECKING:
    from core.workspace import Workspace

REFRESH_MS = 1000  # at most one reading of the list in this time
WIDTHS = {STATE: 84, PAGES: 60, PASSAGES: 76, KIND: 60, DATE: 92, REASON: 220}
NAME_ROOM = 300  # the first column never gets less while another column is shown
CARD_SHARE = 0.5  # most of the panel's height for what failed


@dataclass(frozen=True, slots=True)
class _Shelf:
    """One reading of what is listed."""

    documents: list[Document]
    failures: list[Failure]
    taken_out: list[str]
    encoder: str  # what texts are compared by, in words
    changed: Changed  # of which it is; everything: of all


class TwoLines(RowDelegate):
    """State icon, title, and a quieter second line; the reason of a failure in the colour of errors."""

    HEIGHT = 46

    def draw_chosen(self, painter: QPainter, box: QRect) -> None:
        super().draw_chosen(painter, box)
        painter.fillRect(QRect(box.left(), box.top(), 3, box.height()), theme.current().color("accent"))

    def draw(self, painter: QPainter, box: QRect, index: Index) -> None:
        icon: QIcon = index.data(Qt.ItemDataRole.DecorationRole)
        icon.paint(painter, QRect(box.left() + 10, box.top() + 6, 16, 16))
        text = box.adjusted(34, 5, -8, -5)
        paint_text(painter, text, index.data(), place=Qt.AlignmentFlag.AlignTop)
        below = Qt.AlignmentFlag.AlignBottom
        paint_text(painter, text, index.data(DETAIL), index.data(COLOUR), theme.SMALL, place=below)


class _Documents(CopyKeys, QTableView):
    pass


class LibraryPanel(QWidget):
    """The documents. A click selects one, and the reader opens it.

    `failures_told` carries how many documents could not be read, and how many passages of others failed.
    """

    failures_told = Signal(int, int)

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session, self._tasks = session, session.tasks.owned_by(self)
        self._known: dict[str, str] = {}  # document id -> sha256 whose passages are counted
        self.model = DocumentModel()
        self._failures: dict[str, list[Failure]] = {}  # by document id
        self.head, self.foot = LibraryHead(), LibraryFoot()
        self.filter, self.failed, self.count = self.head.filter, self.head.failed, self.foot.count
        self.table = self._table()
        self.card = FailureCard()
        self.empty = EmptyState(
            "files", tr("No documents yet"), tr("Open a folder, and they are listed here.")
        )
        self.stack, self.removal = QStackedWidget(), RemovalBar(session, self)
        self._lay_out()
        self._following = Following(
            self,
            session,
            self._read,
            self._show_shelf,
            concerns=lambda changed: changed.documents,
            pause=REFRESH_MS,
        )
        self._connect()
        session.commands.add(self.table, *self._commands(), scoped=True)
        self._show_blocked()
        self.entrance = self.table
        theme.follow(self, self._fit_table)

    def _table(self) -> QTableView:
        table = _Documents()
        table.setModel(self.model)
        table.setItemDelegateForColumn(NAME, TwoLines(table))
        table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        table.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        table.setSortingEnabled(True)
        table.sortByColumn(NAME, Qt.SortOrder.AscendingOrder)
        table.setShowGrid(False)
        table.setWordWrap(False)
        table.setFrameShape(QFrame.Shape.NoFrame)
        table.setStyleSheet("QAbstractItemView { border: none; border-radius: 0; }")
        table.setTabKeyNavigation(False)
        table.verticalHeader().hide()
        table.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        table.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        table.setAccessibleName(tr("Documents"))
        make_copyable(table, self._rows)
        header = table.horizontalHeader()
        header.setHighlightSections(False)
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        header.setSectionResizeMode(NAME, QHeaderView.ResizeMode.Stretch)
        header.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        header.setToolTip(tr("Click to sort; right click for more columns"))
        return table

    def _fit_table(self) -> None:
        self.table.verticalHeader().setDefaultSectionSize(theme.px(TwoLines.HEIGHT))
        for section, width in WIDTHS.items():
            self.table.horizontalHeader().resizeSection(section, theme.px(width))
        self._show_columns()

    def _lay_out(self) -> None:
        page = QWidget()
        column(self.head, (self.table, 1), self.foot, self.card, self.removal, spacing=0, on=page)
        self.stack.addWidget(self.empty)
        self.stack.addWidget(page)
        column(self.stack, on=self)

    def _connect(self) -> None:
        session = self._session
        self.removal.opened.connect(self.card.hide)
        self.removal.closed.connect(self._on_removal_closed)
        self.head.changed.connect(self._filter)
        self.head.retry_wanted.connect(partial(operations.retry, session))
        self.foot.restore_wanted.connect(partial(operations.restore, session))
        self.card.retry_wanted.connect(self.retry_selected)
        self.card.passage_wanted.connect(partial(operations.select_passage, session))
        self.table.clicked.connect(self._open)
        self.table.activated.connect(self._open)
        self.table.selectionModel().currentRowChanged.connect(lambda now, _: self._describe(now))
        self.table.horizontalHeader().customContextMenuRequested.connect(self._column_menu)
        self.table.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.table.customContextMenuRequested.connect(self._row_menu)
        session.blocked_changed.connect(self._show_blocked)
        session.workspace_closed.connect(self._clear)
        session.selection.changed.connect(self._on_selection)

    # ------------------------------------------------------------ content

    def refresh(self) -> None:
        """Read the list again, off this thread."""
        self._following.again()

    def _read(self, workspace: Workspace, changed: Changed, _: TaskContext) -> _Shelf:
        of, ids = workspace.documents, changed.documents
        found = (of.all(), of.failures()) if changed.everything else (of.some(ids), of.failures(ids))
        return _Shelf(*found, of.excluded(), workspace.encoder_words, changed)

    def _show_shelf(self, shelf: _Shelf) -> None:
        self.foot.set_taken_out(shelf.taken_out)
        set_tip(self.count, shelf.encoder)
        self.show_documents(
            shelf.documents, shelf.failures, None if shelf.changed.everything else shelf.changed.documents
        )

    def show_documents(
        self,
        documents: list[Document],
        failures: Sequence[Failure] = (),
        ids: frozenset[str] | None = None,
    ) -> None:
        """Show these documents and what failed in them, in place of all or of those with these ids; what was selected
        stays selected."""
        current = self._current()
        kept = {} if ids is None else {id: held for id, held in self._failures.items() if id not in ids}
        self._failures = kept
        for failure in failures:
            self._failures.setdefault(failure.document_id, []).append(failure)
        passages = Counter(failure.document_id for failure in failures if failure.passage_id)
        if ids is None:
            self.model.set_documents(documents, passages)
        else:
            self.model.renew(ids, documents, passages)
        self._keep(current)
        self.stack.setCurrentIndex(1 if self.model.total or self.foot.any_taken_out else 0)
        in_passages = sum(bool(each.passage_id) for held in self._failures.values() for each in held)
        self.head.set_failed(self.model.failed, in_passages)
        self.failures_told.emit(self.model.unread, in_passages)
        self._say_count()
        self._describe(self.table.currentIndex())
        if not self._session.indexing.running:
            self._count_passages(documents)

    def _count_passages(self, documents: list[Document]) -> None:
        workspace = self._session.workspace
        done_ones = [d for d in documents if d.state is State.DONE]
        stale = {d.id: d.sha256 for d in done_ones if self._known.get(d.id) != d.sha256}
        if workspace is None or not stale:
            return

        def work(_: TaskContext) -> dict[str, int]:
            return workspace.passages.counts(stale)

        def done(counts: dict[str, int]) -> None:
            self._known.update(stale)
            self.model.set_passages(counts)

        self._tasks.start("passage counts", work, done)

    def _clear(self) -> None:
        self._known.clear()
        self.head.clear()
        self.foot.set_taken_out([])
        self.show_documents([])

    # ------------------------------------------------------------ the person

    @property
    def failed_documents(self) -> int:
        """How many could not be read."""
        return self.model.failed

    def show_failed(self) -> None:
        """Only the documents that could not be read."""
        self.filter.clear()
        self.failed.setVisible(True)
        self.failed.setChecked(True)
        if self.model.rowCount() and not self.table.currentIndex().isValid():
            self.table.selectRow(0)
        self.refresh()

    def _rows(self) -> Rows:
        return Rows(tuple(TITLES), tuple(tuple(self.model.cells(row)) for row in chosen_rows(self.table)))

    def chosen(self) -> list[Document]:
        """The documents of the selected rows, from the top."""
        rows = sorted({index.row() for index in self.table.selectionModel().selectedRows()})
        return [self.model.index(row, NAME).data(DOCUMENT) for row in rows]

    def remove_selected(self) -> None:
        """Show what would go with the selected documents, and ask."""
        if self._session.blocked:
            self._session.tell(self._session.blocked, "warning")
        else:
            self.removal.ask(self.chosen())

    def retry_selected(self) -> None:
        """Try again what failed in the selected documents."""
        operations.retry(self._session, [d.id for d in self.chosen() if d.id in self._failures])

    def _commands(self) -> tuple[Command, ...]:
        def blocked() -> str:
            return self._session.blocked

        def failed() -> str:
            if not any(document.id in self._failures for document in self.chosen()):
                return tr("Nothing failed in this document.")
            return self._session.blocked

        return (
            Command("library.retry", tr("Try again"), self.retry_selected, "Ctrl+R", why_not=failed),
            Command(
                "library.remove",
                tr("Remove from the workspace..."),
                self.remove_selected,
                "Del",  # not shown
                why_not=blocked,
            ),
        )

    def row_menu(self) -> QMenu:
        """What can be done with the selected rows; what cannot be done now says why."""
        menu, commands = QMenu(self), self._session.commands
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.setToolTipsVisible(True)
        about_action(self._session, menu, Scope(documents=tuple(document.id for document in self.chosen())))
        menu.addSeparator()
        ids = [id for id in _ROW_MENU if id in commands]
        commands.explain(ids, True)
        menu.aboutToHide.connect(lambda: commands.explain(ids, False))
        for id in ids:
            menu.addAction(commands.action(id))
        menu.insertSeparator(commands.action("library.retry"))
        return menu

    def _row_menu(self, at: QPoint) -> None:
        if self.chosen():
            self.row_menu().popup(self.table.viewport().mapToGlobal(at))

    def _show_blocked(self) -> None:
        for part in (self.head, self.foot, self.card):
            part.set_blocked(self._session.blocked)

    def _on_removal_closed(self) -> None:
        self._describe(self.table.currentIndex())
        self.table.setFocus(Qt.FocusReason.OtherFocusReason)

    def _filter(self) -> None:
        current = self._current()
        self.model.set_filter(self.filter.text(), self.failed.isChecked())
        self._keep(current)
        self._say_count()
        self._describe(self.table.currentIndex())

    def _open(self, index: QModelIndex) -> None:
        document = index.data(DOCUMENT)
        modifiers = QGuiApplication.keyboardModifiers()
        choosing = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
        if document is not None and not modifiers & choosing:
            operations.select_document(self._session, document.id)

    def _on_selection(self, selected: Selected | None) -> None:
        if selected is None or not selected.document_id:
            return
        current = self._current()
        if current is None or current.id != selected.document_id:
            row = self.model.row_of(selected.document_id)
            if row >= 0:
                self._mark(row)

    def _current(self) -> Document | None:
        index = self.table.currentIndex()
        return index.data(DOCUMENT) if index.isValid() else None

    def _keep(self, document: Document | None) -> None:
        """Let this one be the current row after the rows were made anew."""
        now = self._current()
        if document is not None and (now is None or now.id != document.id):
            row = self.model.row_of(document.id)
            if row >= 0:
                self._mark(row)

    def _mark(self, row: int) -> None:
        self.table.selectRow(row)
        self.table.scrollTo(self.model.index(row, NAME))

    def _describe(self, index: QModelIndex) -> None:
        document = index.data(DOCUMENT) if index.isValid() and self.removal.isHidden() else None
        self.card.show_failures(self._failures.get(document.id, ()) if document is not None else ())

    def _say_count(self) -> None:
        shown, total = self.model.matching, self.model.total
        words = (
            trn("{count} document", "{count} documents", total)
            if shown == total
            else trn("{shown} of {count} document", "{shown} of {count} documents", total, shown=shown)
        )
        if failed := self.model.failed:
            words = tr("{documents}, {count} failed", documents=words, count=failed)
        self.count.setText(words)

    def _column_menu(self, at: QPoint) -> None:
        header, menu = self.table.horizontalHeader(), QMenu(self)
        for section, words in enumerate(SORTS):
            sort = partial(self.table.sortByColumn, section, Qt.SortOrder.AscendingOrder)
            menu.addAction(words).triggered.connect(lambda _, sort=sort: sort())
        menu.popup(header.mapToGlobal(at))

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        super().resizeEvent(event)
        self.card.setMaximumHeight(int(self.height() * CARD_SHARE))
        self._show_columns()

    def _show_columns(self) -> None:
        """As many as there is room for; the second line says the rest anyway."""
        room = self.width() - theme.px(NAME_ROOM)
        for section in (PASSAGES, STATE, PAGES, DATE, KIND, REASON):
            room -= theme.px(WIDTHS[section])
            self.table.setColumnHidden(section, room < 0)


_ROW_MENU = ("table.text", "table.markdown", "table.csv", "library.retry", "library.remove")
PANEL = PanelSpec("library", tr("Library"), Area.LEFT, LibraryPanel, share=0.45)
