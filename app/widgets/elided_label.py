"""A one-line label that shortens what does not fit and tells the whole in its tooltip."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSizePolicy
from superqt import QElidingLabel

from app.look.plain_text import set_tip
from core.text.escape_controls import escape_controls

INSET = {"fact": 10}  # pixels that the style sheet takes of the width, by kind


class ElidedLabel(QElidingLabel):
    """Plain text, shortened in the middle by default, so that both ends of a path stay readable."""

    def __init__(self, text: str = "", kind: str = "", end: bool = False) -> None:
        super().__init__()
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setProperty("kind", kind)
        self.setIndent(0)  # else a frame of the style sheet brings one
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setEllipsesWidth(INSET.get(kind, 0))
        self.setElideMode(Qt.TextElideMode.ElideRight if end else Qt.TextElideMode.ElideMiddle)
        self.setText(text)

    def setText(self, text: str) -> None:
        """Set the whole text; line breaks become spaces."""
        super().setText(escape_controls(" ".join(text.split("\n"))))
        self.setAccessibleName(self.text())
        self._update_tip()

    def set_margins(self, left: int, top: int, right: int, bottom: int) -> None:
        """Room around the text, which is cut by so much the sooner."""
        self.setContentsMargins(left, top, right, bottom)
        self.setEllipsesWidth(left + right)

    def visible_text(self) -> str:
        """Return what is visible at the present width."""
        return str(super(QElidingLabel, self).text())

    def sizeHint(self) -> QSize:
        # That of the whole text: by what is shown now it would never grow again.
        margins = self.contentsMargins()
        wide = self.fontMetrics().horizontalAdvance(self.text()) + margins.left() + margins.right()
        return QSize(wide, super().sizeHint().height())

    def minimumSizeHint(self) -> QSize:
        return QSize(self.fontMetrics().horizontalAdvance("M…M"), self.sizeHint().height())

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:  # other letters need other room
            self.setElideMode(self.elideMode())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._update_tip()

    def _update_tip(self) -> None:
        set_tip(self, self.text() if self.visible_text() != self.text() else "")
