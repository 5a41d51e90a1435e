"""The switch between a document's text and how it looks."""

from __future__ import annotations

from functools import partial
from typing import Literal

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QButtonGroup, QFrame, QWidget

from app.look.plain_text import set_tip
from app.look.translation import tr
from app.reader.document import Look
from app.widgets.buttons import tool_button
from app.widgets.layout import row

Shown = Literal["text", "look", "both"]
NAMES: dict[Look, str] = {
    "page": tr("Page"),
    "sheet": tr("Sheet"),
    "mail": tr("Mail"),
    "slides": tr("Slides"),
}
BESIDE: frozenset[Look] = frozenset({"page", "sheet"})  # what can stand beside the text


class LookSwitch(QFrame):
    """Signal: chosen(Shown) at a person's press."""

    chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("kind", "segments")
        self.setAccessibleName(tr("How the document is shown"))
        self._group = QButtonGroup(self)
        self.was_wide = False  # when it was shown last
        words: dict[Shown, str] = {"text": tr("Text"), "look": tr("Page"), "both": tr("Both")}
        self.buttons = {shown: tool_button(text=word, checkable=True) for shown, word in words.items()}
        for shown, button in self.buttons.items():
            button.setProperty("kind", "segment")
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)  # a click leaves the keyboard to the document
            button.clicked.connect(partial(self.chosen.emit, shown))
            self._group.addButton(button)
        set_tip(self.buttons["text"], tr("The text as it was read"))
        set_tip(self.buttons["look"], tr("The document as it looks"))
        set_tip(self.buttons["both"], tr("Text and document beside each other"))
        row(*self.buttons.values(), spacing=0, margins=1, on=self)
        self.hide()

    def show_look(self, look: Look, shown: Shown, wide: bool) -> None:
        """What a document can be shown as, and as what it is; nothing where there is its text alone."""
        self.was_wide = wide
        self.setVisible(bool(look))
        if look:
            self.buttons["look"].setText(NAMES[look])
            self.buttons["both"].setVisible(look in BESIDE and wide)
            self.buttons[shown].setChecked(True)
