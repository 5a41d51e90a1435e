"""The one style sheet, made from the tokens of a theme, and how it is put on: a few widgets at a time."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import fields
from string import Template
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, Qt
from PySide6.QtWidgets import QApplication, QWidget
from shiboken6 import isValid

if TYPE_CHECKING:
    from app.look.theme import Theme

# Property kind of widgets:
# primary | quiet | link | bare | fold | segments | segment | card | line | title | heading | section | caps | muted
# | small | fact.
_STYLE = Template("""
QMainWindow, QDialog { background: $window; }
QLabel { background: transparent; }
QLabel[kind="title"] { font-size: 22px; font-weight: 600; }
QLabel[kind="heading"] { font-size: 16px; font-weight: 600; }
QLabel[kind="muted"] { color: $muted; }
QLabel[kind="small"] { color: $muted; font-size: 11px; }
QLabel[kind="fact"] { font-size: 11px; border-left: 2px solid $accent; padding-left: 6px; }
QLabel[kind="section"], QLabel[kind="caps"] { color: $muted; font-size: 11px; font-weight: 600; }
QLabel[kind="caps"] { text-transform: uppercase; }
QLabel[kind="error"] { color: $error; }
QLabel[kind="warn"] { color: $warn; font-size: 11px; }
QLabel[kind="chip"] { background: $canvas; color: $muted; font-size: 11px; padding: 3px 6px;
    border-radius: 4px; }
QFrame[kind="line"] { background: $border; border: none; }
QFrame[kind="card"] { background: $surface; border: 1px solid $border; border-radius: 6px; }
QToolTip { background: $raised; color: $text; border: 1px solid $border; padding: 4px 8px; }

QPushButton { background: $raised; color: $text; border: 1px solid $border; border-radius: 6px;
    padding: 4px 12px; min-height: 20px; }
QPushButton:hover { border-color: $strong_border; }
QPushButton:pressed { background: $accent_soft; }
QPushButton:focus { border-color: $accent; }
QPushButton:disabled { color: $strong_border; }
QPushButton[kind="primary"] { background: $accent; color: $on_accent; border-color: $accent;
    font-weight: 600; }
QPushButton[kind="primary"]:hover { border-color: $text; }
QPushButton[kind="primary"]:focus { border-color: $text; }
QPushButton[kind="primary"]:disabled { background: $raised; color: $strong_border; border-color: $border; }
QPushButton[kind="quiet"] { background: transparent; border-color: transparent; color: $accent; }
QPushButton[kind="quiet"]:hover { background: $accent_soft; }
QPushButton[kind="quiet"]:focus { border-color: $accent; }
QPushButton[kind="link"] { background: transparent; border-color: transparent; color: $accent;
    padding: 0 4px; margin-left: -5px; min-height: 18px; text-align: left; border-radius: 4px; }
QPushButton[kind="link"]:hover { background: $accent_soft; }
QPushButton[kind="link"]:focus { border-color: $accent; }
QPushButton[kind="link"]:disabled { color: $strong_border; }
QPushButton[kind="chip"] { background: $canvas; border-color: transparent; color: $accent; font-size: 11px;
    padding: 1px 8px; min-height: 16px; border-radius: 4px; }
QPushButton[kind="chip"]:hover { background: $accent_soft; }
QPushButton[kind="chip"]:focus { border-color: $accent; }
QAbstractButton, QLineEdit { icon-size: 16px; }
QToolButton { background: transparent; border: 1px solid transparent; border-radius: 6px; padding: 4px; }
QToolButton:hover { background: $accent_soft; }
QToolButton:pressed, QToolButton:checked { background: $accent_soft; border-color: $accent; }
QToolButton:focus { border-color: $accent; }
QToolButton:checked:focus { border-color: $text; }
QToolButton[kind="toggle"] { font-size: 11px; padding: 2px 7px; border-color: $border; }
QToolButton[kind="toggle"]:checked, QToolButton[kind="toggle"]:focus { border-color: $accent; }
QToolButton[kind="bare"] { padding: 0; }
QFrame[kind="segments"] { background: $window; border: 1px solid $border; border-radius: 6px; }
QToolButton[kind="segment"] { color: $muted; padding: 2px 10px; border-radius: 5px; }
QToolButton[kind="segment"]:checked { background: $surface; color: $text; border-color: $strong_border; }
QToolButton[kind="segment"]:focus { border-color: $accent; }
QToolButton[kind="fold"] { color: $accent; padding: 2px 4px; }
QToolButton[kind="fold"]:checked { background: transparent; border-color: transparent; }
QToolButton[kind="fold"]:focus, QToolButton[kind="fold"]:checked:focus { border-color: $accent; }

QLineEdit, QPlainTextEdit, QTextEdit, QSpinBox, QComboBox { background: $surface; color: $text;
    border: 1px solid $strong_border; border-radius: 6px; padding: 4px 8px;
    selection-background-color: $accent; selection-color: $on_accent; placeholder-text-color: $muted; }
QLineEdit:focus, QPlainTextEdit:focus, QTextEdit:focus, QSpinBox:focus,
QComboBox:focus { border-color: $accent; }
QPlainTextEdit[kind="plain"] { border: none; border-radius: 0; background: $surface; }
QComboBox QLineEdit { border: none; border-radius: 0; padding: 0; background: transparent; }
QComboBox::drop-down { border: none; width: 20px; }
QComboBox QAbstractItemView { background: $surface; border: 1px solid $border; }

QAbstractItemView { background: $surface; alternate-background-color: $raised; color: $text;
    border: 1px solid $border; border-radius: 6px; outline: none;
    selection-background-color: $accent_soft; selection-color: $text; }
QAbstractItemView::item { padding: 4px; border: none; }
QAbstractItemView::item:hover { background: $raised; }
QAbstractItemView::item:selected { background: $accent_soft; color: $text; }
QAbstractItemView::item:focus { border: 1px solid $accent; }
QHeaderView::section { background: $raised; color: $muted; font-size: 11px; font-weight: 600; border: none;
    border-bottom: 1px solid $border; padding: 4px 8px; }

QDockWidget { color: $muted; font-size: 11px; font-weight: 600; }
QDockWidget::title { background: $window; padding: 8px 12px; text-align: left; }
QMainWindow::separator { background: $border; width: 1px; height: 1px; }
QMainWindow::separator:hover { background: $accent; }
QSplitter::handle { background: $border; }
QSplitter::handle:hover { background: $accent; }
QToolBar { background: $window; border: none; border-bottom: 1px solid $border; spacing: 8px;
    padding: 4px 8px; }
QStatusBar { background: $window; color: $muted; border-top: 1px solid $border; }
QStatusBar::item { border: none; }
QMenuBar { background: $window; }
QMenuBar::item { padding: 4px 8px; border-radius: 4px; background: transparent; }
QMenuBar::item:selected { background: $accent_soft; }
QMenu { background: $surface; border: 1px solid $border; padding: 4px; }
QMenu::item { padding: 4px 24px 4px 12px; border-radius: 4px; }
QMenu::item:selected { background: $accent_soft; color: $text; }
QMenu::item:disabled { color: $strong_border; }
QMenu::separator { height: 1px; background: $border; margin: 4px 8px; }
QMenu::icon { padding-left: 8px; }

QTabWidget::pane { border: none; border-top: 1px solid $border; }
QTabBar { background: $window; }
QTabBar::tab { background: transparent; color: $muted; padding: 8px 12px; border: none;
    border-bottom: 2px solid transparent; }
QTabBar::tab:hover { color: $text; }
QTabBar::tab:selected { color: $text; border-bottom-color: $accent; }
QTabBar::tab:focus { color: $accent; }
.QProgressBar { background: $border; border: none; border-radius: 2px; max-height: 4px; min-height: 4px; }
.QProgressBar::chunk { background: $accent; border-radius: 2px; }
QScrollArea { background: transparent; border: none; }
QScrollBar:vertical { background: transparent; width: 12px; margin: 0; }
QScrollBar:horizontal { background: transparent; height: 12px; margin: 0; }
QScrollBar::handle { background: $strong_border; border-radius: 3px; margin: 3px; }
QScrollBar::handle:vertical { min-height: 28px; }
QScrollBar::handle:horizontal { min-width: 28px; }
QScrollBar::handle:hover { background: $muted; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }
""")
PORTION = 100  # widgets
_POLISHED = Qt.WidgetAttribute.WA_WState_Polished


def style_sheet(theme: Theme, text_size: Callable[[int], int]) -> str:
    """Return the sheet with the theme's colours put in, and its letters as large as `text_size` makes them."""
    tokens = {item.name: getattr(theme, item.name) for item in fields(theme)}
    sheet = _STYLE.substitute(tokens)
    return re.sub(
        r"(font|icon)-size: (\d+)px", lambda found: f"{found[1]}-size: {text_size(int(found[2]))}px", sheet
    )


def dress(app: QApplication, bare: Callable[[], str]) -> Iterator[None]:
    """Take the style sheet off, call `bare` for the other one, and put that on; the event loop may turn at each yield.

    Qt leaves widgets alone that are not polished yet, so each is told that it is not, and later polished by itself.
    """
    windows = [window for window in app.topLevelWidgets() if window.updatesEnabled()]
    for window in windows:  # nobody sees them half dressed
        window.setUpdatesEnabled(False)
    widgets = [widget for widget in app.allWidgets() if widget.testAttribute(_POLISHED)]
    yield from _each(widgets, _undress)
    # Qt takes a sheet off and puts another on in less than half the time of exchanging two.
    app.setStyleSheet("")
    yield
    app.setStyleSheet(bare())
    yield
    yield from _each(widgets, _polish)
    for window in filter(isValid, windows):
        window.setUpdatesEnabled(True)


def _each(widgets: list[QWidget], act: Callable[[QWidget], None]) -> Iterator[None]:
    for start in range(0, len(widgets), PORTION):
        for widget in filter(isValid, widgets[start : start + PORTION]):
            act(widget)
        yield


def _undress(widget: QWidget) -> None:
    widget.style().unpolish(widget)
    widget.setAttribute(_POLISHED, False)


def _polish(widget: QWidget) -> None:
    if not widget.testAttribute(_POLISHED):  # who was shown meanwhile is
        widget.setAttribute(_POLISHED, True)
        widget.style().polish(widget)
        QApplication.sendEvent(widget, QEvent(QEvent.Type.StyleChange))
