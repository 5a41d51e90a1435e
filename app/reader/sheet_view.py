"""A table of figures as a grid of cells, with the cited cell marked."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, Qt, Signal
from PySide6.QtGui import QFont, QKeyEvent, QPainter, QPen
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHeaderView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTabBar,
    QTableView,
    QWidget,
)

from app.look import theme
from app.look.plain_text import tooltip
from app.look.translation import tr
from app.reader.document import OpenDocument
from app.reader.text import Mark
from app.widgets.copying import CopyKeys, Rows, chosen_rows, make_copyable
from app.widgets.layout import column
from app.widgets.table import ROOT, AnyIndex
from core.text.escape_controls import escape_controls
from core.types import DocumentTable, Mention, Region

_CELL = re.compile(r"(.*)!([A-Z]{1,4})([1-9]\d{0,8})")


@dataclass(frozen=True, slots=True)
class Sheet:
    """Rows and columns that hold something. Cells are (start, end) in the document's text by row and column."""

    name: str
    start: int
    end: int
    columns: tuple[str, ...]  # as headings: names, else letters
    rows: tuple[int, ...]  # their numbers in the file, from 1
    cells: dict[tuple[int, int], tuple[int, int]] = field(repr=False)

    def cell_at(self, place: int) -> tuple[int, int] | None:
        """Row and column of the cell that holds a character, or of the next one behind it."""
        behind = ((start, at) for at, (start, end) in self.cells.items() if end > place)
        return min(behind, default=(0, None))[1]


def sheets(tables: Iterable[DocumentTable], regions: Iterable[Region]) -> tuple[Sheet, ...]:
    """From its cells by their names; from its tables where there are too many cells to have names."""
    headed = {table.name: table for table in tables}
    named: dict[str, dict[tuple[int, int], tuple[int, int]]] = {}
    sheet_regions: dict[str, Region] = {}
    for region in regions:
        if (match := _CELL.fullmatch(region.name)) is not None:
            at = int(match[3]), _number(match[2])
            named.setdefault(match[1], {})[at] = (region.start, region.end)
        elif "!" not in region.name:
            sheet_regions[region.name] = region
    found = [_named(name, cells, headed.get(name)) for name, cells in named.items()] + [
        _headed(table) for name, table in headed.items() if name not in named
    ]
    return tuple(sorted(found, key=lambda sheet: sheet.start))


def _named(name: str, cells: dict[tuple[int, int], tuple[int, int]], table: DocumentTable | None) -> Sheet:
    rows = sorted({row for row, _ in cells})
    at = {row: index for index, row in enumerate(rows)}
    wide = 1 + max(column for _, column in cells)
    names = table.columns if table is not None else ()
    columns = tuple(
        names[column] if column < len(names) and names[column] else letters(column) for column in range(wide)
    )
    placed = {(at[row], column): span for (row, column), span in cells.items()}
    start = min(start for start, _ in cells.values())
    end = max(end for _, end in cells.values())
    return Sheet(name, start, end, columns, tuple(rows), placed)


def _headed(table: DocumentTable) -> Sheet:
    cells = {(row, column): (start, end) for row, column, start, end in table.cells.tolist()}
    height = 1 + max((row for row, _ in cells), default=-1)
    columns = tuple(name or letters(column) for column, name in enumerate(table.columns))
    return Sheet(table.name, table.start, table.end, columns, tuple(range(1, height + 1)), cells)


def letters(column: int) -> str:
    """0 -> "A", 27 -> "AB"."""
    found, column = "", column + 1
    while column:
        column, rest = divmod(column - 1, 26)
        found = chr(65 + rest) + found
    return found


def _number(column: str) -> int:
    number = 0
    for letter in column:
        number = 26 * number + ord(letter) - 64
    return number - 1


ROW, WIDEST = 28, 320  # pixels
MEASURED = 200  # rows by which columns are given their widths
NUMBER = frozenset("0123456789.,-+% €$£")


class SheetModel(QAbstractTableModel):
    """One sheet; cells are looked up in the document's text when they are seen."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.sheet = Sheet("", 0, 0, (), (), {})
        self._opened: OpenDocument | None = None
        self._marks: tuple[Mark, ...] = ()
        self._entity = ""

    def show_sheet(self, opened: OpenDocument, sheet: Sheet) -> None:
        self.beginResetModel()
        self._opened, self.sheet = opened, sheet
        self.endResetModel()

    def set_marks(self, marks: tuple[Mark, ...], entity_id: str) -> None:
        self._marks, self._entity = tuple(mark for mark in marks if mark.kind != "passage"), entity_id
        if self.sheet.rows:
            last = self.index(len(self.sheet.rows) - 1, len(self.sheet.columns) - 1)
            self.dataChanged.emit(self.index(0, 0), last)

    def rowCount(self, parent: AnyIndex = ROOT) -> int:
        return 0 if parent.isValid() else len(self.sheet.rows)

    def columnCount(self, parent: AnyIndex = ROOT) -> int:
        return 0 if parent.isValid() else len(self.sheet.columns)

    def words(self, row: int, column: int) -> str:
        span = self.sheet.cells.get((row, column))
        return self._opened.text[slice(*span)] if span is not None and self._opened is not None else ""

    def mention(self, row: int, column: int) -> Mention | None:
        """Return the first name in a cell."""
        span = self.sheet.cells.get((row, column))
        if span is None or self._opened is None:
            return None
        return next(iter(self._opened.mentions_in(*span)), None)

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        row, column = index.row(), index.column()
        if role == Qt.ItemDataRole.DisplayRole:
            return escape_controls(self.words(row, column))
        if role == Qt.ItemDataRole.ToolTipRole:
            return tooltip(self.words(row, column)) or None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            words = self.words(row, column)
            number = bool(words) and NUMBER.issuperset(words)
            side = Qt.AlignmentFlag.AlignRight if number else Qt.AlignmentFlag.AlignLeft
            return int(side | Qt.AlignmentFlag.AlignVCenter)
        if role in (
            Qt.ItemDataRole.BackgroundRole,
            Qt.ItemDataRole.ForegroundRole,
            Qt.ItemDataRole.FontRole,
        ):
            return self._dress(row, column, role)
        return None

    def _dress(self, row: int, column: int, role: int) -> Any:
        span, now = self.sheet.cells.get((row, column)), theme.current()
        if span is None:
            return None
        kinds = {mark.kind for mark in self._marks if mark.start < span[1] and span[0] < mark.end}
        mention = self.mention(row, column)
        if role == Qt.ItemDataRole.FontRole:
            weight = QFont.Weight.DemiBold if "cited" in kinds else QFont.Weight.Normal
            return theme.font(theme.BODY, weight)
        if mention is not None and mention.entity_id == self._entity:
            kinds.add("entity")
        ground = role == Qt.ItemDataRole.BackgroundRole
        if "found-here" in kinds:
            return now.color("text" if ground else "surface")
        if "cited" in kinds:
            return now.color("mark" if ground else "on_mark")
        if kinds:
            return (
                now.color("accent_soft") if ground else now.color("accent" if "entity" in kinds else "text")
            )
        return None

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if role != Qt.ItemDataRole.DisplayRole:
            return None
        if orientation == Qt.Orientation.Vertical:
            return str(self.sheet.rows[section])
        return escape_controls(self.sheet.columns[section])


class _CellDelegate(QStyledItemDelegate):
    """The ground of what is marked, which a style sheet leaves out, and a dotted line below names."""

    def __init__(self, model: SheetModel, parent: QWidget) -> None:
        super().__init__(parent)
        self._model = model

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        ground = index.data(Qt.ItemDataRole.BackgroundRole)
        if ground is not None:
            painter.fillRect(option.rect, ground)
            option.state &= ~QStyle.StateFlag.State_MouseOver  # its ground would lie upon that
        super().paint(painter, option, index)
        if self._model.mention(index.row(), index.column()) is not None:
            words, inner = index.data(), option.rect.adjusted(7, 0, -7, 0)
            wide = min(option.fontMetrics.horizontalAdvance(words), inner.width())
            right = index.data(Qt.ItemDataRole.TextAlignmentRole) & Qt.AlignmentFlag.AlignRight.value
            left = inner.right() - wide if right else inner.left()
            below = inner.center().y() + option.fontMetrics.height() // 2
            painter.setPen(QPen(theme.current().color("strong_border"), 1, Qt.PenStyle.DotLine))
            painter.drawLine(left, below, left + wide, below)


class _Grid(CopyKeys, QTableView):
    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.clicked.emit(self.currentIndex())
        else:
            super().keyPressEvent(event)


class SheetView(QWidget):
    """Signals: entity_chosen(entity id) by click or Enter; entity_pointed(entity id or "")."""

    entity_chosen = Signal(str)
    entity_pointed = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._opened: OpenDocument | None = None
        self._sheets: tuple[Sheet, ...] = ()
        self.tabs = QTabBar()
        self.tabs.setAccessibleName(tr("Sheets"))
        self.tabs.setDrawBase(False)
        self.tabs.currentChanged.connect(self._show_sheet)
        self.model = SheetModel(self)
        self.grid = _Grid()
        self.grid.setObjectName("readerSheet")
        self.grid.setAccessibleName(tr("Cells of the sheet"))
        self.grid.setFrameShape(QFrame.Shape.NoFrame)
        self.grid.setStyleSheet(
            "QTableView#readerSheet, QHeaderView, QTableCornerButton::section { border: none; border-radius: 0; }"
        )
        self.grid.setItemDelegate(_CellDelegate(self.model, self.grid))
        self.grid.setSelectionMode(QAbstractItemView.SelectionMode.ContiguousSelection)
        self.grid.setTabKeyNavigation(False)
        self.grid.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.grid.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        self.grid.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.grid.setModel(self.model)
        self.grid.clicked.connect(self._on_clicked)
        self.grid.setMouseTracking(True)
        self.grid.entered.connect(self._on_entered)
        make_copyable(self.grid, self._rows)
        column((self.grid, 1), self.tabs, spacing=0, on=self)
        theme.follow(self, lambda: self.grid.verticalHeader().setDefaultSectionSize(theme.px(ROW)))
        self.setFocusProxy(self.grid)

    def show_document(self, opened: OpenDocument) -> None:
        self._opened, self._sheets = opened, sheets(opened.tables, opened.regions)
        self.tabs.blockSignals(True)
        while self.tabs.count():
            self.tabs.removeTab(0)
        for sheet in self._sheets:
            self.tabs.addTab(escape_controls(sheet.name) or tr("Sheet"))
        self.tabs.blockSignals(False)
        self.tabs.setVisible(len(self._sheets) > 1)
        self._show_sheet(0)

    def _show_sheet(self, at: int) -> None:
        if self._opened is None or not 0 <= at < len(self._sheets):
            return
        self.model.show_sheet(self._opened, self._sheets[at])
        metrics, widest = self.grid.fontMetrics(), theme.px(WIDEST)
        rows = range(min(self.model.rowCount(), MEASURED))
        for number, name in enumerate(self._sheets[at].columns):
            words = [name, *(self.model.words(row, number)[:80] for row in rows)]
            wide = max(metrics.horizontalAdvance(word) for word in words) + theme.px(28)
            self.grid.setColumnWidth(number, min(wide, widest))

    def set_marks(self, marks: tuple[Mark, ...], entity_id: str) -> None:
        self.model.set_marks(marks, entity_id)

    def reveal(self, place: int) -> None:
        """Bring the cell that holds a character into sight, and make it the current one."""
        for at, sheet in enumerate(self._sheets):
            if place < sheet.end or at == len(self._sheets) - 1:
                self.tabs.setCurrentIndex(at)
                cell = sheet.cell_at(place)
                if cell is not None:
                    index = self.model.index(*cell)
                    self.grid.selectionModel().setCurrentIndex(
                        index, self.grid.selectionModel().SelectionFlag.NoUpdate
                    )
                    self.grid.scrollTo(index, QAbstractItemView.ScrollHint.PositionAtCenter)
                return

    def marked_words(self) -> tuple[int, str]:
        """Return what the current cell holds, and where it begins."""
        index = self.grid.currentIndex()
        span = self.model.sheet.cells.get((index.row(), index.column()))
        if span is None or self._opened is None:
            return 0, ""
        return span[0], self._opened.text[slice(*span)]

    def _on_clicked(self, index: QModelIndex) -> None:
        mention = self.model.mention(index.row(), index.column())
        if mention is not None:
            self.entity_chosen.emit(mention.entity_id)

    def _on_entered(self, index: QModelIndex) -> None:
        mention = self.model.mention(index.row(), index.column())
        self.entity_pointed.emit(mention.entity_id if mention is not None else "")

    def _rows(self) -> Rows:
        sheet, chosen = self.model.sheet, chosen_rows(self.grid)
        wide = range(len(sheet.columns))
        return Rows(sheet.columns, tuple(tuple(self.model.words(row, at) for at in wide) for row in chosen))
