"""Small graphs of facts, made and drawn by chance, with the same graph for networkx."""

from __future__ import annotations

from dataclasses import dataclass

import networkx as nx
import numpy as np
from hypothesis import strategies as st

from core.graph.build import Edges, KnowledgeGraph, build_graph
from core.retrieval.fact_graph import FactGraph, Rows, fact_graph
from core.retrieval.subgraph.subgraph import Asked, Scores, Subgraph
from core.store.facts import FactColumns


@dataclass(frozen=True)
class GraphCase:
    """`oracle` has the keys of the facts as keys of its edges, `lengths` 1 and `weight` -log(strength * 0.9)."""

    graph: KnowledgeGraph
    facts: FactGraph
    oracle: nx.MultiGraph

    def keys(self, places: Rows) -> set[int]:
        return set(self.facts.keys[places].tolist())


def build_case(n: int, facts: list[tuple[int, int, float]]) -> GraphCase:
    """`n` entities without passages, facts (one end, the other, told) with keys from 100 on."""
    ends = np.array([fact[:2] for fact in facts], dtype=np.int64).reshape(-1, 2)
    confidences = np.array([fact[2] for fact in facts], dtype=np.float64)
    none = Edges(np.zeros((0, 2), np.int64), np.zeros(0))
    graph = build_graph(np.arange(n), np.zeros(0, np.int64), Edges(ends, confidences), none, none)
    columns = FactColumns(np.arange(100, 100 + len(facts)), ends[:, 0], ends[:, 1], confidences)
    oracle = nx.MultiGraph()
    oracle.add_nodes_from(range(n))
    for key, (one, other, confidence) in enumerate(facts, start=100):
        if one != other:
            oracle.add_edge(
                one, other, key=key, strength=float(np.float32(1 - np.exp(-np.float32(confidence))))
            )
    return GraphCase(graph, fact_graph(graph, columns, ["PERSON"] * n), oracle)


@st.composite
def graphs(draw: st.DrawFn, entities: int = 9, facts: int = 16) -> GraphCase:
    n = draw(st.integers(2, entities))
    row = st.integers(0, n - 1)
    confidences = st.sampled_from([0.2, 0.5, 0.9, 1.7])
    return build_case(n, draw(st.lists(st.tuples(row, row, confidences), max_size=facts)))


def asking(seeds: dict[int, float]) -> Asked:
    return Asked("Who?", np.zeros(2, np.float32), seeds)


@st.composite
def asked(draw: st.DrawFn) -> tuple[GraphCase, Asked]:
    graph = draw(graphs())
    rows = draw(st.sets(st.integers(0, len(graph.oracle) - 1), max_size=3))
    return graph, asking({row: 1.0 / (at + 1) for at, row in enumerate(sorted(rows))})


def is_within(build_case: GraphCase, found: Subgraph) -> bool:
    """Entities ascending, facts each once and of the graph, both ends inside, everything of one length."""
    keys = build_case.facts.keys[found.facts].tolist()
    real = all(
        build_case.oracle.has_edge(*pair, key=key)
        for pair, key in zip(found.ends.tolist(), keys, strict=True)
    )
    ordered = (np.diff(found.entities) > 0).all() and len(set(keys)) == len(keys)
    inside = np.isin(found.ends, found.entities).all()
    return bool(
        real and ordered and inside and len(found.scores) == len(found.entities) and (found.scores >= 0).all()
    )


class ByNumber:
    """A scorer by given numbers: of a fact's key, of an entity's row; a path scores its facts in the mean."""

    def __init__(
        self, graph: FactGraph, facts: dict[int, float], entities: dict[int, float] | None = None
    ) -> None:
        self._graph, self._facts, self._entities = graph, facts, entities or {}
        self.asked: list[int] = []  # how many facts or paths were scored at once

    def facts(self, asked: object, places: Rows, context: object) -> Scores:
        self.asked.append(len(places))
        return np.array(
            [self._facts.get(key, 0.0) for key in self._graph.keys[places].tolist()], dtype=np.float64
        )

    def entities(self, asked: object, rows: Rows, context: object) -> Scores:
        return np.array([self._entities.get(row, 0.0) for row in rows.tolist()], dtype=np.float64)

    def paths(self, asked: object, paths: object, context: object) -> Scores:
        self.asked.append(len(paths))  # type: ignore[arg-type]
        return np.array([np.mean(self.facts(asked, np.array(path.facts), context)) for path in paths])  # type: ignore[attr-defined]
