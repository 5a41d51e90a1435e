"""What else the passages might mean: other readings, folded away; and the passages that come before a guess."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.answers.answer_text import citation_tip
from app.answers.claims import marked_quote
from app.answers.evidence_rows import excerpt
from app.answers.wording import citation_place, place_words, placed, probability_words
from app.ask.sources import PlaceRow
from app.look import theme
from app.look.plain_text import set_tip
from app.look.translation import tr
from app.widgets.buttons import fold_button
from app.widgets.labels import PlainLabel
from app.widgets.layout import LEFT, column, drop
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
        self._list = QWidget()
        self._column = column(spacing=0, on=self._list)
        self.fold = fold_button(tr("Other readings"), self._list)
        self.fold.setProperty("kind", "fold")
        column((self.fold, LEFT), self._list, spacing=theme.GRID, on=self)

    def show_alternatives(self, alternatives: tuple[Alternative, ...]) -> None:
        """Replace the list, folded; without any nothing is seen."""
        drop(self._column, self.rows)
        self.rows = [self._row(other) for other in alternatives]
        for row in self.rows:
            self._column.addWidget(row)
        self.fold.setText(tr(" Other readings ({count})", count=len(alternatives)))
        self.fold.setChecked(False)
        self.setVisible(bool(alternatives))

    def _row(self, other: Alternative) -> PlaceRow:
        text = " ".join(other.text.split())
        citation = other.citation
        place = placed(citation.title or citation.document, citation_place(citation))
        row = PlaceRow((text, 0, 0), place, probability_words(other.probability), self._list)
        set_tip(row, citation_tip(citation))
        row.clicked.connect(lambda: self.citation_chosen.emit(citation))
        row.pointed.connect(lambda lit: self.citation_pointed.emit(citation if lit else None))
        return row


class NearestPassages(QWidget):
    """The best sentences of the passages that stand above a guess. Signal: passage_chosen(passage id, document id)."""

    passage_chosen = Signal(str, str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("nearestPassages")
        self.rows: list[PlaceRow] = []
        self.heading = PlainLabel(tr("The passages that come nearest"), "caps")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
        self._column = column(self.heading, spacing=theme.GRID, margins=(0, 0, 0, theme.WITHIN), on=self)

    def show_answer(self, answer: Answer) -> None:
        """The first passages and those that the guess cites, its words marked."""
        drop(self._column, self.rows)
        numbered = reversed(list(enumerate(answer.citations, 1)))
        cited: dict[str, tuple[int, Citation]] = {each.passage_id: (at, each) for at, each in numbered}
        ranked = sorted(answer.evidence, key=lambda row: row.hit.rank)
        selected = [row for at, row in enumerate(ranked) if at < FIRST or row.passage.id in cited]
        self.rows = [self._row(row, cited.get(row.passage.id)) for row in selected]
        for row in self.rows:
            self._column.addWidget(row)

    def _row(self, evidence: Evidence, cited: tuple[int, Citation] | None) -> PlaceRow:
        passage = evidence.passage
        aside = tr("cited as {number}", number=str(cited[0])) if cited is not None else ""
        near = excerpt(evidence, 76)
        words = marked_quote(cited[1]) if cited is not None else (near.text, 0, 0)
        place = placed(passage.title or evidence.document, place_words(passage.page))
        row = PlaceRow(words, place, aside, self)
        set_tip(row, f"{place}\n{evidence.document}\n{tr('Opens the passage')}")
        row.clicked.connect(lambda: self.passage_chosen.emit(passage.id, passage.document_id))
        return row
