"""What stands in place of the card until a person agrees to it or leaves it."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QPushButton, QWidget

_MODIFIED = (
    Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier | Qt.KeyboardModifier.MetaModifier
)


class Sheet(QWidget):
    """Enter presses the button with the keyboard, else `agree`; Esc leaves. Signal: closed() when it asks no more."""

    closed = Signal()
    agree: QPushButton

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.active = False

    def give_up(self) -> None:
        if self.active:
            self.active = False
            self.closed.emit()

    def event(self, event: QEvent) -> bool:
        """Letters are for the sheet, whatever they mean in the list beside it."""
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            letter = bool(event.text()) and event.text().isprintable()
            event.setAccepted(letter and not event.modifiers() & _MODIFIED)
            return event.isAccepted()
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.give_up()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            now = self.focusWidget()
            (now if isinstance(now, QPushButton) and now.hasFocus() else self.agree).click()
        else:
            super().keyPressEvent(event)
