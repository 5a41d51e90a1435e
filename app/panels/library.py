"""What I have: the documents of the workspace, their states and, where one failed, why and what to do."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPoint, QRect, QSize, Qt, QTimer
from PySide6.QtGui import QAction, QFontMetrics, QGuiApplication, QIcon, QKeySequence, QPainter, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QLineEdit,
    QMenu,
    QStackedWidget,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from app import operations, theme
from app.models.documents import (
    DATE,
    DETAIL,
    DOCUMENT,
    KIND,
    NAME,
    PAGES,
    PASSAGES,
    REASON,
    STATE,
    TITLES,
    DocumentModel,
    Index,
)
from app.selection import Selected
from app.session import Session
from app.widgets.empty_state import EmptyState
from core.progress import TaskContext
from core.types import Document, State

ROW = 46  # pixels
REFRESH_MS = 1000  # at most one reading of the list in this time
WIDTHS = {STATE: 68, PAGES: 60, PASSAGES: 76, KIND: 60, DATE: 92, REASON: 220}
NAME_ROOM = 300  # the first column never gets less while another column is shown


class _TwoLines(QStyledItemDelegate):
    """State icon, title, and a quieter second line; the reason of a failure in the colour of errors."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:  # noqa: N802 - Qt's name
        return QSize(120, ROW)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        now, document = theme.current(), index.data(DOCUMENT)
        box: QRect = option.rect
        state: QStyle.StateFlag = option.state
        painter.save()
        if state & QStyle.StateFlag.State_Selected:
            painter.fillRect(box, now.color("accent_soft"))
            painter.fillRect(QRect(box.left(), box.top(), 3, box.height()), now.color("accent"))
        icon = index.data(Qt.ItemDataRole.DecorationRole)
        if isinstance(icon, QIcon):
            icon.paint(painter, QRect(box.left() + 10, box.top() + 6, 16, 16))
        text = box.adjusted(34, 5, -8, -5)
        top, bottom = Qt.AlignmentFlag.AlignTop, Qt.AlignmentFlag.AlignBottom
        face, small = theme.font(), theme.font(theme.SMALL)
        painter.setFont(face)
        painter.setPen(now.color("text"))
        title = str(index.data())
        right = Qt.TextElideMode.ElideRight
        painter.drawText(text, top, QFontMetrics(face).elidedText(title, right, text.width()))
        painter.setFont(small)
        painter.setPen(now.color("error" if document.state is State.FAILED else "muted"))
        detail = QFontMetrics(small).elidedText(index.data(DETAIL), right, text.width())
        painter.drawText(text, bottom, detail)
        painter.restore()


class LibraryPanel(QWidget):
    """The documents. A click selects one, and the reader opens it."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._known: dict[str, str] = {}  # document id -> sha256 whose passages are counted
        self.model = DocumentModel()
        self.filter = QLineEdit()
        self.filter.setPlaceholderText("Filter documents")
        self.filter.setAccessibleName("Filter documents")
        self.filter.setClearButtonEnabled(True)
        self.filter.addAction(theme.icon("funnel", "muted"), QLineEdit.ActionPosition.LeadingPosition)
        self.failed = QToolButton()
        self.failed.setCheckable(True)
        self.failed.setIcon(theme.icon("warning", "warn"))
        self.failed.setToolTip("Only documents that failed")
        self.failed.setAccessibleName("Only documents that failed")
        self.table = self._table()
        self.count = QLabel()
        self.count.setProperty("kind", "small")
        self.reason = _Reason()
        self.empty = EmptyState("files", "No documents yet", "Open a folder, and they are listed here.")
        self.stack = QStackedWidget()
        self._lay_out()
        self._timer = QTimer(self, interval=REFRESH_MS, singleShot=True)
        self._timer.timeout.connect(self.refresh)
        self._connect()
        self.setFocusProxy(self.table)

    def _table(self) -> QTableView:
        table = QTableView()
        table.setModel(self.model)
        table.setItemDelegateForColumn(NAME, _TwoLines(table))
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
        table.verticalHeader().setDefaultSectionSize(ROW)
        table.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        table.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        table.setAccessibleName("Documents")
        header = table.horizontalHeader()
        header.setHighlightSections(False)
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        header.setSectionResizeMode(NAME, QHeaderView.ResizeMode.Stretch)
        header.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        header.setToolTip("Click to sort; right click for more columns")
        for column, width in WIDTHS.items():
            header.resizeSection(column, width)
        return table

    def _lay_out(self) -> None:
        row = QHBoxLayout()
        row.setContentsMargins(12, 4, 12, 8)
        row.setSpacing(4)
        row.addWidget(self.filter, 1)
        row.addWidget(self.failed)
        page = QWidget()
        column = QVBoxLayout(page)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(row)
        column.addWidget(self.table, 1)
        column.addWidget(self.reason)
        foot = QHBoxLayout()
        foot.setContentsMargins(12, 4, 12, 4)
        foot.addWidget(self.count)
        column.addLayout(foot)
        self.stack.addWidget(self.empty)
        self.stack.addWidget(page)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(self.stack)

    def _connect(self) -> None:
        session = self._session
        self.filter.textChanged.connect(lambda _: self._filter())
        self.failed.toggled.connect(lambda _: self._filter())
        self.table.clicked.connect(self._open)
        self.table.activated.connect(self._open)
        self.table.selectionModel().currentRowChanged.connect(lambda now, _: self._describe(now))
        self.table.horizontalHeader().customContextMenuRequested.connect(self._column_menu)
        copy = QAction("Copy the rows", self.table)
        copy.setShortcut(QKeySequence.StandardKey.Copy)
        copy.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
        copy.triggered.connect(self.copy)
        self.table.addAction(copy)
        self.table.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        session.workspace_opened.connect(lambda _: self.refresh())
        session.workspace_closed.connect(self._clear)
        session.documents_changed.connect(self._soon)
        session.indexing_changed.connect(lambda _: self._soon())
        session.selection.changed.connect(self._on_selection)

    # ------------------------------------------------------------ content

    def _soon(self) -> None:
        if not self._timer.isActive() and self._session.workspace is not None:
            self._timer.start()

    def refresh(self) -> None:
        """Read the list again, off this thread."""
        workspace = self._session.workspace
        if workspace is not None:
            self._session.tasks.start("documents", lambda _: workspace.documents(), self.show_documents)

    def show_documents(self, documents: list[Document]) -> None:
        """Show these documents; what was selected stays selected."""
        current = self._current()
        self.model.set_documents(documents)
        if current is not None and (row := self.model.row_of(current.id)) >= 0:
            self._mark(row)
        self.stack.setCurrentIndex(1 if documents else 0)
        self.failed.setVisible(self.model.failed > 0 or self.failed.isChecked())
        self._say_count()
        if not self._session.indexing.running:
            self._count_passages(documents)

    def _count_passages(self, documents: list[Document]) -> None:
        workspace = self._session.workspace
        done_ones = [d for d in documents if d.state is State.DONE]
        stale = {d.id: d.sha256 for d in done_ones if self._known.get(d.id) != d.sha256}
        if workspace is None or not stale:
            return

        def work(_: TaskContext) -> dict[str, int]:
            return workspace.passage_counts()

        def done(counts: dict[str, int]) -> None:
            self._known.update(stale)
            self.model.set_passages(counts)

        self._session.tasks.start("passage counts", work, done)

    def _clear(self) -> None:
        self._timer.stop()
        self._known.clear()
        self.filter.clear()
        self.failed.setChecked(False)
        self.reason.hide()
        self.show_documents([])

    # ------------------------------------------------------------ the person

    def show_failed(self) -> None:
        """Only the documents that could not be read."""
        self.filter.clear()
        self.failed.setVisible(True)
        self.failed.setChecked(True)
        self.refresh()

    def copy(self) -> None:
        """The selected rows as text with tabs, with the column titles above."""
        rows = sorted({index.row() for index in self.table.selectionModel().selectedRows()})
        lines = ["\t".join(TITLES)]
        for row in rows:
            lines.append("\t".join(str(self.model.index(row, c).data() or "") for c in range(len(TITLES))))
        QGuiApplication.clipboard().setText("\n".join(lines))

    def _filter(self) -> None:
        current = self._current()
        self.model.set_filter(self.filter.text(), self.failed.isChecked())
        if current is not None and (row := self.model.row_of(current.id)) >= 0:
            self._mark(row)
        self._say_count()

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

    def _mark(self, row: int) -> None:
        self.table.selectRow(row)
        self.table.scrollTo(self.model.index(row, NAME))

    def _describe(self, index: QModelIndex) -> None:
        self.reason.show_document(index.data(DOCUMENT) if index.isValid() else None)

    def _say_count(self) -> None:
        shown, total = self.model.matching, self.model.total
        words = f"{total:,} documents" if shown == total else f"{shown:,} of {total:,} documents"
        self.count.setText(words + (f", {self.model.failed:,} failed" if self.model.failed else ""))

    def _column_menu(self, at: QPoint) -> None:
        header, menu = self.table.horizontalHeader(), QMenu(self)
        for column, title in enumerate(TITLES):
            action = menu.addAction(f"Sort by {title.lower()}")
            action.triggered.connect(
                lambda _=False, c=column: self.table.sortByColumn(c, Qt.SortOrder.AscendingOrder)
            )
        menu.popup(header.mapToGlobal(at))

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        """Show as many columns as there is room for; the second line says the rest anyway."""
        super().resizeEvent(event)
        room = self.width() - NAME_ROOM
        for column in (PASSAGES, STATE, PAGES, DATE, KIND, REASON):
            room -= WIDTHS[column]
            self.table.setColumnHidden(column, room < 0)


class _Reason(QFrame):
    """Why the chosen document failed, and what to do about it."""

    def __init__(self) -> None:
        super().__init__()
        self.words, self.remedy = QLabel(), QLabel()
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 8, 12, 8)
        column.setSpacing(4)
        for label, kind in ((self.words, "error"), (self.remedy, "")):
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setWordWrap(True)
            label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            label.setProperty("kind", kind)
            column.addWidget(label)
        self.hide()

    def show_document(self, document: Document | None) -> None:
        """A failed document's reason and remedy; nothing for any other."""
        failed = document is not None and document.state is State.FAILED
        if document is not None and failed:
            self.words.setText(document.reason)
            self.remedy.setText(document.remedy)
            self.remedy.setVisible(bool(document.remedy))
        self.setVisible(failed)
