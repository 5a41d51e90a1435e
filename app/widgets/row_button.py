"""A row that is a button: lit under the mouse, framed while it has the keyboard, pressed by Enter and Space."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QRectF, Qt, Signal
from PySide6.QtGui import QEnterEvent, QFocusEvent, QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QWidget

from app.look import theme


class RowButton(QAbstractButton):
    """Signal: pointed(whether the mouse or the keyboard is at it)."""

    pointed = Signal(bool)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._lit = self._current = False
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        theme.notifier().changed.connect(self.update)

    def light(self, lit: bool) -> None:
        self._lit = lit
        self.update()

    def set_current(self, current: bool) -> None:
        """Draw it as the chosen one."""
        self._current = current
        self.update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.click()
        else:
            super().keyPressEvent(event)

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
        if not (self._lit or self._current or self.hasFocus()):
            return
        colors, painter = theme.current(), QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(colors.color("accent") if self.hasFocus() else Qt.PenStyle.NoPen)
        painter.setBrush(colors.color("accent_soft"))
        box = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        painter.drawRoundedRect(box, theme.RADIUS, theme.RADIUS)
        painter.end()
