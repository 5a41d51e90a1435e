"""The labels of the whole window: what they are given is shown letter by letter."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QFont, QPainter, QPaintEvent
from PySide6.QtWidgets import QLabel, QWidget

from app.look import theme
from app.look.plain_text import set_tip
from core.text.escape_controls import escape_controls


class PlainLabel(QLabel):
    """Plain text only, where a QLabel would guess; controls and marks of direction are shown as escapes.

    kind: of the style sheet. prose: text of a document, whose marks of direction keep their meaning.
    """

    def __init__(
        self,
        text: str = "",
        kind: str = "",
        parent: QWidget | None = None,
        *,
        wrap: bool = False,
        selectable: bool = False,
        prose: bool = False,
        bold: bool = False,
        centred: bool = False,
        name: str = "",
        tip: str = "",
    ) -> None:
        super().__init__(parent, wordWrap=wrap)
        self._prose = prose
        self.setObjectName(name)
        set_tip(self, tip)
        self.setTextFormat(Qt.TextFormat.PlainText)
        if selectable:
            self.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        if kind:
            self.setProperty("kind", kind)
        if bold:
            theme.wear(self, weight=QFont.Weight.DemiBold)
        if centred:
            self.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.setText(text)

    def setText(self, text: str) -> None:
        super().setText(text if self._prose else escape_controls(text, keep="\n\t"))


class Icon(QWidget):
    """An icon that is no button; it follows the theme and is sharp at every scale."""

    def __init__(self, name: str, role: str, side: int) -> None:
        super().__init__()
        theme.square(self, side)
        self.show_icon(name, role)

    def show_icon(self, name: str, role: str) -> None:
        """By its name, in the colour of a role."""
        self._icon = theme.icon(name, role)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        self._icon.paint(QPainter(self), self.rect())
