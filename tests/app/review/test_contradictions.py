"""The contradictions panel: pairs as buttons that open the reader, by mouse and keys."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from app.review.contradictions import ContradictionsPanel
from app.session import operations
from app.session.session import Session
from core.answering.models import Models
from core.progress import TaskContext
from core.workspace import Workspace
from tests.app.panel_case import exposed
from tests.conftest import written

TEXTS = {
    "report.md": "# Report\n\nThe keel of the Marigold was laid at Tromso on 6 September 2022. It rained.\n",
    "letter.md": "# Letter\n\nThe keel of the Marigold was laid at Tromso on 16 September 2022. All is well.\n",
}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory, models: Models) -> Path:
    root = tmp_path_factory.mktemp("pairs")
    with Workspace.open(root / "workspace", create=True, models=models) as opened:
        opened.index(written(root / "folder", TEXTS), TaskContext(), digest=False)
    return root / "workspace"


@pytest.fixture
def panel(session: Session, qtbot: QtBot) -> ContradictionsPanel:
    return exposed(ContradictionsPanel(session), qtbot, 700, 400)


def test_both_sentences_open_at_their_place(panel: ContradictionsPanel, place: Path, qtbot: QtBot) -> None:
    session = panel._session
    operations.open_workspace(session, place)
    qtbot.waitUntil(lambda: session.workspace is not None)
    panel.set_in_front(True)
    qtbot.waitUntil(lambda: len(panel.buttons) == 2)
    assert {button.words.marked() for button in panel.buttons} == {"6 September 2022", "16 September 2022"}
    assert "1 pair" in panel.heading.text()
    first, second = panel.buttons
    first.setFocus()
    QTest.keyClick(first, Qt.Key.Key_Down)
    assert second.hasFocus()
    QTest.keyClick(second, Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: session.selection.current is not None)
    selected = session.selection.current
    assert selected is not None and selected.document_id == second.citation.document_id
    assert (selected.start, selected.end) == (second.citation.start, second.citation.end)
    operations.close_workspace(session)
    qtbot.waitUntil(lambda: not panel.buttons)


def test_without_a_pair_it_says_what_it_looks_for(panel: ContradictionsPanel) -> None:
    panel.set_in_front(True)
    assert not panel.buttons and panel.empty.isVisible()
