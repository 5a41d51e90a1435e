"""The communities: largest first, one click lights one up, another lets it go."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app import operations
from app.panels.communities import COMMUNITY, FILTER_FROM, CommunitiesPanel
from app.session import Session
from core.types import Community
from tests.app.conftest import open_now

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def panel(qtbot: QtBot, open_session: Session) -> CommunitiesPanel:
    panel = CommunitiesPanel(open_session)
    qtbot.addWidget(panel)
    panel.resize(280, 400)
    panel.show()
    assert panel.stack.currentWidget() is panel.empty
    open_now(open_session)
    qtbot.waitUntil(lambda: panel.model.rowCount() > 0)
    return panel


def test_largest_first_with_labels(panel: CommunitiesPanel) -> None:
    rows = [panel.model.index(row).data(COMMUNITY) for row in range(panel.model.rowCount())]
    sizes = [len(community.entity_ids) for community in rows]
    assert sizes == sorted(sizes, reverse=True) and all(community.label for community in rows)


def test_click_chooses_and_click_again_lets_go(
    qtbot: QtBot, panel: CommunitiesPanel, session: Session
) -> None:
    spot = panel.list.visualRect(panel.model.index(0)).center()
    qtbot.mouseClick(panel.list.viewport(), LEFT, pos=spot)
    current = session.selection.current
    assert current is not None and current.kind == "community"
    assert current.id == str(panel.model.index(0).data(COMMUNITY).id)
    qtbot.mouseClick(panel.list.viewport(), LEFT, pos=spot)
    assert session.selection.current is None


def test_a_choice_made_elsewhere_is_marked(panel: CommunitiesPanel, session: Session) -> None:
    last = panel.model.rowCount() - 1
    operations.select_community(session, panel.model.index(last).data(COMMUNITY).id)
    assert [index.row() for index in panel.list.selectedIndexes()] == [last]
    operations.select_document(session, "d")
    assert panel.list.selectedIndexes() == []


def test_many_communities_can_be_filtered(qtbot: QtBot, panel: CommunitiesPanel) -> None:
    panel.show_communities([Community(n, 0, None, ("a",), f"Label {n}") for n in range(FILTER_FROM)])
    assert panel.filter.isVisible()
    qtbot.keyClicks(panel.filter, "label 11")
    assert [panel.model.index(0).data()] == ["Label 11"] and panel.model.rowCount() == 1
