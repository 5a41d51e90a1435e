"""Traces as files: saved, opened, copied and compared, with the dialogs that ask for a place."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog, QWidget

from app.explain.tab import Subject
from app.look.counting import calendar_day
from app.look.translation import tr
from app.session.privacy import saved_words
from app.session.session import Session
from app.widgets.fields import choose_file
from core.progress import TaskContext
from core.types import SavedTrace, TraceComparison

if TYPE_CHECKING:
    from core.workspace import Workspace

KINDS = tr("Traces (*.json)")


class TraceFiles(QObject):
    """Signals: opened(SavedTrace, Path), compared(TraceComparison)."""

    opened = Signal(object, object)
    compared = Signal(object)

    def __init__(self, session: Session, parent: QObject) -> None:
        super().__init__(parent)
        self._session, self._tasks = session, session.tasks.owned_by(self)

    def forget(self) -> None:
        """Open nothing that is on its way."""
        self._tasks.drop("file")

    def copy(self, subject: Subject) -> None:
        """Put a trace on the clipboard as JSON."""

        def done(text: str) -> None:
            QGuiApplication.clipboard().setText(text)
            self._session.notify(tr("Trace copied as JSON."), "success")

        if (workspace := self._session.workspace) is not None:
            self._tasks.start(
                "copy", lambda _: workspace.traces.as_json(saved_trace(workspace, subject)), done
            )

    def save(self, subject: Subject, target: Path) -> None:
        """Write a trace, whatever was there: the person has chosen it."""

        workspace = self._session.workspace
        if workspace is None:
            return

        def work(context: TaskContext) -> bool:
            record = saved_trace(workspace, subject)
            return workspace.write_trace(record, target, context, True) is record

        def done(same: bool) -> None:
            self._session.notify(saved_words(tr("Trace saved in {path}.", path=target), same), "success")

        self._tasks.start("file", work, done)

    def open(self, source: Path) -> None:
        """Read the trace of a file; a file that is none is refused in words."""
        if (workspace := self._session.workspace) is not None:
            done = partial(self._on_opened, source)
            self._tasks.start("file", lambda _: workspace.traces.opened(source), done)

    def _on_opened(self, source: Path, found: SavedTrace) -> None:
        self.opened.emit(found, source)

    def compare(self, before: Subject | Path, after: Subject) -> None:
        """Set a trace beside an earlier one, or one from a file."""
        workspace = self._session.workspace
        if workspace is None:
            return

        def work(_: TaskContext) -> TraceComparison:
            other = (
                workspace.traces.opened(before)
                if isinstance(before, Path)
                else saved_trace(workspace, before)
            )
            return workspace.traces.compare(other, saved_trace(workspace, after))

        self._tasks.start("file", work, self.compared.emit)


def saved_trace(workspace: Workspace, subject: Subject) -> SavedTrace:
    """Return the trace as it is written to a file, its passages named; not on the window's thread."""
    if subject.saved is not None:
        return subject.saved
    assert subject.answer is not None
    return workspace.traces.of(subject.answer)


def choose_open(parent: QWidget, title: str, act: Callable[[Path], None]) -> None:
    """Ask for a trace that was saved."""
    choose_file(parent, title, KINDS, act).setFileMode(QFileDialog.FileMode.ExistingFile)


def choose_save(parent: QWidget, question: str, act: Callable[[Path], None]) -> None:
    """Ask where to save a trace; the file is called after its question at first."""
    choose_file(parent, tr("Save the trace"), KINDS, act, "json").selectFile(file_name(question))


def file_name(question: str) -> str:
    """`Who owned the ship.json`: letters, digits and blanks of the question, as many as file systems like."""
    words = " ".join(re.sub(r"[^\w\s-]", " ", question).split())[:60].strip()
    return f"{words or 'trace'}.json"


def opened_words(saved: SavedTrace, source: Path) -> str:
    """`Opened from trace.json, kept on 3 May 2026.`, and what this Clew does not know of it."""
    try:
        day = calendar_day(datetime.fromisoformat(saved.created).astimezone())
        words = tr("Opened from {file}, kept on {day}.", file=source.name, day=day)
    except (ValueError, OverflowError, OSError):
        words = tr("Opened from {file}, kept nobody knows when.", file=source.name)
    if saved.version < 2:
        words = tr("{words} An older Clew wrote it: its stages say no more than a sentence.", words=words)
    if saved.ignored:
        left = tr(", ").join(saved.ignored[:5])
        words = tr("{words} A newer Clew wrote it; not shown: {left}.", words=words, left=left)
    return words
