"""Cosine and path strength of each passage, added with two weights. Triple-layer GraphRAG 4.5.2."""

from __future__ import annotations

import time
from collections.abc import Sequence

import numpy as np

from core.config import RetrievalConfig
from core.progress import TaskContext
from core.retrieval.corpus import Corpus
from core.retrieval.fact_graph import FactGraph, Rows
from core.retrieval.fusion import as_fused, ranks_by_part
from core.retrieval.paths.strongest import Scores, page_rank, passage_scores, rarity, reach
from core.retrieval.ppr import nearest_to
from core.retrieval.query import Query
from core.retrieval.ranking import largest_of, numbered
from core.retrieval.seeds import restart
from core.text.translation import mark, trn
from core.types import Hit, Retrieval, Seed, Stage

_PAPER = (0.3, 0.7)
WeighedRow = tuple[float, float, bool]  # dense score, path score, whether the passage is a gold one


class HybridRetriever:
    """score(d) = w_dense * dense(d) + w_path * path(d), both scaled to 0..1 over the corpus."""

    def __init__(
        self,
        corpus: Corpus,
        facts: FactGraph,
        config: RetrievalConfig,
    ) -> None:
        """`facts` are those of the same snapshot."""
        self._corpus = corpus
        self._facts = facts
        self._config = config
        self._entities = corpus.entity_ids.rows
        self._importance = page_rank(facts) if config.hybrid_pagerank else rarity(facts)

    def retrieve(self, query: Query, k: int, context: TaskContext) -> Retrieval:
        context.check()
        ids = self._corpus.passage_ids
        if not ids:
            return Retrieval(())
        begin = time.perf_counter()
        weights = self._config.hybrid_dense, self._config.hybrid_path
        wide = max(k, self._config.candidates)
        rows, dense, path, seeds = self.scores(query, wide)

        def ranked(places: Rows | slice, scores: Scores) -> tuple[Hit, ...]:
            best = largest_of(rows[places], scores[places], wide)
            return numbered(
                (ids[row], score) for row, score in zip(*(each.tolist() for each in best), strict=True)
            )

        every = ranked(slice(None), weights[0] * dense + weights[1] * path)
        hits = every[: max(0, k)]
        reached = np.flatnonzero(path)
        parts = {"dense": ranked(slice(None), dense), "path": ranked(reached, path)}
        ranks = ranks_by_part(parts, every)
        spent = time.perf_counter() - begin
        detail = trn(
            "dense {dense}, path {path}; {count} passage reached",
            "dense {dense}, path {path}; {count} passages reached",
            len(reached),
            dense=f"{weights[0]:.2f}",
            path=f"{weights[1]:.2f}",
        )
        joined = as_fused({"dense": weights[0], "path": weights[1]}, every, ranks, k, len(ids))
        return Retrieval(
            hits,
            (Stage(mark("hybrid"), spent, detail, joined),),
            seeds=seeds,
            ranks={hit.passage_id: ranks[hit.passage_id] for hit in hits},
        )

    def scores(self, query: Query, k: int) -> tuple[Rows, Scores, Scores, tuple[Seed, ...]]:
        """Rows of the k nearest passages and of all that paths reach, ascending, with their dense and path scores, each
        (m,) in 0..1, and the seeds of the paths."""
        corpus = self._corpus
        vector = query.vector
        passages, sentences = nearest_to(vector, corpus, self._config)
        start = restart(query.entities, passages, sentences, corpus, self._config)
        reached, strengths = self._path_scores(start.seeds)
        near = passages if k <= len(passages.rows) else corpus.passage_vectors.nearest(vector, k)
        rows = np.union1d(near.rows, reached)
        path = np.zeros(len(rows))
        path[np.searchsorted(rows, reached)] = strengths
        cosines = corpus.passage_vectors.of(rows, vector).astype(np.float64)
        return rows, _scaled(cosines, near.low, float(near.cosines.max(initial=-1.0))), path, start.seeds

    def _path_scores(self, seeds: Sequence[Seed]) -> tuple[Rows, Scores]:
        heaviest = max((seed.weight for seed in seeds), default=0.0) or 1.0
        weights = {self._entities[seed.entity_id]: seed.weight / heaviest for seed in seeds}
        reached = reach(self._facts, self._importance, weights)[-1]
        rows, scores = passage_scores(self._corpus.graph, reached)
        return rows, scores / scores.max(initial=1e-300)


def _scaled(cosines: Scores, low: float, high: float) -> Scores:
    """Cosines between the least and the greatest of the corpus, as 0..1."""
    if high - low < 1e-12:
        return np.ones(len(cosines))
    return ((cosines - low) / (high - low)).clip(0.0, 1.0)


def fit_weights(rows: Sequence[WeighedRow]) -> tuple[float, float]:
    """Weights (dense, path), at least 0 and summing to 1, that fit the rows' relevance best.

    Least squares of relevance - score as in 4.5.2, gold and other passages counting alike however
    many there are of each. Rows that tell nothing give (0.3, 0.7), the paper's own.
    """
    from scipy.optimize import nnls  # slow to import, and needed for fitting only

    gold = np.array([row[2] for row in rows], dtype=np.bool_)
    if not gold.any() or gold.all():
        return _PAPER
    scores = np.array([row[:2] for row in rows], dtype=np.float64)
    share = np.where(gold, 0.5 / gold.sum(), 0.5 / (~gold).sum())
    # Around the means: how high scores are in general is no one's merit.
    scores = (scores - share @ scores) * np.sqrt(share)[:, None]
    relevance = (gold - 0.5) * np.sqrt(share)
    weights, _ = nnls(scores, relevance)
    total = float(weights.sum())
    return (float(weights[0]) / total, float(weights[1]) / total) if total > 1e-12 else _PAPER
