"""What a person decides, written in the order in which it was decided, off the window's thread."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Qt, QTimer, Signal
from shiboken6 import isValid
from superqt.utils import qdebounced

from app.look.translation import tr
from app.session.remedies import in_window
from app.session.session import Session
from app.session.tasks import KEEPING, Task
from core.errors import CoreError
from core.progress import TaskContext

if TYPE_CHECKING:
    from core.workspace import Workspace
    from core.workspace.review import ReviewApi

REST = 2_000  # milliseconds without a decision, before communities and reports follow


@dataclass(frozen=True, slots=True, eq=False)
class _Act:
    workspace: Workspace | None
    write: Callable[[ReviewApi], Any]
    done: Callable[[Any], None]
    failed: Callable[[CoreError], object]


class Decisions(QObject):
    """Writes one after the other while the person goes on; what cannot be written is told and taken back."""

    _landed = Signal(object, object, object)

    def __init__(self, session: Session, parent: QObject) -> None:
        super().__init__(parent)
        self._session = session
        self._waiting: deque[_Act] = deque()
        self._workspace: Workspace | None = session.workspace  # to which the waiting ones belong
        self._settling: Task | None = None
        self._settle_soon = qdebounced(self._settle, REST, parent=self)
        self._landed.connect(self._on_landed, Qt.ConnectionType.QueuedConnection)
        session.tasks.busy_changed.connect(self._on_busy)
        session.workspace_opened.connect(self._on_opened)
        session.workspace_closed.connect(self._write_rest)

    def add(
        self,
        write: Callable[[ReviewApi], Any],
        done: Callable[[Any], None],
        failed: Callable[[CoreError], object],
    ) -> None:
        """`done` gets what `write` gave, `failed` why it could not be written, which the session tells."""
        self._waiting.append(_Act(self._workspace, write, done, failed))
        if self._settling is not None:
            self._settling.cancel()  # communities can wait, a decision cannot
        self._start()

    def _start(self) -> None:
        if self._waiting and self._workspace is not None and not self._session.tasks.busy(KEEPING):
            review = self._workspace.review
            self._session.tasks.start(KEEPING, lambda _: self._write(review))

    def _write(self, review: ReviewApi) -> None:
        """On another thread, until nothing waits. Each lands by itself, also where another task replaces this one."""
        while self._waiting:
            act = self._waiting.popleft()
            result, error = None, None
            try:
                result = act.write(review)
            except BaseException as raised:
                error = raised
                if not isinstance(raised, CoreError):
                    raise  # a bug, which the window reports
            finally:
                if isValid(self):
                    self._landed.emit(act, result, error)

    def _on_landed(self, act: _Act, result: Any, error: BaseException | None) -> None:
        if act.workspace is not self._workspace:
            return
        if error is None:
            act.done(result)
            self._settle_soon()
            return
        known = in_window(error) if isinstance(error, CoreError) else CoreError(tr("This could not be kept."))
        if known is error:  # else the window reports it
            self._session.tell_error(known)
        act.failed(known)

    def _on_busy(self, group: str, busy: bool) -> None:
        if group == KEEPING and not busy:
            QTimer.singleShot(0, self, self._start)  # when that which ended has told what came of it

    def _settle(self) -> None:
        workspace, tasks = self._session.workspace, self._session.tasks
        if workspace is None or workspace is not self._workspace:
            return
        if self._waiting or tasks.busy(KEEPING) or self._session.blocked:
            self._settle_soon()
            return
        work, ended = workspace.review.settle, self._on_settled
        self._settling = tasks.start(KEEPING, work, ended=ended)

    def _on_settled(self) -> None:
        self._settling = None

    def _on_opened(self, workspace: Workspace) -> None:
        self._workspace = workspace

    def _write_rest(self) -> None:
        """The workspace is let go of when its tasks have ended: nothing that was decided is lost."""
        workspace, self._workspace = self._workspace, None
        if self._waiting and workspace is not None:
            review = workspace.review

            def work(_: TaskContext) -> None:
                self._write(review)

            self._session.tasks.start(KEEPING, work)
