"""The window is tested for real, without a screen, on a small folder that was really indexed."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.communities.panel import CommunitiesPanel
from app.look import theme
from app.look.motion import set_motion
from app.session import operations
from app.session.indexing import command
from app.session.preferences import Preferences
from app.session.session import Session
from app.shell.main_window import MainWindow
from app.shell.workbench import Workbench
from core.answering.models import Models
from core.errors import WorkspaceError
from core.types import CommunityQuality, CommunityReport
from core.workspace import Workspace
from core.workspace.graph import GraphApi, ReportsApi
from tests.app.communities.community_data import DATA, report_of
from tests.app.panel_case import Case, open_workspace
from tests.app.watchdog import Watchdog, watching
from tests.conftest import copied, indexed_once, made_once, written
from tests.waiting import wait_until_landed

HOME = Path(__file__).resolve().parents[2]
TEXTS = {
    "charter.txt": "The Grey Petrel is a ship of Brandvold Lines. Calder Reach Trading chartered the Grey Petrel in "
    "March 2021. Tobias Renwick signed the charter for Calder Reach Trading in Antwerp.",
    "register.txt": "Calder Reach Trading is owned by Oriel Nominees. Oriel Nominees was founded by Tobias Renwick "
    "in Douglas in 2016. Philippe Lorang is a director of Oriel Nominees.",
    "letter.md": "# Letter of the surveyor\n\nLucian Dragomir commanded the Grey Petrel. Lucian Dragomir met "
    "Philippe Lorang in Antwerp. Brandvold Lines dismissed Lucian Dragomir in July 2021.",
    "broken.pdf": "",
}


@pytest.fixture(scope="session")
def small_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three texts and one file that cannot be read."""
    return made_once(tmp_path_factory, "small", lambda place: written(place / "papers", TEXTS))


@pytest.fixture(scope="session")
def indexed(small_folder: Path, models: Models, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace of the small folder, closed. For reading only."""
    return indexed_once(tmp_path_factory, "indexed", models, lambda _: small_folder)


@pytest.fixture
def workspace_path(indexed: Path, tmp_path: Path) -> Path:
    """A copy of the indexed workspace for one test."""
    return copied(indexed, tmp_path / "workspace")


@pytest.fixture(autouse=True)
def dressed_app(qapp: QApplication) -> Iterator[None]:
    """The light theme, with motion off so that every act has its effect at once."""
    set_motion(False)
    if (theme.mode(), theme.text_size()) != (
        "light",
        100,
    ) or not qapp.styleSheet():  # it styles every widget there is
        theme.apply(qapp, "light", 100)
    yield
    set_motion(None)


@pytest.fixture(autouse=True)
def watchdog(qapp: object) -> Iterator[Watchdog]:
    """Fails each test in which the window's thread was held."""
    with watching() as made:
        yield made


@pytest.fixture
def session(qtbot: QtBot, dressed_app: None) -> Iterator[Session]:
    """A session without a workspace; its threads end with the test."""
    made = Session()
    yield made
    end(made)


def end(session: Session) -> None:
    """Let a session go: until Qt deletes it what is connected holds it, and with it whatever it showed."""
    session.close()
    session.deleteLater()
    gc.unfreeze()  # what was set aside is garbage from now on


@pytest.fixture
def open_session(session: Session, workspace_path: Path) -> Session:
    """A session; tests make their panel and then call `open_now`."""
    session.setProperty("place", str(workspace_path))
    return session


def open_now(session: Session) -> Workspace:
    """Open the fixture's workspace in its session, as the window does."""
    workspace = Workspace.open(Path(session.property("place")))
    session.set_workspace(workspace)
    return workspace


@pytest.fixture(scope="session")
def forks(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Where `tests/forks.py` serves."""
    place = tmp_path_factory.mktemp("forks") / "socket"
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONUNBUFFERED": "1", "PYTHONUTF8": "1"}
    serve = [sys.executable, "-m", "tests.forks", str(place)]
    with subprocess.Popen(
        serve, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=HOME, env=environment
    ) as server:
        assert server.stdout is not None and server.stdout.readline() == b"ready\n"
        yield place
        server.communicate()


@pytest.fixture
def forked_runs(forks: Path) -> Iterator[pytest.MonkeyPatch]:
    """The window's runs of `clew index` are forks: what it costs to start one is not the point. Undo it to kill one."""
    start = [sys.executable, "-I", "-S", str(HOME / "tests" / "forks.py"), str(forks)]

    def forked(*given: Any) -> list[str]:
        words = command(*given)
        return [*start, *words[words.index("app") + 1 :]]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("app.session.indexing.command", forked)
        yield patch


@pytest.fixture
def preferences(tmp_path: Path) -> Preferences:
    return Preferences(tmp_path / "settings.ini")


@pytest.fixture
def window(qtbot: QtBot, session: Session, preferences: Preferences) -> Iterator[MainWindow]:
    """The whole window on its start page."""
    made = MainWindow(session, preferences)
    qtbot.addWidget(made)
    made.resize(1280, 800)
    made.show()
    qtbot.waitExposed(made)
    yield made
    made.close()


@pytest.fixture
def closed_again(qtbot: QtBot, session: Session) -> Iterator[None]:
    """Close the workspace after the test, and wait for what still runs."""
    yield
    operations.close_workspace(session)
    qtbot.waitUntil(lambda: not session.indexing.alive, timeout=20_000)
    wait_until_landed(session.tasks)


@pytest.fixture
def community_reports(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[int, CommunityReport]]:
    """The workspace has the made communities, and these reports of them; others cannot be read."""
    known = {number: report_of(community) for number, community in DATA.items()}

    def report(_: ReportsApi, id: int) -> CommunityReport:
        if id not in known:
            raise WorkspaceError("The report is damaged.", "Index the folder again.")
        return known[id]

    quality = [CommunityQuality(3, 3, 90, 100, 120, 0.61, 0.9), CommunityQuality(1, 27, 5, 9, 20, 0.4, 0.7)]
    monkeypatch.setattr(GraphApi, "communities", lambda _, level=None: list(DATA.values()))
    monkeypatch.setattr(GraphApi, "at_hand", lambda _: None)
    monkeypatch.setattr(ReportsApi, "get", report)
    monkeypatch.setattr(GraphApi, "community_quality", lambda _: quality)
    yield known


@pytest.fixture
def communities_panel(
    qtbot: QtBot, open_session: Session, community_reports: dict[int, CommunityReport]
) -> CommunitiesPanel:
    """The panel over the made communities."""
    panel = CommunitiesPanel(open_session)
    qtbot.addWidget(panel)
    panel.resize(300, 900)
    panel.show()
    qtbot.waitExposed(panel)
    assert panel.stack.currentWidget() is panel.empty
    open_now(open_session)
    qtbot.waitUntil(lambda: panel.model.rowCount() > 0)
    return panel


@pytest.fixture
def case(tmp_path: Path, qtbot: QtBot) -> Iterator[Case]:
    """A session with the workspace open; the window's threads end with the test."""
    workspace, letter, folder = open_workspace(tmp_path)
    session = Session()
    session.set_workspace(workspace)
    yield Case(workspace, session, workspace.written, letter, folder)
    workspace.gate.set()
    end(session)


@pytest.fixture
def bench(
    qtbot: QtBot,
    window: MainWindow,
    session: Session,
    sample_path: Path,
    tmp_path: Path,
    socket_enabled: None,
) -> Workbench:
    """The workbench on a copy of the part of the sample."""
    operations.open_workspace(session, copied(sample_path, tmp_path / "sample"))
    qtbot.waitUntil(lambda: window.workbench is not None and window.workbench.graph.canvas.node_count > 20)
    assert window.workbench is not None
    return window.workbench
