"""The calm box: these documents do not tell; what was looked for, and what to try."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from app.answers.wording import NOT_TOLD
from app.look import theme
from app.widgets.plain_label import PlainLabel
from core.types import Answer


class NotToldBox(QFrame):
    """Signal: route_chosen(name)."""

    route_chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("notToldBox")
        self.setProperty("kind", "card")
        self._icon = PlainLabel()
        self._on_theme(None)
        theme.notifier().changed.connect(self._on_theme)
        self.headline = PlainLabel(NOT_TOLD, wrap=True)
        theme.wear(self.headline, weight=QFont.Weight.DemiBold)
        self.words = PlainLabel(wrap=True)
        self.graph = QPushButton("Ask on the graph route")
        self.graph.setToolTip(
            "Walk over the graph from the names in the question: finds what several documents say"
        )
        self.graph.clicked.connect(lambda: self.route_chosen.emit("graph"))
        text = QVBoxLayout()
        text.setSpacing(theme.GRID)
        text.addWidget(self.headline)
        text.addWidget(self.words)
        text.addWidget(self.graph, 0, Qt.AlignmentFlag.AlignLeft)
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 12, 12, 12)
        row.setSpacing(theme.WITHIN)
        row.addWidget(self._icon, 0, Qt.AlignmentFlag.AlignTop)
        row.addLayout(text, 1)

    def _on_theme(self, _: object) -> None:
        self._icon.setPixmap(theme.icon("compass", "muted").pixmap(20, 20))

    def show_answer(self, answer: Answer) -> None:
        """Say what was looked for; offer the graph where it was not the way taken."""
        self.words.setText(answer.missing or "Nothing in the passages found answers this. Try other words.")
        self.graph.setVisible(answer.trace.route.name != "graph")
