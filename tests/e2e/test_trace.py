"""A person finds out why an answer is what it is: stages opened by hand and key, a trace kept, opened and compared."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog

from app.explain.panel import ExplainPanel
from app.session import operations
from app.session.session import Session
from app.shell.main_window import MainWindow
from app.shell.workbench import Workbench
from app.widgets.table import RECORD_ROLE, TraceTable
from core.types.stages import Reading
from tests.e2e.keyboard import Keyboard
from tests.e2e.pictures import pictures

pytestmark = pytest.mark.long
ARRESTED = "Where was Tobias Renwick arrested?"


def displayed(table: TraceTable, column: int) -> list[str]:
    model = table.model()
    return [model.index(row, column).data() for row in range(model.rowCount())]


def row_of(panel: ExplainPanel, name: str) -> int:
    model = panel.timeline.stages.model()
    rows = [model.index(row, 0).data(RECORD_ROLE).stage.name for row in range(model.rowCount())]
    return rows.index(name)


def press(panel: ExplainPanel, name: str) -> None:
    """A click on the row of a stage, where a person would have scrolled to it."""
    box = panel.timeline.stages.visualRect(panel.timeline.stages.model().index(row_of(panel, name), 0))
    spot = box.topLeft() + QPoint(40, 10)
    place = panel.timeline.stages.viewport().mapTo(panel.timeline.area.content, spot)
    panel.timeline.area.ensureVisible(place.x(), place.y())
    QTest.mouseClick(panel.timeline.stages.viewport(), Qt.MouseButton.LeftButton, pos=spot)
    QApplication.processEvents()


def opened_dialog(keys: Keyboard) -> QFileDialog:
    keys.until(lambda: bool(keys.window.findChildren(QFileDialog)))
    (dialog,) = keys.window.findChildren(QFileDialog)
    return dialog


def test_from_the_question_to_its_answer_laid_open(
    window: MainWindow, session: Session, keys: Keyboard, bench: Workbench, tmp_path: Path
) -> None:
    panel = bench.explain
    keys.press("Alt+3")
    keys.ask(ARRESTED)
    keys.press("Ctrl+7")
    keys.until(lambda: panel.isVisible() and panel.question.text() == ARRESTED)

    press(panel, "route")
    assert panel.timeline.detail.isVisible() and panel.timeline.detail.sections
    press(panel, "seeds")
    candidates, sentences = (section.table for section in panel.timeline.detail.sections)
    assert "Tobias Renwick" in displayed(candidates, 0)
    assert "not in the 3 nearest sentences" in displayed(candidates, 3)
    keys.until(lambda: any("arrested" in words for words in displayed(sentences, 1)))

    pictures(window, "point-3-trace")
    keys.tab_to(panel.timeline.stages)
    while panel.timeline.stages.open_at != row_of(panel, "answer"):
        keys.press("Down")
    keys.press("Right")
    answers, read = (section.table for section in panel.timeline.detail.sections)
    assert keys.focus is answers
    assert session.answer is not None
    reading = next(stage.data for stage in session.answer.trace.stages if isinstance(stage.data, Reading))
    assert displayed(answers, 0) == [each.text for each in reading.answers]
    assert displayed(read, 5).count("") == 1
    keys.press("Down", "Return")
    current = session.selection.current
    assert current is not None and current.kind == "passage"

    stored = tmp_path / "kept.json"
    session.commands.run("trace.save")
    opened_dialog(keys).fileSelected.emit(str(stored))
    opened_dialog(keys).close()
    keys.until(stored.exists)
    keys.until(lambda: not window.findChildren(QFileDialog))

    operations.ask(session, ARRESTED, "dense")
    keys.until(lambda: session.answer is not None and session.answer.trace.route.name == "dense")
    keys.press("Ctrl+7")
    session.commands.run("trace.before")
    keys.until(panel.sides.comparison.isVisible)
    _, passages, stages, seeds = (section.table for section in panel.sides.comparison.sections)
    pictures(window, "point-3-compared")
    assert "not run" in displayed(stages, 2) and set(displayed(seeds, 3)) == {"lost"}
    assert any(way.startswith(("▲", "▼")) for way in displayed(passages, 2))
    keys.press("Escape")
    assert not panel.sides.comparison.isVisible()

    session.commands.run("trace.open")
    opened_dialog(keys).fileSelected.emit(str(stored))
    opened_dialog(keys).close()
    keys.until(panel.banner.isVisible)
    assert "kept.json" in panel.source.text() and row_of(panel, "seeds") > 0
    keys.tab_to(panel.back_button)
    keys.press("Space")
    assert not panel.banner.isVisible() and panel.timeline.route.text().startswith("Dense")
