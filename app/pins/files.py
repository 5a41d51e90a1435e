"""Pinned questions as files, for other workspaces of the same documents."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QWidget

from app.look.translation import tr, trn
from app.session.session import Level, Message, Session
from core.progress import TaskContext
from core.types import Pin


def choose_import(session: Session, parent: QWidget) -> None:
    """Ask for a file, and pin the questions in it."""
    _dialog(parent, tr("Import pinned questions"), partial(_import, session))


def choose_export(session: Session, parent: QWidget) -> None:
    """Ask for a file, and write all pinned questions into it, whatever was there."""
    dialog = _dialog(parent, tr("Export pinned questions"), partial(_export, session))
    dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    dialog.setDefaultSuffix("jsonl")


def _dialog(parent: QWidget, title: str, act: Callable[[Path], None]) -> QFileDialog:
    dialog = QFileDialog(parent, title, str(Path.home()), tr("Pinned questions (*.jsonl)"))
    dialog.setFileMode(QFileDialog.FileMode.AnyFile)
    dialog.fileSelected.connect(lambda chosen: act(Path(chosen)))
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.open()
    return dialog


def _import(session: Session, source: Path) -> None:
    workspace = session.workspace
    if workspace is None:
        return

    def work(_: TaskContext) -> tuple[list[Pin], int, int]:
        return workspace.pins.all(), *workspace.pins.import_pins(source)

    def undo(before: list[Pin]) -> None:
        session.tasks.start("pin", lambda _: workspace.pins.replace(before), lambda _: session.pinned.emit())

    def done(found: tuple[list[Pin], int, int]) -> None:
        before, count, lost = found
        session.pinned.emit()
        words = trn("{count} question pinned.", "{count} questions pinned.", count)
        remedy = trn(
            "{count} of the quotes stands in no document.",
            "{count} of the quotes stand in no document.",
            lost,
        )
        level: Level = "warning" if lost else "success"
        session.told.emit(Message(words, level, remedy if lost else "", tr("Undo"), partial(undo, before)))

    session.tasks.start("pin", work, done)


def _export(session: Session, target: Path) -> None:
    workspace = session.workspace
    if workspace is None:
        return

    def done(count: int) -> None:
        words = trn(
            "{count} question written to {path}.", "{count} questions written to {path}.", count, path=target
        )
        session.tell(words, "success")

    session.tasks.start("export pins", lambda _: workspace.pins.export_pins(target, replace=True), done)
