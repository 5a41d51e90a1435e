"""The verb around reports of communities: let a language model, or the rules, write them anew."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.look.translation import tr, trn
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
        session.notify_error(WorkspaceError(session.blocked, session.shut_remedy))
        ended()
        return

    def work(context: TaskContext) -> Written:
        return workspace.reports.write(
            context, writer, level=wanted.level, again=wanted.again, only=wanted.only
        )

    def done(written: Written) -> None:
        session.notify(*outcome_words(written, writer))

    session.tasks.start(WRITING_REPORTS, work, done, progress=progress, ended=ended, lane=Lane.SERVER)


def stop_writing(session: Session) -> None:
    """Stop; the reports that are written by then stay."""
    session.tasks.cancel(WRITING_REPORTS)


def outcome_words(written: Written, writer: str) -> tuple[str, Level]:
    """What came of it, in one line, and the level of the message."""
    count, model = written.written, model_of(writer)
    if not count:
        return tr("Every report is up to date."), "info"
    level: Level = "success"
    if writer == QUOTES:
        return trn(
            "The report is quoted from the documents again.",
            "{count} reports are quoted from the documents again.",
            count,
        ), "info"
    if not written.by_model:
        level = "warning"
        words = trn(
            "{model} wrote nothing that the documents carry; the one by rules stands.",
            "{model} wrote nothing that the documents carry; the rules' stand.",
            count,
            model=model,
        )
    elif written.by_model < count:
        words = trn(
            "{count} of {total} reports is written by {model}.",
            "{count} of {total} reports are written by {model}.",
            written.by_model,
            total=count,
            model=model,
        )
    else:
        words = trn(
            "The report is written by {model}.", "{count} reports are written by {model}.", count, model=model
        )
    if not (dropped := written.model.uncarried):
        return words, level
    statements = trn("{count} statement", "{count} statements", written.model.statements)
    more = trn(
        "{count} of {statements} was dropped: no passage carries it.",
        "{count} of {statements} were dropped: no passage carries them.",
        dropped,
        statements=statements,
    )
    return tr("{first} {rest}", first=words, rest=more), level
