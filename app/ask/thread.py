"""The thread of the answer: what was asked before it, how the question was read, and the other threads."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QMenu, QToolButton, QWidget

from app.look import theme
from app.look.plain_text import button_words
from app.look.translation import tr, trn
from app.session.session import Session
from app.session.threads import (
    read_threads,
    rename_thread,
    reopen_thread,
    reopen_turn,
    save_thread,
)
from app.widgets.buttons import RowButton, attach_menu, push_button
from app.widgets.elided_label import ElidedLabel
from app.widgets.fields import choose_file, line_edit
from app.widgets.labels import PlainLabel
from app.widgets.layout import STRETCH, column, drop, row
from core.types.threads import FollowKind, Thread, ThreadAnswer, Turn

MOST = 12  # threads in the menu
VISIBLE = 4  # turns above the answer


class ThreadButton(QToolButton):
    """A menu: a new thread, what can be done with this one, and the threads before it."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.setIcon(theme.icon("clock-counter-clockwise", "muted"))
        self.setToolTip(tr("Threads: begin a new one, or go on with an earlier one"))
        self.setAccessibleName(tr("Threads"))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.choices = QMenu(self)
        self.choices.aboutToShow.connect(self._on_open)
        attach_menu(self, self.choices)
        self.name_edit = line_edit(tr("Name of this thread"), tr("Name of this thread"))
        self.name_edit.returnPressed.connect(self._on_named)
        self.name_edit.hide()

    def _on_open(self) -> None:
        self._fill([])
        read_threads(self._session, self._fill)

    def _fill(self, threads: list[Thread]) -> None:
        session, current = self._session, self._session.thread_answer
        self.choices.clear()
        self.choices.addAction(session.commands.action("thread.new"))
        stored = current is not None and current.thread > 0 and not session.shut
        for words, act in (
            (tr("Rename this thread\u2026"), self._rename),
            (tr("Save this thread\u2026"), self._save),
        ):
            action = self.choices.addAction(words)
            action.triggered.connect(act)
            action.setEnabled(stored)
        if threads:
            self.choices.addSection(tr("Go on with"))
        for thread in threads[:MOST]:
            count = trn("{count} question", "{count} questions", thread.turns)
            name = self.fontMetrics().elidedText(thread.name, Qt.TextElideMode.ElideRight, 320)
            action = self.choices.addAction(button_words(f"{name}  ({count})"))
            action.triggered.connect(partial(reopen_thread, session, thread))

    def _rename(self) -> None:
        self.name_edit.clear()
        self.name_edit.show()
        self.name_edit.setFocus(Qt.FocusReason.OtherFocusReason)

    def _on_named(self) -> None:
        if self._session.thread_answer is not None:
            rename_thread(self._session, self._session.thread_answer.thread, self.name_edit.text())
        self.name_edit.hide()

    def _save(self) -> None:
        if self._session.thread_answer is not None:
            act = partial(save_thread, self._session, self._session.thread_answer.thread)
            choose_file(self.window(), tr("Save the thread"), tr("Markdown (*.md)"), act, "md")


class ThreadBox(QWidget):
    """Above the answer: the other turns of its thread, and what a follow-up was completed to.

    Signals: edit_wanted(the completed question), typed_wanted(the question as typed).
    """

    edit_wanted = Signal(str)
    typed_wanted = Signal(str)

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session, self._current = session, session.thread_answer
        self.rows: list[TurnRow] = []
        self.read_as = PlainLabel(kind="small", wrap=True, selectable=True, name="readAs")
        self.edit = push_button(
            tr("Edit"), self._on_edit, kind="link", tip=tr("Put it in the question box, to be changed")
        )
        self.typed = push_button(
            tr("Ask as typed"),
            self._on_typed,
            kind="link",
            tip=tr("Ask only what you typed, without completing it"),
        )
        for button in (self.edit, self.typed):
            theme.wear(button, theme.SMALL)
        self._turns = column(spacing=0)
        self._actions = row(self.edit, self.typed, STRETCH, margins=(theme.GRID, 0, 0, 0))
        column(self._turns, self.read_as, self._actions, spacing=theme.GRID, on=self)
        self.hide()

    def show_thread(self, current: ThreadAnswer | None) -> None:
        """Replace what is shown; nothing for the only question of a thread, as it was typed."""
        self._current = current
        drop(self._turns, self.rows)
        self.rows = []
        words = "" if current is None else _words(current)
        self.setVisible(bool(words) or current is not None and len(current.turns) > 1)
        if current is None:
            return
        others = [turn for turn in current.turns if turn.number != current.number]
        for turn in others[-VISIBLE:]:
            open_turn = partial(reopen_turn, self._session, current.thread, current.turns, turn.number)
            self.rows.append(button := TurnRow(turn, self))
            button.clicked.connect(open_turn)
            self._turns.addWidget(button)
        self.read_as.setText(words)
        self.read_as.setVisible(bool(words))
        completed = current.completion.kind is FollowKind.COMPLETED
        self.edit.setVisible(completed)
        # An earlier turn is not asked again: those that current it would go.
        self.typed.setVisible(completed and current.number == len(current.turns))
        for before, after in zip(
            [*self.rows, self.edit], [*self.rows[1:], self.edit, self.typed], strict=False
        ):
            QWidget.setTabOrder(before, after)

    def _on_edit(self) -> None:
        if self._current is not None:
            self.edit_wanted.emit(self._current.completion.question)

    def _on_typed(self) -> None:
        if self._current is not None:
            self.typed_wanted.emit(self._current.completion.original)


def _words(current: ThreadAnswer) -> str:
    """Return how the question was read, in a line for people; "" where it was read as it was typed."""
    completion = current.completion
    if completion.kind is FollowKind.NEW_SUBJECT:
        return tr("New subject: this begins a new thread.")
    if completion.kind is not FollowKind.COMPLETED:
        return ""
    if completion.model:
        return tr("Read as, by {model}: {question}", model=completion.model, question=completion.question)
    return tr("Read as: {question}", question=completion.question)


class TurnRow(RowButton):
    """A question as it was asked, and its short answer."""

    def __init__(self, turn: Turn, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        answer = " ".join(turn.answer.split()) or tr("No answer")
        self.setAccessibleName(tr("{question} {answer}", question=turn.question, answer=answer))
        self.setToolTip(tr("Show this answer again"))
        row((ElidedLabel(turn.question, "small", end=True), 3), (ElidedLabel(answer, "small", end=True), 2),
            margins=(theme.GRID, 2, theme.GRID, 2), on=self)  # fmt: skip
        self.pass_the_mouse()
