"""The fact that is decided on now: its ends as they will enter the graph, and its sentence in context."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QWidget

from app.answers.marked_label import MarkedLabel
from app.look import theme
from app.look.plain_text import button_words
from app.look.translation import tr, trn
from app.review.queue_model import Note, Waiting
from app.review.wording import STATES, fact_words, known_words, note_words, proposers_words
from app.session.commands import Commands
from app.widgets.buttons import explain, push_button, tool_button
from app.widgets.elided_label import ElidedLabel
from app.widgets.fields import line_edit
from app.widgets.flow import flow
from app.widgets.labels import Icon, PlainLabel
from app.widgets.layout import STRETCH, PanelScroll, column, row
from app.widgets.probability_bar import ProbabilityBar
from core.types import ReviewAct

NAME = 124  # pixels of a name at most
AROUND = 600  # characters of the passage on each side of the sentence


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
        self.state, self.fact = (
            PlainLabel(kind="small"),
            PlainLabel(kind="heading", wrap=True, selectable=True),
        )
        self.bar, self.sure = ProbabilityBar(), ElidedLabel(kind="small", end=True)
        self.subject, self.object = push_button(kind="link"), push_button(kind="link")
        self.subject.clicked.connect(lambda: self._want(0))
        self.object.clicked.connect(lambda: self._want(1))
        self.subject_known, self.object_known = (ElidedLabel(kind="small", end=True) for _ in range(2))
        self.text, self.source = MarkedLabel(), ElidedLabel(kind="small", end=True)
        self.read = tool_button("book-open", tr("Read on in the document (Enter)"), self.read_wanted)
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
        known = row(self.icon, self.state, self.bar, (self.sure, 1))
        subject = self._end(tr("Subject"), self.subject, self.subject_known)
        object_ = self._end(tr("Object"), self.object, self.object_known)
        source = row((self.source, 1), self.read)
        said = (source, self.text, self.proposed, STRETCH)
        self.area = PanelScroll(self.fact, known, self.notes, subject, object_, *said)
        foot = column(
            self.note, self.why, self._foot, margins=(theme.GROUPS, theme.GRID, theme.GROUPS, theme.WITHIN)
        )
        column((self.area, 1), foot, spacing=0, on=self)

    def _end(self, title: str, name: QPushButton, known: ElidedLabel) -> QHBoxLayout:
        label = PlainLabel(title, "section")
        theme.follow(label, lambda: label.setMinimumWidth(theme.px(56)))
        return row(label, name, (known, 1))

    def add_commands(self, commands: Commands, ids: tuple[str, ...]) -> None:
        """A button for each."""
        for id in ids:
            keys = commands.keys(id)
            words = tr("{command}  {keys}", command=commands[id].name, keys=keys)
            button = push_button(words, kind="primary" if not self.buttons else "")
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)  # a click leaves the keyboard to the list
            commands.press(button, id)
            self.buttons.append(button)
            self._buttons.addWidget(button)

    def show_row(self, shown: Waiting | None) -> None:
        """None: nothing."""
        id = shown.id if shown is not None else ""
        if self._row is None or id != self._row.id:
            self.show_notes(())
        if id != self._noted_id and not self.note.hasFocus():
            self.note.hide()
        self._row = shown
        self.area.setVisible(shown is not None)
        if shown is None:
            return
        candidate, fact = shown.candidate, shown.candidate.fact
        state, icon, role = STATES[candidate.state]
        self.icon.show_icon(icon, role)
        counts = tr("counts") if candidate.counts else tr("does not count")
        self.state.setText(tr("{state}, {counts}", state=state, counts=counts))
        self.fact.setText(fact_words(fact))
        self.bar.set_probability(candidate.probability)
        sure = tr("{probability} likely to be right", probability=f"{candidate.probability:.0%}")
        self.sure.setText(sure)
        self.bar.setAccessibleName(sure)
        for button, label, name, facts in (
            (self.subject, self.subject_known, fact.subject, candidate.subject_facts),
            (self.object, self.object_known, fact.object, candidate.object_facts),
        ):
            short = button.fontMetrics().elidedText(name, Qt.TextElideMode.ElideRight, theme.px(NAME))
            button.setText(button_words(short))
            explain(button, tr("Show {name} in the graph", name=name))
            label.setText(known_words(facts))
        self._show_evidence(shown)
        self.area.verticalScrollBar().setValue(0)

    def _show_evidence(self, shown: Waiting) -> None:
        said, passage = shown.candidate.fact.triples, shown.passage
        places = trn("{count} place says it", "{count} places say it", len(said))
        proposer = proposers_words(shown.candidate)
        words = tr("Proposed by {proposer}; {places}", proposer=proposer, places=places)
        asked = (tr("Asked: {question}", question=each) for each in shown.candidate.questions)
        self.proposed.setText("\n".join((words, *asked)))
        self.read.setVisible(passage is not None)
        self.source.setText(shown.title)
        if passage is None:
            self.text.set_marked("", 0, 0)
            return
        start, end = shown.span
        first = passage.text.rfind(" ", 0, start - AROUND) + 1 if start > AROUND else 0
        last = passage.text.find(" ", end + AROUND)
        cut = passage.text[first : last if last > 0 else None]
        before = "… " if first else ""
        words = f"{before}{cut} …" if last > 0 else f"{before}{cut}"
        at = start - first + len(before)
        self.text.set_marked(words, at, at + end - start, bold=False)

    def show_notes(self, notes: Sequence[ReviewAct]) -> None:
        """What people wrote on the fact, the newest first."""
        self.notes.setText("\n".join(map(note_words, notes)))
        self.notes.setVisible(bool(notes))

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
        else:
            super().keyPressEvent(event)

    def take_why(self) -> str:
        """What was written as the reason, once."""
        why = self.why.text().strip()
        self.why.clear()
        return why

    def _want(self, end: int) -> None:
        if self._row is not None:
            fact = self._row.candidate.fact
            self.entity_wanted.emit((fact.subject_id, fact.object_id)[end])
