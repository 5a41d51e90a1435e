"""A table of the trace: sorts by its headings, filters by words, copies what is selected."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QSortFilterProxyModel, Qt, Signal
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
from app.widgets.copying import CopyKeys, Rows, chosen_rows, make_copyable
from app.widgets.tables import RECORD_ROLE, SORT_ROLE, RecordTable

ROW = 28
MOST_ROWS = 12  # more are scrolled to


class _PathDelegate(QStyledItemDelegate):
    """Paths are shortened in the middle, other words at their end."""

    def __init__(self, records: RecordTable, parent: QWidget) -> None:
        super().__init__(parent)
        self._records = records

    def initStyleOption(
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        super().initStyleOption(option, index)
        if self._records.columns[index.column()].path:
            option.textElideMode = Qt.TextElideMode.ElideMiddle


class TraceTable(CopyKeys, QTableView):
    """As tall as its rows, up to MOST_ROWS. Signal: chosen(record) by click or Enter."""

    chosen = Signal(object)

    def __init__(self, records: RecordTable, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self._records = records
        self._proxy = QSortFilterProxyModel(self)
        self._proxy.setSourceModel(records)
        self._proxy.setSortRole(SORT_ROLE)
        self._proxy.setFilterKeyColumn(-1)
        self._proxy.setFilterCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        self.setModel(self._proxy)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.verticalHeader().hide()
        header = self.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        header.setMinimumSectionSize(44)
        self.setItemDelegate(_PathDelegate(records, self))
        header.setHighlightSections(False)
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

    def set_filter(self, words: str) -> None:
        """Keep the rows that hold these words, whatever their case."""
        self._proxy.setFilterFixedString(words)
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        room = self.viewport().width()
        columns = self._records.columns
        shown = [at for at, column in enumerate(columns) if room >= theme.px(column.needs)]
        shares = sum(columns[at].share for at in shown if not columns[at].width)
        left = room - sum(theme.px(columns[at].width) for at in shown)
        for at, column in enumerate(columns):
            self.setColumnHidden(at, at not in shown)
            if at in shown:
                self.setColumnWidth(at, theme.px(column.width) or int(left * column.share / shares))

    def _fit(self) -> None:
        rows = min(max(self._proxy.rowCount(), 1), MOST_ROWS)
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
        records = [self._proxy.index(row, 0).data(RECORD_ROLE) for row in chosen_rows(self)]
        cells = (tuple(column.shown(record) for column in columns) for record in records)
        return Rows(tuple(column.title for column in columns), tuple(cells))
