"""Documents are marked private by a key, undone by one press; as a profile the window shows nothing of them."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu
from pytestqt.qtbot import QtBot

from app.library.documents_model import DETAIL, DOCUMENT, NAME
from app.library.panel import LibraryPanel
from app.session import operations, privacy
from app.session.session import Message, Session
from app.shell.main_window import MainWindow
from app.shell.menus import fill_recents
from core.types.private import OWNER
from tests.waiting import wait_until_landed


@pytest.fixture
def library(qtbot: QtBot, window: MainWindow, session: Session, workspace_path: Path) -> LibraryPanel:
    operations.open_workspace(session, workspace_path)
    qtbot.waitUntil(
        lambda: window.workbench is not None and window.workbench.library.model.rowCount() == 4,
        timeout=20_000,
    )
    assert window.workbench is not None
    return window.workbench.library


def private(session: Session) -> int:
    assert session.workspace is not None
    return len(session.workspace.private.names())


def look_as(window: MainWindow) -> dict[str, QAction]:
    """What the workspace menu offers; nobody where it offers nobody."""
    fill_recents(window)
    held = {action.text() for action in window.workspace_menu.actions()}
    below = window.workspace_menu.findChildren(QMenu)[-1:] if "Look as" in held else []
    return {action.text(): action for menu in below for action in menu.actions()}


def test_a_key_marks_what_is_selected_and_a_press_undoes_it(
    qtbot: QtBot, window: MainWindow, session: Session, library: LibraryPanel
) -> None:
    told: list[Message] = []
    session.told.connect(told.append)
    assert look_as(window) == {}
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
    session.told.connect(told.append)
    library.table.selectRow(1)
    session.commands.run("library.private")
    qtbot.waitUntil(lambda: bool(told))
    assert "stays private" in told[-1].text
    assert private(session) == 4


def test_as_a_profile_it_shows_nothing_of_them_and_changes_nothing(
    qtbot: QtBot, window: MainWindow, session: Session, library: LibraryPanel
) -> None:
    hidden = library.model.index(1, NAME).data(DOCUMENT)
    library.table.selectRow(1)
    session.commands.run("library.private")
    qtbot.waitUntil(lambda: private(session) == 1)
    assert window.top.profile.isHidden()
    look_as(window)["guest"].trigger()
    qtbot.waitUntil(lambda: session.profile == "guest" and library.model.rowCount() == 3, timeout=20_000)
    assert session.workspace is not None
    assert hidden.path not in [document.path for document in session.workspace.documents.all()]
    assert not window.top.profile.isHidden() and "guest" in window.top.profile.text()
    assert session.shut and "guest" in session.blocked
    assert look_as(window)["guest"].isChecked()
    qtbot.waitUntil(lambda: bool(window.status.totals.text()))
    assert [recent.path for recent in window.preferences.recents()] == [str(session.workspace.home)]
    library.table.selectRow(0)
    session.commands.run("library.private")
    wait_until_landed(session.tasks)
    assert private(session) == 0
    privacy.look_as(session, OWNER)
    qtbot.waitUntil(lambda: not session.profile and library.model.rowCount() == 4, timeout=20_000)
    assert window.top.profile.isHidden()
    assert private(session) == 1
