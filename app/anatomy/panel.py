"""The anatomy panel: the selected passage sentence by sentence, as its extractor reads it."""

from __future__ import annotations

import json
from collections import deque
from dataclasses import asdict

from PySide6.QtCore import QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QStackedLayout, QWidget

from app.anatomy.sentence_card import SentenceCard, SentenceParts, rejected_outcome, sentence_parts
from app.look import theme
from app.look.translation import tr, trn
from app.session import operations
from app.session.panels import Area, PanelSpec
from app.session.selection import Selected
from app.session.session import Session
from app.session.tasks import Lane
from app.widgets.buttons import tool_button
from app.widgets.elided_label import ElidedLabel
from app.widgets.labels import PlainLabel
from app.widgets.layout import STRETCH, PanelScroll, clear, column, row
from app.widgets.notices import EmptyState
from core.errors import CoreError
from core.types import Anatomy

_TASK = "anatomy"


class AnatomyPanel(QWidget):
    """While it is in front, it reads each passage again that is selected anywhere."""

    stays = True  # what is chosen in it is read elsewhere; its own tab stays in front

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session, self._tasks = session, session.tasks.owned_by(self)
        self._front = False
        self.passage_id = ""
        self.anatomy: Anatomy | None = None
        self.cards: list[SentenceCard] = []
        self._waiting: deque[SentenceParts] = deque()
        self._place = (0, 0)  # in the passage's text, of what is looked at
        self._builder = QTimer(self, interval=0)
        self._builder.timeout.connect(self._build)
        self.title = ElidedLabel(kind="heading", end=True)
        self.summary, self.note = PlainLabel(kind="muted", wrap=True), PlainLabel(kind="warn", wrap=True)
        self.copy_button = tool_button("brackets-curly", tr("Copy the whole anatomy as JSON"), self.copy)
        self.copy_button.setAccessibleName(tr("Copy as JSON"))
        self._list = column(spacing=16)
        self.area = PanelScroll(
            row((self.title, 1), self.copy_button),
            self.summary,
            self.note,
            theme.WITHIN,
            self._list,
            STRETCH,
            spacing=4,
        )
        self.empty = EmptyState("tree-structure", "")
        self._stack = QStackedLayout(self)
        self._stack.addWidget(self.empty)
        self._stack.addWidget(self.area)
        self._forget()
        theme.follow(self, self._fit)
        session.workspace_closed.connect(self._forget)
        session.selection.changed.connect(self._on_selection)

    def _fit(self) -> None:
        """Low, so that this panel, shown or not, takes no room from the others."""
        self.empty.setMinimumHeight(theme.px(96))
        self.area.setMinimumHeight(theme.px(48))

    def set_in_front(self, front: bool) -> None:
        """Behind another panel it reads nothing."""
        self._front = front
        self._on_selection(self._session.selection.current)

    def _on_selection(self, selected: Selected | None) -> None:
        if not self._front or selected is None or selected.kind not in ("passage", "citation"):
            return
        workspace, start, end = self._session.workspace, selected.start, selected.end
        if workspace is None or not selected.has_place:
            self.show_passage(selected.id)
            return

        def place(first: int) -> None:
            self.show_passage(selected.id, start - first, end - first)

        get = workspace.passages.get
        self._tasks.start("place", lambda _: get(selected.id).start, place)

    def _forget(self) -> None:
        self._tasks.drop(_TASK)
        self._builder.stop()
        self.passage_id, self.anatomy = "", None
        self.empty.set_text(
            tr("No passage selected"),
            tr("Select a passage or a fact anywhere to see how each of its sentences was read."),
        )
        self._stack.setCurrentIndex(0)

    def show_passage(self, passage_id: str, start: int = 0, end: int = 0) -> None:
        """Read it again on the thread of the models, and show it; start, end: a place in its text."""
        workspace = self._session.workspace
        self._place = (start, end)
        if workspace is None:
            return
        if passage_id == self.passage_id:
            if self.anatomy is not None and not self._waiting:
                self._look()
            return
        self.passage_id, self.anatomy = passage_id, None
        self.empty.set_text(tr("Reading the passage again..."))
        self._stack.setCurrentIndex(0)
        read = workspace.passages.anatomy
        self._tasks.start(_TASK, lambda _: read(passage_id), self._show, failed=self._fail, lane=Lane.MODEL)

    def _fail(self, error: CoreError) -> None:
        self.passage_id = ""
        self.empty.set_text(error.message, error.remedy)

    def _show(self, anatomy: Anatomy) -> None:
        self.anatomy = anatomy
        clear(self._list)
        self.cards.clear()
        self.title.setText(anatomy.passage.title or tr("A passage without a title"))
        self.summary.setText(_summary(anatomy))
        self.note.setText(_note(anatomy))
        self.note.setVisible(bool(self.note.text()))
        parts, apart = sentence_parts(anatomy)
        self._waiting = deque([*parts, *([apart] if apart is not None else [])])
        self._waiting.extend(_reply_parts(anatomy))
        self._stack.setCurrentIndex(1)
        self.area.verticalScrollBar().setValue(0)
        self._builder.start()

    def _build(self) -> None:
        """One sentence a turn of the event loop."""
        if not self._waiting:
            self._builder.stop()
            self._look()
            return
        parts = self._waiting.popleft()
        start = self._place[0] if self._place[1] else parts.sentence.start
        inside = parts.sentence.start <= start < parts.sentence.end
        first = not any(card.fold.isChecked() for card in self.cards)
        card = SentenceCard(parts, opened=inside and first)
        card.chosen.connect(self._select)
        self._list.addWidget(card)
        self.cards.append(card)

    def _look(self) -> None:
        """Bring the sentence that is meant into view."""
        start, end = self._place
        for card in self.cards if end > start else ():
            if card.parts.sentence.start <= start < card.parts.sentence.end:
                card.fold.setChecked(True)
                QTimer.singleShot(0, card, lambda card=card: self.area.verticalScrollBar().setValue(card.y()))

    def _select(self, start: int, end: int) -> None:
        operations.select_place(self._session, self.passage_id, start, end)

    def copy(self) -> None:
        """Put all of it on the clipboard as JSON."""
        if self.anatomy is not None:
            record = asdict(self.anatomy)
            record["as_kept"] = record.pop("matches_store")  # the key that scripts know
            QGuiApplication.clipboard().setText(json.dumps(record, ensure_ascii=False, indent=2))
            self._session.notify(tr("Anatomy copied as JSON."), "success")


def _summary(anatomy: Anatomy) -> str:
    dropped = sum(len(reply.dropped) for reply in anatomy.replies)
    parts = (
        trn("{count} sentence", "{count} sentences", len(anatomy.sentences)),
        trn("{count} name", "{count} names", len({mention.text for mention in anatomy.mentions})),
        trn("{count} fact", "{count} facts", len(anatomy.triples)),
        trn("{count} rejected", "{count} rejected", len(anatomy.rejected) + dropped),
        tr("read by {extractor}", extractor=anatomy.extractor) if anatomy.extractor else tr("not read yet"),
    )
    return "  ·  ".join(parts)


def _note(anatomy: Anatomy) -> str:
    if anatomy.failure:
        return tr("Its extraction failed: {reason}", reason=anatomy.failure)
    if not anatomy.matches_store:
        return tr(
            "The workspace holds other facts of this passage: it was read by another version or model, or waits to be"
            " read. Index the folder again to bring it in step."
        )
    if not anatomy.grammar and not anatomy.replies:
        return tr("No grammar of its language is known here: names are told by how they are written.")
    return ""


def _reply_parts(anatomy: Anatomy) -> list[SentenceParts]:
    """Return what a language model said, word for word, and what of it was dropped."""
    from core.types import ParsedSentence

    return [
        SentenceParts(
            ParsedSentence(0, 0),
            tr("{model}, {step}: {reply}", model=reply.model, step=reply.step, reply=reply.text),
            (),
            tuple(map(rejected_outcome, reply.dropped)),
        )
        for reply in anatomy.replies
    ]


PANEL = PanelSpec(
    "anatomy", tr("Anatomy"), Area.BOTTOM, AnatomyPanel, least=320, keys="Ctrl+Shift+B", everyday=False
)
