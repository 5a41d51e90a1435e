"""Verbs for threads of questions: go on, begin, reopen, rename, save."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from functools import partial
from pathlib import Path

from app.look.translation import tr
from app.session.session import Session
from core.progress import TaskContext
from core.types import Answer
from core.types.threads import Completion, FollowKind, Thread, ThreadAnswer, Turn


def begin_thread(session: Session) -> None:
    """The next question begins a thread; the one before stays as it is stored."""
    session.thread_answer = None
    session.thread_left.emit()


def read_threads(session: Session, done: Callable[[list[Thread]], None]) -> None:
    workspace = session.workspace
    if workspace is not None:
        session.tasks.start("threads", lambda _: workspace.threads.all(), done)


def reopen_thread(session: Session, thread: Thread) -> None:
    """Show the last turn of a stored thread; the next question goes on with it."""
    workspace = session.workspace
    if workspace is None:
        return

    def done(turns: tuple[Turn, ...]) -> None:
        if turns:
            reopen_turn(session, thread.id, turns, len(turns))

    session.tasks.start("threads", lambda _: workspace.threads.turns(thread.id), done)


def reopen_turn(session: Session, thread: int, turns: tuple[Turn, ...], number: int) -> None:
    """Show a turn as it was answered. Ends in answered."""
    workspace, turn = session.workspace, turns[number - 1]
    if workspace is None:
        return

    def work(_: TaskContext) -> Answer | None:
        return workspace.threads.answer(thread, number)

    def done(answer: Answer | None) -> None:
        if answer is None:
            session.notify(tr("This answer is not stored. Ask the question again."), "warning")
            return
        kind = FollowKind.COMPLETED if turn.question != turn.original else FollowKind.OWN
        completion = Completion(turn.original, turn.question, kind, turn.words)
        session.thread_answer = ThreadAnswer(answer, completion, thread, turns, number)
        session.answer = answer
        session.answered.emit(answer)

    session.tasks.start("threads", work, done)


def rename_thread(session: Session, thread: int, name: str) -> None:
    workspace = session.workspace
    if workspace is not None and name.strip():
        done = partial(_renamed, session)
        session.tasks.start("threads", lambda _: workspace.threads.rename(thread, name), done)


def _renamed(session: Session, thread: Thread) -> None:
    session.notify(tr("The thread is called {name}.", name=thread.name), "success")


def save_thread(session: Session, thread: int, target: Path) -> None:
    """Write a thread as Markdown, whatever was there: the person has chosen the file."""
    workspace = session.workspace
    if workspace is None:
        return
    words = tr("Thread saved in {path}.", path=target)
    session.tasks.start(
        "threads",
        lambda _: workspace.threads.export(thread, target, replace=True),
        lambda _: session.notify(words, "success"),
    )


class Follow(Enum):
    """Whether a question goes on with the open thread, takes the place of its last one, or begins another."""

    NOT = "not"
    NEXT = "next"
    AGAIN = "again"
    TYPED = "typed"  # again, without completing


def turns_before(current: ThreadAnswer | None, follow: Follow) -> tuple[tuple[Turn, ...], int]:
    """Return the turns that come before the next question, and their thread, 0 for a new one."""
    if current is None or follow is Follow.NOT:
        return (), 0
    return current.turns if follow is Follow.NEXT else current.turns[: current.number - 1], current.thread
