"""What of a drawing is there at a moment, folded and not; and that nothing else is painted or found."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from app.graph.canvas.canvas import GraphCanvas
from app.graph.canvas.moment import MOST_LINKS, Moment
from app.graph.course import moment_of
from app.graph.drawing import drawn
from app.graph.scene import Scene, show
from app.graph.whole import WholeGraph, node_id
from app.session.overlay import Course, Overlay, Present
from core.graph.folding import fold, foldable
from core.types import Community
from tests.app.communities.community_data import made
from tests.app.graph.test_graph_folding import TOP, graph_of


@pytest.fixture(scope="module")
def communities() -> list[Community]:
    return made()


@pytest.fixture(scope="module")
def whole(communities: list[Community]) -> WholeGraph:
    return WholeGraph(foldable(graph_of(communities), communities), fold)


def at(scene: Scene) -> Scene:
    return replace(scene, drawing=drawn(scene.plan, scene.drawing))


def test_entities_and_links_come_in_the_order_of_the_course(whole: WholeGraph) -> None:
    ids = whole.view.ids
    # The last entity comes first, under two names; one is not drawn.
    course = Course((ids[9], "elsewhere", ids[3], ids[9]), np.array([[0, 2], [0, 3], [2, 1]], np.int32))
    drawing = at(Scene(whole, folds=False)).drawing
    moment = moment_of(drawing, Present(course, 4, 3, 2, 0))
    assert np.flatnonzero(moment.there).tolist() == [3, 9]
    assert moment.newest.tolist() == [3], "the other one has been there under its first name"
    assert moment.links.tolist() == [[9, 3]] and moment.fresh == 1
    assert not moment_of(drawing, Present(course, 0, 0, 0, 0)).there.any()


def test_a_closed_community_comes_with_its_first_entity(
    whole: WholeGraph, communities: list[Community]
) -> None:
    inside = next(each.entity_ids for each in communities if each.id == TOP)
    other = next(each.entity_ids for each in communities if each.id == 1)
    course = Course((inside[0], inside[1], other[0]), np.array([[0, 1], [1, 2]], np.int32))
    drawing = at(Scene(whole, folds=True)).drawing
    moment = moment_of(drawing, Present(course, 1, 0, 0, 0))
    assert [drawing.ids[row] for row in np.flatnonzero(moment.there)] == [node_id(TOP)]
    moment = moment_of(drawing, Present(course, 3, 2, 1, 0))
    assert {drawing.ids[row] for row in moment.newest} == {node_id(1)}
    assert len(moment.links) == 1, "what lies within one node is no line"


def test_heat_and_path_give_way_to_a_moment(whole: WholeGraph) -> None:
    ids = whole.view.ids
    present = Present(Course(ids, np.zeros((0, 2), np.int32)), 5, 0, 0, 0)
    scene = at(Scene(whole, folds=False, hot=True, overlay=Overlay({ids[0]: 1.0}, path=ids[:2])))
    assert scene.heat and scene.path
    scene = replace(scene, overlay=replace(scene.overlay, present=present))
    assert not scene.heat and not scene.path


def test_the_canvas_paints_and_finds_only_what_is_there(whole: WholeGraph, qtbot: QtBot) -> None:
    canvas = GraphCanvas()
    qtbot.addWidget(canvas)
    canvas.resize(600, 400)
    with qtbot.waitExposed(canvas):
        canvas.show()
    scene = at(Scene(whole, folds=False))
    show(scene, Scene(), canvas)
    canvas.settle()
    full = canvas.grab().toImage()
    course = Course(whole.view.ids, np.zeros((0, 2), np.int32))
    told = replace(scene, overlay=Overlay(present=Present(course, 1, 0, 1, 0)))
    show(told, scene, canvas)
    canvas.settle()
    assert canvas.grab().toImage() != full
    item = canvas._item
    first, second = item.camera.to_screen(item.arrays.xy[:2]).tolist()
    assert item.row_at(*first) == 0
    assert item.row_at(*second) in (-1, 0), "it is not there yet"
    show(scene, told, canvas)
    canvas.settle()
    assert canvas.grab().toImage() == full, "all is back"


def test_many_links_are_thinned_but_the_newest_are_drawn() -> None:
    links = np.stack([np.arange(50_000), np.arange(50_000) + 1], axis=1).astype(np.int32)
    old, new = Moment(np.ones(50_001, bool), np.zeros(0, np.intp), links, 3).drawn_links()
    assert len(old) <= MOST_LINKS and new.tolist() == links[-3:].tolist()
    assert old[-1].tolist() == links[-4].tolist()
