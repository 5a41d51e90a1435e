"""Chains of facts against every walk there is; the hybrid's weights against data that they made."""

from __future__ import annotations

from itertools import pairwise, permutations

import numpy as np
import pytest

from core.graph.build import Edges, build_graph
from core.retrieval.hybrid import fit_weights
from core.retrieval.paths import PathGraph, chain_to, named_in, passage_scores, path_graph, reach
from core.store.facts import FactColumns
from tests.growth import spent


def made(
    n: int, facts: list[tuple[int, int, float]], named: list[tuple[int, int]], passages: int = 1
) -> PathGraph:
    """A path graph of `n` entities, facts (subject, object, strength) and (entity, passage) pairs."""
    ends = np.array([fact[:2] for fact in facts], dtype=np.int64).reshape(-1, 2)
    weights = np.array([fact[2] for fact in facts], dtype=np.float64)
    occurrences = np.array(named, dtype=np.int64).reshape(-1, 2)
    synonyms = Edges(np.array([[0, n - 1]]), np.ones(1))  # no fact: no chain may use it
    graph = build_graph(
        np.arange(n),
        np.arange(passages),
        Edges(ends, weights),
        Edges(occurrences, np.ones(len(named))),
        synonyms,
    )
    keys = np.arange(100, 100 + len(facts))
    return path_graph(graph, FactColumns(keys, ends[:, 0], ends[:, 1], weights))


def strongest(graph: PathGraph, facts: list[tuple[int, int, float]], seed: int, end: int) -> float:
    """By trying every simple path of at most three facts."""
    edges: dict[tuple[int, int], float] = {}
    for subject, object_, weight in facts:
        for pair in ((subject, object_), (object_, subject)):
            edges[pair] = max(edges.get(pair, 0.0), 1.0 - np.exp(-weight))
    if seed == end:
        return float(graph.importance[seed])
    others = [at for at in range(len(graph.importance)) if at not in (seed, end)]
    best = 0.0
    for between in range(3):
        for middle in permutations(others, between):
            nodes = (seed, *middle, end)
            value = float(np.prod(graph.importance[list(nodes)])) * 0.9 ** (len(nodes) - 1)
            for pair in pairwise(nodes):
                value *= edges.get(pair, 0.0)
            best = max(best, value)
    return best


@pytest.mark.parametrize("seed", range(8))
def test_the_strongest_chain_is_found(seed: int) -> None:
    random = np.random.default_rng(seed)
    facts = [
        (int(a), int(b), float(w))
        for (a, b), w in zip(random.integers(0, 9, (12, 2)), random.uniform(0.2, 3.0, 12), strict=True)
        if a != b
    ]
    graph = made(9, facts, [(0, 0)])
    found = reach(graph, {0: 1.0})
    for end in range(9):
        assert found[-1, end] == pytest.approx(strongest(graph, facts, 0, end))
        chain = chain_to(graph, found, end)
        assert (chain is None) == (found[-1, end] == 0)
        if chain is None:
            continue
        assert (chain.entities[0], chain.entities[-1]) == (0, end)
        assert len(chain.facts) == len(chain.strengths) == len(chain.entities) - 1 <= 3
        for key, pair in zip(chain.facts, pairwise(chain.entities), strict=True):
            assert {facts[key - 100][0], facts[key - 100][1]} == set(pair)
        product = np.prod(chain.strengths) * np.prod(graph.importance[list(chain.entities)])
        assert chain.strength == pytest.approx(product * 0.9 ** len(chain.facts))


def test_strengths_multiply_and_a_weak_fact_loses() -> None:
    facts = [(0, 1, 2.0), (1, 3, 2.0), (0, 2, 0.05), (2, 3, 2.0)]
    chain = chain_to(made(4, facts, []), reach(made(4, facts, []), {0: 1.0}), 3)
    assert chain is not None
    assert chain.entities == (0, 1, 3) and chain.facts == (100, 101)
    assert chain.strengths == pytest.approx((1 - np.exp(-2.0),) * 2)


def test_no_chain_where_there_is_none() -> None:
    graph = made(4, [(0, 1, 1.0)], [(3, 0)])  # 3 is a synonym of 0, which is no fact
    found = reach(graph, {0: 1.0})
    assert chain_to(graph, found, 3) is None and chain_to(graph, found, 2) is None
    assert passage_scores(graph, found[-1]).tolist() == [0.0]
    far = made(5, [(0, 1, 9.0), (1, 2, 9.0), (2, 3, 9.0), (3, 4, 9.0)], [])
    assert chain_to(far, reach(far, {0: 1.0}), 3) is not None
    assert chain_to(far, reach(far, {0: 1.0}), 4) is None, "four facts are too many"
    empty = made(2, [], [])
    assert chain_to(empty, reach(empty, {0: 1.0}), 1) is None


def test_a_passage_scores_as_the_best_that_it_names() -> None:
    graph = made(4, [(0, 1, 1.0), (1, 2, 1.0)], [(2, 0), (1, 0), (3, 1), (2, 2)], passages=4)
    found = reach(graph, {0: 1.0})[-1]
    assert set(named_in(graph, 0).tolist()) == {1, 2}
    assert passage_scores(graph, found).tolist() == [found[1], 0.0, found[2], 0.0]


def test_a_path_over_a_large_graph_costs_no_more_than_reaching() -> None:
    random = np.random.default_rng(1)
    n, m = 30_000, 60_000
    facts = [(int(a), int(b), 1.0) for a, b in random.integers(0, n, (m, 2)) if a != b]
    graph = made(n, facts, [])
    found = reach(graph, {0: 1.0, 5: 1.0})
    ends = [int(end) for end in np.flatnonzero(found[-1])[:10]]
    assert all(chain_to(graph, found, end) is not None for end in ends)
    chains = spent(lambda: [chain_to(graph, found, end) for end in ends], 3)
    assert chains < len(ends) * spent(lambda: reach(graph, {0: 1.0, 5: 1.0}), 3)


def test_weights_follow_what_tells_gold_from_the_rest() -> None:
    random = np.random.default_rng(3)
    gold = np.arange(400) % 20 == 0
    told, noise = gold + random.normal(0, 0.2, 400), random.uniform(0, 1, 400)
    by_path = fit_weights([(float(d), float(p), bool(g)) for d, p, g in zip(noise, told, gold, strict=True)])
    by_dense = fit_weights([(float(d), float(p), bool(g)) for d, p, g in zip(told, noise, gold, strict=True)])
    assert by_path[1] > 0.9 and by_dense[0] > 0.9
    assert sum(by_path) == pytest.approx(1.0) and min(*by_path, *by_dense) >= 0
    against = fit_weights(
        [(float(1 - d), float(p), bool(g)) for d, p, g in zip(told, told, gold, strict=True)]
    )
    assert against == (0.0, 1.0), "no weight is negative"
    assert fit_weights([]) == fit_weights([(0.5, 0.5, True)]) == (0.3, 0.7)
