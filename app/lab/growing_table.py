"""A table that takes the height that is left, where the panel has some."""

from __future__ import annotations

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QSizePolicy

from app.look import theme
from app.widgets.table import ROW, RecordTable, TraceTable

_LEAST = 4  # rows that are seen without scrolling
_TALLEST = (1 << 24) - 1  # pixels: Qt's own largest


class GrowingTable(TraceTable):
    def __init__(self, records: RecordTable, name: str) -> None:
        super().__init__(records, name)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.set_records(())

    def sizeHint(self) -> QSize:
        return QSize(super().sizeHint().width(), self.minimumHeight())

    def _fit(self) -> None:
        super()._fit()
        self.setMinimumHeight(theme.px(ROW) * (_LEAST + 1))
        self.setMaximumHeight(_TALLEST)
