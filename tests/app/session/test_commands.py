"""One registry of all commands: keys mean one thing where the keyboard is, and what cannot be done says why."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from app.session.commands import Command, Commands


@pytest.fixture
def pressed() -> list[str]:
    return []


@pytest.fixture
def window(qtbot: QtBot) -> QWidget:
    """Two parts that can have the keyboard."""
    made = QWidget()
    column = QVBoxLayout(made)
    for name in ("left", "right"):
        part = QWidget(objectName=name)
        part.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        column.addWidget(part)
    qtbot.addWidget(made)
    made.show()
    qtbot.waitExposed(made)
    made.activateWindow()
    return made


def part(window: QWidget, name: str) -> QWidget:
    found = window.findChild(QWidget, name)
    assert isinstance(found, QWidget)
    return found


def test_keys_mean_what_the_part_with_the_keyboard_says(
    window: QWidget, pressed: list[str], qtbot: QtBot
) -> None:
    commands = Commands()
    left, right = part(window, "left"), part(window, "right")
    commands.add(
        left, Command("left.find", "Find here", lambda: pressed.append("left"), "Ctrl+F"), scoped=True
    )
    commands.add(window, Command("all.find", "Find", lambda: pressed.append("all"), "Ctrl+F"))
    commands.add(left, Command("left.next", "Next", lambda: pressed.append("next"), "F3"), scoped=True)
    commands.bind(window)
    for widget in (left, right):
        widget.setFocus()
        qtbot.waitUntil(widget.hasFocus)
        qtbot.keyClick(widget, Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier)
        qtbot.keyClick(widget, Qt.Key.Key_F3)
    assert pressed == ["left", "next", "all"]
    commands.action("all.find").trigger()
    assert pressed[-1] == "all", "a menu means what it says, wherever the keyboard is"


def test_what_cannot_be_done_says_why(window: QWidget, pressed: list[str], qtbot: QtBot) -> None:
    commands, reason = Commands(), ["Nothing is open."]
    told: list[str] = []
    commands.refused.connect(told.append)
    shut = Command("one", "Do it", lambda: pressed.append("one"), "F6", why_not=lambda: reason[0])
    commands.add(window, shut)
    commands.bind(window)
    qtbot.keyClick(window, Qt.Key.Key_F6)
    commands.explain(["one"], menu_open=True)
    assert not commands.action("one").isEnabled() and "Nothing is open." in commands.action("one").toolTip()
    commands.explain(["one"], menu_open=False)
    reason[0] = ""
    qtbot.keyClick(window, Qt.Key.Key_F6)
    assert (told, pressed) == (["Nothing is open."], ["one"])


def test_an_id_or_key_is_taken_once(window: QWidget) -> None:
    commands = Commands()
    commands.add(window, Command("one", "One", lambda: None, "Ctrl+B"))
    with pytest.raises(ValueError, match="two commands are called one"):
        commands.add(window, Command("one", "Again", lambda: None))
    with pytest.raises(ValueError, match=r"of two are those of one"):
        commands.add(window, Command("two", "Two", lambda: None, "ctrl+b"))


def test_commands_die_with_their_owner(window: QWidget, qtbot: QtBot) -> None:
    commands, owner = Commands(), QWidget(window)
    commands.bind(window)
    commands.add(owner, Command("one", "One", lambda: None, "F7"))
    owner.deleteLater()
    qtbot.waitUntil(lambda: "one" not in commands)
    commands.add(window, Command("two", "Two", lambda: None, "F7"))


def test_a_tooltip_tells_words_and_keys(window: QWidget) -> None:
    commands = Commands()
    commands.add(window, Command("one", "&Find all...", lambda: None, "Ctrl+B", tip=""))
    assert commands.tip("one") == "Find all  Ctrl+B" and commands["one"].name == "Find all..."
