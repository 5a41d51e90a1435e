"""The watched folder in the real window: real files, real runs, one at a time, none by itself after a stop."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.library.watching import Batch, Mode, Watching
from app.session import operations
from app.session.indexing import IndexingState
from app.session.preferences import Preferences
from app.session.session import Session
from app.shell.indexing_news import changes
from app.shell.main_window import MainWindow
from core.config import WatchConfig
from core.types import Changed, Changes, GraphView
from core.workspace import Workspace
from tests.app.one_window import ONE_WINDOW

pytestmark = [pytest.mark.long, pytest.mark.usefixtures("forked_runs", "closed_again")]

LEFT, SHIFT = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.ShiftModifier
QUICK = WatchConfig(quiet=0.2, stable=0.1, poll=0.2)
LONG = 60_000  # ms
CUT = b"%PDF-1.7 cut off"  # listed with its reason, at once: no model is loaded for it


preferences, session, window, calm = ONE_WINDOW


@pytest.fixture
def opened(
    qtbot: QtBot, window: MainWindow, session: Session, papers: Path, workspace_path: Path
) -> Watching:
    """The window on the workspace, not watching yet; it will be quick about it."""
    open_and_wait(qtbot, session, workspace_path)
    return window.watching


def open_and_wait(qtbot: QtBot, session: Session, path: Path) -> None:
    operations.open_workspace(session, path)
    qtbot.waitUntil(lambda: session.workspace is not None and session.workspace.path == path, timeout=20_000)
    assert session.workspace is not None
    session.workspace.config = replace(session.workspace.config, watch=QUICK)


def watched(qtbot: QtBot, watching: Watching) -> Watching:
    """Switch watching on and wait for the run that brings the workspace up to date."""
    watching.set_wanted(True)
    qtbot.waitUntil(lambda: watching.mode is Mode.INDEXING, timeout=LONG)
    rest(qtbot, watching)
    return watching


def rest(qtbot: QtBot, watching: Watching) -> None:
    """Wait until a run is over and nothing waits; a run that failed would have paused it."""

    def rests() -> bool:
        assert watching.mode is not Mode.PAUSED
        return watching.mode is Mode.WATCHING and not watching._session.indexing.alive

    qtbot.waitUntil(rests, timeout=LONG)


def paths(session: Session) -> list[str]:
    assert session.workspace is not None
    return [document.path for document in session.workspace.documents.all()]


@pytest.fixture
def modes(window: MainWindow) -> list[Mode]:
    """Every mode that was shown, once in a row."""
    seen: list[Mode] = []

    def note() -> None:
        if not seen or seen[-1] is not window.watching.mode:
            seen.append(window.watching.mode)

    window.watching.changed.connect(note)
    return seen


def test_a_new_file_is_in_the_library_without_a_press(
    qtbot: QtBot, window: MainWindow, session: Session, opened: Watching, papers: Path, modes: list[Mode]
) -> None:
    watched(qtbot, opened)
    modes.clear()
    (papers / "late.txt").write_text("Ida Holm audited Brandvold Lines in 2022.", encoding="utf-8")
    qtbot.waitUntil(lambda: Mode.INDEXING in modes, timeout=LONG)
    assert window.status.watch.text() == "Indexing 1 change" and "late.txt" in window.status.watch.toolTip()
    rest(qtbot, opened)
    assert modes == [Mode.SETTLING, Mode.INDEXING, Mode.WATCHING]
    assert window.workbench is not None and "late.txt" in paths(session)
    library = window.workbench.library
    qtbot.waitUntil(lambda: library.model.total == 5, timeout=10_000)
    assert not window.messages.isVisible()  # it is calm about it
    assert "Last read at" in window.status.watch.toolTip()


def test_what_is_shown_is_patched_and_then_is_what_a_whole_reading_gives(
    qtbot: QtBot, window: MainWindow, session: Session, opened: Watching, papers: Path
) -> None:
    workbench, workspace, told = window.workbench, session.workspace, list[Changed]()
    assert workbench is not None and workspace is not None
    qtbot.waitUntil(lambda: len(workbench.communities.model.communities) > 0)
    watched(qtbot, opened)
    session.changes.published.connect(told.append)
    (papers / "late.txt").write_text(
        "Ida Holm audited Brandvold Lines in 2022. Ida Holm met Tor Strand.", encoding="utf-8"
    )
    qtbot.waitUntil(lambda: bool(told), timeout=LONG)
    rest(qtbot, opened)
    qtbot.waitUntil(lambda: any(changed.facts for changed in told), timeout=LONG)
    assert not any(changed.everything for changed in told)

    def edges(view: GraphView) -> set[tuple[frozenset[str], float]]:
        ends = view.edges.tolist()
        pairs = (frozenset((view.names[one], view.names[other])) for one, other in ends)
        return set(zip(pairs, view.weights.round(3).tolist(), strict=True))

    def patched() -> bool:
        base = workbench.graph.shaping.base
        return base is not None and "Ida Holm" in base.view.names

    qtbot.waitUntil(patched, timeout=10_000)
    shown, now = workbench.graph.shaping.base, workspace.graph.view()
    assert shown is not None and edges(shown.view) == edges(now)
    assert sorted(shown.view.ids) == sorted(now.ids)
    homes = {each.id: set(each.entity_ids) for each in workspace.graph.communities()}
    qtbot.waitUntil(
        lambda: {one.id: set(one.entity_ids) for one in workbench.communities.model.communities} == homes
    )


def test_the_switch_is_in_the_menu_and_is_remembered(
    qtbot: QtBot, window: MainWindow, session: Session, opened: Watching, workspace_path: Path, papers: Path
) -> None:
    assert window.status.watch.text() == "Not watched" and opened.mode is Mode.OFF
    window.activateWindow()
    qtbot.keyClick(window, Qt.Key.Key_F5, SHIFT)
    assert opened.wanted and window.status.watch.text() == "Watching"
    rest(qtbot, opened)
    qtbot.waitUntil(lambda: opened.news is not None, timeout=LONG)
    rest(qtbot, opened)
    operations.close_workspace(session)
    assert opened.mode is Mode.OFF and not window.status.watch.isVisible()
    (papers / "charter.txt").unlink()
    open_and_wait(qtbot, session, workspace_path)  # on opening, one run brings it up to date
    assert opened.wanted
    qtbot.waitUntil(lambda: "charter.txt" not in paths(session), timeout=LONG)
    rest(qtbot, opened)
    qtbot.keyClick(window, Qt.Key.Key_F5, SHIFT)
    assert opened.mode is Mode.OFF and not session.tasks.busy("watch")


def test_changes_during_a_run_lead_to_another_one(
    qtbot: QtBot, session: Session, opened: Watching, papers: Path
) -> None:
    watched(qtbot, opened)
    runs: list[IndexingState] = []
    session.indexing_changed.connect(runs.append)
    (papers / "one.pdf").write_bytes(CUT)
    qtbot.waitUntil(lambda: session.indexing.running, timeout=LONG)
    session.indexing.pause()
    (papers / "two.pdf").write_bytes(CUT)
    qtbot.waitUntil(lambda: len(opened._waiting) == 1, timeout=LONG)
    assert opened.mode is Mode.PAUSED and runs == [IndexingState.RUNNING, IndexingState.PAUSED]
    session.indexing.resume()
    qtbot.waitUntil(lambda: runs.count(IndexingState.IDLE) == 2, timeout=LONG)
    rest(qtbot, opened)
    assert {"one.pdf", "two.pdf"} <= set(paths(session))


def test_stopping_a_run_by_hand_pauses_watching_until_one_goes_on(
    qtbot: QtBot, window: MainWindow, session: Session, opened: Watching, papers: Path
) -> None:
    watched(qtbot, opened)
    (papers / "one.pdf").write_bytes(CUT)
    qtbot.waitUntil(lambda: session.indexing.running, timeout=LONG)
    with qtbot.waitSignal(session.indexing.ended, timeout=LONG):
        qtbot.mouseClick(window.status.cancel, LEFT)
    assert opened.mode is Mode.PAUSED and window.status.watch.text() == "Watching is paused"
    (papers / "two.pdf").write_bytes(CUT)
    with qtbot.assertNotEmitted(session.indexing_changed):
        qtbot.waitUntil(lambda: Changes(added=("two.pdf",)) in opened._waiting, timeout=LONG)
    qtbot.mouseClick(window.status.watch, LEFT)
    rest(qtbot, opened)
    assert {"one.pdf", "two.pdf"} <= set(paths(session))


def test_a_press_pauses_and_another_goes_on(
    qtbot: QtBot, window: MainWindow, session: Session, opened: Watching, papers: Path
) -> None:
    watched(qtbot, opened)
    qtbot.mouseClick(window.status.watch, LEFT)
    assert opened.mode is Mode.PAUSED
    (papers / "charter.txt").rename(papers / "contract.txt")
    qtbot.waitUntil(lambda: len(opened._waiting) == 1, timeout=LONG)
    assert not session.indexing.running
    qtbot.mouseClick(window.status.watch, LEFT)
    assert opened.batch is not None and opened.batch.names() == ["renamed: charter.txt to contract.txt"]
    rest(qtbot, opened)
    assert "contract.txt" in paths(session) and "charter.txt" not in paths(session)


def test_nothing_is_forgotten_while_the_folder_is_away(
    qtbot: QtBot, window: MainWindow, session: Session, opened: Watching, papers: Path
) -> None:
    watched(qtbot, opened)
    away = papers.with_name("away")
    papers.rename(away)
    qtbot.waitUntil(lambda: opened.mode is Mode.MISSING, timeout=LONG)
    assert window.status.watch.text() == "Folder is not there" and "charter.txt" in paths(session)
    papers.mkdir()
    qtbot.waitUntil(lambda: opened.mode is Mode.EMPTY, timeout=LONG)
    assert window.status.watch.text() == "Folder is empty" and "charter.txt" in paths(session)
    papers.rmdir()
    away.rename(papers)
    qtbot.waitUntil(lambda: opened.mode is Mode.INDEXING, timeout=LONG)
    rest(qtbot, opened)
    assert "charter.txt" in paths(session)


def test_a_run_that_fails_is_not_tried_again_by_itself(
    qtbot: QtBot, session: Session, opened: Watching, papers: Path, forked_runs: pytest.MonkeyPatch
) -> None:
    forked_runs.undo()
    watched(qtbot, opened)
    (papers / "one.pdf").write_bytes(CUT)
    qtbot.waitUntil(lambda: session.indexing.running, timeout=LONG)
    assert session.indexing._process is not None
    with qtbot.waitSignal(session.indexing.crashed, timeout=LONG):
        session.indexing._process.kill()
    assert opened.mode is Mode.PAUSED
    operations.index_again(session)  # by hand: then it goes on
    assert opened.mode is Mode.WATCHING
    rest(qtbot, opened)
    assert "one.pdf" in paths(session)


def test_a_workspace_that_may_only_be_read_is_not_watched(
    qtbot: QtBot,
    window: MainWindow,
    session: Session,
    preferences: Preferences,
    workspace_path: Path,
) -> None:
    preferences.set_watched(workspace_path, True)
    other = Workspace.open(workspace_path, exclusive=True)
    operations.open_workspace(session, workspace_path)
    qtbot.waitUntil(lambda: session.workspace is not None, timeout=20_000)
    assert window.watching.mode is Mode.OFF and not window.status.watch.isVisible()
    assert not session.tasks.busy("watch")
    other.close()


def test_the_watch_is_remembered_for_each_workspace(preferences: Preferences, tmp_path: Path) -> None:
    preferences.set_watched(tmp_path / "a", True)
    preferences.set_watched(tmp_path / "b", True)
    preferences.set_watched(tmp_path / "a", False)
    assert (preferences.watched(tmp_path / "a"), preferences.watched(tmp_path / "b")) == (False, True)


def test_changes_are_counted_in_words() -> None:
    one = Changes(added=("a",))
    more = Changes(changed=("b",), removed=("c",), renamed=(("d", "e"),))
    assert changes(Batch((one,), first=False)) == "1 change"
    assert changes(Batch((one, more), first=False)) == "4 changes"
    assert changes(Batch((Changes(),), first=True)) == "what changed"
