"""A workspace of 10,000 entities opens without holding the window."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.session import operations
from app.session.session import Session
from app.shell.main_window import MainWindow
from core.ingest.derive import _place
from core.progress import TaskContext
from core.research.synthetic import workspace as generated
from core.store.settings import MINILM
from core.workspace.trust import begin_making, end_making
from tests.app.watchdog import LARGE_LIMIT, Watchdog
from tests.conftest import copied

pytestmark = pytest.mark.long
ENTITIES = 10_000


@pytest.fixture
def large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(generated, "MODEL", MINILM.model)
    monkeypatch.setattr(generated, "EDGES_AN_ENTITY", 1)
    place = tmp_path / "made"
    place.mkdir()
    begin_making(place)
    store = generated.generate_workspace(place, ENTITIES, TaskContext())
    with store.database.transaction():
        _place(store, TaskContext())
        store.marks.clear()
    end_making(place, store.settings)
    store.close()
    return copied(place, tmp_path / "workspace")


def test_it_opens_without_holding_the_window(
    qtbot: QtBot, window: MainWindow, session: Session, large: Path, watchdog: Watchdog
) -> None:
    watchdog.limit = LARGE_LIMIT
    operations.open_workspace(session, large)
    qtbot.waitUntil(lambda: session.workspace is not None and window.workbench is not None)
    workbench = window.workbench
    assert workbench is not None
    qtbot.waitUntil(lambda: workbench.graph.canvas.node_count > 0)
    qtbot.waitUntil(lambda: len(workbench.communities.model.communities) > 0)
    assert session.workspace is not None and session.workspace.counts().entities == ENTITIES
