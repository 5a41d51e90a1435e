"""The trace: figures, tables that sort, filter and copy, JSON."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

from app.answers.wording import duration
from app.session.selection import Selected
from app.trace.panel import TracePanel
from app.trace.stages import stage_rows
from app.widgets.table import RECORD_ROLE, SORT_ROLE, TraceTable
from core.types import Hit, Stage
from tests.app.panel_case import QUESTION, Case
from tests.waiting import process_events, wait_until_landed

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def panel(case: Case, qtbot: QtBot) -> TracePanel:
    widget = TracePanel(case.session)
    qtbot.addWidget(widget)
    widget.resize(900, 700)
    with qtbot.waitExposed(widget):
        widget.show()
    case.session.answered.emit(case.answer)
    process_events()
    return widget


def cells(table: TraceTable, column: int) -> list[str]:
    model = table.model()
    return [model.index(row, column).data() for row in range(model.rowCount())]


def click_row(table: TraceTable, row: int, qtbot: QtBot) -> None:
    spot = table.visualRect(table.model().index(row, 0)).center()
    qtbot.mouseClick(table.viewport(), LEFT, pos=spot)


def click_heading(table: TraceTable, column: int, qtbot: QtBot) -> None:
    header = table.horizontalHeader()
    spot = QPoint(header.sectionViewportPosition(column) + 12, header.height() // 2)
    qtbot.mouseClick(header.viewport(), LEFT, pos=spot)


def test_question_route_and_totals(panel: TracePanel) -> None:
    assert panel.question.text() == QUESTION
    assert panel.route.text() == "Graph: the graph's share 0.83 is at or above 0.65."
    assert panel.totals.text().split("  \u00b7  ") == [
        "4 stages in 57 ms",
        "4 passages",
        "2 seeds",
        "2 entities with heat",
    ]


def test_stages_lie_one_after_the_other(panel: TracePanel, case: Case) -> None:
    model = panel.stages.model()
    rows = [model.index(row, 0).data(RECORD_ROLE) for row in range(model.rowCount())]
    assert [row.stage.name for row in rows] == ["route", "seeds", "graph", "answer"]
    assert rows[0].begin == 0
    assert rows[2].begin == pytest.approx((0.0021 + 0.0043) / 0.0572)
    assert rows[3].begin + rows[3].share == pytest.approx(1.0)
    assert model.index(2, 0).data() == "Walk over the graph"
    heard = model.index(2, 0).data(Qt.ItemDataRole.AccessibleTextRole)
    assert heard == "Walk over the graph; 12 ms; 31 steps, 1,204 nodes"
    assert panel.stages.verticalScrollBar().maximum() == 0, "every stage is in sight"


def test_time_that_no_stage_names_is_left_over() -> None:
    rows = stage_rows((Stage("dense", 0.25), Stage("answer", 0.25)), 1.0)
    assert [(row.begin, row.share) for row in rows] == [(0.0, 0.25), (0.25, 0.25)]


def test_numbers_are_right_aligned_and_sort_as_numbers(panel: TracePanel, case: Case, qtbot: QtBot) -> None:
    assert cells(panel.hits, 0) == ["1", "2", "3", "4"]
    assert cells(panel.hits, 1) == ["0.0900", "0.0600", "0.0450", "0.0090"]
    alignment = panel.hits.model().index(0, 1).data(Qt.ItemDataRole.TextAlignmentRole)
    assert Qt.AlignmentFlag(alignment) & Qt.AlignmentFlag.AlignRight
    assert panel.hits.model().index(0, 1).data(SORT_ROLE) == 0.09
    click_heading(panel.hits, 1, qtbot)
    assert cells(panel.hits, 1) == ["0.0090", "0.0450", "0.0600", "0.0900"]
    click_heading(panel.hits, 1, qtbot)
    assert cells(panel.hits, 0) == ["1", "2", "3", "4"]


def test_ten_comes_after_nine(panel: TracePanel, case: Case, qtbot: QtBot) -> None:
    hits = tuple(Hit(str(rank), 1 / rank, rank) for rank in range(1, 13))
    case.session.answered.emit(replace(case.answer, trace=replace(case.answer.trace, hits=hits)))
    click_heading(panel.hits, 0, qtbot)
    assert cells(panel.hits, 0) == [str(rank) for rank in range(1, 13)]


def test_a_click_on_a_seed_selects_the_entity(panel: TracePanel, case: Case, qtbot: QtBot) -> None:
    assert cells(panel.seeds, 0) == ["Grey Petrel", "Calder Reach Trading Ltd"]
    assert cells(panel.seeds, 1) == ["0.750", "0.250"]
    click_row(panel.seeds, 1, qtbot)
    assert case.session.selection.current == Selected("entity", case.answer.trace.seeds[1].entity_id)


def test_enter_on_a_hit_selects_its_passage(panel: TracePanel, case: Case, qtbot: QtBot) -> None:
    panel.hits.setFocus()
    panel.hits.setCurrentIndex(panel.hits.model().index(0, 0))
    qtbot.keyClick(panel.hits, Qt.Key.Key_Down)
    qtbot.keyClick(panel.hits, Qt.Key.Key_Return)
    current = case.session.selection.current
    assert current is not None
    assert (current.kind, current.id) == ("passage", case.answer.trace.hits[1].passage_id)


def test_the_filter_keeps_rows_that_hold_the_words(panel: TracePanel, qtbot: QtBot) -> None:
    qtbot.keyClicks(panel.filter, "calder")
    assert cells(panel.seeds, 0) == ["Calder Reach Trading Ltd"]
    panel.filter.clear()
    qtbot.keyClicks(panel.filter, "letters/")
    assert cells(panel.hits, 0) == ["1", "4"]


def test_tables_are_copied_with_their_headings(panel: TracePanel, qtbot: QtBot) -> None:
    click_row(panel.seeds, 0, qtbot)
    qtbot.keyClick(panel.seeds, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert (
        QGuiApplication.clipboard().text() == "Entity\tWeight\tWhy\nGrey Petrel\t0.750\tnamed in the question"
    )
    panel.stages.selectAll()
    qtbot.keyClick(panel.stages, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert (
        QGuiApplication.clipboard().text().split("\n")[0] == "Choose the route\t2 ms\tgraph, complexity 0.83"
    )


def test_the_whole_trace_is_copied_as_json(panel: TracePanel, case: Case, qtbot: QtBot) -> None:
    qtbot.mouseClick(panel.copy_button, LEFT)
    wait_until_landed(case.session.tasks)
    copied = json.loads(QGuiApplication.clipboard().text())
    assert copied["question"] == QUESTION
    assert copied["route"]["complexity"]["low"] == 0.35
    assert copied["heat"] == case.answer.trace.heat
    assert [hit["rank"] for hit in copied["hits"]] == [1, 2, 3, 4]


def test_a_route_without_a_walk_says_so(panel: TracePanel, case: Case) -> None:
    trace = replace(case.answer.trace, seeds=(), heat={})
    case.session.answered.emit(replace(case.answer, trace=trace))
    assert panel.no_seeds.isVisible()
    assert not panel.seeds.isVisible()
    assert "seeds" not in panel.totals.text()


@pytest.mark.parametrize("width", [340, 420, 720, 1200])
def test_nothing_reaches_over_the_edge(panel: TracePanel, width: int, qtbot: QtBot) -> None:
    panel.resize(width, 500)
    process_events()
    for table in (panel.seeds, panel.hits):
        right = table.mapTo(panel, table.rect().topRight()).x()
        assert right <= width
        shown = sum(table.columnWidth(at) for at in range(table.model().columnCount()))
        assert shown <= table.viewport().width()
    assert panel.hits.isColumnHidden(3) == (panel.hits.viewport().width() < 420)


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0.0004, "0.4 ms"), (0.0124, "12 ms"), (0.9999, "1.00 s"), (1.239, "1.24 s"), (125.0, "2 min 05 s")],
)
def test_times_carry_their_unit(seconds: float, words: str) -> None:
    assert duration(seconds) == words


def test_behind_another_panel_it_is_laid_open_when_it_comes_to_the_front(
    panel: TracePanel, case: Case
) -> None:
    panel.set_in_front(False)
    question = panel.question.text()
    case.session.answered.emit(replace(case.answer, trace=replace(case.answer.trace, question="Who was it?")))
    assert panel.question.text() == question
    panel.set_in_front(True)
    assert panel.question.text() == "Who was it?"
    panel.set_in_front(False)
    case.session.answered.emit(case.answer)
    panel.clear()
    panel.set_in_front(True)
    assert panel._answer is None, "what was put away does not come back"
