"""A switch between views: buttons in a row of which one is down."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QButtonGroup, QFrame

from app.widgets.buttons import tool_button
from app.widgets.layout import row


class Segments(QFrame):
    """`buttons` by the keys of `words`; who presses one calls `turn` with its key.

    `focus`: what gives them the keyboard.
    """

    def __init__(
        self,
        words: Mapping[str, str],
        turn: Callable[[str], object],
        focus: Qt.FocusPolicy = Qt.FocusPolicy.StrongFocus,
    ) -> None:
        super().__init__()
        self.setProperty("kind", "segments")
        self.buttons = {key: tool_button(text=text, checkable=True) for key, text in words.items()}
        group = QButtonGroup(self)
        for key, button in self.buttons.items():
            button.setProperty("kind", "segment")
            button.setFocusPolicy(focus)
            button.clicked.connect(partial(self._press, turn, key))
            group.addButton(button)
        row(*self.buttons.values(), spacing=0, margins=1, on=self)

    @staticmethod
    def _press(turn: Callable[[str], object], key: str, *_: object) -> None:
        turn(key)
