"""The switch between a document's text and how it looks."""

from __future__ import annotations

from typing import Literal

from PySide6.QtCore import Qt, Signal

from app.look.plain_text import set_tip
from app.look.translation import tr
from app.reader.document import Look
from app.widgets.fields import Segments

Shown = Literal["text", "look", "both"]
NAMES: dict[Look, str] = {
    "page": tr("Page"),
    "sheet": tr("Sheet"),
    "mail": tr("Mail"),
    "slides": tr("Slides"),
}
BESIDE: frozenset[Look] = frozenset({"page", "sheet"})  # what can stand beside the text


class LookSwitch(Segments):
    """Signal: chosen(Shown) at a person's press."""

    chosen = Signal(str)

    def __init__(self) -> None:
        words = {"text": tr("Text"), "look": tr("Page"), "both": tr("Both")}
        # A click leaves the keyboard to the document.
        super().__init__(words, self._tell, Qt.FocusPolicy.TabFocus)
        self.setAccessibleName(tr("How the document is shown"))
        self.was_wide = False  # when it was shown last
        set_tip(self.buttons["text"], tr("The text as it was read"))
        set_tip(self.buttons["look"], tr("The document as it looks"))
        set_tip(self.buttons["both"], tr("Text and document beside each other"))
        self.hide()

    def _tell(self, shown: str) -> None:
        self.chosen.emit(shown)

    def show_look(self, look: Look, shown: Shown, wide: bool) -> None:
        """What a document can be shown as, and as what it is; nothing where there is its text alone."""
        self.was_wide = wide
        self.setVisible(bool(look))
        if look:
            self.buttons["look"].setText(NAMES[look])
            self.buttons["both"].setVisible(look in BESIDE and wide)
            self.buttons[shown].setChecked(True)
