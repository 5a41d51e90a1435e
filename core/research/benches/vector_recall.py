"""Loss of quality by quantised vectors and lists, compared with exact vectors."""

from __future__ import annotations

import statistics
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from core.answering.models import Models
from core.index.vector_table import Floats, Rows, VectorTable
from core.lab.metrics import mean, recall_at
from core.progress import TaskContext
from core.research.datasets import read_dataset
from core.research.index_cache import open_cached
from core.workspace import Workspace

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
