"""A strip above what a window shows that stays as long as what it says holds: an icon, words, one button."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QSizePolicy, QVBoxLayout

from app.look import theme
from app.widgets.plain_label import PlainLabel


class Banner(QFrame):
    """Hidden until it is shown. `column` takes its words."""

    def __init__(self, icon: str, button: QPushButton, align: Qt.AlignmentFlag) -> None:
        super().__init__()
        self._name, self._icon = icon, PlainLabel()
        self.column = QVBoxLayout()
        row = QHBoxLayout(self)
        row.setContentsMargins(theme.GROUPS, theme.WITHIN, theme.WITHIN, theme.WITHIN)
        row.setSpacing(theme.WITHIN + theme.GRID)
        row.addWidget(self._icon, 0, align)
        row.addLayout(self.column, 1)
        row.addWidget(button, 0, align)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        theme.notifier().changed.connect(self._restyle)
        self._restyle()
        self.hide()

    def _restyle(self, *_: object) -> None:
        self._icon.setPixmap(theme.icon(self._name, "warn").pixmap(20, 20))
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        now, painter = theme.current(), QPainter(self)
        painter.fillRect(self.rect(), QColor(now.raised))
        painter.fillRect(0, 0, 4, self.height(), QColor(now.warn))
        painter.setPen(QPen(QColor(now.border), 1))
        painter.drawLine(0, self.height() - 1, self.width(), self.height() - 1)
        painter.end()
