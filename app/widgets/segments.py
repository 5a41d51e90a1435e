"""A switch between views: buttons in a row of which one is down."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QButtonGroup, QFrame

from app.widgets.buttons import tool_button
from app.widgets.flow import flow
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
        self._lay_out()

    def _lay_out(self) -> None:
        row(*self.buttons.values(), spacing=0, margins=1, on=self)

    @staticmethod
    def _press(turn: Callable[[str], object], key: str, *_: object) -> None:
        turn(key)


class WrappingSegments(Segments):
    """The same in several lines where there is little room."""

    def _lay_out(self) -> None:
        wrapped = flow(self, *self.buttons.values())
        wrapped.setHorizontalSpacing(0)
        wrapped.setVerticalSpacing(0)
        wrapped.setContentsMargins(1, 1, 1, 1)
        policy = self.sizePolicy()
        policy.setHorizontalPolicy(policy.Policy.Maximum)
        self.setSizePolicy(policy)

    def sizeHint(self) -> QSize:
        # In one line where there is room; a flow itself asks for its widest button.
        hints = [button.sizeHint() for button in self.buttons.values()]
        return QSize(sum(hint.width() for hint in hints) + 8, max(hint.height() for hint in hints) + 2)
