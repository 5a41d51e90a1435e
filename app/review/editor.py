"""A fact in a person's own words: a proposed one put right, or a new one from a quote."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QLineEdit, QMenu, QPushButton, QWidget
from superqt.utils import qdebounced

from app.look import theme
from app.look.plain_text import set_tip
from app.look.translation import tr
from app.review.queue_model import Waiting
from app.review.sheet import Sheet
from app.review.wording import fact_words
from app.widgets.buttons import explain, push_button
from app.widgets.elided_label import ElidedLabel
from app.widgets.fields import line_edit
from app.widgets.labels import PlainLabel
from app.widgets.layout import STRETCH, PanelScroll, column, flow, grid, row
from core.types import FactWords, kind_words

TALL, WIDE, LOW = (
    420,
    480,
    205,
)  # pixels: one field a line from here on, three side by side; below it no title

PATIENCE = 200  # milliseconds after the last letter of a name
# What a new name can be said to be; a thing, where nothing else is.
LABELS = ("", "PERSON", "ORG", "GPE", "FAC", "NORP", "PRODUCT", "EVENT", "WORK", "LAW", "CONCEPT")


@dataclass(frozen=True, slots=True)
class Quote:
    """Words of a document, from this character of its text on."""

    document_id: str
    text: str
    start: int


@dataclass(frozen=True, slots=True)
class Edit:
    """What a person makes of a fact of the queue (`source`), or states anew on a quote."""

    source: Waiting | Quote
    words: FactWords  # before it is turned round
    reverse: bool = False
    why: str = ""

    @property
    def outcome(self) -> str:
        """Of the fact that was edited: with another date it is the same one."""
        if isinstance(self.source, Quote):
            return "approved"
        fact, words = self.source.candidate.fact, self.words
        same = (words.subject, words.predicate, words.object) == (fact.subject, fact.predicate, fact.object)
        return "approved" if same and words.date and not self.reverse else "rejected"


class KindButton(QPushButton):
    """What a new name is, from a menu."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setProperty("kind", "link")
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
    """The form in which a fact is edited or added.

    Signals: submitted(Edit), which the other side ends with `give_up` or answers with `refuse`; named() when names are
    typed whose kind may have to be asked for, see `ask_kinds`.
    """

    submitted = Signal(object)
    named = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._source: Waiting | Quote = Quote("", "", 0)
        self._reverse = False
        self._initial = Edit(self._source, FactWords())  # before anybody typed
        self._unknown: Set[str] = frozenset()  # names whose kind is asked for
        self.title = ElidedLabel(kind="heading", end=True)
        self.reason = PlainLabel(kind="error", wrap=True)
        self.quote = PlainLabel(wrap=True, prose=True, selectable=True)
        self.subject, self.predicate, self.object = (
            line_edit(words) for words in (tr("Subject"), tr("Predicate"), tr("Object"))
        )
        self.kinds = KindButton(tr("What the subject is")), KindButton(tr("What the object is"))
        self.date = line_edit(tr("As 2021-09-02"), tr("Date"))
        set_tip(self.date, tr("As 2021-09-02, or in words"))
        self.why = line_edit(tr("Kept with the decision"), tr("Why"))
        self.turn = push_button(tr("Swap subject and object"), self._turn, icon="arrows-down-up")
        self.keep = self.agree = push_button(tr("Save"), self._keep, kind="primary")
        self.leave = push_button(tr("Cancel"), self.give_up)
        named = qdebounced(lambda: self.named.emit(), PATIENCE, parent=self)
        for field in (self.subject, self.predicate, self.object):
            field.textChanged.connect(self._on_typed)
            field.textChanged.connect(named)
        self._lay_out()

    def _lay_out(self) -> None:
        kinds = dict(zip((self.subject, self.object), self.kinds, strict=True))
        self._form = grid(across=theme.WITHIN)
        self._fields = [_field(one, kinds.get(one)) for one in self._lines]
        self._across = 0
        buttons = QWidget()
        flow(buttons, self.keep, self.leave, self.turn)
        foot = row(buttons, margins=(theme.GROUPS, theme.GRID, theme.GROUPS, theme.WITHIN))
        area = PanelScroll(self.title, self.reason, self._form, self.quote, STRETCH, spacing=theme.GRID)
        column((area, 1), foot, spacing=0, on=self)
        self._arrange()

    @property
    def _lines(self) -> tuple[QLineEdit, ...]:
        return self.subject, self.predicate, self.object, self.date, self.why

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def _arrange(self) -> None:
        """Fields one below the other or, where the quote would be out of sight then, side by side."""
        self.title.setVisible(self.height() >= theme.px(LOW))
        across = 1 if self.height() >= theme.px(TALL) else 3 if self.width() >= theme.px(WIDE) else 2
        if across == self._across:
            return
        self._across = across
        for at, field in enumerate(self._fields):
            last = across == 3 and field is self._fields[-1]
            self._form.addWidget(field, at // across, at % across, 1, 2 if last else 1)
        for at in range(3):
            self._form.setColumnStretch(at, at < across)

    @property
    def refused(self) -> bool:
        """Return whether it holds words that could not be kept."""
        return self.active and bool(self.reason.text())

    @property
    def dirty(self) -> bool:
        """Return whether it holds words that somebody typed: only a person lets go of them."""
        return self.refused or (self.active and self._initial != self._now())

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
        self.subject.setSelection(
            len(self.subject.text()), -len(self.subject.text())
        )  # its beginning is seen

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
        self._source, self._reverse, self.active = edit.source, edit.reverse, True
        if isinstance(edit.source, Quote):
            self.title.setText(tr("A new fact"))
            self.quote.setText(edit.source.text)
        else:
            self.title.setText(tr("Edit: {fact}", fact=fact_words(edit.source.candidate.fact)))
            self.quote.setText(edit.source.sentence)
        self.reason.clear()
        self.reason.hide()
        self.why.setText(edit.why)
        self._fill(edit.words.turned if edit.reverse else edit.words)
        self._initial = self._now()

    def _fill(self, words: FactWords) -> None:
        values = words.subject, words.predicate, words.object, words.date
        for field, text in zip((self.subject, self.predicate, self.object, self.date), values, strict=True):
            field.setText(text)
            field.setCursorPosition(0)
        for kinds, label in zip(self.kinds, (words.subject_label, words.object_label), strict=True):
            kinds.choose(label)
        self._on_typed()

    def _turn(self) -> None:
        # The name of an end that was left as it is means the very name of the text, on whichever side it stands.
        self._reverse = not self._reverse and not isinstance(self._source, Quote)
        self._fill(self._words().turned)

    def _on_typed(self) -> None:
        self.keep.setEnabled(all((*self.names, self.predicate.text().strip())))
        for name, kinds in zip(self.names, self.kinds, strict=True):
            kinds.setVisible(name in self._unknown)

    def _words(self) -> FactWords:
        """As they stand."""
        first, last = ("" if kinds.isHidden() else kinds.label for kinds in self.kinds)
        subject, object_ = self.names
        predicate, date = self.predicate.text().strip(), self.date.text().strip()
        return FactWords(subject, predicate, object_, first, last, date)

    def _now(self) -> Edit:
        words = self._words().turned if self._reverse else self._words()
        return Edit(self._source, words, self._reverse, self.why.text().strip())

    def _keep(self) -> None:
        if self.active and self.keep.isEnabled():
            self.submitted.emit(self._now())


def _field(line: QLineEdit, kinds: KindButton | None) -> QWidget:
    """Return a line below its name, beside which stands what a new name is."""
    widget, title = QWidget(), PlainLabel(line.accessibleName(), "section")
    head = row(title, STRETCH, kinds) if kinds is not None else row(title)
    column(head, line, spacing=2, on=widget)
    if kinds is not None:
        QWidget.setTabOrder(line, kinds)
    return widget
