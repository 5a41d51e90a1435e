"""The fact that is decided on now: its ends as they will enter the graph, and its sentence in context."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFont, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QPushButton, QWidget

from app.answers.text_objects import MarkedLabel
from app.look import theme
from app.look.plain_text import button_words, set_tip
from app.look.translation import tr, trn
from app.review.queue_model import Note, Waiting
from app.review.wording import STATES, fact_words, known_words, note_words, proposers_words
from app.session.commands import Commands
from app.widgets.buttons import explain, push_button, tool_button
from app.widgets.elided_label import ElidedLabel
from app.widgets.fields import ProbabilityBar, line_edit
from app.widgets.labels import Icon, PlainLabel
from app.widgets.layout import STRETCH, PanelScroll, column, flow, row
from core.types import CandidateFact, ReviewAct

NAME = 124  # pixels of a name at most
AROUND = 600  # characters of the passage after the sentence, and where there is room before it
LOW, BEFORE = 300, 60  # pixels of a card without such room, and the characters before the sentence there
WIDE, BAR_FROM = 860, 500  # pixels for the reason beside the buttons, for the bar beside the figure


class FactCard(QWidget):
    """Signals: entity_wanted(id), read_wanted() to read on in the document, noted(id of the fact, words), why_done()
    when the reason or a note is written."""

    entity_wanted = Signal(str)
    read_wanted = Signal()
    why_done = Signal()
    noted = Signal(str, str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._row: Waiting | None = None
        self._returned: dict[str, str] = {}  # notes that were not kept, by the id of the fact
        self.icon = Icon("circle-dashed", "muted", 16)
        self.fact = PlainLabel(wrap=True, selectable=True)
        self.bar, self.sure = ProbabilityBar(), PlainLabel(kind="small")
        self.subject, self.object = push_button(kind="link"), push_button(kind="link")
        self.subject.clicked.connect(lambda: self._want(0))
        self.object.clicked.connect(lambda: self._want(1))
        self.subject_known, self.object_known = (ElidedLabel(kind="small", end=True) for _ in range(2))
        self.text, self.source = MarkedLabel(), ElidedLabel(kind="small", end=True)
        self.read = tool_button("book-open", tr("Read on in the document (Enter)"), self.read_wanted)
        self.say_why = tool_button("chat-circle-dots", tr("Say why"))
        for button in (self.read, self.say_why):  # for the pointer: both have keys of their own
            button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.proposed = PlainLabel(kind="small", wrap=True)
        self.why = line_edit(tr("Why? (kept with the decision)"), tr("Why you decide so"))
        self.why.returnPressed.connect(self.why_done)
        self.notes = PlainLabel(wrap=True, selectable=True)
        self.note, self._noted_id = line_edit(tr("A note on this fact (Enter keeps it)"), tr("Note")), ""
        self.note.returnPressed.connect(self._keep_note)
        self.note.hide()
        self.buttons: list[QPushButton] = []
        self._foot = QWidget()
        self._buttons = flow(self._foot)
        self._lay_out()

    def _lay_out(self) -> None:
        source = row(self.icon, self.bar, self.sure, (self.source, 1), self.say_why, self.read)
        subject = self._end(tr("Subject"), self.subject, self.subject_known)
        object_ = self._end(tr("Object"), self.object, self.object_known)
        parts = (self.fact, source, self.text, self.notes, self.proposed, subject, object_, STRETCH)
        self.area = PanelScroll(*parts, spacing=theme.GRID)
        margins = (theme.GROUPS, theme.GRID, theme.GROUPS, theme.WITHIN)
        self._decide = row((self.why, 1), (self._foot, 1), spacing=theme.GRID)
        foot = column(self.note, self._decide, spacing=theme.GRID, margins=margins)
        column((self.area, 1), foot, spacing=0, on=self)
        theme.follow(self, self._fit)

    @property
    def low(self) -> bool:
        """Return whether there is room for little more than what is decided on."""
        return self.height() < theme.px(LOW)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """Where room is short, letters and margins are smaller, and the text begins right before the sentence."""
        self.fit_why()
        self.bar.setVisible(self.width() >= theme.px(BAR_FROM))
        size = theme.BODY if self.low else theme.HEADING
        self.fact.setFont(theme.font(size, QFont.Weight.DemiBold))
        style = "QPushButton { padding: 4px 6px; }" if self.low else ""
        if style != self._foot.styleSheet():
            self._foot.setStyleSheet(style)
        if self._row is not None:
            self._show_ends(self._row)
            self._show_evidence(self._row)

    def fit_why(self) -> None:
        """Beside the buttons or above them; where room is short, once it is asked for."""
        wide, directions = self.width() >= theme.px(WIDE), QBoxLayout.Direction
        self._decide.setDirection(directions.RightToLeft if wide else directions.TopToBottom)
        self.say_why.setVisible(self.low and not wide)
        self.why.setVisible(
            not self.say_why.isVisibleTo(self) or self.why.hasFocus() or bool(self.why.text())
        )

    def _end(self, title: str, name: QPushButton, known: ElidedLabel) -> QHBoxLayout:
        label = PlainLabel(title, "section")
        theme.follow(label, lambda: label.setMinimumWidth(theme.px(56)))
        return row(label, name, (known, 1))

    def add_commands(self, commands: Commands, words: Mapping[str, str]) -> None:
        """A button for each, with words as short as these."""
        for id, short in words.items():
            button = push_button(
                tr("{command} {keys}", command=short, keys=commands.keys(id)),
                kind="primary" if not self.buttons else "",
            )
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)  # a click leaves the keyboard to the list
            commands.press(button, id)
            self.buttons.append(button)
            self._buttons.addWidget(button)
        commands.press(self.say_why, "review.why")

    def show_row(self, waiting: Waiting | None) -> None:
        """None: nothing."""
        id = waiting.id if waiting is not None else ""
        if self._row is None or id != self._row.id:
            self.show_notes(())
        if id != self._noted_id and not self.note.hasFocus():
            self.note.hide()
        self._row = waiting
        self.area.setVisible(waiting is not None)
        if waiting is None:
            return
        candidate, fact = waiting.candidate, waiting.candidate.fact
        state, icon, role = STATES[candidate.state]
        self.icon.show_icon(icon, role)
        set_tip(self.icon, state)
        self.fact.setText(fact_words(fact))
        self.bar.set_probability(candidate.probability)
        probability = f"{candidate.probability:.0%}"
        self.sure.setText(tr("{probability} likely", probability=probability))
        sure = tr("{probability} likely to be right", probability=probability)
        explain(self.bar, sure)
        set_tip(self.sure, sure)
        self.proposed.setText(_proposed(candidate))
        self._show_ends(waiting)
        self._show_evidence(waiting)
        self.area.verticalScrollBar().setValue(0)

    def _show_ends(self, waiting: Waiting) -> None:
        candidate, fact = waiting.candidate, waiting.candidate.fact
        room = max(min(theme.px(NAME), self.width() - theme.px(190)), theme.px(24))
        for button, label, name, facts in (
            (self.subject, self.subject_known, fact.subject, candidate.subject_facts),
            (self.object, self.object_known, fact.object, candidate.object_facts),
        ):
            short = button.fontMetrics().elidedText(name, Qt.TextElideMode.ElideRight, room)
            button.setText(button_words(short))
            explain(button, tr("Show {name} in the graph", name=name))
            label.setText(known_words(facts))

    def _show_evidence(self, waiting: Waiting) -> None:
        passage = waiting.passage
        self.read.setVisible(passage is not None)
        self.source.setText(waiting.title)
        if passage is None:
            self.text.set_marked("", 0, 0)
            return
        start, end = waiting.span
        before = BEFORE if self.low else AROUND
        first = passage.text.rfind(" ", 0, start - before) + 1 if start > before else 0
        last = passage.text.find(" ", end + AROUND)
        text = passage.text
        lead, quote, rest = text[first:start], text[start:end], text[end : last if last > 0 else None]
        if self.low:  # lines of a table, one after the other
            lead, quote, rest = (re.sub(r"\s+", " ", part) for part in (lead, quote, rest))
        lead, rest = f"… {lead}" if first else lead, f"{rest} …" if last > 0 else rest
        self.text.set_marked(lead + quote + rest, len(lead), len(lead + quote), bold=False)

    def show_notes(self, notes: Sequence[ReviewAct]) -> None:
        """Show what people wrote on the fact, the newest first."""
        self.notes.setText("\n".join(map(note_words, notes)))
        self.notes.setVisible(bool(notes))

    def write_why(self) -> None:
        self.why.show()
        self.why.setFocus(Qt.FocusReason.OtherFocusReason)

    def write_note(self) -> None:
        """A field for a note, kept with Enter, left with Esc."""
        if self._row is not None:
            self._open_note(self._row.id)
            self.note.setFocus(Qt.FocusReason.OtherFocusReason)

    def return_note(self, note: Note) -> None:
        """Words that were not kept: there again, at once where the fact is looked at and nobody writes another note."""
        self._returned[note.fact_id] = note.text
        if self._row is not None and self._row.id == note.fact_id and not self.note.text():
            self._open_note(note.fact_id)

    def _open_note(self, fact_id: str) -> None:
        self._noted_id = fact_id
        self.note.setText(self._returned.pop(fact_id, self.note.text()))
        self.note.show()

    def _keep_note(self) -> None:
        text = self.note.text().strip()
        self._leave_note()
        if text:
            self.noted.emit(self._noted_id, text)

    def _leave_note(self) -> None:
        self.note.clear()
        self.why_done.emit()
        self.note.hide()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self.note.hasFocus():
            self._leave_note()
        elif event.key() == Qt.Key.Key_Escape and self.why.hasFocus():
            self.why.clear()
            self.why_done.emit()
        else:
            super().keyPressEvent(event)

    def take_why(self) -> str:
        """Return what was written as the reason, once."""
        why = self.why.text().strip()
        self.why.clear()
        self.fit_why()
        return why

    def _want(self, end: int) -> None:
        if self._row is not None:
            fact = self._row.candidate.fact
            self.entity_wanted.emit((fact.subject_id, fact.object_id)[end])


def _proposed(candidate: CandidateFact) -> str:
    """Return what is known of a fact beside its sentence."""
    counts = tr("counts") if candidate.counts else tr("does not count")
    places = trn("{count} place says it", "{count} places say it", len(candidate.fact.triples))
    words = tr(
        "{state}, {counts}; proposed by {proposer}; {places}",
        state=STATES[candidate.state][0], counts=counts, proposer=proposers_words(candidate), places=places,
    )  # fmt: skip
    return "\n".join((words, *(tr("Asked: {question}", question=each) for each in candidate.questions)))
