"""As whom the open workspace is looked at, and which of its documents are private."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from app.look.translation import tr, trn
from app.session.operations import open_at
from app.session.session import Message, Session
from core.progress import TaskContext
from core.types.private import PrivateMark

if TYPE_CHECKING:
    from core.types import Document
    from core.workspace import Workspace


def look_as(session: Session, profile: str) -> None:
    """Look at the open workspace as somebody who sees what is not private to others, or as its owner again."""
    if session.workspace is not None:
        open_at(session, session.workspace.home, create=False, then=None, profile=profile)


def mark_private(
    session: Session, documents: Sequence[Document], private: bool, then: Callable[[], None]
) -> None:
    """Keep documents private, or no longer. Offers to undo it; `then` follows both."""
    workspace = session.workspace
    if workspace is None or not documents:
        return
    paths = [document.path for document in documents]

    def work(_: TaskContext) -> tuple[list[PrivateMark], int]:
        marks = workspace.private.mark(paths) if private else workspace.private.unmark(paths)
        private_ids = workspace.private.names()
        return marks, sum(document.id in private_ids for document in documents)

    def done(found: tuple[list[PrivateMark], int]) -> None:
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
                "{count} document is private no longer.",
                "{count} documents are private no longer.",
                len(paths),
            )
        )
        hint = tr("The workspace menu shows it as those see it who may not see them.")
        session.told.emit(Message(words, "info", hint, tr("Undo"), undo))
        then()

    session.tasks.start("private", work, done)


def _undo(workspace: Workspace, marks: Sequence[PrivateMark], private: bool, _: TaskContext) -> None:
    if private:
        workspace.private.withdraw(marks)
    else:
        workspace.private.again(marks)
