"""Pinning the question of an answer, so that it can be asked again after a change."""

from __future__ import annotations

from functools import partial

from app.look.translation import tr
from app.session.session import Message, Session
from core.progress import TaskContext
from core.types import Answer, Pin


def pin(session: Session, answer: Answer) -> None:
    """Expect what the answer cites and says. Ends in the session's `pinned`, and a line that leads to the pins."""
    workspace = session.workspace
    if workspace is None:
        return

    def work(_: TaskContext) -> Pin:
        return workspace.pins.pin(answer)

    def done(_: Pin) -> None:
        session.pinned.emit()
        show = partial(session.commands.run, "panel.pins")
        words = tr("The question is pinned.")
        if not answer.trace.scope.all:
            words = tr("The question is pinned. When the pins are run it is asked of all documents.")
        session.told.emit(Message(words, "success", action=tr("Show the pins"), act=show))

    session.tasks.start("pin", work, done)
