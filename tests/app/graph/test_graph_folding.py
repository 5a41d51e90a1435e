"""Communities as single nodes on the graph: they open in place, by mouse and keys, and follow the selection."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from pytestqt.qtbot import QtBot

from app.graph.folded import CROWD, node_id
from app.graph.panel import GraphPanel
from app.session import operations
from app.session.selection import Selected
from app.session.session import Session
from app.shell.main_window import MainWindow
from core.types import Community, GraphView, Growth
from core.workspace import Workspace
from core.workspace.graph import GraphApi
from tests.app.communities.community_data import made
from tests.app.conftest import open_now

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
    return GraphView(ids, names, names, degree, colours, places.astype(np.float32), edges, weights)


@pytest.fixture
def communities() -> list[Community]:
    return made()


@pytest.fixture
def panel(
    qtbot: QtBot, open_session: Session, communities: list[Community], monkeypatch: pytest.MonkeyPatch
) -> GraphPanel:
    """The panel over the made communities, all closed."""
    view = graph_of(communities)
    monkeypatch.setattr(GraphApi, "communities", lambda _, level=None: communities)
    monkeypatch.setattr(GraphApi, "view", lambda _, limit=0: view)
    panel = GraphPanel(open_session)
    qtbot.addWidget(panel)
    panel.resize(1000, 700)
    panel.show()
    qtbot.waitExposed(panel)
    open_now(open_session)
    qtbot.waitUntil(lambda: panel.canvas.node_count == len(view.ids))
    panel.folding.toggle.trigger()
    panel.canvas.settle()
    return panel


def shown(panel: GraphPanel) -> set[str]:
    return set(panel.canvas._arrays.ids)


def spot(panel: GraphPanel, id: str) -> QPoint:
    canvas = panel.canvas
    x, y = canvas._view.camera().to_screen(canvas._arrays.xy)[canvas._arrays.row[id]].tolist()
    return QPoint(round(x), round(y))


def double_click(qtbot: QtBot, panel: GraphPanel, id: str) -> None:
    viewport, place = panel.canvas._view.viewport(), spot(panel, id)
    qtbot.mouseClick(viewport, LEFT, pos=place)
    qtbot.mouseDClick(viewport, LEFT, pos=place)
    qtbot.mouseRelease(viewport, LEFT, pos=place)
    panel.canvas.settle()


def key(qtbot: QtBot, panel: GraphPanel, pressed: Qt.Key) -> None:
    qtbot.keyClick(panel.canvas._view, pressed)
    panel.canvas.settle()


def inside(communities: list[Community], community: int) -> set[str]:
    return {node_id(each.id) for each in communities if each.parent_id == community}


def test_closed_each_top_community_is_one_node(panel: GraphPanel, communities: list[Community]) -> None:
    tops = [each for each in communities if each.parent_id is None]
    assert shown(panel) == {node_id(each.id) for each in tops}
    sizes = sum(len(each.entity_ids) for each in tops)
    facts = len(panel._view.edges) if panel._view is not None else 0
    assert panel.canvas._controls._counts.text() == f"3 communities ({sizes:,} entities), {facts:,} links"
    rows = panel.canvas._controls.legend._rows
    assert {row._count for row in rows if row.isVisible()} == {len(each.entity_ids) for each in tops}
    assert all(f"{row._count:,} entities" in row.toolTip() for row in rows if row.isVisible())


def test_a_double_click_opens_in_place_and_backspace_closes(
    qtbot: QtBot, panel: GraphPanel, session: Session, communities: list[Community]
) -> None:
    before, others = spot(panel, node_id(1)), {node_id(1), node_id(2)}
    camera = panel.canvas._view.camera()
    double_click(qtbot, panel, node_id(TOP))
    assert session.selection.current == Selected("community", str(TOP))
    assert shown(panel) == others | inside(communities, TOP)
    assert spot(panel, node_id(1)) == before and panel.canvas._view.camera() == camera
    assert panel.canvas._item.groups.marked == node_id(TOP) and panel.folding.close_button.isVisible()
    key(qtbot, panel, Qt.Key.Key_Backspace)
    assert shown(panel) == others | {node_id(TOP)} and panel.canvas.selected() == node_id(TOP)
    assert not panel.folding.close_button.isVisible()


@pytest.mark.parametrize("way", ["one by one", "all"])
def test_closing_what_was_looked_at_from_near_shows_what_is_left(
    panel: GraphPanel, session: Session, way: str
) -> None:
    whole = panel.canvas._view.camera().scale
    for community in (TOP, MIDDLE, LEAF):
        panel.folding.open(community)
    panel.canvas.show_open(node_id(LEAF), whole=True)
    panel.canvas.settle()
    near = panel.canvas._view.camera().scale
    assert near > 5 * whole
    if way == "all":
        panel.folding.close_all()
    else:
        panel.folding.close(LEAF)
        panel.canvas.settle()
        assert panel.canvas._view.camera().scale == near, "what is around it is seen well"
        panel.folding.close(TOP)
    panel.canvas.settle()
    assert panel.canvas._view.camera().scale == pytest.approx(whole, rel=0.05)
    assert panel.canvas.sees(node_id(TOP))


def test_enter_goes_down_to_the_entities_and_escape_comes_up(
    qtbot: QtBot, panel: GraphPanel, session: Session, communities: list[Community]
) -> None:
    for community in (TOP, MIDDLE, LEAF):
        operations.select_community(session, community)
        assert panel.canvas.selected() == node_id(community)
        key(qtbot, panel, Qt.Key.Key_Return)
    leaf = next(each for each in communities if each.id == LEAF)
    assert set(leaf.entity_ids) <= shown(panel) and len(shown(panel)) == 2 + 2 + 2 + len(leaf.entity_ids)
    key(qtbot, panel, Qt.Key.Key_Down)
    assert panel.canvas.selected() in leaf.entity_ids, "the arrows begin within what was opened"
    key(qtbot, panel, Qt.Key.Key_Escape)
    assert session.selection.current is None and LEAF in panel.folds.opened
    for left in ([TOP, MIDDLE], [TOP], []):
        key(qtbot, panel, Qt.Key.Key_Escape)
        assert panel.folds.opened == left


def test_a_community_chosen_elsewhere_is_marked_and_those_above_it_open(
    panel: GraphPanel, session: Session, communities: list[Community]
) -> None:
    operations.select_community(session, LEAF)
    assert panel.canvas.selected() == node_id(LEAF) and panel.folds.opened == [TOP, MIDDLE]
    panel.folding.close(TOP)
    assert panel.folds.opened == []
    assert session.selection.current == Selected("community", str(TOP))


def test_an_entity_chosen_elsewhere_is_seen(qtbot: QtBot, panel: GraphPanel, session: Session) -> None:
    operations.select_entity(session, "e0")
    assert panel.canvas.selected() == "e0" and panel.folds.opened == [TOP, MIDDLE, LEAF]
    panel.canvas.settle()
    assert panel.canvas.sees("e0")
    panel.folding.close_all()
    assert panel.canvas.selected() == node_id(TOP), "the disc that holds it is marked"
    assert session.selection.current == Selected("entity", "e0")


def test_heat_of_a_disc_is_the_sum_of_its_entities(panel: GraphPanel, session: Session) -> None:
    session.heat_changed.emit({"e0": 0.25, "e1": 0.5})
    panel.canvas._view.pointed.emit(QPointF(spot(panel, node_id(TOP))))
    said = panel.canvas._card.text()
    assert "0.75, the sum of what it holds" in said
    assert "Level 3" in said and "3 communities inside" in said and "links inside" in said


def test_find_reaches_into_closed_communities(qtbot: QtBot, panel: GraphPanel, session: Session) -> None:
    qtbot.keyClicks(panel.search, "pilot e0")
    qtbot.keyClick(panel.search, Qt.Key.Key_Return)
    assert session.selection.current == Selected("entity", "e0") and panel.canvas.selected() == "e0"
    panel.folding.close_all()
    panel.search.setText("Harbour of Bergen 0")
    qtbot.keyClick(panel.search, Qt.Key.Key_Return)
    assert session.selection.current == Selected("community", str(MIDDLE + 1))
    assert panel.canvas.selected() == node_id(MIDDLE + 1)


def test_a_chain_passes_through_the_discs_that_hold_it(panel: GraphPanel) -> None:
    folds, view = panel.folds, panel._view
    assert view is not None
    colour = view.community
    a, b = next((a, b) for a, b in view.edges.tolist() if colour[a] != colour[b])
    ids = [view.ids[a], view.ids[b]]
    assert folds.path(ids) == [node_id(int(colour[a])), node_id(int(colour[b]))]
    assert folds.path([*ids, "gone"]) == []
    panel.folding.reveal(ids)
    assert folds.path(ids) == ids and set(ids) <= shown(panel)
    panel.canvas._view.look_at(1e4, 1e4, 50.0, animate=False)
    panel.canvas.show_all(ids)
    assert all(panel.canvas.sees(id) for id in ids)


def test_the_menu_opens_and_closes_what_is_there(qtbot: QtBot, panel: GraphPanel) -> None:
    middle = spot(panel, node_id(TOP))
    words = [action.text() for action in panel.folding.menu(node_id(TOP), middle).actions()]
    assert words == ["Open Trade 0 of the northern coast"]
    panel.folding.open(TOP)
    panel.canvas.settle()
    menu = panel.folding.menu("", spot(panel, node_id(MIDDLE)))
    assert [action.text() for action in menu.actions()] == [
        "Close Trade 0 of the northern coast",
        "Close all communities",
    ]
    menu.actions()[0].trigger()
    assert panel.folds.opened == []


def test_growth_is_seen_among_entities(qtbot: QtBot, panel: GraphPanel) -> None:
    assert panel._view is not None
    count = len(panel._view.ids)
    panel._session.growth.emit(Growth((("x", "New", "ORG"),), (), 1, 1, 1, 1))
    qtbot.waitUntil(lambda: panel.canvas.node_count == count + 1)
    assert not panel.folding.shown
    panel.refresh()
    qtbot.waitUntil(lambda: panel.folding.shown)


def test_large_graphs_begin_closed_unless_the_person_chose(panel: GraphPanel) -> None:
    folds = panel.folds
    folds.choice = None
    assert not folds.wanted
    crowd = made(8, 5, 4)
    view = graph_of(crowd)
    assert len(view.ids) > CROWD and panel._session.workspace is not None
    folds.set_whole(panel._session.workspace.graph.foldable(view, crowd), panel._session.workspace.graph.fold)
    assert folds.wanted
    folds.choice = False
    assert not folds.wanted


def test_the_choice_is_remembered(qtbot: QtBot, window: MainWindow, workspace_path: object) -> None:
    window.session.set_workspace(Workspace.open(workspace_path))  # type: ignore[arg-type]
    assert window.workbench is not None and window.preferences.folded is None
    toggle = window.workbench.graph.folding.toggle
    qtbot.waitUntil(toggle.isEnabled)
    qtbot.keyClick(window, Qt.Key.Key_G, Qt.KeyboardModifier.ControlModifier)
    assert toggle.isChecked() and window.preferences.folded is True
    toggle.trigger()
    assert window.preferences.folded is False
