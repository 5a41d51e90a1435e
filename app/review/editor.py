"""A fact in a person's own words: a proposed one put right, or a new one from a quote."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QMenu, QPushButton, QWidget
from superqt.utils import qdebounced

from app.look import theme
from app.look.translation import tr
from app.review.queue_model import Waiting
from app.review.sheet import Sheet
from app.widgets.buttons import explain, push_button
from app.widgets.fields import line_edit
from app.widgets.labels import PlainLabel
from app.widgets.layout import STRETCH, PanelScroll, column, grid, row
from core.types import FactWords, kind_words

PATIENCE = 200  # milliseconds after the last letter of a name
# What a new name can be said to be; a thing, where nothing else is.
LABELS = ("", "PERSON", "ORG", "GPE", "FAC", "NORP", "PRODUCT", "EVENT", "WORK", "LAW")


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
    why: str = ""

    @property
    def outcome(self) -> str:
        """Of the fact that was edited: with another date it is the same one."""
        if isinstance(self.of, Quote):
            return "approved"
        fact, words = self.of.candidate.fact, self.words
        same = (words.subject, words.predicate, words.object) == (fact.subject, fact.predicate, fact.object)
        return "approved" if same and words.date and not self.reverse else "rejected"


class KindButton(QPushButton):
    """What a new name is, from a menu."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setProperty("kind", "quiet")
        self._name, self.label = name, ""
        menu = QMenu(self)
        for label in LABELS:
            menu.addAction(kind_words(label)).triggered.connect(partial(self.choose, label))
        self.setMenu(menu)
        self.choose("")

    def choose(self, label: str, _: bool = False) -> None:
        self.label = label
        self.setText(kind_words(label))
        explain(self, tr("{what}: {kind}", what=self._name, kind=kind_words(label)))


class FactEditor(Sheet):
    """Signals: kept(Edit), which the other side lets go of with `give_up` or answers with `refuse`; named() when names
    are typed whose kind may have to be asked for, see `ask_kinds`."""

    kept = Signal(object)
    named = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._of: Waiting | Quote = Quote("", "", 0)
        self._reverse = False
        self._unknown: Set[str] = frozenset()  # names whose kind is asked for
        self.title = PlainLabel(kind="heading", wrap=True)
        self.reason = PlainLabel(kind="error", wrap=True)
        self.quote = PlainLabel(wrap=True, prose=True, selectable=True)
        self.subject, self.predicate, self.object = (
            line_edit(words) for words in (tr("Subject"), tr("Predicate"), tr("Object"))
        )
        self.kinds = KindButton(tr("What the subject is")), KindButton(tr("What the object is"))
        self.date = line_edit(tr("As 2021-09-02, or in words"), tr("Date"))
        self.why = line_edit(tr("Kept with the decision"), tr("Why"))
        self.turn = push_button(tr("Turn round"), self._turn, icon="arrows-down-up")
        self.keep = self.agree = push_button(tr("Keep"), self._keep, kind="primary")
        self.leave = push_button(tr("Leave it"), self.give_up)
        named = qdebounced(lambda: self.named.emit(), PATIENCE, parent=self)
        for field in (self.subject, self.predicate, self.object):
            field.textChanged.connect(self._on_typed)
            field.textChanged.connect(named)
        self._lay_out()

    def _lay_out(self) -> None:
        self._ends = tuple(PlainLabel(tr("Kind"), "section") for _ in self.kinds)
        lines: list[tuple[QWidget, QWidget]] = [
            (PlainLabel(field.accessibleName(), "section"), field)
            for field in (self.subject, self.predicate, self.object, self.date, self.why)
        ]
        lines[3:3], lines[1:1] = [(self._ends[1], self.kinds[1])], [(self._ends[0], self.kinds[0])]
        form = grid(lines, across=theme.WITHIN, wide=1)
        for kinds in self.kinds:
            form.setAlignment(kinds, Qt.AlignmentFlag.AlignLeft)
        for end, kinds in zip((self.subject, self.object), self.kinds, strict=True):
            QWidget.setTabOrder(end, kinds)
        foot = row(self.keep, self.leave, self.turn, STRETCH,
                   margins=(theme.GROUPS, theme.GRID, theme.GROUPS, theme.WITHIN))  # fmt: skip
        area = PanelScroll(self.title, self.reason, form, self.quote, STRETCH)
        column((area, 1), foot, spacing=0, on=self)

    @property
    def refused(self) -> bool:
        """Whether it holds words that could not be kept: only a person lets go of them."""
        return self.active and bool(self.reason.text())

    @property
    def names(self) -> tuple[str, str]:
        """As they are typed."""
        return self.subject.text().strip(), self.object.text().strip()

    def edit(self, of: Waiting | Quote) -> None:
        """Words of one's own for a fact, or on a quote."""
        words = FactWords()
        if not isinstance(of, Quote):
            fact = of.candidate.fact
            words = FactWords(fact.subject, fact.predicate, fact.object)
        self._show(Edit(of, words))
        self.subject.setFocus(Qt.FocusReason.OtherFocusReason)
        self.subject.selectAll()

    def refuse(self, edit: Edit, reason: str, keyboard: bool) -> None:
        """These words again, and why they were not kept; taking the keyboard, or leaving it to who types elsewhere."""
        self._show(edit)
        self.reason.setText(reason)
        self.reason.show()
        if keyboard:
            self.subject.setFocus(Qt.FocusReason.OtherFocusReason)

    def ask_kinds(self, names: Set[str]) -> None:
        """Of the ends with these names."""
        self._unknown = names
        self._on_typed()

    def _show(self, edit: Edit) -> None:
        self._of, self._reverse, self.active = edit.of, edit.reverse, True
        new = isinstance(edit.of, Quote)
        self.title.setText(tr("A new fact") if new else tr("Put this fact right"))
        self.quote.setText(edit.of.text if isinstance(edit.of, Quote) else edit.of.sentence)
        self.reason.clear()
        self.reason.hide()
        self.why.setText(edit.why)
        self._fill(edit.words.turned if edit.reverse else edit.words)

    def _fill(self, words: FactWords) -> None:
        said = words.subject, words.predicate, words.object, words.date
        for field, text in zip((self.subject, self.predicate, self.object, self.date), said, strict=True):
            field.setText(text)
            field.setCursorPosition(0)
        for kinds, label in zip(self.kinds, (words.subject_label, words.object_label), strict=True):
            kinds.choose(label)
        self._on_typed()

    def _turn(self) -> None:
        # The name of an end that was left as it is means the very name of the text, on whichever side it stands.
        self._reverse = not self._reverse and not isinstance(self._of, Quote)
        self._fill(self._words().turned)

    def _on_typed(self) -> None:
        self.keep.setEnabled(all((*self.names, self.predicate.text().strip())))
        for name, *parts in zip(self.names, self._ends, self.kinds, strict=True):
            for part in parts:
                part.setVisible(name in self._unknown)

    def _words(self) -> FactWords:
        """As they stand."""
        first, last = ("" if kinds.isHidden() else kinds.label for kinds in self.kinds)
        subject, object_ = self.names
        predicate, date = self.predicate.text().strip(), self.date.text().strip()
        return FactWords(subject, predicate, object_, first, last, date)

    def _keep(self) -> None:
        if self.active and self.keep.isEnabled():
            words = self._words().turned if self._reverse else self._words()
            self.kept.emit(Edit(self._of, words, self._reverse, self.why.text().strip()))
