"""What other processes do to the open workspace: who writes, and whether there is something new to see."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer

from app.session.session import Session
from app.session.tasks import ASKING_NAMES, KEEPING, WRITING_REPORTS
from core.progress import TaskContext
from core.types import Changed

LOOK_MS = 3000


class OtherWriters(QObject):
    """Looks every few seconds, unless our own indexing is at work; tells the session."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._session, self._tasks = session, session.tasks.owned_by(self)
        self._revision = -1  # of the last look; -1: not known
        self._timer = QTimer(self, interval=LOOK_MS)
        self._timer.timeout.connect(self.look)
        session.workspace_opened.connect(self._begin)
        session.workspace_closed.connect(self._timer.stop)
        session.indexing_changed.connect(self._forget)
        session.changes.told.connect(self._on_changed)

    def look(self) -> None:
        """Look now, off this thread."""
        session, workspace = self._session, self._session.workspace
        own = any(session.tasks.busy(group) for group in (KEEPING, WRITING_REPORTS, ASKING_NAMES))
        if workspace is None or session.indexing.alive or own:
            return

        def work(_: TaskContext) -> tuple[str, int]:
            return workspace.written_by, workspace.revision

        def done(found: tuple[str, int]) -> None:
            session.set_written_by(found[0])
            before, self._revision = self._revision, found[1]
            if before not in (-1, found[1]):
                session.changes.from_elsewhere()

        self._tasks.start("look", work, done)

    def _begin(self) -> None:
        self._forget()
        self._timer.start()
        self.look()

    def _on_changed(self, changed: Changed) -> None:
        if not changed.everything:
            self._forget()

    def _forget(self) -> None:
        self._tasks.drop("look")  # it may have seen the workspace as it was
        self._revision = -1
