"""The beam of lab:hierarchical in the trace: levels, titles, scores; a press goes to the community."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

from app.explain.panel import ExplainPanel
from app.explain.rounds import BeamRow, beam_rows
from app.explain.timeline import Timeline
from app.look import theme
from app.session.selection import Selected
from app.widgets.table import RECORD_ROLE
from core.types import Beam, Community
from tests.app.panel_case import Case
from tests.app.pixels import colors_of

BEAM = (Beam(2, 7, ((4, 1.2), (5, 0.6))), Beam(1, 20, ((11, 0.9),)))
COMMUNITIES = [
    Community(4, 2, None, ("a", "b"), "Harbour & <b>board</b>", 0),
    Community(5, 2, None, ("c",), "Banks", 1),
    Community(11, 1, 4, ("a",), "Pilots", 0),
]


@pytest.fixture
def panel(case: Case, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> Timeline:
    # The small case has no communities of its own.
    monkeypatch.setattr(case.workspace.graph, "communities", lambda level=None: COMMUNITIES)
    widget = ExplainPanel(case.session)
    qtbot.addWidget(widget)
    widget.resize(900, 700)
    with qtbot.waitExposed(widget):
        widget.show()
    route = replace(case.answer.trace.route, name="hierarchical", forced=True)
    case.session.answered.emit(replace(case.answer, trace=replace(case.answer.trace, route=route, beam=BEAM)))
    qtbot.waitUntil(lambda: "Banks" in " ".join(row.words for row in rows(widget.timeline)))
    return widget.timeline


def rows(panel: Timeline) -> list[BeamRow]:
    model = panel.beam.model()
    return [model.index(at, 0).data(RECORD_ROLE) for at in range(model.rowCount())]


def test_levels_come_top_first_with_those_that_stayed(panel: Timeline) -> None:
    assert [row.words for row in rows(panel)] == [
        "Top level: 7 looked at, 2 stayed",
        "Harbour & <b>board</b>",
        "Banks",
        "Level 1: 20 looked at inside these, 1 stayed",
        "Pilots",
    ]
    assert [row.share for row in rows(panel) if row.community is not None] == pytest.approx([1, 0.5, 0.75])
    assert [row.colour for row in rows(panel) if row.community is not None] == [0, 1, 0]


def test_before_titles_are_read_communities_have_their_numbers() -> None:
    told = beam_rows((Beam(1, 3, ((12, -0.2), (13, -0.4))),), {})
    assert [row.words for row in told[1:]] == ["Community 12", "Community 13"]
    assert [row.share for row in told[1:]] == [0.0, 0.0]


def test_a_click_selects_the_community(panel: Timeline, case: Case, qtbot: QtBot) -> None:
    beam = panel.beam
    for row, chosen in ((2, Selected("community", "5")), (3, Selected("community", "5"))):
        spot = beam.visualRect(beam.model().index(row, 0)).center()  # row 3 is a level: nothing to choose
        qtbot.mouseClick(beam.viewport(), Qt.MouseButton.LeftButton, pos=spot)
        assert case.session.selection.current == chosen


def test_keys_go_down_the_beam_and_choose(panel: Timeline, case: Case, qtbot: QtBot) -> None:
    beam = panel.beam
    beam.setFocus()
    beam.setCurrentIndex(beam.model().index(2, 0))
    qtbot.keyClick(beam, Qt.Key.Key_Down)
    qtbot.keyClick(beam, Qt.Key.Key_Return)
    assert case.session.selection.current == Selected("community", "11")


def test_what_is_selected_elsewhere_is_marked(panel: Timeline, case: Case) -> None:
    case.session.selection.select(Selected("community", "5"))
    assert [index.row() for index in panel.beam.selectedIndexes()] == [2]
    case.session.selection.select(Selected("community", "99"))
    assert panel.beam.selectedIndexes() == []


def test_the_beam_is_copied_as_text(panel: Timeline, qtbot: QtBot) -> None:
    panel.beam.setFocus()
    panel.beam.clearSelection()
    qtbot.keyClick(panel.beam, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    lines = QGuiApplication.clipboard().text().splitlines()
    assert lines[1] == "Harbour & <b>board</b>\t1.20" and len(lines) == 5


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_the_bar_of_the_best_is_the_longest(panel: Timeline, mode: theme.Mode, qapp: object) -> None:
    theme.apply(qapp, mode)  # type: ignore[arg-type]
    color = colors_of(panel.beam)
    accent = theme.current().color("accent").rgb()

    def length(row: int) -> int:
        middle = panel.beam.visualRect(panel.beam.model().index(row, 0)).center().y()
        return sum(color(x, middle).rgb() == accent for x in range(panel.beam.width()))

    assert length(1) > length(4) > length(2) > 0
    assert length(0) == length(3) == 0


def test_another_answer_takes_the_beam_away(panel: Timeline, case: Case) -> None:
    assert panel.beam.isVisible()
    case.session.answered.emit(case.answer)
    assert not panel.beam.isVisible() and rows(panel) == []
