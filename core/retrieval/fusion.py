"""Weighted reciprocal rank fusion. EA-GraphRAG 3.4.3, eq. 8 and 9."""

from __future__ import annotations

import time
from collections.abc import Callable

from core.config import RetrievalConfig
from core.progress import TaskContext
from core.protocols import Retriever
from core.retrieval.ranking import numbered
from core.types import Hit, Retrieval, Stage


def fuse(rankings: list[tuple[float, tuple[Hit, ...]]], rrf_k: int, k: int) -> tuple[Hit, ...]:
    """Best k of sum(weight / (rrf_k + rank)) over the rankings that hold a passage; ranks from 1."""
    scores: dict[str, float] = {}
    for weight, hits in rankings:
        for hit in hits:
            scores[hit.passage_id] = scores.get(hit.passage_id, 0.0) + weight / (rrf_k + hit.rank)
    return numbered(sorted(scores.items(), key=lambda item: -item[1])[: max(0, k)])


def ranks_by_part(parts: dict[str, tuple[Hit, ...]], hits: tuple[Hit, ...]) -> dict[str, dict[str, int]]:
    """For each hit, its rank in every part that holds it."""
    placed = {name: {hit.passage_id: hit.rank for hit in found} for name, found in parts.items()}
    return {
        hit.passage_id: {
            name: ranks[hit.passage_id] for name, ranks in placed.items() if hit.passage_id in ranks
        }
        for hit in hits
    }


class FusionRetriever:
    """Dense and graph rankings, weighted 1 - s(q) and s(q) by the complexity score."""

    def __init__(
        self,
        dense: Retriever,
        graph: Retriever,
        score: Callable[[str], float],
        config: RetrievalConfig,
    ) -> None:
        """`score(question)` is the complexity in 0..1."""
        self._dense = dense
        self._graph = graph
        self._score = score
        self._config = config

    def retrieve(self, question: str, k: int, context: TaskContext) -> Retrieval:
        wide = max(k, self._config.candidates)
        dense = self._dense.retrieve(question, wide, context)
        graph = self._graph.retrieve(question, wide, context)
        begin = time.perf_counter()
        weight = min(1.0, max(0.0, self._score(question)))
        hits = fuse([(1.0 - weight, dense.hits), (weight, graph.hits)], self._config.rrf_k, k)
        spent = time.perf_counter() - begin
        stage = Stage("fusion", spent, f"dense {1 - weight:.2f}, graph {weight:.2f}")
        ranks = ranks_by_part({"dense": dense.hits, "graph": graph.hits}, hits)
        return Retrieval(hits, (*dense.stages, *graph.stages, stage), graph.heat, graph.seeds, ranks)
