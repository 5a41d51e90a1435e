"""Pins in the window: pinned below an answer, run with progress, compared in words, asked again, unpinned and back."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from app.ask.panel import AskPanel
from app.pins.expected import ExpectedSection
from app.pins.panel import PinsPanel
from app.session.selection import Selected
from app.session.session import Message
from app.widgets.table import TraceTable
from core.progress import TaskContext
from core.types import Hit, Policy, Tuning
from core.types.pins import TunedSetting
from tests.app.panel_case import QUESTION, Case, exposed
from tests.waiting import process_events, wait_until_landed

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def panel(case: Case, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> PinsPanel:
    monkeypatch.setattr("app.pins.panel.warm", lambda *_: None)
    return exposed(PinsPanel(case.session), qtbot, 1000, 320)


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
    wait_until_landed(case.session.tasks)
    process_events()
    return rows(panel.table)[0]


def test_it_says_what_to_do_first(panel: PinsPanel, case: Case) -> None:
    assert panel.empty.isVisible() and not panel.table.isVisible()
    assert case.session.commands["pins.run"].why_not() == "No question is pinned yet."


def test_an_answer_is_pinned_below_it(panel: PinsPanel, case: Case, qtbot: QtBot) -> None:
    ask, notices = AskPanel(case.session), []
    qtbot.addWidget(ask)
    ask.show()
    case.session.message_posted.connect(notices.append)
    assert case.session.commands["answer.pin"].why_not() == "There is no answer yet."
    case.session.answered.emit(case.answer)
    process_events()
    qtbot.mouseClick(ask.answer.pin_button, LEFT)
    qtbot.waitUntil(lambda: rows(panel.table) != [])
    assert rows(panel.table)[0][:2] == [QUESTION, "not run yet"] and panel.table.isVisible()
    (message,) = notices
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
    assert pinned.settings.text() == "Run 2, compared with run 1, the one before"
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
    notices: list[Message] = []
    case.session.message_posted.connect(notices.append)
    (pin,) = case.workspace.pins.all()
    pinned.table.selectRow(0)
    qtbot.mouseClick(pinned.remove_button, LEFT)
    qtbot.waitUntil(lambda: pinned.empty.isVisible())
    assert case.workspace.pins.all() == [] and notices[-1].text == "1 question unpinned."
    act = notices[-1].act
    assert act is not None
    act()
    qtbot.waitUntil(lambda: rows(pinned.table) != [])
    assert case.workspace.pins.all() == [pin]


# ------------------------------------------------------------ a baseline, and what changed since


def test_runs_are_compared_with_a_stored_baseline(pinned: PinsPanel, case: Case, qtbot: QtBot) -> None:
    commands = case.session.commands
    assert commands["pins.baseline"].why_not() == "These questions were not run yet."
    run(pinned, case, qtbot)
    keep(case, qtbot, "pins.baseline")
    qtbot.waitUntil(lambda: pinned.settings.text() == "Run 1 is the baseline")
    assert commands["pins.baseline"].why_not() == "It is the baseline."
    case.workspace.written = replace(case.answer, text="Calder Reach")
    assert run(pinned, case, qtbot)[1] == "\u25bc worse: answer"
    assert run(pinned, case, qtbot)[1] == "\u25bc worse: answer", "than the baseline, as the run before was"
    assert pinned.settings.text() == "Run 3, compared with run 1, the baseline"
    keep(case, qtbot, "pins.before")
    qtbot.waitUntil(lambda: pinned.settings.text() == "Run 3, compared with run 2, the one before")
    assert rows(pinned.table)[0][1] == "same" and commands["pins.before"].why_not() == "No baseline is kept."


def keep(case: Case, qtbot: QtBot, command: str) -> None:
    with qtbot.waitSignal(case.session.pinned):
        case.session.commands.run(command)


def test_it_is_reported_in_one_line_that_something_changed_since(
    pinned: PinsPanel, case: Case, qtbot: QtBot
) -> None:
    notices: list[Message] = []
    run(pinned, case, qtbot)
    wait_until_landed(case.session.tasks)
    assert not pinned.since.isVisible()
    case.session.message_posted.connect(notices.append)
    case.workspace.review.set_policy(Policy("approved"), TaskContext())
    qtbot.waitUntil(pinned.since.isVisible)
    assert "run 1" in pinned.since.text() and "all \u2192 approved" in pinned.since.text()
    assert notices == [], "no message"
    run(pinned, case, qtbot)
    qtbot.waitUntil(lambda: not pinned.since.isVisible())


# ------------------------------------------------------------ what is expected


@pytest.fixture
def chosen(pinned: PinsPanel, qtbot: QtBot) -> ExpectedSection:
    """What is expected of the pinned question, which is selected."""
    pinned.table.selectRow(0)
    qtbot.waitUntil(lambda: len(rows(pinned.expected.passages)) == 4)
    return pinned.expected


def expected_quotes(case: Case) -> list[str]:
    (pin,) = case.workspace.pins.all()
    return [place.quote for place in pin.places]


def test_passages_of_the_answer_are_expected_or_not(
    chosen: ExpectedSection, case: Case, qtbot: QtBot
) -> None:
    """By their button or Space; what the last answer rests on is offered, the cited ones are expected at first."""
    first = expected_quotes(case)
    assert [row[0] for row in rows(chosen.passages)] == ["\u2713 expected"] * 3 + [""]
    assert [row[1] for row in rows(chosen.passages)] == ["found"] * 4
    chosen.passages.selectRow(3)
    assert chosen.turn_button.text() == "Expect this passage"
    with qtbot.waitSignal(case.session.pinned):
        qtbot.mouseClick(chosen.turn_button, LEFT)
    fourth = case.answer.evidence[3].passage.text
    assert expected_quotes(case) == [*first, fourth]
    qtbot.waitUntil(lambda: chosen.turn_button.text() == "No longer expect it")
    with qtbot.waitSignal(case.session.pinned):
        case.session.commands.run("pins.expect")
    assert expected_quotes(case) == first and case.session.commands.keys("pins.expect") == "Space"
    qtbot.waitUntil(lambda: rows(chosen.passages)[3][0] == "")
    assert chosen.chosen(), "what is selected stays selected"


def test_what_is_selected_elsewhere_can_be_expected(
    chosen: ExpectedSection, case: Case, qtbot: QtBot
) -> None:
    case.session.selection.select(Selected("document", case.letter.id))
    assert "Select a passage first" in case.session.commands["pins.add"].why_not()
    text = case.text(case.letter.id)
    start = text.index("He has paid")
    words = Selected("citation", case.answer.evidence[0].passage.id, start, start + 11, case.letter.id)
    case.session.selection.select(words)
    with qtbot.waitSignal(case.session.pinned):
        qtbot.mouseClick(chosen.add_button, LEFT)
    assert expected_quotes(case)[3:] == ["He has paid"]
    qtbot.waitUntil(lambda: any(row[3] == "He has paid" for row in rows(chosen.passages)))


def test_the_expected_answer_is_edited(
    chosen: ExpectedSection, pinned: PinsPanel, case: Case, qtbot: QtBot
) -> None:
    assert chosen.answer.text() == "Tobias Renwick" and not chosen.save_button.isEnabled()
    chosen.answer.setText("Ines Holm")
    case.session.pinned.emit()
    wait_until_landed(case.session.tasks)
    assert chosen.answer.text() == "Ines Holm", "what is typed stays when all is read again"
    with qtbot.waitSignal(case.session.pinned):
        qtbot.keyClick(chosen.answer, Qt.Key.Key_Return)
    assert case.workspace.pins.all()[0].right_answer == "Ines Holm"
    qtbot.waitUntil(lambda: rows(pinned.table)[0][6] == "Ines Holm")
    assert not chosen.save_button.isEnabled() and len(expected_quotes(case)) == 3


def test_a_passage_opens_where_it_stands(chosen: ExpectedSection, case: Case, qtbot: QtBot) -> None:
    spot = chosen.passages.visualRect(chosen.passages.model().index(0, 3)).center()
    qtbot.mouseClick(chosen.passages.viewport(), LEFT, pos=spot)
    cited = case.answer.citations[0]
    place = case.session.selection.current
    assert place is not None and (place.id, place.start, place.end) == (
        cited.passage_id, cited.start, cited.end,
    )  # fmt: skip


def test_a_passage_that_is_gone_is_reported(
    chosen: ExpectedSection, pinned: PinsPanel, case: Case, qtbot: QtBot
) -> None:
    case.workspace.documents.remove([case.letter.id], TaskContext())
    case.session.pinned.emit()
    qtbot.waitUntil(lambda: rows(pinned.table)[0][6] == "\u26a0 1 expected passage is gone; Tobias Renwick")
    assert pinned.settings.text() == "\u26a0 1 expected passage is gone"
    qtbot.waitUntil(lambda: "\u26a0 gone" in [row[1] for row in rows(chosen.passages)])
    assert chosen.note.isVisible() and "bring its document back" in chosen.note.text()


# ------------------------------------------------------------ files


def test_pins_go_to_a_file_and_come_back(pinned: PinsPanel, case: Case, qtbot: QtBot, tmp_path: Path) -> None:
    notices: list[Message] = []
    case.session.message_posted.connect(notices.append)
    file, pins = tmp_path / "pins.jsonl", case.workspace.pins.all()
    file.write_text("mine, and to be replaced")
    choose(pinned, case, "pins.export", file)
    qtbot.waitUntil(lambda: notices != [])
    assert notices[-1].text == f"1 question written to {file}."
    case.workspace.pins.unpin([pins[0].id])
    file.write_text(file.read_text() + '{"question": "Who sank it?", "quotes": ["in no document"]}\n')
    with qtbot.waitSignal(case.session.pinned):
        choose(pinned, case, "pins.import", file)
    assert notices[-1].text == "2 questions pinned." and notices[-1].level == "warning"
    assert notices[-1].remedy == "1 of the quotes stands in no document."
    qtbot.waitUntil(lambda: len(rows(pinned.table)) == 2)
    undo = notices[-1].act
    assert undo is not None
    undo()
    qtbot.waitUntil(pinned.empty.isVisible)
    assert case.workspace.pins.all() == []
    qtbot.mouseClick(pinned.import_button, LEFT)
    assert pinned.findChildren(QFileDialog)


def test_the_ranking_is_fitted_offered_saved_and_put_back(
    pinned: PinsPanel, case: Case, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = Tuning(12, 0, (TunedSetting("routing.low", "0.35", "0.2"),), 0.5, 0.75, 0.7, ("Who?",), ())
    monkeypatch.setattr(case.workspace.pins, "tune", lambda context: found)
    notices: list[Message] = []
    case.session.message_posted.connect(notices.append)
    case.session.commands.run("pins.train")
    qtbot.waitUntil(lambda: any("0.50 \u2192 0.75" in notice.text for notice in notices))
    assert notices[-1].text.startswith("lower threshold 0.35 \u2192 0.2: ")
    assert case.workspace.config.routing.low == 0.35  # nothing changes before it is asked for
    assert notices[-1].act is not None
    with qtbot.waitSignal(case.session.pinned):
        notices[-1].act()
    assert case.workspace.config.routing.low == 0.2
    assert notices[-1].act is not None
    notices[-1].act()
    qtbot.waitUntil(lambda: case.workspace.config.routing.low == 0.35)


def choose(panel: PinsPanel, case: Case, command: str, file: Path) -> None:
    """What a person does in the dialog that the command opens."""
    case.session.commands.run(command)
    dialog = panel.findChildren(QFileDialog)[-1]
    dialog.fileSelected.emit(str(file))
    dialog.close()
