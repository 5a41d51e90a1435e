"""Path retrieval against networkx."""

from __future__ import annotations

from itertools import pairwise

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.progress import Cancelled, TaskContext
from core.retrieval.paths.finders import (
    Beam,
    Enumerated,
    OneWay,
    PreFiltered,
    Refined,
    Shortest,
    Supplemented,
)
from core.retrieval.paths.path import Path, PathFinder
from core.retrieval.subgraph.extraction import Hops
from core.retrieval.subgraph.subgraph import Asked, Subgraph, full_subgraph
from tests.data_makers.small_graphs import ByNumber, GraphCase, asked, asking, build_case

CONTEXT = TaskContext()


def scorer_of(graph: GraphCase) -> ByNumber:
    """Some numbers that repeat."""
    return ByNumber(graph.facts, {key: float(key * 7 % 5) for key in range(100, 140)})


def finders(graph: GraphCase, most: int, longest: int) -> list[PathFinder]:
    scorer = scorer_of(graph)
    return [
        Enumerated(longest, most),
        Shortest(longest, most),
        OneWay(Shortest(longest), scorer, most),
        OneWay(Enumerated(longest), scorer, most),
        Beam(scorer, 2, longest, most),
        Refined(Beam(scorer, 3, longest), scorer, most),
    ]


def keyed(graph: GraphCase, path: Path) -> tuple[int, tuple[int, ...]]:
    """The seed and the keys of the facts."""
    return path.entities[0], tuple(graph.facts.keys[list(path.facts)].tolist())


def is_path(graph: GraphCase, subgraph: Subgraph, question: Asked, path: Path) -> bool:
    """From a seed over facts of the subgraph that join its entities, none twice."""
    _, keys = keyed(graph, path)
    joined = all(
        graph.oracle.has_edge(*pair, key=key) for pair, key in zip(pairwise(path.entities), keys, strict=True)
    )
    inside = set(path.facts) <= set(subgraph.facts.tolist()) and set(path.entities) <= set(
        subgraph.entities.tolist()
    )
    return (
        joined
        and inside
        and path.entities[0] in question.seeds
        and len(set(path.entities)) == len(path.entities) > 1
    )


@settings(max_examples=30, deadline=None)
@given(asked(), st.integers(1, 12), st.integers(1, 4))
def test_paths_are_real_and_keep_to_their_caps(
    drawn: tuple[GraphCase, Asked], most: int, longest: int
) -> None:
    graph, question = drawn
    for subgraph in (full_subgraph(graph.facts), Hops(graph.facts, 1).extract(question, CONTEXT)):
        for finder in finders(graph, most, longest):
            found = finder.find(question, subgraph, CONTEXT)
            paths = list(found)
            assert len(paths) == len(found) <= most
            assert all(
                is_path(graph, subgraph, question, path) and len(path.facts) <= longest for path in paths
            )
            assert len({keyed(graph, path) for path in paths}) == len(paths)
            assert [path.score for path in paths] == sorted((path.score for path in paths), reverse=True)
            assert paths == list(finder.find(question, subgraph, CONTEXT))


@settings(max_examples=30, deadline=None)
@given(asked(), st.integers(1, 4))
def test_enumerated_paths_are_all_there_are(drawn: tuple[GraphCase, Asked], longest: int) -> None:
    graph, question = drawn
    found = {
        keyed(graph, path) for path in Enumerated(longest).find(question, full_subgraph(graph.facts), CONTEXT)
    }
    every = {
        (seed, tuple(key for *_, key in path))
        for seed in question.seeds
        for end in graph.oracle
        if end != seed
        for path in nx.all_simple_edge_paths(graph.oracle, seed, end, longest)
    }
    assert found == every


@settings(max_examples=30, deadline=None)
@given(asked())
def test_shortest_paths_are_shortest_and_of_these_the_strongest(drawn: tuple[GraphCase, Asked]) -> None:
    graph, question = drawn
    found = {
        (path.entities[0], path.entities[-1]): path
        for path in Shortest(longest=9).find(question, full_subgraph(graph.facts), CONTEXT)
    }
    for seed in question.seeds:
        lengths = nx.single_source_shortest_path_length(graph.oracle, seed)
        for end in graph.oracle:
            if end == seed or end not in lengths:
                assert (seed, end) not in found
                continue
            path = found[seed, end]
            assert len(path.facts) == lengths[end]
            strongest = max(
                np.prod([graph.oracle[one][other][key]["strength"] * 0.9 for one, other, key in each])
                for each in nx.all_simple_edge_paths(graph.oracle, seed, end, lengths[end])
            )
            assert path.score == pytest.approx(question.seeds[seed] * strongest, rel=1e-5)


@settings(max_examples=30, deadline=None)
@given(asked(), st.integers(1, 3))
def test_a_beam_as_wide_as_the_graph_finds_every_path(drawn: tuple[GraphCase, Asked], longest: int) -> None:
    graph, question = drawn
    wide = Beam(scorer_of(graph), 10_000, longest, 100_000, pruned=0.0)
    every = OneWay(Enumerated(longest), scorer_of(graph), 100_000)
    one, other = (finder.find(question, full_subgraph(graph.facts), CONTEXT) for finder in (wide, every))
    scores = {keyed(graph, path): path.score for path in other}
    assert {keyed(graph, path): path.score for path in one} == pytest.approx(scores)


def test_a_narrow_beam_follows_the_best_and_prunes_the_least() -> None:
    """0 leads to 1, 2 and 3 by facts that score 1, 5 and 4; from 1 on comes the best of all."""
    graph = build_case(6, [(0, 1, 1.0), (0, 2, 1.0), (0, 3, 1.0), (1, 4, 1.0), (2, 5, 1.0)])
    scorer = ByNumber(graph.facts, {100: 1.0, 101: 5.0, 102: 4.0, 103: 9.0, 104: 3.0})

    def ends(**how: float) -> set[int]:
        beam = Beam(scorer, longest=2, **how)  # type: ignore[arg-type]
        return {
            path.entities[-1] for path in beam.find(asking({0: 1.0}), full_subgraph(graph.facts), CONTEXT)
        }

    assert ends(width=1, pruned=0.0) == {2, 5}
    assert ends(width=2, pruned=0.0) == {2, 3, 5}
    assert ends(width=3, pruned=0.0) == {1, 2, 3, 4, 5}
    assert ends(width=3, pruned=0.2) == {2, 3, 5}, "what leads to 1 is in the lowest fifth"


def test_refining_leaves_out_what_others_go_on_from() -> None:
    graph = build_case(4, [(0, 1, 1.0), (1, 2, 1.0), (0, 3, 1.0)])
    question, full = asking({0: 1.0}), full_subgraph(graph.facts)
    assert len(Enumerated(3).find(question, full, CONTEXT)) == 3
    refined = Refined(Enumerated(3), scorer_of(graph)).find(question, full, CONTEXT)
    assert {path.entities for path in refined} == {(0, 1, 2), (0, 3)}


def test_a_filter_hands_on_the_best_and_a_supplement_fills_up() -> None:
    graph = build_case(2, [(0, 1, 1.0)] * 6)
    places = full_subgraph(graph.facts).facts
    keys = graph.facts.keys[places]
    cheap = ByNumber(graph.facts, {key: float(key) for key in range(100, 106)})
    dear = ByNumber(graph.facts, {103: 0.5, 104: 1.0, 100: 0.9})
    filtered = PreFiltered(dear, cheap, 3).facts(asking({}), places, CONTEXT)
    assert dear.asked == [3], "103 to 105"
    assert keys[np.argsort(-filtered)].tolist() == [104, 103, 105, 102, 101, 100]
    filled = Supplemented(dear, cheap, 5).facts(asking({}), places, CONTEXT)
    assert keys[np.argsort(-filled)].tolist()[:5] == [104, 100, 103, 105, 102]
    assert (filled > 0).sum() == 5
    enough = Supplemented(dear, cheap, 3).facts(asking({}), places, CONTEXT)
    assert keys[enough > 0].tolist() == sorted([100, 103, 104], key=keys.tolist().index)


def test_searching_can_be_cancelled() -> None:
    graph, stop = build_case(3, [(0, 1, 1.0), (1, 2, 1.0)]), TaskContext(cancelled=lambda: True)
    for finder in finders(graph, 5, 2):
        with pytest.raises(Cancelled):
            finder.find(asking({0: 1.0}), full_subgraph(graph.facts), stop)
