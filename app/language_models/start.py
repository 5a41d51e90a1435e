"""What stands where the models would: what they are for, that everything works without, how to begin."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from app.language_models.words import CALM, COMMANDS, NO_MODEL, START
from app.look import theme
from app.look.translation import tr
from app.widgets.labels import PlainLabel
from app.widgets.layout import LEFT, column


class ModelStart(QWidget):
    """A calm word, and the commands to begin with."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("modelStart")
        self.words = PlainLabel(wrap=True, selectable=True)
        self.how = PlainLabel(kind="muted", wrap=True, selectable=True)
        self.commands = PlainLabel(kind="chip", selectable=True)
        theme.follow(self.commands, lambda: self.commands.setFont(theme.mono_font()))
        self.commands.setAccessibleName(tr("Commands"))
        column(self.words, self.how, (self.commands, LEFT), on=self)
        by = Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        for label in (self.words, self.how, self.commands):
            label.setTextInteractionFlags(by)

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
