"""Short paths against those of networkx."""

from __future__ import annotations

from itertools import islice, pairwise

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.graph.build import Edges
from core.graph.connections import Path, short_paths
from core.progress import Cancelled

Drawn = tuple[int, list[tuple[int, int, float]]]


@st.composite
def drawn(draw: st.DrawFn) -> Drawn:
    """A graph of at most 9 nodes, with edges (one, other, weight)."""
    n = draw(st.integers(2, 9))
    pairs = st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)).filter(lambda pair: pair[0] < pair[1])
    chosen = draw(st.lists(pairs, unique=True, max_size=20))
    return n, [(one, other, draw(st.floats(0.1, 5.0))) for one, other in chosen]


def edges_of(graph: Drawn) -> Edges:
    ends = np.array([edge[:2] for edge in graph[1]], dtype=np.int64).reshape(-1, 2)
    return Edges(ends, np.array([edge[2] for edge in graph[1]], dtype=np.float64))


def known(graph: Drawn) -> nx.Graph:
    made = nx.Graph()
    made.add_nodes_from(range(graph[0]))
    made.add_weighted_edges_from(graph[1])
    return made


def product(graph: nx.Graph, path: Path) -> float:
    return float(np.prod([1 - np.exp(-graph.edges[pair]["weight"]) for pair in nx.utils.pairwise(path)]))


@given(drawn(), st.integers(1, 4))
@settings(max_examples=40, deadline=None)
def test_all_short_paths_are_those_of_networkx(graph: Drawn, longest: int) -> None:
    found, more = short_paths(edges_of(graph), graph[0], 0, 1, 1000, longest)
    oracle = known(graph)
    wanted = sorted(tuple(path) for path in nx.all_simple_paths(oracle, 0, 1, cutoff=longest))
    assert sorted(found) == wanted and not more
    lengths = [len(path) for path in found]
    assert lengths == sorted(lengths)
    if found:
        shortest = sorted(tuple(path) for path in nx.all_shortest_paths(oracle, 0, 1))
        assert sorted(path for path in found if len(path) == lengths[0]) == shortest
    for before, after in pairwise(found):
        if len(before) == len(after):
            assert product(oracle, before) >= product(oracle, after) - 1e-12


@given(drawn(), st.integers(1, 6))
@settings(max_examples=40, deadline=None)
def test_a_few_are_as_short_as_the_shortest_of_networkx(graph: Drawn, most: int) -> None:
    found, more = short_paths(edges_of(graph), graph[0], 0, 1, most, 9)
    oracle = known(graph)
    wanted: list[list[int]] = []
    if nx.has_path(oracle, 0, 1):
        wanted = list(islice(nx.shortest_simple_paths(oracle, 0, 1), most + 1))
    assert [len(path) for path in found] == [len(path) for path in wanted[:most]]
    assert more == (len(wanted) > most)
    assert len(set(found)) == len(found) and all(nx.is_simple_path(oracle, path) for path in found)


def test_nothing_leads_from_a_node_to_itself_or_where_no_edge_does() -> None:
    edges = edges_of((4, [(0, 1, 1.0)]))
    assert short_paths(edges, 4, 0, 0, 5, 5) == ([], False)
    assert short_paths(edges, 4, 0, 3, 5, 5) == ([], False)


def test_a_long_search_is_given_up_and_says_that_there_may_be_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.graph.connections.LOOKED_AT", 40)
    full = [(one, other, 1.0) for one in range(9) for other in range(one + 1, 9)]
    found, more = short_paths(edges_of((9, full)), 9, 0, 1, 100_000, 8)
    assert more and found[0] == (0, 1)


def test_a_search_ends_when_it_is_told_to() -> None:
    def stop() -> None:
        raise Cancelled

    with pytest.raises(Cancelled):
        short_paths(edges_of((3, [(0, 1, 1.0)])), 3, 0, 1, 5, 5, stop)
