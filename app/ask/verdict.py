"""Right or wrong: what the person says of the answer shown, what was said before, and how probabilities hold."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import QStringListModel, Qt, QTimer, Signal
from PySide6.QtWidgets import QCompleter, QLineEdit, QToolButton, QWidget

from app.answers.wording import judged_words
from app.look import theme
from app.look.translation import tr
from app.session.session import Session
from app.widgets.buttons import tool_button
from app.widgets.fields import line_edit
from app.widgets.labels import PlainLabel
from app.widgets.layout import STRETCH, column, row
from core.errors import CoreError, WorkspaceError
from core.progress import TaskContext
from core.types import Answer, JudgedAnswer, Reliability

VERDICTS = {  # icon and its colour, words of the button, and what it is called
    "right": ("check", "ok", tr(" Right"), tr("This answer is right")),
    "wrong": ("x", "error", tr(" Wrong"), tr("This answer is wrong")),
}
MOST = 3  # earlier verdicts that are told


class VerdictRow(QWidget):
    """Two buttons; a press keeps the verdict, another one takes it back.

    Signal: judged("right", "wrong" or "", the right answer where the person gives one).
    """

    judged = Signal(str, str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._answer: Answer | None = None
        self.buttons = {verdict: self._button(verdict) for verdict in VERDICTS}
        self.right_answer = line_edit(tr("The right answer, if you know it"), tr("The right answer"))
        self.right_answer.setToolTip(
            tr("What would be right: typed, or one of the other readings (Down). Enter keeps it")
        )
        self.right_answer.returnPressed.connect(self._on_entered)
        self._readings = QStringListModel(self)
        choices = QCompleter(self._readings, self)
        choices.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        choices.setCompletionMode(QCompleter.CompletionMode.UnfilteredPopupCompletion)
        choices.activated.connect(lambda _: QTimer.singleShot(0, self._on_entered))  # once the text is in
        self.right_answer.setCompleter(choices)
        self.offer = self.right_answer.addAction(
            theme.icon("caret-down", "muted"), QLineEdit.ActionPosition.TrailingPosition
        )
        self.offer.setToolTip(tr("Choose one of the other readings"))
        self.offer.triggered.connect(choices.complete)
        self.notes = PlainLabel(kind="small", wrap=True)
        self.row = row(*self.buttons.values(), STRETCH, spacing=theme.GRID)
        column(self.row, self.right_answer, self.notes, spacing=theme.GRID, on=self)

    def _button(self, verdict: str) -> QToolButton:
        icon, role, words, called = VERDICTS[verdict]
        button = tool_button(icon, role=role, text=words, name=verdict, checkable=True)
        button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        button.setAccessibleName(called)
        button.clicked.connect(lambda checked: self._on_clicked(verdict, checked))
        return button

    def show_answer(self, answer: Answer) -> None:
        """Another answer, of which nothing is known yet."""
        self._answer = answer
        self.right_answer.clear()
        self._readings.setStringList([" ".join(other.text.split()) for other in answer.alternatives])
        self.offer.setVisible(bool(answer.alternatives))
        self.show_judged(())

    def show_judged(self, judged: Sequence[JudgedAnswer]) -> None:
        """Show what was said of the answers to this question, the oldest first."""
        if self._answer is None:
            return
        this = next((one for one in judged if one.answer == self._answer.text), None)
        self._check("" if this is None else "right" if this.right else "wrong")
        if this is not None and this.right_answer and not self.right_answer.hasFocus():
            self.right_answer.setText(this.right_answer)
        lines = [judged_words(one, self._answer) for one in reversed(judged)]
        self.notes.setText("\n".join(lines[:MOST]))
        self.notes.setVisible(bool(lines))

    def _check(self, verdict: str) -> None:
        for name, button in self.buttons.items():
            button.setChecked(name == verdict)
        self.right_answer.setVisible(verdict == "wrong")

    def _on_clicked(self, verdict: str, checked: bool) -> None:
        choice = verdict if checked else ""
        self._check(choice)
        self.judged.emit(choice, "")
        if choice == "wrong":
            self.right_answer.setFocus(Qt.FocusReason.OtherFocusReason)

    def _on_entered(self) -> None:
        if self.buttons["wrong"].isChecked():
            self.judged.emit("wrong", self.right_answer.text())


def judge(session: Session, answer: Answer, verdict: str, right_answer: str = "") -> None:
    """Keep "right" or "wrong", or take it back (""). Ends in the session's `judged`, as it then is."""
    workspace = session.workspace
    if workspace is None:
        return

    def work(_: TaskContext) -> list[JudgedAnswer]:
        workspace.answers.judge(answer, verdict, right_answer)
        return workspace.answers.judged(answer.trace.question)

    def failed(error: CoreError) -> None:
        session.notify_error(error)
        recall(session, answer)  # the buttons show what is kept

    if session.shut:
        failed(WorkspaceError(session.shut, session.shut_remedy))
    else:
        session.tasks.start("judge", work, partial(session.judged.emit, answer), failed=failed)


def recall(session: Session, answer: Answer) -> None:
    """What was said of answers to the same question; ends in the session's `judged`."""
    workspace, question = session.workspace, answer.trace.question
    if workspace is not None:
        done = partial(session.judged.emit, answer)
        session.tasks.start("judged", lambda _: workspace.answers.judged(question), done)


def read_reliability(session: Session, done: Callable[[Reliability], None]) -> None:
    """How stated probabilities hold, by the report of the model that ships and by what was judged here."""
    workspace = session.workspace
    if workspace is not None:
        session.tasks.start("reliability", lambda _: workspace.answers.reliability(), done)
