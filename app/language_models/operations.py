"""The verbs around language models: choose the host, try one on the corpus, let it read.

The server is asked only when the person looks at its models or lets one of them write, and never on the
window's thread.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from app.language_models.words import reading_words
from app.look.translation import tr
from app.session import operations
from app.session.language_server import look_for_models
from app.session.session import Session
from app.session.tasks import Lane
from core.errors import CoreError
from core.progress import Progress
from core.types import ModelCheck

_REPLACED = tr(
    "What was found before is replaced as it goes on; it can be stopped, and goes on where it stood."
)
TRYING = "model-check"  # group of tasks


def set_host(session: Session, wanted: str) -> None:
    """Ask another server from now on, whatever the workspace: its address is kept with the person's own settings."""
    workspace = session.workspace
    if workspace is not None:
        session.tasks.start(
            "model-host", lambda _: workspace.set_host(wanted), lambda _: _refresh_models(session)
        )


def allow_host(session: Session, allowed: bool) -> None:
    """Let texts be sent to the host, though it is not this machine, or take that back."""
    workspace = session.workspace
    if workspace is not None:
        models = workspace.language_models
        session.tasks.start(
            "model-host", lambda _: models.allow_host(allowed), lambda _: _refresh_models(session)
        )


def _refresh_models(session: Session) -> None:
    if session.workspace is not None:
        session.language.set_host(session.workspace.language_models.host)
        look_for_models(session, again=True)


def try_model(
    session: Session,
    model: str,
    done: Callable[[ModelCheck], None],
    failed: Callable[[CoreError], None],
    progress: Callable[[Progress], None],
    ended: Callable[[], None],
) -> None:
    """Measure a model on three passages of the workspace and estimate the whole; changes nothing."""
    workspace = session.workspace
    if workspace is None:
        return
    session.tasks.start(
        TRYING,
        lambda context: workspace.language_models.check(model, context),
        done,
        failed=failed,
        progress=progress,
        ended=ended,
        lane=Lane.SERVER,
    )


def offer_reading(session: Session, check: ModelCheck, extractor: str) -> None:
    """Ask before a model reads the documents: it takes long, and what was found before is replaced."""
    how = ("--extractor", extractor, "--set", f"models.parallel={check.trial.parallel}")
    error = CoreError(reading_words(extractor, check, session.language.name_with_host), _REPLACED)
    operations.offer(session, error, tr("Begin"), partial(operations.index_again, session, how), "info")


def offer_rules(session: Session) -> None:
    """Ask before the rules read the documents again."""
    error = CoreError(tr("The rules will read all passages."), _REPLACED)
    again = partial(operations.index_again, session, ("--extractor", "rules"))
    operations.offer(session, error, tr("Begin"), again, "info")


def stop_trying(session: Session) -> None:
    """Give the measurement up; the connection is closed, which makes the server stop, too."""
    session.tasks.cancel(TRYING)
