"""A scene is a value: what each act makes of it, which nodes follow, and what stands out on them. No window."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from app.graph.drawing import FullGraph, compute_drawing, node_id
from app.graph.scene import Scene
from app.session.overlay import Overlay
from core.graph.folding import fold, foldable
from core.types import Community
from tests.app.communities.community_data import make_communities
from tests.app.graph.test_graph_folding import LEAF, MIDDLE, TOP, graph_of


@pytest.fixture(scope="module")
def communities() -> list[Community]:
    return make_communities()


@pytest.fixture(scope="module")
def full_graph(communities: list[Community]) -> FullGraph:
    return FullGraph(foldable(graph_of(communities), communities), fold)


def at(scene: Scene) -> Scene:
    """The scene with the nodes that follow from it, as they come from those before."""
    return replace(scene, drawing=compute_drawing(scene.plan, scene.drawing))


def inside(communities: list[Community], id: int) -> tuple[str, ...]:
    return next(each.entity_ids for each in communities if each.id == id)


def test_each_entity_stands_in_one_node_and_comes_from_where_it_stood(full_graph: FullGraph) -> None:
    scene, count = Scene(), len(full_graph.view.ids)
    for parts in (
        {"full_graph": full_graph, "folds": True},
        {"opened": full_graph.open_communities((), full_graph.around(community=LEAF))},
        {"opened": ()},
        {"folds": False},
    ):
        before = scene.drawing
        scene = at(replace(scene, **parts))
        drawing = scene.drawing
        assert len(drawing.ids) == len(drawing.names) == len(drawing.communities) == len(drawing.degrees)
        assert drawing.positions.shape == (len(drawing.ids), 2) and drawing.places().shape == (count, 2)
        assert len(drawing.edges) == 0 or drawing.edges.max() < len(drawing.ids)
        if before.plan.full_graph is full_graph and drawing.origins is not None:
            nodes = np.arange(count) if drawing.node_of is None else drawing.node_of
            singles = np.flatnonzero(np.bincount(nodes)[nodes] == 1)
            assert np.allclose(drawing.origins[nodes[singles]], before.places()[singles])
    assert Scene().drawing.origins is None and scene.drawing.origins is not None
    assert scene.drawing.ids == full_graph.view.ids


def test_of_a_selected_community_the_disc_or_the_outline_or_the_entities_stand_out(
    full_graph: FullGraph, communities: list[Community]
) -> None:
    closed = at(Scene(full_graph, folds=True, community=TOP))
    assert (closed.selected, closed.outlined, closed.marked) == (node_id(TOP), ("", []), [])
    opened = at(replace(closed, opened=(TOP,)))
    name, nodes = opened.outlined
    assert opened.selected == "" and name == node_id(TOP)
    assert set(nodes) == {node_id(each.id) for each in communities if each.parent_id == TOP}
    plain = at(replace(opened, folds=False))
    assert plain.outlined == ("", []) and plain.marked == list(inside(communities, TOP))
    assert replace(plain, heat_came_last=True).marked == [], "a later heat is not drowned"
    found = replace(plain, overlay=Overlay(marks=("e1", "e0"), communities=(1,)))
    assert found.marked == ["e1", "e0", node_id(1)]
    assert at(replace(found, folds=True)).marked == [node_id(MIDDLE), node_id(1)]


def test_opening_and_closing_keep_each_after_those_that_hold_it(full_graph: FullGraph) -> None:
    opened = full_graph.reveal_entities((1,), ["e0", "elsewhere"])
    assert opened == (1, TOP, MIDDLE, LEAF)
    assert full_graph.innermost(opened, "e0") == LEAF and full_graph.innermost(opened) == LEAF
    assert full_graph.innermost(opened, community=2) == LEAF and full_graph.innermost(()) is None
    assert full_graph.innermost(opened, community=MIDDLE) == MIDDLE
    assert full_graph.close_community(opened, MIDDLE) == (1, TOP) and full_graph.close_community(
        opened, TOP
    ) == (1,)
    assert full_graph.restrict_open((1, MIDDLE, TOP, 77_777)) == (1, MIDDLE, TOP)
    assert full_graph.restrict_open((1, MIDDLE)) == (1,), "what held it is open no more"
