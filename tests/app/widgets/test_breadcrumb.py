"""The bread crumb: real buttons, shortened in the middle where there is little room."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.widgets.breadcrumb import Breadcrumb, shared

LONG = "Shipping in the Gulf of Finland and the Estonian harbour trade"


@pytest.fixture
def crumbs(qtbot: QtBot, dressed_app: None) -> Breadcrumb:
    created = Breadcrumb()
    qtbot.addWidget(created)
    created.resize(900, 26)
    created.set_path([(3, LONG), (12, "Pilots & <b>captains</b>")])
    created.show()
    qtbot.waitExposed(created)
    return created


def test_each_step_goes_to_its_place(qtbot: QtBot, crumbs: Breadcrumb) -> None:
    went: list[int | None] = []
    crumbs.went.connect(went.append)
    for crumb in crumbs.crumbs:
        qtbot.mouseClick(crumb, Qt.MouseButton.LeftButton)
    crumbs.crumbs[1].setFocus()
    qtbot.keyClick(crumbs.crumbs[1], Qt.Key.Key_Space)
    assert went == [None, 3, 12, 3]


def test_words_are_full_where_there_is_room(crumbs: Breadcrumb) -> None:
    assert [crumb.visible_text() for crumb in crumbs.crumbs] == ["All", LONG, "Pilots & <b>captains</b>"]
    assert all(crumb.toolTip() == "" for crumb in crumbs.crumbs)


@pytest.mark.parametrize("width", [120, 200, 330])
def test_long_words_lose_their_middle_and_keep_them_in_a_tooltip(crumbs: Breadcrumb, width: int) -> None:
    crumbs.resize(width, 26)
    top, middle, last = crumbs.crumbs
    assert top.visible_text() == "All"
    begin, _, end = middle.visible_text().partition("\u2026")
    assert len(middle.visible_text()) < len(LONG) and LONG.startswith(begin) and LONG.endswith(end)
    assert middle.toolTip() == f"<qt>{LONG}</qt>" and middle.accessibleName() == LONG
    assert last.geometry().right() < width
    assert top.geometry().right() < middle.x() and middle.geometry().right() < last.x()


def test_mark_up_is_no_mark_up(crumbs: Breadcrumb) -> None:
    crumbs.resize(150, 26)
    assert "&lt;b&gt;" in crumbs.crumbs[2].toolTip()
    assert all(crumb.shortcut().isEmpty() for crumb in crumbs.crumbs), "an ampersand is no shortcut"


def test_a_shorter_path_keeps_the_keyboard(crumbs: Breadcrumb, qtbot: QtBot) -> None:
    crumbs.activateWindow()
    qtbot.waitActive(crumbs)
    crumbs.crumbs[2].setFocus()
    crumbs.set_path([])
    assert len(crumbs.crumbs) == 1 and crumbs.crumbs[0].hasFocus()
    assert crumbs.crumbs[0].accessibleDescription() == "Where you are"


def test_short_ones_stay_full() -> None:
    assert shared([30, 400, 300], 330) == [30, 150, 150]
    assert shared([30, 40], 330) == [30, 40]
    assert sum(shared([500, 600, 700, 20], 250)) <= 250
