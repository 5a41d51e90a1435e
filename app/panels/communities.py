"""The communities of the graph: colour mark, label, size. A click lights one up."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import (
    QAbstractListModel,
    QItemSelectionModel,
    QModelIndex,
    QPersistentModelIndex,
    QPointF,
    QRect,
    QSize,
    Qt,
    QTimer,
)
from PySide6.QtGui import QAction, QFontMetrics, QGuiApplication, QKeySequence, QPainter
from PySide6.QtWidgets import (
    QFrame,
    QLineEdit,
    QListView,
    QStackedWidget,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from app import operations, theme
from app.indexing import IndexingState
from app.selection import Selected
from app.session import Session
from app.widgets.empty_state import EmptyState
from app.widgets.graph_legend import paint_mark
from core.types import Community

COMMUNITY = Qt.ItemDataRole.UserRole
Index = QModelIndex | QPersistentModelIndex
ROW = 32
FILTER_FROM = 12  # fewer communities need no filter


class CommunityModel(QAbstractListModel):
    """Communities, largest first, filtered by a word of their label."""

    def __init__(self) -> None:
        super().__init__()
        self._all: list[Community] = []
        self._shown: list[Community] = []
        self._text = ""

    def set_communities(self, communities: list[Community]) -> None:
        self.beginResetModel()
        self._all = communities
        self._shown = self._matching()
        self.endResetModel()

    def set_filter(self, text: str) -> None:
        self.beginResetModel()
        self._text = text.lower()
        self._shown = self._matching()
        self.endResetModel()

    def _matching(self) -> list[Community]:
        return [c for c in self._all if all(word in c.label.lower() for word in self._text.split())]

    def row_of(self, community: int) -> int:
        """-1 when it is not shown."""
        return next((row for row, c in enumerate(self._shown) if c.id == community), -1)

    def get(self, community: int) -> Community | None:
        return next((c for c in self._all if c.id == community), None)

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008, N802 - Qt's
        return 0 if parent.isValid() else len(self._shown)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid() or index.row() >= len(self._shown):
            return None
        community = self._shown[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return community.label
        if role == COMMUNITY:
            return community
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return f"{community.label}, {len(community.entity_ids):,} entities"
        return None


class _Row(QStyledItemDelegate):
    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:  # noqa: N802 - Qt's name
        return QSize(80, ROW)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        now, community = theme.current(), index.data(COMMUNITY)
        box: QRect = option.rect
        state: QStyle.StateFlag = option.state
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if state & QStyle.StateFlag.State_Selected:
            painter.fillRect(box, now.color("accent_soft"))
            painter.fillRect(QRect(box.left(), box.top(), 3, box.height()), now.color("accent"))
        paint_mark(painter, QPointF(box.left() + 20, box.center().y() + 0.5), 6, community.id)
        text = box.adjusted(36, 0, -12, 0)
        face = theme.font()
        metrics = QFontMetrics(face)
        painter.setFont(face)
        painter.setPen(now.color("muted"))
        middle, size = Qt.AlignmentFlag.AlignVCenter, f"{len(community.entity_ids):,}"
        painter.drawText(text, middle | Qt.AlignmentFlag.AlignRight, size)
        room = text.width() - metrics.horizontalAdvance(size) - 8
        painter.setPen(now.color("text"))
        label = community.label or f"Community {community.id + 1}"
        painter.drawText(text, middle, metrics.elidedText(label, Qt.TextElideMode.ElideRight, room))
        painter.restore()


class CommunitiesPanel(QWidget):
    """The list. Choosing one selects it everywhere; choosing it again lets it go."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.model = CommunityModel()
        self.filter = QLineEdit()
        self.filter.setPlaceholderText("Filter communities")
        self.filter.setAccessibleName("Filter communities")
        self.filter.setClearButtonEnabled(True)
        self.filter.textChanged.connect(self.model.set_filter)
        self.list = QListView()
        self.list.setModel(self.model)
        self.list.setItemDelegate(_Row(self.list))
        self.list.setFrameShape(QFrame.Shape.NoFrame)
        self.list.setStyleSheet("QListView { border: none; border-radius: 0; }")
        self.list.setUniformItemSizes(True)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setAccessibleName("Communities, largest first, with the number of their entities")
        self.list.clicked.connect(self._choose)
        self.list.activated.connect(self._choose)
        copy = QAction("Copy", self.list)
        copy.setShortcut(QKeySequence.StandardKey.Copy)
        copy.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
        copy.triggered.connect(self.copy)
        self.list.addAction(copy)
        self.empty = EmptyState("circles-three", "No communities yet", "They are found when indexing ends.")
        self.stack = QStackedWidget()
        self.stack.addWidget(self.empty)
        page = QWidget()
        column = QVBoxLayout(page)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        self._filter_row = QWidget()
        row = QVBoxLayout(self._filter_row)
        row.setContentsMargins(12, 4, 12, 4)
        row.addWidget(self.filter)
        column.addWidget(self._filter_row)
        column.addWidget(self.list)
        self.stack.addWidget(page)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(self.stack)
        self.setFocusProxy(self.list)
        self._timer = QTimer(self, interval=800, singleShot=True)
        self._timer.timeout.connect(self.refresh)
        session.workspace_opened.connect(lambda _: self.refresh())
        session.workspace_closed.connect(lambda: self.show_communities([]))
        session.indexing_changed.connect(self._on_indexing)
        session.selection.changed.connect(self._on_selection)

    def refresh(self) -> None:
        """Read the communities again, off this thread."""
        workspace = self._session.workspace
        if workspace is not None:
            work = workspace.communities
            self._session.tasks.start("communities", lambda _: work(), self.show_communities)

    def show_communities(self, communities: list[Community]) -> None:
        """Show these, largest first."""
        self.model.set_communities(communities)
        self._filter_row.setVisible(len(communities) >= FILTER_FROM)
        self.stack.setCurrentIndex(1 if communities else 0)
        self._on_selection(self._session.selection.current)

    def copy(self) -> None:
        """The chosen community: its label and its size."""
        community = self.list.currentIndex().data(COMMUNITY)
        if community is not None:
            QGuiApplication.clipboard().setText(f"{community.label}\t{len(community.entity_ids)}")

    def _choose(self, index: QModelIndex) -> None:
        community: Community = index.data(COMMUNITY)
        current = self._session.selection.current
        if current is not None and current.kind == "community" and current.id == str(community.id):
            self._session.selection.clear()
        else:
            operations.select_community(self._session, community.id)

    def _on_indexing(self, state: IndexingState) -> None:
        if state is IndexingState.IDLE:
            self._timer.start()

    def _on_selection(self, selected: Selected | None) -> None:
        chosen = selected is not None and selected.kind == "community"
        row = self.model.row_of(int(selected.id)) if selected is not None and chosen else -1
        if row < 0:
            self.list.clearSelection()
            return
        index = self.model.index(row)
        self.list.selectionModel().setCurrentIndex(index, QItemSelectionModel.SelectionFlag.ClearAndSelect)
        self.list.scrollTo(index)
