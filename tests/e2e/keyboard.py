"""Keys pressed where the keyboard is."""

from __future__ import annotations

from PySide6.QtCore import QTimer
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu, QWidget
from pytestqt.qtbot import QtBot

from app.session.session import Session
from app.shell.main_window import MainWindow
from core.types import Answer

MOST_TABS = 150  # stops on the way round the window; more means that a widget cannot be reached


class Keyboard:
    """Presses keys where the keyboard is, as a person does who never takes the hand off it."""

    def __init__(self, qtbot: QtBot, window: MainWindow, session: Session) -> None:
        self.qtbot, self.window, self.session = qtbot, window, session

    @property
    def focus(self) -> QWidget:
        popup = QApplication.activePopupWidget()
        if popup is not None:
            return popup.focusWidget() or popup
        if QApplication.activeWindow() is None:  # without a window manager nobody gives it back after a popup
            self.qtbot.waitUntil(self._activated)
        return QApplication.focusWidget() or self.window

    def _activated(self) -> bool:
        self.window.activateWindow()
        return self.window.isActiveWindow()

    def press(self, *keys: str) -> None:
        for key in keys:
            wanted = QKeySequence(key)[0]
            QTest.keyClick(self.focus, wanted.key(), wanted.keyboardModifiers())
            QApplication.processEvents()

    def type(self, words: str) -> None:
        QTest.keyClicks(self.focus, words)
        QApplication.processEvents()

    def tab_to(self, widget: QWidget) -> None:
        """Tab until a widget has the keyboard."""
        way = []
        for _ in range(MOST_TABS):
            if self.focus is widget:
                return
            way.append(f"{type(self.focus).__name__} {self.focus.accessibleName()}")
            self.press("Tab")
        raise AssertionError(f"{widget} is not reached by Tab; passed {way}")

    def choose(self, entry: str) -> None:
        """Open the menu of the button that has the keyboard, go down to an entry, take it."""
        timer = QTimer(interval=20)

        def step() -> None:
            menu = QApplication.activePopupWidget()
            if isinstance(menu, QMenu):
                there = menu.activeAction()
                self.press("Return" if there is not None and there.text().startswith(entry) else "Down")

        timer.timeout.connect(step)
        timer.start()
        self.press("Space")  # returns when the menu has closed
        timer.stop()

    def go_to(self, panel: str) -> None:
        """The key that gives a panel the keyboard."""
        command = self.session.commands[f"panel.{panel}"]
        self.press(command.keys)

    def until(self, condition: object, timeout: int = 30_000) -> None:
        self.qtbot.waitUntil(condition, timeout=timeout)  # type: ignore[arg-type]

    def ask(self, question: str) -> Answer:
        """Ctrl+L, the question, Enter; the answer once it is shown."""
        self.press("Ctrl+L")
        self.press("Ctrl+A")
        self.type(question)
        with self.qtbot.waitSignal(self.session.answered, timeout=200_000):
            self.press("Return")
        assert self.session.answer is not None
        return self.session.answer
