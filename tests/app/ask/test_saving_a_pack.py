"""The answer that is shown is kept as an evidence pack, with a sign of how far it is and a way to stop it."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from app.ask.panel import AskPanel
from core.progress import Cancelled, TaskContext
from core.workspace import Workspace
from tests.app.panel_case import Case


@pytest.fixture
def panel(case: Case, qtbot: QtBot) -> AskPanel:
    """With the answer shown."""
    panel = AskPanel(case.session)
    qtbot.addWidget(panel)
    panel.show()
    assert case.session.commands["answer.pack"].why_not()
    with qtbot.waitSignal(case.session.judged):
        case.session.answered.emit(case.answer)
    return panel


def choose(panel: AskPanel, case: Case, target: Path) -> list[str]:
    """What is told from now on, once a person chose the file."""
    told: list[str] = []
    case.session.message_posted.connect(lambda message: told.append(message.text))
    assert not case.session.commands["answer.pack"].why_not()
    case.session.commands.run("answer.pack")
    (dialog,) = panel.findChildren(QFileDialog)
    dialog.fileSelected.emit(str(target))
    dialog.close()
    return told


def test_by_the_command(panel: AskPanel, case: Case, qtbot: QtBot, tmp_path: Path) -> None:
    told = choose(panel, case, tmp_path / "answer.zip")
    assert panel.packing.isVisible()
    qtbot.waitUntil(lambda: any("Evidence packed in" in words for words in told))
    qtbot.waitUntil(lambda: not panel.packing.isVisible())
    assert all(check.ok for check in Workspace.verify_pack(tmp_path / "answer.zip"))


def test_it_is_stopped_and_no_file_stays(
    panel: AskPanel, case: Case, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, ended = threading.Event(), threading.Event()
    real = Workspace.pack

    def slow(
        self: Workspace, answer: Any, target: Path, context: TaskContext, *how: Any, **more: Any
    ) -> None:
        context.report("pages", 1, 4)
        begun.set()
        try:
            while True:
                context.check()
        except Cancelled:
            with pytest.raises(Cancelled):
                real(self, answer, target, context, *how, **more)
            ended.set()
            raise

    monkeypatch.setattr(Workspace, "pack", slow)
    target = tmp_path / "answer.zip"
    target.write_text("what was there")
    told = choose(panel, case, target)
    qtbot.waitUntil(lambda: begun.is_set() and panel.packing.bar.maximum() == 4)
    assert panel.packing.bar.value() == 1
    qtbot.mouseClick(panel.packing.stop_button, Qt.MouseButton.LeftButton)
    assert not panel.packing.isVisible() and told == ["The pack was given up; no file was written."]
    qtbot.waitUntil(ended.is_set)
    assert list(tmp_path.glob("*answer*")) == [target] and target.read_text() == "what was there"
