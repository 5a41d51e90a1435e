"""Tables over frozen records: sorted by their headings, filtered by words, copied as what is selected."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QSortFilterProxyModel,
    Qt,
    Signal,
)
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QSizePolicy,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from app.look import theme
from app.look.plain_text import tooltip
from app.widgets.copying import CopyKeys, Rows, chosen_rows, make_copyable
from core.text.escape_controls import escape_controls

AnyIndex = QModelIndex | QPersistentModelIndex
ROOT = QModelIndex()
SORT_ROLE = Qt.ItemDataRole.UserRole
RECORD_ROLE = Qt.ItemDataRole.UserRole + 1
ROW = 28
MOST_ROWS = 12  # more are scrolled to


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table of records: its words, what is shown of a record, what sorts it where the shown does not.

    width: pixels, for numbers; other columns get `share` of the room that is left. A column with
    `needs` is hidden where the table is narrower than that. path: shortened in the middle.
    """

    title: str
    format_cell: Callable[[Any], str]
    key: Callable[[Any], Any] | None = None
    number: bool = False
    tip: str = ""
    width: int = 0
    share: float = 1.0
    needs: int = 0
    path: bool = False


class RecordTable(QAbstractTableModel):
    """A read-only table over frozen records. RECORD_ROLE gives the record, SORT_ROLE the sort key."""

    def __init__(self, columns: tuple[Column, ...], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.columns = columns
        self._records: tuple[Any, ...] = ()

    def set_records(self, records: tuple[Any, ...]) -> None:
        self.beginResetModel()
        self._records = records
        self.endResetModel()

    def renew(self, records: tuple[Any, ...]) -> None:
        """Other words for the same rows: what is selected stays so."""
        self._records = records
        self.dataChanged.emit(self.index(0, 0), self.index(len(records) - 1, len(self.columns) - 1))

    def rowCount(self, parent: AnyIndex = ROOT) -> int:
        return 0 if parent.isValid() else len(self._records)

    def columnCount(self, parent: AnyIndex = ROOT) -> int:
        return 0 if parent.isValid() else len(self.columns)

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        record, column = self._records[index.row()], self.columns[index.column()]
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return escape_controls(column.format_cell(record))
        if role == Qt.ItemDataRole.ToolTipRole:
            return tooltip(column.format_cell(record))
        if role == SORT_ROLE:
            return column.key(record) if column.key else column.format_cell(record).casefold()
        if role == RECORD_ROLE:
            return record
        if role == Qt.ItemDataRole.TextAlignmentRole:
            side = Qt.AlignmentFlag.AlignRight if column.number else Qt.AlignmentFlag.AlignLeft
            return int(side | Qt.AlignmentFlag.AlignVCenter)
        return None

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation != Qt.Orientation.Horizontal:
            return None
        column = self.columns[section]
        if role == Qt.ItemDataRole.DisplayRole:
            return column.title
        if role == Qt.ItemDataRole.ToolTipRole:
            return tooltip(column.tip) or None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            side = Qt.AlignmentFlag.AlignRight if column.number else Qt.AlignmentFlag.AlignLeft
            return int(side | Qt.AlignmentFlag.AlignVCenter)
        return None


class _PathDelegate(QStyledItemDelegate):
    """Paths are shortened in the middle, other words at their end."""

    def __init__(self, records: RecordTable, parent: QWidget) -> None:
        super().__init__(parent)
        self._records = records

    def initStyleOption(self, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        super().initStyleOption(option, index)
        if self._records.columns[index.column()].path:
            option.textElideMode = Qt.TextElideMode.ElideMiddle


def dress_table(view: QTableView) -> None:
    """Have a table be one of rows: picked as wholes, without lines between them, and passed by with Tab."""
    view.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
    view.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
    view.setShowGrid(False)
    view.setWordWrap(False)
    view.setTabKeyNavigation(False)
    view.verticalHeader().hide()
    view.horizontalHeader().setHighlightSections(False)


def fit_columns(view: QTableView, columns: tuple[Column, ...]) -> None:
    """Show the columns that a table has room for, each as wide as it is to be."""
    room = view.viewport().width()
    visible = [at for at, column in enumerate(columns) if room >= theme.px(column.needs)]
    shares = sum(columns[at].share for at in visible if not columns[at].width)
    left = room - sum(theme.px(columns[at].width) for at in visible)
    for at, column in enumerate(columns):
        view.setColumnHidden(at, at not in visible)
        if at in visible:
            view.setColumnWidth(at, theme.px(column.width) or int(left * column.share / shares))


class TraceTable(CopyKeys, QTableView):
    """As tall as its rows, up to `most`. Signal: chosen(record) by click or Enter."""

    chosen = Signal(object)

    def __init__(
        self, records: RecordTable, name: str, parent: QWidget | None = None, most: int = MOST_ROWS
    ) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self._records, self._most = records, most
        self._proxy = QSortFilterProxyModel(self)
        self._proxy.setSourceModel(records)
        self._proxy.setSortRole(SORT_ROLE)
        self._proxy.setFilterKeyColumn(-1)
        self._proxy.setFilterCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        self.setModel(self._proxy)
        dress_table(self)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        header = self.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        header.setMinimumSectionSize(44)
        self.setItemDelegate(_PathDelegate(records, self))
        self.setSortingEnabled(True)
        self.clicked.connect(self._choose)
        make_copyable(self, self._rows)
        theme.follow(self, self._fit)

    def set_records(self, records: tuple[object, ...]) -> None:
        """Replace the rows; they keep the order in which they come until a heading is clicked."""
        self._records.set_records(records)
        self.horizontalHeader().setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        self._proxy.sort(-1)
        self._fit()

    def renew(self, records: tuple[object, ...]) -> None:
        """Replace the rows where they are sorted and scrolled to."""
        self._records.set_records(records)
        self._fit()

    def select_passage(self, passage_id: str) -> None:
        """Select the row of this passage, or none where it has no row."""
        rows = range(self._proxy.rowCount())
        found = (at for at in rows if self._passage(self._proxy.index(at, 0)) == passage_id)
        if not passage_id or (at := next(found, -1)) < 0:
            self.clearSelection()
        elif self._passage(self.currentIndex()) != passage_id or not self.selectionModel().hasSelection():
            self.selectRow(at)

    @staticmethod
    def _passage(index: QModelIndex) -> str:
        return getattr(index.data(RECORD_ROLE), "passage_id", "") if index.isValid() else ""

    def set_filter(self, words: str) -> None:
        """Keep the rows that hold these words, whatever their case."""
        self._proxy.setFilterFixedString(words)
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        fit_columns(self, self._records.columns)

    def _fit(self) -> None:
        rows = min(max(self._proxy.rowCount(), 1), self._most)
        row = theme.px(ROW)
        self.verticalHeader().setDefaultSectionSize(row)
        self.horizontalHeader().setFixedHeight(row)
        self.setFixedHeight(rows * row + row + 2)

    def _choose(self, index: QModelIndex) -> None:
        if index.isValid():
            self.chosen.emit(index.data(RECORD_ROLE))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._choose(self.currentIndex())
        else:
            super().keyPressEvent(event)

    def _rows(self) -> Rows:
        columns = self._records.columns
        return Rows(tuple(column.title for column in columns), chosen_cells(self, columns))


def chosen_cells(view: QAbstractItemView, columns: tuple[Column, ...]) -> tuple[tuple[str, ...], ...]:
    """Return the selected records of a view, of all where none is."""
    records = [view.model().index(row, 0).data(RECORD_ROLE) for row in chosen_rows(view)]
    return tuple(tuple(column.format_cell(record) for column in columns) for record in records)
