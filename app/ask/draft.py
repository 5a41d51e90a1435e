"""An answer while a model writes it: plain text that is not checked yet, and says so."""

from __future__ import annotations

from PySide6.QtWidgets import QFrame, QWidget

from app.look.translation import tr
from app.widgets.labels import PlainLabel
from app.widgets.layout import column


class Draft(QFrame):
    """Who writes, and what so far."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("draft")
        self.setProperty("kind", "card")
        self.who = PlainLabel(kind="small", wrap=True)
        self.text = PlainLabel(wrap=True, selectable=True, prose=True, name="draftText")
        self.text.setAccessibleName(tr("Answer being written"))
        column(self.who, self.text, margins=12, on=self)

    def begin(self, model: str) -> None:
        """Nothing is written yet."""
        self.who.setText(
            tr(
                "{model} is writing. Each sentence is held against the passages before the answer stands.",
                model=model,
            )
        )
        self.text.setText("")
        self.text.hide()

    def show_text(self, text: str) -> None:
        """What is written so far."""
        self.text.setText(text)
        self.text.setVisible(bool(text))
