"""What I have: the documents of the workspace, their states and, where one failed, why and what to do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, QPoint, QRect, Qt, QTimer, Signal
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

from app.library.bars import LibraryFoot, LibraryHead
from app.library.choosing import ChoiceBar
from app.library.documents_model import (
    BATCH,
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
from app.library.removal import RemovalBar
from app.look import theme
from app.look.painting import paint_text
from app.look.plain_text import set_tip
from app.look.translation import tr, trn
from app.session import operations
from app.session.changes import Following
from app.session.commands import Command
from app.session.panels import Area, PanelSpec
from app.session.privacy import mark_private
from app.session.scope import about_action
from app.session.selection import Selected
from app.session.session import Session
from app.widgets.copying import CopyKeys, Rows, chosen_rows, make_copyable
from app.widgets.layout import column
from app.widgets.notices import EmptyState
from app.widgets.row_list import RowDelegate
from app.widgets.table import dress_table
from core.progress import TaskContext
from core.types import Changed, Document, DocumentListing, DocumentRow, Failure, Scope
from core.workspace import describe_reason

if TYPE_CHECKING:
    from core.workspace import Workspace

REFRESH_MS, REFRESH_MANY_MS = 1000, 10_000  # at most one reading of the list in this time
MANY = 10_000  # documents
WIDTHS = {STATE: 84, PAGES: 60, PASSAGES: 76, KIND: 60, DATE: 92, REASON: 220}
NAME_ROOM = 300  # the first column never gets less while another column is shown
CARD_SHARE = 0.5  # most of the panel's height for what failed


@dataclass(frozen=True, slots=True)
class _Shelf:
    """One reading of what is listed."""

    listing: DocumentListing
    rows: list[DocumentRow]  # those that are seen, and the first ones
    failures: list[Failure]
    taken_out: list[str]
    encoder: str  # what texts are compared by, in words
    private: Mapping[str, str]  # why, in words, by id of the document
    changed: Changed  # of which it is; everything: of all


class TwoLines(RowDelegate):
    """State icon, title, and a quieter second line; the reason of a failure in the colour of errors."""

    HEIGHT = 46

    def draw_chosen(self, painter: QPainter, box: QRect) -> None:
        super().draw_chosen(painter, box)
        painter.fillRect(QRect(box.left(), box.top(), 3, box.height()), theme.current().color("accent"))

    def draw(self, painter: QPainter, box: QRect, index: Index) -> None:
        icon: QIcon | None = index.data(Qt.ItemDataRole.DecorationRole)
        if icon is None:
            return  # it is on its way
        icon.paint(painter, QRect(box.left() + 10, box.top() + 6, 16, 16))
        text = box.adjusted(34, 5, -8, -5)
        paint_text(painter, text, index.data(), place=Qt.AlignmentFlag.AlignTop)
        below = Qt.AlignmentFlag.AlignBottom
        paint_text(painter, text, index.data(DETAIL), index.data(COLOUR), theme.SMALL, place=below)


class _Documents(CopyKeys, QTableView):
    pass


class LibraryPanel(QWidget):
    """The documents. A click selects one, and the reader opens it.

    `failures_counted` carries how many documents could not be read, and how many passages of others failed.
    """

    failures_counted = Signal(int, int)

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session, self._tasks = session, session.tasks.owned_by(self)
        self._current_id = ""  # of the document that a person is at
        self.model = DocumentModel()
        self._wish: tuple[str, bool, int, bool] = ("", False, NAME, False)  # as `documents.listed` takes it
        self._visible_rows = range(0)  # rows
        self._failures: dict[str, list[Failure]] = {}  # by document id
        self.head, self.foot = LibraryHead(), LibraryFoot()
        self.filter, self.failed, self.count = self.head.filter, self.head.failed, self.foot.count
        self.table = self._table()
        self.card = FailureCard()
        self.empty = EmptyState(
            "files", tr("No documents yet"), tr("Open a folder, and they are listed here.")
        )
        self.stack, self.removal = QStackedWidget(), RemovalBar(session, self)
        self.choosing = ChoiceBar(session, self)
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
        dress_table(table)
        table.setSortingEnabled(True)
        table.sortByColumn(NAME, Qt.SortOrder.AscendingOrder)
        table.setFrameShape(QFrame.Shape.NoFrame)
        table.setStyleSheet("QAbstractItemView { border: none; border-radius: 0; }")
        table.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        table.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        table.setAccessibleName(tr("Documents"))
        make_copyable(table, self._rows)
        header = table.horizontalHeader()
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
        column(
            self.head, (self.table, 1), self.foot, self.card, self.removal, self.choosing, spacing=0, on=page
        )
        self.stack.addWidget(self.empty)
        self.stack.addWidget(page)
        column(self.stack, on=self)

    def _connect(self) -> None:
        session = self._session
        self.removal.opened.connect(self.card.hide)
        self.removal.closed.connect(self._on_removal_closed)
        self.removal.opened.connect(self.choosing.close_bar)
        self.choosing.opened.connect(self.removal.close_bar)
        for bar in (self.removal, self.choosing):
            bar.opened.connect(self._show_current)
        self.choosing.closed.connect(self._on_removal_closed)
        self.choosing.chosen.connect(self.refresh)
        self.head.changed.connect(self._refresh_listing)
        self.model.order_wanted.connect(self._refresh_listing)
        self.model.wanted.connect(self._read_page)
        self.table.verticalScrollBar().valueChanged.connect(self._track_visible_rows)
        self.head.retry_wanted.connect(partial(operations.retry, session))
        self.foot.restore_wanted.connect(partial(operations.restore, session))
        self.card.retry_wanted.connect(self.retry_selected)
        self.card.passage_wanted.connect(partial(operations.select_passage, session))
        self.table.clicked.connect(self._open)
        self.table.activated.connect(self._open)
        self.table.selectionModel().currentRowChanged.connect(lambda now, _: self._on_current(now))
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
        of, ids, span = workspace.documents, changed.documents, self._visible_rows
        # What went leaves the others where they were: only what came, or is another now, asks for a new order.
        if not changed.everything and self._shows_all() and not of.some(ids):
            listing, rows = self._without(ids), []
        else:
            listing = of.listed(*self._wish)
            rows = of.rows(list(dict.fromkeys((*listing.ids[:BATCH], *listing.ids[span.start : span.stop]))))
        failures = of.failures() if changed.everything else of.failures(ids)
        return _Shelf(
            listing,
            rows,
            failures,
            of.excluded(),
            workspace.encoder_words,
            {each.id: describe_reason(each) for each in workspace.private.documents()},
            changed,
        )

    def _shows_all(self) -> bool:
        return self.model.total == len(self.model.listing.ids) and not self._wish[0]

    def _without(self, gone: frozenset[str]) -> DocumentListing:
        """Return what is listed, but for these, in the order that it has."""
        before, failed = self.model.listing, [self._failures[id] for id in gone if id in self._failures]
        ids = tuple(id for id in before.ids if id not in gone)
        unread = sum(any(not each.passage_id for each in failures) for failures in failed)
        return DocumentListing(ids, len(ids), before.failed - len(failed), before.unread - unread)

    def _refresh_listing(self) -> None:
        """List what matches, in the order that is wanted."""
        descending = self.model.order == Qt.SortOrder.DescendingOrder
        self._wish = (self.filter.text(), self.failed.isChecked(), self.model.column, descending)
        self._following.again()

    def _track_visible_rows(self) -> None:
        """Which rows are looked at, with those around them."""
        top, bottom = (self.table.rowAt(y) for y in (0, self.table.viewport().height() - 1))
        first = max(top, 0) // BATCH * BATCH
        last = bottom if bottom >= 0 else first
        self._visible_rows = range(first, (last // BATCH + 1) * BATCH)

    def _show_shelf(self, shelf: _Shelf) -> None:
        self.foot.set_taken_out(shelf.taken_out)
        set_tip(self.count, shelf.encoder)
        self.model.set_private(shelf.private)
        ids = None if shelf.changed.everything else shelf.changed.documents
        self.show_documents(shelf.listing, shelf.rows, shelf.failures, ids)

    def show_documents(
        self,
        listing: DocumentListing,
        rows: Sequence[DocumentRow],
        failures: Sequence[Failure] = (),
        ids: frozenset[str] | None = None,
    ) -> None:
        """Show these documents, and what failed, in place of all or in those with these ids; what was selected stays
        selected."""
        current = self._current_id
        others = {} if ids is None else {id: group for id, group in self._failures.items() if id not in ids}
        self._failures = others
        for failure in failures:
            self._failures.setdefault(failure.document_id, []).append(failure)
        self.model.show_listing(listing, rows, keeping=bool(ids) and not rows)
        self._keep(current)
        self.stack.setCurrentIndex(1 if self.model.total or self.foot.any_taken_out else 0)
        in_passages = sum(bool(each.passage_id) for group in self._failures.values() for each in group)
        self.head.set_failed(self.model.failed, in_passages)
        self.failures_counted.emit(self.model.unread, in_passages)
        self._say_count()
        self._describe(self.table.currentIndex())
        # Each reading looks at all of them: of many, less often.
        self._following.set_pause(REFRESH_MS if self.model.total < MANY else REFRESH_MANY_MS)

    def _read_page(self, row: int) -> None:
        """What stands in a row that came in sight, and around it."""
        workspace, ids = self._session.workspace, self.model.page(row)
        if workspace is not None:
            group = f"page {row // BATCH}"  # not shown
            self._tasks.start(group, lambda _: workspace.documents.rows(ids), self.model.put)

    def _clear(self) -> None:
        self._current_id = ""
        self.head.clear()
        self.foot.set_taken_out([])
        self.show_documents(DocumentListing(), [])

    # ------------------------------------------------------------ the person

    @property
    def failed_documents(self) -> int:
        """Return how many could not be read."""
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
        self._fetch(chosen_rows(self.table))
        return Rows(tuple(TITLES), tuple(tuple(self.model.cells(row)) for row in chosen_rows(self.table)))

    def chosen(self) -> list[Document]:
        """Return the documents of the selected rows, from the top."""
        rows = sorted({index.row() for index in self.table.selectionModel().selectedRows()})
        self._fetch(rows)
        found = (self.model.index(row, NAME).data(DOCUMENT) for row in rows)
        return [document for document in found if document is not None]

    def _fetch(self, rows: Sequence[int]) -> None:
        """Have these rows at hand now: a person does something with them, and most of them are seen."""
        workspace = self._session.workspace
        if workspace is not None and (ids := self.model.missing(rows)):
            self.model.put(workspace.documents.rows(ids))

    def remove_selected(self) -> None:
        """Show what would go with the selected documents, and ask."""
        if self._session.blocked:
            self._session.notify(self._session.blocked, "warning")
        else:
            self.removal.ask(self.chosen())

    def retry_selected(self) -> None:
        """Try again what failed in the selected documents."""
        operations.retry(self._session, [d.id for d in self.chosen() if d.id in self._failures])

    def _show_current(self) -> None:
        """Scroll to the document that a bar asks about, once the bar has taken its room."""
        QTimer.singleShot(0, self, lambda: self.table.scrollTo(self.table.currentIndex()))

    def choose_encoding(self) -> None:
        """Ask in which encoding the selected documents are written."""
        self.choosing.ask_encoding(self.chosen())

    def choose_date(self) -> None:
        """Ask for the date of the selected documents."""
        self.choosing.ask_date(self.chosen())

    def toggle_private(self) -> None:
        """Keep the selected documents private; where all of them are, no longer."""
        documents = self.chosen()
        private = not all(self.model.private(document.id) for document in documents)
        mark_private(self._session, documents, private, self.refresh)

    def _commands(self) -> tuple[Command, ...]:
        def blocked() -> str:
            return self._session.blocked

        def unmarkable() -> str:
            return self._session.shut or ("" if self.chosen() else tr("Choose a document first."))

        def failed() -> str:
            if not any(document.id in self._failures for document in self.chosen()):
                return tr("Nothing failed in this document.")
            return self._session.blocked

        def unchosen() -> str:
            return self._session.blocked or ("" if self.chosen() else tr("Choose a document first."))

        return (
            Command(
                "library.encoding",
                tr("Encoding..."),
                self.choose_encoding,
                "Ctrl+Alt+E",
                why_not=unchosen,
            ),
            Command("library.date", tr("Date..."), self.choose_date, "Ctrl+Alt+D", why_not=unchosen),
            Command("library.retry", tr("Try again"), self.retry_selected, "Ctrl+R", why_not=failed),
            Command(
                "library.private",
                tr("Private, or no longer"),
                self.toggle_private,
                "Ctrl+Shift+H",
                why_not=unmarkable,
            ),
            Command(
                "library.remove",
                tr("Remove from the workspace..."),
                self.remove_selected,
                "Del",  # not shown
                why_not=blocked,
            ),
        )

    def row_menu(self) -> QMenu:
        """Return what can be done with the selected rows; what cannot be done now says why."""
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

    def _open(self, index: QModelIndex) -> None:
        document = index.data(DOCUMENT)
        modifiers = QGuiApplication.keyboardModifiers()
        choosing = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
        if document is not None and not modifiers & choosing:
            operations.select_document(self._session, document.id)

    def _on_selection(self, selected: Selected | None) -> None:
        if selected is None or not selected.document_id:
            return
        if self._current_id != selected.document_id:
            row = self.model.row_of(selected.document_id)
            if row >= 0:
                self._mark(row)

    def _on_current(self, index: QModelIndex) -> None:
        self._current_id = self.model.listing.ids[index.row()] if index.isValid() else ""
        self._describe(index)

    def _keep(self, document_id: str) -> None:
        """Let this one be the current row after the rows were made anew."""
        row = self.model.row_of(document_id)
        if row >= 0 and row != self.table.currentIndex().row():
            self._mark(row)
        self._current_id = document_id  # also while the filter hides it

    def _mark(self, row: int) -> None:
        self.table.selectRow(row)
        self.table.scrollTo(self.model.index(row, NAME))

    def _describe(self, index: QModelIndex) -> None:
        valid = index.isValid() and index.row() < self.model.matching and self.removal.isHidden()
        self.card.show_failures(self._failures.get(self.model.listing.ids[index.row()], ()) if valid else ())

    def _say_count(self) -> None:
        matching, total = self.model.matching, self.model.total
        words = (
            trn("{count} document", "{count} documents", total)
            if matching == total
            else trn("{shown} of {count} document", "{shown} of {count} documents", total, shown=matching)
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


_ROW_MENU = (
    "table.text",
    "table.markdown",
    "table.csv",
    "library.retry",
    "library.encoding",
    "library.date",
    "library.private",
    "library.remove",
)
PANEL = PanelSpec("library", tr("Library"), Area.LEFT, LibraryPanel, share=0.45)
