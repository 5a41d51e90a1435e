"""A strip above what a window shows that stays as long as what it says holds: an icon, words, one button."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QFrame, QPushButton, QSizePolicy, QWidget

from app.look import theme
from app.widgets.labels import Icon
from app.widgets.layout import column, row


class Banner(QFrame):
    """Hidden until it is shown. `column` takes its words."""

    def __init__(self, icon: str, button: QPushButton, place: Qt.AlignmentFlag) -> None:
        super().__init__()
        self.column = column(spacing=0)
        parts = ((Icon(icon, "warn", 20), place), (self.column, 1), (button, place))
        margins = (theme.GROUPS, theme.WITHIN, theme.WITHIN, theme.WITHIN)
        row(*parts, spacing=theme.WITHIN + theme.GRID, margins=margins, on=self)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.hide()

    def paintEvent(self, event: QPaintEvent) -> None:
        paint_strip(self, "warn")


def paint_strip(widget: QWidget, role: str) -> None:
    """A bar of a colour at the left, a hairline below."""
    now, painter = theme.current(), QPainter(widget)
    painter.fillRect(widget.rect(), QColor(now.raised))
    painter.fillRect(0, 0, 4, widget.height(), now.color(role))
    painter.setPen(QPen(QColor(now.border), 1))
    painter.drawLine(0, widget.height() - 1, widget.width(), widget.height() - 1)
