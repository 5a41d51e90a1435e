"""The window as a whole: from the start page to a growing graph and back, by clicks and keys."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QFileDialog, QMenu
from pytestqt.qtbot import QtBot

from app.look import theme
from app.session import operations
from app.session.errors import BugDialog
from app.session.indexing import IndexingState
from app.session.preferences import Preferences
from app.session.session import Session
from app.shell.main_window import MainWindow
from app.shell.workbench import Workbench
from core.errors import BadInput
from core.types import DocumentListing, SearchResult
from tests.app.conftest import end
from tests.app.one_window import ONE_WINDOW, bench_on, press_offer

LEFT = Qt.MouseButton.LeftButton
CTRL, ALT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.AltModifier

preferences, session, window, calm = ONE_WINDOW
bench = bench_on("indexed")


@pytest.mark.long
def test_a_folder_chosen_on_the_start_page_is_indexed_paused_stopped_and_finished(
    qtbot: QtBot,
    window: MainWindow,
    session: Session,
    small_folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    # A real process, not a fork: one that starts at once would be done before it is stopped.
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_: str(small_folder))
    monkeypatch.setattr(operations, "default_workspace", lambda folder: tmp_path / "new" / folder.name)
    operations.open_workspace(session, tmp_path)
    assert "is not a workspace" in window.messages.text() and "clew.db" in window.messages.text()
    assert window.stack.currentWidget() is window.start and not window.top.search.isVisible()
    qtbot.mouseClick(window.start.folder, LEFT)
    qtbot.waitUntil(lambda: session.indexing.running, timeout=20_000)
    workbench = window.workbench
    assert workbench is not None and window.stack.currentWidget() is workbench
    assert window.top.workspace.text() == small_folder.name
    qtbot.mouseClick(window.status.pause, LEFT)
    assert session.indexing.state is IndexingState.PAUSED and window.top.indexing.text().startswith("paused")
    qtbot.mouseClick(window.status.pause, LEFT)
    assert session.indexing.state is IndexingState.RUNNING
    with qtbot.waitSignal(session.indexing.cancelled, timeout=60_000):
        qtbot.mouseClick(window.status.cancel, LEFT)
    assert "Indexing was stopped" in window.messages.text()
    with qtbot.waitSignal(session.indexing.finished, timeout=120_000):
        press_offer(qtbot, window)
    qtbot.waitUntil(lambda: workbench.graph.canvas.node_count > 3 and workbench.library.model.failed == 1)
    qtbot.waitUntil(lambda: window.status.failed.text() == "1 document failed")
    qtbot.mouseClick(window.status.failed, LEFT)
    qtbot.waitUntil(lambda: workbench.library.model.matching == 1)
    recent = window.preferences.recents()[0]
    assert recent.folder == str(small_folder) and recent.documents == 3


@pytest.mark.usefixtures("forked_runs")
@pytest.mark.long
def test_a_workspace_never_gets_the_folder_of_the_one_before(
    qtbot: QtBot,
    window: MainWindow,
    session: Session,
    small_folder: Path,
    workspace_path: Path,
    tmp_path: Path,
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    operations.open_folder(session, other, tmp_path / "w")
    qtbot.waitUntil(lambda: session.indexing.running, timeout=20_000)
    operations.open_workspace(session, workspace_path)
    qtbot.waitUntil(
        lambda: session.workspace is not None and session.workspace.path == workspace_path, timeout=20_000
    )
    assert session.folder == small_folder and window.top.workspace.text() == small_folder.name
    operations.index_again(session)
    assert session.indexing.folder == small_folder


def test_what_a_killed_removal_left_is_offered_to_be_finished(
    qtbot: QtBot, window: MainWindow, session: Session, workspace_path: Path
) -> None:
    with closing(sqlite3.connect(workspace_path / "clew.db", isolation_level=None)) as connection:
        connection.execute("INSERT INTO settings VALUES ('unsettled', '1')")
    operations.open_workspace(session, workspace_path)
    qtbot.waitUntil(lambda: "Indexing was not finished" in window.messages.text())


def test_a_folder_dropped_on_the_window_is_opened(
    qtbot: QtBot, window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[Path] = []
    monkeypatch.setattr(operations, "open_folder", lambda _, folder: opened.append(folder))
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(tmp_path))])
    move = Qt.DropAction.CopyAction
    enter = QDragEnterEvent(QPoint(5, 5), move, data, LEFT, Qt.KeyboardModifier.NoModifier)
    QApplication.sendEvent(window, enter)
    assert enter.isAccepted()
    drop = QDropEvent(QPointF(5, 5), move, data, LEFT, Qt.KeyboardModifier.NoModifier)
    QApplication.sendEvent(window, drop)
    assert opened == [tmp_path]


def test_an_offer_is_one_press_away(qtbot: QtBot, window: MainWindow, session: Session) -> None:
    pressed: list[int] = []
    operations.offer(session, BadInput("Stopped.", "Kept."), "Go on", lambda: pressed.append(1))
    session.notify("News do not push it away.")
    assert window.messages.text() == "Stopped. Kept."
    press_offer(qtbot, window)
    assert pressed == [1] and not window.messages.isVisible()


def test_ctrl_k_searches_and_enter_goes_there(
    qtbot: QtBot, window: MainWindow, bench: Workbench, session: Session
) -> None:
    qtbot.keyClick(window, Qt.Key.Key_K, CTRL)
    qtbot.waitUntil(window.top.search.hasFocus)
    qtbot.keyClicks(window.top.search, "Oriel Nominees")
    qtbot.waitUntil(lambda: window.top.search.open, timeout=10_000)
    first: SearchResult = window.top.search.list.item(0).data(Qt.ItemDataRole.UserRole)
    assert first.kind == "entity"
    qtbot.keyClick(window.top.search, Qt.Key.Key_Return)
    current = session.selection.current
    assert current is not None and current.id == first.id
    qtbot.waitUntil(bench.graph.card.isVisible)


def test_back_and_forward_are_off_until_there_is_a_way(
    window: MainWindow, bench: Workbench, session: Session
) -> None:
    assert session.workspace is not None and bench is not None
    assert not window.top.back.isEnabled() and not window.top.forward.isEnabled()
    for document in session.workspace.documents.all()[:2]:
        operations.select_document(session, document.id)
    assert window.top.back.isEnabled() and not window.top.forward.isEnabled()


def test_escape_gives_up_step_by_step(
    qtbot: QtBot, window: MainWindow, bench: Workbench, session: Session
) -> None:
    assert session.workspace is not None
    operations.select_document(session, session.workspace.documents.all()[0].id)
    qtbot.keyClick(window, Qt.Key.Key_K, CTRL)
    qtbot.waitUntil(window.top.search.hasFocus)
    qtbot.keyClicks(window.top.search, "Oriel")
    qtbot.waitUntil(lambda: window.top.search.open, timeout=10_000)
    qtbot.keyClick(window.top.search, Qt.Key.Key_Escape)
    assert not window.top.search.open and session.selection.current is not None
    qtbot.keyClick(window.top.search, Qt.Key.Key_Escape)
    assert window.top.search.text() == "" and session.selection.current is not None
    qtbot.keyClick(window, Qt.Key.Key_Escape)
    assert session.selection.current is None


def test_ctrl_enter_in_the_search_box_asks(
    qtbot: QtBot, window: MainWindow, bench: Workbench, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    monkeypatch.setattr(operations, "ask", lambda _, question: asked.append(question))
    qtbot.keyClick(window, Qt.Key.Key_K, CTRL)
    qtbot.waitUntil(window.top.search.hasFocus)
    qtbot.keyClicks(window.top.search, "Oriel Nominees")
    qtbot.keyClick(window.top.search, Qt.Key.Key_Return, CTRL)
    assert asked == ["Oriel Nominees"]


def test_asking_what_failed_when_nothing_did(qtbot: QtBot, window: MainWindow, bench: Workbench) -> None:
    ids = bench.library.model.listing.ids
    bench.library.show_documents(DocumentListing(ids[:3], 3), [])
    qtbot.keyClick(window, Qt.Key.Key_F, CTRL | Qt.KeyboardModifier.ShiftModifier)
    assert window.messages.text() == "Every document could be read." and bench.library.model.matching == 3


def test_history_by_keys(qtbot: QtBot, window: MainWindow, bench: Workbench, session: Session) -> None:
    assert session.workspace is not None
    one, two = session.workspace.documents.all()[:2]
    operations.select_document(session, one.id)
    operations.select_document(session, two.id)
    qtbot.keyClick(window, Qt.Key.Key_Left, ALT)
    assert session.selection.current is not None and session.selection.current.id == one.id
    qtbot.keyClick(window, Qt.Key.Key_Right, ALT)
    assert session.selection.current.id == two.id
    qtbot.mouseClick(window.top.back, LEFT)
    assert session.selection.current.id == one.id


def test_every_panel_has_its_key(qtbot: QtBot, window: MainWindow, bench: Workbench) -> None:
    for dock in bench.docks.values():
        dock.hide()
    ids = ("library", "graph", "reader", "ask", "evidence", "communities", "explain")
    for number, id in enumerate(ids, 1):
        qtbot.keyClick(window, Qt.Key(Qt.Key.Key_0 + number), CTRL)
        assert bench.panels[id].isVisible(), id
    qtbot.keyClick(window, Qt.Key.Key_L, CTRL)
    focused = QApplication.focusWidget()
    assert focused is not None and bench.ask.isAncestorOf(focused)
    bench.docks["explain"].hide()
    bench.ask.trace_wanted.emit()
    assert bench.explain.isVisible()


def test_hidden_panels_come_back_and_nothing_overlaps_at_1280_by_800(
    qtbot: QtBot, window: MainWindow, bench: Workbench
) -> None:
    for dock in bench.docks.values():
        dock.hide()
    qtbot.keyClick(window, Qt.Key.Key_0, CTRL)
    assert all(
        bench.docks[spec.id].isVisible() == spec.everyday for spec in bench.specs if spec.id in bench.docks
    )
    assert (window.width(), window.height()) == (1280, 800)
    qtbot.waitUntil(lambda: bench.graph.width() >= 560 and bench.graph.canvas.height() >= 280)
    assert bench.docks["ask"].width() >= 300 and bench.docks["library"].width() >= 220


def test_a_bug_opens_one_report(qtbot: QtBot, window: MainWindow) -> None:
    window.show_bug("first")
    window.show_bug("second")
    (dialog,) = window.findChildren(BugDialog)
    assert "first" in dialog.text.toPlainText() and "second" in dialog.text.toPlainText()
    dialog.close()
    qtbot.waitUntil(lambda: not window.findChildren(BugDialog))


def test_what_cannot_be_done_now_says_why_in_the_menu(
    window: MainWindow, bench: Workbench, session: Session
) -> None:
    menu = next(a.menu() for a in window.menuBar().actions() if a.text() == "&Indexing")
    assert isinstance(menu, QMenu)
    retry = next(a for a in menu.actions() if a.text().startswith("&Try again what failed"))
    session.set_written_by("being indexed by process 4711 since 14:02")
    menu.aboutToShow.emit()
    assert not retry.isEnabled() and "4711" in retry.toolTip()
    menu.aboutToHide.emit()
    assert retry.isEnabled()  # so that its keys answer
    operations.retry(session)
    assert "4711" in window.messages.text()


def test_light_dark_and_remembered(qtbot: QtBot, window: MainWindow, preferences: Preferences) -> None:
    qtbot.mouseClick(window.top.theme, LEFT)
    assert theme.current().dark and preferences.theme == "dark"
    qtbot.mouseClick(window.top.theme, LEFT)
    assert not theme.current().dark and preferences.theme == "light"


def test_closing_the_workspace_returns_to_the_start_page_which_lists_it(
    qtbot: QtBot, window: MainWindow, bench: Workbench, session: Session
) -> None:
    assert session.workspace is not None
    path = session.workspace.path
    qtbot.waitUntil(lambda: window.preferences.recents()[0].passages == 3)
    qtbot.keyClick(window, Qt.Key.Key_W, CTRL)
    assert session.workspace is None and window.stack.currentWidget() is window.start
    assert window.start.rows[0].recent.path == str(path)
    qtbot.mouseClick(window.start.rows[0], LEFT)
    qtbot.waitUntil(lambda: session.workspace is not None)
    qtbot.waitUntil(lambda: bench.library.model.total == 4)


@pytest.mark.usefixtures("forked_runs")
@pytest.mark.long
def test_closing_the_window_ends_indexing_and_the_next_one_has_its_layout(
    qtbot: QtBot,
    window: MainWindow,
    session: Session,
    bench: Workbench,
    preferences: Preferences,
    workspace_path: Path,
    tmp_path: Path,
) -> None:
    bench.docks["communities"].hide()
    (tmp_path / "papers").mkdir()
    operations.open_folder(session, tmp_path / "papers", tmp_path / "w")
    qtbot.waitUntil(lambda: session.indexing.running, timeout=20_000)
    window.close()
    assert session.indexing.state is IndexingState.IDLE and session.workspace is None
    assert not preferences.bytes_of("geometry").isEmpty()
    later = Session()
    again = MainWindow(later, preferences)
    qtbot.addWidget(again)
    again.show()
    operations.open_workspace(later, workspace_path)
    qtbot.waitUntil(lambda: again.workbench is not None)
    assert again.workbench is not None
    docks = again.workbench.docks
    assert not docks["communities"].isVisible() and docks["library"].isVisible()
    again.close()
    end(later)
