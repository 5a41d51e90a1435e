"""Buttons, each said in one expression."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt, SignalInstance
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QAbstractButton, QMenu, QPushButton, QToolButton, QWidget

from app.look import theme
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
