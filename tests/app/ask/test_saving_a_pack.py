"""The answer that is shown is kept as an evidence pack, in a task of its own."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from app.ask.panel import AskPanel
from core.workspace import Workspace
from tests.app.panel_case import Case


def test_by_the_command(case: Case, qtbot: QtBot, tmp_path: Path) -> None:
    panel = AskPanel(case.session)
    qtbot.addWidget(panel)
    panel.show()
    command = case.session.commands["answer.pack"]
    assert command.why_not()
    with qtbot.waitSignal(case.session.judged):
        case.session.answered.emit(case.answer)
    assert not command.why_not()
    case.session.commands.run("answer.pack")
    (dialog,) = panel.findChildren(QFileDialog)
    told: list[str] = []
    case.session.told.connect(lambda message: told.append(message.text))
    dialog.fileSelected.emit(str(tmp_path / "answer.zip"))
    dialog.close()
    qtbot.waitUntil(lambda: any("Evidence packed in" in words for words in told))
    assert all(check.ok for check in Workspace.verify_pack(tmp_path / "answer.zip"))
