"""The graph that is shown while it grows."""

from __future__ import annotations

import pytest

from core.ingest import pipeline
from core.ingest.pipeline import GraphGrowth


def nodes(first: int, last: int) -> list[tuple[str, str, str]]:
    return [(str(i), f"name {i}", "PERSON") for i in range(first, last)]


def test_communities_are_worth_it_after_each_third_and_only_while_it_is_shown(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(pipeline, "_MOST_ENTITIES", 200)
    graph, computed = GraphGrowth(), []
    for size in range(1, 400):
        graph.add(nodes(size - 1, size), [])
        if graph.grown_enough():
            computed.append(len(graph.arrays()[0]))
    assert computed == [60, 80, 107, 143, 191]
    assert not graph.shown
    growth = graph.take({})
    assert (growth.entities, len(growth.nodes)) == (399, 399), "it is counted and told all the same"


def test_what_is_new_is_told_once() -> None:
    graph = GraphGrowth()
    graph.add(nodes(0, 3), [("0", "1"), ("0", "1"), ("1", "2")])
    growth = graph.take({})
    assert growth.edges == (("0", "1"), ("1", "2")) and growth.facts == 2
    graph.add(nodes(1, 4), [("1", "2"), ("2", "3")])
    growth = graph.take({})
    assert [node[0] for node in growth.nodes] == ["3"]
    assert growth.edges == (("2", "3"),)
    ids, ends, weights = graph.arrays()
    assert ids == ["0", "1", "2", "3"] and ends.shape == (3, 2)
    assert weights.tolist() == [2.0, 2.0, 1.0]
