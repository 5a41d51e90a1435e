"""A table over frozen records."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from app.look.plain_text import tooltip
from core.visible import visible

AnyIndex = QModelIndex | QPersistentModelIndex
ROOT = QModelIndex()
SORT_ROLE = Qt.ItemDataRole.UserRole
RECORD_ROLE = Qt.ItemDataRole.UserRole + 1


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table of records: its words, what is shown of a record, what sorts it.

    width: pixels, for numbers; other columns get `share` of the room that is left. A column with
    `needs` is hidden where the table is narrower than that. path: shortened in the middle.
    """

    title: str
    shown: Callable[[Any], str]
    key: Callable[[Any], Any]
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

    def rowCount(self, parent: AnyIndex = ROOT) -> int:
        return 0 if parent.isValid() else len(self._records)

    def columnCount(self, parent: AnyIndex = ROOT) -> int:
        return 0 if parent.isValid() else len(self.columns)

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        record, column = self._records[index.row()], self.columns[index.column()]
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return visible(column.shown(record))
        if role == Qt.ItemDataRole.ToolTipRole:
            return tooltip(column.shown(record))
        if role == SORT_ROLE:
            return column.key(record)
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
