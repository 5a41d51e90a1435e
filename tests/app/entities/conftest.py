"""The whole window over a small workspace of names, one of them selected; all is done by keys."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractItemView
from pytestqt.qtbot import QtBot

from app.entities.panel import EntitiesPanel
from app.session import operations
from app.session.session import Message, Session
from app.shell.main_window import MainWindow
from app.shell.workbench import Workbench
from app.widgets.table import RECORD_ROLE
from core.types import Entity
from core.workspace import Workspace
from tests.conftest import copied
from tests.e2e.keyboard import Keyboard
from tests.waiting import wait_until_landed


class Desk(Keyboard):
    """The window, and the keys that a person presses in it."""

    def __init__(self, qtbot: QtBot, window: MainWindow, session: Session, bench: Workbench) -> None:
        super().__init__(qtbot, window, session)
        self.bench = bench
        panel = bench.panels["entities"]
        assert isinstance(panel, EntitiesPanel)
        self.panel, self.form, self.preview = panel, panel.form, panel.preview
        self.messages: list[Message] = []
        session.message_posted.connect(self.messages.append)

    @property
    def workspace(self) -> Workspace:
        assert self.session.workspace is not None
        return self.session.workspace

    def entity(self, name: str) -> Entity:
        return next(entity for entity in self.workspace.graph.entities() if entity.name == name)

    def names(self) -> set[str]:
        return {entity.name for entity in self.workspace.graph.entities()}

    def select(self, name: str) -> None:
        operations.select_entity(self.session, self.entity(name).id)
        card = self.bench.graph.card
        self.until(lambda: card.isVisible() and card.name.text() == name)

    def open(self, keys: str) -> None:
        """The form of the command with these keys."""
        self.press(keys)
        self.until(lambda: self.form.draft is not None and self.panel.entrance.hasFocus())

    def wait_for_preview(self) -> None:
        """Wait until what would change stands there."""
        self.until(lambda: self.panel._previewed is not None and self.panel._previewed == self.panel.meant())

    def apply(self) -> None:
        before = len(self.messages)
        self.press("Ctrl+Return")
        self.until(lambda: len(self.messages) > before and self.form.draft is None)

    def undo(self, undone: Callable[[], bool]) -> None:
        """The last decision, by Ctrl+Z."""
        before = len(self.messages)
        self.bench.graph.canvas.setFocus(Qt.FocusReason.OtherFocusReason)
        self.press("Ctrl+Z")
        self.until(lambda: len(self.messages) > before and undone())

    def differences(self) -> list[tuple[str, str]]:
        """(before, after) of the entities, as they are listed."""
        return self._listed(self.preview.entities.list)

    def facts(self) -> list[tuple[str, str]]:
        return self._listed(self.preview.facts.list)

    def _listed(self, view: QAbstractItemView) -> list[tuple[str, str]]:
        model = view.model()
        rows = [model.index(row, 0).data(RECORD_ROLE) for row in range(model.rowCount())]
        return [(row.before, row.after) for row in rows]


@pytest.fixture
def workspace_path(names_path: Path, tmp_path: Path) -> Path:
    """A copy, for one test, of a workspace in which names are joined."""
    return copied(names_path, tmp_path / "workspace")


@pytest.fixture
def desk(qtbot: QtBot, window: MainWindow, session: Session, workspace_path: Path) -> Iterator[Desk]:
    """The module's window on the test's own workspace."""
    operations.open_workspace(session, workspace_path)
    qtbot.waitUntil(
        lambda: session.workspace is not None and session.workspace.path == workspace_path, timeout=20_000
    )
    bench = window.workbench
    assert bench is not None
    qtbot.waitUntil(lambda: bench.graph.canvas.node_count > 0, timeout=20_000)
    window.activateWindow()
    desk = Desk(qtbot, window, session, bench)
    yield desk
    session.message_posted.disconnect(desk.messages.append)
    operations.close_workspace(session)
    wait_until_landed(session.tasks)
