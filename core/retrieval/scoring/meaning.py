"""Components by the vectors of the sentences that tell them. LEGO-GraphRAG 3.2.2 a.2, without encoding anything."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from core.index.runs import offsets, run_entries, run_of
from core.progress import TaskContext
from core.retrieval.corpus import Corpus
from core.retrieval.fact_graph import FactGraph, Rows
from core.retrieval.paths.path import Paths
from core.retrieval.scoring.scorer import mean_over_facts
from core.retrieval.subgraph.subgraph import Asked, Scores

_ALL_AT_ONCE = 50_000  # sentences up to which the question is compared with all of them at once
_SENTENCES = 200  # of an entity that are looked at


class MeaningScorer:
    """Cosines of the question with sentences.

    A fact is as near as the nearest sentence that names both of its ends; where none does, as the farther one of its
    ends. An entity is as near as the nearest sentence that names it (of hubs the first 200), a path as its facts in
    the mean.
    """

    def __init__(self, corpus: Corpus, graph: FactGraph) -> None:
        self._corpus = corpus
        self._graph = graph
        counts = np.diff(corpus.named_starts)
        order = np.argsort(corpus.named_entities, kind="stable")
        self._sentences = np.repeat(np.arange(len(counts)), counts)[order]
        self._starts = offsets(corpus.named_entities[order], len(corpus.entity_ids))
        # Ascending, since sentences name their entities in order.
        self._named = (
            np.repeat(np.arange(len(counts)), counts) * len(corpus.entity_ids) + corpus.named_entities
        )
        self._last: tuple[bytes, NDArray[np.float32]] | None = None

    def facts(self, asked: Asked, places: Rows, context: TaskContext) -> Scores:
        context.check()
        own = run_of(self._graph.starts, places)
        ends = np.stack([own, self._graph.others[places].astype(np.int64)], axis=1)
        counts = np.diff(self._starts)[ends]
        rare = np.argmin(counts, axis=1)
        first, other = ends[np.arange(len(ends)), rare], ends[np.arange(len(ends)), 1 - rare]
        sentences, owners = self._of(first)
        both = self._names(sentences, other[owners])
        sentences, owners = sentences[both], owners[both]
        found = np.full(len(places), -np.inf)
        np.maximum.at(found, owners, self._cosines(asked, sentences))
        untold = np.flatnonzero(np.isneginf(found))
        rows, numbers = np.unique(ends[untold], return_inverse=True)
        near = self.entities(asked, rows, context)
        found[untold] = near[numbers.reshape(-1, 2)].min(axis=1)
        return found

    def entities(self, asked: Asked, rows: Rows, context: TaskContext) -> Scores:
        context.check()
        sentences, owners = self._of(rows)
        found = np.full(len(rows), -1.0)
        np.maximum.at(found, owners, self._cosines(asked, sentences))
        return found

    def paths(self, asked: Asked, paths: Paths, context: TaskContext) -> Scores:
        places, numbers = paths.distinct_facts()
        return mean_over_facts(paths, self.facts(asked, places, context), numbers)

    def _of(self, entities: Rows) -> tuple[Rows, Rows]:
        """Sentences that name each of the entities, (e,), and whose each is."""
        first = self._starts[entities]
        counts = np.minimum(self._starts[entities + 1] - first, _SENTENCES)
        own = np.concatenate([[0], np.cumsum(counts)])
        at, owners = run_entries(own, np.arange(len(entities)))
        return self._sentences[at - own[owners] + first[owners]], owners

    def _names(self, sentences: Rows, entities: Rows) -> NDArray[np.bool_]:
        """Whether each of these sentences, (s,), names its entity, (s,)."""
        wanted = sentences * len(self._corpus.entity_ids) + entities
        at = np.minimum(np.searchsorted(self._named, wanted), max(0, len(self._named) - 1))
        return np.asarray(self._named[at] == wanted, dtype=np.bool_) if len(self._named) else wanted < 0

    def _cosines(self, asked: Asked, sentences: Rows) -> Scores:
        table = self._corpus.sentence_vectors
        if len(table) > _ALL_AT_ONCE:
            rows, numbers = np.unique(sentences, return_inverse=True)
            return table.of(rows, asked.vector)[numbers].astype(np.float64)
        key, last = asked.vector.tobytes(), self._last
        if last is None or last[0] != key:
            self._last = last = key, table.cosines(asked.vector)
        return last[1][sentences].astype(np.float64)
