"""Communities, layout, synonyms, and places of those who come later."""

from __future__ import annotations

import numpy as np

from core.graph.communities import leiden
from core.graph.layout import force_layout, place_new_nodes
from core.graph.synonymy import learn_grid, nearest_cells, nearest_names, probes
from core.types import Spot


def two_cliques() -> tuple[int, np.ndarray, np.ndarray]:
    ends = [(a, b) for a in range(4) for b in range(a)] + [(a, b) for a in range(4, 9) for b in range(4, a)]
    ends.append((0, 4))
    return 10, np.array(ends, dtype=np.int64), np.ones(len(ends))


def test_leiden_finds_the_cliques_largest_first() -> None:
    n, ends, weights = two_cliques()
    found = leiden(n, ends, weights)
    assert set(found[4:9]) == {0}
    assert set(found[:4]) == {1}
    assert found[9] == 2
    assert (leiden(n, ends, weights) == found).all()


def test_layout_keeps_neighbours_near_and_repeats() -> None:
    n, ends, weights = two_cliques()
    communities = leiden(n, ends, weights)
    places = force_layout(n, ends, weights, communities)
    assert places.shape == (n, 2)
    assert np.isfinite(places).all()
    near = np.linalg.norm(places[ends[:, 0]] - places[ends[:, 1]], axis=1).mean()
    far = np.linalg.norm(places[:4].mean(0) - places[4:9].mean(0))
    assert far > near
    assert len({tuple(p) for p in places.tolist()}) == n
    assert (force_layout(n, ends, weights, communities) == places).all()


def test_nearest_names_are_best_first_above_the_threshold_and_never_oneself() -> None:
    vectors = np.array([[1, 0], [0.98, 0.199], [0, 1], [0.97, 0.243]], dtype=np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    keys = np.array([7, 3, 9, 5])
    found = nearest_names(vectors[:3], keys[:3], vectors, keys, threshold=0.9, neighbours=2)
    assert [found.keys[found.rows == row].tolist() for row in range(3)] == [[3, 5], [5, 7], []]
    assert all(0.9 <= cosine <= 1.0 for cosine in found.cosines)
    assert nearest_names(vectors[:1], keys[:1], vectors, keys, 0.9, 1).keys.tolist() == [3]


def test_the_grid_finds_nearly_all_near_names() -> None:
    random = np.random.default_rng(3)
    middles = random.normal(size=(400, 24))
    vectors = (middles[random.integers(0, 400, 8000)] + 0.35 * random.normal(size=(8000, 24))).astype(
        np.float32
    )
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    keys = np.arange(8000)
    centres = learn_grid(vectors.__getitem__, len(vectors), 40)
    assert np.allclose(np.linalg.norm(centres, axis=1), 1, atol=1e-5)
    assert (learn_grid(vectors.__getitem__, len(vectors), 40) == centres).all()
    cells = nearest_cells(vectors, centres)
    sought, hit = 0, 0
    for key in range(0, 8000, 40):
        own = vectors[[key]], keys[[key]]
        exact = set(nearest_names(*own, vectors, keys, 0.8, 8).keys.tolist())
        inside = np.flatnonzero(np.isin(cells, probes(vectors[[key]], centres)[0]))
        found = set(nearest_names(*own, vectors[inside], keys[inside], 0.8, 8).keys.tolist())
        sought, hit = sought + len(exact), hit + len(exact & found)
    assert sought > 500
    assert hit / sought > 0.97


def test_new_entities_settle_by_their_neighbours() -> None:
    known = {1: Spot(0, 0.0, 0.0), 2: Spot(0, 1.0, 0.0), 3: Spot(4, 9.0, 9.0)}
    edges = [(10, 1, 2.0), (10, 2, 2.0), (10, 3, 1.0), (11, 10, 1.0), (12, 13, 1.0)]
    found = place_new_nodes([14, 13, 12, 11, 10], edges, known, free=5, radius=10.0)
    assert set(found) == {10, 11, 12, 13, 14}
    assert found[10].community == found[11].community == 0
    assert abs(found[10].x - 0.5) < 0.5
    assert found[12].community == found[13].community == 5
    assert found[14].community == -1
    assert max(abs(found[14].x), abs(found[14].y)) > 5
    assert place_new_nodes([], [], known, 5, 1.0) == {}
