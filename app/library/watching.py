"""The watched folder: follows it on a thread and has its changes indexed, one run at a time."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from PySide6.QtCore import QObject, Qt, QTimer, Signal

from app.look.translation import tr
from app.session import operations
from app.session.indexing import IndexingState
from app.session.preferences import Preferences
from app.session.session import Session
from app.session.tasks import Lane
from core.progress import TaskContext
from core.types import Changes, Status, WatchNews, WatchState

AGAIN_MS = 3000  # between two looks whether another process still writes


class Mode(StrEnum):
    """What is shown of the watched folder."""

    OFF = "off"
    WATCHING = "watching"
    SETTLING = "settling"
    WAITING = "waiting"  # for another process that writes
    INDEXING = "indexing"
    PAUSED = "paused"
    EMPTY = "empty"
    MISSING = "missing"


@dataclass(frozen=True, slots=True)
class Batch:
    """What one run is to read. `first`: nobody knows what changed while nobody watched."""

    changes: tuple[Changes, ...]
    first: bool

    @property
    def count(self) -> int:
        """Changes; a renamed file is one."""
        return sum(len(c.added) + len(c.changed) + len(c.removed) + len(c.renamed) for c in self.changes)

    def names(self) -> list[str]:
        """Return each change on a line of its own."""
        return [
            line
            for c in self.changes
            for line in (
                *(tr("new: {name}", name=name) for name in c.added),
                *(tr("changed: {name}", name=name) for name in c.changed),
                *(tr("gone: {name}", name=name) for name in c.removed),
                *(tr("renamed: {before} to {now}", before=before, now=now) for before, now in c.renamed),
            )
        ]


class Watching(QObject):
    """Watches the folder of the open workspace where the person wants it. `changed` tells of every mode."""

    changed = Signal()
    _came = Signal(object, object)

    def __init__(self, session: Session, preferences: Preferences) -> None:
        super().__init__(session)
        self._session, self._preferences = session, preferences
        self.paused = False
        self.news: WatchNews | None = None  # the last
        self.batch: Batch | None = None  # what runs now
        self._waiting: list[Changes] = []
        self._folder: Path | None = None  # that is followed
        self._mark: object = None  # of the present watch; news of one before it is dropped
        self._idle = True
        self._again = QTimer(self, interval=AGAIN_MS, singleShot=True)
        self._again.timeout.connect(self._run)
        self._came.connect(self._on_news, Qt.ConnectionType.QueuedConnection)
        session.workspace_opened.connect(lambda _: self._begin())
        session.workspace_closed.connect(self._end)
        session.indexing_changed.connect(self._on_indexing)
        session.indexing.finished.connect(self._on_finished)
        session.indexing.cancelled.connect(lambda _: self._on_stopped())
        session.indexing.failed.connect(lambda *_: self._on_stopped())
        session.indexing.crashed.connect(lambda *_: self._on_stopped())
        session.indexing.ended.connect(self._run)

    # ------------------------------------------------------------ the person

    @property
    def wanted(self) -> bool:
        """Return whether the person has switched watching on for this workspace."""
        workspace = self._session.workspace
        return workspace is not None and self._preferences.watched(workspace.path)

    @property
    def shut(self) -> str:
        """Return why nothing can be watched, in words; "" when it can."""
        return self._session.shut if self._session.workspace is not None else tr("No workspace is open.")

    def set_wanted(self, wanted: bool) -> None:
        """Switch watching on or off; remembered for this workspace."""
        workspace = self._session.workspace
        if workspace is None:
            return
        self._preferences.set_watched(workspace.path, wanted)
        self.paused = False
        if wanted:
            self._begin()
        else:
            self._end()

    def press(self) -> None:
        """One button for all: on when it is off, pause when it is on, go on when it is paused."""
        if not self.wanted:
            self.set_wanted(True)
        elif self.paused or self._session.indexing.state is IndexingState.PAUSED:
            self.resume()
        else:
            self.pause()

    def pause(self) -> None:
        """Start no run until `resume`; what changes meanwhile is kept in mind."""
        self.paused = True
        if self.batch is not None:
            operations.pause_indexing(self._session)
        self.changed.emit()

    def resume(self) -> None:
        """Go on, with all that changed meanwhile."""
        self.paused = False
        operations.resume_indexing(self._session)
        self._run()
        self.changed.emit()

    @property
    def mode(self) -> Mode:
        """Return what is to be shown."""
        if not self.wanted or self._folder is None:
            return Mode.OFF
        if self.paused or self._session.indexing.state is IndexingState.PAUSED:
            return Mode.PAUSED
        if self.batch is not None:
            return Mode.INDEXING
        if self._again.isActive():
            return Mode.WAITING
        state = self.news.state if self.news is not None else WatchState.WATCHING
        known = {s.value: m for s in WatchState for m in Mode if s.value == m.value}
        return known.get(state.value, Mode.WATCHING)

    # ------------------------------------------------------------ following

    def _begin(self) -> None:
        """Follow the folder, if that is wanted and possible and not done already."""
        session, workspace = self._session, self._session.workspace
        if workspace is None or not self.wanted or session.shut:
            self.changed.emit()
            return
        folder = session.folder
        if folder is None or folder == self._folder:
            self.changed.emit()
            return
        self._folder, self.news, self._mark = folder, None, object()
        mark = self._mark

        def work(context: TaskContext) -> None:
            workspace.watch(folder, lambda news: self._came.emit(mark, news), context)

        session.tasks.start("watch", work, lane=Lane.WATCH)
        self.changed.emit()

    def _end(self) -> None:
        self._session.tasks.drop("watch")
        self._again.stop()
        self._folder, self.news, self.batch, self._mark = None, None, None, None
        self._waiting.clear()
        self.paused = False
        self.changed.emit()

    def _on_news(self, mark: object, news: WatchNews) -> None:
        if mark is not self._mark:
            return
        self.news = news
        if news.state is WatchState.CHANGED:
            self._waiting.append(news.changes)
            self._run()
        elif news.state in (WatchState.EMPTY, WatchState.MISSING):
            self._waiting.clear()  # a run would forget every document; once it is back, it is told anew
        self.changed.emit()

    # ------------------------------------------------------------ indexing

    def _run(self) -> None:
        """Index what waits, unless something is in the way; then it is tried again after that."""
        session, workspace = self._session, self._session.workspace
        if not self._waiting or self.paused or workspace is None or self._folder is None:
            return
        if session.indexing.alive:
            return  # its end comes here again
        if session.shut or workspace.written_by:
            self._again.start()
            self.changed.emit()
            return
        self.batch = Batch(tuple(self._waiting), first=Changes() in self._waiting)
        self._waiting.clear()
        session.indexing.start(self._folder, workspace.path, quiet=True)
        self.changed.emit()

    def _on_indexing(self, state: IndexingState) -> None:
        if self._idle and state is IndexingState.RUNNING and self.batch is None:
            self.paused = False  # started by hand: it reads all that waits
            self._waiting.clear()
        self._idle = state is IndexingState.IDLE
        self.changed.emit()

    def _on_finished(self, _: Status) -> None:
        self.batch = None
        self._begin()  # the first run tells the workspace its folder

    def _on_stopped(self) -> None:
        """Stopped by hand or by a fault: nothing is tried again before the person says so."""
        if self._folder is not None:
            self._waiting.extend(self.batch.changes if self.batch is not None else (Changes(),))
            self.paused = True
        self.batch = None
        self.changed.emit()
