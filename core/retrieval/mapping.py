"""From paths back to passages, the last step of every composition."""

from __future__ import annotations

import numpy as np

from core.index.runs import run_entries
from core.retrieval.agentic.facts import FactReader
from core.retrieval.corpus import Corpus
from core.retrieval.fact_graph import FactGraph, Rows
from core.retrieval.paths.path import Paths
from core.retrieval.ranking import hits_of, largest_of
from core.retrieval.seeds import NEAREST
from core.retrieval.subgraph.subgraph import Asked, Scores
from core.types import Hit

_SMOOTHING = 20  # of ranks, as where lists are joined
_TELLING = 3  # passages of a fact, the surest
_NAMING = 50  # an entity that more passages name tells nothing of any of them


class PassageMapping:
    """Passages that tell the facts of the best paths, that name their entities, and that are near to the question.

    A path counts 1 / (20 + rank), once for a passage. Each of the three is scaled to 0..1 and weighed; what no path
    leads to is ranked by its nearness alone, so that there are always enough.
    """

    def __init__(
        self,
        corpus: Corpus,
        graph: FactGraph,
        reader: FactReader,
        facts: float,
        entities: float,
        dense: float,
    ) -> None:
        """`facts`, `entities` and `dense` are weights, at least 0."""
        self._corpus, self._graph, self._reader = corpus, graph, reader
        self._facts, self._entities, self._dense = facts, entities, dense

    def map(self, asked: Asked, paths: Paths, k: int) -> tuple[Hit, ...]:
        """The k best passages for `paths`, best first."""
        corpus = self._corpus
        near = corpus.passage_vectors.nearest(asked.vector, max(k, NEAREST))
        worth = 1.0 / (_SMOOTHING + np.arange(1, len(paths) + 1))
        telling, naming = self._telling(paths, worth), self._naming(paths, worth)
        rows = np.unique(np.concatenate([near.rows, telling[0], naming[0]]))
        cosines = corpus.passage_vectors.of(rows, asked.vector).astype(np.float64)
        high = float(near.cosines.max(initial=-1.0))
        scores = self._dense * ((cosines - near.low) / max(high - near.low, 1e-12)).clip(0.0, 1.0)
        for weight, (part_rows, values) in ((self._facts, telling), (self._entities, naming)):
            scores[np.searchsorted(rows, part_rows)] += weight * values / values.max(initial=1e-300)
        return hits_of(corpus.passage_ids, *largest_of(rows, scores, k))

    def _telling(self, paths: Paths, worth: Scores) -> tuple[Rows, Scores]:
        """Passages that tell facts of the paths, and the sum of what these are worth."""
        places, numbers = paths.distinct_facts()
        keys = self._graph.keys[places].tolist()
        facts, known = self._reader.read(keys), self._corpus.passage_ids.rows
        passage_rows = [
            [known[id] for id in facts[key].passages[:_TELLING] if id in known] if key in facts else []
            for key in keys
        ]
        path, at = np.nonzero(numbers >= 0)
        pairs = [
            (owner, row)
            for owner, fact in zip(path.tolist(), numbers[path, at].tolist(), strict=True)
            for row in passage_rows[fact]
        ]
        return _summed(np.array(pairs, dtype=np.int64).reshape(-1, 2), worth)

    def _naming(self, paths: Paths, worth: Scores) -> tuple[Rows, Scores]:
        """Passages that name entities of the paths, and the sum of what these are worth, less for what many name."""
        graph, n = self._corpus.graph, self._corpus.graph.n_entities
        path, at = np.nonzero(paths.entities >= 0)
        entities, first = np.unique(paths.entities[path, at], return_index=True)
        counts = np.maximum(1, self._corpus.entity_passages[entities])
        few = counts <= _NAMING
        entities, counts = entities[few], counts[few]
        values = worth[path[first[few]]] / np.sqrt(counts)  # paths come best first
        places, owners = run_entries(graph.adjacency.indptr, entities)
        near = graph.adjacency.indices[places].astype(np.int64)
        owners, near = owners[near >= n], near[near >= n] - n
        rows, numbers = np.unique(near, return_inverse=True)
        return rows, np.bincount(numbers, values[owners], len(rows)).astype(np.float64)


def _summed(pairs: Rows, worth: Scores) -> tuple[Rows, Scores]:
    """Of (path, passage) pairs, (m, 2): passages, ascending, and what their paths are worth, each path once."""
    if not len(pairs):
        return np.zeros(0, np.int64), np.zeros(0)
    pairs = np.unique(pairs, axis=0)
    rows, numbers = np.unique(pairs[:, 1], return_inverse=True)
    return rows, np.bincount(numbers, worth[pairs[:, 0]], len(rows)).astype(np.float64)
