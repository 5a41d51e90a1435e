"""Two ways beside each other in the window: lines between the rankings, words marked, heat on one layout."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.compare.panel import ComparePanel
from core.progress import TaskContext
from core.types import Answer
from tests.app.panel_case import QUESTION, Case, exposed

A_HEAT, B_HEAT = {"one": 0.4, "both": 0.2}, {"both": 0.5}


@pytest.fixture
def panel(case: Case, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> ComparePanel:
    monkeypatch.setattr("app.compare.panel.warm", lambda *_: None)

    def ask(question: str, context: TaskContext, route: str = "auto", k: int = 5, **how: Any) -> Answer:
        case.workspace.asked.append((question, route))
        first = route == "auto"
        rows = case.answer.evidence if first else case.answer.evidence[::-1]
        shown = tuple(replace(row, hit=replace(row.hit, rank=at)) for at, row in enumerate(rows[:2], 1))
        trace = replace(case.answer.trace, question=question, heat=A_HEAT if first else B_HEAT)
        text = "Tobias Renwick of London" if first else "Tobias Renwick of Douglas"
        return replace(case.answer, text=text, evidence=shown, trace=trace)

    monkeypatch.setattr(case.workspace, "ask", ask)
    return exposed(ComparePanel(case.session), qtbot, 900, 900)


@pytest.fixture
def compared(panel: ComparePanel, qtbot: QtBot) -> ComparePanel:
    panel.question.setText(QUESTION)
    qtbot.mouseClick(panel.run_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: panel.done)
    return panel


def test_nothing_compared_yet(panel: ComparePanel, case: Case) -> None:
    assert panel.empty.isVisible() and not panel.run_button.isEnabled()
    assert case.session.commands["compare.answer"].why_not() == "Ask a question first."


def test_two_ways_are_asked(compared: ComparePanel, case: Case) -> None:
    assert case.workspace.asked == [(QUESTION, "auto"), (QUESTION, "graph")]
    assert [text.marked() for text in compared.texts] == [["London"], ["Douglas"]]
    assert compared.sum.text().startswith("Different answers; ")


def test_the_last_answer_is_compared_with_another_way(
    panel: ComparePanel, case: Case, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    case.session.answer = case.answer
    monkeypatch.setattr(case.session.commands, "run", lambda id: None)
    panel.compare_answer()
    qtbot.waitUntil(lambda: panel.done)
    assert [way.route for way in (side.way for side in panel.sides)] == ["auto", "graph"]


def test_heat_of_one_of_the_other_and_how_far_they_are_apart(
    compared: ComparePanel, case: Case, qtbot: QtBot
) -> None:
    overlay = case.session.overlay
    assert dict(overlay.current.heat) == A_HEAT
    qtbot.mouseClick(compared.heat.buttons[1], Qt.MouseButton.LeftButton)
    assert dict(overlay.current.heat) == B_HEAT
    qtbot.mouseClick(compared.heat.buttons[2], Qt.MouseButton.LeftButton)
    assert overlay.current.heat["one"] == pytest.approx(0.4) and overlay.current.heat[
        "both"
    ] == pytest.approx(0.3)


def test_a_passage_is_lit_on_both_sides_and_opened(compared: ComparePanel, case: Case, qtbot: QtBot) -> None:
    lines = compared.lines
    row = next(at for at, each in enumerate(lines._rows) if each.rank_a == 1)
    qtbot.mouseMove(lines, lines.place(row, True).center())
    qtbot.waitUntil(lambda: lines.lit is not None and lines.lit.rank_a == 1)
    qtbot.keyClick(lines, Qt.Key.Key_Down)
    assert lines.lit is not None and lines.lit.rank_a != 1
    qtbot.keyClick(lines, Qt.Key.Key_Return)
    selected = case.session.selection.current
    assert selected is not None and selected.id == lines.lit.passage_id


def test_settings_and_another_workspace(
    panel: ComparePanel, case: Case, tmp_path: Path, qtbot: QtBot
) -> None:
    side = panel.sides[1]
    side.settings.setText("retrieval.damping=0.5 'retrieval.pool=80'")
    side.set_workspace(tmp_path / "other")
    assert side.way.settings == ("retrieval.damping=0.5", "retrieval.pool=80")
    assert side.way.workspace == tmp_path / "other" and side.place.isVisible()
    panel.question.setText(QUESTION)
    with qtbot.waitSignal(case.session.told) as told:
        panel.run()
    assert told.args[0].level == "error" and not panel.done
    side.here.click()
    side.settings.setText("'never closed")
    with qtbot.waitSignal(case.session.told) as told:
        panel.run()
    assert "quotation mark" in told.args[0].text


def test_closing_the_workspace_clears_it(compared: ComparePanel, case: Case) -> None:
    case.session.close_workspace()
    assert compared.empty.isVisible() and not compared.lines.isVisible()
