"""Commands in processes of their own, which tell their progress as lines of JSON and can be cancelled.

A run of the lab is `clew lab run`, the training of an integrator `clew research train integrator`. What they write lies
in the workspace's folder and stays whatever becomes of the process; a run that was stopped goes on from there.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
from collections import deque
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, QProcess, QTimer, Signal

from app.look.translation import tr
from app.session.indexing import GRACE_MS, STDERR_LINES, environment, parse, progress_of
from core.errors import CoreError
from core.types import IntegratorWish, LabWish, TrainingStep
from core.workspace.integrators import step_of

_APART = 4  # every fourth question is measured on and not learned from


class RunningProcess(QObject):
    """One at a time. Signals: changed() when one began or ended; progress(Progress); failed(CoreError) where it ended
    by itself before all was done."""

    changed = Signal()
    progress = Signal(object)
    failed = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.stopping = False
        self._process: QProcess | None = None
        self._partial = b""
        self._ended = False  # it said itself how it ended
        self._errors: deque[str] = deque(maxlen=STDERR_LINES)

    @property
    def running(self) -> bool:
        return self._process is not None

    def run(self, words: Sequence[str]) -> None:
        """Start a command line. What runs is stopped first."""
        self.close()
        self.stopping = False
        self._partial, self._ended = b"", False
        self._errors.clear()
        program, *arguments = words
        process = self._process = QProcess(self)
        process.setProcessEnvironment(environment())
        process.readyReadStandardOutput.connect(self._read)
        process.readyReadStandardError.connect(self._read_errors)
        process.finished.connect(self._on_finished)
        process.errorOccurred.connect(self._on_error)
        process.start(program, arguments)
        self.changed.emit()

    def cancel(self) -> None:
        """Ask it to stop after the question in hand; kill it when that takes long."""
        process = self._process
        if process is not None and not self.stopping:
            self.stopping = True
            process.write(b"cancel\n")
            patience = QTimer(process, interval=GRACE_MS, singleShot=True)
            patience.timeout.connect(process.kill)
            patience.start()
            self.changed.emit()

    def close(self) -> None:
        """Stop without a word and wait until it is gone: for the end of a workspace."""
        process, self._process = self._process, None
        if process is None:
            return
        process.blockSignals(True)
        process.kill()
        process.waitForFinished(GRACE_MS)
        process.deleteLater()
        self.changed.emit()

    # ------------------------------------------------------------ for those that know what runs

    def _hear(self, event: dict[str, Any]) -> None:
        """An event that is neither progress nor an end."""

    def _unexpected(self, why: str) -> CoreError:
        """Return what is told of one that stopped without saying how."""
        raise NotImplementedError

    # ------------------------------------------------------------ what it says

    def _read(self) -> None:
        if self._process is None:
            return
        output = self._partial + bytes(self._process.readAllStandardOutput().data())
        *lines, self._partial = output.split(b"\n")
        # Of many steps the last one tells where it is.
        events = [event for line in lines if (event := parse(line))]
        steps = [event for event in events if event.get("event") == "progress"]
        if steps:
            self.progress.emit(progress_of(steps[-1]))
        for event in events:
            if event.get("event") in ("finished", "cancelled"):
                self._ended = True
            elif event.get("event") == "failed":
                self._ended = True
                self.failed.emit(CoreError(str(event.get("message", "")), str(event.get("remedy", ""))))
            else:
                self._hear(event)

    def _read_errors(self) -> None:
        if self._process is not None:
            text = bytes(self._process.readAllStandardError().data()).decode("utf-8", "replace")
            self._errors.extend(line for line in text.splitlines() if line.strip())

    def _on_error(self, error: QProcess.ProcessError) -> None:
        if error is QProcess.ProcessError.FailedToStart:
            self._conclude()

    def _on_finished(self, _: int, __: QProcess.ExitStatus) -> None:
        self._read()
        self._read_errors()
        self._conclude()

    def _conclude(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.deleteLater()
        if not self._ended and not self.stopping:
            self.failed.emit(self._unexpected(self._errors[-1] if self._errors else tr("Nothing tells why.")))
        self.changed.emit()


def clew_command(*words: str) -> list[str]:
    """Return the command line of `clew`, at a lower priority where the system knows how."""
    run = [sys.executable, "-m", "app", *words]
    nice = shutil.which("nice") if os.name == "posix" else None
    return [nice, "-n", "10", *run] if nice else run


class LabRunning(RunningProcess):
    """A row that is torn when it ends is taken off when it goes on."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.out: Path | None = None  # where the last run writes

    def start(self, workspace: Path, out: Path, wish: LabWish) -> None:
        """Run what is wished, or go on with it. One that runs is stopped first."""
        self.out = out
        self.run(lab_command(workspace, out, wish))

    def _unexpected(self, why: str) -> CoreError:
        words = tr("The run stopped unexpectedly. Its rows are kept.")
        return CoreError(words, tr("Go on with it. {why}", why=why))


def lab_command(workspace: Path, out: Path, wish: LabWish) -> list[str]:
    """Return the command line of a run."""
    asked = ("--questions", wish.questions, "--limit", str(wish.count))
    chosen = ("--instances", ",".join(wish.compositions), "--out", str(out), "--events")
    return clew_command("lab", "run", str(workspace), *asked, *chosen)


class TrainingRunning(RunningProcess):
    """`steps` are those of the last training. Signal: stepped() when there is another one."""

    stepped = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.out: Path | None = None  # where the last training writes
        self.steps: list[TrainingStep] = []

    def start(self, workspace: Path, out: Path, wish: IntegratorWish) -> None:
        """Train as is wished. What runs is stopped first."""
        self.out, self.steps = out, []
        self.run(training_command(workspace, out, wish))

    def _hear(self, event: dict[str, Any]) -> None:
        if event.get("event") == "step":
            with contextlib.suppress(KeyError, TypeError, ValueError):
                self.steps.append(step_of(event))
                self.stepped.emit()

    def _unexpected(self, why: str) -> CoreError:
        return CoreError(tr("The training stopped unexpectedly."), tr("Begin it again. {why}", why=why))


def training_command(workspace: Path, out: Path, wish: IntegratorWish) -> list[str]:
    """Return the command line of a training."""
    count = str(wish.count)
    asked = ("--questions", wish.questions, "--count", count, "--limit", count)
    how = ("--steps", str(wish.steps), "--apart", str(_APART), *(() if wish.dynamic else ("--static",)))
    return clew_command(
        "research", "train", "integrator", str(workspace), *asked, *how, "--out", str(out), "--events"
    )
