"""The verbs around language models: look what there is, choose who writes, try one on the corpus.

The server is asked only when the person looks at its models or lets one of them write, and never on the
window's thread.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from urllib.parse import urlsplit

from app import operations
from app.language_server import ServerState
from app.models.model_words import reading_words
from app.session import Session
from app.tasks import Lane
from core.errors import BadInput, CoreError, WorkspaceError
from core.progress import Progress
from core.types import ModelCheck

_REPLACED = "What was found before is replaced as it goes on; it can be stopped, and goes on where it stood."
LOOKING, TRYING = "model-server", "model-check"  # groups of tasks


def look_for_models(session: Session, again: bool = False) -> None:
    """Ask the server what it has; `again` although that is known."""
    workspace, language = session.workspace, session.language
    known = language.state in (ServerState.THERE, ServerState.LOOKING)
    if workspace is None or (known and not again):
        return
    language.set_looking()
    session.tasks.start(
        LOOKING,
        lambda context: workspace.language_models.server(context),
        language.set_server,
        failed=language.set_gone,
        lane=Lane.SERVER,
    )


def set_host(session: Session, wanted: str) -> None:
    """Ask another server from now on. The workspace keeps its address, and is opened anew for it."""
    workspace = session.workspace
    if workspace is None:
        return
    host = address(wanted)
    if not host:
        session.tell_error(BadInput(f"{wanted} is no address.", "Write it like http://127.0.0.1:11434."))
    elif session.blocked:
        session.tell_error(WorkspaceError(session.blocked))
    elif host != workspace.config.models.host:
        session.tasks.start(
            "model-host",
            lambda _: workspace.configure([f"models.host={host}"]),
            lambda _: operations.open_again(session),
        )


def address(words: str) -> str:
    """What was typed as scheme, host and port; "" where that cannot be."""
    text = words.strip()
    text = (text if "://" in text else f"http://{text}").rstrip("/")
    try:
        parts = urlsplit(text)
        fits = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:  # a port that is no number
        return ""
    return text if fits and not any(letter.isspace() for letter in text) else ""


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
    error = CoreError(reading_words(extractor, check), _REPLACED)
    operations.offer(session, error, "Begin", partial(operations.index_again, session, how), "info")


def offer_rules(session: Session) -> None:
    """Ask before the rules read the documents again."""
    error = CoreError("The rules will read all passages.", _REPLACED)
    again = partial(operations.index_again, session, ("--extractor", "rules"))
    operations.offer(session, error, "Begin", again, "info")


def stop_trying(session: Session) -> None:
    """Give the measurement up; the connection is closed, which makes the server stop, too."""
    session.tasks.cancel(TRYING)
