"""Communities within communities: they nest, are of the sizes they should be, and repeat."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.graph.communities import (
    bands,
    coverage,
    hierarchy,
    modularity,
    split_large,
)
from core.progress import Cancelled, TaskContext
from core.research.synthetic.workspace import planted_graph
from tests.data_makers.graph_shapes import (
    chain,
    clique,
    cliques,
    edges,
    nests,
    pairs_apart,
    scattered,
    small_siblings,
    star,
    too_large,
)

SHAPES = {
    "a ring of cliques": (400, cliques(20, 20)),
    "a star": (700, star(700)),
    "nothing tied": (500, []),
    "a clique": (130, clique(0, 130)),
    "half of it tied to nothing": (1_000, cliques(20, 25)),
    "a giant and crumbs": (700, [*clique(0, 120), *pairs_apart(121)[60:], *chain(40)]),
    "one": (1, []),
}


def holds(n: int, pairs: list[tuple[int, int]], order: np.ndarray | None = None) -> tuple[np.ndarray, ...]:
    """The hierarchy of a graph, after a look at all that must hold of any."""
    ends, weights = edges(pairs)
    found = hierarchy(n, ends, weights, order=order)
    sizes = bands(n)
    assert len(found) == len(sizes)
    for labels in found:
        assert labels.shape == (n,)
        # Numbered from 0 without a gap by falling size: so none is empty, and each entity is in one.
        counts = np.bincount(labels)
        assert (counts > 0).all()
        assert (np.diff(counts) <= 0).all()
    assert nests(found)
    assert too_large(found, sizes) == []
    # What is not tied to anything with room is put together; what is left over of that is one of its parent.
    assert small_siblings(found, sizes) <= 1
    return found


@pytest.mark.long
@pytest.mark.parametrize("shape", SHAPES)
def test_every_graph_has_a_sound_hierarchy(shape: str) -> None:
    n, pairs = SHAPES[shape]
    found = holds(n, pairs)
    ends, weights = edges(pairs)
    for one, other in zip(found, hierarchy(n, ends, weights), strict=True):
        assert (one == other).all()


@settings(max_examples=12, deadline=None)
@given(
    st.integers(1, 400),
    st.integers(0, 1_200),
    st.integers(0, 2**20),
    st.sampled_from(("any", "near", "hub")),
)
def test_any_graph_has_a_sound_hierarchy(n: int, m: int, seed: int, kind: str) -> None:
    pairs = scattered(n, m, seed)
    if kind == "near":
        pairs = [(a, (a + b % 7) % n) for a, b in pairs]
    elif kind == "hub":
        pairs = [(a, b % 3 % n) for a, b in pairs]
    holds(n, pairs)


@pytest.mark.parametrize("n", [0, 1, 12, 300])
def test_a_graph_of_each_size(n: int) -> None:
    found = holds(n, [tuple(pair) for pair in planted_graph(max(n, 2), 5 * n).tolist()] if n > 1 else [])
    # Some three large ones at the top, however small the corpus.
    if n >= 40:
        assert 3 <= int(found[-1].max()) + 1 <= 12


@pytest.mark.long
def test_sizes_are_those_of_the_papers() -> None:
    """Triple-layer GraphRAG 4.4.1: 10 to 50, 50 to 200, 200 to 1,000; and at most nine that hold these."""
    ends = planted_graph(20_000, 100_000)
    found = hierarchy(20_000, ends, np.ones(len(ends)))
    bounds = [(10, 50), (50, 200), (200, 1_000), (1_000, 6_667)]
    for labels, (least, most) in zip(found, bounds, strict=True):
        sizes = np.bincount(labels)
        assert sizes.max() <= most
        assert sizes[sizes >= least].sum() > 0.98 * sizes.sum()
    assert int(found[-1].max()) < 9


def test_cliques_are_not_torn() -> None:
    found = holds(400, cliques(20, 20))
    assert len(np.unique(found[0])) == 20
    for labels in found:
        assert all(len(set(labels[start : start + 20].tolist())) == 1 for start in range(0, 400, 20))


def test_what_is_too_large_is_divided_no_more_sharply_than_needed() -> None:
    """Two cliques with one edge between them fall apart at resolution 1, at 8 into single entities."""
    ends, weights = edges([*clique(0, 6), *clique(6, 6), (5, 6)])
    labels = split_large(np.ones(12, np.int64), ends, weights, 10)
    assert labels.tolist() == [0] * 6 + [1] * 6


def test_planted_documents_are_found_again() -> None:
    ends = planted_graph(3_000, 15_000, mixed=False)
    found = hierarchy(3_000, ends, np.ones(len(ends)))
    planted = (np.arange(3_000) // 25).astype(np.int32)
    weights = np.ones(len(ends))
    assert modularity(found[0], ends, weights) > 0.9 * modularity(planted, ends, weights)
    by_chance = np.random.default_rng(1).permutation(found[0]).astype(np.int32)
    assert modularity(by_chance, ends, weights) < 0.05


def test_what_is_tied_to_nothing_is_kept_in_its_order() -> None:
    order = np.random.default_rng(4).permutation(500)
    levels = holds(500, [], order)
    assert len(levels) > 1
    for labels in levels:
        by_order = labels[np.argsort(order)]
        assert (np.diff(by_order) != 0).sum() == int(labels.max())  # each a run of neighbours


def test_modularity_is_that_of_igraph() -> None:
    import igraph

    ends, weights = edges(scattered(200, 900, 8))
    weights = np.random.default_rng(2).random(len(ends)) + 0.1
    labels = (np.arange(200) % 7).astype(np.int32)
    graph = igraph.Graph(n=200, edges=ends)
    assert modularity(labels, ends, weights) == pytest.approx(
        graph.modularity(labels.tolist(), weights=weights.tolist())
    )
    assert coverage(np.zeros(200, np.int32), ends, weights) == 1.0
    assert modularity(np.zeros(3, np.int32), ends[:0], weights[:0]) == 0.0


def test_grouping_can_be_stopped() -> None:
    ends, weights = edges(cliques(20, 20))
    with pytest.raises(Cancelled):
        hierarchy(400, ends, weights, context=TaskContext(cancelled=lambda: True))
