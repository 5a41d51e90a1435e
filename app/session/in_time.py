"""The dates of the open workspace, and what of it is told in the dates of the scope: `session.time`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal

from app.session.changes import Following
from app.session.tasks import Lane
from core.progress import TaskContext

if TYPE_CHECKING:
    from app.session.session import Session
    from core.types import Changed, InTime, Scope, Timeline
    from core.workspace import Workspace

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
        """Read the dates of what is open, and follow them from now on."""
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
