"""Buttons, each said in one expression, and those that draw themselves."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, Qt, Signal, SignalInstance
from PySide6.QtGui import QEnterEvent, QFocusEvent, QIcon, QKeyEvent, QPaintEvent
from PySide6.QtWidgets import QAbstractButton, QMenu, QPushButton, QSizePolicy, QToolButton, QWidget

from app.look import theme
from app.look.painting import rounded, smooth
from app.look.plain_text import set_tip

Act = Callable[..., object] | SignalInstance | None


def push_button(
    text: str = "", act: Act = None, *, kind: str = "", icon: str = "", tip: str = "", name: str = ""
) -> QPushButton:
    """kind: of the style sheet."""
    button = QPushButton(theme.icon(icon) if icon else QIcon(), text)
    button.setObjectName(name)
    set_tip(button, tip)
    if kind:
        button.setProperty("kind", kind)
    if act is not None:
        button.clicked.connect(act)
    return button


def tool_button(
    icon: str = "",
    words: str = "",
    act: Act = None,
    *,
    text: str = "",
    role: str = "muted",
    side: int = 0,
    checkable: bool = False,
    name: str = "",
    parent: QWidget | None = None,
) -> QToolButton:
    """`words`: its tooltip and, where no text stands beside the icon, its accessible name. side: of a square."""
    button = QToolButton(parent)
    button.setObjectName(name)
    button.setText(text)
    button.setCheckable(checkable)
    if icon:
        button.setIcon(theme.icon(icon, role))
    if text:
        button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
    explain(button, words, named=not text)
    if side:
        theme.square(button, side)
    if act is not None:
        button.clicked.connect(act)
    return button


def attach_menu(button: QToolButton, menu: QMenu, style: str = "") -> None:
    """A press opens it; no sign of Qt's own stands beside the button's words."""
    button.setMenu(menu)
    button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
    button.setStyleSheet("QToolButton::menu-indicator { image: none; width: 0; }" + style)


def fold_button(text: str, inside: QWidget) -> QToolButton:
    """Shows and hides something, which is hidden at first."""

    def turn(opened: bool) -> None:
        button.setIcon(theme.icon("caret-down" if opened else "caret-right", "muted"))
        inside.setVisible(opened)

    button = tool_button("caret-right", text=text, checkable=True)
    button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    button.toggled.connect(turn)
    inside.hide()
    return button


def block(button: QAbstractButton, reason: str, words: str = "") -> None:
    """It cannot be pressed while there is a `reason`; its tooltip says that, else `words`."""
    button.setEnabled(not reason)
    set_tip(button, reason or words)


def explain(button: QWidget, words: str, named: bool = True) -> None:
    """Its tooltip, and with `named` its accessible name, too."""
    set_tip(button, words)
    if named:
        button.setAccessibleName(words)


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
        """Paint the ground; what stands on it is painted by whoever inherits, or by widgets in its layout."""
        if self._lit or self.current or self.hasFocus():
            rounded(smooth(self), self.rect(), "accent" if self.hasFocus() else "", "accent_soft")
