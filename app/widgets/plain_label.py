"""The label of the whole window: what it is given is shown letter by letter."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QWidget

from core.visible import visible


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
    ) -> None:
        super().__init__(parent)
        self._prose = prose
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setWordWrap(wrap)
        if selectable:
            self.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        if kind:
            self.setProperty("kind", kind)
        self.setText(text)

    def setText(self, text: str) -> None:
        super().setText(text if self._prose else visible(text, keep="\n\t"))
