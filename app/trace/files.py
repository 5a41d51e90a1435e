"""Where traces are kept and opened: the dialogs, and what a file is called."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QWidget

from app.look.counting import calendar_day
from app.look.translation import tr
from core.types import SavedTrace


def choose_open(parent: QWidget, title: str, act: Callable[[Path], None]) -> None:
    """Ask for a trace that was kept."""
    _dialog(parent, title, act).setFileMode(QFileDialog.FileMode.ExistingFile)


def choose_save(parent: QWidget, question: str, act: Callable[[Path], None]) -> None:
    """Ask where to keep a trace; the file is called after its question at first."""
    dialog = _dialog(parent, tr("Save the trace"), act)
    dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    dialog.setDefaultSuffix("json")
    dialog.selectFile(file_name(question))


def file_name(question: str) -> str:
    """`Who owned the ship.json`: letters, digits and blanks of the question, as many as file systems like."""
    words = " ".join(re.sub(r"[^\w\s-]", " ", question).split())[:60].strip()
    return f"{words or 'trace'}.json"


def opened_words(saved: SavedTrace, source: Path) -> str:
    """`Opened from trace.json, kept on 3 May 2026.`, and what this Clew does not know of it."""
    try:
        day = calendar_day(datetime.fromisoformat(saved.made).astimezone())
        words = tr("Opened from {file}, kept on {day}.", file=source.name, day=day)
    except (ValueError, OverflowError, OSError):
        words = tr("Opened from {file}, kept nobody knows when.", file=source.name)
    if saved.version < 2:
        words = tr("{words} An older Clew wrote it: its stages say no more than a sentence.", words=words)
    if saved.ignored:
        left = tr(", ").join(saved.ignored[:5])
        words = tr("{words} A newer Clew wrote it; not shown: {left}.", words=words, left=left)
    return words


def _dialog(parent: QWidget, title: str, act: Callable[[Path], None]) -> QFileDialog:
    dialog = QFileDialog(parent, title, str(Path.home()), tr("Traces (*.json)"))
    dialog.fileSelected.connect(lambda chosen: act(Path(chosen)))
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.open()
    return dialog
