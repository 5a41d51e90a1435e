"""Documents are marked private by a key, undone by one press."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.library.documents_model import DETAIL, NAME
from app.library.panel import LibraryPanel
from app.session.session import Message, Session
from app.shell.main_window import MainWindow
from app.shell.workbench import Workbench
from tests.app.one_window import ONE_WINDOW

preferences, session, window, calm = ONE_WINDOW
pytestmark = pytest.mark.usefixtures("closed_again")


@pytest.fixture
def library(bench: Workbench) -> LibraryPanel:
    return bench.library


def private(session: Session) -> int:
    assert session.workspace is not None
    return len(session.workspace.private.documents())


def test_a_key_marks_what_is_selected_and_a_press_undoes_it(
    qtbot: QtBot, window: MainWindow, session: Session, library: LibraryPanel
) -> None:
    told: list[Message] = []
    session.message_posted.connect(told.append)
    library.table.selectRow(1)
    session.commands.run("library.private")
    qtbot.waitUntil(lambda: library.model.private(library.model.listing.ids[1]))
    index = library.model.index(1, NAME)
    assert index.data(DETAIL).startswith("private")
    assert index.data(Qt.ItemDataRole.AccessibleTextRole).endswith("private")
    assert private(session) == 1
    told[-1].act()
    qtbot.waitUntil(lambda: not library.model.private(library.model.listing.ids[1]))
    assert private(session) == 0
    session.commands.run("library.private")
    qtbot.waitUntil(lambda: library.model.private(library.model.listing.ids[1]))
    session.commands.run("library.private")  # once more: no longer
    qtbot.waitUntil(lambda: not library.model.private(library.model.listing.ids[1]))
    told[-1].act()
    qtbot.waitUntil(lambda: library.model.private(library.model.listing.ids[1]))


def test_what_lies_in_a_private_folder_is_told_to_stay_private(
    qtbot: QtBot, session: Session, library: LibraryPanel
) -> None:
    assert session.workspace is not None
    session.workspace.private.mark([""])
    library.refresh()
    qtbot.waitUntil(lambda: library.model.private(library.model.listing.ids[1]))
    told: list[Message] = []
    session.message_posted.connect(told.append)
    library.table.selectRow(1)
    session.commands.run("library.private")
    qtbot.waitUntil(lambda: bool(told))
    assert "stays private" in told[-1].text
    assert private(session) == 4
