"""What a person means by "this" in "Ask about this": what is gathered on the graph, or else what is selected."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu

from app.look import theme
from app.look.translation import tr
from core.progress import TaskContext
from core.types import Scope

if TYPE_CHECKING:
    from app.session.session import Session

NOTHING = tr("Select an entity, a community, a document or a passage first.")


def why_nothing(session: Session) -> str:
    """Why there is nothing to ask about; "" where there is something."""
    return "" if session.chosen.current or session.selection.current else NOTHING


def ask_about_selected(session: Session) -> None:
    """Keep the next question to it, and put the keyboard in the question.

    Of a passage to which a chain of facts is drawn the chain is meant, of any other its document.
    """
    selected, workspace = session.selection.current, session.workspace
    if session.chosen.current and (selected is None or selected.kind == "entity"):
        ask_about(session, Scope(entities=session.chosen.current))
    elif selected is None or workspace is None:
        return
    elif selected.kind == "entity":
        ask_about(session, Scope(entities=(selected.id,)))
    elif selected.kind == "community":
        ask_about(session, Scope(communities=(int(selected.id),)))
    elif len(session.overlay.current.path) > 1 and selected.kind != "document":
        ask_about(session, Scope(entities=session.overlay.current.path), path=True)
    elif selected.document_id:
        ask_about(session, Scope(documents=(selected.document_id,)))
    elif selected.kind == "document":
        ask_about(session, Scope(documents=(selected.id,)))
    else:

        def work(_: TaskContext) -> Scope:
            return Scope(documents=(workspace.passages.get(selected.id).document_id,))

        session.tasks.start("about", work, lambda scope: ask_about(session, scope))


def about_action(session: Session, menu: QMenu, scope: Scope, words: str = "") -> QAction:
    """Of a menu, for what it was opened on."""
    action = menu.addAction(theme.icon("chat-circle-dots"), words or tr("Ask about this"))
    action.triggered.connect(lambda: ask_about(session, scope))
    return action


def ask_about(session: Session, scope: Scope, path: bool = False) -> None:
    """Keep the next question to this, too, and put the keyboard in the question."""
    session.scope.add(scope, path)
    if "go.ask" in session.commands:
        session.commands.run("go.ask")
