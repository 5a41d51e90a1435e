"""What changed in the open workspace: one tells it, and whoever shows it reads that again and nothing else."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from PySide6.QtCore import QObject, Qt, QTimer, Signal

from app.session.indexing import IndexingState
from app.session.tasks import ASKING_NAMES, KEEPING, WRITING_REPORTS, Lane
from core.errors import CoreError
from core.progress import TaskContext
from core.types import Changed

if TYPE_CHECKING:
    from app.session.session import Session
    from core.workspace import Workspace

T = TypeVar("T")
EVERYTHING = Changed(everything=True)
POLL_MS = 3000


class Changes(QObject):
    """`published(Changed)`: the open workspace changed, whoever wrote. Nobody else says so."""

    published = Signal(object)
    _came = Signal(object, object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._workspace: Workspace | None = None
        self._run: Changed | None = None  # what our own indexing process said it changed
        # Acts change the workspace on other threads; what they tell comes before their tasks land.
        self._came.connect(self._on_came, Qt.ConnectionType.QueuedConnection)

    def follow(self, workspace: Workspace | None) -> None:
        """Publish the changes of this workspace from now on; None: of none."""
        if self._workspace is not None:
            self._workspace.set_change_listener(None)
        self._workspace = workspace
        if workspace is not None:
            workspace.set_change_listener(lambda changed: self._came.emit(workspace, changed))

    def from_elsewhere(self) -> None:
        """Publish that another process wrote."""
        self._came.emit(self._workspace, EVERYTHING)

    def on_document(self, document: dict[str, Any]) -> None:
        """Publish that our own indexing process has read a document."""
        self._came.emit(self._workspace, Changed(documents=frozenset({document["id"]})))

    def on_run(self, changed: Changed) -> None:
        """Remember what the indexing process says it changed; it says so before it ends."""
        self._run = changed

    def on_indexing(self, state: IndexingState) -> None:
        """Publish what the run changed once it has ended, or everything where it did not say what."""
        if state is IndexingState.IDLE:
            changed, self._run = self._run, None
            self._came.emit(self._workspace, changed if changed is not None else EVERYTHING)

    def _on_came(self, workspace: Workspace | None, changed: Changed) -> None:
        if workspace is not None and workspace is self._workspace:
            self.published.emit(changed)


class Following(QObject):
    """Keeps what its owner shows in step with the open workspace: `read` off this thread, then `show`.

    `read(workspace, changed, context)` is given all that changed since it was called before, everything at first; what
    is told while it reads is read after that. `concerns` tells whether a change has anything to do with it, and
    `failed` takes a CoreError that is not for the message bar. At most one reading in `pause` milliseconds.
    `last`: of a workspace that is opened others on the lane read first.
    """

    def __init__(
        self,
        owner: QObject,
        session: Session,
        read: Callable[[Workspace, Changed, TaskContext], T],
        show: Callable[[T], None],
        *,
        concerns: Callable[[Changed], object] = bool,
        failed: Callable[[CoreError], None] | None = None,
        pause: int = 0,
        lane: Lane = Lane.READ,
        last: bool = False,
    ) -> None:
        super().__init__(owner)
        self._session, self._tasks = session, session.tasks.owned_by(self)
        self._read, self._show, self._concerns, self._failed = read, show, concerns, failed
        self._due, self._lane = Changed(), lane
        self._timer = QTimer(self, interval=pause, singleShot=True)
        self._timer.timeout.connect(self._start)
        session.changes.published.connect(self._on_changed)
        if last:
            session.workspace_opened.connect(lambda _: QTimer.singleShot(0, self, self.again))
        else:
            session.workspace_opened.connect(self.again)
        session.workspace_closed.connect(self._forget)

    def again(self) -> None:
        """Read everything now."""
        self._due = EVERYTHING
        self._timer.stop()
        self._start()

    def set_pause(self, pause: int) -> None:
        self._timer.setInterval(pause)

    def _on_changed(self, changed: Changed) -> None:
        if changed.everything or self._concerns(changed):
            self._due |= changed
            if not self._timer.isActive():
                self._timer.start()

    def _start(self) -> None:
        workspace, due = self._session.workspace, self._due
        if workspace is None or not due or self._tasks.busy("read"):
            return
        self._due = Changed()
        work = partial(self._read, workspace, due)
        self._tasks.start("read", work, self._on_read, failed=self._on_failed, lane=self._lane)

    def _on_read(self, found: Any) -> None:
        self._show(found)
        self._start()

    def _on_failed(self, error: CoreError) -> None:
        (self._failed or self._session.notify_error)(error)
        self._start()

    def _forget(self) -> None:
        self._timer.stop()
        self._due = Changed()


class OtherWriters(QObject):
    """Looks every few seconds, unless our own indexing is at work; tells the session."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._session, self._tasks = session, session.tasks.owned_by(self)
        self._revision = -1  # of the last look; -1: not known
        self._timer = QTimer(self, interval=POLL_MS)
        self._timer.timeout.connect(self.look)
        session.workspace_opened.connect(self._begin)
        session.workspace_closed.connect(self._timer.stop)
        session.indexing_changed.connect(self._forget)
        session.changes.published.connect(self._on_changed)

    def look(self) -> None:
        """Look now, off the window's thread."""
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
