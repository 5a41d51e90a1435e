"""Edges that follow from facts: filtered by kind, drawn with lines and arrows of their own, told and opened."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from app.graph.canvas.lines import derived_lines
from app.graph.panel import GraphPanel
from app.session import operations
from app.session.session import Session
from core.workspace import Workspace
from tests.app.graph.mouse import item_of, settle
from tests.waiting import process_events, wait_until

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def panel(qtbot: QtBot, session: Session, sample_copy: Path) -> GraphPanel:
    """The graph of a part of the sample, at rest."""
    panel = GraphPanel(session)
    qtbot.addWidget(panel)
    panel.resize(1000, 760)
    panel.show()
    qtbot.waitExposed(panel)
    session.commands.bind(panel)
    session.set_workspace(Workspace.open(sample_copy))
    qtbot.waitUntil(lambda: panel.canvas.node_count > 0)
    settle(panel)
    return panel


def test_they_are_visible_in_place_of_facts_and_say_why(panel: GraphPanel, session: Session) -> None:
    """Counted on their buttons, with a legend, a card of the one under the pointer, and a chip that takes them away."""
    assert session.workspace is not None
    QTest.keyClick(panel, Qt.Key.Key_F8)
    wait_until(lambda: process_events() or panel.shaping.columns is not None)
    settle(panel)
    arrays, button = item_of(panel.canvas).arrays, panel.shape_card.form.edges["before"]
    count = int((panel.shaping.columns.derived_kinds == 0).sum())  # between two that the map has
    assert button.text().endswith(f" {count}") and count > 3
    button.click()
    settle(panel)
    assert len(arrays.kinds) == count and not arrays.kinds.any()
    assert panel.edge_legend.rows == [(0, button.text())] and panel.edge_legend.isVisibleTo(panel)
    assert len(panel.canvas.snapshot().derived.lines) > 0
    one, other = (arrays.ids[row] for row in arrays.edges[0].tolist())
    cards: list[tuple[str, ...]] = []
    panel.canvas.show_edge_card = lambda *words: cards.append(words)  # type: ignore[method-assign]
    panel.canvas.edge_hovered.emit(one, other)
    wait_until(lambda: process_events() or bool(cards))
    assert " before " in cards[0][0] and ", then " in cards[0][1]
    panel.canvas.edge_clicked.emit(one, other)
    wait_until(lambda: process_events() or session.selection.current is not None)
    (chip,) = panel.shape_bar.chips
    QTest.mouseClick(chip, LEFT)
    settle(panel)
    assert (arrays.kinds < 0).all() and not panel.edge_legend.rows and not button.isChecked()


def test_the_card_of_an_entity_says_whose_it_is(panel: GraphPanel, session: Session) -> None:
    assert session.workspace is not None
    edges = session.workspace.graph.derived_edges()
    edge = session.workspace.graph.describe_edges(edges, edges.rows("hierarchy"))[0]
    operations.select_entity(session, edge.source_id)
    spoken = f"{edge.source} {edge.relation} {edge.target}"
    wait_until(lambda: process_events() or any(line.words == spoken for line in panel.card.lines))
    next(line for line in panel.card.lines if line.words == spoken).click()
    wait_until(
        lambda: (
            process_events()
            or (current := session.selection.current) is not None
            and current.id == edge.sources[0].passage_id
        )
    )


def test_lines_lead_from_rim_to_rim_and_those_out_of_view_are_left_out() -> None:
    screen = np.array([[10, 50], [110, 50], [500, 50], [900, 50], [12, 52]], np.float32)
    pairs = np.array([[0, 1], [1, 0], [2, 3], [0, 4], [0, 2]], np.int32)
    kinds = np.array([0, 1, 2, 0, -1], np.int8)
    found = derived_lines(pairs, kinds, screen, np.full(5, 5.0, np.float32), 200, 100)
    np.testing.assert_allclose(found.lines, [[15, 50, 103.5, 50], [105, 50, 16.5, 50]])
    assert found.kinds.tolist() == [0, 1]
    np.testing.assert_allclose(found.heads()[:, 0], [[103.5, 50], [16.5, 50]])
