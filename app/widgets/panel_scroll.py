"""A scroll area for a panel's content whose right edge stays where it is when the scroll bar comes."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QLayout, QScrollArea, QWidget

from app.look import theme


class PanelScroll(QScrollArea):
    """Scrolls sideways only where large letters need it; the content's right margin makes room for the bar."""

    def __init__(self, content: QWidget, column: QLayout, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._column = column
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setWidget(content)
        self.verticalScrollBar().rangeChanged.connect(lambda _, end: self._make_room(end > 0))

    def _make_room(self, bar: bool) -> None:
        margins = self._column.contentsMargins()
        taken = self.verticalScrollBar().sizeHint().width() if bar else 0
        right = max(theme.GROUPS - taken, 0)
        if margins.right() != right:
            margins.setRight(right)
            self._column.setContentsMargins(margins)
