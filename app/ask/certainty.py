"""How likely an answer is right: a calm bar, the same words everywhere, and a way to see how such numbers hold."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QWidget

from app.answers.wording import probability_tip, probability_words
from app.look import theme
from app.look.plain_text import tooltip
from app.widgets.plain_label import PlainLabel
from app.widgets.probability_bar import ProbabilityBar


class Certainty(QWidget):
    """Signal: why_wanted()."""

    why_wanted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("certainty")
        self.bar = ProbabilityBar()
        self.words = PlainLabel(kind="small")
        self.why = QPushButton("Why this number?")
        self.why.setProperty("kind", "link")
        theme.wear(self.why, theme.SMALL)
        self.why.clicked.connect(self.why_wanted)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(theme.WITHIN)
        row.addWidget(self.bar, 0, Qt.AlignmentFlag.AlignVCenter)
        row.addWidget(self.words)
        row.addStretch(1)
        row.addWidget(self.why)

    def show_probability(self, probability: float) -> None:
        """That the answer shown is right, 0 to 1."""
        self.bar.set_probability(probability)
        self.words.setText(probability_words(probability))
        self.bar.setAccessibleName(f"Probability that this is right: {self.words.text()}")
        for widget in (self, self.bar, self.words):
            widget.setToolTip(tooltip(probability_tip(probability)))
