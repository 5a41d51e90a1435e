"""One long core call -> a thread -> callbacks on the GUI thread; progress, cancel, exclusive groups.

A task belongs to a group, and a group runs one task at a time as far as anybody can see: starting
a task cancels the one before it and disconnects it, so that a late result cannot land (the habit of
Orange). Callbacks always run on the thread of the runner. Groups of the runner are those of the whole
session, such as KEEPING; what one widget reads is in a group of its own `Tasks`.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from enum import StrEnum
from functools import partial
from typing import Any, TypeVar

from PySide6.QtCore import QObject, Qt, QTimer, Signal, Slot
from shiboken6 import isValid

from app.session.collector import pause_collection
from app.session.errors import in_window
from core.errors import CoreError
from core.progress import Cancelled, Progress, TaskContext

T = TypeVar("T")
KEEPING = "keeping"  # whatever changes the workspace, one at a time
WRITING_REPORTS = "reports"
ASKING_NAMES = "asking-names"  # a language model, about names that may be one entity
ASKING = "ask"
_TURN = 0.010  # seconds of callbacks in one turn of the event loop


class Lane(StrEnum):
    """Which threads a task runs on. Threads live long: SQLite keeps one connection for each."""

    READ = "read"  # short reads of the workspace
    GRAPH = "graph"  # one thread for what reads the whole graph: what is short does not wait for it
    MODEL = "model"  # one thread for everything that runs a model, so that its pools are made once
    SERVER = "server"  # waits for the server of a language model
    PAGES = "pages"  # one thread that waits for the process which draws pages
    WATCH = "watch"  # the watched folder, for as long as it is watched


Group = tuple[object, str]  # whose it is, None: the session's; and its name


class Task:
    """A started call: its group, and a flag that asks it to stop."""

    def __init__(self, group: Group) -> None:
        self.group = group
        self._stop = threading.Event()

    def cancel(self) -> None:
        """Ask the call to stop at its next report. Returns at once."""
        self._stop.set()

    @property
    def cancelled(self) -> bool:
        return self._stop.is_set()


class _Reception:
    """What is to be called for one task, on the GUI thread."""

    __slots__ = ("done", "ended", "failed", "progress")

    def __init__(
        self,
        done: Callable[[Any], None] | None,
        failed: Callable[[CoreError], None] | None,
        progress: Callable[[Progress], None] | None,
        ended: Callable[[], None] | None,
    ) -> None:
        self.done, self.failed, self.progress, self.ended = done, failed, progress, ended


class TaskRunner(QObject):
    """Runs core calls off the GUI thread.

    `failed` carries a CoreError that no callback took; `crashed` any other exception (a bug);
    `busy_changed` the name of a group of the session and whether it runs.
    """

    failed = Signal(object)
    crashed = Signal(object)
    busy_changed = Signal(str, bool)
    _progressed = Signal(object, object)
    _landed = Signal(object, object, object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._pools = {
            Lane.READ: ThreadPoolExecutor(2, thread_name_prefix="clew-read"),
            Lane.GRAPH: ThreadPoolExecutor(1, thread_name_prefix="clew-graph"),
            Lane.MODEL: ThreadPoolExecutor(1, thread_name_prefix="clew-model"),
            Lane.SERVER: ThreadPoolExecutor(2, thread_name_prefix="clew-server"),
            Lane.PAGES: ThreadPoolExecutor(1, thread_name_prefix="clew-pages"),
            # Two: the one that ends may still be at its last look when the next one begins.
            Lane.WATCH: ThreadPoolExecutor(2, thread_name_prefix="clew-watch"),
        }
        # What is told in place of an exception, asked on the thread that met it; None: the exception itself.
        self.explain: Callable[[BaseException], CoreError | None] = lambda _: None
        self._current: dict[Group, tuple[Task, _Reception]] = {}
        self._futures: set[Future[None]] = set()
        self._reads: set[Future[None]] = set()
        self._closed = False
        self._progressed.connect(self._on_progress, Qt.ConnectionType.QueuedConnection)
        self._landed.connect(self._on_landed, Qt.ConnectionType.QueuedConnection)
        self._results: deque[tuple[Task, object, BaseException | None]] = deque()
        self._next = QTimer(self, interval=0, singleShot=True)
        self._next.timeout.connect(self._deliver_results)

    def owned_by(self, owner: QObject) -> Tasks:
        """Return task groups for a widget, or another part of the window; they die with it."""
        return Tasks(self, owner)

    def start(
        self,
        group: str,
        work: Callable[[TaskContext], T],
        done: Callable[[T], None] | None = None,
        *,
        failed: Callable[[CoreError], None] | None = None,
        progress: Callable[[Progress], None] | None = None,
        ended: Callable[[], None] | None = None,
        lane: Lane = Lane.READ,
        owner: object = None,
    ) -> Task:
        """Run `work(context)` on a thread; a running task of the same group is cancelled and forgotten.

        done: gets the result. failed: gets a CoreError (without it, the `failed` signal does).
        ended: called last, whether the task was done, failed or was cancelled by `cancel`, but not
        when another task of the group took its place.
        """
        key = (owner, group)
        self._drop(key)
        task = Task(key)
        self._current[key] = (task, _Reception(done, failed, progress, ended))
        if not self._closed:
            run = pause_collection()(self._run) if lane is Lane.GRAPH else self._run
            future = self._pools[lane].submit(run, task, work)
            self._futures.add(future)
            future.add_done_callback(self._futures.discard)
            if lane in (Lane.READ, Lane.GRAPH):
                self._reads.add(future)
                future.add_done_callback(self._reads.discard)
        self._emit_busy(key, True)
        return task

    def cancel(self, group: str) -> None:
        """Ask the group's task to stop; its `ended` is called when it has. No effect where none runs."""
        if (None, group) in self._current:
            self._current[None, group][0].cancel()

    def drop(self, group: str, owner: object = None) -> None:
        """Cancel and disconnect the group's task: none of its callbacks will be called."""
        if (owner, group) in self._current:
            self._drop((owner, group))
            self._emit_busy((owner, group), False)

    def reading(self) -> bool:
        """Return whether anything is being read from the workspace."""
        return bool(self._reads)

    def has_results(self) -> bool:
        """Return whether results wait for their callbacks."""
        return bool(self._results)

    def busy(self, group: str, owner: object = None) -> bool:
        return (owner, group) in self._current

    def drop_owned(self, owner: object) -> None:
        """Cancel and disconnect all tasks of an owner."""
        for whose, group in list(self._current):
            if whose is owner:
                self.drop(group, owner)

    def drop_all(self) -> None:
        """Cancel and disconnect all tasks: no callback of a started task will be called."""
        for owner, group in list(self._current):
            self.drop(group, owner)

    def after_running(self, act: Callable[[], None]) -> None:
        """Call `act` once every started call has ended, on a thread of its own or the one that ends last.

        A dropped call may still be at work; what it uses must not be closed under its hands.
        """
        pending = {future for future in tuple(self._futures) if not future.done()}
        left, lock = len(pending), threading.Lock()

        def ended(_: Future[None]) -> None:
            nonlocal left
            with lock:
                left -= 1
                last = left == 0
            if last:
                act()

        for future in pending:
            future.add_done_callback(ended)
        if not pending:
            threading.Thread(target=act, name="clew-close").start()

    def close(self, wait: bool = False) -> None:
        """Accept no more work and cancel what runs. Safe to call twice."""
        self._closed = True
        self.drop_all()
        for pool in self._pools.values():
            pool.shutdown(wait=wait, cancel_futures=True)

    def _emit_busy(self, group: Group, busy: bool) -> None:
        owner, name = group
        if owner is None:
            self.busy_changed.emit(name, busy)

    def _drop(self, group: Group) -> None:
        entry = self._current.pop(group, None)
        if entry is not None:
            entry[0].cancel()

    def _run(self, task: Task, work: Callable[[TaskContext], object]) -> None:
        context = TaskContext(lambda news: self._emit(self._progressed, task, news), lambda: task.cancelled)
        try:
            context.check()
            result: object = work(context)
        except BaseException as error:  # noqa: BLE001 - the GUI thread tells or reports it
            self._emit(self._landed, task, None, self.explain(error) or error)
        else:
            self._emit(self._landed, task, result, None)

    def _emit(self, signal: Any, *values: object) -> None:
        if self._closed:
            return
        try:
            signal.emit(*values)
        except RuntimeError:  # the runner's Qt object went away while the thread was at work
            self._closed = True

    @Slot(object, object)
    def _on_progress(self, task: Task, progress: Progress) -> None:
        entry = self._current.get(task.group)
        if entry is not None and entry[0] is task and entry[1].progress is not None:
            entry[1].progress(progress)

    @Slot(object, object, object)
    def _on_landed(self, task: Task, result: object, error: BaseException | None) -> None:
        self._results.append((task, result, error))
        self._next.start()

    @Slot()
    def _deliver_results(self) -> None:
        """Call the callbacks of finished tasks, a few a turn, so that keys and paint events come between."""
        until = time.perf_counter() + _TURN
        while self._results and time.perf_counter() < until:
            task, result, error = self._results.popleft()
            if self._results:
                self._next.start()  # a callback may raise, or run an event loop of its own
            self._deliver(task, result, error)

    def _deliver(self, task: Task, result: object, error: BaseException | None) -> None:
        entry = self._current.get(task.group)
        if entry is None or entry[0] is not task:
            return  # superseded: a late result never lands
        reception = entry[1]
        del self._current[task.group]
        self._emit_busy(task.group, False)
        try:
            self._call_back(reception, result, error)
        finally:
            if reception.ended is not None:
                reception.ended()

    def _call_back(self, reception: _Reception, result: object, error: BaseException | None) -> None:
        if error is None:
            if reception.done is not None:
                reception.done(result)
        elif isinstance(error, Cancelled):
            return
        elif isinstance(error, CoreError):
            error = in_window(error)
            if reception.failed is not None:
                reception.failed(error)
            else:
                self.failed.emit(error)
        else:
            self.crashed.emit(error)


class Tasks(QObject):
    """The tasks of one owner: another of its kind does not cancel them, and once it is gone nobody is called."""

    def __init__(self, runner: TaskRunner, owner: QObject) -> None:
        super().__init__(owner)
        self._runner, self._key = runner, object()
        self.destroyed.connect(partial(_drop_owned, runner, self._key))

    def start(
        self,
        group: str,
        work: Callable[[TaskContext], T],
        done: Callable[[T], None] | None = None,
        *,
        failed: Callable[[CoreError], None] | None = None,
        progress: Callable[[Progress], None] | None = None,
        ended: Callable[[], None] | None = None,
        lane: Lane = Lane.READ,
    ) -> None:
        """See `TaskRunner.start`."""
        self._runner.start(
            group, work, done, failed=failed, progress=progress, ended=ended, lane=lane, owner=self._key
        )

    def drop(self, group: str) -> None:
        self._runner.drop(group, self._key)

    def busy(self, group: str) -> bool:
        return self._runner.busy(group, self._key)


def _drop_owned(runner: TaskRunner, key: object, *_: object) -> None:
    if isValid(runner):  # the session ends before its widgets do
        runner.drop_owned(key)
