"""What is to be done is said in words of the window there, and by a command in a terminal."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from app.session import operations
from app.session.errors import OPEN_A_FOLDER
from app.session.session import Message, Session
from app.shell.main_window import MainWindow
from core.answering.models import Models
from core.errors import NothingIndexed
from core.progress import TaskContext
from core.workspace import Workspace


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
    session.told.connect(told.append)
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
