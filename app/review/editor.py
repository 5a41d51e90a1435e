"""A fact in a person's own words: a proposed one put right, or a new one from a quote."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QWidget

from app.look import theme
from app.look.translation import tr
from app.review.queue_model import Waiting
from app.widgets.buttons import push_button
from app.widgets.fields import line_edit
from app.widgets.labels import PlainLabel
from app.widgets.layout import STRETCH, PanelScroll, column, grid, row
from core.types import FactWords


@dataclass(frozen=True, slots=True)
class Quote:
    """Words of a document, from this character of its text on."""

    document_id: str
    text: str
    start: int


@dataclass(frozen=True, slots=True)
class Edit:
    """What a person makes of a fact of the queue (`of`), or states anew on a quote."""

    of: Waiting | Quote
    words: FactWords  # before it is turned round
    reverse: bool = False

    @property
    def outcome(self) -> str:
        """Of the fact that was edited: with another date it is the same one."""
        if isinstance(self.of, Quote):
            return "approved"
        fact, words = self.of.candidate.fact, self.words
        same = (words.subject, words.predicate, words.object) == (fact.subject, fact.predicate, fact.object)
        return "approved" if same and words.date and not self.reverse else "rejected"


class FactEditor(QWidget):
    """In place of the card. Enter keeps, Esc leaves. Signals: kept(Edit); closed() when it edits no more."""

    kept = Signal(object)
    closed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._of: Waiting | Quote | None = None
        self._reverse = False
        self.title = PlainLabel(kind="heading", wrap=True)
        self.quote = PlainLabel(wrap=True, prose=True, selectable=True)
        self.subject, self.predicate, self.object = (
            line_edit(words) for words in (tr("Subject"), tr("Predicate"), tr("Object"))
        )
        self.date = line_edit(tr("As 2021-09-02, or in words"), tr("Date"))
        self.turn = push_button(tr("Turn round"), self._turn, icon="arrows-down-up")
        self.keep = push_button(tr("Keep"), self._keep, kind="primary")
        self.leave = push_button(tr("Leave it"), self.give_up)
        fields = (self.subject, self.predicate, self.object, self.date)
        for field in fields:
            field.textChanged.connect(self._on_typed)
        names = (PlainLabel(field.accessibleName(), "section") for field in fields)
        form = grid(zip(names, fields, strict=True), across=theme.WITHIN, wide=1)
        foot = row(self.keep, self.leave, self.turn, STRETCH,
                   margins=(theme.GROUPS, theme.GRID, theme.GROUPS, theme.WITHIN))  # fmt: skip
        column((PanelScroll(self.title, form, self.quote, STRETCH), 1), foot, spacing=0, on=self)

    @property
    def active(self) -> bool:
        return self._of is not None

    def edit(self, of: Waiting | Quote) -> None:
        self._of, self._reverse = of, False
        if isinstance(of, Quote):
            self.title.setText(tr("A new fact"))
            self.quote.setText(of.text)
            said = ("", "", "")
        else:
            fact = of.candidate.fact
            self.title.setText(tr("Put this fact right"))
            self.quote.setText(of.sentence)
            said = (fact.subject, fact.predicate, fact.object)
        for field, words in zip((self.subject, self.predicate, self.object), said, strict=True):
            field.setText(words)
            field.setCursorPosition(0)
        self.date.clear()
        self._on_typed()
        self.subject.setFocus(Qt.FocusReason.OtherFocusReason)
        self.subject.selectAll()

    def give_up(self) -> None:
        if self._of is not None:
            self._of = None
            self.closed.emit()

    def _turn(self) -> None:
        self._reverse = not self._reverse
        first, last = self.subject.text(), self.object.text()
        self.subject.setText(last)
        self.object.setText(first)

    def _on_typed(self) -> None:
        self.keep.setEnabled(
            all(field.text().strip() for field in (self.subject, self.predicate, self.object))
        )

    def _keep(self) -> None:
        if (of := self._of) is None or not self.keep.isEnabled():
            return
        said = [field.text().strip() for field in (self.subject, self.predicate, self.object, self.date)]
        subject, predicate, object_, date = said
        # The name of an end that was left as it is means the very name of the text, on whichever side it stands.
        reverse = self._reverse and not isinstance(of, Quote)
        ends = (object_, subject) if reverse else (subject, object_)
        words = FactWords(ends[0], predicate, ends[1], date=date)
        self.give_up()
        self.kept.emit(Edit(of, words, reverse))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.give_up()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            if self.leave.hasFocus():
                self.give_up()
            elif self.turn.hasFocus():
                self._turn()
            else:
                self._keep()
        else:
            super().keyPressEvent(event)
