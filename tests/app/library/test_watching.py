"""The watched folder in the real window: real files, real runs, one at a time, none by itself after a stop."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QProcess, Qt
from pytestqt.qtbot import QtBot

from app.library.watching import Mode, Watching
from app.session import operations
from app.session.indexing import IndexingState
from app.session.preferences import Preferences
from app.session.session import Session
from app.shell.main_window import MainWindow
from core.config import WatchConfig
from core.types import Changed, GraphView
from core.workspace import Workspace
from tests.app.one_window import ONE_WINDOW
from tests.conftest import copied

pytestmark = [pytest.mark.long, pytest.mark.usefixtures("forked_runs")]

LEFT, SHIFT = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.ShiftModifier
QUICK = WatchConfig(quiet=0.2, stable=0.1, poll=0.2)
LONG = 5_000  # ms
CUT = b"%PDF-1.7 cut off"  # listed with its reason, at once: no model is loaded for it


preferences, session, window, calm = ONE_WINDOW


@pytest.fixture(scope="module")
def place(indexed: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return copied(indexed, tmp_path_factory.mktemp("watched") / "workspace")


@pytest.fixture(scope="module")
def papers(place: Path, small_folder: Path) -> Path:
    """The folder of the module's workspace: what a test changes in it stays for the next one."""
    folder = Path(shutil.copytree(small_folder, place.parent / "papers"))
    with Workspace.open(place) as workspace:
        workspace._store.settings.set("folder", str(folder))
    return folder


@pytest.fixture
def watching(qtbot: QtBot, window: MainWindow, session: Session, papers: Path, place: Path) -> Watching:
    """The window on the workspace, watching, with nothing to be read."""
    if session.workspace is None or session.workspace.path != place:
        open_and_wait(qtbot, session, place)
    if window.watching.mode is not Mode.WATCHING:
        window.watching.set_wanted(True)
        qtbot.waitUntil(lambda: window.watching.mode is Mode.INDEXING, timeout=LONG)
    rest(qtbot, session, window.watching)
    return window.watching


def open_and_wait(qtbot: QtBot, session: Session, path: Path) -> None:
    operations.open_workspace(session, path)
    qtbot.waitUntil(lambda: session.workspace is not None and session.workspace.path == path, timeout=20_000)
    assert session.workspace is not None
    session.workspace.config = replace(session.workspace.config, watch=QUICK)


def rest(qtbot: QtBot, session: Session, watching: Watching) -> None:
    """Wait until a run is over and nothing waits; a run that failed would have paused it."""

    def rests() -> bool:
        assert watching.mode is not Mode.PAUSED
        return watching.mode is Mode.WATCHING and not session.indexing.alive

    qtbot.waitUntil(rests, timeout=LONG)


def paths(session: Session) -> list[str]:
    assert session.workspace is not None
    return [document.path for document in session.workspace.documents.all()]


@pytest.fixture
def modes(window: MainWindow) -> Iterator[list[Mode]]:
    """Every mode that was shown, once in a row."""
    found: list[Mode] = []

    def note() -> None:
        if not found or found[-1] is not window.watching.mode:
            found.append(window.watching.mode)

    window.watching.changed.connect(note)
    yield found
    window.watching.changed.disconnect(note)


@pytest.fixture
def noticed(window: MainWindow) -> Iterator[set[str]]:
    """The files of all changes so far."""
    files: set[str] = set()

    def note() -> None:
        if (news := window.watching.news) is not None:
            files.update(news.changes.added, (now for _, now in news.changes.renamed))

    window.watching.changed.connect(note)
    yield files
    window.watching.changed.disconnect(note)


def test_a_new_file_is_in_every_panel_without_a_press(
    qtbot: QtBot,
    window: MainWindow,
    session: Session,
    watching: Watching,
    papers: Path,
    modes: list[Mode],
) -> None:
    workbench, workspace, changes = window.workbench, session.workspace, list[Changed]()
    assert workbench is not None and workspace is not None
    qtbot.waitUntil(lambda: len(workbench.communities.model.communities) > 0)
    modes.clear()
    session.changes.published.connect(changes.append)
    (papers / "late.txt").write_text(
        "Ida Holm audited Brandvold Lines in 2022. Ida Holm met Tor Strand.", encoding="utf-8"
    )
    qtbot.waitUntil(lambda: Mode.INDEXING in modes, timeout=LONG)
    qtbot.waitUntil(lambda: any(each.facts for each in changes), timeout=LONG)
    rest(qtbot, session, watching)
    assert modes == [Mode.SETTLING, Mode.INDEXING, Mode.WATCHING]
    assert not any(each.everything for each in changes), "panels are patched"
    assert "late.txt" in paths(session) and not window.messages.isVisible()
    qtbot.waitUntil(lambda: workbench.library.model.total == 5, timeout=10_000)

    def edges(view: GraphView) -> set[tuple[frozenset[str], float]]:
        ends = view.edges.tolist()
        pairs = (frozenset((view.names[one], view.names[other])) for one, other in ends)
        return set(zip(pairs, view.weights.round(3).tolist(), strict=True))

    def patched() -> bool:
        base, now = workbench.graph.shaping.base, workspace.graph.view()
        return base is not None and edges(base.view) == edges(now) and set(base.view.ids) == set(now.ids)

    qtbot.waitUntil(patched, timeout=10_000)
    assert "Ida Holm" in workspace.graph.view().names
    homes = {each.id: set(each.entity_ids) for each in workspace.graph.communities()}
    qtbot.waitUntil(
        lambda: {one.id: set(one.entity_ids) for one in workbench.communities.model.communities} == homes
    )


def test_changes_during_a_run_lead_to_another_one(
    qtbot: QtBot, session: Session, watching: Watching, noticed: set[str], papers: Path
) -> None:
    runs: list[IndexingState] = []
    session.indexing_changed.connect(runs.append)
    (papers / "one.pdf").write_bytes(CUT)
    qtbot.waitUntil(lambda: session.indexing.running, timeout=LONG)
    session.indexing.pause()
    (papers / "two.pdf").write_bytes(CUT)
    qtbot.waitUntil(lambda: "two.pdf" in noticed, timeout=LONG)
    assert watching.mode is Mode.PAUSED and runs == [IndexingState.RUNNING, IndexingState.PAUSED]
    session.indexing.resume()
    qtbot.waitUntil(lambda: runs.count(IndexingState.IDLE) == 2, timeout=LONG)
    rest(qtbot, session, watching)
    assert {"one.pdf", "two.pdf"} <= set(paths(session))


def test_a_run_that_is_stopped_by_hand_pauses_watching_until_a_press(
    qtbot: QtBot, window: MainWindow, session: Session, watching: Watching, noticed: set[str], papers: Path
) -> None:
    (papers / "three.pdf").write_bytes(CUT)
    qtbot.waitUntil(lambda: session.indexing.running, timeout=LONG)
    session.indexing.pause()  # it must not be done before it is stopped
    with qtbot.waitSignal(session.indexing.ended, timeout=LONG):
        qtbot.mouseClick(window.status.cancel, LEFT)
    assert watching.mode is Mode.PAUSED
    (papers / "charter.txt").rename(papers / "contract.txt")
    with qtbot.assertNotEmitted(session.indexing_changed):
        qtbot.waitUntil(lambda: "contract.txt" in noticed, timeout=LONG)
    qtbot.mouseClick(window.status.watch, LEFT)
    assert watching.batch is not None and any("contract.txt" in name for name in watching.batch.names())
    rest(qtbot, session, watching)
    assert {"three.pdf", "contract.txt"} <= set(paths(session)) and "charter.txt" not in paths(session)


def test_a_press_pauses_and_another_goes_on(
    qtbot: QtBot, window: MainWindow, session: Session, watching: Watching, noticed: set[str], papers: Path
) -> None:
    qtbot.mouseClick(window.status.watch, LEFT)
    assert watching.mode is Mode.PAUSED
    (papers / "four.pdf").write_bytes(CUT)
    qtbot.waitUntil(lambda: "four.pdf" in noticed, timeout=LONG)
    assert not session.indexing.running
    qtbot.mouseClick(window.status.watch, LEFT)
    assert watching.mode is Mode.INDEXING
    rest(qtbot, session, watching)
    assert "four.pdf" in paths(session)


def test_nothing_is_forgotten_while_the_folder_is_away(
    qtbot: QtBot, session: Session, watching: Watching, papers: Path
) -> None:
    before = paths(session)
    away = papers.with_name("away")
    papers.rename(away)
    qtbot.waitUntil(lambda: watching.mode is Mode.MISSING, timeout=LONG)
    assert paths(session) == before
    papers.mkdir()
    qtbot.waitUntil(lambda: watching.mode is Mode.EMPTY, timeout=LONG)
    assert paths(session) == before
    papers.rmdir()
    away.rename(papers)
    qtbot.waitUntil(lambda: watching.mode is Mode.INDEXING, timeout=LONG)
    rest(qtbot, session, watching)
    assert paths(session) == before


def test_a_run_that_fails_is_not_tried_again_by_itself(
    qtbot: QtBot, session: Session, watching: Watching, papers: Path, forked_runs: pytest.MonkeyPatch
) -> None:
    forked_runs.undo()
    (papers / "five.pdf").write_bytes(CUT)
    qtbot.waitUntil(lambda: session.indexing.running, timeout=LONG)
    process = session.indexing.findChild(QProcess)
    assert isinstance(process, QProcess)
    with qtbot.waitSignal(session.indexing.crashed, timeout=LONG):
        process.kill()
    assert watching.mode is Mode.PAUSED
    operations.index_again(session)  # by hand: then it goes on
    rest(qtbot, session, watching)
    assert "five.pdf" in paths(session)


def test_the_switch_is_in_the_menu_and_is_remembered(
    qtbot: QtBot, window: MainWindow, session: Session, watching: Watching, place: Path, papers: Path
) -> None:
    operations.close_workspace(session)
    assert watching.mode is Mode.OFF and not window.status.watch.isVisible()
    (papers / "register.txt").unlink()
    open_and_wait(qtbot, session, place)  # on opening, one run brings it up to date
    assert watching.wanted
    qtbot.waitUntil(lambda: "register.txt" not in paths(session), timeout=LONG)
    rest(qtbot, session, watching)
    window.activateWindow()
    qtbot.keyClick(window, Qt.Key.Key_F5, SHIFT)
    assert watching.mode is Mode.OFF and not watching.wanted and not session.tasks.busy("watch")
    qtbot.keyClick(window, Qt.Key.Key_F5, SHIFT)
    assert watching.wanted


@pytest.mark.usefixtures("closed_again")
def test_a_workspace_that_may_only_be_read_is_not_watched(
    qtbot: QtBot, window: MainWindow, session: Session, preferences: Preferences, workspace_path: Path
) -> None:
    preferences.set_watched(workspace_path, True)
    with Workspace.open(workspace_path, exclusive=True):
        open_and_wait(qtbot, session, workspace_path)
        assert window.watching.mode is Mode.OFF and not window.status.watch.isVisible()
        assert not session.tasks.busy("watch")
