"""A person asks, marks what should have been found, and compares two ways, with real keys and clicks."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.compare.panel import ComparePanel
from app.misses.panel import MissesPanel
from app.session import operations
from app.session.session import Session
from app.shell.main_window import MainWindow
from core.types import StepState
from tests.e2e.keyboard import Keyboard

pytestmark = pytest.mark.long

QUESTION = "Who commanded the Grey Petrel?"


def test_missed_and_compared(qtbot: QtBot, window: MainWindow, session: Session, sample_copy: Path) -> None:
    keys = Keyboard(qtbot, window, session)
    operations.open_workspace(session, sample_copy)
    keys.until(lambda: window.workbench is not None and window.workbench.graph.canvas.node_count > 20)
    workspace, bench = session.workspace, window.workbench
    assert workspace is not None and bench is not None
    misses, compare = bench.panels["misses"], bench.panels["compare"]
    assert isinstance(misses, MissesPanel) and isinstance(compare, ComparePanel)

    keys.press("Alt+M")
    assert not misses.isVisible()
    answer = keys.ask(QUESTION)
    cited = {each.document_id for each in answer.citations}
    other = next(each for each in workspace.documents.all() if each.id not in cited and each.state == "done")
    operations.select_document(session, other.id)
    keys.press("Alt+M")
    keys.until(lambda: misses.isVisible() and misses.trials.model().rowCount() > 0, 200_000)
    step = misses.strip.current
    assert step is not None and step.state is StepState.LOST and misses.words.text() == step.words
    keys.until(lambda: not misses._tasks.busy("try"), 400_000)
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
