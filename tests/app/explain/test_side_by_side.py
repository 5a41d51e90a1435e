"""Two ways beside each other in the window: lines between the rankings, words marked, heat on one layout."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QMouseEvent
from pytestqt.qtbot import QtBot

from app.explain.heat_panes import HeatPanes
from app.explain.panel import SIDES, ExplainPanel
from app.explain.side_by_side import SideBySideTab
from core.progress import TaskContext
from core.types import Answer, CommonLayout
from tests.app.panel_case import QUESTION, Case, exposed, hover

A_HEAT, B_HEAT = {"one": 0.4, "both": 0.2}, {"both": 0.5}


@pytest.fixture
def panel(case: Case, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> SideBySideTab:
    monkeypatch.setattr("app.explain.side_by_side.warm", lambda *_: None)

    def ask(question: str, context: TaskContext, route: str = "auto", k: int = 5, **how: Any) -> Answer:
        case.workspace.asked.append((question, route))
        first = route == "auto"
        rows = case.answer.evidence if first else case.answer.evidence[::-1]
        shown = tuple(replace(row, hit=replace(row.hit, rank=at)) for at, row in enumerate(rows[:2], 1))
        trace = replace(case.answer.trace, question=question, heat=A_HEAT if first else B_HEAT)
        text = "Tobias Renwick of London" if first else "Tobias Renwick of Douglas"
        return replace(case.answer, text=text, evidence=shown, trace=trace)

    monkeypatch.setattr(case.workspace, "ask", ask)
    panel = exposed(ExplainPanel(case.session), qtbot, 900, 900)
    panel.turn_to(SIDES)
    return panel.sides


@pytest.fixture
def compared(panel: SideBySideTab, qtbot: QtBot) -> SideBySideTab:
    panel.question.setText(QUESTION)
    qtbot.mouseClick(panel.run_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: panel.done)
    return panel


def test_nothing_compared_yet(panel: SideBySideTab, case: Case) -> None:
    assert panel.empty.isVisible() and not panel.run_button.isEnabled()
    assert case.session.commands["compare.answer"].why_not() == "Ask a question first."


def test_two_ways_are_asked(compared: SideBySideTab, case: Case) -> None:
    assert case.workspace.asked == [(QUESTION, "auto"), (QUESTION, "graph")]
    assert [text.marked() for text in compared.texts] == [["London"], ["Douglas"]]
    assert compared.sum.text().startswith("Different answers; ")


def test_the_last_answer_is_compared_with_another_way(
    panel: SideBySideTab, case: Case, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    case.session.answer = case.answer
    monkeypatch.setattr(case.session.commands, "run", lambda id: None)
    panel.compare_answer()
    qtbot.waitUntil(lambda: panel.done)
    assert [way.route for way in (side.way for side in panel.sides)] == ["auto", "graph"]


def test_heat_of_one_of_the_other_and_how_far_they_are_apart(
    compared: SideBySideTab, case: Case, qtbot: QtBot
) -> None:
    overlay = case.session.overlay
    assert dict(overlay.current.heat) == A_HEAT
    qtbot.mouseClick(compared.heat.buttons[1], Qt.MouseButton.LeftButton)
    assert dict(overlay.current.heat) == B_HEAT
    qtbot.mouseClick(compared.heat.buttons[2], Qt.MouseButton.LeftButton)
    assert overlay.current.heat["one"] == pytest.approx(0.4) and overlay.current.heat[
        "both"
    ] == pytest.approx(0.3)


def test_a_passage_is_lit_on_both_sides_and_opened(compared: SideBySideTab, case: Case, qtbot: QtBot) -> None:
    lines = compared.lines
    row = next(at for at, each in enumerate(lines._rows) if each.rank_a == 1)
    hover(lines, lines.place(row, True).center())
    assert lines.lit is not None and lines.lit.rank_a == 1
    qtbot.keyClick(lines, Qt.Key.Key_Down)
    assert lines.lit is not None and lines.lit.rank_a != 1
    qtbot.keyClick(lines, Qt.Key.Key_Return)
    selected = case.session.selection.current
    assert selected is not None and selected.id == lines.lit.passage_id


def test_settings_and_another_workspace(
    panel: SideBySideTab, case: Case, tmp_path: Path, qtbot: QtBot
) -> None:
    side = panel.sides[1]
    side.settings.setText("retrieval.damping=0.5 'retrieval.pool=80'")
    side.set_workspace(tmp_path / "other")
    assert side.way.settings == ("retrieval.damping=0.5", "retrieval.pool=80")
    assert side.way.workspace == tmp_path / "other" and side.place.isVisible()
    panel.question.setText(QUESTION)
    with qtbot.waitSignal(case.session.message_posted) as told:
        panel.run()
    assert told.args[0].level == "error" and not panel.done
    side.here.click()
    side.settings.setText("'never closed")
    with qtbot.waitSignal(case.session.message_posted) as told:
        panel.run()
    assert "quotation mark" in told.args[0].text
    side.settings.setText("control.gate=0")
    with qtbot.waitSignal(case.session.message_posted) as told:
        panel.run()
    assert "There is no setting 'control.gate' here." in told.args[0].text


def test_what_was_compared_before_goes_where_the_next_cannot_be(
    compared: SideBySideTab, tmp_path: Path, qtbot: QtBot
) -> None:
    compared.sides[1].set_workspace(tmp_path / "nowhere")
    compared.run()
    qtbot.waitUntil(lambda: compared.empty.isVisible())
    assert not compared.lines.isVisible() and not compared.done


def test_closing_the_workspace_clears_it(compared: SideBySideTab, case: Case) -> None:
    case.session.close_workspace()
    assert compared.empty.isVisible() and not compared.lines.isVisible()


LAYOUT = CommonLayout(
    ("one", "both", "far"), ("One", "Both", "Far"), np.array([[0, 0], [9, 3], [40, -30]], np.float32)
)


@pytest.fixture
def panes(qtbot: QtBot) -> HeatPanes:
    shown = exposed(HeatPanes(), qtbot, 900, 260)
    shown.show_heat(LAYOUT, A_HEAT, B_HEAT | {"gone": 0.2})
    return shown


def test_heat_stands_in_the_same_place_on_both_sides(panes: HeatPanes) -> None:
    assert [hot.name for hot in panes._hot] == ["One", "Both"]  # what differs most comes first
    left, right, _ = panes.panes()
    for hot in panes._hot:
        away = panes.place(hot, 1) - panes.place(hot, 0)
        assert (away.x(), away.y()) == (right.left() - left.left(), 0)
        assert left.contains(panes.place(hot, 0))


def test_one_camera_for_all_panes(panes: HeatPanes, qtbot: QtBot) -> None:
    one, both = panes._hot
    before = panes.place(both) - panes.place(one)
    qtbot.keyClick(panes, Qt.Key.Key_Plus)
    for pane in range(3):
        now = panes.place(both, pane) - panes.place(one, pane)
        assert now.x() == pytest.approx(1.25 * before.x(), abs=2)
    spot, at = panes.panes()[1].center(), panes.place(one, 1)
    qtbot.mousePress(panes, Qt.MouseButton.LeftButton, pos=spot)
    move = QMouseEvent(
        QEvent.Type.MouseMove,
        QPointF(spot + QPoint(30, 10)),
        QPointF(panes.mapToGlobal(spot + QPoint(30, 10))),
        Qt.MouseButton.NoButton,
        Qt.MouseButton.LeftButton,
        Qt.KeyboardModifier.NoModifier,
    )
    panes.mouseMoveEvent(move)
    qtbot.mouseRelease(panes, Qt.MouseButton.LeftButton, pos=spot + QPoint(30, 10))
    assert panes.place(one, 1) - at == QPoint(30, 10)
    qtbot.keyClick(panes, Qt.Key.Key_0)
    assert panes.place(both) - panes.place(one) == before


def test_what_is_lit_is_told_and_chosen(panes: HeatPanes, qtbot: QtBot) -> None:
    with qtbot.waitSignal(panes.pointed) as pointed:
        qtbot.keyClick(panes, Qt.Key.Key_Down)
    assert pointed.args == ["one"]
    with qtbot.waitSignal(panes.chosen) as chosen:
        qtbot.mouseClick(panes, Qt.MouseButton.LeftButton, pos=panes.place(panes._hot[1], 2))
    assert chosen.args == ["both"]
    assert [part.words for part in panes._parts()] == ["40.0% in A, 0.0% in B", "20.0% in A, 50.0% in B"]


def test_a_narrow_panel_has_the_difference_below(panes: HeatPanes) -> None:
    panes.resize(420, panes.height())
    a, b, difference = panes.panes()
    assert a.top() == b.top() and difference.top() > a.bottom() and panes.height() > 2 * a.height()
