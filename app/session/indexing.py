"""Indexing runs in a process of its own, the same code as `clew index`, and tells its news over a pipe.

The window stays fluid, a crash there harms nobody, and killing it loses at most the batch in flight.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import time
from collections import deque
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, QProcess, QProcessEnvironment, QTimer, Signal

from app.look.translation import tr
from core.progress import NodeShare, Progress
from core.types import Changed, Growth, Status

TURN = 0.006  # seconds of parsing in one turn of the event loop
STDERR_LINES = 40  # kept for the report of a crash
GRACE_MS = 3000  # a cancelled process may end its batch this long before it is killed


class IndexingState(StrEnum):
    """Where the indexing process stands."""

    IDLE = "idle"
    RUNNING = "running"
    PAUSED = "paused"
    STOPPING = "stopping"


class Indexing(QObject):
    """The indexing process. One folder at a time.

    Signals: changed(IndexingState); progress(Progress); growth(Growth); document(dict with id, path,
    state, reason, remedy); workspace_changed(Changed) before it ends, where that is little; finished(Status);
    cancelled(str); failed(message, remedy); crashed(message, last lines of its error output); ended() when the process
    is gone after any of these.
    """

    changed = Signal(object)
    progress = Signal(object)
    growth = Signal(object)
    document = Signal(object)
    workspace_changed = Signal(object)
    finished = Signal(object)
    cancelled = Signal(str)
    failed = Signal(str, str)
    crashed = Signal(str, str)
    ended = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.state = IndexingState.IDLE
        self.folder: Path | None = None
        self.workspace: Path | None = None
        self.quiet = False  # nobody waits for its end: it was started by the watched folder
        self._process: QProcess | None = None
        self._leaving: dict[QProcess, Path] = {}  # stopped, but not gone yet, with their workspaces
        self._next: list[str] = []  # the command line that waits until nobody else writes
        self._partial = b""
        self._lines: deque[bytes] = deque()
        self._errors: deque[str] = deque(maxlen=STDERR_LINES)
        self._ended = False  # the process has told its last event
        self._exit: tuple[int, bool] | None = None  # exit code and whether it crashed
        self._sweep = QTimer(self, interval=0, singleShot=True)  # not within the signal of what goes
        self._sweep.timeout.connect(self._forget_gone)
        self._turn = QTimer(self)
        self._turn.setSingleShot(True)
        self._turn.setInterval(0)
        self._turn.timeout.connect(self._parse_some)

    @property
    def running(self) -> bool:
        return self.state is not IndexingState.IDLE

    @property
    def alive(self) -> bool:
        """Return whether the process exists, even if it has sent its last event already."""
        return self._process is not None or bool(self._next)

    def start(self, folder: Path, workspace: Path, quiet: bool = False, how: Sequence[str] = ()) -> None:
        """Index `folder` into `workspace`. One that runs already is stopped first, and waited for without a stop.

        `how` holds further options of the command: "--extractor", "mixed:MODEL".
        """
        self.stop()
        self.folder, self.workspace, self.quiet = folder, workspace, quiet
        self._partial, self._ended, self._exit = b"", False, None
        self._lines.clear()
        self._errors.clear()
        self._next = command(folder, workspace, how)
        self._set(IndexingState.RUNNING)
        self._begin()

    def _begin(self) -> None:
        """Start the waiting run, unless another process still writes to the same workspace."""
        if not self._next or self.workspace in self._leaving.values():
            return
        (program, *arguments), self._next = self._next, []
        process = QProcess(self)
        process.setProcessEnvironment(environment())
        process.readyReadStandardOutput.connect(self._read)
        process.readyReadStandardError.connect(self._read_errors)
        process.finished.connect(self._on_finished)
        process.errorOccurred.connect(self._on_error)
        self._process = process
        process.start(program, arguments)
        if self.state is IndexingState.PAUSED:
            self._say("pause")

    def pause(self) -> None:
        if self.state is IndexingState.RUNNING:
            self._say("pause")
            self._set(IndexingState.PAUSED)

    def resume(self) -> None:
        if self.state is IndexingState.PAUSED:
            self._say("resume")
            self._set(IndexingState.RUNNING)

    def cancel(self) -> None:
        """Ask the process to stop after its batch; what is committed stays."""
        if self.state in (IndexingState.RUNNING, IndexingState.PAUSED):
            self._say("cancel")
            self._set(IndexingState.STOPPING)
            if self._next:
                self._next = []
                self._conclude()

    def stop(self) -> None:
        """Cancel the run, and kill it after a while. Neither emits anything later nor blocks; see `close`."""
        self._next = []
        process, self._process = self._process, None
        if process is not None and self.workspace is not None:
            for signal, slot in (
                (process.readyReadStandardOutput, self._read),
                (process.readyReadStandardError, self._read_errors),
                (process.finished, self._on_finished),
                (process.errorOccurred, self._on_error),
            ):
                signal.disconnect(slot)
            self._leaving[process] = self.workspace
            process.finished.connect(self._on_leaving)
            process.errorOccurred.connect(self._on_leaving)
            process.write(b"cancel\n")
            patience = QTimer(process, interval=GRACE_MS, singleShot=True)
            patience.timeout.connect(process.kill)
            patience.start()
        self._lines.clear()
        self._set(IndexingState.IDLE)

    def _on_leaving(self) -> None:
        self._sweep.start()

    def _forget_gone(self) -> None:
        for process in [each for each in self._leaving if each.state() is QProcess.ProcessState.NotRunning]:
            del self._leaving[process]
            process.deleteLater()
        self._begin()

    def close(self) -> None:
        """Stop the run, and block until every process is gone: for the end of the program."""
        self.stop()
        for process in list(self._leaving):
            if not process.waitForFinished(GRACE_MS):
                process.kill()
                process.waitForFinished(GRACE_MS)
        self._forget_gone()

    def _say(self, word: str) -> None:
        if self._process is not None:
            self._process.write(word.encode() + b"\n")

    def _set(self, state: IndexingState) -> None:
        if state is not self.state:
            self.state = state
            self.changed.emit(state)

    def _read(self) -> None:
        if self._process is None:
            return
        *lines, self._partial = (self._partial + bytes(self._process.readAllStandardOutput().data())).split(
            b"\n"
        )
        self._lines.extend(lines)
        if self._lines and not self._turn.isActive():
            self._turn.start()

    def _read_errors(self) -> None:
        if self._process is not None:
            text = bytes(self._process.readAllStandardError().data()).decode("utf-8", "replace")
            self._errors.extend(line for line in text.splitlines() if line.strip())

    def _parse_some(self) -> None:
        """Parse lines for a few milliseconds, then let the window breathe."""
        end = time.perf_counter() + TURN
        while self._lines and time.perf_counter() < end:
            self._handle_line(self._lines.popleft())
        if self._lines:
            self._turn.start()
        elif self._exit is not None:
            self._conclude()

    def _handle_line(self, line: bytes) -> None:
        event = parse(line)
        kind = event.get("event")
        if kind == "progress":
            self.progress.emit(progress_of(event))
        elif kind == "growth":
            self.growth.emit(growth_of(event))
        elif kind == "document":
            self.document.emit(event)
        elif kind == "changed":
            self.workspace_changed.emit(changed_of(event))
        elif kind == "finished":
            self._end()
            self.finished.emit(Status(**event["status"]))
        elif kind == "cancelled":
            self._end()
            self.cancelled.emit(event.get("message", ""))
        elif kind == "failed":
            self._end()
            self.failed.emit(event.get("message", ""), event.get("remedy", ""))
        elif line.strip():
            self._errors.append(line.decode("utf-8", "replace"))

    def _end(self) -> None:
        self._ended = True
        self._set(IndexingState.IDLE)

    def _on_error(self, error: QProcess.ProcessError) -> None:
        if error is QProcess.ProcessError.FailedToStart:
            self._exit = (-1, True)
            self._conclude()

    def _on_finished(self, code: int, status: QProcess.ExitStatus) -> None:
        self._read()
        self._read_errors()
        self._exit = (code, status is QProcess.ExitStatus.CrashExit)
        if not self._turn.isActive():
            self._turn.start()

    def _conclude(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.deleteLater()
        code, killed = self._exit or (0, False)
        self._exit = None
        if not self._ended:
            stopping = self.state is IndexingState.STOPPING
            self._end()
            if stopping:
                self.cancelled.emit("")
            else:
                words = (
                    tr("Indexing stopped unexpectedly (signal {code}).", code=str(code))
                    if killed and code > 0
                    else tr("Indexing stopped unexpectedly (exit code {code}).", code=str(code))
                )
                self.crashed.emit(words, "\n".join(self._errors))
        self.ended.emit()


def command(folder: Path, workspace: Path, how: Sequence[str] = ()) -> list[str]:
    """Return the command line of the indexing process, with a lower priority where the system allows it."""
    run = [sys.executable, "-m", "app", "index", str(folder), "--workspace", str(workspace), "--events", *how]
    nice = shutil.which("nice") if os.name == "posix" else None
    return [nice, "-n", "10", *run] if nice else run


def environment() -> QProcessEnvironment:
    """Return our environment, so that the process finds the same code and writes UTF-8 unbuffered."""
    environment = QProcessEnvironment.systemEnvironment()
    home = str(Path(__file__).resolve().parents[2])
    known = environment.value("PYTHONPATH", "")
    environment.insert("PYTHONPATH", os.pathsep.join(part for part in (home, known) if part))
    environment.insert("PYTHONUTF8", "1")
    environment.insert("PYTHONUNBUFFERED", "1")
    return environment


def parse(line: bytes) -> dict[str, Any]:
    """Return one event, or {} where the line is none (a library printed something)."""
    try:
        event = json.loads(line)
    except ValueError:
        return {}
    return event if isinstance(event, dict) else {}


def progress_of(event: dict[str, Any]) -> Progress:
    """Return the Progress record of a progress event."""
    return Progress(
        event.get("stage", ""),
        event.get("done", 0),
        event.get("total", 0),
        event.get("detail", ""),
        tuple(NodeShare(share["node"], share["done"]) for share in event.get("nodes", ())),
    )


def changed_of(event: dict[str, Any]) -> Changed:
    """Return the Changed record of a changed event."""
    return Changed(
        documents=frozenset(event["documents"]),
        entities=frozenset(event["entities"]),
        names=frozenset(event["names"]),
        facts=frozenset(event["facts"]),
        communities=frozenset(event["communities"]),
        reports=frozenset(event["reports"]),
    )


def growth_of(event: dict[str, Any]) -> Growth:
    """Return the Growth record of a growth event."""
    return Growth(
        nodes=tuple((n[0], n[1], n[2]) for n in event.get("nodes", ())),
        edges=tuple((e[0], e[1]) for e in event.get("edges", ())),
        documents=event.get("documents", 0),
        passages=event.get("passages", 0),
        entities=event.get("entities", 0),
        facts=event.get("facts", 0),
        reading=event.get("reading", ""),
        communities=event.get("communities", {}),
    )
