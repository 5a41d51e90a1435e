"""Extraction by random walks. LEGO-GraphRAG 3.2.1 a."""

from __future__ import annotations

import numpy as np

from core.progress import TaskContext
from core.retrieval.fact_graph import FactGraph
from core.retrieval.subgraph.subgraph import Asked, Subgraph, between, heaviest


class RandomWalk:
    """From each seed walkers go from fact to fact; the entities that they visit most stay, with the facts between."""

    def __init__(
        self, graph: FactGraph, walks: int = 64, length: int = 4, most: int = 1_000, seed: int = 7
    ) -> None:
        """`walks` from each seed, of `length` facts; at most `most` entities. `seed` is of the random numbers."""
        self._graph = graph
        self._walks, self._length, self._most, self._seed = walks, length, most, seed

    def extract(self, asked: Asked, context: TaskContext) -> Subgraph:
        """Scores are shares of the visits."""
        graph, random = self._graph, np.random.default_rng(self._seed)
        at = np.repeat(asked.rows, self._walks)
        visited = [at]
        for _ in range(self._length):
            context.check()
            first = graph.starts[at]
            degrees = graph.starts[at + 1] - first
            steps = (random.random(len(at)) * degrees).astype(np.int64)
            moving = degrees > 0
            at = at.copy()
            at[moving] = graph.others[(first + steps)[moving]]
            visited.append(at)
        entities, counts = np.unique(np.concatenate(visited), return_counts=True)
        return between(graph, *heaviest(asked, entities, counts / max(1, counts.sum()), self._most))
