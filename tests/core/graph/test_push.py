"""Forward push against dense linear algebra: its scores, its bounds, its cancel."""

from __future__ import annotations

import threading
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import sparse

from core.graph import push as push_module
from core.graph.push import Push, PushGraph, forward_push
from core.progress import Cancelled, TaskContext

Numbers = NDArray[np.float64]


def made_adjacency(seed: int, n: int, edges: int) -> sparse.csr_matrix:
    """Random weights over five powers of ten; some nodes stay isolated."""
    rng = np.random.default_rng(seed)
    ends = rng.integers(0, n, (edges, 2))
    ends = ends[ends[:, 0] != ends[:, 1]]
    weights = (10.0 ** rng.uniform(-3, 2, len(ends))).astype(np.float32)
    half = sparse.coo_matrix((weights, (ends[:, 0], ends[:, 1])), shape=(n, n)).tocsr()
    return sparse.csr_matrix(half + half.T)


def solve(adjacency: sparse.csr_matrix, restart: Numbers, damping: float) -> Numbers:
    """(I - d W) x = (1 - d) r, where columns without edges send everything to the restart."""
    matrix = adjacency.toarray().astype(np.float64)
    source = restart / restart.sum()
    sums = matrix.sum(axis=0)
    matrix = np.where(sums > 0, matrix / np.where(sums > 0, sums, 1.0), source[:, None])
    n = len(source)
    return np.linalg.solve(np.eye(n) - damping * matrix, (1 - damping) * source)


def dense(found: Push, n: int) -> Numbers:
    scores = np.zeros(n)
    scores[found.nodes] = found.scores
    return scores


@settings(max_examples=30, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    n=st.integers(1, 30),
    edges=st.integers(0, 60),
    damping=st.floats(0.05, 0.95),
    epsilon=st.floats(1e-9, 0.3),
    density=st.floats(0.0, 1.0),
)
def test_scores_and_bounds_agree_with_linear_algebra(
    seed: int, n: int, edges: int, damping: float, epsilon: float, density: float
) -> None:
    adjacency = made_adjacency(seed, n, edges)
    rng = np.random.default_rng(seed + 1)
    restart = rng.random(n) * (rng.random(n) < density)
    restart[seed % n] += 0.5
    graph = PushGraph(adjacency)
    seeds = np.flatnonzero(restart)
    found = forward_push(graph, seeds, restart[seeds], damping, epsilon)
    expected = solve(adjacency, restart, damping)
    missing = expected - dense(found, n)
    assert len(np.unique(found.nodes)) == len(found.nodes)
    assert missing.min() >= -1e-12  # never above
    assert missing.sum() == pytest.approx(found.error, abs=1e-10)
    # Low by at most epsilon times the degree in edges of mean weight; what isolated seeds lose, all are scaled by.
    kept = 1.0 - damping * restart[graph.degrees == 0].sum() / restart.sum()
    assert (missing <= epsilon / graph.mean_weight * graph.degrees / kept + 1e-12).all()


def test_work_follows_epsilon_and_not_the_graph() -> None:
    """A ring of any length: the push comes as far as epsilon lets it."""

    def ring(n: int) -> PushGraph:
        here = np.arange(n)
        half = sparse.coo_matrix((np.ones(n, np.float32), (here, (here + 1) % n)), shape=(n, n)).tocsr()
        return PushGraph(half + half.T)

    small = forward_push(ring(1_000), np.array([500]), np.ones(1), 0.5, 1e-6)
    large = forward_push(ring(100_000), np.array([500]), np.ones(1), 0.5, 1e-6)
    assert small.edges == large.edges <= 1 / (1e-6 * 0.5)
    assert len(small.nodes) == len(large.nodes) < 100


def test_top_is_sorted_and_breaks_ties_by_number() -> None:
    star = np.zeros((6, 6), np.float32)
    star[0, 1:] = star[1:, 0] = 1.0
    found = forward_push(PushGraph(sparse.csr_matrix(star)), np.array([0]), np.ones(1), 0.5, 1e-9)
    assert found.top(3).tolist() == [0, 1, 2]
    assert found.top(50).tolist() == [0, 1, 2, 3, 4, 5]
    assert found.top(0).tolist() == []


def test_cancel_ends_the_push_and_cleans_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(push_module, "EDGES_A_SLICE", 100)
    graph = PushGraph(made_adjacency(8, 500, 3_000))
    asked = 0

    def stop() -> bool:
        nonlocal asked
        asked += 1
        return asked > 3

    whole = forward_push(graph, np.array([1]), np.ones(1), 0.9, 1e-9)
    with pytest.raises(Cancelled):
        forward_push(graph, np.array([1]), np.ones(1), 0.9, 1e-9, TaskContext(cancelled=stop))
    assert asked == 4  # it stopped at once, in the midst of the work
    again = forward_push(graph, np.array([1]), np.ones(1), 0.9, 1e-9)
    assert (again.scores == whole.scores).all()


def test_threads_do_not_disturb_each_other() -> None:
    graph = PushGraph(made_adjacency(9, 3_000, 15_000))
    alone = [forward_push(graph, np.array([seed]), np.ones(1), 0.7, 1e-7) for seed in range(4)]
    wrong: list[int] = []

    def work(seed: int) -> None:
        for _ in range(10):
            found = forward_push(graph, np.array([seed]), np.ones(1), 0.7, 1e-7)
            if not np.array_equal(found.scores, alone[seed].scores):
                wrong.append(seed)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


@pytest.mark.parametrize(
    "call",
    [
        lambda graph: forward_push(graph, np.array([0]), np.array([-1.0])),
        lambda graph: forward_push(graph, np.array([0, 1]), np.array([0.0, 0.0])),
        lambda graph: forward_push(graph, np.array([0]), np.array([np.nan])),
        lambda graph: forward_push(graph, np.array([], dtype=np.int64), np.array([])),
        lambda graph: forward_push(graph, np.array([-1]), np.ones(1)),
        lambda graph: forward_push(graph, np.array([0, 1]), np.ones(1)),
        lambda graph: forward_push(graph, np.array([0]), np.ones(1), 1.0),
        lambda graph: forward_push(graph, np.array([0]), np.ones(1), 0.5, 0.0),
    ],
)
def test_bad_input_is_refused(call: Callable[[PushGraph], object]) -> None:
    with pytest.raises(ValueError):
        call(PushGraph(made_adjacency(1, 20, 40)))


@pytest.mark.parametrize("matrix", [[[0, -1], [-1, 0]], [[0, np.nan], [np.nan, 0]], [[0, 1, 0], [1, 0, 0]]])
def test_bad_graphs_are_refused(matrix: list[list[float]]) -> None:
    with pytest.raises(ValueError):
        PushGraph(sparse.csr_matrix(np.array(matrix, dtype=np.float32)))


def test_a_graph_is_pushed_over_its_own_arrays() -> None:
    adjacency = made_adjacency(9, 300, 900)
    graph = PushGraph(adjacency)
    assert np.shares_memory(graph.others, adjacency.indices)
    assert np.shares_memory(graph.weights, adjacency.data)
    adjacency.data.flags.writeable = adjacency.indices.flags.writeable = False  # as a mapped file has them
    assert len(forward_push(PushGraph(adjacency), np.array([1]), np.ones(1)).nodes)
