"""How much of the exact answer the vector index finds, and in what time."""

from __future__ import annotations

import statistics
import time
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from core.evaluation.figures import Figure
from core.index.exact import ExactIndex
from core.index.vector import HnswIndex
from core.progress import TaskContext

VECTORS = 100_000
DIMENSION = 384
QUERIES = 500
NEAREST = 10
TOPIC = 100  # vectors of one topic, on average


def run(
    dataset: Path | None, context: TaskContext, count: int = VECTORS, queries: int = QUERIES
) -> dict[str, Figure]:
    """Build the index over made vectors and ask it and the exact one the same. No data set is read."""
    vectors = made_vectors(count + queries)
    # Questions are of the same kind as what is searched, and not among it.
    asked, stored = vectors[:queries], vectors[queries:]
    context.report("vectors", 0, 3, "build")
    begin = time.perf_counter()
    index = HnswIndex(stored)
    built = time.perf_counter() - begin
    exact = ExactIndex(stored)
    context.report("vectors", 1, 3, "search")
    found, quick = _ask(index, asked, context)
    context.report("vectors", 2, 3, "exact")
    truth, slow = _ask(exact, asked, context)
    context.report("vectors", 3, 3)
    hits = [len(np.intersect1d(one, other)) / NEAREST for one, other in zip(found, truth, strict=True)]
    return {
        "recall@10": Figure(statistics.fmean(hits), "", 1.0, ">= 0.99 of exact"),
        "questions with all 10": Figure(statistics.fmean(hit == 1.0 for hit in hits), ""),
        "search, median": Figure(quick * 1000, "ms", slow * 1000),
        "build": Figure(built, "s"),
        "vectors": Figure(count, ""),
    }


def made_vectors(count: int, dimension: int = DIMENSION, seed: int = 7) -> NDArray[np.float32]:
    """Unit vectors, (count, dimension) float32, in topics of skewed sizes within wider fields.

    Cosines are about .75 within a topic and .2 within a field, as between sentence embeddings; the spread
    falls off over the directions, so that the vectors fill far fewer dimensions than they have.
    """
    rng = np.random.default_rng(seed)
    topics = max(1, count // TOPIC)
    fields = max(1, topics // 50)
    spread = (1.0 + np.arange(dimension)) ** -0.4
    spread *= np.sqrt(dimension / (spread**2).sum())
    field = rng.normal(size=(fields, dimension)) * spread
    topic = 0.5 * field[rng.integers(0, fields, topics)] + 0.8 * rng.normal(size=(topics, dimension)) * spread
    chosen = np.minimum((topics * rng.random(count) ** 2).astype(np.int64), topics - 1)
    vectors = topic[chosen].astype(np.float32)
    vectors += 0.55 * rng.standard_normal((count, dimension), dtype=np.float32) * spread.astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors


def _ask(
    index: ExactIndex | HnswIndex, asked: NDArray[np.float32], context: TaskContext
) -> tuple[list[NDArray[np.int64]], float]:
    """Each question's nearest rows, and the seconds of the median question, asked one at a time."""
    rows, seconds = [], []
    for question in asked:
        context.check()
        begin = time.perf_counter()
        found, _ = index.search(question[None, :], NEAREST)
        seconds.append(time.perf_counter() - begin)
        rows.append(found[0])
    return rows, statistics.median(seconds)
