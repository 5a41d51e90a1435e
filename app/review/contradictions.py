"""The contradictions panel: pairs of sentences of two documents that may give different values for the same thing."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QKeyEvent, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QStackedLayout, QWidget

from app.answers.text_objects import MarkedLabel
from app.answers.wording import place_words, placed, stated_day
from app.look import theme
from app.look.painting import rounded, smooth
from app.look.translation import tr, trn
from app.session import operations
from app.session.panels import Area, PanelSpec
from app.session.session import Session
from app.session.tasks import Lane
from app.widgets.accessible import Role, Spoken, speak
from app.widgets.buttons import RowButton
from app.widgets.copying import Rows, make_copyable
from app.widgets.elided_label import ElidedLabel
from app.widgets.labels import PlainLabel
from app.widgets.layout import STRETCH, PanelScroll, column, drop
from app.widgets.notices import EmptyState
from core.errors import CoreError
from core.types import Changed, Citation, Contradiction

_TASK = "contradictions"
_MOST = 50
_PAUSE = 1_000  # milliseconds after a change
_PAD = 12
_WHAT = tr(
    "Sentences of two documents that use the same words but give a different date, time, amount or person are listed "
    "here. Differences in other words are found only when you ask about them."
)


class SentenceButton(RowButton):
    """One of two sentences, the value marked; a press opens the reader there."""

    def __init__(self, citation: Citation, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.citation = citation
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
        speak(self, Spoken(Role.ListItem))
        source = ElidedLabel(_source(citation), "small", end=True)
        self.words = MarkedLabel()
        self.words.set_marked(citation.quote, *(citation.marked or (0, 0)))
        self.setAccessibleName(f"{citation.quote} {_source(citation)}")
        column(source, self.words, spacing=theme.GRID, margins=(_PAD, theme.WITHIN), on=self)

    def paintEvent(self, event: QPaintEvent) -> None:
        outline = "accent" if self.hasFocus() else "strong_border" if self._lit else "border"
        rounded(smooth(self), self.rect(), outline, "surface")


class ContradictionsPanel(QWidget):
    """Compares the documents while it is in front, again after they changed."""

    stays = True  # what is chosen in it is read elsewhere; its own tab stays in front

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session, self._tasks = session, session.tasks.owned_by(self)
        self.found: tuple[Contradiction, ...] = ()
        self.buttons: list[SentenceButton] = []
        self._groups: list[QWidget] = []
        self.heading = PlainLabel(kind="small", wrap=True)
        self.area = PanelScroll(self.heading, STRETCH)
        self.empty = EmptyState("scales", "")
        self._stack = QStackedLayout(self)
        self._stack.addWidget(self.empty)
        self._stack.addWidget(self.area)
        make_copyable(self, self._table)
        self._front, self._is_stale = False, True
        self._timer = QTimer(self, interval=_PAUSE, singleShot=True)
        self._timer.timeout.connect(self._compare)
        session.workspace_opened.connect(self._on_opened)
        session.workspace_closed.connect(self._forget)
        session.changes.published.connect(self._on_changed)
        self._forget()

    def set_in_front(self, front: bool) -> None:
        """Compare the documents once the panel is seen; stop once it is not."""
        self._front = front
        if front:
            self._compare()
        else:
            self._tasks.drop(_TASK)

    def _on_changed(self, changed: Changed) -> None:
        if changed.everything or changed.documents:
            self._on_opened()

    def _on_opened(self, _: object = None) -> None:
        self._is_stale = True
        self._tasks.drop(_TASK)  # it may have read what was there before
        if self._front:
            self._timer.start()

    def _compare(self) -> None:
        workspace = self._session.workspace
        if workspace is None or not (self._front and self._is_stale):
            return
        if not self.found:
            self.empty.set_text(tr("Comparing the documents..."))
        find = workspace.passages.contradictions
        self._tasks.start(
            _TASK, lambda context: find(_MOST, context), self._show, failed=self._fail, lane=Lane.GRAPH
        )

    def _forget(self) -> None:
        self._tasks.drop(_TASK)
        self._is_stale = True
        drop(self.area.column, self._groups)
        self.found, self.buttons = (), []
        self.empty.set_text(tr("Contradictions"), _WHAT)
        self._stack.setCurrentIndex(0)

    def _fail(self, error: CoreError) -> None:
        self._forget()
        self.empty.set_text(error.message, error.remedy)

    def _show(self, found: list[Contradiction]) -> None:
        if tuple(found) == self.found and found:
            self._is_stale = False
            return
        self._forget()
        self._is_stale = False
        self.found = tuple(found)
        for at, pair in enumerate(found):
            both = [SentenceButton(pair.one), SentenceButton(pair.other)]
            for button in both:
                button.clicked.connect(lambda _, button=button: self._open(button.citation))
            title = PlainLabel(values_of(pair), wrap=True, kind="heading")
            group = QWidget()
            column(title, *both, spacing=theme.GRID, margins=(0, theme.WITHIN), on=group)
            self.area.column.insertWidget(1 + at, group)
            self._groups.append(group)
            self.buttons += both
        if not found:
            self.empty.set_text(tr("No contradictions found"), _WHAT)
        count = trn("{count} pair", "{count} pairs", len(found))
        self.heading.setText(
            tr("{pairs} of sentences that may contradict each other, the likeliest first", pairs=count)
        )
        self._stack.setCurrentIndex(1 if found else 0)

    def _open(self, citation: Citation) -> None:
        operations.select_citation(self._session, citation)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        at = next((at for at, button in enumerate(self.buttons) if button.hasFocus()), -1)
        step = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1}.get(Qt.Key(event.key()), 0)
        if at >= 0 and step and 0 <= at + step < len(self.buttons):
            self.buttons[at + step].setFocus(Qt.FocusReason.OtherFocusReason)
            self.area.ensureWidgetVisible(self.buttons[at + step], 0, theme.WITHIN)
        else:
            super().keyPressEvent(event)

    def _table(self) -> Rows:
        headings = (tr("Values"), tr("Sentence"), tr("Document"), tr("Other sentence"), tr("Document"))
        return Rows(headings, tuple(_cells(pair) for pair in self.found))


def values_of(pair: Contradiction) -> str:
    """Return `EUR 45,000 / EUR 54,000`."""
    both = (each.quote[slice(*(each.marked or (0, 0)))] for each in (pair.one, pair.other))
    return "  /  ".join(" ".join(value.split()) for value in both)


def _source(citation: Citation) -> str:
    named = placed(citation.title or citation.document, place_words(citation.page))
    return tr("{title} ({date})", title=named, date=stated_day(citation.date)) if citation.date else named


def _cells(pair: Contradiction) -> tuple[str, ...]:
    return values_of(pair), pair.one.quote, pair.one.document, pair.other.quote, pair.other.document


PANEL = PanelSpec(
    "contradictions",
    tr("Contradictions"),
    Area.BOTTOM,
    ContradictionsPanel,
    least=320,
    keys="Alt+Shift+X",
    everyday=False,
)
