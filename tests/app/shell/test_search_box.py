"""The one box: search as one types, Enter goes there, a question is asked."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from app.shell.top_bar import SearchBox, looks_like_question
from app.widgets.result_box import ROLE
from core.types import SearchResult

FOUND = [
    SearchResult("entity", "e1", "Calder Reach", "org"),
    SearchResult("document", "d1", "Charter", "charter.txt"),
]


@pytest.fixture
def box(qtbot: QtBot, dressed_app: None) -> Iterator[SearchBox]:
    window = QWidget()
    qtbot.addWidget(window)
    box = SearchBox()
    column = QVBoxLayout(window)
    column.addWidget(box)
    column.addStretch()
    window.resize(800, 600)
    window.show()
    window.activateWindow()
    box.setFocus()
    qtbot.waitUntil(box.hasFocus)
    yield box


def test_what_a_question_looks_like() -> None:
    assert looks_like_question("who owns the ship") and looks_like_question("Ship?")
    assert not looks_like_question("Grey Petrel") and not looks_like_question("who")


def test_typing_searches_once_and_enter_goes_to_the_first_match(qtbot: QtBot, box: SearchBox) -> None:
    wanted: list[str] = []
    box.wanted.connect(wanted.append)
    qtbot.keyClicks(box, "Cal")
    qtbot.waitUntil(lambda: wanted == ["Cal"])
    box.show_results("Cal", FOUND)
    assert box.open and box.list.count() == 3
    with qtbot.waitSignal(box.chosen) as chosen:
        qtbot.keyClick(box, Qt.Key.Key_Return)
    assert chosen.args == [FOUND[0]] and not box.open and box.text() == ""


def test_arrows_walk_and_a_click_takes(qtbot: QtBot, box: SearchBox) -> None:
    qtbot.keyClicks(box, "Cal")
    box.show_results("Cal", FOUND)
    qtbot.keyClick(box, Qt.Key.Key_Down)
    with qtbot.waitSignal(box.chosen) as chosen:
        qtbot.keyClick(box, Qt.Key.Key_Return)
    assert chosen.args == [FOUND[1]]
    box.setFocus()
    qtbot.keyClicks(box, "Cal")
    box.show_results("Cal", FOUND)
    spot: QPoint = box.list.visualItemRect(box.list.item(1)).center()
    with qtbot.waitSignal(box.chosen) as chosen:
        qtbot.mouseClick(box.list.viewport(), Qt.MouseButton.LeftButton, pos=spot)
    assert chosen.args == [FOUND[1]]


def test_results_of_an_older_text_are_not_shown(qtbot: QtBot, box: SearchBox) -> None:
    qtbot.keyClicks(box, "Calder")
    box.show_results("Cal", FOUND)
    assert not box.open


def test_enter_on_matches_of_an_older_text_waits_for_its_own(qtbot: QtBot, box: SearchBox) -> None:
    chosen: list[SearchResult] = []
    asked: list[str] = []
    box.chosen.connect(chosen.append)
    box.asked.connect(asked.append)
    qtbot.keyClicks(box, "Cal")
    box.show_results("Cal", FOUND)
    qtbot.keyClicks(box, "l me")
    with qtbot.waitSignal(box.wanted) as wanted:
        qtbot.keyClick(box, Qt.Key.Key_Return)
    assert wanted.args == ["Call me"] and not chosen
    box.show_results("Call me", FOUND[1:])
    assert chosen == [FOUND[1]] and not box.open and box.text() == ""
    box.setFocus()
    qtbot.keyClicks(box, "Cal")
    box.show_results("Cal", FOUND)
    qtbot.keyClicks(box, "der: who?")
    qtbot.keyClick(box, Qt.Key.Key_Return)
    assert asked == ["Calder: who?"] and len(chosen) == 1


def test_typing_on_after_enter_goes_nowhere(qtbot: QtBot, box: SearchBox) -> None:
    qtbot.keyClicks(box, "Cal")
    box.show_results("Cal", FOUND)
    qtbot.keyClicks(box, "d")
    qtbot.keyClick(box, Qt.Key.Key_Return)
    qtbot.keyClicks(box, "e")
    qtbot.keyClick(box, Qt.Key.Key_Backspace)
    box.show_results("Cald", FOUND)
    assert box.open and box.text() == "Cald"


def test_a_question_is_asked_with_enter_and_anything_with_ctrl_enter(qtbot: QtBot, box: SearchBox) -> None:
    qtbot.keyClicks(box, "Who owns Calder?")
    with qtbot.waitSignal(box.asked) as asked:
        qtbot.keyClick(box, Qt.Key.Key_Return)
    assert asked.args == ["Who owns Calder?"]
    box.setFocus()
    qtbot.keyClicks(box, "Calder")
    with qtbot.waitSignal(box.asked) as asked:
        qtbot.keyClick(box, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert asked.args == ["Calder"]


def test_without_a_match_asking_is_offered(qtbot: QtBot, box: SearchBox) -> None:
    qtbot.keyClicks(box, "zzz")
    box.show_results("zzz", [])
    assert box.list.count() == 1 and box.list.item(0).data(ROLE).kind == "ask"


def test_escape_closes_then_clears(qtbot: QtBot, box: SearchBox) -> None:
    qtbot.keyClicks(box, "Cal")
    box.show_results("Cal", FOUND)
    qtbot.keyClick(box, Qt.Key.Key_Escape)
    assert not box.open and box.text() == "Cal"
    qtbot.keyClick(box, Qt.Key.Key_Escape)
    assert box.text() == ""
