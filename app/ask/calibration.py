"""Why this number: what a probability means here, and how well such numbers held."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QWidget

from app.answers.wording import probability_tip, probability_words
from app.ask.reliability_diagram import ReliabilityDiagram
from app.look import theme
from app.look.translation import tr, trn
from app.widgets.labels import PlainLabel
from app.widgets.layout import fill_dialog, row
from core.types import Reliability

EXPLAINED = tr(
    "Each point is the answers of one range of probabilities. Where numbers hold, points lie on the dashed line; "
    "below it fewer answers were right than was said. The dotted line is the answer shown."
)


class CalibrationDialog(QDialog):
    """Not modal, so that the answer stays in view."""

    def __init__(self, probability: float, found: Reliability, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Why this number?"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.diagram = ReliabilityDiagram()
        self.diagram.show_reliability(found, probability)
        self.legend = PlainLabel(legend_words(found), "muted", wrap=True)
        fill_dialog(
            self,
            PlainLabel(probability_words(probability), "heading"),
            PlainLabel(probability_tip(probability), wrap=True),
            row(self.diagram),
            self.legend,
            PlainLabel(EXPLAINED, "small", wrap=True),
            spacing=theme.WITHIN + theme.GRID,
        )


def legend_words(found: Reliability) -> str:
    """What the signs stand for, or what to do where there are none."""
    model = tr("\u25cf The model that ships, on questions that it did not learn from")
    judged = trn(
        "\u25a1 Your verdicts in this workspace: {count} answer",
        "\u25a1 Your verdicts in this workspace: {count} answers",
        found.answers,
    )
    if not found.model:
        model = tr("\u25cf No figures came with the model.")
    if not found.judged:
        judged = tr(
            "\u25a1 Press Right or Wrong below answers, and you see here how numbers hold for your documents."
        )
    return f"{model}\n{judged}"
