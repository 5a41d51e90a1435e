"""The scope of questions, graph and communities (`session.scope`), and what holds in its dates (`session.time`).

session.scope.change(entities=(id,))  # the dates stay
session.scope.add(Scope(documents=(id,)))  # beside what it holds
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu

from app.look import theme
from app.look.translation import tr
from app.session.changes import Following
from app.session.tasks import Lane
from core.progress import TaskContext
from core.types import Scope

if TYPE_CHECKING:
    from app.session.session import Session
    from core.types import Changed, InTime, Scope, Timeline
    from core.workspace import Workspace


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
        """Replace the scope; emits nothing where it stays the same."""
        if not set(self.path) <= set(scope.entities):
            self.path = ()
        if scope != self._current:
            self._current = scope
            self.changed.emit(scope)

    def change(self, **parts: Any) -> None:
        """Replace `parts` of the scope, named as in `Scope`; the others stay."""
        self.set(replace(self._current, **parts))

    def add(self, more: Scope, path: bool = False) -> None:
        """Add what `more` names to the scope; with `path` its entities are a chain. The dates stay."""
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
    """Return why there is nothing to ask about; "" where there is something."""
    return "" if session.chosen.current or session.selection.current else NOTHING


def ask_about_selected(session: Session) -> None:
    """Restrict the next question to what is selected, and focus the question.

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
    """Add "Ask about this" to a menu, for what the menu was opened on."""
    action = menu.addAction(theme.icon("chat-circle-dots"), words or tr("Ask about this"))
    action.triggered.connect(lambda: ask_about(session, scope))
    return action


def ask_about(session: Session, scope: Scope, path: bool = False) -> None:
    """Restrict the next question to this, too, and focus the question."""
    session.scope.add(scope, path)
    if "go.ask" in session.commands:
        session.commands.run("go.ask")


_PAUSE = 1000  # milliseconds between two readings, which take a second where there is much
_TASK = "in time"  # not shown


class Time(QObject):
    """Signals: read(Timeline, or None while no workspace is open); changed(InTime, or None for all times).

    Dates are read once somebody shows them (`begin`), and again where documents changed, or names and facts while a
    range is chosen. While the hand moves the newest range is worked out as soon as the one before is, so that something
    is always shown.
    """

    read = Signal(object)
    changed = Signal(object)

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self.timeline: Timeline | None = None
        self.current: InTime | None = None
        self._session, self._tasks = session, session.tasks.owned_by(self)
        self._wanted = ("", "")
        self._following: Following | None = None
        session.scope.changed.connect(self._on_scope)
        session.workspace_closed.connect(self._forget)

    def begin(self) -> None:
        """Read the dates of the open workspace, and follow them from now on."""
        if self._following is None:
            self._following = Following(
                self,
                self._session,
                _read,
                self._show,
                concerns=self._concerns,
                pause=_PAUSE,
                lane=Lane.GRAPH,
                last=True,
            )
            QTimer.singleShot(0, self._following, self._following.again)

    def _concerns(self, changed: Changed) -> bool:
        graph_changes = changed.facts or changed.entities or changed.names
        return bool(changed.documents or (graph_changes and any(self._wanted)))

    def _show(self, timeline: Timeline) -> None:
        if timeline is not self.timeline:
            self.timeline = timeline
            self.read.emit(timeline)
            self._work_out()

    def _forget(self) -> None:
        self._tasks.drop(_TASK)
        self.timeline = None
        self.read.emit(None)
        self._publish(None)

    def _on_scope(self, scope: Scope) -> None:
        if (scope.since, scope.until) != self._wanted:
            self._wanted = (scope.since, scope.until)
            if not self._tasks.busy(_TASK):
                self._work_out()

    def _work_out(self) -> None:
        workspace, wanted = self._session.workspace, self._wanted
        if workspace is None or not any(wanted):
            self._tasks.drop(_TASK)
            self._publish(None)
            return

        def land(found: InTime) -> None:
            self._publish(found)
            if self._wanted != wanted:
                self._work_out()

        self._tasks.start(_TASK, lambda _: workspace.timeline.inside(*wanted), land)

    def _publish(self, found: InTime | None) -> None:
        if found is not self.current:
            self.current = found
            self.changed.emit(found)


def _read(workspace: Workspace, _: Changed, __: TaskContext) -> Timeline:
    return workspace.timeline.columns()
