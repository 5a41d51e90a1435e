"""Extraction of all that lies within k facts of a seed. LEGO-GraphRAG 3.2.1 b."""

from __future__ import annotations

import numpy as np

from core.progress import TaskContext
from core.retrieval.fact_graph import FactGraph
from core.retrieval.subgraph.subgraph import Asked, Subgraph, between


class Hops:
    """Entities within `hops` facts of a seed, with the facts between them; the nearest first where there are more."""

    def __init__(self, graph: FactGraph, hops: int = 2, most: int = 1_000, facts: int = 200) -> None:
        """At most `most` entities are kept, and of each entity its strongest `facts` are followed."""
        self._graph = graph
        self._hops, self._most, self._facts = hops, most, facts

    def extract(self, asked: Asked, context: TaskContext) -> Subgraph:
        """Scores are 1 / (1 + facts to the nearest seed)."""
        graph = self._graph
        frontier = asked.rows[: self._most]
        found, distances = frontier, np.zeros(len(frontier), dtype=np.int64)
        for hop in range(1, self._hops + 1):
            context.check()
            places, _ = graph.around(frontier, self._facts)
            order = np.lexsort((graph.others[places], -graph.strengths[places]))
            others = graph.others[places][order].astype(np.int64)
            # Each once, those by the strongest facts first.
            frontier = others[np.sort(np.unique(others, return_index=True)[1])]
            frontier = np.sort(frontier[~np.isin(frontier, found)][: self._most - len(found)])
            if not len(frontier):
                break
            found = np.concatenate([found, frontier])
            distances = np.concatenate([distances, np.full(len(frontier), hop)])
        order = np.argsort(found)
        scores = 1.0 / (1.0 + distances[order].astype(np.float64))
        return between(graph, found[order], scores)
