"""Known failures become a line with a remedy in the window's words, bugs a report; nothing is lost between threads."""

from __future__ import annotations

import sys
import threading
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from app.session import operations
from app.session.errors import OPEN_A_FOLDER, BugDialog, ErrorHandler, report
from app.session.session import Message, Session
from app.shell.main_window import MainWindow
from core.answering.models import Models
from core.errors import BadInput, NothingIndexed
from core.progress import Cancelled, TaskContext
from core.workspace import Workspace
from tests.waiting import process_events


def test_known_failures_and_bugs_part_ways(qtbot: QtBot) -> None:
    handler = ErrorHandler()
    with qtbot.waitSignal(handler.known) as known:
        handler.take(BadInput("Empty.", "Write something."))
    assert known.args[0].remedy == "Write something."
    with qtbot.waitSignal(handler.bug) as bug:
        try:
            raise KeyError("lost")
        except KeyError as error:
            handler.take(error)
    assert "KeyError: 'lost'" in bug.args[0] and "test_errors.py" in bug.args[0]


def test_being_stopped_is_no_failure(qtbot: QtBot) -> None:
    handler = ErrorHandler()
    with qtbot.assertNotEmitted(handler.known), qtbot.assertNotEmitted(handler.bug):
        handler.take(Cancelled())
        process_events()


def test_an_exception_of_a_python_thread_arrives_on_this_one(qtbot: QtBot) -> None:
    handler = ErrorHandler()
    heard: list[int] = []
    handler.bug.connect(lambda _: heard.append(threading.get_ident()))
    before = threading.excepthook
    handler.install()
    try:
        thread = threading.Thread(target=lambda: 1 / 0)
        thread.start()
        thread.join()
        qtbot.waitUntil(lambda: heard == [threading.get_ident()])
    finally:
        handler.uninstall()
    assert threading.excepthook is before and sys.excepthook is not None


def test_the_dialog_copies_its_report_and_does_not_block(qtbot: QtBot) -> None:
    dialog = BugDialog(report(ValueError("bad")))
    qtbot.addWidget(dialog)
    dialog.show()
    assert not dialog.isModal()
    dialog.add("second bug")
    qtbot.mouseClick(dialog.copy_button, Qt.MouseButton.LeftButton)
    copied = QGuiApplication.clipboard().text()
    assert "ValueError: bad" in copied and "second bug" in copied and "PySide6_Essentials" in copied


@pytest.fixture
def empty(tmp_path: Path) -> Path:
    """A workspace into which nothing was read."""
    Workspace.open(tmp_path / "empty", create=True).close()
    return tmp_path / "empty"


@pytest.mark.long
def test_an_empty_workspace_offers_a_folder(
    window: MainWindow, session: Session, empty: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[Message] = []
    asked_for: list[str] = []
    session.message_posted.connect(told.append)
    monkeypatch.setattr(
        QFileDialog, "getExistingDirectory", lambda _, title, *__: (asked_for.append(title), "")[1]
    )
    operations.open_workspace(session, empty)
    qtbot.waitUntil(lambda: session.workspace is not None)
    operations.ask(session, "Who owns the Grey Petrel?")
    qtbot.waitUntil(lambda: bool(told), timeout=60_000)
    assert (told[-1].text, told[-1].remedy) == ("The workspace holds no passages yet.", OPEN_A_FOLDER)
    assert "clew" not in told[-1].remedy
    menu = [action.text().replace("&", "") for action in window.workspace_menu.actions()]
    assert "Open a folder...\tCtrl+O" in menu, "what the remedy names is there"
    act = told[-1].act
    assert act is not None
    act()
    assert asked_for == ["Open a folder with documents"]


def test_a_terminal_is_told_the_command(empty: Path, models: Models) -> None:
    opened = Workspace.open(empty, models=models)
    try:
        with pytest.raises(NothingIndexed) as raised:
            opened.ask("Who owns the Grey Petrel?", TaskContext())
    finally:
        opened.close()
    assert raised.value.remedy == "Index a folder first: clew index FOLDER --workspace WORKSPACE"
