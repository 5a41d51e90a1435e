"""A box to choose one of several, with a caret that says so: the style sheet leaves Qt's own sign out."""

from __future__ import annotations

from PySide6.QtCore import QRect
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QComboBox, QWidget

from app.look import theme


class ChoiceBox(QComboBox):
    """As narrow as `letters` of its words, if it must be."""

    def __init__(self, name: str, letters: int = 8, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(letters)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        super().paintEvent(event)
        side = theme.px(12)
        box = QRect(self.width() - side - theme.WITHIN, (self.height() - side) // 2, side, side)
        theme.icon("caret-down", "muted").paint(QPainter(self), box)
