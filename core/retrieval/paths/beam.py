"""A beam search that is led by what facts mean. LEGO-GraphRAG 3.3.3 (ISAR)."""

from __future__ import annotations

import numpy as np

from core.progress import TaskContext
from core.retrieval.fact_graph import Rows
from core.retrieval.paths.path import FACTS, LOOKED_AT, Paths, Steps, steps
from core.retrieval.scoring.scorer import Scorer
from core.retrieval.subgraph.subgraph import Asked, Scores, Subgraph


class Beam:
    """From each seed the `width` (B) best paths go on, up to `longest` (L) facts; each new fact is scored as a triple.

    A path scores the mean of its facts. A fact that lies in the lowest share `pruned` of a step's range of scores is
    not followed. What was in a beam at any step is found, the best `most` of it.
    """

    def __init__(
        self,
        scorer: Scorer,
        width: int = 8,
        longest: int = 4,
        most: int = 32,
        pruned: float = 0.2,
        facts: int = FACTS,
        looked_at: int = LOOKED_AT,
    ) -> None:
        self._scorer = scorer
        self._width, self._longest, self._most, self._pruned = width, longest, most, pruned
        self._facts, self._looked_at = facts, looked_at

    def find(self, asked: Asked, subgraph: Subgraph, context: TaskContext) -> Paths:
        paths, found = Paths.from_seeds(asked, subgraph), list[Paths]()
        for length in range(self._longest):
            context.check()
            on = steps(subgraph, paths, self._facts, self._looked_at)
            if not len(on.facts):
                break
            places, numbers = np.unique(on.facts, return_inverse=True)
            scores = self._scorer.facts(asked, places, context)[numbers]
            relevant = np.flatnonzero(scores >= scores.min() + self._pruned * np.ptp(scores))
            on, scores = on.take(relevant), scores[relevant]
            before = paths.scores[on.owners] if length else 0.0
            totals = (before * length + scores) / (length + 1)
            beam = self._widest(paths, on, totals)
            paths = on.take(beam).taken(paths, totals[beam])
            found.append(paths)
        return Paths.joined(found).best(self._most)

    def _widest(self, paths: Paths, on: Steps, totals: Scores) -> Rows:
        """The best steps of each seed; of equal ones that of the first fact."""
        seeds = paths.entities[on.owners, 0]
        order = np.lexsort((on.owners, on.facts, -totals, seeds))
        first = np.searchsorted(seeds[order], seeds[order])
        beam: Rows = order[np.arange(len(order)) - first < self._width]
        return beam
