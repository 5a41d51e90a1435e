"""Who sent the mass, against walks from each seed alone; the steps of a walk, against its end."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from core.graph.pagerank import attribute, diffusion, personalized_pagerank
from tests.core.graph.test_pagerank import random_graph


def restart_of(n: int, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    found = np.zeros(n)
    found[rng.choice(n, 4, replace=False)] = rng.random(4) + 0.1
    return found / found.sum()


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("damping", [0.3, 0.9])
def test_shares_are_what_each_seed_alone_sends(seed: int, damping: float) -> None:
    graph = random_graph(seed)
    restart = restart_of(graph.n_nodes, seed)
    whole = personalized_pagerank(graph, restart, damping, 1e-12, 2_000).scores
    for target in range(graph.n_nodes):
        found = attribute(graph, restart, target, damping, 1e-12, 2_000)
        assert found.shares.sum() == pytest.approx(whole[target], abs=1e-9)
        assert (found.shares[restart == 0] == 0).all() and (found.shares >= 0).all()
    alone = attribute(graph, restart, 0, damping, 1e-12, 2_000).shares
    connected = np.asarray(graph.adjacency.sum(axis=0)).ravel()
    if (connected[restart > 0] > 0).all():  # no mass is lost at a dead end: a seed's walk is its own
        for node in np.flatnonzero(restart):
            one = np.zeros_like(restart)
            one[node] = 1.0
            own = personalized_pagerank(graph, one, damping, 1e-12, 2_000).scores[0]
            assert alone[node] == pytest.approx(restart[node] * own, abs=1e-9)


def test_steps_begin_at_the_seeds_and_end_at_the_walk() -> None:
    graph = random_graph(3)
    restart = restart_of(graph.n_nodes, 3)
    steps = list(diffusion(graph, restart, 0.6, 80))
    assert len(steps) == 81
    assert_allclose(steps[0], restart)
    assert all(step.sum() == pytest.approx(1.0) for step in steps)
    assert_allclose(steps[-1], personalized_pagerank(graph, restart, 0.6, 1e-12).scores, atol=1e-9)
    first = set(np.flatnonzero(steps[1])) - set(np.flatnonzero(restart))
    beside = set(graph.adjacency[np.flatnonzero(restart)].indices.tolist())
    assert first <= beside, "after one step it has come as far as the neighbours"


def test_a_walk_that_begins_near_its_end_takes_fewer_steps() -> None:
    graph = random_graph(4)
    restart = restart_of(graph.n_nodes, 4)
    exact = personalized_pagerank(graph, restart, 0.8, 1e-9)
    again = personalized_pagerank(graph, restart, 0.8, 1e-9, start=exact.scores)
    assert again.iterations < exact.iterations / 4
    assert_allclose(again.scores, exact.scores, atol=1e-8)
    assert (restart_of(graph.n_nodes, 4) == restart).all(), "where it begins stays as it was"
