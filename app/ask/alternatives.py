"""What else the passages might mean: other readings, folded away; and the passages that come before a guess."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QSizePolicy, QToolButton, QVBoxLayout, QWidget

from app.answers.answer_text import citation_tip
from app.answers.claims import marked_quote
from app.answers.evidence_rows import excerpt
from app.answers.wording import citation_place, place_words, probability_words
from app.ask.sources import PlaceRow
from app.look import theme
from app.look.plain_text import tooltip
from app.widgets.plain_label import PlainLabel
from core.types import Alternative, Answer, Citation, Evidence

FIRST = 3  # passages before a guess, beside those that it cites


class OtherReadings(QWidget):
    """`Other readings (3)`, which opens the list.

    Signals: citation_chosen(Citation), citation_pointed(Citation or None).
    """

    citation_chosen = Signal(object)
    citation_pointed = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("otherReadings")
        self.rows: list[PlaceRow] = []
        self.fold = QToolButton()
        self.fold.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.fold.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.fold.setCheckable(True)
        self.fold.setProperty("kind", "fold")
        self.fold.toggled.connect(self._on_fold)
        self._list = QWidget()
        self._column = QVBoxLayout(self._list)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(0)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(theme.GRID)
        column.addWidget(self.fold, 0, Qt.AlignmentFlag.AlignLeft)
        column.addWidget(self._list)
        self._on_fold(False)

    def show_alternatives(self, alternatives: tuple[Alternative, ...]) -> None:
        """Replace the list, folded; without any nothing is seen."""
        _clear(self._column, self.rows)
        self.rows = [self._row(other) for other in alternatives]
        for row in self.rows:
            self._column.addWidget(row)
        self.fold.setText(f" Other readings ({len(alternatives)})")
        self.fold.setChecked(False)
        self.setVisible(bool(alternatives))

    def _row(self, other: Alternative) -> PlaceRow:
        text = " ".join(other.text.split())
        citation = other.citation
        place = ", ".join(
            part for part in (citation.title or citation.document, citation_place(citation)) if part
        )
        row = PlaceRow((text, 0, 0), place, probability_words(other.probability), self._list)
        row.setToolTip(tooltip(citation_tip(citation)))
        row.clicked.connect(lambda: self.citation_chosen.emit(citation))
        row.pointed.connect(lambda lit: self.citation_pointed.emit(citation if lit else None))
        return row

    def _on_fold(self, opened: bool) -> None:
        self.fold.setIcon(theme.icon("caret-down" if opened else "caret-right", "muted"))
        self._list.setVisible(opened)


class NearestPassages(QWidget):
    """The best sentences of the passages that stand above a guess. Signal: passage_chosen(passage id, document id)."""

    passage_chosen = Signal(str, str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("nearestPassages")
        self.rows: list[PlaceRow] = []
        self.heading = PlainLabel("THE PASSAGES THAT COME NEAREST", "section")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, theme.WITHIN)
        self._column.setSpacing(theme.GRID)
        self._column.addWidget(self.heading)

    def show_answer(self, answer: Answer) -> None:
        """The first passages and those that the guess cites, its words marked."""
        _clear(self._column, self.rows)
        cited: dict[str, Citation] = {each.passage_id: each for each in reversed(answer.citations)}
        ranked = sorted(answer.evidence, key=lambda row: row.hit.rank)
        shown = [row for at, row in enumerate(ranked) if at < FIRST or row.passage.id in cited]
        self.rows = [self._row(row, cited.get(row.passage.id)) for row in shown]
        for row in self.rows:
            self._column.addWidget(row)

    def _row(self, evidence: Evidence, cited: Citation | None) -> PlaceRow:
        passage = evidence.passage
        near = excerpt(evidence, 160)
        words = marked_quote(cited) if cited is not None else (near.text, 0, 0)
        place = ", ".join(
            part for part in (passage.title or evidence.document, place_words(passage.page)) if part
        )
        row = PlaceRow(words, place, parent=self)
        row.setToolTip(tooltip(f"{place}\n{evidence.document}\nOpens the passage"))
        row.clicked.connect(lambda: self.passage_chosen.emit(passage.id, passage.document_id))
        return row


def _clear(column: QVBoxLayout, rows: list[PlaceRow]) -> None:
    for row in rows:
        column.removeWidget(row)
        row.hide()
        row.deleteLater()
    rows.clear()
