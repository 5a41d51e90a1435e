"""A scroll area for a panel's content whose right edge stays where it is when the scroll bar comes."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QScrollArea, QWidget

from app.look import theme
from app.widgets.layout import Part, column


class PanelScroll(QScrollArea):
    """Scrolls sideways only where large letters need it; the content's right margin makes room for the bar."""

    def __init__(self, *parts: Part, spacing: int = theme.WITHIN, left: int = theme.GROUPS) -> None:
        super().__init__(widgetResizable=True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.content = QWidget()
        margins = (left, theme.WITHIN, theme.GROUPS, theme.GROUPS)
        self.column = column(*parts, spacing=spacing, margins=margins, on=self.content)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setWidget(self.content)
        self.verticalScrollBar().rangeChanged.connect(lambda _, end: self._make_room(end > 0))

    def _make_room(self, bar: bool) -> None:
        margins = self.column.contentsMargins()
        taken = self.verticalScrollBar().sizeHint().width() if bar else 0
        right = max(theme.GROUPS - taken, 0)
        if margins.right() != right:
            margins.setRight(right)
            self.column.setContentsMargins(margins)
