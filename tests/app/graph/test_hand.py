"""The hand on the graph panel: choosing several, relations, paths, facts of edges; by mouse and keys."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.answers.text_objects import StepButton
from app.graph.drawing import node_id
from app.graph.node_actions import MOST_CHOSEN
from app.graph.panel import GraphPanel
from app.graph.paths import RelationRow
from app.session import operations
from app.session.overlay import Overlay
from app.session.session import Session
from core.types import GraphView
from core.workspace import Workspace
from tests.app.conftest import open_now
from tests.app.graph.mouse import card_of, item_of, move, place, surface_of, view_of

LEFT, CTRL = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def panel(qtbot: QtBot, open_session: Session) -> GraphPanel:
    panel = GraphPanel(open_session)
    qtbot.addWidget(panel)
    panel.resize(1000, 700)
    panel.show()
    qtbot.waitExposed(panel)
    open_now(open_session)
    qtbot.waitUntil(lambda: panel.canvas.node_count > 0)
    panel.canvas.settle()
    return panel


def known(session: Session) -> tuple[Workspace, GraphView, nx.Graph]:
    assert session.workspace is not None
    view, graph = session.workspace.graph.view(), nx.Graph()
    graph.add_nodes_from(view.ids)
    graph.add_edges_from((view.ids[one], view.ids[other]) for one, other in view.edges.tolist())
    return session.workspace, view, graph


def hub(session: Session) -> str:
    _, view, _ = known(session)
    return view.ids[int(np.argmax(view.degree))]


# ---------------------------------------------------------------- several


def test_a_community_is_chosen_with_all_that_it_holds(
    qtbot: QtBot, panel: GraphPanel, session: Session
) -> None:
    workspace, _, _ = known(session)
    panel.set_folds(True)
    qtbot.waitUntil(lambda: panel.live.now.folded and not panel.live.pending)
    panel.canvas.settle()
    top = max(workspace.graph.communities(), key=lambda each: (each.level, len(each.entity_ids)))
    qtbot.mouseClick(surface_of(panel.canvas), LEFT, CTRL, place(panel.canvas, node_id(top.id)))
    assert set(session.chosen.current) == set(top.entity_ids)
    assert [item_of(panel.canvas).arrays.ids[row] for row in item_of(panel.canvas).emphasis.chosen] == [
        node_id(top.id)
    ]
    qtbot.mouseClick(surface_of(panel.canvas), LEFT, CTRL, place(panel.canvas, node_id(top.id)))
    assert session.chosen.current == ()


def test_what_is_chosen_elsewhere_is_ringed_and_stays_when_the_graph_is_drawn_again(
    qtbot: QtBot, panel: GraphPanel, session: Session
) -> None:
    entity = hub(session)
    session.chosen.set([entity])
    panel.expand(entity)
    qtbot.waitUntil(lambda: panel.live.now.near is not None)
    assert item_of(panel.canvas).emphasis.chosen.tolist() == [item_of(panel.canvas).arrays.row[entity]]


def test_more_than_can_be_chosen_is_cut_and_reported(panel: GraphPanel, session: Session) -> None:
    notices: list[str] = []
    session.message_posted.connect(lambda message: notices.append(message.text))
    panel.canvas.nodes_gathered.emit(tuple(f"e{at}" for at in range(MOST_CHOSEN + 1)), "add")
    assert len(session.chosen.current) == MOST_CHOSEN and notices


# ---------------------------------------------------------------- relations


def relation_rows(panel: GraphPanel) -> list[RelationRow]:
    return [row for row in panel.relations.card.buttons() if isinstance(row, RelationRow)]


def test_along_a_relation_in_the_full_graph_by_keys(
    qtbot: QtBot, panel: GraphPanel, session: Session
) -> None:
    workspace, _, _ = known(session)
    entity = hub(session)
    operations.select_entity(session, entity)
    session.commands.run("graph.relations")
    qtbot.waitUntil(lambda: bool(relation_rows(panel)))
    relations = workspace.graph.relations_of(entity)
    assert [row.relation for row in relation_rows(panel)] == relations
    qtbot.keyClick(relation_rows(panel)[0], Qt.Key.Key_Down)
    assert relation_rows(panel)[1].hasFocus() or not panel.isActiveWindow()
    qtbot.keyClick(relation_rows(panel)[1], Qt.Key.Key_Return)
    assert set(session.overlay.current.marks) == {entity, *relations[1].entity_ids}
    assert not panel.relations.card.isVisible()
    front = {item_of(panel.canvas).arrays.ids[row] for row in item_of(panel.canvas).emphasis.highlighted}
    assert front == {entity, *relations[1].entity_ids}


def test_the_filter_leaves_what_has_the_word(qtbot: QtBot, panel: GraphPanel, session: Session) -> None:
    panel.relations.show_of(hub(session))
    qtbot.waitUntil(lambda: bool(relation_rows(panel)))
    some = relation_rows(panel)[-1].relation.predicate
    panel.relations.field.setText(some)
    assert relation_rows(panel) and all(some in row.relation.predicate for row in relation_rows(panel))


# ---------------------------------------------------------------- paths


def apart(session: Session, away: int) -> tuple[str, str]:
    _, _, graph = known(session)
    entity = hub(session)
    lengths = nx.single_source_shortest_path_length(graph, entity)
    return entity, next(id for id, length in lengths.items() if length == away)


def test_paths_between_two_chosen_are_drawn_and_stepped_through(
    qtbot: QtBot, panel: GraphPanel, session: Session
) -> None:
    one, other = apart(session, 2)
    session.chosen.set([one, other])
    qtbot.mouseClick(panel.multi_selection.bar.paths, LEFT)
    qtbot.waitUntil(lambda: panel.paths.current is not None)
    path = panel.paths.current
    assert path is not None and path.entity_ids[0] == one and path.entity_ids[-1] == other
    overlay = session.overlay.current
    assert overlay.path == path.entity_ids
    assert [fact.predicate for fact in overlay.facts] == [step.predicate for step in path.steps]
    assert len(path.entity_ids) - 1 == nx.shortest_path_length(known(session)[2], one, other)
    if len(panel.paths.paths) > 1:
        session.commands.run("graph.next_path")
        assert session.overlay.current.path == panel.paths.paths[1].entity_ids
        session.commands.run("graph.previous_path")
    session.commands.run("graph.next_fact")
    qtbot.waitUntil(lambda: session.selection.current is not None)
    chosen = session.selection.current
    assert chosen is not None and chosen.kind == "citation" and chosen.id == path.steps[0].passage_id
    qtbot.waitUntil(lambda: session.overlay.current.path == path.entity_ids)  # it stays
    qtbot.waitUntil(lambda: len(item_of(panel.canvas).emphasis.path) == len(path.entity_ids))
    qtbot.mouseClick(panel.paths.ask, LEFT)
    assert session.scope.current.entities == path.entity_ids
    second = panel.paths.card.buttons()[1]
    assert isinstance(second, StepButton)
    qtbot.mouseClick(second, LEFT)
    qtbot.waitUntil(
        lambda: (
            session.selection.current is not None and session.selection.current.id == path.steps[1].passage_id
        )
    )
    qtbot.keyClick(second, Qt.Key.Key_Escape)
    assert not panel.paths.card.isVisible() and session.overlay.current.path == ()


def test_from_the_selected_entity_to_one_that_is_typed(
    qtbot: QtBot, panel: GraphPanel, session: Session
) -> None:
    one, other = apart(session, 1)
    operations.select_entity(session, one)
    session.commands.run("graph.paths")
    field = panel.paths.field
    assert field.isVisible()
    field.setFocus()
    qtbot.waitUntil(lambda: QApplication.focusWidget() is field)
    name = panel.multi_selection.name(other)
    qtbot.keyClicks(field, name)
    qtbot.waitUntil(lambda: field.list.count() > 0)
    wanted = [
        row
        for row in range(field.list.count())
        if field.list.item(row).data(Qt.ItemDataRole.UserRole).id == other
    ]
    for _ in range(wanted[0]):
        qtbot.keyClick(field, Qt.Key.Key_Down)
    qtbot.keyClick(field, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: panel.paths.current is not None)
    assert panel.paths.current is not None and panel.paths.current.entity_ids == (one, other)


def test_where_nothing_joins_two_it_says_so(qtbot: QtBot, panel: GraphPanel, session: Session) -> None:
    workspace, _, _ = known(session)
    entity = hub(session)
    lonely = next(each.id for each in workspace.graph.entities() if not workspace.graph.facts_of(each.id))
    panel.paths.between(entity, lonely)
    qtbot.waitUntil(lambda: "No path" in panel.paths.card.line.text())
    assert session.overlay.current.path == ()


def test_what_is_displayed_in_its_place_gives_way_to_the_path_again(
    qtbot: QtBot, panel: GraphPanel, session: Session
) -> None:
    panel.paths.between(*apart(session, 2))
    qtbot.waitUntil(lambda: panel.paths.current is not None)
    path = panel.paths.current
    assert path is not None
    session.overlay.draw(Overlay())
    qtbot.waitUntil(lambda: session.overlay.current.path == path.entity_ids)


def test_without_anything_to_begin_with_it_says_why(panel: GraphPanel, session: Session) -> None:
    refused: list[str] = []
    session.commands.refused.connect(refused.append)
    session.commands.run("graph.paths")
    assert refused and "choose two" in refused[0]


# ---------------------------------------------------------------- edges


def edge_spot(panel: GraphPanel) -> tuple[QPoint, str, str]:
    """The middle of an edge at which nothing else lies."""
    canvas = panel.canvas
    screen = view_of(canvas).camera().to_screen(item_of(canvas).arrays.xy)
    for edge, (one, other) in enumerate(item_of(canvas).arrays.edges.tolist()):
        x, y = ((screen[one] + screen[other]) / 2).round().tolist()
        if item_of(canvas).row_at(x, y) < 0 and item_of(canvas).edge_at(x, y) == edge:
            return QPoint(int(x), int(y)), item_of(canvas).arrays.ids[one], item_of(canvas).arrays.ids[other]
    raise AssertionError("no edge is to be seen")


def test_an_edge_reports_its_fact_and_a_click_opens_its_sentence(
    qtbot: QtBot, panel: GraphPanel, session: Session
) -> None:
    workspace, _, _ = known(session)

    def pointed() -> bool:
        """The view may still find its place: the band of time comes late."""
        move(panel.canvas, edge_spot(panel)[0])
        return card_of(panel.canvas).isVisible()

    qtbot.waitUntil(pointed)
    spot, one, other = edge_spot(panel)
    facts = workspace.graph.facts_between(one, other)
    headline = card_of(panel.canvas).text().split("\n")[0]
    assert headline == f"{facts[0].subject} – {facts[0].predicate} → {facts[0].object}"
    passage = workspace.passages.get(facts[0].triples[0].passage_id)
    assert (
        f"{len(facts)} fact" in card_of(panel.canvas).text() and passage.title in card_of(panel.canvas).text()
    )
    qtbot.mouseClick(surface_of(panel.canvas), LEFT, pos=spot)
    qtbot.waitUntil(lambda: session.selection.current is not None)
    chosen = session.selection.current
    assert chosen is not None and (chosen.kind, chosen.id) == ("citation", passage.id)
    move(panel.canvas, QPoint(2, 2))
    assert not card_of(panel.canvas).isVisible()


def test_the_edges_of_the_selected_entity_say_their_predicates(
    qtbot: QtBot, panel: GraphPanel, session: Session
) -> None:
    workspace, _, graph = known(session)
    entity = hub(session)
    operations.select_entity(session, entity)
    words = item_of(panel.canvas).edge_words
    qtbot.waitUntil(lambda: bool(words.by_row))
    ids = item_of(panel.canvas).arrays.ids
    by_facts = {other for other in graph[entity] if workspace.graph.facts_between(entity, other)}
    assert ids[words.node] == entity and {ids[row] for row in words.by_row} == by_facts
    for row, word in words.by_row.items():
        facts = {
            (fact.predicate, fact.subject_id == entity)
            for fact in workspace.graph.facts_between(entity, ids[row])
        }
        assert (word.predicate, word.forward) in facts and word.more == len(facts) - 1
    session.selection.clear()
    qtbot.waitUntil(lambda: not words.by_row)


# ---------------------------------------------------------------- menu


def test_the_menu_of_an_entity_has_what_the_hand_does(panel: GraphPanel, session: Session) -> None:
    entity = hub(session)
    menu = panel.folding.menu(entity, place(panel.canvas, entity))
    words = [action.text() for action in menu.actions() if isinstance(action, QAction)]
    assert any("along a relation" in each for each in words) and any("Paths" in each for each in words)
    next(action for action in menu.actions() if action.text() == "Add it to the chosen").trigger()
    assert session.chosen.current == (entity,)
