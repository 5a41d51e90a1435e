"""Communities as single nodes on the graph: they open in place, by mouse and keys, and follow the selection."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPointF, Qt
from pytestqt.qtbot import QtBot

from app.graph.drawing import CROWD, FullGraph, node_id
from app.graph.panel import GraphPanel
from app.graph.scene import Scene
from app.session import operations
from app.session.overlay import Overlay
from app.session.selection import Selected
from app.session.session import Session
from app.shell.main_window import MainWindow
from core.graph.folding import foldable
from core.types import Community, GraphView, Growth
from core.workspace import Workspace
from core.workspace.graph import GraphApi
from tests.app.communities.community_data import make_communities
from tests.app.conftest import open_now
from tests.app.graph.mouse import card_of, drawn, ids, item_of, place, settle, surface_of, view_of

LEFT = Qt.MouseButton.LeftButton
TOP, MIDDLE, LEAF = 0, 100, 1000  # each holds the next


def graph_of(communities: list[Community], seed: int = 3) -> GraphView:
    """Each entity beside those of its finest community, with facts inside and some across."""
    rng = np.random.default_rng(seed)
    leaves = [community for community in communities if community.level == 1]
    home = {id: at for at, leaf in enumerate(leaves) for id in leaf.entity_ids}
    ids = tuple(home)
    spots = np.array([[60 * (at // 9) + 14 * (at % 3), 14 * (at // 3 % 3)] for at in range(len(leaves))])
    places = spots[list(home.values())] + rng.normal(size=(len(ids), 2)) * 2
    row = {id: at for at, id in enumerate(ids)}
    pairs = {(row[one], row[leaf.entity_ids[0]]) for leaf in leaves for one in leaf.entity_ids[1:]}
    pairs |= {
        tuple(sorted(pair)) for pair in rng.integers(0, len(ids), (120, 2)).tolist() if pair[0] != pair[1]
    }
    edges = np.array(sorted({(min(pair), max(pair)) for pair in pairs}), np.int32)
    colours = np.array([leaves[at].colour for at in home.values()], np.int32)
    degree = np.bincount(edges.ravel(), minlength=len(ids)).astype(np.int32)
    names = tuple(f"Pilot {id}" for id in ids)
    weights = np.ones(len(edges), np.float32)
    return GraphView(
        ids,
        names,
        names,
        degree,
        colours,
        places.astype(np.float32),
        edges,
        weights,
        np.zeros(len(edges), np.int32),
    )


@pytest.fixture
def communities() -> list[Community]:
    return make_communities()


@pytest.fixture
def panel(
    qtbot: QtBot, open_session: Session, communities: list[Community], monkeypatch: pytest.MonkeyPatch
) -> GraphPanel:
    """The panel over the made communities, all closed."""
    view = graph_of(communities)
    monkeypatch.setattr(GraphApi, "communities", lambda _, level=None: communities)
    monkeypatch.setattr(GraphApi, "at_hand", lambda _: None)
    monkeypatch.setattr(GraphApi, "overview", lambda _: foldable(view, communities))
    panel = GraphPanel(open_session)
    qtbot.addWidget(panel)
    panel.resize(1000, 700)
    panel.show()
    qtbot.waitExposed(panel)
    open_now(open_session)
    qtbot.waitUntil(lambda: panel.canvas.node_count == len(view.ids))
    panel.folding.toggle.trigger()
    settle(panel)
    return panel


def opened(panel: GraphPanel) -> list[int]:
    """The communities that the canvas shows open, once it is at rest; outer ones first."""
    settle(panel)
    return [int(each.id.removeprefix("community ")) for each in item_of(panel.canvas).groups.open]


def double_click(qtbot: QtBot, panel: GraphPanel, id: str) -> None:
    viewport, at = surface_of(panel.canvas), place(panel.canvas, id)
    qtbot.mouseClick(viewport, LEFT, pos=at)
    qtbot.mouseDClick(viewport, LEFT, pos=at)
    qtbot.mouseRelease(viewport, LEFT, pos=at)
    settle(panel)


def key(qtbot: QtBot, panel: GraphPanel, pressed: Qt.Key) -> None:
    qtbot.keyClick(view_of(panel.canvas), pressed)
    settle(panel)


def inside(communities: list[Community], community: int) -> set[str]:
    return {node_id(each.id) for each in communities if each.parent_id == community}


def test_closed_each_top_community_is_one_node(panel: GraphPanel, communities: list[Community]) -> None:
    tops = [each for each in communities if each.parent_id is None]
    assert drawn(panel.canvas) == {node_id(each.id) for each in tops}
    sizes = sum(len(each.entity_ids) for each in tops)
    facts = len(panel.live.now.full_graph.view.edges) if panel.live.now.full_graph is not None else 0
    assert panel.canvas.legends().counts == f"3 communities ({sizes:,} entities), {facts:,} links"
    assert {count for _, _, count in panel.canvas.legends().rows} == {len(each.entity_ids) for each in tops}


def test_a_double_click_opens_in_place_and_backspace_closes(
    qtbot: QtBot, panel: GraphPanel, session: Session, communities: list[Community]
) -> None:
    before, others = place(panel.canvas, node_id(1)), {node_id(1), node_id(2)}
    camera = view_of(panel.canvas).camera()
    double_click(qtbot, panel, node_id(TOP))
    assert session.selection.current == Selected("community", str(TOP))
    assert drawn(panel.canvas) == others | inside(communities, TOP)
    assert place(panel.canvas, node_id(1)) == before and view_of(panel.canvas).camera() == camera
    assert item_of(panel.canvas).groups.marked == node_id(TOP) and panel.folding.close_button.isVisible()
    key(qtbot, panel, Qt.Key.Key_Backspace)
    assert drawn(panel.canvas) == others | {node_id(TOP)} and panel.canvas.selected() == node_id(TOP)
    assert not panel.folding.close_button.isVisible()


@pytest.mark.parametrize("way", ["one by one", "all"])
def test_closing_what_was_looked_at_from_near_shows_what_is_left(
    panel: GraphPanel, session: Session, way: str
) -> None:
    fitted = view_of(panel.canvas).camera().scale
    for community in (TOP, MIDDLE, LEAF):
        panel.folding.open(community)
    settle(panel)
    panel.canvas.show_open(node_id(LEAF), fill=True)
    settle(panel)
    near = view_of(panel.canvas).camera().scale
    assert near > 4 * fitted
    if way == "all":
        panel.folding.close_all()
    else:
        panel.folding.close(LEAF)
        settle(panel)
        assert view_of(panel.canvas).camera().scale == near, "what is around it is seen well"
        panel.folding.close(TOP)
    settle(panel)
    assert view_of(panel.canvas).camera().scale == pytest.approx(fitted, rel=0.05)
    assert panel.canvas.sees(node_id(TOP))


def test_enter_goes_down_to_the_entities_and_escape_comes_up(
    qtbot: QtBot, panel: GraphPanel, session: Session, communities: list[Community]
) -> None:
    for community in (TOP, MIDDLE, LEAF):
        operations.select_community(session, community)
        settle(panel)
        assert panel.canvas.selected() == node_id(community)
        key(qtbot, panel, Qt.Key.Key_Return)
    leaf = next(each for each in communities if each.id == LEAF)
    assert set(leaf.entity_ids) <= drawn(panel.canvas) and len(drawn(panel.canvas)) == 2 + 2 + 2 + len(
        leaf.entity_ids
    )
    key(qtbot, panel, Qt.Key.Key_Down)
    assert panel.canvas.selected() in leaf.entity_ids, "the arrows begin within what was opened"
    key(qtbot, panel, Qt.Key.Key_Escape)
    assert session.selection.current is None and LEAF in opened(panel)
    for left in ([TOP, MIDDLE], [TOP], []):
        key(qtbot, panel, Qt.Key.Key_Escape)
        assert opened(panel) == left


def test_a_community_chosen_elsewhere_is_marked_and_those_above_it_open(
    panel: GraphPanel, session: Session, communities: list[Community]
) -> None:
    operations.select_community(session, LEAF)
    assert opened(panel) == [TOP, MIDDLE] and panel.canvas.selected() == node_id(LEAF)
    panel.folding.close(TOP)
    assert opened(panel) == []
    assert session.selection.current == Selected("community", str(TOP))


def test_an_entity_chosen_elsewhere_is_visible(qtbot: QtBot, panel: GraphPanel, session: Session) -> None:
    operations.select_entity(session, "e0")
    assert opened(panel) == [TOP, MIDDLE, LEAF] and panel.canvas.selected() == "e0"
    assert panel.canvas.sees("e0")
    panel.folding.close_all()
    settle(panel)
    assert panel.canvas.selected() == node_id(TOP), "the disc that holds it is marked"
    assert session.selection.current == Selected("entity", "e0")


def test_heat_of_a_disc_is_the_sum_of_its_entities(panel: GraphPanel, session: Session) -> None:
    session.overlay.draw(Overlay({"e0": 0.25, "e1": 0.5}))
    view_of(panel.canvas).pointed.emit(QPointF(place(panel.canvas, node_id(TOP))))
    spoken = card_of(panel.canvas).text()
    assert "0.75, the sum of what it holds" in spoken
    assert "Level 3" in spoken and "3 communities inside" in spoken and "links inside" in spoken


def test_find_reaches_into_closed_communities(qtbot: QtBot, panel: GraphPanel, session: Session) -> None:
    qtbot.keyClicks(panel.search, "pilot e0")
    qtbot.keyClick(panel.search, Qt.Key.Key_Return)
    settle(panel)
    assert session.selection.current == Selected("entity", "e0") and panel.canvas.selected() == "e0"
    panel.folding.close_all()
    panel.search.setText("Harbour of Bergen 0")
    qtbot.keyClick(panel.search, Qt.Key.Key_Return)
    settle(panel)
    assert session.selection.current == Selected("community", str(MIDDLE + 1))
    assert panel.canvas.selected() == node_id(MIDDLE + 1)


def test_a_chain_passes_through_the_discs_that_hold_it(panel: GraphPanel, session: Session) -> None:
    full_graph = panel.live.now.full_graph
    assert full_graph is not None
    view, colour = full_graph.view, full_graph.view.community
    a, b = next((a, b) for a, b in view.edges.tolist() if colour[a] != colour[b])
    ids = (view.ids[a], view.ids[b])
    session.overlay.change(path=ids)
    assert on_path(panel) == [node_id(int(colour[a])), node_id(int(colour[b]))]
    session.overlay.change(path=(*ids, "gone"))
    assert on_path(panel) == []
    session.overlay.change(path=ids)
    panel.folding.reveal(ids)
    settle(panel)
    assert on_path(panel) == list(ids) and set(ids) <= drawn(panel.canvas)
    view_of(panel.canvas).look_at(1e4, 1e4, 50.0, animate=False)
    panel.canvas.show_all(ids)
    assert all(panel.canvas.sees(id) for id in ids)


def on_path(panel: GraphPanel) -> list[str]:
    return ids(panel.canvas, panel.canvas.snapshot().path)


def test_keys_in_a_row_mean_the_nodes_that_each_brings(
    qtbot: QtBot, panel: GraphPanel, session: Session, communities: list[Community]
) -> None:
    view = view_of(panel.canvas)
    operations.select_community(session, TOP)
    qtbot.keyClick(view, Qt.Key.Key_Return)
    assert panel.live.pending and drawn(panel.canvas) == {node_id(each) for each in range(3)}, (
        "nothing was waited for"
    )
    for pressed in (Qt.Key.Key_Escape, Qt.Key.Key_Down, Qt.Key.Key_Return):
        qtbot.keyClick(view, pressed)
    assert opened(panel)[:1] == [TOP] and len(opened(panel)) == 2, (
        "an arrow chose within what was opened, Enter opened"
    )
    for _ in range(3):
        qtbot.keyClick(view, Qt.Key.Key_Backspace)
    assert opened(panel) == []


def test_the_menu_opens_and_closes_what_is_there(panel: GraphPanel, session: Session) -> None:
    middle = place(panel.canvas, node_id(TOP))
    words = [action.text() for action in panel.folding.menu(node_id(TOP), middle).actions()]
    assert words[0] == "Open Trade 0 of the northern coast"
    about = panel.folding.menu(node_id(TOP), middle).actions()[1]
    assert about.text() == "Ask about this"
    about.trigger()
    assert session.scope.current.communities == (TOP,)
    panel.folding.open(TOP)
    settle(panel)
    menu = panel.folding.menu("", place(panel.canvas, node_id(MIDDLE)))
    assert [action.text() for action in menu.actions()] == [
        "Close Trade 0 of the northern coast",
        "Close all communities",
    ]
    menu.actions()[0].trigger()
    assert opened(panel) == []


def test_growth_is_visible_among_entities(qtbot: QtBot, panel: GraphPanel, session: Session) -> None:
    assert panel.live.now.full_graph is not None
    count = len(panel.live.now.full_graph.view.ids)
    session.growth.emit(Growth((("x", "New", "ORG"),), (), 1, 1, 1, 1))
    qtbot.waitUntil(lambda: panel.canvas.node_count == count + 1)
    assert not panel.folding.folded
    panel.refresh()
    qtbot.waitUntil(lambda: panel.folding.folded)


def test_large_graphs_begin_closed_unless_the_person_chose(panel: GraphPanel, session: Session) -> None:
    small, workspace, crowd = panel.live.now.full_graph, session.workspace, make_communities(8, 5, 4)
    assert small is not None and workspace is not None
    large = FullGraph(workspace.graph.foldable(graph_of(crowd), crowd), workspace.graph.fold)
    assert len(small.view.ids) <= CROWD < len(large.view.ids)
    assert [Scene(full_graph).folding for full_graph in (None, small, large)] == [False, False, True]
    assert Scene(small, folds=True).folding and not Scene(large, folds=False).folding


def test_the_choice_is_remembered(qtbot: QtBot, window: MainWindow, workspace_path: object) -> None:
    window.session.set_workspace(Workspace.open(workspace_path))  # type: ignore[arg-type]
    assert window.workbench is not None and window.preferences.folded is None
    toggle = window.workbench.graph.folding.toggle
    qtbot.waitUntil(toggle.isEnabled)
    qtbot.keyClick(window, Qt.Key.Key_G, Qt.KeyboardModifier.ControlModifier)
    assert toggle.isChecked() and window.preferences.folded is True
    toggle.trigger()
    assert window.preferences.folded is False
