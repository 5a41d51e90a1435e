"""The graph is exported from the window, in a task of its own."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from app.session import operations
from app.session.session import Session
from app.shell.main_window import MainWindow
from core.workspace.export import FORMATS

pytestmark = pytest.mark.long


def test_by_the_command(qtbot: QtBot, window: MainWindow, workspace_path: Path, tmp_path: Path) -> None:
    session: Session = window.session
    assert session.commands["workspace.export"].why_not()
    operations.open_workspace(session, workspace_path)
    qtbot.waitUntil(lambda: session.workspace is not None)
    session.commands.run("workspace.export")
    dialog = window.findChild(QFileDialog)
    assert dialog is not None
    dialog.fileSelected.emit(str(tmp_path / "graph.graphml"))
    dialog.close()
    qtbot.waitUntil(lambda: "Exported to" in window.messages.text(), timeout=20_000)
    assert (tmp_path / "graph.graphml").stat().st_size > 0
    assert set(operations.EXPORTS) <= set(FORMATS)
