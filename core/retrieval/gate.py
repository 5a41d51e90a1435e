"""Is there anything on this in the documents at all? A2RAG III-B 1: gating on document summaries, eq. 1.

Without a model a document's summary is taken from it: the mean of its sentences, and the sentences nearest
to that mean. Vectors are those that indexing stored, so a gate costs no encoding.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.retrieval.corpus import Corpus
from core.retrieval.seeds import Normalise, names_in_question
from core.translation import mark, tr
from core.types import Stage
from core.types.stages import Gated

CENTRAL = 3  # sentences of a summary
NEAREST = 0.4  # cosine from which on a single sentence opens the gate, however far all summaries are


@dataclass(frozen=True, slots=True)
class Gating:
    """What the gate found: the best document's row and its similarity, -1 and 0 in an empty corpus."""

    document: int
    similarity: float


class Gate:
    """Summaries of every document of one snapshot. `documents` holds each passage's document, by its row."""

    def __init__(self, corpus: Corpus, documents: Sequence[int], normalise: Normalise) -> None:
        of_sentence = np.asarray(documents, dtype=np.int64)[corpus.sentence_passages]
        self._corpus, self._normalise = corpus, normalise
        self._vectors, self._owners = _summaries(corpus.sentence_vectors, of_sentence)

    def closed(
        self, question: str, vector: NDArray[np.float32], least: float, path_of: Callable[[int], str]
    ) -> tuple[bool, Stage]:
        """Whether no document is near enough to look at all, and the stage that says so.

        A question by a name that the documents hold, or near one of their sentences, may be far from all summaries: it
        passes.
        """
        begin = time.perf_counter()
        found = self.similarity(vector)
        document = path_of(found.document)
        needed, similarity = f"{least:.2f}", f"{found.similarity:.2f}"
        detail = (
            tr(
                "nearest document {document}, {similarity}; {needed} is needed",
                document=document,
                similarity=similarity,
                needed=needed,
            )
            if document
            else tr("there is no document; {needed} is needed", needed=needed)
        )
        named = names_in_question(question, self._corpus, self._normalise) if found.similarity < least else {}
        if named:
            detail = tr("{detail}; but it names {name}", detail=detail, name=next(iter(named.values())))
        shut = found.similarity < least and not named
        if shut and (nearest := self.nearest_sentence(vector)) >= NEAREST:
            shut = False
            detail = tr(
                "{detail}; but a sentence is as near as {nearest}", detail=detail, nearest=f"{nearest:.2f}"
            )
        gated = Gated(document, found.similarity, least, shut)
        return shut, Stage(mark("gate"), time.perf_counter() - begin, detail, gated)

    def nearest_sentence(self, question: NDArray[np.float32]) -> float:
        """The largest cosine of the question's unit vector, shape (d,), to any sentence; 0 where there is none."""
        vectors = self._corpus.sentence_vectors
        return float((vectors @ question).max()) if len(vectors) else 0.0

    def similarity(self, question: NDArray[np.float32]) -> Gating:
        """The largest cosine of the question's unit vector, shape (d,), to any summary; 0..1."""
        if not len(self._vectors):
            return Gating(-1, 0.0)
        cosines = self._vectors @ question
        best = int(cosines.argmax())
        return Gating(int(self._owners[best]), float(np.clip(cosines[best], 0.0, 1.0)))


def _summaries(
    vectors: NDArray[np.float32], documents: NDArray[np.int64]
) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    """Unit vectors (n, d) of the summaries and the document of each, (n,)."""
    if not len(vectors):
        return np.zeros((0, 0), dtype=np.float32), np.zeros(0, dtype=np.int64)
    order = np.argsort(documents, kind="stable")
    owners, starts = np.unique(documents[order], return_index=True)
    means = np.add.reduceat(vectors[order], starts, axis=0)
    means /= np.maximum(np.linalg.norm(means, axis=1, keepdims=True), 1e-9)
    place = np.repeat(np.arange(len(owners)), np.diff(np.append(starts, len(order))))
    nearness = np.einsum("ij,ij->i", vectors[order], means[place])
    # By document, the nearest first: the first CENTRAL of each are kept.
    ranked = np.lexsort((-nearness, place))
    rank = np.arange(len(ranked)) - starts[place[ranked]]
    kept = ranked[rank < CENTRAL]
    return (
        np.concatenate([means, vectors[order][kept]]).astype(np.float32),
        np.concatenate([owners, owners[place[kept]]]),
    )
