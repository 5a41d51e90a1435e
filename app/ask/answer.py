"""The answer: what it is, who says so, the sentence with its words marked, how likely; or that there is none."""

from __future__ import annotations

from itertools import pairwise

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFrame, QWidget

from app.answers.answer_text import AnswerText
from app.answers.ask_communities import CommunityRow
from app.answers.claims import all_supported, claims_words, usage_words
from app.answers.wording import (
    ANSWER,
    NO_ANSWER,
    NOTHING_ASKED,
    POSSIBLE,
    answer_as_text,
    attribution,
    first_lines,
    has_short_answer,
    probability_tip,
    probability_words,
    quotes_only,
    scope_words,
)
from app.ask.sources import ConflictRows, NearestPassages, OtherReadings, SourceButton, StepRows
from app.ask.verdict import VerdictRow
from app.look import theme
from app.look.plain_text import set_tip
from app.look.translation import tr, trn
from app.session.selection import Selected
from app.widgets.buttons import push_button, tool_button
from app.widgets.fields import ProbabilityBar
from app.widgets.labels import Icon, PlainLabel
from app.widgets.layout import LEFT, STRETCH, TOP, column, drop, row
from core.types import Answer, Citation, check_words, model_words

QUOTED_TIP = tr(
    "Every sentence stands in its passage word for word. Which ones are told was chosen from the reports of "
    "the communities."
)
RESTS_TIP = tr(
    "An answer rests on the facts that were read from the sentences it cites. In the Review panel they are approved."
)
REVIEW_TIP = tr(
    "The cited sentences tell facts that were not in the graph. They wait in the Review panel, and count once approved."
)
LONG_ANSWER = 60  # letters above which a short answer is set smaller


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


class AnswerSection(QWidget):
    """Signals: citation_pointed(Citation or None), citation_chosen(Citation), passage_chosen(its id, document id),
    community_chosen(id), route_chosen(name), why_wanted() of the probability, judged(verdict, right answer),
    review_wanted() of the facts that wait, edit_wanted(question) to go on from a step."""

    citation_pointed = Signal(object)
    citation_chosen = Signal(object)
    community_chosen = Signal(int)
    route_chosen = Signal(str)
    passage_chosen = Signal(str, str)
    why_wanted = Signal()
    judged = Signal(str, str)
    review_wanted = Signal()
    edit_wanted = Signal(str)

    def __init__(self, above: QWidget) -> None:
        """above: from where Tab comes into the answer."""
        super().__init__()
        self._answer: Answer | None = None
        self._above = above
        self.state = PlainLabel(kind="caps", name="state")
        self.attribution = PlainLabel(kind="small", wrap=True, selectable=True, name="attribution")
        self.short = PlainLabel(kind="title", wrap=True, selectable=True)
        self.put_as = PlainLabel(wrap=True, selectable=True)
        self.model = PlainLabel(kind="small", wrap=True, name="model")
        self.listed = PlainLabel(wrap=True, selectable=True, name="listed")
        self.certainty = Certainty()
        self.passages = NearestPassages()
        self.sentences = AnswerText()
        self.communities = CommunityRow()
        self.no_answer = NoAnswerBox()
        self.steps = StepRows()
        self.conflicts = ConflictRows()
        self.others = OtherReadings()
        self.verdict = VerdictRow()
        self.support, self.support_icon = PlainLabel(kind="small", wrap=True), Icon("check-circle", "ok", 16)
        self.usage = PlainLabel(kind="small", wrap=True, name="usage")
        self.table_note = PlainLabel(kind="small", wrap=True, name="rows")
        self.rests = PlainLabel(kind="small", wrap=True, name="rests")
        set_tip(self.rests, RESTS_TIP)
        self.scope = PlainLabel(kind="small", wrap=True)
        self.to_review = push_button(kind="link", act=self.review_wanted, tip=REVIEW_TIP)
        self.copy_button = tool_button("copy", tr("Copy the answer with its citations"), self.copy)
        self.pin_button = tool_button("push-pin", tr("Pin this question"))
        self.sources: list[SourceButton] = []
        self.verdict.row.addWidget(self.pin_button)
        self.verdict.row.addWidget(self.copy_button)
        self._sources = column(spacing=0)
        column(
            *(
                self.scope,
                self.steps,
                self.state,
                self.short,
                self.attribution,
                self.listed,
                self.sentences,
                self.put_as,
                self.certainty,
                self.model,
            ),
            *(self.communities, self.no_answer, self._sources, self.conflicts, self.passages, self.others),
            *(
                row(self.support_icon, (self.support, 1), spacing=theme.GRID),
                self.table_note,
                self.rests,
                (self.to_review, LEFT),
                self.usage,
                self.verdict,
            ),
            on=self,
        )
        self.sentences.mark_pointed.connect(self._on_pointed)
        self.sentences.mark_chosen.connect(self._on_chosen)
        self.sentences.community_chosen.connect(self.community_chosen)
        self.communities.chosen.connect(self.community_chosen)
        self.no_answer.route_chosen.connect(self.route_chosen)
        self.passages.passage_chosen.connect(self.passage_chosen)
        self.steps.edit_wanted.connect(self.edit_wanted)
        for rows in (self.steps, self.conflicts.list, self.others.list):
            rows.citation_chosen.connect(self.citation_chosen)
            rows.citation_pointed.connect(self.citation_pointed)
        self.certainty.why_wanted.connect(self.why_wanted)
        self.verdict.judged.connect(self.judged)

    def show_answer(self, answer: Answer) -> None:
        """Replace what is shown."""
        self._answer = answer
        self._show_short(answer)
        self.sentences.show_answer(answer)
        has_sentences = bool(answer.sentences or answer.claims)
        self.sentences.setVisible(has_sentences and not answer.abstained)
        self.passages.setVisible(answer.guess)
        if answer.guess:
            self.passages.show_answer(answer)
        self.no_answer.setVisible(answer.abstained)
        if answer.abstained:
            self.no_answer.show_answer(answer)
        self.certainty.show_probability(answer.confidence)
        self.certainty.setVisible(not (answer.abstained or quotes_only(answer)))
        self.communities.show_communities(() if answer.abstained else answer.communities)
        self.steps.show_steps(answer.steps)
        self.conflicts.show_answer(answer)
        self.others.show_alternatives(answer.alternatives)
        self._show_sources(() if answer.abstained else answer.citations)
        self._show_support(answer)
        self.verdict.show_answer(answer)
        self.verdict.setVisible(not answer.unasked)
        self.to_review.hide()
        for label, words in (
            (self.attribution, "" if answer.abstained else attribution(answer)),
            (self.put_as, answer.put_as),
            (self.model, "\n".join(filter(None, (model_words(answer), check_words(answer))))),
            (self.usage, usage_words(answer)),
            (self.table_note, answer.table_note),
            (self.rests, answer.rests_words),
            (self.scope, scope_words(answer)),
        ):
            label.setText(words)
            label.setVisible(bool(words))

    def show_proposed(self, answer: Answer, count: int) -> None:
        """So many facts of an answer wait for a decision now."""
        if answer is self._answer:  # else it came too late
            self.to_review.setText(trn("{count} fact to review", "{count} facts to review", count))
            self.to_review.show()

    def _show_short(self, answer: Answer) -> None:
        """Show what it is, and the short answer, large, where no sentence below holds it."""
        self.state.setText(POSSIBLE if answer.guess else ANSWER)
        self.state.setVisible(not (answer.abstained or quotes_only(answer)))
        short = not answer.abstained and answer.main_citation is None and has_short_answer(answer)
        line, listed = first_lines(answer) if short else ("", "")
        kind = "title" if len(line) <= LONG_ANSWER and not listed else "heading"
        self.short.setText(line)
        self.listed.setText(listed)
        self.listed.setVisible(bool(listed))
        theme.set_kind(self.short, "" if answer.guess else kind)
        self.short.setVisible(short)

    def _show_support(self, answer: Answer) -> None:
        """Show what the check of a model's sentences gave, or that all are quotations."""
        words, tip = claims_words(answer.claims) if answer.claims else "", ""
        if quotes_only(answer):
            words, tip = tr("Every sentence is a quotation"), QUOTED_TIP
        icon, role = ("check-circle", "ok") if all_supported(answer.claims) else ("warning-circle", "warn")
        self.support_icon.show_icon(icon, role)
        self.support.setText(words)
        for widget in (self.support, self.support_icon):
            set_tip(widget, tip)
            widget.setVisible(bool(words) and not answer.abstained)
        self.copy_button.setVisible(not answer.abstained)

    def _show_sources(self, citations: tuple[Citation, ...]) -> None:
        drop(self._sources, self.sources)
        self.sources = [
            SourceButton(number, citation, self) for number, citation in enumerate(citations, start=1)
        ]
        for button in self.sources:
            button.clicked.connect(lambda _, button=button: self._on_chosen(button.number))
            button.pointed.connect(
                lambda lit, button=button: self._on_source_pointed(button.number if lit else 0)
            )
            self._sources.addWidget(button)
        # From what stands still: the rows, made just now, are the last of the whole window till then.
        order = [
            self._above,
            *(widget for pair in zip(self.steps.rows, self.steps.edits, strict=True) for widget in pair),
            self.sentences,
            self.certainty.why,
            *self.communities.chips,
        ]
        order += [*self.sources, *self.conflicts.list.rows]
        order += [*self.passages.rows, self.others.fold, *self.others.list.rows]
        order += [
            self.to_review,
            *self.verdict.buttons.values(),
            self.pin_button,
            self.copy_button,
            self.verdict.right_answer,
        ]
        for before, after in pairwise(order):
            QWidget.setTabOrder(before, after)

    def show_current(self, selected: Selected | None) -> None:
        """Fill the mark of the citation that is selected, wherever it was selected."""
        current = 0
        if self._answer is not None and selected is not None and selected.kind == "citation":
            for number, citation in enumerate(self._answer.citations, start=1):
                place = (citation.passage_id, citation.start, citation.end)
                if place == (selected.id, selected.start, selected.end):
                    current = current or number
        chosen = int(selected.id) if selected is not None and selected.kind == "community" else None
        self.communities.set_current(chosen)
        self.sentences.set_current(current)
        for button in self.sources:
            button.set_current(button.number == current)

    def copy(self) -> None:
        """Put question, answer and sources on the clipboard as plain text."""
        if self._answer is not None:
            QGuiApplication.clipboard().setText(answer_as_text(self._answer))

    def _citation(self, number: int) -> Citation | None:
        citations = self._answer.citations if self._answer else ()
        return citations[number - 1] if 1 <= number <= len(citations) else None

    def _on_pointed(self, number: int) -> None:
        for button in self.sources:
            button.light(button.number == number)
        self.citation_pointed.emit(self._citation(number))

    def _on_source_pointed(self, number: int) -> None:
        self.sentences.light(number)
        self.citation_pointed.emit(self._citation(number))

    def _on_chosen(self, number: int) -> None:
        citation = self._citation(number)
        if citation is not None:
            self.citation_chosen.emit(citation)


class NoAnswerBox(QFrame):
    """Signal: route_chosen(name)."""

    route_chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("kind", "card")
        self.headline, self.words = PlainLabel(NO_ANSWER, wrap=True, bold=True), PlainLabel(wrap=True)
        tip = tr("Walk over the graph from the names in the question: finds what several documents say")
        self.graph = push_button(
            tr("Ask on the graph route"), lambda: self.route_chosen.emit("graph"), tip=tip
        )
        text = column(self.headline, self.words, (self.graph, LEFT), spacing=theme.GRID)
        row((Icon("compass", "muted", 20), TOP), (text, 1), margins=12, on=self)

    def show_answer(self, answer: Answer) -> None:
        """Say what was looked for; offer the graph where it was not the way taken."""
        headline = NO_ANSWER if answer.trace.scope.all else tr("The scope does not tell")
        self.headline.setText(NOTHING_ASKED if answer.unasked else headline)
        self.words.setText(
            answer.missing or tr("Nothing in the passages found answers this. Try other words.")
        )
        self.graph.setVisible(answer.trace.route.name != "graph" and not answer.unasked)
