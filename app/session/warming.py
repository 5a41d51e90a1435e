"""Loads the models while nobody touches the window, in ways that hold the interpreter as little as can be.

Importing spaCy on a thread still stops the window for moments: passes of the garbage collector over
half a million new objects (0.2 to 0.3 s each). They are put off and then made cheap.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QTimer, Signal
from PySide6.QtWidgets import QWidget

from app.session.collector import pause_collection
from app.session.session import Session
from app.session.tasks import Lane

if TYPE_CHECKING:
    from core.progress import TaskContext
    from core.workspace import Workspace

QUIET_S = 1.5  # without key, click or wheel, before the models are loaded
POLL_MS = 250
INPUT = frozenset(
    {
        QEvent.Type.KeyPress,
        QEvent.Type.MouseButtonPress,
        QEvent.Type.MouseButtonRelease,
        QEvent.Type.MouseMove,
        QEvent.Type.Wheel,
        QEvent.Type.TouchBegin,
    }
)
_warming = threading.Lock()


def warm(workspace: Workspace, context: TaskContext) -> None:
    """Load the models of a workspace; call it on a thread. Returns quickly where they are loaded."""
    if workspace.models_loaded:
        return
    with _warming, pause_collection():
        workspace.load_models(context)


def prepare_questions(session: Session) -> None:
    """Load what the next question needs: models the first time, afterwards what changed in the workspace.

    A failure waits for a question.
    """
    workspace = session.workspace
    if workspace is None or session.tasks.busy("models"):
        return
    if workspace.models_loaded:
        prepare_meaning(session)
        return

    def work(context: TaskContext) -> None:
        warm(workspace, context)

    def done(_: None) -> None:
        prepare_meaning(session)

    session.tasks.start("models", work, done, failed=lambda _: None, lane=Lane.MODEL)


def prepare_meaning(session: Session) -> None:
    """Prepare the search by meaning, over what the last question was asked of. It may take a minute."""
    workspace = session.workspace
    if workspace is not None and not session.tasks.busy("meaning"):
        session.tasks.start("meaning", workspace.retrieval.prepare_meaning, failed=lambda _: None)


class IdleTimer(QObject):
    """Fires `came` once when nobody has touched a window for a while and it is not `busy`.

    `wait` starts it, `stop` ends it.
    """

    came = Signal()

    def __init__(self, window: QWidget, busy: Callable[[], bool] = bool) -> None:
        super().__init__(window)
        self._window, self._busy = window, busy
        self._watched: QObject | None = None
        self._last = 0.0
        self._timer = QTimer(self, interval=POLL_MS)
        self._timer.timeout.connect(self._look)

    def wait(self) -> None:
        """Start watching. The window's input passes through here only while this lasts."""
        self._last = time.monotonic()
        if self._watched is None and (handle := self._window.windowHandle()) is not None:
            handle.installEventFilter(self)
            self._watched = handle
        self._timer.start()

    def stop(self) -> None:
        self._timer.stop()
        if self._watched is not None:
            self._watched.removeEventFilter(self)
            self._watched = None

    def _look(self) -> None:
        if time.monotonic() - self._last >= QUIET_S and not self._busy():
            self.stop()
            self.came.emit()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802 - Qt's name
        if event.type() in INPUT:
            self._last = time.monotonic()
        return False
