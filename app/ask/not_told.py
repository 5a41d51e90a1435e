"""The calm box: these documents do not tell; what was looked for, and what to try."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QWidget

from app.answers.wording import NOT_TOLD
from app.look import theme
from app.look.translation import tr
from app.widgets.buttons import push_button
from app.widgets.labels import Icon, PlainLabel
from app.widgets.layout import LEFT, TOP, column, row
from core.types import Answer


class NotToldBox(QFrame):
    """Signal: route_chosen(name)."""

    route_chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("notToldBox")
        self.setProperty("kind", "card")
        self.headline, self.words = PlainLabel(NOT_TOLD, wrap=True, bold=True), PlainLabel(wrap=True)
        tip = tr("Walk over the graph from the names in the question: finds what several documents say")
        self.graph = push_button(
            tr("Ask on the graph route"), lambda: self.route_chosen.emit("graph"), tip=tip
        )
        text = column(self.headline, self.words, (self.graph, LEFT), spacing=theme.GRID)
        row((Icon("compass", "muted", 20), TOP), (text, 1), margins=12, on=self)

    def show_answer(self, answer: Answer) -> None:
        """Say what was looked for; offer the graph where it was not the way taken."""
        self.words.setText(
            answer.missing or tr("Nothing in the passages found answers this. Try other words.")
        )
        self.graph.setVisible(answer.trace.route.name != "graph")
