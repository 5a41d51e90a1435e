"""Asking the language model server what it has, never on the window's thread."""

from __future__ import annotations

from app.session.language_server import ServerState
from app.session.session import Session
from app.session.tasks import Lane

LOOKING = "model-server"  # group of tasks


def look_for_models(session: Session, again: bool = False) -> None:
    """Ask the server what it has; `again` although that is known."""
    workspace, language = session.workspace, session.language
    known = language.state in (ServerState.THERE, ServerState.LOOKING)
    if workspace is None or not workspace.trusted or (known and not again):
        return
    language.set_looking()
    session.tasks.start(
        LOOKING,
        lambda context: workspace.language_models.server(context),
        language.set_server,
        failed=language.set_gone,
        lane=Lane.SERVER,
    )
