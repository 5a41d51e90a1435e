"""BM25 over the words of components. LEGO-GraphRAG 3.2.2 a.1; Robertson and Zaragoza 2009."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from core.index.lexical import searched_words
from core.progress import TaskContext
from core.retrieval.fact_graph import Rows
from core.retrieval.paths.path import Paths
from core.retrieval.scoring.scorer import ComponentTexts
from core.retrieval.subgraph.subgraph import Asked, Scores
from core.text.stems import stem, words

_K1, _B = 1.2, 0.75
Counts = NDArray[np.float64]


class WordScorer:
    """The components of a batch are the collection. Words are compared by their stems."""

    def __init__(self, texts: ComponentTexts) -> None:
        self._texts = texts

    def facts(self, asked: Asked, places: Rows, context: TaskContext) -> Scores:
        context.check()
        return bm25(*counted(asked.text, self._texts.facts(places)))

    def entities(self, asked: Asked, rows: Rows, context: TaskContext) -> Scores:
        context.check()
        return bm25(*counted(asked.text, self._texts.entities(rows)))

    def paths(self, asked: Asked, paths: Paths, context: TaskContext) -> Scores:
        """A path holds the words of its facts."""
        context.check()
        places, numbers = paths.distinct_facts()
        counts, lengths = counted(asked.text, self._texts.facts(places))
        counts, lengths = np.vstack([counts, np.zeros(counts.shape[1])]), np.append(lengths, 0.0)
        return bm25(counts[numbers].sum(axis=1), lengths[numbers].sum(axis=1))


def counted(question: str, texts: Sequence[str]) -> tuple[Counts, Counts]:
    """How often each text holds each word of the question, (n, w), and how many words it has, (n,)."""
    wanted = {each: at for at, each in enumerate(dict.fromkeys(map(stem, searched_words(question))))}
    counts, lengths = np.zeros((len(texts), len(wanted))), np.zeros(len(texts))
    for row, text in enumerate(texts):
        stems = [word.stem for word in words(text)]
        lengths[row] = len(stems)
        for each in stems:
            if each in wanted:
                counts[row, wanted[each]] += 1
    return counts, lengths


def bm25(counts: Counts, lengths: Counts) -> Scores:
    """Of n texts, (n,)."""
    n, mean = len(lengths), float(lengths.mean()) if len(lengths) else 0.0
    holding = (counts > 0).sum(axis=0)
    weights = np.log1p((n - holding + 0.5) / (holding + 0.5))
    short = _K1 * (1 - _B + _B * lengths / (mean or 1.0))
    found: Scores = (weights * counts * (_K1 + 1) / (counts + short[:, None])).sum(axis=1)
    return found
