"""What of a drawing lies in a range of dates, folded and not; and that nothing else is painted or found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from app.graph.canvas.canvas import GraphCanvas
from app.graph.drawing import FullGraph, compute_drawing, node_id
from app.graph.scene import Scene, show
from app.graph.time_band import preview_of
from core.graph.folding import fold, foldable
from core.types import Community, DayRows, InTime, Timeline
from tests.app.communities.community_data import make_communities
from tests.app.graph.mouse import item_of
from tests.app.graph.test_graph_folding import TOP, graph_of


@pytest.fixture(scope="module")
def communities() -> list[Community]:
    return make_communities()


@pytest.fixture(scope="module")
def full_graph(communities: list[Community]) -> FullGraph:
    return FullGraph(foldable(graph_of(communities), communities), fold)


def at(scene: Scene) -> Scene:
    return replace(scene, drawing=compute_drawing(scene.plan, scene.drawing))


def dated(ids: Sequence[str], ends: list[tuple[int, int]], entities: list[int], facts: list[int]) -> InTime:
    """A range that holds these rows of entities and of facts."""
    none, days = np.zeros((0, 2), np.int32), DayRows(*[np.zeros(0, np.int32)] * 3)
    keys, pairs = np.zeros(0, np.int64), np.array(ends, np.int32).reshape(-1, 2)
    timeline = Timeline(
        tuple(ids), np.arange(len(ends)), pairs, days, none, keys, days, (), days, none, 0, keys
    )
    there, inside = np.zeros(len(ids), bool), np.zeros(len(ends), bool)
    there[entities], inside[facts] = True, True
    return InTime("", "", (0, 0), there, inside, np.zeros(0, bool), timeline)


def test_the_entities_and_facts_of_a_range_are_there(full_graph: FullGraph) -> None:
    ids = full_graph.view.ids
    # The last entity comes first; one is not drawn.
    known, ends = (ids[9], "elsewhere", ids[3], ids[4]), [(0, 2), (0, 3), (2, 1)]
    drawing = at(Scene(full_graph, folds=False)).drawing
    preview = preview_of(drawing, dated(known, ends, [0, 1, 2], [0, 2]))
    assert np.flatnonzero(preview.visible).tolist() == [3, 9]
    assert preview.links.tolist() == [[9, 3]]
    assert not preview_of(drawing, dated(known, ends, [], [])).visible.any()


def test_a_closed_community_is_there_with_any_of_its_entities(
    full_graph: FullGraph, communities: list[Community]
) -> None:
    inside = next(each.entity_ids for each in communities if each.id == TOP)
    other = next(each.entity_ids for each in communities if each.id == 1)
    known, ends = (inside[0], inside[1], other[0]), [(0, 1), (1, 2)]
    drawing = at(Scene(full_graph, folds=True)).drawing
    preview = preview_of(drawing, dated(known, ends, [0], []))
    assert [drawing.ids[row] for row in np.flatnonzero(preview.visible)] == [node_id(TOP)]
    preview = preview_of(drawing, dated(known, ends, [0, 1, 2], [0, 1]))
    assert {drawing.ids[row] for row in np.flatnonzero(preview.visible)} == {node_id(TOP), node_id(1)}
    assert len(preview.links) == 1, "what lies within one node is no line"


def test_the_canvas_paints_and_finds_only_what_is_there(full_graph: FullGraph, qtbot: QtBot) -> None:
    canvas = GraphCanvas()
    qtbot.addWidget(canvas)
    canvas.resize(600, 400)
    with qtbot.waitExposed(canvas):
        canvas.show()
    scene = at(Scene(full_graph, folds=False))
    show(scene, Scene(), canvas)
    canvas.settle()
    full = canvas.grab().toImage()
    within = replace(scene, preview=preview_of(scene.drawing, dated(full_graph.view.ids, [], [0], [])))
    show(within, scene, canvas)
    canvas.settle()
    assert canvas.grab().toImage() != full
    item = item_of(canvas)
    first, second = item.camera.to_screen(item.arrays.xy[:2]).tolist()
    assert item.row_at(*first) == 0
    assert item.row_at(*second) in (-1, 0), "it is not there"
    show(scene, within, canvas)
    canvas.settle()
    assert canvas.grab().toImage() == full, "all is back"
