"""A new panel is one class and one line: dock, tab, menu and palette follow, and a key while there are any left."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QLineEdit, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from app.session.panels import Area, PanelSpec
from app.session.session import Session
from app.shell import features
from app.shell.palette import find_commands
from app.shell.workbench import Workbench


class NotesPanel(QWidget):
    def __init__(self, session: Session) -> None:
        super().__init__()
        self.text = QLineEdit()
        QVBoxLayout(self).addWidget(self.text)


@pytest.mark.parametrize("area", [Area.LEFT, Area.RIGHT, Area.BOTTOM])
def test_a_new_panel(
    area: Area, open_session: Session, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    notes = PanelSpec("notes", "Notes", area, NotesPanel)
    monkeypatch.setattr(features, "PANELS", (*features.PANELS, notes))
    bench = Workbench(open_session)
    qtbot.addWidget(bench)
    bench.resize(1280, 800)
    bench.show()
    bench.arrange()
    panel, commands = bench.panels["notes"], open_session.commands
    assert isinstance(panel, NotesPanel) and commands["panel.notes"].keys == ""
    assert [found.id for found in find_commands(commands, "notes")] == ["panel.notes"]
    assert bench.docks["notes"].placed
    commands.run("panel.notes")
    assert panel.isVisible() and panel.text.isVisible()
