"""What stands where the models would: what they are for, that everything works without, how to begin."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.language_models.words import CALM, COMMANDS, NO_MODEL, START
from app.look import theme
from app.widgets.plain_label import PlainLabel


class ModelStart(QWidget):
    """A calm word, and the commands to begin with."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("modelStart")
        self.words = _label("")
        self.how = _label("muted")
        self.commands = _label("chip")
        theme.follow(self.commands, lambda: self.commands.setFont(theme.mono_font()))
        self.commands.setAccessibleName("Commands")
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(theme.WITHIN)
        for label in (self.words, self.how):
            column.addWidget(label)
        column.addWidget(self.commands, 0, Qt.AlignmentFlag.AlignLeft)

    def show_calm(self) -> None:
        """There is no server."""
        self._say(CALM, START, COMMANDS)

    def show_no_model(self) -> None:
        """There is a server with nothing in it."""
        self._say(CALM, NO_MODEL, COMMANDS.splitlines()[1])

    def show_fault(self, words: str) -> None:
        """There is something else at this address."""
        self._say(words, "", "")

    def _say(self, words: str, how: str, commands: str) -> None:
        for label, text in ((self.words, words), (self.how, how), (self.commands, commands)):
            label.setText(text)
            label.setVisible(bool(text))


def _label(kind: str) -> PlainLabel:
    label = PlainLabel(kind=kind)
    label.setWordWrap(kind != "chip")
    label.setTextInteractionFlags(
        Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
    )
    return label
