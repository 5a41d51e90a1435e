"""Paths found by structure, chosen by what they mean. LEGO-GraphRAG 3.3.2 (OSAR)."""

from __future__ import annotations

from core.progress import TaskContext
from core.retrieval.paths.path import PathFinder, Paths
from core.retrieval.scoring.scorer import Scorer
from core.retrieval.subgraph.subgraph import Asked, Subgraph


class OneWay:
    """The `most` (N_p) of the candidates that score best."""

    def __init__(self, candidates: PathFinder, scorer: Scorer, most: int = 32) -> None:
        self._candidates = candidates
        self._scorer = scorer
        self._most = most

    def find(self, asked: Asked, subgraph: Subgraph, context: TaskContext) -> Paths:
        paths = self._candidates.find(asked, subgraph, context)
        context.check()
        return paths.scored(self._scorer.paths(asked, paths, context)).best(self._most)
