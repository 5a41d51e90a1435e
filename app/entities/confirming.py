"""Names that may be one entity, put to the language model that writes answers; pressed again, it stops."""

from __future__ import annotations

from functools import partial

from app.look.translation import tr, trn
from app.session.commands import Command
from app.session.language_server import model_of
from app.session.session import Level, Session
from app.session.tasks import ASKING_NAMES, Lane
from core.progress import TaskContext
from core.types import Confirmed


def confirm_command(session: Session) -> Command:
    """For the menu: the model decides on what is nearly the same in meaning."""

    def why_not() -> str:
        if session.tasks.busy(ASKING_NAMES):
            return ""
        chosen = model_of(session.writer)
        return session.blocked or ("" if chosen else tr("Choose a language model for answers first."))

    words = tr("Have the &language model decide on names")
    return Command("entity.confirm", words, partial(confirm_names, session), "", "git-merge", why_not)


def confirm_names(session: Session) -> None:
    """Ask in the background; what it decided by a stop stays, and each can be undone in the log."""
    workspace, writer = session.workspace, session.writer
    if session.tasks.busy(ASKING_NAMES):
        session.tasks.cancel(ASKING_NAMES)
        session.tell(tr("No more names are asked about."))
        return
    if workspace is None:
        return

    def work(context: TaskContext) -> Confirmed:
        return workspace.names.confirm(writer, context)

    def done(found: Confirmed) -> None:
        session.tell(*said(found, model_of(writer)))

    session.tell(tr("{model} is asked which names are one entity.", model=model_of(writer)))
    session.tasks.start(ASKING_NAMES, work, done, lane=Lane.SERVER)


def said(found: Confirmed, model: str) -> tuple[str, Level]:
    """What came of it, in one line, and the level of the message."""
    if not found.asked:
        return tr("No names are left that are nearly the same in meaning."), "info"
    words = trn(
        "{model} was asked about {count} pair of names: {merged} merged, {apart} kept apart, {left} left to you.",
        "{model} was asked about {count} pairs of names: {merged} merged, {apart} kept apart, {left} left to you.",
        found.asked,
        model=model,
        merged=found.merged,
        apart=found.kept_apart,
        left=found.unsure + found.failed,
    )
    return words, "warning" if found.failed == found.asked else "success"
