"""Chains of facts against every walk there is; the hybrid's weights against data that they made."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import pairwise, permutations

import networkx as nx  # type: ignore[import-untyped]
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from core.graph.build import Edges, KnowledgeGraph, build_graph
from core.retrieval.fact_graph import FactGraph, fact_graph
from core.retrieval.hybrid import fit_weights
from core.retrieval.paths import strongest as paths
from core.retrieval.paths.strongest import Chain, chain_to, named_in, page_rank, passage_scores, rarity, reach
from core.store.facts import FactColumns
from core.types.kinds import NOUN

Facts = list[tuple[int, int, float]]


def build_case(
    n: int,
    facts: Facts,
    named: Sequence[tuple[int, int]] = (),
    passages: int = 1,
    nouns: Collection[int] = (),
) -> tuple[KnowledgeGraph, FactGraph]:
    """`n` entities, facts (subject, object, strength) of keys 100 on, and (entity, passage) pairs."""
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
    columns = FactColumns(np.arange(100, 100 + len(facts)), ends[:, 0], ends[:, 1], weights)
    return graph, fact_graph(graph, columns, [NOUN if at in nouns else "PERSON" for at in range(n)])


def chain(graph: FactGraph, seeds: dict[int, float], *ends: int) -> Chain | None:
    """As explanations look for it: two facts from the seeds, and one from the end."""
    near = reach(graph, graph.importance, seeds, 2)
    return chain_to(graph, graph.importance, near, np.array(ends, dtype=np.int64))


def every_edge(
    graph: FactGraph, importance: NDArray[np.float32], seeds: dict[int, float], longest: int
) -> NDArray[np.float64]:
    """The slow, obvious way: all facts, once for each step; (n_entities,)."""
    n = len(importance)
    ends = np.repeat(np.arange(n), np.diff(graph.starts))
    found = np.zeros(n)
    for row, weight in seeds.items():
        found[row] = weight * float(importance[row])
    for _ in range(longest):
        following = found.copy()
        for one, other, strength in zip(ends, graph.others, graph.strengths, strict=True):
            step = float(strength) * float(importance[other]) * 0.9
            following[other] = max(following[other], found[one] * step)
        found = following
    return found


def strongest(graph: FactGraph, facts: Facts, seed: int, end: int) -> float:
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


def drawn_facts(seed: int, n: int, count: int) -> Facts:
    random = np.random.default_rng(seed)
    ends, weights = random.integers(0, n, (count, 2)).tolist(), random.uniform(0.2, 3.0, count).tolist()
    return [(a, b, w) for (a, b), w in zip(ends, weights, strict=True)]


@pytest.mark.parametrize("seed", range(3))
def test_the_strongest_chain_is_found(seed: int) -> None:
    facts = [fact for fact in drawn_facts(seed, 9, 12) if fact[0] != fact[1]]
    _, graph = build_case(9, facts)
    found = reach(graph, graph.importance, {0: 1.0})[-1]
    for end in range(9):
        wanted = strongest(graph, facts, 0, end)
        assert found.strengths(np.array([end]))[0] == pytest.approx(wanted)
        strongest_chain = chain(graph, {0: 1.0}, end)
        assert (strongest_chain is None) == (wanted == 0)
        if strongest_chain is None:
            continue
        assert (strongest_chain.entities[0], strongest_chain.entities[-1]) == (0, end)
        assert len(strongest_chain.facts) == len(strongest_chain.strengths) <= 3
        for key, pair in zip(strongest_chain.facts, pairwise(strongest_chain.entities), strict=True):
            assert {facts[key - 100][0], facts[key - 100][1]} == set(pair)
        product = np.prod(strongest_chain.strengths) * np.prod(
            graph.importance[list(strongest_chain.entities)]
        )
        assert (
            strongest_chain.strength == pytest.approx(product * 0.9 ** len(strongest_chain.facts)) == wanted
        )


@pytest.mark.long
@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    n=st.integers(2, 30),
    count=st.integers(0, 60),
    nouns=st.sets(st.integers(0, 29), max_size=8),
    seeds=st.dictionaries(st.integers(0, 29), st.floats(0.01, 1.0), max_size=5),
)
def test_where_nothing_is_cut_it_is_as_if_every_fact_were_looked_at(
    seed: int, n: int, count: int, nouns: set[int], seeds: dict[int, float]
) -> None:
    _, graph = build_case(n, drawn_facts(seed, n, count), nouns=nouns)
    seeds = {row: weight for row, weight in seeds.items() if row < n}
    for importance in (graph.importance, graph.name_importance):
        wanted = every_edge(graph, importance, seeds, 3)
        found = reach(graph, importance, seeds)[-1]
        assert found.strengths(np.arange(n)).tolist() == pytest.approx(wanted.tolist(), rel=1e-12)
        assert found.rows.tolist() == np.flatnonzero(wanted).tolist()
        near = reach(graph, importance, seeds, 2)
        for end in range(n):
            strongest_chain = chain_to(graph, importance, near, np.array([end]))
            assert (strongest_chain.strength if strongest_chain else 0.0) == pytest.approx(
                wanted[end], rel=1e-12
            )
        if wanted.any():
            best = chain_to(graph, importance, near, np.arange(n))
            assert best is not None and best.strength == pytest.approx(wanted.max(), rel=1e-12)
    if nouns:
        visible = reach(graph, graph.name_importance, seeds)[-1]
        assert not set(visible.rows.tolist()) & nouns, "no chain that is shown leads over a noun"


def test_strengths_multiply_and_a_weak_fact_loses() -> None:
    _, graph = build_case(4, [(0, 1, 2.0), (1, 3, 2.0), (0, 2, 0.05), (2, 3, 2.0)])
    strongest_chain = chain(graph, {0: 1.0}, 3)
    assert strongest_chain is not None
    assert strongest_chain.entities == (0, 1, 3) and strongest_chain.facts == (100, 101)
    assert strongest_chain.strengths == pytest.approx((1 - np.exp(-2.0),) * 2)


def test_no_chain_where_there_is_none() -> None:
    full, graph = build_case(4, [(0, 1, 1.0)], [(3, 0)])  # 3 is a synonym of 0, which is no fact
    assert chain(graph, {0: 1.0}, 3) is None and chain(graph, {0: 1.0}, 2) is None
    assert not len(passage_scores(full, reach(graph, graph.importance, {0: 1.0})[-1])[0])
    _, far = build_case(5, [(0, 1, 9.0), (1, 2, 9.0), (2, 3, 9.0), (3, 4, 9.0)])
    assert chain(far, {0: 1.0}, 3) is not None
    assert chain(far, {0: 1.0}, 4) is None, "four facts are too many"
    _, empty = build_case(2, [])
    assert chain(empty, {0: 1.0}, 1) is None and chain(empty, {0: 1.0}) is None
    assert chain(empty, {}, 1) is None


def test_what_is_looked_at_is_bounded_and_a_hub_is_left_from_the_other_end() -> None:
    """A hub of a thousand strong facts and one weak one."""
    hub: Facts = [(0, at, 3.0) for at in range(1, 1_001)]
    _, graph = build_case(1_003, [*hub, (0, 1_001, 0.5), (1_001, 1_002, 3.0)])
    near = reach(graph, graph.importance, {0: 1.0}, 2)[-1]
    assert len(near.rows) == 1 + paths.FACTS
    assert not {1_001, 1_002} & set(reach(graph, graph.importance, {1: 1.0})[-1].rows.tolist())
    strongest_chain = chain(graph, {1: 1.0}, 1_002)
    assert strongest_chain is not None and strongest_chain.facts == (100, 1_100, 1_101)
    full = reach(graph, graph.importance, {0: 1.0}, 2, facts=2_000)[-1]
    assert len(full.rows) == 1_003
    few = reach(graph, graph.importance, {0: 1.0, 1_002: 1.0}, 1, looked_at=1)[-1]
    assert 1_001 not in few.rows and len(few.rows) == 2 + paths.FACTS, "the best seed's facts are enough"


def test_a_passage_scores_as_the_best_that_it_names(monkeypatch: pytest.MonkeyPatch) -> None:
    named = [(2, 0), (1, 0), (3, 1), (2, 2)]
    full, graph = build_case(4, [(0, 1, 1.0), (1, 2, 1.0)], named, passages=4)
    found = reach(graph, graph.importance, {0: 1.0})[-1]
    assert named_in(full, 0).tolist() == [1, 2] and not len(named_in(full, 3))
    rows, scores = passage_scores(full, found)
    assert rows.tolist() == [0, 2]
    assert scores.tolist() == found.strengths(np.array([1, 2])).tolist()
    monkeypatch.setattr(paths, "_PASSAGES", 4)  # as many as 0 and 1, the best, have neighbours
    assert passage_scores(full, found)[0].tolist() == [0]


def test_facts_of_some_passages_are_as_if_there_were_no_others() -> None:
    facts = drawn_facts(5, 12, 40)
    full = build_case(12, facts, nouns={3, 4})[1]
    chosen = [key for key in range(100, 140) if key % 3]
    alone = build_case(
        12, [fact if key % 3 else (0, 0, 1.0) for key, fact in enumerate(facts, 100)], nouns={3, 4}
    )[1]
    cut = full.select(np.array(chosen))
    for name in FactGraph.__slots__:
        assert np.array_equal(getattr(cut, name), getattr(alone, name)), name
        assert getattr(cut, name).dtype == getattr(full, name).dtype


def test_weights_follow_what_tells_gold_from_the_rest() -> None:
    random = np.random.default_rng(3)
    gold = np.arange(400) % 20 == 0
    telling, noise = gold + random.normal(0, 0.2, 400), random.uniform(0, 1, 400)
    by_path = fit_weights(
        [(float(d), float(p), bool(g)) for d, p, g in zip(noise, telling, gold, strict=True)]
    )
    by_dense = fit_weights(
        [(float(d), float(p), bool(g)) for d, p, g in zip(telling, noise, gold, strict=True)]
    )
    assert by_path[1] > 0.9 and by_dense[0] > 0.9
    assert sum(by_path) == pytest.approx(1.0) and min(*by_path, *by_dense) >= 0
    against = fit_weights(
        [(float(1 - d), float(p), bool(g)) for d, p, g in zip(telling, telling, gold, strict=True)]
    )
    assert against == (0.0, 1.0), "no weight is negative"
    assert fit_weights([]) == fit_weights([(0.5, 0.5, True)]) == (0.3, 0.7)


def test_page_rank_is_that_of_networkx_and_a_hub_is_the_least_rare() -> None:
    facts = [(0, at, 1.0) for at in range(1, 6)] + [(1, 2, 1.0), (0, 1, 3.0)]  # twice between 0 and 1
    _, graph = build_case(8, facts)  # 6 and 7 have no facts
    oracle = nx.Graph([fact[:2] for fact in facts])
    oracle.add_nodes_from(range(8))
    expected = nx.pagerank(oracle, alpha=0.85, max_iter=500, tol=1e-12)
    np.testing.assert_allclose(page_rank(graph, steps=300), [expected[at] for at in range(8)], atol=1e-9)
    rare = rarity(graph)
    assert rare.argmin() == 0
    assert rare[0] == 0.5
    np.testing.assert_allclose(rare[6:], 1.0)
