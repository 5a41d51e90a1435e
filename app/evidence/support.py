"""Whether an explanation supports the answer: what a person says of a card's chain and sentence. Triple-layer 7.1.3."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QToolButton, QWidget

from app.look import theme
from app.look.translation import tr
from app.session.session import Session
from app.session.tasks import Tasks
from app.widgets.buttons import block, tool_button
from app.widgets.fields import line_edit
from app.widgets.labels import PlainLabel
from app.widgets.layout import column, row
from core.errors import CoreError, WorkspaceError
from core.progress import TaskContext
from core.types import Answer, Evidence, JudgedExplanation, Sentence

Place = tuple[str, int, int]  # document and offsets in its text
VERDICTS = {  # icon and its colour, words of the button, its tooltip
    "yes": ("check", "ok", tr(" Yes"), tr("This supports the answer; again takes it back (Y)")),
    "no": ("x", "error", tr(" No"), tr("This does not support the answer; again takes it back (N)")),
}


class SupportRow(QWidget):
    """Two buttons and, once one is pressed, a line for a word why. A press keeps the verdict, another takes it back.

    Signal: judged("yes", "no" or "", why).
    """

    judged = Signal(str, str)

    def __init__(self, chain: bool) -> None:
        """chain: whether a chain of facts is shown, and not the sentence alone."""
        super().__init__()
        question = tr("Do these facts support the answer?") if chain else tr("Does this support the answer?")
        self.buttons = {verdict: self._button(verdict) for verdict in VERDICTS}
        self.why = line_edit(tr("Why? A word is enough (Enter keeps it)"), tr("Why it does or does not"))
        self.why.returnPressed.connect(lambda: self.judged.emit(self.verdict, self.why.text()))
        words = PlainLabel(question, "small", wrap=True)
        asked = row((words, 1), *self.buttons.values(), spacing=theme.GRID)
        column(asked, self.why, spacing=theme.GRID, on=self)
        self._check("")

    def _button(self, verdict: str) -> QToolButton:
        icon, role, words, tip = VERDICTS[verdict]
        button = tool_button(icon, tip, role=role, text=words, name=f"supports-{verdict}", checkable=True)
        button.setAccessibleName(tip)
        button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        button.clicked.connect(lambda checked: self._on_clicked(verdict, checked))
        return button

    @property
    def verdict(self) -> str:
        return next((name for name, button in self.buttons.items() if button.isChecked()), "")

    def show_judged(self, judged: JudgedExplanation | None) -> None:
        """Show what is kept."""
        self._check("" if judged is None else "yes" if judged.supports else "no")
        if judged is not None and not self.why.hasFocus():
            self.why.setText(judged.why)

    def set_shut(self, reason: str) -> None:
        """No verdict can be kept while there is a `reason`."""
        for verdict, button in self.buttons.items():
            block(button, reason, VERDICTS[verdict][3])
        self.why.setEnabled(not reason)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        # Enter in the line keeps a word; the card, which would open its passage, is not to hear it.
        event.setAccepted(event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter))

    def _check(self, verdict: str) -> None:
        for name, button in self.buttons.items():
            button.setChecked(name == verdict)
        self.why.setVisible(bool(verdict))
        if not verdict:
            self.why.clear()

    def _on_clicked(self, verdict: str, checked: bool) -> None:
        self._check(verdict if checked else "")
        self.judged.emit(self.verdict, self.why.text())
        if self.verdict == "no":
            self.why.setFocus(Qt.FocusReason.OtherFocusReason)


class Support:
    """What was said of the explanations of one answer, read and kept."""

    def __init__(self, session: Session, tasks: Tasks, changed: Callable[[], None]) -> None:
        """`changed` is called after each change."""
        self._session, self._tasks, self._changed = session, tasks, changed
        self._found: Mapping[Place, JudgedExplanation] = {}
        self._answer: Answer | None = None

    def of(self, evidence: Evidence) -> JudgedExplanation | None:
        sentence = evidence.sentence or Sentence(0, len(evidence.passage.text))
        at = evidence.passage.start
        return self._found.get((evidence.document, at + sentence.start, at + sentence.end))

    def keeping(self, evidence: Evidence) -> bool:
        """Return whether what was just said of it is not kept yet."""
        return self._tasks.busy(_group(evidence))

    def recall(self, answer: Answer) -> None:
        """Read what was said of this answer."""
        self._answer, self._found = answer, {}
        workspace = self._session.workspace
        if workspace is not None:
            read = workspace.answers.explanations
            self._tasks.start(
                "support", lambda _: read(answer.trace.question), partial(self._on_read, answer)
            )

    def judge(self, answer: Answer, evidence: Evidence, verdict: str, why: str) -> None:
        """Keep it, or take it back ("")."""
        workspace, session = self._session.workspace, self._session
        if workspace is None:
            return

        def work(_: TaskContext) -> list[JudgedExplanation]:
            workspace.answers.judge_explanation(answer, evidence, verdict, why)
            return workspace.answers.explanations(answer.trace.question)

        def failed(error: CoreError) -> None:
            session.notify_error(error)
            if self._is_of(answer):
                self.recall(answer)  # the buttons show what is kept

        if session.shut:
            failed(WorkspaceError(session.shut, session.shut_remedy))
        else:
            # A group for each: what is said of one passage does not cancel what was just said of another.
            self._tasks.start(_group(evidence), work, partial(self._on_read, answer), failed=failed)

    def _is_of(self, answer: Answer) -> bool:
        """Return whether this is the answer that is shown: what is kept may come when another is."""
        current = self._answer
        return current is not None and (current.trace.question, current.text) == (
            answer.trace.question,
            answer.text,
        )

    def _on_read(self, answer: Answer, found: list[JudgedExplanation]) -> None:
        if not self._is_of(answer):
            return
        self._found = {
            (one.place.document, one.place.start, one.place.end): one
            for one in found
            if one.answer == answer.text
        }
        self._changed()


def _group(evidence: Evidence) -> str:
    return f"judge {evidence.passage.id}"  # not shown
