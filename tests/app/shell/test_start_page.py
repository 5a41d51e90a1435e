"""Three doors, the workspaces opened before, one line on privacy."""

from __future__ import annotations

from datetime import datetime, timedelta
from functools import partial
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLabel, QWidget
from pytestqt.qtbot import QtBot

from app.look import theme
from app.session.commands import Command, Commands
from app.session.preferences import DATABASE, Recent
from app.shell.start_page import DOORS, StartPage, when
from tests.waiting import process_events

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def run() -> list[str]:
    """The commands that were run, by their id."""
    return []


@pytest.fixture
def page(qtbot: QtBot, dressed_app: None, run: list[str]) -> StartPage:
    commands, owner = Commands(), QWidget()
    for _, _, id in DOORS:
        commands.add(owner, Command(id, "Words", partial(run.append, id), icon="compass"))
    page = StartPage(commands)
    owner.setParent(page)
    commands.setParent(page)
    qtbot.addWidget(page)
    page.resize(1000, 700)
    page.show()
    return page


@pytest.mark.parametrize("key", [Qt.Key.Key_Space, Qt.Key.Key_Return])
def test_each_door_opens_by_click_and_by_key(
    qtbot: QtBot, page: StartPage, run: list[str], key: Qt.Key
) -> None:
    for door in (page.sample, page.folder, page.workspace):
        qtbot.mouseClick(door, LEFT)
        qtbot.keyClick(door, key)
    ids = ("workspace.sample", "workspace.folder", "workspace.open")
    assert run == [id for id in ids for _ in range(2)]


def test_privacy_is_said(page: StartPage) -> None:
    assert any(label.text() == "Nothing leaves this machine." for label in page.findChildren(QLabel))


def test_a_workspace_opened_before_opens_again(qtbot: QtBot, page: StartPage, tmp_path: Path) -> None:
    (tmp_path / DATABASE).touch()
    page.set_recents([Recent(str(tmp_path), "/home/me/papers", "2026-01-02T03:04:05", 3, 30, 40)])
    words = " ".join(label.text() for label in page.rows[0].findChildren(QLabel))
    assert "papers" in words and "3 documents, 30 passages, 40 entities" in words and "Missing" not in words
    with qtbot.waitSignal(page.recent_wanted) as wanted:
        qtbot.mouseClick(page.rows[0], LEFT)
    assert wanted.args == [str(tmp_path)]


def test_a_missing_workspace_says_so_and_can_be_taken_off(qtbot: QtBot, page: StartPage) -> None:
    page.set_recents([Recent("/nowhere/at/all")])
    assert any("Missing" in label.text() for label in page.rows[0].findChildren(QLabel))
    with qtbot.waitSignal(page.recent_removed) as removed:
        qtbot.mouseClick(page.rows[0].remove_button, LEFT)
    assert removed.args == ["/nowhere/at/all"]


def test_rows_that_are_gone_do_not_hear_of_a_new_theme(
    qtbot: QtBot, qapp: QApplication, page: StartPage
) -> None:
    page.set_recents([Recent("/nowhere")])
    page.set_recents([])
    process_events()  # the rows are deleted by the event loop
    theme.apply(qapp, "dark")
    theme.apply(qapp, "light")


def test_while_a_workspace_opens_the_doors_rest(page: StartPage) -> None:
    page.set_busy("Opening...")
    assert not page.sample.isEnabled()
    page.set_busy("")
    assert page.sample.isEnabled()


def test_moments_in_words() -> None:
    now = datetime.now().replace(hour=9, minute=5)
    assert when(now.isoformat()) == "today 9:05"
    assert when((now - timedelta(days=1)).isoformat()) == "yesterday 9:05"
    assert when("2025-12-24T18:00:00") == "24 December 2025"
    assert when("") == ""
