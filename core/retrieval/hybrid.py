"""Cosine and path strength of each passage, added with two weights. Triple-layer GraphRAG 4.5.2."""

from __future__ import annotations

import time
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from core.config import RetrievalConfig
from core.progress import TaskContext
from core.protocols import Embedder
from core.retrieval.corpus import Corpus
from core.retrieval.fact_graph import FactGraph, Rows
from core.retrieval.joined import as_joined, ranks_by_part
from core.retrieval.paths import Scores, passage_scores, reach
from core.retrieval.ppr import nearest_to
from core.retrieval.ranking import numbered, top_hits
from core.retrieval.seeds import Normalise, restart
from core.translation import mark, trn
from core.types import Retrieval, Seed, Stage

_PAPER = (0.3, 0.7)
WeighedRow = tuple[float, float, bool]  # dense score, path score, whether the passage is a gold one


class HybridRetriever:
    """score(d) = w_dense * dense(d) + w_path * path(d), both scaled to 0..1 over the corpus."""

    def __init__(
        self,
        corpus: Corpus,
        embedder: Embedder,
        facts: FactGraph,
        config: RetrievalConfig,
        normalise: Normalise,
    ) -> None:
        """`facts` are those of the same snapshot; `normalise` makes the keys of `corpus.entity_rows`."""
        self._corpus = corpus
        self._embedder = embedder
        self._facts = facts
        self._config = config
        self._normalise = normalise
        self._entities = {id: row for row, id in enumerate(corpus.entity_ids)}

    def retrieve(self, question: str, k: int, context: TaskContext) -> Retrieval:
        context.check()
        ids = self._corpus.passage_ids
        if not ids:
            return Retrieval(())
        begin = time.perf_counter()
        dense, (rows, path), seeds = self.scores(question)
        weights = self._config.hybrid_dense, self._config.hybrid_path
        wide = max(k, self._config.candidates)
        joint = weights[0] * dense
        joint[rows] += weights[1] * path
        every = top_hits(joint, ids, wide)
        hits = every[: max(0, k)]
        by_path = np.argsort(-path, kind="stable")[:wide]
        parts = {
            "dense": top_hits(dense, ids, wide),
            "path": numbered((ids[int(rows[at])], float(path[at])) for at in by_path),
        }
        ranks = ranks_by_part(parts, every)
        spent = time.perf_counter() - begin
        detail = trn(
            "dense {dense}, path {path}; {count} passage reached",
            "dense {dense}, path {path}; {count} passages reached",
            len(rows),
            dense=f"{weights[0]:.2f}",
            path=f"{weights[1]:.2f}",
        )
        joined = as_joined({"dense": weights[0], "path": weights[1]}, every, ranks, k, len(ids))
        return Retrieval(
            hits,
            (Stage(mark("hybrid"), spent, detail, joined),),
            seeds=seeds,
            ranks={hit.passage_id: ranks[hit.passage_id] for hit in hits},
        )

    def scores(self, question: str) -> tuple[Scores, tuple[Rows, Scores], tuple[Seed, ...]]:
        """The dense score of every passage, (n_passages,), the passages that paths reach, (p,) rows and scores, and the
        seeds of the paths. All scores are in 0..1.
        """
        corpus = self._corpus
        vector = self._embedder.embed_question(question)
        cosines = corpus.passage_vectors.cosines(vector)
        near = nearest_to(vector, corpus, self._config)
        start = restart(question, *near, corpus, self._config, self._normalise)
        return _scaled(cosines), self._path_scores(start.seeds), start.seeds

    def _path_scores(self, seeds: Sequence[Seed]) -> tuple[Rows, Scores]:
        heaviest = max((seed.weight for seed in seeds), default=0.0) or 1.0
        weights = {self._entities[seed.entity_id]: seed.weight / heaviest for seed in seeds}
        reached = reach(self._facts, self._facts.importance, weights)[-1]
        rows, scores = passage_scores(self._corpus.graph, reached)
        return rows, scores / scores.max(initial=1e-300)


def _scaled(values: NDArray[np.float32]) -> Scores:
    """Cosines between the least and the greatest of the corpus, as 0..1."""
    low, high = float(values.min()), float(values.max())
    if high - low < 1e-12:
        return np.ones(len(values))
    return (values.astype(np.float64) - low) / (high - low)


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
