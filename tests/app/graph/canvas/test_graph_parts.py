"""The canvas's parts on their own: placement, labels, heat scale, arrays, edges."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QRect
from PySide6.QtGui import QColor, QPainter, QPixmap

from app.graph.canvas.arrays import GraphArrays
from app.graph.canvas.camera import Camera
from app.graph.canvas.edges import EdgeLayer
from app.graph.canvas.emphasis import Emphasis, heat_levels
from app.graph.canvas.growth import PendingGrowth, place
from app.graph.canvas.words import MOST, place_labels
from app.look import theme


def arrays_of(nodes: int, edges: list[tuple[int, int]]) -> GraphArrays:
    arrays = GraphArrays()
    ids = [str(i) for i in range(nodes)]
    xy = np.stack([np.arange(nodes), np.zeros(nodes)], axis=1)
    arrays.append_nodes(ids, ids, np.zeros(nodes), np.zeros(nodes), xy)
    arrays.append_edges(edges, count_degrees=True)
    return arrays


def test_neighbours_against_a_plain_loop() -> None:
    rng = np.random.default_rng(5)
    edges = [tuple(pair) for pair in rng.integers(0, 40, (90, 2)).tolist() if pair[0] != pair[1]]
    arrays = arrays_of(40, edges)
    for row in range(40):
        slow = {b for a, b in edges if a == row} | {a for a, b in edges if b == row}
        assert set(arrays.neighbours(row).tolist()) == slow
        assert sorted(arrays.incident(row).tolist()) == [i for i, pair in enumerate(edges) if row in pair]
        assert arrays.degree[row] == sum(row in pair for pair in edges)


def test_placement_is_close_to_neighbours_and_apart_from_others() -> None:
    placed = np.array([[0, 0], [10, 0]], np.float32)
    xy = place(placed, 12, np.array([[0, 2 + i] for i in range(12)], np.int32), spacing=1.0)
    assert (np.linalg.norm(xy, axis=1) < 3.5).all()
    every = np.concatenate([placed, xy])
    gaps = np.linalg.norm(every[:, None] - every[None], axis=2)[np.triu_indices(14, 1)]
    assert gaps.min() > 0.4


def test_placement_without_neighbours_spreads() -> None:
    xy = place(np.zeros((0, 2), np.float32), 50, np.zeros((0, 2), np.int32), spacing=1.0)
    gaps = np.linalg.norm(xy[:, None] - xy[None], axis=2)[np.triu_indices(50, 1)]
    assert gaps.min() > 0.8 and np.abs(xy).max() < 12


def test_growth_stays_compact() -> None:
    """The rim must not feed upon the bounds that it widens."""
    arrays = GraphArrays()
    growth = PendingGrowth(arrays)
    for batch in range(40):
        growth.add_nodes([f"{batch} {i}" for i in range(10)], ["x"] * 10, None, None, None)
        growth.apply()
    assert np.abs(arrays.xy).max() < 40


def test_labels_never_overlap() -> None:
    rng = np.random.default_rng(2)
    screen = rng.uniform(0, 700, (300, 2)).astype(np.float32)
    sizes = np.stack([rng.uniform(20, 120, 300), np.full(300, 14.0)], axis=1).astype(np.float32)
    legend = QRect(0, 500, 200, 200)
    spots = place_labels(screen, np.full(300, 5, np.float32), sizes, 0, 10, 700, 700, [legend])
    assert 20 < len(spots) <= MOST
    boxes = []
    for index, dx, dy in spots:
        x, y = screen[index] + (dx, dy)
        boxes.append((x, y, x + sizes[index, 0], y + sizes[index, 1]))
        assert x >= 0 and y >= 0 and boxes[-1][2] <= 700 and boxes[-1][3] <= 700
        assert not legend.intersects(QRect(int(x), int(y), int(sizes[index, 0]), 14))
    for i, a in enumerate(boxes):
        for b in boxes[i + 1 :]:
            assert a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1]


def test_forced_labels_are_placed_in_any_case() -> None:
    screen = np.full((3, 2), 50, np.float32)
    sizes = np.full((3, 2), (400, 14), np.float32)  # wider than the view
    spots = place_labels(screen, np.full(3, 5, np.float32), sizes, 1, 1, 100, 100)
    assert [spot[0] for spot in spots] == [0]


def test_heat_is_logarithmic_between_the_ends() -> None:
    levels, low, high = heat_levels(np.array([0.0, 1.0, 0.1, 0.01, 0.0001], np.float32))
    assert (low, high) == (pytest.approx(0.01), 1.0)
    assert np.isnan(levels[[0, 4]]).all(), "zero and what is 500 times colder are not hot"
    np.testing.assert_allclose(levels[1:4], [1.0, 0.5, 0.0], atol=1e-6)


def test_heat_of_unknown_ids_is_no_heat() -> None:
    emphasis = Emphasis(arrays_of(2, []))
    emphasis.set_heat({"elsewhere": 1.0})
    assert emphasis.heat is None


def drawn(layer: EdgeLayer, camera: Camera) -> QColor:
    """Colour in the middle of a picture stamped on the canvas colour."""
    target = QPixmap(camera.width, camera.height)
    target.fill(QColor(theme.LIGHT.canvas))
    painter = QPainter(target)
    layer.paint(painter, camera, 1.0)
    painter.end()
    return target.toImage().pixelColor(50, 50)


def test_edge_picture_is_stored_and_grows(qapp: object) -> None:
    arrays = arrays_of(2, [])
    layer = EdgeLayer(arrays, theme.LIGHT)
    camera = Camera(-4.5, 5.0, 10.0, 100, 100)  # node 0 at (45, 50), node 1 at (55, 50)
    assert layer.stale(camera)
    assert layer.advance(camera) and not layer.stale(camera)
    assert drawn(layer, camera).name() == theme.LIGHT.canvas
    arrays.append_edges([(0, 1)], count_degrees=True)
    assert layer.stale(camera)
    assert layer.advance(camera) and not layer.stale(camera)
    assert drawn(layer, camera).name() != theme.LIGHT.canvas
