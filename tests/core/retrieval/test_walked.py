"""The graph that is walked with further edges, and without weak ones: against one that is built so."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import cast

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from core.config import RetrievalConfig
from core.graph.build import Edges, KnowledgeGraph, build_graph
from core.research.papers.toy_corpus import draw_corpus
from core.retrieval.fact_graph import fact_graph
from core.retrieval.graph_filter import filter_graph, pruned, with_edges
from core.store.facts import FactColumns
from core.types import DerivedEdges
from core.types.edges import BEFORE, CITATION, HIERARCHY

Facts = list[tuple[int, int, float]]
N, PASSAGES = 7, 3
row = st.integers(0, N - 1)
facts = st.lists(st.tuples(row, row, st.sampled_from([0.2, 0.3, 0.5, 0.9])), max_size=14)
pairs = st.lists(st.tuples(row, row), max_size=5)


def columns(told: Facts) -> FactColumns:
    ends = np.array([fact[:2] for fact in told], np.int64).reshape(-1, 2)
    return FactColumns(
        np.arange(100, 100 + len(told)), ends[:, 0], ends[:, 1], np.array([fact[2] for fact in told])
    )


def built(
    told: Facts, synonyms: list[tuple[int, int]], further: Sequence[tuple[int, int]] = ()
) -> KnowledgeGraph:
    own = columns(told)
    more = np.array(list(further), np.int64).reshape(-1, 2)
    ends = np.concatenate([np.stack([own.subjects, own.objects], axis=1), more])
    weights = np.concatenate([own.strengths, np.full(len(more), 2.0)])
    occurrences = np.array([(at, at % PASSAGES) for at in range(N)], np.int64)
    near = sorted({(min(pair), max(pair)) for pair in synonyms if pair[0] != pair[1]})
    return build_graph(
        np.arange(N),
        np.arange(PASSAGES),
        Edges(ends, weights),
        Edges(occurrences, np.ones(N)),
        Edges(np.array(near, np.int64).reshape(-1, 2), np.full(len(near), 0.875)),
    )


def same(one: KnowledgeGraph, other: KnowledgeGraph) -> None:
    np.testing.assert_allclose(one.adjacency.toarray(), other.adjacency.toarray(), atol=1e-5)
    np.testing.assert_allclose(one.degrees, other.degrees, atol=1e-5)
    assert one.adjacency.nnz == other.adjacency.nnz


@settings(max_examples=40, deadline=None)
@given(facts, pairs, st.sampled_from([0.1, 0.25, 0.4, 0.6]))
def test_without_weak_edges_it_is_built_of_the_others(
    told: Facts, synonyms: list[tuple[int, int]], least: float
) -> None:
    whole = built(told, synonyms)
    own = fact_graph(whole, columns(told), ["PERSON"] * N)
    sums: dict[frozenset[int], float] = {}
    for one, other, strength in told:
        if one != other:
            sums[frozenset((one, other))] = sums.get(frozenset((one, other)), 0.0) + strength
    weak = {pair for pair, strength in sums.items() if 1 - np.exp(-strength) < least}
    left = [fact for fact in told if frozenset(fact[:2]) not in weak]
    graph, chains = pruned(whole, own, least)
    same(graph, built(left, synonyms))
    assert graph.counts["pruned"] == len(weak)
    kept = {100 + at for at, fact in enumerate(told) if fact in left and fact[0] != fact[1]}
    assert set(chains.keys.tolist()) == kept


@settings(max_examples=40, deadline=None)
@given(facts, pairs, pairs)
def test_with_further_edges_it_is_built_with_them(
    told: Facts, synonyms: list[tuple[int, int]], further: list[tuple[int, int]]
) -> None:
    whole = built(told, synonyms)
    once = sorted({(min(pair), max(pair)) for pair in further if pair[0] != pair[1]})
    ends = np.array(
        [*further, (3, 999), (-1, 2)], np.int64
    )  # of what is no entity of the graph nothing comes
    graph = with_edges(whole, ends, 2.0, "before")
    same(graph, built(told, synonyms, once))
    assert graph.counts["before"] == len(once)


def test_each_kind_of_further_edges_has_its_own_weight() -> None:
    toy = draw_corpus()
    adjacency = toy.graph.adjacency.toarray()
    apart = np.argwhere(np.triu(adjacency[:12, :12] == 0, 1))[:3]
    kinds = (BEFORE, HIERARCHY, CITATION)
    derived = cast(DerivedEdges, SimpleNamespace(ends=apart, rows=lambda kind: [kinds.index(kind)]))
    config = RetrievalConfig(temporal_edges=1.0, hierarchy_edges=2.0, citation_edges=4.0)
    corpus, _ = filter_graph(toy.corpus, toy.facts, lambda: derived, config)
    found = corpus.graph.adjacency.toarray() - adjacency
    assert [found[one, other] for one, other in apart.tolist()] == [1.0, 2.0, 4.0]
    assert found.sum() == 2 * (1.0 + 2.0 + 4.0)
    assert {kind: corpus.graph.counts[kind] for kind in kinds} == dict.fromkeys(kinds, 1)
