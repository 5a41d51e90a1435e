"""A workspace of its own for every test, opened in the module's window."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.session import operations
from app.shell.main_window import MainWindow
from app.shell.workbench import Workbench
from core.workspace import Workspace


@pytest.fixture
def papers(workspace_path: Path, small_folder: Path, tmp_path: Path) -> Path:
    """A copy of the small folder that may be changed, and that the copied workspace takes for its own."""
    folder = Path(shutil.copytree(small_folder, tmp_path / "papers"))
    opened = Workspace.open(workspace_path)
    opened._store.settings.set("folder", str(folder))
    opened.close()
    return folder


def open_in(qtbot: QtBot, window: MainWindow, path: Path, documents: int) -> Workbench:
    """Open a workspace of so many documents in a window."""
    session = window.session
    operations.open_workspace(session, path)
    qtbot.waitUntil(lambda: session.workspace is not None and session.workspace.path == path, timeout=20_000)
    workbench = window.workbench
    assert workbench is not None
    qtbot.waitUntil(lambda: workbench.library.model.total == documents, timeout=20_000)
    window.activateWindow()
    return workbench


@pytest.fixture
def bench(qtbot: QtBot, window: MainWindow, papers: Path, workspace_path: Path) -> Workbench:
    """The workbench on a copy of the small workspace."""
    return open_in(qtbot, window, workspace_path, documents=4)
