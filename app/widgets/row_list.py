"""Records as rows that are drawn, in a list as tall as its rows, inside something that scrolls."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from PySide6.QtCore import QPointF, QRect, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QTextCharFormat, QTextLayout
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QListView,
    QSizePolicy,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
)

from app.look import theme
from app.look.painting import rounded
from app.look.plain_text import tooltip
from app.look.translation import tr
from app.widgets.copying import CopyKeys, Rows, make_copyable
from app.widgets.table import RECORD_ROLE, AnyIndex, Column, RecordTable, chosen_cells
from core.text.escape_controls import escape_controls


class RowDelegate(QStyledItemDelegate):
    """The ground of a chosen row and the frame of the one with the keyboard; what stands on it is drawn by `draw`."""

    HEIGHT = 26  # pixels at 100 %

    def sizeHint(self, option: QStyleOptionViewItem, index: AnyIndex) -> QSize:
        return QSize(120, theme.px(self.HEIGHT))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        state: QStyle.StateFlag = option.state
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if state & QStyle.StateFlag.State_Selected:
            self.draw_chosen(painter, option.rect)
        self.draw(painter, option.rect, index)
        if state & QStyle.StateFlag.State_HasFocus:
            rounded(painter, option.rect, "accent", radius=3)
        painter.restore()

    def draw_chosen(self, painter: QPainter, box: QRect) -> None:
        painter.fillRect(box, theme.current().color("accent_soft"))

    def draw(self, painter: QPainter, box: QRect, index: AnyIndex) -> None:
        raise NotImplementedError


class RowList(CopyKeys, QListView):
    """Read-only; Ctrl+C copies the columns of the selected records. tip: a record's tooltip. able: whether it can be
    chosen; the keyboard passes others by. `below`: pixels left free at the end.
    """

    def __init__(
        self,
        name: str,
        accessible: str,
        columns: tuple[Column, ...],
        delegate: type[RowDelegate],
        tip: Callable[[Any], str],
        able: Callable[[Any], bool] = lambda _: True,
        below: int = 0,
    ) -> None:
        super().__init__()
        self.setObjectName(name)
        self.setAccessibleName(accessible)
        self.records = _Records(columns, tip, able, self)
        self._below = below
        self.setModel(self.records)
        self.setItemDelegate(delegate(self))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        make_copyable(self, self._as_rows)
        theme.follow(self, self._fit)

    def set_records(self, records: tuple[Any, ...]) -> None:
        self.records.set_records(records)
        self._fit()

    def _fit(self) -> None:
        rows = (self.sizeHintForRow(row) for row in range(self.records.rowCount()))
        self.setFixedHeight(sum(rows) + 2 + self._below)

    def _as_rows(self) -> Rows:
        return Rows((), chosen_cells(self, self.records.columns))


class _Records(RecordTable):
    """The first cell stands for the whole record."""

    def __init__(
        self,
        columns: tuple[Column, ...],
        tip: Callable[[Any], str],
        able: Callable[[Any], bool],
        parent: RowList,
    ) -> None:
        super().__init__(columns, parent)
        self._tip, self._able = tip, able

    def flags(self, index: AnyIndex) -> Qt.ItemFlag:
        able = index.isValid() and self._able(index.data(RECORD_ROLE))
        return super().flags(index) if able else Qt.ItemFlag.NoItemFlags

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if role == Qt.ItemDataRole.ToolTipRole and index.isValid():
            return tooltip(self._tip(index.data(RECORD_ROLE)))
        if role == Qt.ItemDataRole.AccessibleTextRole and index.isValid():
            cells = (column.format_cell(index.data(RECORD_ROLE)) for column in self.columns)
            return tr("; ").join(escape_controls(cell) for cell in cells if cell)
        return super().data(index, role)


def paint_marked(painter: QPainter, line: QRect, text: str, marks: Sequence[tuple[int, int]]) -> None:
    """On one line that begins a little before the first mark, so that this is seen; marks as (start, end)."""
    now, face = theme.current(), theme.font()
    metrics = QFontMetrics(face)
    if marks and metrics.horizontalAdvance(text[: marks[0][1]]) > line.width():
        cut = max(text.rfind(" ", 0, max(marks[0][0] - 20, 0)), 0)
        text, marks = "… " + text[cut:].lstrip(), [(a - cut + 1, b - cut + 1) for a, b in marks]
    layout = QTextLayout(metrics.elidedText(text, Qt.TextElideMode.ElideRight, line.width()), face)
    formats = []
    for start, end in marks:
        found = QTextLayout.FormatRange()
        found.start, found.length, found.format = _wide(text[:start]), _wide(text[start:end]), _mark()
        formats.append(found)
    layout.setFormats(formats)
    layout.beginLayout()
    laid = layout.createLine()
    laid.setLineWidth(100_000)
    layout.endLayout()
    painter.setPen(now.color("text"))
    painter.save()
    painter.setClipRect(line)
    layout.draw(painter, QPointF(line.left(), line.top() + (line.height() - laid.height()) / 2))
    painter.restore()


def _wide(text: str) -> int:
    """Length as Qt counts it."""
    return len(text.encode("utf-16-le")) // 2


def _mark() -> QTextCharFormat:
    shape, now = QTextCharFormat(), theme.current()
    shape.setBackground(now.color("mark"))
    shape.setForeground(now.color("on_mark"))
    return shape
