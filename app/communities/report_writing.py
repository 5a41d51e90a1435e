"""The verb around reports of communities: let a language model, or the rules, write them anew."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.look.counting import counted
from app.look.translation import tr
from app.session.language_server import QUOTES, model_of
from app.session.session import Level, Session
from app.session.tasks import WRITING_REPORTS, Lane
from core.errors import WorkspaceError
from core.progress import Progress, TaskContext

if TYPE_CHECKING:
    from core.types import Written


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which reports: those of these communities, of a level, or of all. `again`: also what is up to date."""

    only: Collection[int] | None = None
    level: int | None = None
    again: bool = False


def write_reports(
    session: Session,
    writer: str,
    wanted: Wanted,
    progress: Callable[[Progress], None],
    ended: Callable[[], None],
) -> None:
    """Write in the background; `writer` is QUOTES or `writer_of` a model. What was written stays at a stop."""
    workspace = session.workspace
    if workspace is None:
        return
    if session.blocked:
        session.tell_error(WorkspaceError(session.blocked, session.shut_remedy))
        ended()
        return

    def work(context: TaskContext) -> Written:
        return workspace.reports.write(
            context, writer, level=wanted.level, again=wanted.again, only=wanted.only
        )

    def done(written: Written) -> None:
        session.tell(*said(written, writer))

    session.tasks.start(WRITING_REPORTS, work, done, progress=progress, ended=ended, lane=Lane.SERVER)


def stop_writing(session: Session) -> None:
    """Stop; the reports that are written by then stay."""
    session.tasks.cancel(WRITING_REPORTS)


def said(written: Written, writer: str) -> tuple[str, Level]:
    """What came of it, in one line, and the level of the message."""
    count, model = written.written, model_of(writer)
    if not count:
        return tr("Every report is up to date."), "info"
    reports = f"{count:,} reports" if count != 1 else tr("The report")
    are = "are" if count != 1 else "is"
    if writer == QUOTES:
        return f"{reports} {are} quoted from the documents again.", "info"
    rest = count - written.by_model
    dropped = written.model.uncarried
    some = f"{dropped:,} of {counted(written.model.statements, 'statement')}"
    were, them = ("was", "it") if dropped == 1 else ("were", "them")
    words = f"{some} {were} dropped: no passage carries {them}."
    tail = f" {words}" if dropped else ""
    if not written.by_model:
        stands = tr("the rules' stand") if count != 1 else tr("the one by rules stands")
        return f"{model} wrote nothing that the documents carry; {stands}.{tail}", "warning"
    some = f"{written.by_model:,} of {reports}" if rest else reports
    return f"{some} {'are' if written.by_model != 1 else 'is'} written by {model}.{tail}", "success"
