"""Models are loaded when nobody touches the window."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit
from pytestqt.qtbot import QtBot

from app.session import warming
from app.session.warming import IdleTimer


def test_quiet_waits_for_the_hand_to_rest(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(warming, "QUIET_S", 0.4)
    field = QLineEdit()
    qtbot.addWidget(field)
    field.show()
    idle = IdleTimer(field)
    idle._timer.setInterval(20)
    heard: list[bool] = []
    idle.came.connect(lambda: heard.append(True))
    idle.wait()
    for _ in range(8):
        QTest.keyClick(field.windowHandle(), Qt.Key.Key_A)  # as the system sends it
        qtbot.wait(80)
    assert heard == []
    qtbot.waitUntil(lambda: heard == [True], timeout=3000)
    qtbot.wait(100)
    assert heard == [True]


def test_stop_ends_the_waiting(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(warming, "QUIET_S", 0.05)
    field = QLineEdit()
    qtbot.addWidget(field)
    field.show()
    idle = IdleTimer(field)
    idle._timer.setInterval(10)
    idle.wait()
    idle.stop()
    with qtbot.assertNotEmitted(idle.came, wait=150):
        pass
