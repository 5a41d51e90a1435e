"""Communities, layout, synonyms and their file."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from core.graph.build import Edges
from core.graph.communities import leiden
from core.graph.files import NAME, load_edges, save_edges
from core.graph.layout import force_layout
from core.graph.synonymy import synonym_edges
from core.index.exact import ExactIndex


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


def test_leiden_of_nothing() -> None:
    assert len(leiden(0, np.zeros((0, 2), np.int64), np.zeros(0))) == 0
    assert len(set(leiden(3, np.zeros((0, 2), np.int64), np.zeros(0)))) == 3


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


def test_synonyms_are_near_pairs_of_linkable_names_once() -> None:
    vectors = np.array([[1, 0], [0.98, 0.199], [0, 1], [0.97, 0.243]], dtype=np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    keys = np.array([7, 3, 9, 5])
    linkable = np.array([True, True, True, False])
    edges = synonym_edges(keys, vectors, ExactIndex(vectors), linkable, threshold=0.9)
    assert edges.ends.tolist() == [[3, 7]]
    assert 0.97 < edges.weights[0] <= 1.0


def test_edges_survive_the_file_and_stale_or_broken_ones_are_not_read(tmp_path: Path) -> None:
    edges = Edges(np.array([[1, 2]]), np.array([0.9]))
    save_edges(tmp_path, edges, revision=4)
    found = load_edges(tmp_path, 4)
    assert found is not None
    assert found.ends.tolist() == [[1, 2]]
    assert load_edges(tmp_path, 5) is None
    (tmp_path / NAME).write_bytes(b"not an archive")
    assert load_edges(tmp_path, 4) is None
    assert load_edges(tmp_path / "nowhere", 4) is None
