"""Marking documents of the open workspace private, and taking it back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from app.look.translation import tr, trn
from app.session.session import Message, Session
from core.progress import TaskContext

if TYPE_CHECKING:
    from core.types import Document
    from core.workspace import Workspace


def saved_words(words: str, same: bool) -> str:
    """What is told of a file that was written of an answer; not the `same` where private documents were left out."""
    if same:
        return words
    why = tr("The question was asked again without the private documents, and answered by quotes.")
    return tr("{words} {why}", words=words, why=why)


def mark_private(
    session: Session, documents: Sequence[Document], private: bool, then: Callable[[], None]
) -> None:
    """Keep documents private, or no longer. Offers to undo it; `then` follows both."""
    workspace = session.workspace
    if workspace is None or not documents:
        return
    paths = [document.path for document in documents]

    def work(_: TaskContext) -> tuple[list[str], int]:
        marks = workspace.private.mark(paths) if private else workspace.private.unmark(paths)
        private_ids = {document.id for document in workspace.private.documents()}
        return marks, sum(document.id in private_ids for document in documents)

    def done(found: tuple[list[str], int]) -> None:
        marks, remaining = found

        def undo() -> None:
            session.tasks.start("private", partial(_undo, workspace, marks, private), lambda _: then())

        words = (
            trn("{count} document is private.", "{count} documents are private.", len(paths))
            if private
            else trn(
                "{count} document stays private with its folder.",
                "{count} documents stay private with their folders.",
                remaining,
            )
            if remaining
            else trn(
                "{count} document is no longer private.",
                "{count} documents are no longer private.",
                len(paths),
            )
        )
        hint = ""
        if private or remaining:
            hint = tr("Private documents are left out of exports and packs, and sent to no other machine.")
        session.message_posted.emit(Message(words, "info", hint, tr("Undo"), undo))
        then()

    session.tasks.start("private", work, done)


def _undo(workspace: Workspace, marks: Sequence[str], private: bool, _: TaskContext) -> None:
    if private:
        workspace.private.withdraw(marks)
    else:
        workspace.private.restore(marks)
