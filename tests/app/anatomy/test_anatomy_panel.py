"""The selected passage is taken apart by real clicks and keys, and its facts open their sentences."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from app.anatomy.arcs import Arcs, levels
from app.anatomy.panel import AnatomyPanel
from app.session import operations
from app.session.session import Session
from app.widgets.copying import Form, copy
from core.types import Fact
from core.workspace import Workspace
from tests.app.conftest import open_now
from tests.app.panel_case import exposed
from tests.waiting import process_events, wait_until_landed

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def panel(open_session: Session, qtbot: QtBot) -> Iterator[AnatomyPanel]:
    """In front."""
    made = exposed(AnatomyPanel(open_session), qtbot, 900, 500)
    open_now(open_session)
    made.set_in_front(True)
    yield made


def passage_ids(workspace: Workspace | None) -> list[str]:
    assert workspace is not None
    return [one.id for each in workspace.documents.all() for one in workspace.passages.of_document(each.id)]


def read(panel: AnatomyPanel, qtbot: QtBot) -> None:
    """Wait until all sentences stand in the panel."""
    qtbot.waitUntil(lambda: panel.anatomy is not None and not panel._waiting)
    wait_until_landed(panel._session.tasks)


def a_fact(workspace: Workspace | None) -> Fact:
    assert workspace is not None
    return next(fact for id in workspace.graph.view(10).ids for fact in workspace.graph.facts_of(id, 1))


def test_a_passage_selected_anywhere_is_read_again_while_the_panel_is_in_front(
    panel: AnatomyPanel, qtbot: QtBot
) -> None:
    session = panel._session
    first, second = passage_ids(session.workspace)[:2]
    operations.select_passage(session, first)
    read(panel, qtbot)
    assert panel.anatomy is not None and panel.anatomy.passage.id == first
    panel.set_in_front(False)
    operations.select_passage(session, second)
    process_events()
    assert panel.anatomy.passage.id == first, "behind another panel it reads nothing"
    panel.set_in_front(True)
    qtbot.waitUntil(lambda: panel.anatomy is not None and panel.anatomy.passage.id == second)


def test_a_selected_fact_opens_its_sentence_and_its_passage(panel: AnatomyPanel, qtbot: QtBot) -> None:
    session = panel._session
    fact = a_fact(session.workspace)
    operations.select_fact(session, fact.id)
    qtbot.waitUntil(lambda: session.selection.current is not None)
    chosen = session.selection.current
    assert chosen is not None and chosen.kind == "citation" and chosen.has_place
    read(panel, qtbot)
    assert panel.anatomy is not None and panel.anatomy.passage.id == fact.triples[0].passage_id == chosen.id
    shown = [outcome.words for card in panel.cards for outcome in card.parts.outcomes]
    assert f"{fact.subject}, {fact.predicate}, {fact.object}" in shown
    opened = [card for card in panel.cards if card.fold.isChecked()]
    assert len(opened) == 1 and opened[0].findChild(Arcs) is not None


def test_the_anatomy_is_copied_and_says_why(panel: AnatomyPanel, qtbot: QtBot) -> None:
    (id, *_) = passage_ids(panel._session.workspace)
    operations.select_passage(panel._session, id)
    read(panel, qtbot)
    qtbot.mouseClick(panel.copy_button, LEFT)
    copied = json.loads(QGuiApplication.clipboard().text())
    assert copied["passage"]["id"] == id and copied["sentences"][0]["tokens"]
    card = panel.cards[0]
    assert card.outcomes is not None
    assert copy(card.outcomes, Form.TEXT)
    assert card.parts.outcomes[0].words in QGuiApplication.clipboard().text()
    card.fold.setChecked(True)
    drawn = card.findChild(Arcs)
    assert drawn is not None
    drawn.setFocus()
    QTest.keySequence(drawn, "Ctrl+C")
    assert "nsubj" in QGuiApplication.clipboard().text()


def test_a_fact_of_the_anatomy_opens_its_sentence(panel: AnatomyPanel, qtbot: QtBot) -> None:
    operations.select_passage(panel._session, passage_ids(panel._session.workspace)[0])
    read(panel, qtbot)
    card = next(card for card in panel.cards if card.outcomes is not None)
    assert card.outcomes is not None
    outcome = card.parts.outcomes[0]
    spot = card.outcomes.visualRect(card.outcomes.model().index(0, 0)).center()
    panel._session.selection.clear()
    qtbot.mouseClick(card.outcomes.viewport(), LEFT, pos=QPoint(20, spot.y()))
    qtbot.waitUntil(lambda: panel._session.selection.current is not None)
    chosen = panel._session.selection.current
    assert chosen is not None and panel.anatomy is not None
    first = panel.anatomy.passage.start
    assert (chosen.start, chosen.end) == (first + outcome.start, first + outcome.end)


def test_a_passage_that_is_gone_is_told_with_a_remedy(panel: AnatomyPanel, qtbot: QtBot) -> None:
    panel.show_passage("gone")
    qtbot.waitUntil(lambda: "no longer" in panel.empty._headline.text())
    assert panel.empty._line.text()


def test_an_empty_workspace_says_what_to_do(session: Session, qtbot: QtBot, tmp_path: Path) -> None:
    panel = exposed(AnatomyPanel(session), qtbot, 700, 400)
    panel.set_in_front(True)
    session.set_workspace(Workspace.open(tmp_path / "empty", create=True))
    process_events()
    assert panel._stack.currentWidget() is panel.empty and panel.empty._line.text()


def test_closing_forgets(panel: AnatomyPanel, qtbot: QtBot) -> None:
    session = panel._session
    operations.select_passage(session, passage_ids(session.workspace)[0])
    read(panel, qtbot)
    operations.close_workspace(session)
    assert panel.anatomy is None and panel._stack.currentWidget() is panel.empty


def test_arcs_lie_above_those_within_them() -> None:
    # Anna <- bought -> ship -> the: the longer arc is the higher one.
    assert levels([1, 1, 3, 1]) == [1, 0, 1, 2]
    assert levels([]) == []
