"""The shortest path from each seed to each entity that it reaches. LEGO-GraphRAG 3.3.1 b (SPR)."""

from __future__ import annotations

import numpy as np

from core.progress import TaskContext
from core.retrieval.paths.path import FACTS, LOOKED_AT, Paths, steps
from core.retrieval.subgraph.subgraph import Asked, Subgraph


class Shortest:
    """Of at most `longest` facts; one for each pair, of several the strongest, then that of the first facts.

    Dijkstra's search where every fact is as long as any other, of all seeds at once. The best `most` by structure.
    """

    def __init__(
        self, longest: int = 4, most: int = 20_000, facts: int = FACTS, looked_at: int = LOOKED_AT
    ) -> None:
        self._longest, self._most = longest, most
        self._facts, self._looked_at = facts, looked_at

    def find(self, asked: Asked, subgraph: Subgraph, context: TaskContext) -> Paths:
        """Scores: the seed's weight times the facts' strengths, times 0.9 for each."""
        paths, n = Paths.from_seeds(asked, subgraph), len(subgraph.entities)
        starts = paths.entities[:, 0]
        visited = np.zeros(len(starts) * n, dtype=np.bool_)  # by seed and entity
        visited[np.arange(len(starts)) * n + np.searchsorted(subgraph.entities, starts)] = True
        found = list[Paths]()
        for _ in range(self._longest):
            context.check()
            on = steps(subgraph, paths, self._facts, self._looked_at)
            seeds = np.searchsorted(starts, paths.entities[on.owners, 0])
            codes = seeds * n + np.searchsorted(subgraph.entities, on.entities)
            new = np.flatnonzero(~visited[codes])
            on, codes = on.take(new), codes[new]
            order = np.lexsort((on.facts, -on.values, codes))
            chosen = order[np.unique(codes[order], return_index=True)[1]]
            on = on.take(chosen)
            visited[codes[chosen]] = True
            paths = on.taken(paths, on.values)
            if not len(paths):
                break
            found.append(paths)
        return Paths.joined(found).best(self._most)
