"""Edges under the pointer against a look at each of them; what they say; what a click on one tells."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QPoint, QPointF, QRectF, Qt
from pytestqt.qtbot import QtBot

from app.graph.canvas.arrays import GraphArrays
from app.graph.canvas.camera import Camera
from app.graph.canvas.canvas import GraphCanvas
from app.graph.canvas.picking import CROWD, EdgeFinder
from app.graph.canvas.words import MOST_EDGE_WORDS, EdgeWord, EdgeWords
from tests.app.graph.mouse import item_of, move, place, surface_of


def random_graph(seed: int, n: int = 60, m: int = 150) -> GraphArrays:
    rng = np.random.default_rng(seed)
    arrays = GraphArrays()
    ids = [f"e{at}" for at in range(n)]
    arrays.append_nodes(ids, ids, np.zeros(n), np.ones(n), rng.uniform(-10, 10, (n, 2)))
    ends = rng.integers(0, n, (m, 2))
    arrays.append_edges(ends[ends[:, 0] != ends[:, 1]], count_degrees=False)
    return arrays


def gap(arrays: GraphArrays, edge: int, x: float, y: float) -> float:
    """From a place to an edge, by trying many points of it."""
    one, other = arrays.xy[arrays.edges[edge]].astype(np.float64)
    along = one + np.linspace(0, 1, 4001)[:, None] * (other - one)
    return float(np.hypot(*(along - (x, y)).T).min())


@given(st.integers(0, 50), st.floats(-11, 11), st.floats(-11, 11), st.floats(0.1, 3.0))
@settings(max_examples=15, deadline=None)
def test_edges_near_a_place_are_those_that_a_look_at_each_finds(
    seed: int, x: float, y: float, reach: float
) -> None:
    arrays = random_graph(seed)
    gaps = np.array([gap(arrays, edge, x, y) for edge in range(arrays.edge_count)])
    found = EdgeFinder(arrays).near(x, y, reach)
    assert set(np.flatnonzero(gaps < reach - 0.01)) <= set(found) <= set(np.flatnonzero(gaps < reach + 0.01))
    assert (np.diff(gaps[found]) > -0.01).all()  # the nearest first


def test_what_moved_is_found_where_it_is_and_what_is_hidden_is_not_found() -> None:
    arrays = random_graph(3)
    finder = EdgeFinder(arrays)
    x, y = arrays.xy[arrays.edges[0]].mean(axis=0).tolist()
    assert 0 in finder.near(x, y, 0.01)
    there = np.ones(len(arrays), np.bool_)
    there[arrays.edges[0, 0]] = False
    assert 0 not in finder.near(x, y, 0.01, there)
    arrays.xy[:] += 100
    finder.forget()
    assert not len(finder.near(x, y, 5.0)) and 0 in finder.near(x + 100, y + 100, 0.01)


def middle(canvas: GraphCanvas, one: str, other: str) -> QPoint:
    return (place(canvas, one) + place(canvas, other)) / 2


def test_the_pointer_over_an_edge_reports_its_ends_and_a_click_too(canvas: GraphCanvas, qtbot: QtBot) -> None:
    hovered: list[tuple[str, str]] = []
    canvas.edge_hovered.connect(lambda one, other: hovered.append((one, other)))
    spot = middle(canvas, "hub", "east")
    move(canvas, spot + QPoint(0, 3))
    move(canvas, spot + QPoint(0, 30))
    assert hovered == [("hub", "east"), ("", "")]
    with qtbot.waitSignal(canvas.edge_clicked) as emitted:
        qtbot.mouseClick(surface_of(canvas), Qt.MouseButton.LeftButton, pos=spot)
    assert emitted.args == ["hub", "east"] and canvas.selected() == ""


def test_a_node_comes_before_its_edges(canvas: GraphCanvas) -> None:
    hovered: list[tuple[str, str]] = []
    canvas.edge_hovered.connect(lambda one, other: hovered.append((one, other)))
    move(canvas, place(canvas, "hub"))
    assert hovered == [] and item_of(canvas).emphasis.hovered == item_of(canvas).arrays.row["hub"]


def test_among_very_many_edges_none_is_meant_but_that_of_the_selected_node(canvas: GraphCanvas) -> None:
    spots = {f"a{at}": (-3.0, 0.001 * at) for at in range(CROWD + 1)} | {
        f"b{at}": (3.0, 0.001 * at) for at in range(CROWD + 1)
    }
    count, ids = len(spots), list(spots)
    edges = np.array([[at, at + CROWD + 1] for at in range(CROWD + 1)])
    canvas.set_graph(ids, ids, np.zeros(count), np.ones(count), np.array(list(spots.values())), edges)
    canvas.fit(animate=False)
    canvas.settle()
    at = middle(canvas, "a6", "b6")
    assert item_of(canvas).edge_at(at.x(), at.y()) == -1
    canvas.select("a6", centre=False)
    assert item_of(canvas).edge_at(at.x(), at.y()) == 6


# ---------------------------------------------------------------- words


def star(arms: int) -> tuple[EdgeWords, np.ndarray, np.ndarray, Camera]:
    """A node in the middle of a view and others around it, each edge with a word."""
    angles = np.linspace(0, 2 * np.pi, arms, endpoint=False)
    ring = 400 + 280 * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    screen = np.concatenate([[[400, 400]], ring]).astype(np.float32)
    words = EdgeWords()
    words.node = 0
    words.by_row = {row: EdgeWord(f"predicate {row}", row % 2 == 0) for row in range(1, arms + 1)}
    return words, screen, np.full(arms + 1, 6.0, np.float32), Camera(0, 0, 1, 800, 800)


@pytest.mark.parametrize("arms", [1, 8, 60])
def test_words_lie_on_their_edges_and_never_upon_each_other(arms: int) -> None:
    words, screen, radii, camera = star(arms)
    covered = [QRectF(500, 380, 120, 40)]
    found = words.placed(screen, radii, camera, covered)
    assert 0 < len(found) <= MOST_EDGE_WORDS or (arms == 1 and not found)
    boxes = [each.box for each in found] + covered
    for at, one in enumerate(boxes):
        assert not any(one.intersects(other) for other in boxes[at + 1 :])
    for each in found:
        row = each.object if each.subject == 0 else each.subject
        assert each.words == f"predicate {row}" and (each.subject == 0) == (row % 2 == 0)
        way = screen[row] - screen[0]
        centre = np.array([each.box.center().x(), each.box.center().y()]) - screen[0]
        assert abs(centre[0] * way[1] - centre[1] * way[0]) / np.hypot(*way) < 1.0


def test_words_are_those_near_the_pointer() -> None:
    words, screen, radii, camera = star(24)
    words.pointer = QPointF(600, 400)
    found = words.placed(screen, radii, camera)
    assert found and all(each.box.center().x() > 360 for each in found)
    nearest = found[0].object if found[0].subject == 0 else found[0].subject
    assert nearest == 1  # the arm on which the pointer lies


def test_short_edges_say_nothing() -> None:
    words, screen, radii, camera = star(6)
    assert words.placed(400 + (screen - 400) / 20, radii, camera) == []
