"""What questions, the graph and communities keep to, shared by the window: `session.scope`.

session.scope.change(entities=(id,))  # the dates stay
session.scope.add(Scope(documents=(id,)))  # beside what it holds
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu

from app.look import theme
from app.look.translation import tr
from core.progress import TaskContext
from core.types import Scope

if TYPE_CHECKING:
    from app.session.session import Session

NOTHING = tr("Select an entity, a community, a document or a passage first.")


class SharedScope(QObject):
    """The scope of a session. `changed` carries it.

    `path`: those of its entities that came as one chain of facts, in their order.
    """

    changed = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._current = Scope()
        self.path: tuple[str, ...] = ()

    @property
    def current(self) -> Scope:
        return self._current

    def set(self, scope: Scope) -> None:
        """Keep to this; nothing is told where it is what holds already."""
        if not set(self.path) <= set(scope.entities):
            self.path = ()
        if scope != self._current:
            self._current = scope
            self.changed.emit(scope)

    def change(self, **parts: Any) -> None:
        """Keep to other `parts`, named as in `Scope`, and leave the rest."""
        self.set(replace(self._current, **parts))

    def add(self, more: Scope, path: bool = False) -> None:
        """Keep to what `more` names, too; with `path` its entities are a chain. The dates stay."""
        now = self._current
        if path:
            self.path = more.entities
        self.set(
            replace(
                now,
                entities=tuple(dict.fromkeys((*now.entities, *more.entities))),
                documents=tuple(dict.fromkeys((*now.documents, *more.documents))),
                communities=tuple(dict.fromkeys((*now.communities, *more.communities))),
            )
        )

    def clear(self) -> None:
        self.set(Scope())


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
