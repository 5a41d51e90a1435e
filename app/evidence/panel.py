"""The evidence: ranked passages of the last answer, each with its best sentence marked."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QGuiApplication, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QStackedLayout, QWidget

from app.answers.evidence_rows import EvidenceRow, evidence_rows
from app.answers.wording import place_words, placed, quotes_only, route_name, scope_words
from app.evidence.card import EvidenceCard
from app.evidence.support import Support
from app.look import theme
from app.look.translation import tr, trn
from app.session import operations
from app.session.panels import Area, PanelSpec
from app.session.scope import ask_about
from app.session.selection import Selected
from app.session.session import Session
from app.widgets.copying import Rows, make_copyable
from app.widgets.labels import PlainLabel
from app.widgets.layout import STRETCH, PanelScroll, drop
from app.widgets.notices import EmptyState
from core.types import Answer, PathStep, Scope

RANKED = {
    "dense": tr("ranked by the dense route"),
    "fusion": tr("ranked by the fusion route"),
    "graph": tr("ranked by the graph route"),
    "lexical": tr("ranked by the words route"),
    "global": tr("ranked by the global route"),
}
FIRST = 3  # cards made at once, as many as are seen; the others follow, one a turn of the event loop


class EvidencePanel(QWidget):
    """Cards from the best passage down. Choosing one opens the reader at its sentence.

    Signal: community_wanted(id) to see one whose report told a passage.
    """

    community_wanted = Signal(int)

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.cards: list[EvidenceCard] = []
        self._rows: list[EvidenceRow] = []  # those of the answer; `cards` grows until all have theirs
        self._answer: Answer | None = None
        self._support = Support(session, session.tasks.owned_by(self), self._show_support)
        self._chosen = ""  # passage that is selected
        self._more = QTimer(self, interval=0)
        self._more.timeout.connect(lambda: self._make(len(self.cards) + 1))
        self.heading = PlainLabel(kind="small", wrap=True)
        self.empty = EmptyState(
            "quotes", tr("No evidence yet"), tr("The passages that an answer rests on are ranked here.")
        )
        self._lay_out()
        session.ranked.connect(self.show_answer)
        session.answered.connect(self.show_answer)
        session.not_answered.connect(self._on_not_answered)
        session.selection.changed.connect(self._on_selected)
        session.workspace_opened.connect(self.clear)
        session.workspace_closed.connect(self.clear)
        session.blocked_changed.connect(self._show_support)
        self.clear()

    def _lay_out(self) -> None:
        self.area = PanelScroll(self.heading, STRETCH)
        self._column = self.area.column
        self._stack = QStackedLayout(self)
        self._stack.addWidget(self.empty)
        self._stack.addWidget(self.area)
        make_copyable(self, self._table)  # Ctrl+C copies the passage that has the keyboard

    def clear(self, _: object = None) -> None:
        """Show that there is no evidence."""
        self._drop_cards()
        self._stack.setCurrentIndex(0)

    def _on_not_answered(self, _: object) -> None:
        """Show the passages of the answer that stands again, not those of a question that was given up."""
        answer = self._session.answer
        if answer is None:
            self.clear()
        elif answer is not self._answer:
            self.show_answer(answer)

    def _drop_cards(self) -> None:
        self._more.stop()
        drop(self._column, self.cards)
        self._rows = []

    def show_answer(self, answer: Answer) -> None:
        """Replace the cards by those of another answer."""
        self._drop_cards()
        self._answer = answer
        self._rows = evidence_rows(answer)
        self._support.recall(answer)
        self._make(FIRST)
        count = len(self._rows)
        route = answer.trace.route
        how = RANKED.get(route.name, tr("ranked by {route}", route=route_name(route.name)))
        if quotes_only(answer) or not route.is_ranked:
            how = tr("in the order of the answer")
        found = trn("{count} passage, {how}", "{count} passages, {how}", count, how=how)
        self.heading.setText("\n".join(filter(None, (found, scope_words(answer)))))
        self._stack.setCurrentIndex(1 if self.cards else 0)
        self.area.verticalScrollBar().setValue(0)
        if len(self.cards) < count:
            self._more.start()

    def _make(self, count: int) -> None:
        """Have this many cards at least, from the best down."""
        for at in range(len(self.cards), min(count, len(self._rows))):
            row = self._rows[at]
            card = EvidenceCard(row)
            card.clicked.connect(lambda _, row=row: self._choose(row))
            card.pointed.connect(lambda lit, row=row: self._point(row, lit))
            card.community_chosen.connect(self.community_wanted)
            for button in card.steps:
                button.clicked.connect(partial(self._open_step, row, button.step))
            card.explained.connect(partial(self._explain, row))
            card.ask_wanted.connect(partial(self._ask_about, row))
            card.moved.connect(lambda step, at=at: self._move(at + step))
            card.support.judged.connect(partial(self._judge, card))
            self._show_support_of(card)
            card.set_current(row.evidence.passage.id == self._chosen)
            self._column.insertWidget(1 + at, card)
            card.show()  # at once, so that it can take the keyboard
            self.cards.append(card)
        if len(self.cards) == len(self._rows):
            self._more.stop()

    def _choose(self, row: EvidenceRow) -> None:
        passage = row.evidence.passage
        operations.select_passage(self._session, passage.id, passage.document_id)

    def _explain(self, row: EvidenceRow) -> None:
        """Have it said why a passage is not higher."""
        self._choose(row)
        self._session.commands.run("explain.ranks")

    def _ask_about(self, row: EvidenceRow) -> None:
        """The chain of facts that leads to a passage, or else its document."""
        why = row.evidence.why
        if why is not None and why.path:
            ask_about(self._session, Scope(entities=why.entity_ids), path=True)
        else:
            ask_about(self._session, Scope(documents=(row.evidence.passage.document_id,)))

    def _judge(self, card: EvidenceCard, verdict: str, why: str) -> None:
        if self._answer is not None:
            self._support.judge(self._answer, card.row.evidence, verdict, why)

    def _show_support(self) -> None:
        """Show what was said of the explanations, once it is read or kept."""
        for card in self.cards:
            self._show_support_of(card)

    def _show_support_of(self, card: EvidenceCard) -> None:
        card.support.set_shut(self._session.shut)
        if not self._support.keeping(card.row.evidence):  # else the buttons know more
            card.support.show_judged(self._support.of(card.row.evidence))
        card.set_current(card.current)
        if card.support.why.hasFocus():
            self.area.ensureWidgetVisible(card.support, 0, theme.WITHIN)

    def _open_step(self, row: EvidenceRow, step: PathStep) -> None:
        operations.select_step(self._session, row.evidence.passage.id, step)

    def _point(self, row: EvidenceRow, lit: bool) -> None:
        passage = row.evidence.passage
        selected = Selected("passage", passage.id, document_id=passage.document_id) if lit else None
        self._session.pointed_at.emit(selected)

    def _move(self, at: int) -> None:
        if 0 <= at < len(self._rows):
            self._make(at + 1)
            self.cards[at].setFocus(Qt.FocusReason.OtherFocusReason)
            # Once a card that was made only now has its place.
            QTimer.singleShot(0, self.cards[at], lambda card=self.cards[at]: self._show_card(card))

    def _on_selected(self, selected: Selected | None) -> None:
        chosen = selected is not None and selected.kind in ("passage", "citation")
        self._chosen = (selected.chain or selected.id) if selected is not None and chosen else ""
        ids = [row.evidence.passage.id for row in self._rows]
        if self._chosen in ids:
            self._make(ids.index(self._chosen) + 1)
        for card in self.cards:
            card.set_current(card.row.evidence.passage.id == self._chosen)
            if card.current:
                # Once the cards of a new answer have their places.
                QTimer.singleShot(0, card, lambda card=card: self._show_card(card))

    def _show_card(self, card: EvidenceCard) -> None:
        if card in self.cards:
            self.area.ensureWidgetVisible(card, 0, theme.WITHIN)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        at = next((at for at, card in enumerate(self.cards) if card.hasFocus()), -1)
        if at >= 0 and event.matches(QKeySequence.StandardKey.Copy):
            QGuiApplication.clipboard().setText(passage_as_text(self.cards[at].row))
        elif event.key() == Qt.Key.Key_Home:
            self._move(0)
        elif event.key() == Qt.Key.Key_End:
            self._move(len(self._rows) - 1)
        else:
            super().keyPressEvent(event)

    def _table(self) -> Rows:
        headings = (tr("Rank"), tr("Score"), tr("Document"), tr("Place"), tr("Passage"))
        return Rows(headings, tuple(map(_cells, enumerate(self._rows, 1))))


def _cells(numbered: tuple[int, EvidenceRow]) -> tuple[str, ...]:
    rank, row = numbered
    passage = row.evidence.passage
    score, place = f"{row.evidence.hit.score:.4f}", place_words(passage.page)
    return str(rank), score, row.evidence.document, place, passage.text


def passage_as_text(row: EvidenceRow) -> str:
    """Return a passage and where it stands, for the clipboard."""
    passage = row.evidence.passage
    named = placed(passage.title, place_words(passage.page))
    return f"{passage.text}\n\n{named} ({row.evidence.document})"


PANEL = PanelSpec("evidence", tr("Evidence"), Area.RIGHT, EvidencePanel, share=0.38)
