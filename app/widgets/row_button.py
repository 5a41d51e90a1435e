"""Buttons that draw themselves, and one of them that is a row."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QEnterEvent, QFocusEvent, QKeyEvent, QPaintEvent
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QWidget

from app.look.painting import rounded, smooth


class PaintedButton(QAbstractButton):
    """Drawn anew when the mouse comes and goes; pressed by Enter and Space."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.click()
        else:
            super().keyPressEvent(event)

    def pass_the_mouse(self) -> None:
        """Whatever label in it is pointed at, the button is meant."""
        for part in self.findChildren(QWidget):
            if not isinstance(part, QAbstractButton):
                part.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)


class RowButton(PaintedButton):
    """Lit under the mouse, framed while it has the keyboard.

    Signal: pointed(whether the mouse or the keyboard is at it).
    """

    pointed = Signal(bool)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._lit = self.current = False
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def light(self, lit: bool) -> None:
        self._lit = lit
        self.update()

    def set_current(self, current: bool) -> None:
        """Draw it as the chosen one."""
        self.current = current
        self.update()

    def enterEvent(self, event: QEnterEvent) -> None:
        self.light(True)
        self.pointed.emit(True)

    def leaveEvent(self, event: QEvent) -> None:
        self.light(False)
        self.pointed.emit(False)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.pointed.emit(True)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.pointed.emit(False)

    def paintEvent(self, event: QPaintEvent) -> None:
        """The ground; what stands on it is painted by whoever inherits, or by widgets in its layout."""
        if self._lit or self.current or self.hasFocus():
            rounded(smooth(self), self.rect(), "accent" if self.hasFocus() else "", "accent_soft")
