"""Every path from a seed. LEGO-GraphRAG 3.3.1 a (EPR)."""

from __future__ import annotations

import numpy as np

from core.progress import TaskContext
from core.retrieval.paths.path import FACTS, LOOKED_AT, Paths, steps
from core.retrieval.subgraph.subgraph import Asked, Subgraph


class Enumerated:
    """All simple paths of at most `longest` facts; of more than `most` the shortest, then the strongest.

    Only `most` paths of one length are gone on from, so with more than that some longer ones are not seen.
    """

    def __init__(
        self, longest: int = 3, most: int = 20_000, facts: int = FACTS, looked_at: int = LOOKED_AT
    ) -> None:
        self._longest, self._most = longest, most
        self._facts, self._looked_at = facts, looked_at

    def find(self, asked: Asked, subgraph: Subgraph, context: TaskContext) -> Paths:
        """Scores: the seed's weight times the facts' strengths, times 0.9 for each."""
        paths, found, count = Paths.from_seeds(asked, subgraph), list[Paths](), 0
        for _ in range(self._longest):
            context.check()
            on = steps(subgraph, paths, self._facts, self._looked_at)
            order = np.argsort(-on.values, kind="stable")[: self._most - count]
            on = on.take(order)
            paths = on.taken(paths, on.values)
            found.append(paths)
            count += len(paths)
            if not len(paths) or count >= self._most:
                break
        return Paths.joined(found).best(self._most)
