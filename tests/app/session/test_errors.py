"""Known failures become a line, bugs a report; nothing is lost on the way from another thread."""

from __future__ import annotations

import sys
import threading

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

from app.session.errors import BugDialog, ErrorHandler, report
from core.errors import BadInput
from core.progress import Cancelled
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
