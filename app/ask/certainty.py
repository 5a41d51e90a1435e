"""How likely an answer is right: a calm bar, the same words everywhere, and a way to see how such numbers hold."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QWidget

from app.answers.wording import probability_tip, probability_words
from app.look import theme
from app.look.plain_text import set_tip
from app.look.translation import tr
from app.widgets.buttons import push_button
from app.widgets.fields import ProbabilityBar
from app.widgets.labels import PlainLabel
from app.widgets.layout import STRETCH, row


class Certainty(QWidget):
    """Signal: why_wanted()."""

    why_wanted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("certainty")
        self.bar = ProbabilityBar()
        self.words = PlainLabel(kind="small")
        self.why = push_button(tr("Why this number?"), self.why_wanted, kind="link")
        theme.wear(self.why, theme.SMALL)
        row((self.bar, Qt.AlignmentFlag.AlignVCenter), self.words, STRETCH, self.why, on=self)

    def show_probability(self, probability: float) -> None:
        """That the answer shown is right, 0 to 1."""
        self.bar.set_probability(probability)
        self.words.setText(probability_words(probability))
        self.bar.setAccessibleName(
            tr("Probability that this is right: {probability}", probability=self.words.text())
        )
        for widget in (self, self.bar, self.words):
            set_tip(widget, probability_tip(probability))
