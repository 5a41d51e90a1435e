"""Models are loaded when nobody touches the window."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit
from pytestqt.qtbot import QtBot

from app.session import warming
from app.session.preferences import Preferences
from app.session.warming import QUIET_S, IdleTimer
from app.shell.main_window import MainWindow
from core.types import Changed
from core.workspace.retrieval import RetrievalApi
from tests.app.panel_case import Case
from tests.waiting import Clock


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(warming, "time", SimpleNamespace(monotonic=made))
    return made


@pytest.fixture
def field(qtbot: QtBot) -> QLineEdit:
    made = QLineEdit()
    qtbot.addWidget(made)
    made.show()
    return made


def test_quiet_waits_for_the_hand_to_rest(qtbot: QtBot, field: QLineEdit, clock: Clock) -> None:
    idle = IdleTimer(field)
    heard: list[bool] = []
    idle.came.connect(lambda: heard.append(True))
    idle.wait()
    for _ in range(8):
        clock.now += QUIET_S * 0.9
        idle._timer.timeout.emit()
        QTest.keyClick(field.windowHandle(), Qt.Key.Key_A)  # as the system sends it
    assert heard == []
    idle._timer.setInterval(0)
    clock.now += QUIET_S
    qtbot.waitUntil(lambda: heard == [True])
    assert not idle._timer.isActive()


def test_stop_ends_the_waiting(qtbot: QtBot, field: QLineEdit, clock: Clock) -> None:
    idle = IdleTimer(field)
    idle.wait()
    idle.stop()
    clock.now += QUIET_S
    assert not idle._timer.isActive()


def test_what_changed_is_read_before_it_is_asked_for(
    qtbot: QtBot, case: Case, preferences: Preferences, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[int] = []
    monkeypatch.setattr(RetrievalApi, "prepare_meaning", lambda *_: read.append(1))
    window = MainWindow(case.session, preferences)
    qtbot.addWidget(window)
    window.show()
    qtbot.waitExposed(window)
    case.session.changes.published.emit(Changed(facts=frozenset({"f"})))
    qtbot.waitUntil(lambda: bool(read), timeout=int(4_000 * QUIET_S))
