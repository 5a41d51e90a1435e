"""Recall, speed and size of the vector indexes against exact search, and what quantisation costs."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from core.answering.models import Models
from core.index.quantising import vector_table
from core.index.vector import ExactIndex, HnswIndex
from core.index.vector_table import Floats, Quantised, Rows, VectorTable
from core.lab.metrics import mean, recall_at
from core.progress import TaskContext
from core.research.benches.harness import Arguments, Figure, Figures, timed, timed_each
from core.research.datasets import open_cached, read_dataset
from core.workspace import Workspace

VECTORS = 100_000
DIMENSION = 384
QUERIES = 500
NEAREST = 10
# Vectors of one field, topic, document on average, and the share of the variance between them.
LEVELS = ((2_000, 0.13), (200, 0.12), (20, 0.22))
FALL = 0.3  # exponent of the decay of the variance over the directions


def run(arguments: Arguments) -> Figures:
    """Build the index over generated vectors, and ask it and the exact one the same questions."""
    (count, *_), context = arguments.sizes or (VECTORS,), arguments.context
    vectors = generate_vectors(count + QUERIES)
    # Queries come from the same distribution as the vectors, but are not among them.
    asked, stored = vectors[:QUERIES], vectors[QUERIES:]
    context.report("vectors", 0, 3, "build")
    index, built = timed(lambda: HnswIndex(stored))
    exact = ExactIndex(stored)
    context.report("vectors", 1, 3, "search")
    found, quick = _ask(index, asked, context)
    context.report("vectors", 2, 3, "exact")
    truth, slow = _ask(exact, asked, context)
    hits = _shares(found, np.array(truth))
    return {
        **_tables(stored, asked, np.array(truth), slow, context),
        "recall@10": Figure(statistics.fmean(hits), "", 1.0, ">= 0.99 of exact"),
        "questions with all 10": Figure(statistics.fmean(hit == 1.0 for hit in hits), ""),
        "search, median": Figure(quick * 1000, "ms", slow * 1000),
        "build": Figure(built, "s"),
        "vectors": Figure(count, ""),
    }


def _tables(
    stored: NDArray[np.float32],
    asked: NDArray[np.float32],
    truth: NDArray[np.int64],
    exact: float,
    context: TaskContext,
) -> Figures:
    """Measure the tables that snapshots store, with 8 bits a number and with 16 for rescoring as well."""
    found: Figures = {}
    for name, fine in (("8 bits", False), ("8 and 16 bits", True)):
        context.report("vectors", 2, 3, name)
        read = partial(_blocks, stored)
        table, built = timed(partial(vector_table, len(stored), DIMENSION, read, fine, exact_up_to=0))
        assert isinstance(table, Quantised)
        near = partial(table.nearest, k=NEAREST)
        rows, seconds = timed_each(asked, lambda vector, near=near: near(vector).rows, context)  # type: ignore[misc]
        codes = table.codes
        arrays = (codes.heads, codes.tails, codes.scales, codes.fine, codes.centroids)
        size = sum(math.prod(each.shape) * each.dtype.itemsize for each in arrays)
        found |= {
            f"{name}: recall@10": Figure(statistics.fmean(_shares(rows, truth)), "", 1.0),
            f"{name}: search, median": Figure(statistics.median(seconds) * 1000, "ms", exact * 1000),
            f"{name}: build": Figure(built, "s"),
            f"{name}: bytes / as float32": Figure(size / stored.nbytes, "", None, "under 0.5"),
        }
    return found


def _blocks(vectors: NDArray[np.float32]) -> Iterator[NDArray[np.float32]]:
    return (vectors[first : first + 2_048] for first in range(0, len(vectors), 2_048))


def _shares(found: Sequence[NDArray[np.int64]], truth: NDArray[np.int64]) -> list[float]:
    """Return the share of the true nearest that were found, by question."""
    return [len(np.intersect1d(one, other)) / NEAREST for one, other in zip(found, truth, strict=True)]


def generate_vectors(count: int, dimension: int = DIMENSION, seed: int = 7) -> NDArray[np.float32]:
    """Return unit vectors, (count, dimension) float32, in fields, topics and documents of skewed sizes.

    They resemble 25,000 sentence and passage vectors of all-MiniLM-L6-v2 in the cosine to the 10th, 100th and
    1000th neighbour, and in effective dimension (participation ratio of the covariance).
    """
    rng = np.random.default_rng(seed)
    spread = ((1.0 + np.arange(dimension)) ** -FALL).astype(np.float32)
    vectors = np.zeros((count, dimension), dtype=np.float32)
    for size, share in LEVELS:
        groups = max(1, count // size)
        centres = rng.standard_normal((groups, dimension), dtype=np.float32) * spread
        chosen = np.minimum((groups * rng.random(count) ** 1.5).astype(np.int64), groups - 1)
        # Sorted numbers nest: a document lies in one topic, a topic in one field.
        vectors += np.float32(np.sqrt(share)) * centres[np.sort(chosen)]
    rest = 1.0 - sum(share for _, share in LEVELS)
    vectors += np.float32(np.sqrt(rest)) * rng.standard_normal((count, dimension), dtype=np.float32) * spread
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return rng.permutation(vectors)


def _ask(
    index: ExactIndex | HnswIndex, asked: NDArray[np.float32], context: TaskContext
) -> tuple[list[NDArray[np.int64]], float]:
    """Return each question's nearest rows, and the seconds of the median question, asked one at a time."""
    found, seconds = timed_each(asked, lambda question: index.search(question[None, :], NEAREST)[0], context)
    return [rows[0] for rows in found], statistics.median(seconds)


_PASSAGES, _SENTENCES, _RANKED = 10, 3, 5
_ALL = 10_000_000  # at most so many are compared exactly
_NOISE = 0.6  # length of the noise added to a unit vector


@dataclass(frozen=True, slots=True)
class Lost:
    """recall@10 of passages and @3 of sentences of quantised tables against exact ones; recall@5 of gold passages
    of the final ranking with either.
    """

    passages: float
    sentences: float
    ranked: float
    ranked_exactly: float


def compare_with_exact(dataset: Path) -> Lost:
    """Compare on a question set, indexed once: everything quantised, whatever its size, against nothing quantised."""
    context, models = TaskContext(), Models()
    data = read_dataset(dataset)
    opened, _ = open_cached(data, context, models)
    place = opened.path
    opened.close()
    truth: list[tuple[Rows, Rows]] = []
    recalls: dict[int, float] = {}
    found: list[tuple[float, float]] = []
    for exact_up_to in (_ALL, 0):
        settings = [f"retrieval.exact_up_to={exact_up_to}"]
        with Workspace.open(place, models=models, settings=settings) as workspace:
            asker, ranked = workspace.retrieval.asker(), list[float]()
            corpus = asker.view.corpus
            for number, question in enumerate(data.questions):
                vector = asker.vectors.embed_question(question.question)
                near = (
                    corpus.passage_vectors.nearest(vector, _PASSAGES).rows,
                    corpus.sentence_vectors.nearest(vector, _SENTENCES).rows,
                )
                if exact_up_to:
                    truth.append(near)
                else:
                    found.append((_share(near[0], truth[number][0]), _share(near[1], truth[number][1])))
                _, retrieval = workspace.retrieve(question.question, context, "auto", _RANKED)
                hits = [hit.passage_id for hit in retrieval.hits]
                ranked.append(recall_at(hits, question.supporting, _RANKED))
            recalls[exact_up_to] = mean(ranked)
    passages, sentences = zip(*found, strict=True)
    return Lost(statistics.fmean(passages), statistics.fmean(sentences), recalls[0], recalls[_ALL])


def nearest_exactly(blocks: Iterable[Floats], asked: Floats, k: int) -> Rows:
    """Return the rows of the k nearest of all vectors to each of `asked`, (q, d): (q, k), in no order."""
    best = np.full((len(asked), k), -2.0, np.float32)
    rows = np.full((len(asked), k), -1, np.int64)
    at = 0
    for block in blocks:
        cosines = np.concatenate([best, asked @ block.T], axis=1)
        own = np.broadcast_to(np.arange(at, at + len(block)), (len(asked), len(block)))
        known = np.concatenate([rows, own], axis=1)
        top = np.argpartition(cosines, -k, axis=1)[:, -k:]
        best, rows = np.take_along_axis(cosines, top, axis=1), np.take_along_axis(known, top, axis=1)
        at += len(block)
    return rows


def noisy(vectors: Floats, seed: int = 3) -> Floats:
    """Return unit vectors near these, (m, d): queries resemble stored vectors, but are not equal."""
    noise = np.random.default_rng(seed).standard_normal(vectors.shape, dtype=np.float32)
    noise *= _NOISE / np.linalg.norm(noise, axis=1, keepdims=True)
    moved = vectors + noise
    found: Floats = (moved / np.linalg.norm(moved, axis=1, keepdims=True)).astype(np.float32)
    return found


def recall(table: VectorTable, asked: Floats, exact: Rows) -> float:
    """Return the mean share of the exact rows, (q, k), that the table finds for `asked`, (q, d)."""
    k = exact.shape[1]
    return statistics.fmean(
        _share(table.nearest(vector, k).rows, rows) for vector, rows in zip(asked, exact, strict=True)
    )


def _share(found: NDArray[np.int64], wanted: NDArray[np.int64]) -> float:
    return len(np.intersect1d(found, wanted)) / max(1, len(wanted))
