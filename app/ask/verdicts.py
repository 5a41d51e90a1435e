"""Verbs on answers: keep that one is right or wrong, see what was said before, see how probabilities hold."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from app.session.session import Session
from core.errors import CoreError, WorkspaceError
from core.progress import TaskContext

if TYPE_CHECKING:
    from core.types import Answer, JudgedAnswer, Reliability


def judge(session: Session, answer: Answer, verdict: str, right_answer: str = "") -> None:
    """Keep "right" or "wrong", or take it back (""). Ends in the session's `judged`, as it then is."""
    workspace = session.workspace
    if workspace is None:
        return

    def work(_: TaskContext) -> list[JudgedAnswer]:
        workspace.answers.judge(answer, verdict, right_answer)
        return workspace.answers.judged(answer.trace.question)

    def failed(error: CoreError) -> None:
        session.tell_error(error)
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
