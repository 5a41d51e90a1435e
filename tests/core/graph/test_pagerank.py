"""Personalised PageRank against dense linear algebra and networkx."""

from __future__ import annotations

from typing import Literal

import networkx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from numpy.typing import NDArray

from core.graph.build import Edges, KnowledgeGraph, build_graph
from core.graph.pagerank import Walker, personalized_pagerank, personalized_pagerank_batch
from core.progress import Cancelled, TaskContext


def edges(rows: list[tuple[int, int, float]]) -> Edges:
    table = np.array(rows, dtype=np.float64).reshape(-1, 3)
    return Edges(table[:, :2].astype(np.int64), table[:, 2])


def random_graph(seed: int, entities: int = 12, passages: int = 7) -> KnowledgeGraph:
    rng = np.random.default_rng(seed)
    facts = [
        (int(a), int(b), float(w) + 0.1)
        for a, b, w in zip(
            rng.integers(0, entities, 20), rng.integers(0, entities, 20), rng.random(20), strict=True
        )
    ]
    held = [
        (int(e), int(p), 1.0)
        for e, p in zip(rng.integers(0, entities, 25), rng.integers(0, passages, 25), strict=True)
    ]
    return build_graph(np.arange(entities), np.arange(passages), edges(facts), edges(held), edges([]))


def solve(graph: KnowledgeGraph, restart: NDArray[np.float64], damping: float) -> NDArray[np.float64]:
    """The slow, obvious way: (I - d W) x = (1 - d) r with dangling columns sent to the restart."""
    matrix = graph.transition.toarray().astype(np.float64)
    source = restart / restart.sum()
    empty = matrix.sum(axis=0) < 0.5
    matrix[:, empty] = source[:, None]
    n = len(source)
    return np.linalg.solve(np.eye(n) - damping * matrix, (1 - damping) * source)


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 10_000), damping=st.floats(0.1, 0.9))
def test_walk_agrees_with_linear_algebra(seed: int, damping: float) -> None:
    graph = random_graph(seed)
    rng = np.random.default_rng(seed + 1)
    restart = rng.random(graph.n_nodes) * (rng.random(graph.n_nodes) < 0.3)
    restart[seed % graph.n_nodes] += 1.0
    walk = personalized_pagerank(graph, restart, damping, tolerance=1e-10)
    expected = solve(graph, restart, damping)
    assert_allclose(walk.scores, expected, atol=1e-8)
    assert walk.scores.sum() == pytest.approx(1.0)
    assert np.abs(walk.scores - expected).sum() <= walk.error + 1e-9


def test_walk_agrees_with_networkx() -> None:
    graph = random_graph(3)
    restart = np.zeros(graph.n_nodes)
    restart[[0, 4]] = (0.75, 0.25)
    other = networkx.from_scipy_sparse_array(graph.adjacency)
    expected = networkx.pagerank(
        other, alpha=0.5, personalization={0: 0.75, 4: 0.25}, dangling={0: 0.75, 4: 0.25}, tol=1e-12
    )
    walk = personalized_pagerank(graph, restart, 0.5, tolerance=1e-10)
    assert_allclose(walk.scores, [expected[i] for i in range(graph.n_nodes)], atol=1e-7)


def test_mass_at_a_node_without_edges_returns_to_the_restart() -> None:
    """0 and 1 are joined, 2 is alone: of the sum 1 a third stays there, the rest is in a proportion of 2 to 1."""
    graph = build_graph(np.arange(3), np.zeros(0, np.int64), edges([(0, 1, 1.0)]), edges([]), edges([]))
    walk = personalized_pagerank(graph, np.array([1.0, 0.0, 1.0]), 0.5, tolerance=1e-10)
    assert_allclose(walk.scores, [4 / 9, 2 / 9, 3 / 9], atol=1e-9)


def test_parallel_edges_add_up_and_loops_are_dropped() -> None:
    graph = build_graph(
        np.array([10, 20]),
        np.array([5]),
        edges([(10, 20, 1.0), (20, 10, 2.0), (10, 10, 9.0)]),
        edges([(20, 5, 1.0)]),
        edges([(10, 20, 0.5)]),
    )
    dense = graph.adjacency.toarray()
    assert dense[0, 1] == dense[1, 0] == 3.5
    assert dense[1, 2] == 1.0
    assert dense[0, 0] == 0.0
    assert_allclose(graph.transition.toarray().sum(axis=0), 1.0, atol=1e-6)


def some_restart(graph: KnowledgeGraph, seed: int) -> NDArray[np.float64]:
    rng = np.random.default_rng(seed)
    restart = rng.random(graph.n_nodes) * (rng.random(graph.n_nodes) < 0.4)
    restart[seed % graph.n_nodes] += 1.0
    return restart


@settings(max_examples=8, deadline=None)
@given(seed=st.integers(0, 10_000), damping=st.floats(0.1, 0.9))
def test_a_batch_is_its_walks(seed: int, damping: float) -> None:
    graph = random_graph(seed)
    restarts = np.column_stack([some_restart(graph, seed + at) for at in range(3)])
    walks = personalized_pagerank_batch(graph, restarts, damping, tolerance=1e-10)
    for column, restart in enumerate(restarts.T):
        expected = solve(graph, restart, damping)
        assert_allclose(walks.scores[:, column], expected, atol=1e-8)
        assert np.abs(walks.scores[:, column] - expected).sum() <= walks.errors[column] + 1e-9


@pytest.mark.parametrize("method", ["exact", "push"])
def test_both_methods_walk_to_the_same_scores(method: Literal["exact", "push"]) -> None:
    graph = random_graph(11)
    restart = some_restart(graph, 4)
    walker = Walker(graph, method)
    walk = walker.walk(restart, 0.6, epsilon=1e-9)
    expected = solve(graph, restart, 0.6)
    assert_allclose(walk.scores, expected, atol=1e-6)
    assert np.abs(walk.scores - expected).sum() <= walk.error + 1e-7


def test_cancel_ends_a_walk_between_two_steps() -> None:
    graph = random_graph(5)
    restart = some_restart(graph, 5)
    asked = 0

    def stop() -> bool:
        nonlocal asked
        asked += 1
        return asked > 2

    with pytest.raises(Cancelled):
        personalized_pagerank(graph, restart, 0.9, tolerance=1e-12, context=TaskContext(cancelled=stop))
    assert asked == 3
    with pytest.raises(Cancelled):
        Walker(graph, "push").walk(restart, context=TaskContext(cancelled=stop))


@pytest.mark.parametrize("method", ["exact", "push"])
def test_numbers_that_are_no_walk_are_refused(method: Literal["exact", "push"]) -> None:
    graph = random_graph(1)
    restart = np.ones(graph.n_nodes)
    for damping in (0.0, 1.0, np.nan):
        with pytest.raises(ValueError, match="Damping"):
            Walker(graph, method).walk(restart, damping)
    for bad in (-1.0, np.nan, np.inf):
        restart[3] = bad
        with pytest.raises(ValueError, match="finite and not negative"):
            Walker(graph, method).walk(restart)
    with pytest.raises(ValueError, match="no mass"):
        personalized_pagerank(graph, np.zeros(graph.n_nodes))
    with pytest.raises(ValueError, match="one number a node"):
        personalized_pagerank(graph, np.ones(3))
