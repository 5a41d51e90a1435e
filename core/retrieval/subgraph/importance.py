"""Extraction of what personalised PageRank finds important. LEGO-GraphRAG 3.2.1 c."""

from __future__ import annotations

from core.graph.pagerank import Walker
from core.progress import TaskContext
from core.retrieval.fact_graph import FactGraph
from core.retrieval.ppr import TOLERANCE
from core.retrieval.subgraph.subgraph import Asked, Subgraph, between, heaviest


class Importance:
    """The entities that hold most of a walk from the seeds, with the facts between them.

    The walk goes over the whole graph, passages and synonyms too: two entities are near where one passage names both.
    """

    def __init__(self, walker: Walker, graph: FactGraph, most: int = 1_000, damping: float = 0.6) -> None:
        """`walker` goes over the graph of the same snapshot; at most `most` entities (N_ppr)."""
        self._walker = walker
        self._graph = graph
        self._most, self._damping = most, damping

    def extract(self, asked: Asked, context: TaskContext) -> Subgraph:
        """Scores are the entities' shares of the mass."""
        if not len(asked.rows):
            return between(self._graph, asked.rows, asked.weights)
        walk = self._walker.reach(asked.rows, asked.weights, self._damping, context, tolerance=TOLERANCE)
        own = (walk.nodes < len(self._graph.importance)) & (walk.scores > 0)
        return between(self._graph, *heaviest(asked, walk.nodes[own], walk.scores[own], self._most))
