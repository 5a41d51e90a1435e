"""A list as tall as its rows, inside something that scrolls."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter, QPen
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QListView,
    QSizePolicy,
    QStyle,
    QStyleOptionViewItem,
    QWidget,
)

from app.look import theme
from app.widgets.copying import CopyKeys, Rows, chosen_rows, make_copyable


def paint_focus(painter: QPainter, option: QStyleOptionViewItem) -> None:
    """The frame of the row that has the keyboard."""
    if option.state & QStyle.StateFlag.State_HasFocus:
        painter.setPen(QPen(theme.current().color("accent"), 1))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(QRectF(option.rect).adjusted(0.5, 0.5, -0.5, -0.5), 3, 3)


class RowList(CopyKeys, QListView):
    """The height is set by who fills it."""

    def __init__(self, name: str, accessible: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.setAccessibleName(accessible)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        make_copyable(self, self._as_rows)

    def _as_rows(self) -> Rows:
        lines = (str(self.model().index(row, 0).data()) for row in chosen_rows(self))
        return Rows((), tuple(tuple(line.split("\t")) for line in lines))
