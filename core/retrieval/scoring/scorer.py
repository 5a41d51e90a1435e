"""The shape of whatever says how much a component of the graph matters to a question. LEGO-GraphRAG 3.2.2."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from core.progress import TaskContext
from core.retrieval.agentic.facts import FactReader
from core.retrieval.corpus import Corpus
from core.retrieval.fact_graph import FactGraph, Rows
from core.retrieval.paths.path import Paths
from core.retrieval.subgraph.subgraph import Asked, Scores

_READ = 10_000  # facts at once: the store takes no more than 32,766


class Scorer(Protocol):
    """Scores all of a batch at once; higher is better, on a scale of its own, and only within the batch comparable.

    Raises Cancelled, and where there is a model what that raises.
    """

    def facts(self, asked: Asked, places: Rows, context: TaskContext) -> Scores:
        """Of facts at these places of the `FactGraph`, (f,)."""
        ...

    def entities(self, asked: Asked, rows: Rows, context: TaskContext) -> Scores:
        """Of entities, (e,)."""
        ...

    def paths(self, asked: Asked, paths: Paths, context: TaskContext) -> Scores:
        """Of paths, (p,)."""
        ...


class ComponentTexts:
    """Components of the graph in words."""

    def __init__(self, corpus: Corpus, graph: FactGraph, reader: FactReader) -> None:
        self._corpus = corpus
        self._graph = graph
        self._reader = reader

    def facts(self, places: Rows) -> list[str]:
        """ "Otto Kask born in Tartu"; "" for one that is gone from the store."""
        keys = self._graph.keys[places].tolist()
        found: dict[int, str] = {}
        for first in range(0, len(keys), _READ):
            known = self._reader.read(keys[first : first + _READ])
            found.update((key, fact.words) for key, fact in known.items())
        return [found.get(key, "") for key in keys]

    def entities(self, rows: Rows) -> list[str]:
        return [self._corpus.entity_names[row] for row in rows.tolist()]

    def paths(self, paths: Paths) -> list[str]:
        """The words of a path's facts, one after another."""
        places, numbers = paths.distinct_facts()
        words = [*self.facts(places), ""]
        return [". ".join(words[at] for at in row if at >= 0) for row in numbers.tolist()]


def mean_over_facts(paths: Paths, scores: Scores, numbers: Rows) -> Scores:
    """Of each path the mean of its facts' `scores`, (f,), which `numbers`, (p, l), point to; -1 for none."""
    has_fact = numbers >= 0
    padded = np.append(scores, 0.0)
    found: Scores = padded[numbers].sum(axis=1) / np.maximum(1, has_fact.sum(axis=1))
    return found


class TextScorer:
    """A scorer that reads words: `score(asked, texts, context)` is all that differs."""

    def __init__(self, texts: ComponentTexts) -> None:
        self._texts = texts

    def score(self, asked: Asked, texts: Sequence[str], context: TaskContext) -> Scores:
        """Of each text, (n,)."""
        raise NotImplementedError

    def facts(self, asked: Asked, places: Rows, context: TaskContext) -> Scores:
        return self.score(asked, self._texts.facts(places), context)

    def entities(self, asked: Asked, rows: Rows, context: TaskContext) -> Scores:
        return self.score(asked, self._texts.entities(rows), context)

    def paths(self, asked: Asked, paths: Paths, context: TaskContext) -> Scores:
        return self.score(asked, self._texts.paths(paths), context)
