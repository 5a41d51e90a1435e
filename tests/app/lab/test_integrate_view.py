"""Integrators in the lab: curves of one that is kept, a training as it comes, what language models read by."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from app.lab.integrate_view import IntegrateView
from app.lab.panel import INTEGRATE, LabPanel
from app.session import operations
from app.session.session import Message, Session
from core.answering.integration.model import load_model, save_model
from tests.app.one_window import ONE_WINDOW, bench_on

LEFT = Qt.MouseButton.LeftButton
NAMES = ("relevance", "faithfulness", "conciseness")

preferences, session, window, calm = ONE_WINDOW
bench = bench_on("sample_path", nodes=20)


def row_of(at: int) -> dict[str, float]:
    values = (0.5 + at / 100, 0.7, 0.9 - at / 100)
    return {
        **dict(zip(NAMES, values, strict=True)),
        **{f"w {name}": 1.0 for name in NAMES},
        "joined": 2,
        "loss": 0,
    }


REPORT = {
    "corpora": ["mine"],
    "questions": 18,
    "steps": [row_of(at) for at in range(12)],
    "held": {
        "whole passages": {"questions": 6, "right": 0.5, "kept": 1.0, "rewards": {}},
        "distilled, not stopping": {"questions": 6, "right": 1 / 3, "kept": 0.39, "rewards": {}},
    },
}


def kept(session: Session, report: dict[str, Any] = REPORT) -> Path:
    """As a process would have left it."""
    assert session.workspace is not None
    path = session.workspace.integrators.begin()
    save_model(load_model()[0], path, json.dumps(report))
    return path


@pytest.fixture
def view(panel: LabPanel, session: Session, qtbot: QtBot) -> IntegrateView:
    """In front, once it knows what there is."""
    session.commands.run("lab.integrate")
    assert panel.view == INTEGRATE
    view = panel.integrate
    qtbot.waitUntil(lambda: bool(view.integrators))
    return view


def chosen(view: IntegrateView, path: Path, qtbot: QtBot) -> None:
    view.renew()
    qtbot.waitUntil(lambda: path in [each.path for each in view.integrators])
    at = [each.path for each in view.integrators].index(path)
    view.choice.setCurrentIndex(at)
    view.choice.activated.emit(at)


def test_the_one_that_clew_comes_with_is_drawn_at_once(view: IntegrateView) -> None:
    report = json.loads(load_model()[1])
    assert view.choice.currentText() == "The one that Clew comes with"
    assert len(view.rewards.rows) == len(view.weights.rows) == len(report["steps"])
    assert [row["relevance"] for row in view.rewards.rows] == [step["relevance"] for step in report["steps"]]
    assert [row["relevance"] for row in view.weights.rows] == [
        step["w relevance"] for step in report["steps"]
    ]
    assert view.notice.text().startswith(f"Trained on {report['questions']} questions.")
    assert not view.remove_button.isEnabled() and not view.empty.isVisible()
    assert not view.table.isVisible() and "No questions were kept apart" in view.measured.text()


def test_steps_are_gone_through_by_key_and_by_press(
    view: IntegrateView, session: Session, qtbot: QtBot
) -> None:
    chosen(view, kept(session), qtbot)
    view.rewards.setFocus()
    QTest.keyClick(view.rewards, Qt.Key.Key_Home)
    assert view.pointed.text().startswith("Step 1 of 12: relevance 0.500, faithfulness 0.700")
    QTest.keyClick(view.rewards, Qt.Key.Key_Right)
    assert view.rewards.step == view.weights.step == 1
    QTest.keyClick(view.rewards, Qt.Key.Key_End)
    QTest.keyClick(view.rewards, Qt.Key.Key_Right)
    assert view.rewards.step == 11, "not beyond the last"
    qtbot.mouseClick(view.weights.viewport(), LEFT, pos=view.weights.on_screen(4).toPoint())
    assert view.rewards.step == 4 and "Step 5 of 12: relevance 0.540" in view.pointed.text()
    view.dynamic.setFocus()
    QTest.keyClick(view.dynamic, Qt.Key.Key_Space)
    assert not view.dynamic.isChecked()


def test_what_its_texts_are_worth_is_a_table(view: IntegrateView, session: Session, qtbot: QtBot) -> None:
    chosen(view, kept(session), qtbot)
    model = view.table.model()
    rows = [[model.index(at, column).data() for column in range(3)] for at in range(model.rowCount())]
    assert rows[0][:2] == ["Whole passages", "0.500"] and rows[0][2].startswith("100")
    assert rows[1][:2] == ["Distilled, fills the budget", "0.333"] and rows[1][2].startswith("39")
    assert "On 6 questions" in view.measured.text()


def test_language_models_read_by_the_chosen_one_and_it_is_taken_back(
    view: IntegrateView, session: Session, qtbot: QtBot
) -> None:
    workspace, told = session.workspace, list[Message]()
    assert workspace is not None
    session.message_posted.connect(told.append)
    path = kept(session)
    chosen(view, path, qtbot)
    qtbot.mouseClick(view.use_button, LEFT)
    qtbot.waitUntil(lambda: view.used == str(path))
    assert workspace.config.answer.distilled == "true" and workspace.config.answer.integrator == str(path)
    assert view.use_button.text() == "Whole passages again" and "\u2713" in view.notice.text()
    undo = told[-1].act
    assert undo is not None
    undo()
    qtbot.waitUntil(lambda: view.used == "")
    assert workspace.config.answer.integrator == "", "the one that Clew comes with, as before"
    qtbot.mouseClick(view.use_button, LEFT)
    qtbot.waitUntil(lambda: view.used == str(path))
    qtbot.mouseClick(view.use_button, LEFT)
    qtbot.waitUntil(lambda: view.used is None)
    assert workspace.config.answer.distilled == "false"
    qtbot.mouseClick(view.use_button, LEFT)
    qtbot.waitUntil(lambda: view.used == str(path))
    qtbot.mouseClick(view.remove_button, LEFT)
    qtbot.waitUntil(
        lambda: (
            not path.exists() and view.used is None and path not in [each.path for each in view.integrators]
        )
    )


def test_a_broken_one_says_so_and_cannot_be_used(view: IntegrateView, session: Session, qtbot: QtBot) -> None:
    assert session.workspace is not None
    path = session.workspace.integrators.begin()
    path.write_bytes(b"none")
    chosen(view, path, qtbot)
    assert "cannot be read" in view.notice.text() and not view.use_button.isEnabled()
    assert view.empty.isVisible() and not view.rewards.isVisible()
    other = kept(session, {"steps": [{"relevance": "much"}]})
    chosen(view, other, qtbot)
    assert "cannot be read" in view.notice.text()


def test_it_says_what_to_do_first(view: IntegrateView, session: Session) -> None:
    view.asked.source.setCurrentIndex(view.asked.source.findData("pins"))
    assert not view.run_button.isEnabled() and "No question is pinned yet" in view.run_button.toolTip()
    view.asked.source.setCurrentIndex(view.asked.source.findData("made"))
    assert view.run_button.isEnabled()
    view.asked.count.setValue(3)
    assert "At least 8 questions" in view.run_button.toolTip()
    assert "At least 8 questions" in session.commands["lab.train"].why_not()


def test_a_training_that_cannot_start_says_so(
    view: IntegrateView, session: Session, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.session.running.training_command", lambda *_: ["/nowhere/at/all"])
    told = list[Message]()
    session.message_posted.connect(told.append)
    view.asked.count.setValue(8)
    qtbot.mouseClick(view.run_button, LEFT)
    qtbot.waitUntil(lambda: any(message.level == "error" for message in told))
    assert "stopped unexpectedly" in next(each.text for each in told if each.level == "error")
    assert view.run_button.text() == "Train"


@pytest.mark.long
def test_a_training_is_seen_as_it_comes_and_kept(
    view: IntegrateView, session: Session, qtbot: QtBot, forked_lab: None
) -> None:
    view.asked.count.setValue(8)
    view.steps.setValue(3)
    qtbot.mouseClick(view.run_button, LEFT)
    qtbot.waitUntil(lambda: session.training.running, timeout=20_000)
    assert view.run_button.text() == "Cancel" and not view.asked.source.isEnabled()
    qtbot.waitUntil(lambda: len(view.rewards.rows) > 1, timeout=240_000)
    assert session.training.running, "they are seen before it is done"
    qtbot.waitUntil(lambda: not session.training.running, timeout=240_000)
    qtbot.waitUntil(lambda: view.chosen is not None and view.chosen.path == session.training.out)
    assert view.chosen is not None and len(view.chosen.steps) == len(view.rewards.rows) == 3
    assert {way.name for way in view.chosen.holdout} >= {"whole passages", "distilled"}
    assert view.table.model().rowCount() == len(view.chosen.holdout) and view.run_button.text() == "Train"


@pytest.mark.long
def test_a_training_is_cancelled_and_leaves_nothing(
    view: IntegrateView, session: Session, qtbot: QtBot, forked_lab: None
) -> None:
    view.asked.count.setValue(8)
    view.steps.setValue(400)
    qtbot.mouseClick(view.run_button, LEFT)
    qtbot.waitUntil(lambda: session.training.running, timeout=20_000)
    qtbot.waitUntil(lambda: view.progress.maximum() > 0, timeout=120_000)
    qtbot.mouseClick(view.run_button, LEFT)
    qtbot.waitUntil(lambda: not session.training.running, timeout=60_000)
    assert session.training.out is not None and not session.training.out.exists()
    operations.close_workspace(session)
    assert not view.integrators and not view.run_button.isEnabled()
