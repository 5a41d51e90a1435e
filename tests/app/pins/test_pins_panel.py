"""Pins in the window: pinned below an answer, run with progress, compared in words, asked again, unpinned and back."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

from app.ask.panel import AskPanel
from app.pins.panel import PinsPanel
from app.session.session import Message
from app.widgets.copying import Form, copy
from app.widgets.table import TraceTable
from core.types import Hit
from tests.app.panel_case import QUESTION, Case
from tests.waiting import process_events

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def panel(case: Case, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> PinsPanel:
    monkeypatch.setattr("app.pins.panel.warm", lambda *_: None)
    widget = PinsPanel(case.session)
    qtbot.addWidget(widget)
    widget.resize(1000, 320)
    with qtbot.waitExposed(widget):
        widget.show()
    return widget


@pytest.fixture
def pinned(panel: PinsPanel, case: Case, qtbot: QtBot) -> PinsPanel:
    """With the written answer pinned."""
    case.workspace.pins.pin(case.answer)
    case.session.pinned.emit()
    qtbot.waitUntil(lambda: rows(panel.table) != [])
    return panel


def rows(table: TraceTable) -> list[list[str]]:
    model = table.model()
    return [
        [model.index(row, column).data() for column in range(model.columnCount())]
        for row in range(model.rowCount())
    ]


def run(panel: PinsPanel, case: Case, qtbot: QtBot) -> list[str]:
    """The first row after another run."""
    with qtbot.waitSignal(case.session.pinned):
        qtbot.mouseClick(panel.run_button, LEFT)
    qtbot.waitUntil(lambda: not panel._following._tasks.busy("read"))
    process_events()
    return rows(panel.table)[0]


def test_it_says_what_to_do_first(panel: PinsPanel, case: Case) -> None:
    assert panel.empty.isVisible() and not panel.table.isVisible()
    assert case.session.commands["pins.run"].why_not() == "No question is pinned yet."


def test_an_answer_is_pinned_below_it(panel: PinsPanel, case: Case, qtbot: QtBot) -> None:
    ask, told = AskPanel(case.session), []
    qtbot.addWidget(ask)
    ask.show()
    case.session.told.connect(told.append)
    assert case.session.commands["answer.pin"].why_not() == "There is no answer yet."
    case.session.answered.emit(case.answer)
    process_events()
    qtbot.mouseClick(ask.answer.pin_button, LEFT)
    qtbot.waitUntil(lambda: rows(panel.table) != [])
    assert rows(panel.table)[0][:2] == [QUESTION, "not run yet"] and panel.table.isVisible()
    (message,) = told
    assert isinstance(message, Message) and message.text == "The question is pinned."
    (pin,) = case.workspace.pins.all()
    assert pin.right_answer == "Tobias Renwick" and len(pin.places) == 3


def test_runs_are_compared_in_words(pinned: PinsPanel, case: Case, qtbot: QtBot) -> None:
    assert run(pinned, case, qtbot)[1:5] == ["first run", "Graph", "1", "1.00"]
    first, *others = case.answer.evidence
    hits = tuple(Hit(each.hit.passage_id, 0.1, rank) for rank, each in enumerate(others, 2))
    case.workspace.written = replace(
        case.answer, text="Calder Reach", trace=replace(case.answer.trace, hits=hits)
    )
    found = run(pinned, case, qtbot)
    assert found[1] == "\u25bc worse: answer, recall, rank" and found[3] == "1 \u2192 2"
    assert found[4] == "1.00 \u2192 0.67" and found[5] == "Tobias Renwick \u2192 Calder Reach"
    assert "1 \u25bc worse" in pinned.sums.text() and "mean recall 1.00 \u2192 0.67" in pinned.sums.text()
    assert not pinned.settings.isVisible()
    case.workspace.written = case.answer
    assert run(pinned, case, qtbot)[1] == "\u25b2 better: answer, recall, rank"
    assert run(pinned, case, qtbot)[1] == "same"
    assert first.hit.rank == 1


def test_a_run_can_be_stopped(pinned: PinsPanel, case: Case, qtbot: QtBot) -> None:
    case.workspace.gate.clear()
    qtbot.mouseClick(pinned.run_button, LEFT)
    qtbot.waitUntil(lambda: pinned.progress.maximum() == 1)
    assert pinned.run_button.text() == "Stop" and pinned.progress.isVisible()
    assert case.session.commands["pins.run"].why_not() == "The pinned questions are being asked."
    qtbot.mouseClick(pinned.run_button, LEFT)
    assert pinned.run_button.text() == "Run pins" and not pinned.progress.isVisible()
    case.workspace.gate.set()
    assert run(pinned, case, qtbot)[1] == "first run", "nothing was kept of the one that was stopped"


def test_a_double_click_or_enter_asks_it_again(pinned: PinsPanel, case: Case, qtbot: QtBot) -> None:
    asked: list[str] = []
    case.session.asking.connect(asked.append)
    spot = pinned.table.visualRect(pinned.table.model().index(0, 0)).center()
    qtbot.mouseClick(pinned.table.viewport(), LEFT, pos=spot)
    assert asked == []
    with qtbot.waitSignal(case.session.answered):
        qtbot.mouseDClick(pinned.table.viewport(), LEFT, pos=spot)
    assert asked == [QUESTION] and case.session.commands.keys("pins.ask") == "Return"
    with qtbot.waitSignal(case.session.answered):
        case.session.commands.run("pins.ask")
    assert asked == [QUESTION] * 2


def test_what_is_unpinned_comes_back(pinned: PinsPanel, case: Case, qtbot: QtBot) -> None:
    told: list[Message] = []
    case.session.told.connect(told.append)
    (pin,) = case.workspace.pins.all()
    pinned.table.selectRow(0)
    qtbot.mouseClick(pinned.remove_button, LEFT)
    qtbot.waitUntil(lambda: pinned.empty.isVisible())
    assert case.workspace.pins.all() == [] and told[-1].text == "1 question unpinned."
    act = told[-1].act
    assert act is not None
    act()
    qtbot.waitUntil(lambda: rows(pinned.table) != [])
    assert case.workspace.pins.all() == [pin]


def test_rows_are_copied(pinned: PinsPanel, case: Case, qtbot: QtBot) -> None:
    run(pinned, case, qtbot)
    for form, start in (
        (Form.TEXT, "Question\tChange"),
        (Form.MARKDOWN, "| Question |"),
        (Form.CSV, "Question,"),
    ):
        assert copy(pinned.table, form)
        text = QGuiApplication.clipboard().text()
        assert text.startswith(start) and "Tobias Renwick" in text
