"""Models are loaded when nobody touches the window."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit
from pytestqt.qtbot import QtBot

from app.session import warming
from app.session.warming import QUIET_S, IdleTimer
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
