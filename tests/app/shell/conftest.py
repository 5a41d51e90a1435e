"""The window on an indexed workspace."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.session import operations
from app.session.session import Session
from app.shell.main_window import MainWindow
from app.shell.workbench import Workbench


@pytest.fixture
def bench(
    qtbot: QtBot, window: MainWindow, session: Session, workspace_path: Path, socket_enabled: None
) -> Workbench:
    """The workbench, on the indexed workspace. Panels look for a language model server on this machine."""
    operations.open_workspace(session, workspace_path)
    qtbot.waitUntil(lambda: window.workbench is not None and window.workbench.graph.canvas.node_count > 0)
    assert window.workbench is not None
    window.activateWindow()
    return window.workbench
