"""How the window follows an indexing process: events on stdout, words on stdin."""

from __future__ import annotations

import json
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from types import FrameType

from core.cli.output import plain_fields, progress_bar
from core.errors import CoreError
from core.progress import Cancelled, Progress, TaskContext
from core.text.jsonable import to_jsonable
from core.types import Changed, Document, Growth, Status

CHANGED = ("documents", "entities", "names", "facts", "communities", "reports")  # of a Changed
MOST_CHANGED = 5_000  # ids; of more than these all is read again

_PAUSE_POLL = 0.2  # seconds


class Control:
    """Pause, resume and cancel, by words on stdin and by signals."""

    def __init__(self) -> None:
        self._cancel = threading.Event()
        self._running = threading.Event()
        self._running.set()

    def listen(self) -> None:
        """Read words from stdin in a thread. Its end means nothing, but that who paused will never say to go on."""
        threading.Thread(target=self._read, daemon=True).start()

    def catch_signals(self) -> None:
        """Interrupt and terminate ask for a stop at the next batch instead of tearing one apart."""
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._stop)

    def cancelled(self) -> bool:
        """Whether to stop; waits while paused, which makes every progress report a pause point."""
        while not self._running.wait(_PAUSE_POLL):
            if self._cancel.is_set():
                break
        return self._cancel.is_set()

    def _stop(self, number: int, frame: FrameType | None) -> None:
        self._cancel.set()
        self._running.set()

    def _read(self) -> None:
        for line in sys.stdin:
            word = line.strip()
            if word == "pause":
                self._running.clear()
            elif word == "resume":
                self._running.set()
            elif word == "cancel":
                self._cancel.set()
                self._running.set()
        if not self._running.is_set():
            self._cancel.set()
            self._running.set()


@contextmanager
def stoppable_progress(quiet: bool) -> Iterator[TaskContext]:
    """As `progress_bar`; interrupt and terminate ask for a stop."""
    control = Control()
    control.catch_signals()
    with progress_bar(quiet, control.cancelled) as context:
        yield context


class Events:
    """Writes one JSON object a line. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()

    def progress(self, progress: Progress) -> None:
        self._write({"event": "progress", **plain_fields(progress)})

    def growth(self, growth: Growth) -> None:
        self._write({"event": "growth", **plain_fields(growth)})

    def document(self, document: Document) -> None:
        names = ("id", "path", "state", "reason", "remedy")
        self._write({"event": "document", **{name: str(getattr(document, name)) for name in names}})

    def changed(self, changed: Changed) -> None:
        """What the run changed, id by id, where that is little enough to be looked at one by one."""
        ids = {name: sorted(getattr(changed, name)) for name in CHANGED}
        if sum(map(len, ids.values())) <= MOST_CHANGED:
            self._write({"event": "changed", **ids})

    def step(self, figures: Mapping[str, float]) -> None:
        """One of a training."""
        self._write({"event": "step", **figures})

    def finished(self, status: Status | None = None) -> None:
        """`status` where the workspace changed."""
        self._write({"event": "finished", "status": to_jsonable(status)})

    def cancelled(self, message: str) -> None:
        self._write({"event": "cancelled", "message": message})

    def failed(self, error: CoreError) -> None:
        self._write({"event": "failed", "message": error.message, "remedy": error.remedy})

    def _write(self, event: dict[str, object]) -> None:
        with self._lock:
            sys.stdout.write(json.dumps(event) + "\n")
            sys.stdout.flush()


def with_events(events: Events, work: Callable[[TaskContext], object]) -> int:
    """Work that the window follows and may cancel: how it ended is told, and is the exit code."""
    control = Control()
    control.catch_signals()
    control.listen()
    try:
        work(TaskContext(events.progress, control.cancelled))
    except Cancelled as stop:
        events.cancelled(str(stop))
        return 1
    except CoreError as error:
        events.failed(error)
        return 1
    events.finished()
    return 0
