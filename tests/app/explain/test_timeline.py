"""The timeline and the ranked passages: figures, tables that sort, filter and copy, JSON."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

from app.answers.wording import duration
from app.explain.panel import RANKS, TIMELINE, ExplainPanel
from app.explain.stages import stage_rows
from app.session.selection import Selected
from app.widgets.table import RECORD_ROLE, SORT_ROLE, TraceTable
from core.types import Hit, Stage
from tests.app.panel_case import QUESTION, Case
from tests.waiting import process_events, wait_until_landed

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def panel(case: Case, qtbot: QtBot) -> ExplainPanel:
    widget = ExplainPanel(case.session)
    qtbot.addWidget(widget)
    widget.resize(900, 700)
    with qtbot.waitExposed(widget):
        widget.show()
    case.session.answered.emit(case.answer)
    process_events()
    return widget


@pytest.fixture
def ranked(panel: ExplainPanel, monkeypatch: pytest.MonkeyPatch) -> ExplainPanel:
    """With the ranked passages in front; they are not ranked again."""
    monkeypatch.setattr(panel.live, "open_question", lambda _: None)
    panel.turn_to(RANKS)
    process_events()
    return panel


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


def test_question_route_and_totals(panel: ExplainPanel) -> None:
    assert panel.question.text() == QUESTION
    assert panel.timeline.route.text() == "Graph: the graph's share 0.83 is at or above 0.65."
    assert panel.timeline.totals.text().split("  \u00b7  ") == [
        "4 stages in 57 ms",
        "4 passages",
        "2 seeds",
        "2 entities with heat",
    ]


def test_stages_lie_one_after_the_other(panel: ExplainPanel, case: Case) -> None:
    model = panel.timeline.stages.model()
    rows = [model.index(row, 0).data(RECORD_ROLE) for row in range(model.rowCount())]
    assert [row.stage.name for row in rows] == ["route", "seeds", "graph", "answer"]
    assert rows[0].begin == 0
    assert rows[2].begin == pytest.approx((0.0021 + 0.0043) / 0.0572)
    assert rows[3].begin + rows[3].share == pytest.approx(1.0)
    assert model.index(2, 0).data() == "Walk over the graph"
    heard = model.index(2, 0).data(Qt.ItemDataRole.AccessibleTextRole)
    assert heard == "Walk over the graph; 12 ms; 31 steps, 1,204 nodes"
    assert panel.timeline.stages.verticalScrollBar().maximum() == 0, "every stage is in sight"


def test_time_that_no_stage_names_is_left_over() -> None:
    rows = stage_rows((Stage("dense", 0.25), Stage("answer", 0.25)), 1.0)
    assert [(row.begin, row.share) for row in rows] == [(0.0, 0.25), (0.25, 0.25)]


def test_numbers_are_right_aligned_and_sort_as_numbers(
    ranked: ExplainPanel, case: Case, qtbot: QtBot
) -> None:
    assert cells(ranked.ranks.hits, 0) == ["1", "2", "3", "4"]
    assert cells(ranked.ranks.hits, 1) == ["0.0900", "0.0600", "0.0450", "0.0090"]
    alignment = ranked.ranks.hits.model().index(0, 1).data(Qt.ItemDataRole.TextAlignmentRole)
    assert Qt.AlignmentFlag(alignment) & Qt.AlignmentFlag.AlignRight
    assert ranked.ranks.hits.model().index(0, 1).data(SORT_ROLE) == 0.09
    click_heading(ranked.ranks.hits, 1, qtbot)
    assert cells(ranked.ranks.hits, 1) == ["0.0090", "0.0450", "0.0600", "0.0900"]
    click_heading(ranked.ranks.hits, 1, qtbot)
    assert cells(ranked.ranks.hits, 0) == ["1", "2", "3", "4"]


def test_ten_comes_after_nine(ranked: ExplainPanel, case: Case, qtbot: QtBot) -> None:
    hits = tuple(Hit(str(rank), 1 / rank, rank) for rank in range(1, 13))
    case.session.answered.emit(replace(case.answer, trace=replace(case.answer.trace, hits=hits)))
    click_heading(ranked.ranks.hits, 0, qtbot)
    assert cells(ranked.ranks.hits, 0) == [str(rank) for rank in range(1, 13)]


def test_a_click_on_a_seed_selects_the_entity(ranked: ExplainPanel, case: Case, qtbot: QtBot) -> None:
    assert cells(ranked.ranks.seeds, 0) == ["Grey Petrel", "Calder Reach Trading Ltd"]
    assert cells(ranked.ranks.seeds, 1) == ["0.750", "0.250"]
    click_row(ranked.ranks.seeds, 1, qtbot)
    assert case.session.selection.current == Selected("entity", case.answer.trace.seeds[1].entity_id)


def test_enter_on_a_hit_selects_its_passage(ranked: ExplainPanel, case: Case, qtbot: QtBot) -> None:
    ranked.ranks.hits.setFocus()
    ranked.ranks.hits.setCurrentIndex(ranked.ranks.hits.model().index(0, 0))
    qtbot.keyClick(ranked.ranks.hits, Qt.Key.Key_Down)
    qtbot.keyClick(ranked.ranks.hits, Qt.Key.Key_Return)
    current = case.session.selection.current
    assert current is not None
    assert (current.kind, current.id) == ("passage", case.answer.trace.hits[1].passage_id)


def test_the_filter_keeps_rows_that_hold_the_words(ranked: ExplainPanel, qtbot: QtBot) -> None:
    qtbot.keyClicks(ranked.filter, "calder")
    assert cells(ranked.ranks.seeds, 0) == ["Calder Reach Trading Ltd"]
    ranked.filter.clear()
    qtbot.keyClicks(ranked.filter, "letters/")
    assert cells(ranked.ranks.hits, 0) == ["1", "4"]


def test_tables_are_copied_with_their_headings(ranked: ExplainPanel, qtbot: QtBot) -> None:
    click_row(ranked.ranks.seeds, 0, qtbot)
    qtbot.keyClick(ranked.ranks.seeds, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert (
        QGuiApplication.clipboard().text() == "Entity\tWeight\tWhy\nGrey Petrel\t0.750\tnamed in the question"
    )
    ranked.timeline.stages.selectAll()
    qtbot.keyClick(ranked.timeline.stages, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert (
        QGuiApplication.clipboard().text().split("\n")[0] == "Choose the route\t2 ms\tgraph, complexity 0.83"
    )


def test_the_whole_trace_is_copied_as_json(panel: ExplainPanel, case: Case, qtbot: QtBot) -> None:
    qtbot.mouseClick(panel.copy_button, LEFT)
    wait_until_landed(case.session.tasks)
    copied = json.loads(QGuiApplication.clipboard().text())
    assert copied["question"] == QUESTION
    assert copied["route"]["complexity"]["low"] == 0.35
    assert copied["heat"] == case.answer.trace.heat
    assert [hit["rank"] for hit in copied["hits"]] == [1, 2, 3, 4]


def test_a_route_without_a_walk_says_so(ranked: ExplainPanel, case: Case) -> None:
    trace = replace(case.answer.trace, seeds=(), heat={})
    case.session.answered.emit(replace(case.answer, trace=trace))
    assert ranked.ranks.no_seeds.isVisible()
    assert not ranked.ranks.seeds.isVisible()
    ranked.turn_to(TIMELINE)
    assert "seeds" not in ranked.timeline.totals.text()


@pytest.mark.parametrize("width", [420, 720, 1200])
def test_nothing_reaches_over_the_edge(ranked: ExplainPanel, width: int, qtbot: QtBot) -> None:
    ranked.resize(width, 500)
    process_events()
    for table in (ranked.ranks.seeds, ranked.ranks.hits):
        right = table.mapTo(ranked, table.rect().topRight()).x()
        assert right <= width
        shown = sum(table.columnWidth(at) for at in range(table.model().columnCount()))
        assert shown <= table.viewport().width()
    assert ranked.ranks.hits.isColumnHidden(3) == (ranked.ranks.hits.viewport().width() < 420)


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0.0004, "0.4 ms"), (0.0124, "12 ms"), (0.9999, "1.00 s"), (1.239, "1.24 s"), (125.0, "2 min 05 s")],
)
def test_times_carry_their_unit(seconds: float, words: str) -> None:
    assert duration(seconds) == words


def test_behind_another_panel_it_is_laid_open_when_it_comes_to_the_front(
    panel: ExplainPanel, case: Case
) -> None:
    panel.set_in_front(False)
    before = panel.timeline.subject
    case.session.answered.emit(replace(case.answer, trace=replace(case.answer.trace, question="Who was it?")))
    assert panel.timeline.subject is before
    panel.set_in_front(True)
    assert panel.timeline.subject is panel.subject is not before
    panel.set_in_front(False)
    case.session.answered.emit(case.answer)
    panel.clear()
    panel.set_in_front(True)
    assert panel.timeline.subject is None, "what was put away does not come back"
