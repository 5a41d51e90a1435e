"""A person asks, marks what should have been found, and compares two ways, with real keys and clicks."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.explain.side_by_side import SideBySideTab
from app.session import operations
from app.session.session import Session
from app.shell.main_window import MainWindow
from app.shell.workbench import Workbench
from core.types import StepState
from tests.conftest import copied
from tests.e2e.keyboard import Keyboard
from tests.e2e.pictures import pictures
from tests.waiting import wait_until_landed

pytestmark = pytest.mark.long

QUESTION = "Who commanded the Grey Petrel?"


def test_missed_and_compared(
    qtbot: QtBot,
    window: MainWindow,
    session: Session,
    keys: Keyboard,
    bench: Workbench,
    sample_path: Path,
    tmp_path: Path,
) -> None:
    another, workspace = copied(sample_path, tmp_path / "another"), session.workspace
    assert workspace is not None
    misses, compare = bench.explain.missed, bench.explain.sides

    keys.press("Alt+3", "Alt+M")
    assert misses.trials.model() is None or not misses.trials.model().rowCount(), "nothing was asked yet"
    answer = keys.ask(QUESTION)
    cited = {each.document_id for each in answer.citations}
    other = next(each for each in workspace.documents.all() if each.id not in cited and each.state == "done")
    operations.select_document(session, other.id)
    keys.press("Alt+M")
    keys.until(lambda: misses.isVisible() and misses.trials.model().rowCount() > 0, 200_000)
    step = misses.strip.current
    assert step is not None and step.state is StepState.LOST and misses.words.text() == step.words
    wait_until_landed(session.tasks)
    pictures(window, "point-5-misses")
    keys.tab_to(misses.strip)
    keys.press("Home")
    assert misses.strip.current != step and misses.strip.current.state is StepState.PASSED
    misses.area.ensureWidgetVisible(misses.trials)
    model = misses.trials.model()
    routed = next(row for row in range(model.rowCount()) if "route dense" in model.index(row, 0).data())
    place = misses.trials.visualRect(model.index(routed, 0)).center()
    qtbot.mouseClick(misses.trials.viewport(), Qt.MouseButton.LeftButton, pos=place)
    with qtbot.waitSignal(session.answered, timeout=200_000):
        qtbot.mouseClick(misses.ask_button, Qt.MouseButton.LeftButton)
    assert session.answer is not None and session.answer.trace.route.name == "dense"

    keys.press("Alt+C")
    keys.until(lambda: compare.isVisible() and compare.done, 200_000)
    assert [side.way.route for side in compare.sides] == ["dense", "graph"]
    heat = dict(session.overlay.current.heat)
    qtbot.mouseClick(compare.heat.buttons[1], Qt.MouseButton.LeftButton)
    assert not heat and dict(session.overlay.current.heat)
    keys.tab_to(compare.lines)
    keys.press("Down", "Return")
    assert session.selection.current is not None and session.selection.current.kind == "passage"

    heat_of_two_workspaces(keys, compare, another)


def heat_of_two_workspaces(keys: Keyboard, compare: SideBySideTab, another: Path) -> None:
    """A is asked of another workspace, B under another setting; their heat stands side by side."""
    compare.sides[0].set_route("graph")
    compare.sides[0].set_workspace(another)
    compare.sides[1].settings.setText("retrieval.damping=0.85")
    compare.question.setFocus()
    keys.press("Return")
    keys.until(lambda: compare.done, 200_000)
    wait_until_landed(keys.session.tasks)
    keys.tab_to(compare.panes)
    keys.press("Down")
    lit = compare.panes.lit
    assert lit is not None and lit.a > 0 and lit.b > 0 and lit.a != lit.b, "both walked the same graph"
    a, b, _ = compare.panes.panes()
    assert compare.panes.place(lit, 1).x() - compare.panes.place(lit, 0).x() == b.left() - a.left()
    keys.press("Return")
    current = keys.session.selection.current
    assert current is not None and current.id == lit.id

    def panes_in_sight() -> None:
        compare.area.ensureWidgetVisible(compare.panes, 0, 0)

    pictures(keys.window, "point-4-heat", panes_in_sight)
    compare.area.verticalScrollBar().setValue(0)
    pictures(keys.window, "point-4-compare")
