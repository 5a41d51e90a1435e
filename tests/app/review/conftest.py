"""The reviewer's desk over the small folder, and over a made workspace of many facts."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.review.panel import ReviewPanel
from app.session.session import Session
from core.review.weighing import take_in
from core.workspace import Workspace
from tests.app.conftest import open_now
from tests.app.shell.conftest import bench as bench
from tests.conftest import copied
from tests.data_makers.settled_workspaces import settled_workspace


def displayed(qtbot: QtBot, session: Session) -> ReviewPanel:
    """The panel alone, as a window with keys of its own."""
    panel = ReviewPanel(session)
    qtbot.addWidget(panel)
    session.commands.bind(panel)
    panel.resize(900, 640)
    panel.show()
    qtbot.waitExposed(panel)
    panel.activateWindow()
    panel.queue.list.setFocus()
    return panel


def press(qtbot: QtBot, panel: ReviewPanel, keys: str) -> None:
    """Letters, one after the other; a capital with Shift."""
    for key in keys:
        shift = Qt.KeyboardModifier.ShiftModifier if key.isupper() else Qt.KeyboardModifier.NoModifier
        qtbot.keyClick(panel.queue.list, getattr(Qt.Key, f"Key_{key.upper()}"), shift)


@pytest.fixture
def desk(qtbot: QtBot, open_session: Session) -> ReviewPanel:
    """On the small folder."""
    panel = displayed(qtbot, open_session)
    open_now(open_session)
    qtbot.waitUntil(lambda: panel.queue.model.rowCount() > 0)
    return panel


@pytest.fixture(scope="module")
def many_facts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A closed workspace of 1,500 facts that wait."""
    place = settled_workspace(tmp_path_factory.mktemp("made") / "many", 300)
    workspace = Workspace.open(place, own=True)
    with workspace._store.database.transaction():
        take_in(workspace._store)
    workspace.close()
    return place


@pytest.fixture
def busy_desk(qtbot: QtBot, session: Session, many_facts: Path, tmp_path: Path) -> ReviewPanel:
    """On the made workspace."""
    panel = displayed(qtbot, session)
    session.set_workspace(Workspace.open(copied(many_facts, tmp_path / "many"), own=True))
    qtbot.waitUntil(lambda: panel.queue.model.rowCount() > 0)
    return panel
