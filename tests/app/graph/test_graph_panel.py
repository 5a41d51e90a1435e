"""The graph panel: it grows in portions, follows the selection, opens neighbourhoods, shows heat."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.graph.canvas.canvas import GraphCanvas
from app.graph.drawing import rings
from app.graph.entity_card import EntityDetails
from app.graph.panel import GraphPanel
from app.graph.scene import PORTION_NODES, GraphFeed
from app.session import operations
from app.session.indexing import IndexingState
from app.session.overlay import Overlay
from app.session.selection import Selected
from app.session.session import Session
from core.types import Answer, Complexity, EdgeSource, Evidence, Growth, Hit, PathStep, Route, Trace, Why
from core.workspace import Workspace
from tests.app.conftest import open_now
from tests.app.graph.mouse import controls_of, item_of, place, view_of
from tests.waiting import wait_until_landed

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def panel(qtbot: QtBot, open_session: Session) -> GraphPanel:
    panel = GraphPanel(open_session)
    qtbot.addWidget(panel)
    panel.resize(900, 600)
    panel.show()
    qtbot.waitExposed(panel)
    open_now(open_session)
    qtbot.waitUntil(lambda: panel.canvas.node_count > 0)
    return panel


def connected(session: Session) -> tuple[Workspace, str, str]:
    """The workspace and the best connected entity: id and name."""
    assert session.workspace is not None
    view = session.workspace.graph.view()
    row = int(np.argmax(view.degree))
    return session.workspace, view.ids[row], view.names[row]


def test_selecting_an_entity_shows_its_card_and_its_facts(
    qtbot: QtBot, panel: GraphPanel, session: Session
) -> None:
    workspace, entity, name = connected(session)
    operations.select_entity(session, entity)
    qtbot.waitUntil(panel.card.isVisible)
    assert panel.card.name.text() == name and panel.canvas.selected() == entity
    facts = workspace.graph.facts_of(entity)
    assert facts and panel.card.lines[0].words == f"{facts[0].subject} {facts[0].predicate} {facts[0].object}"
    session.selection.clear()
    assert not panel.card.isVisible() and panel.canvas.selected() == ""


def test_a_fact_opens_its_evidence(qtbot: QtBot, panel: GraphPanel, session: Session) -> None:
    workspace, entity, _ = connected(session)
    operations.select_entity(session, entity)
    qtbot.waitUntil(panel.card.isVisible)
    best = max(workspace.graph.facts_of(entity)[0].triples, key=lambda triple: triple.confidence)
    qtbot.mouseClick(panel.card.lines[0], LEFT)
    qtbot.waitUntil(
        lambda: session.selection.current is not None and session.selection.current.kind == "citation"
    )
    chosen = session.selection.current
    assert chosen is not None and chosen.has_place and chosen.id == best.passage_id
    passage = workspace.passages.get(best.passage_id)
    displayed = workspace.documents.text(passage.document_id)[chosen.start : chosen.end]
    assert displayed == passage.text[best.start : best.end]


def test_the_card_leads_to_the_community_of_its_entity(
    qtbot: QtBot, panel: GraphPanel, session: Session
) -> None:
    workspace, entity, _ = connected(session)
    operations.select_entity(session, entity)
    qtbot.waitUntil(panel.card.isVisible)
    finest = [each for each in workspace.graph.communities(1) if entity in each.entity_ids]
    assert len(finest) == 1 and finest[0].label in panel.card.community.toolTip()
    assert panel.card.community.text().startswith("Community: ")
    qtbot.mouseClick(panel.card.community, LEFT)
    assert session.selection.current == Selected("community", str(finest[0].id))


def test_neighbourhood_and_back(qtbot: QtBot, panel: GraphPanel, session: Session) -> None:
    workspace, entity, name = connected(session)
    count = panel.canvas.node_count
    panel.canvas.node_expand_requested.emit(entity)
    near = len(workspace.graph.neighbourhood(entity).ids)
    qtbot.waitUntil(panel.crumb.isVisible)
    assert panel.canvas.node_count == near <= count and panel.place.text().startswith(name)
    assert session.selection.current == Selected("entity", entity)
    qtbot.mouseClick(panel.crumb, LEFT)
    assert panel.canvas.node_count == count and not panel.crumb.isVisible()


def test_neighbours_lie_around_the_centre(session: Session, open_session: Session) -> None:
    workspace = open_now(session)
    _, entity, _ = connected(session)
    view = workspace.graph.neighbourhood(entity)
    centre = view.ids.index(entity)
    distance = np.linalg.norm(rings(view, centre), axis=1)
    assert distance[centre] == 0 and (np.delete(distance, centre) >= 0.99).all()


def test_search_field_walks_through_the_matches(qtbot: QtBot, panel: GraphPanel, session: Session) -> None:
    _, _, name = connected(session)
    qtbot.keyClicks(panel.search, name)
    qtbot.keyClick(panel.search, Qt.Key.Key_Return)
    current = session.selection.current
    assert current is not None and current.kind == "entity" and panel.found.text().startswith("1 of ")


def test_heat_is_displayed_with_the_answer_and_toggled(
    qtbot: QtBot, panel: GraphPanel, session: Session
) -> None:
    _, entity, _ = connected(session)
    assert not panel.heat.isEnabled()
    session.overlay.draw(Overlay(heat={entity: 0.5}))
    assert panel.heat.isEnabled() and panel.heat.isChecked()
    warm = panel.canvas.grab().toImage()
    qtbot.mouseClick(panel.heat, LEFT)
    assert not panel.heat.isChecked() and panel.canvas.grab().toImage() != warm
    session.overlay.draw(Overlay())
    assert not panel.heat.isEnabled()


@pytest.mark.parametrize(("route", "words"), [("graph", "PageRank"), ("global", "Mentions (top name = 1)")])
def test_the_heat_says_what_it_is_of(panel: GraphPanel, session: Session, route: str, words: str) -> None:
    _, entity, _ = connected(session)
    way = Route(route, Complexity(0.9, 0.35, 0.65, ()))
    session.answered.emit(Answer("", (), (), (), Trace("Who?", way, (), (), {entity: 0.5}, (), 0.01)))
    heat = panel.canvas.legends().heat
    assert heat is not None and words in heat[0]


def test_growth_comes_in_bounded_portions(qtbot: QtBot, dressed_app: None) -> None:
    canvas = GraphCanvas()
    qtbot.addWidget(canvas)
    canvas.resize(400, 300)
    canvas.show()
    feed = GraphFeed(canvas)
    count = PORTION_NODES + 50
    nodes = tuple((f"n{n}", f"Node {n}", "ORG") for n in range(count))
    edges = (*((f"n{n}", f"n{n + 1}") for n in range(count - 1)), ("n0", "elsewhere"))
    feed.take(Growth(nodes, edges, 1, 1, count, count, communities={"n0": 3}))
    qtbot.waitUntil(lambda: canvas.node_count > 0)
    assert canvas.node_count <= PORTION_NODES
    qtbot.waitUntil(lambda: feed.waiting == 0)
    qtbot.waitUntil(lambda: canvas.node_count == count)
    assert canvas.edge_count == count - 1  # no edge to a node that is not drawn


def test_live_growth_then_the_final_layout(qtbot: QtBot, panel: GraphPanel, session: Session) -> None:
    final = panel.canvas.node_count
    session.growth.emit(Growth((("x", "New", "ORG"), ("y", "Newer", "ORG")), (("x", "y"),), 1, 1, 2, 1))
    qtbot.waitUntil(lambda: panel.canvas.node_count == final + 2)
    session.indexing_changed.emit(IndexingState.IDLE)  # the store is read again: x and y are not in it
    qtbot.waitUntil(lambda: panel.canvas.node_count == final)


def test_pointing_at_a_passage_lights_its_entities(qtbot: QtBot, panel: GraphPanel, session: Session) -> None:
    workspace, entity, _ = connected(session)
    passage = workspace.passages.of_entity(entity)[0]
    mentions = workspace.documents.mentions(passage.document_id)
    named = {
        m.entity_id for m in mentions if m.passage_id == passage.id and panel.canvas.draws([m.entity_id])
    }
    session.pointed_at.emit(Selected("passage", passage.id, document_id=passage.document_id))
    qtbot.waitUntil(lambda: bool(in_front(panel)))
    assert in_front(panel) == named and entity in named
    session.pointed_at.emit(None)
    qtbot.waitUntil(lambda: not in_front(panel))


def test_pointing_at_an_entity_lights_its_neighbours_too(
    qtbot: QtBot, panel: GraphPanel, session: Session
) -> None:
    _, entity, _ = connected(session)
    session.pointed_at.emit(Selected("entity", entity))
    qtbot.waitUntil(lambda: bool(in_front(panel)))
    assert in_front(panel) == {entity, *panel.canvas.neighbours(entity)} and len(in_front(panel)) > 1


def in_front(panel: GraphPanel) -> set[str]:
    return {
        item_of(panel.canvas).arrays.ids[row] for row in item_of(panel.canvas).emphasis.highlighted.tolist()
    }


def test_a_community_gives_way_to_the_heat_of_a_later_answer(
    qtbot: QtBot, panel: GraphPanel, session: Session
) -> None:
    workspace, entity, _ = connected(session)
    community = next(c for c in workspace.graph.communities() if c.parent_id is None)
    lit = item_of(panel.canvas).emphasis
    operations.select_community(session, community.id)
    assert len(lit.highlighted)
    session.overlay.draw(Overlay(heat={entity: 0.5}))
    assert not len(lit.highlighted) and panel.heat.isChecked()
    panel.refresh()
    wait_until_landed(session.tasks)
    assert not len(lit.highlighted), "drawn again, it stays so"
    panel.heat.click()
    assert len(lit.highlighted) and not panel.heat.isChecked()
    panel.heat.click()
    session.selection.clear()
    operations.select_community(session, community.id)
    assert len(lit.highlighted) and panel.heat.isChecked(), "chosen later than the answer, it is lit"


def test_the_legend_of_the_heat_lies_on_nothing_hot(qtbot: QtBot, dressed_app: None) -> None:
    canvas = GraphCanvas()
    qtbot.addWidget(canvas)
    canvas.resize(700, 400)
    canvas.show()
    ids = [f"n{number}" for number in range(9)]
    xy = np.array([[number // 3 / 5, number % 3] for number in range(9)], np.float32)
    canvas.set_graph(ids, ids, np.zeros(9, np.int64), np.ones(9), xy, np.zeros((0, 2), np.int64))
    canvas.fit(animate=False)
    before = view_of(canvas).camera().scale
    canvas.set_heat({"n4": 1.0})
    assert view_of(canvas).camera().scale == before and controls_of(canvas).heat.isVisible()
    canvas.set_heat({"n0": 1.0, "n3": 0.5})
    qtbot.waitUntil(lambda: view_of(canvas).camera().scale < before)
    heat = controls_of(canvas).heat.geometry()
    assert not any(heat.contains(place(canvas, id)) for id in ("n0", "n3"))


def test_a_chosen_passage_lights_its_chain(panel: GraphPanel, session: Session) -> None:
    workspace, entity, _ = connected(session)
    fact = workspace.graph.facts_of(entity)[0]
    triple = fact.triples[0]
    passage = workspace.passages.get(triple.passage_id)
    ends = (fact.subject_id, fact.object_id)
    step = PathStep(
        ends[0], fact.subject, fact.predicate, ends[1], fact.object, 0.5, passage.id, triple.start, triple.end
    )
    way = Route("graph", Complexity(0.9, 0.35, 0.65, ()))
    trace = Trace("Who?", way, (), (), {}, (), 0.01)
    row = Evidence(Hit(passage.id, 0.5, 1), passage, "a.txt", why=Why("chain", (step,), ends, 0.4))
    session.answer = Answer("", (), (), (row,), trace)
    lit = item_of(panel.canvas).emphasis
    operations.select_passage(session, passage.id, passage.document_id)
    assert [item_of(panel.canvas).arrays.ids[at] for at in lit.path] == list(ends)
    operations.select_document(session, passage.document_id)
    assert len(lit.path) == 0
    session.answer = replace(
        session.answer, evidence=(replace(row, why=Why("x", (step,), ("gone", ends[1]))),)
    )
    operations.select_passage(session, passage.id, passage.document_id)
    assert len(lit.path) == 0, "a chain with a node that is not drawn is not drawn at all"


def test_the_definition_of_a_term_is_displayed_first_and_opens(panel: GraphPanel, session: Session) -> None:
    workspace, entity, _ = connected(session)
    defined = EdgeSource("p", "d", "a.txt", 0, 16, "A tug is a ship.")
    facts = (workspace.graph.facts_of(entity)[0],)
    details = EntityDetails(workspace.graph.entity(entity), facts, (), definition=defined)
    panel.card.show_details(details, drawn=True)
    opened: list[EdgeSource] = []
    panel.card.source_wanted.disconnect()
    panel.card.source_wanted.connect(opened.append)
    panel.card.lines[0].click()
    assert (panel.card.lines[0].words, opened) == ("A tug is a ship.", [defined])


def test_what_is_denied_is_displayed_apart_from_the_facts(panel: GraphPanel, session: Session) -> None:
    workspace, entity, _ = connected(session)
    fact = workspace.graph.facts_of(entity)[0]
    denied = replace(fact, id="denied", assertion="denied", source="Otto Kask")
    details = EntityDetails(workspace.graph.entity(entity), (fact,), (), unasserted=(denied,))
    panel.card.show_details(details, drawn=True)
    plain, marked = (line.words for line in panel.card.lines)
    assert plain == f"{fact.subject} {fact.predicate} {fact.object}"
    assert marked == f"{fact.subject} {fact.predicate} (denied by Otto Kask) {fact.object}"
