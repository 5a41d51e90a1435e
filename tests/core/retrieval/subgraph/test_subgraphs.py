"""Extraction and pruning against networkx."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.graph.pagerank import Walker
from core.progress import Cancelled, TaskContext
from core.retrieval.subgraph.extraction import Hops, Importance, Pruning, RandomWalk
from core.retrieval.subgraph.subgraph import Asked, SubgraphExtractor, between, full_subgraph
from tests.data_makers.small_graphs import ByNumber, GraphCase, asked, asking, build_case, graphs, is_within

CONTEXT = TaskContext()


def extractors(graph: GraphCase, most: int) -> list[SubgraphExtractor]:
    return [
        RandomWalk(graph.facts, walks=5, length=3, most=most),
        Hops(graph.facts, hops=2, most=most),
        Importance(Walker(graph.graph), graph.facts, most=most),
    ]


@settings(max_examples=30, deadline=None)
@given(asked(), st.integers(1, 9))
def test_subgraphs_lie_within_the_graph_and_keep_to_their_caps(
    drawn: tuple[GraphCase, Asked], most: int
) -> None:
    graph, question = drawn
    for first, second in zip(extractors(graph, most), extractors(graph, most), strict=True):
        found, again = first.extract(question, CONTEXT), second.extract(question, CONTEXT)
        assert is_within(graph, found)
        assert len(found.entities) <= most
        seeds = set(question.rows.tolist())
        assert len(seeds & set(found.entities.tolist())) == min(most, len(seeds))
        assert (found.entities == again.entities).all() and (found.facts == again.facts).all()
        assert (found.scores == again.scores).all()
        inside = graph.oracle.subgraph(found.entities.tolist())
        assert graph.keys(found.facts) == {key for _, _, key in inside.edges(keys=True)}


@settings(max_examples=30, deadline=None)
@given(asked(), st.integers(1, 4))
def test_hops_are_all_that_lies_within(drawn: tuple[GraphCase, Asked], hops: int) -> None:
    graph, question = drawn
    found = Hops(graph.facts, hops).extract(question, CONTEXT)
    near = (
        nx.multi_source_dijkstra_path_length(graph.oracle, question.seeds, hops, lambda *_: 1)
        if question.seeds
        else {}
    )
    assert found.entities.tolist() == sorted(near)
    assert found.scores.tolist() == [1 / (1 + near[row]) for row in sorted(near)]


@settings(max_examples=30, deadline=None)
@given(asked())
def test_importance_is_personalised_pagerank(drawn: tuple[GraphCase, Asked]) -> None:
    graph, question = drawn
    found = Importance(Walker(graph.graph), graph.facts, damping=0.5).extract(question, CONTEXT)
    if not question.seeds:
        assert not len(found.entities)
        return
    weighted = nx.from_scipy_sparse_array(graph.graph.adjacency)
    exact = nx.pagerank(weighted, 0.5, question.seeds, tol=1e-9, dangling=question.seeds)
    assert found.scores == pytest.approx([exact[row] for row in found.entities.tolist()], abs=2e-3)


def test_a_walk_goes_another_way_by_another_seed() -> None:
    graph = build_case(40, [(0, other, 1.0) for other in range(1, 40)])
    walks = [
        RandomWalk(graph.facts, 5, 1, seed=seed).extract(asking({0: 1.0}), CONTEXT) for seed in (1, 1, 2)
    ]
    assert walks[0].entities.tolist() == walks[1].entities.tolist() != walks[2].entities.tolist()


@settings(max_examples=30, deadline=None)
@given(graphs(), st.integers(0, 8), st.data())
def test_pruning_keeps_the_best(graph: GraphCase, most: int, data: st.DataObject) -> None:
    """By definition: what stays out scores no more than what stays in."""
    full = full_subgraph(graph.facts)
    numbers = st.integers(0, 5).map(float)
    facts = {key: data.draw(numbers) for key in sorted(graph.keys(full.facts))}
    rows = {row: data.draw(numbers) for row in range(len(graph.oracle))}
    question, scorer = asking({0: 1.0}), ByNumber(graph.facts, facts, rows)
    nodes, edges, triples = (
        Pruning(scorer, component, most).prune(question, full, CONTEXT)
        for component in ("nodes", "edges", "triples")
    )
    assert all(is_within(graph, found) for found in (nodes, edges, triples))
    assert all(0 in found.entities for found in (nodes, edges, triples))
    kept = set(nodes.entities.tolist())
    assert len(kept - {0}) <= most
    assert max((rows[row] for row in rows.keys() - kept), default=-1) <= min(
        (rows[row] for row in kept - {0}), default=9
    )
    assert graph.keys(nodes.facts) == {key for *_, key in graph.oracle.subgraph(kept).edges(keys=True)}
    assert len(triples.facts) == min(most, len(full.facts))
    held = graph.keys(triples.facts)
    assert max((facts[key] for key in facts.keys() - held), default=-1) <= min(
        (facts[key] for key in held), default=9
    )
    pairs = {tuple(pair) for pair in edges.ends.tolist()}
    assert len(pairs) == min(most, len({tuple(pair) for pair in full.ends.tolist()}))
    assert len(edges.facts) == sum(tuple(pair) in pairs for pair in full.ends.tolist())
    worth = {
        tuple(sorted(pair)): max(facts[key] for key in graph.oracle[pair[0]][pair[1]])
        for pair in full.ends.tolist()
    }
    assert max((worth[pair] for pair in worth.keys() - pairs), default=-1) <= min(
        map(worth.__getitem__, pairs), default=9
    )


def test_a_fact_is_the_same_in_every_subgraph() -> None:
    graph = build_case(3, [(2, 0, 1.0), (0, 1, 0.5), (1, 2, 0.2), (0, 2, 0.3)])
    some = between(graph.facts, np.array([0, 2]), np.ones(2))
    assert set(some.facts.tolist()) < set(full_subgraph(graph.facts).facts.tolist())
    assert graph.keys(some.facts) == {100, 103}


def test_extraction_can_be_cancelled() -> None:
    graph, stop = build_case(3, [(0, 1, 1.0), (1, 2, 1.0)]), TaskContext(cancelled=lambda: True)
    for extractor in extractors(graph, 5):
        with pytest.raises(Cancelled):
            extractor.extract(asking({0: 1.0}), stop)
