"""Four ways to find communities, on the graph of a question set. Triple-layer GraphRAG, table 6.

Modularity and seconds tell of the graph alone. Whether communities are about something is told by the text, which no
algorithm sees: how near to each other are the sentences that name entities of one, beside those of any two; and how
much of the gold lies in the three whose sentences are nearest to the question, beside how much of all they hold.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.answering.models import Models
from core.graph.build import undirected
from core.graph.communities import Labels, leiden, modularity
from core.lab.metrics import mean
from core.progress import TaskContext
from core.research.benches.figures import Figure
from core.research.datasets import EvalQuestion, read_corpus
from core.research.gold import Gold
from core.research.index_cache import open_cached
from core.retrieval.hierarchy.tree import described
from core.retrieval.parts import RetrievalParts

LEAST = 10  # entities of a community that could be told of
NEAREST = 3  # communities, as many as the route hierarchical goes down into
_TIMES = 3
_SEED = 7
Marks = NDArray[np.bool_]
Partition = Callable[[int, NDArray[np.int64], NDArray[np.float64]], NDArray[np.int64]]


def run(dataset: Path, context: TaskContext) -> dict[str, Figure]:
    """Raises BadInput for a folder that is no question set, Cancelled."""
    data = read_corpus(dataset)
    workspace, _ = open_cached(data, context, Models())
    try:
        workspace.load_models(context)
        asker = workspace.retrieval.asker()
        graph, gold = _Graph(asker.parts), Gold(workspace)
        asked = [
            (asker.vectors.embed_question(question.question), _marks(gold, question, asker.parts))
            for question in data.questions
            if question.supporting
        ]
        figures = {"entities with a fact": Figure(graph.n, ""), "edges": Figure(len(graph.ends), "")}
        for at, (name, partition) in enumerate(PARTITIONS.items()):
            context.report("partitions", at, len(PARTITIONS), name)
            figures |= {f"{name}: {what}": found for what, found in graph.figures(partition, asked).items()}
        return figures
    finally:
        workspace.close()


def _igraph(method: str, weighted: str) -> Partition:
    """A method of igraph's graphs; `weighted` is what it calls the weights."""

    def partition(n: int, ends: NDArray[np.int64], weights: NDArray[np.float64]) -> NDArray[np.int64]:
        import igraph

        igraph.set_random_number_generator(random.Random(_SEED))
        options: dict[str, Any] = {weighted: weights.tolist()}
        return np.array(getattr(igraph.Graph(n=n, edges=ends), method)(**options).membership, dtype=np.int64)

    return partition


PARTITIONS: Mapping[str, Partition] = {
    "Leiden": lambda n, ends, weights: leiden(n, ends, weights, seed=_SEED).astype(np.int64),
    "Louvain": _igraph("community_multilevel", "weights"),
    "label propagation": _igraph("community_label_propagation", "weights"),
    "Infomap": _igraph("community_infomap", "edge_weights"),
}


class _Graph:
    """Entities that a fact ties to another, numbered anew, with the means of the sentences that name them."""

    def __init__(self, parts: RetrievalParts) -> None:
        facts, corpus, tree = parts.facts, parts.corpus, parts.tree()
        one = np.repeat(np.arange(len(facts.starts) - 1), np.diff(facts.starts))
        once = one < facts.others  # each fact stands in the graph from either end
        ends = np.stack([one[once], facts.others[once].astype(np.int64)], axis=1)
        rows, numbers = np.unique(ends, return_inverse=True)
        edges = undirected(numbers.reshape(ends.shape), facts.told[once].astype(np.float64))
        self.n, self.ends, self.weights = len(rows), edges.ends, edges.weights
        place = np.full(len(corpus.entity_ids), -1, dtype=np.int64)
        place[rows] = np.arange(len(rows))
        self._vectors = described(corpus, tree.sentence_starts, tree.sentences, place, len(rows))
        entity = place[corpus.named_entities]
        sentence = np.repeat(np.arange(len(corpus.named_starts) - 1), np.diff(corpus.named_starts))
        self._entity, self._passage = entity[entity >= 0], corpus.sentence_passages[sentence][entity >= 0]
        self._passages = len(corpus.passage_ids)

    def figures(
        self, partition: Partition, asked: list[tuple[NDArray[np.float32], Marks]]
    ) -> dict[str, Figure]:
        """`asked` are vectors of questions with the passages of each gold, (n_gold, n_passages)."""
        seconds = []
        for _ in range(_TIMES):
            begin = time.perf_counter()
            found = partition(self.n, self.ends, self.weights)
            seconds.append(time.perf_counter() - begin)
        labels: Labels = np.unique(found, return_inverse=True)[1].astype(np.int32)
        sizes = np.bincount(labels)
        recall, all_ = self._found(labels, sizes, asked)
        return {
            "modularity": Figure(modularity(labels, self.ends, self.weights), ""),
            "seconds": Figure(min(seconds), "s"),
            f"communities of {LEAST} entities or more": Figure(int((sizes >= LEAST).sum()), ""),
            "share of the entities that they hold": Figure(float(sizes[sizes >= LEAST].sum()) / self.n, ""),
            "cosine of two entities of one, beside any two": Figure(
                self._coherence(labels, sizes), "", _alike(self._vectors)
            ),
            f"gold that the {NEAREST} nearest to the question name, beside all passages": Figure(
                recall, "", all_
            ),
        }

    def _coherence(self, labels: Labels, sizes: NDArray[np.int64]) -> float:
        """Mean over the entities of such communities of the mean cosine with another of their own."""
        own = [self._vectors[labels == label] for label in np.flatnonzero(sizes >= LEAST)]
        return (
            float(np.average([_alike(each) for each in own], weights=[len(each) for each in own]))
            if own
            else 0.0
        )

    def _found(
        self,
        labels: Labels,
        sizes: NDArray[np.int64],
        asked: list[tuple[NDArray[np.float32], Marks]],
    ) -> tuple[float, float]:
        large = np.flatnonzero(sizes >= LEAST)
        if not len(large) or not asked:
            return 0.0, 0.0
        means = np.stack([self._vectors[labels == label].mean(axis=0) for label in large])
        means /= np.maximum(np.linalg.norm(means, axis=1, keepdims=True), 1e-9)
        recalls, all_ = [], []
        for vector, gold in asked:
            nearest = large[np.argsort(-(means @ vector), kind="stable")[:NEAREST]]
            touched = np.zeros(self._passages, dtype=bool)
            touched[self._passage[np.isin(labels[self._entity], nearest)]] = True
            recalls.append(float((gold & touched).any(axis=1).mean()))
            all_.append(float(touched.mean()))
        return mean(recalls), mean(all_)


def _alike(vectors: NDArray[np.float32]) -> float:
    """Mean cosine of two different rows, of those that are not zero."""
    rows = vectors[np.abs(vectors).max(axis=1) > 0].astype(np.float64)
    n = len(rows)
    return float((np.square(rows.sum(axis=0)).sum() - n) / (n * (n - 1))) if n > 1 else 0.0


def _marks(gold: Gold, question: EvalQuestion, parts: RetrievalParts) -> Marks:
    """(n_gold, n_passages): the passages that hold each gold quote; where there are none, of each gold document."""
    marks = gold.marks(question, list(parts.corpus.passage_ids))
    return marks[len(question.supporting) :] if question.quotes else marks
