"""Is there anything on this in the documents at all? A2RAG III-B 1: gating on document summaries, eq. 1.

Without a model a document's summary is taken from it: the mean of its sentences, and the sentences nearest
to that mean. Vectors are those that indexing stored, so a gate costs no encoding.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from core.index.quantising import vector_table
from core.index.vector_table import EXACT_UP_TO, Exact, VectorTable
from core.retrieval.corpus import Corpus
from core.retrieval.query import Query
from core.text.translation import mark, tr
from core.types import Stage
from core.types.stages import Gated

CENTRAL = 3  # sentences of a summary
_AT_ONCE = 1 << 13  # sentences
NEAREST = 0.4  # cosine from which on a single sentence opens the gate, however far all summaries are


@dataclass(frozen=True, slots=True)
class Gating:
    """What the gate found: the best document's row and its similarity, -1 and 0 in an empty corpus."""

    document: int
    similarity: float


@dataclass(frozen=True, slots=True)
class Summaries:
    """Of every document of one snapshot, some `vectors`, (n, d), and whose each is, (n,)."""

    vectors: VectorTable
    owners: NDArray[np.int64]


class Gate:
    """Over the documents of one snapshot."""

    def __init__(self, corpus: Corpus, summaries: Summaries) -> None:
        self._corpus = corpus
        self._vectors, self._owners = summaries.vectors, summaries.owners

    def closed(
        self,
        query: Query,
        least: float,
        path_of: Callable[[int], str],
        reason: Callable[[], str] = str,
    ) -> tuple[bool, Stage]:
        """Whether no document is near enough to look at all, and the stage that says so.

        A question by a name that the documents hold, or near one of their sentences, may be far from all summaries: it
        passes. So does one for which `reason`, asked last, knows why to look all the same, in words; "" for none.
        """
        begin = time.perf_counter()
        found = self.similarity(query.vector)
        document = path_of(found.document)
        gated = Gated(document, found.similarity, least, found.similarity < least)
        if gated.shut and query.entities:
            gated = replace(gated, shut=False, named=next(iter(query.entities.values())))
        if gated.shut and (nearest := self.nearest_sentence(query.vector)) >= NEAREST:
            gated = replace(gated, shut=False, nearest=nearest)
        if gated.shut and (why := reason()):
            gated = replace(gated, shut=False, reason=why)
        return gated.shut, Stage(mark("gate"), time.perf_counter() - begin, gate_in_words(gated), gated)

    def nearest_sentence(self, question: NDArray[np.float32]) -> float:
        """The largest cosine of the question's unit vector, shape (d,), to any sentence; 0 where there is none."""
        near = self._corpus.sentence_vectors.nearest(question, 1)
        return float(near.cosines[0]) if len(near.rows) else 0.0

    def similarity(self, question: NDArray[np.float32]) -> Gating:
        """The largest cosine of the question's unit vector, shape (d,), to any summary; 0..1."""
        if not len(self._vectors):
            return Gating(-1, 0.0)
        near = self._vectors.nearest(question, 1)
        return Gating(int(self._owners[near.rows[0]]), float(np.clip(near.cosines[0], 0.0, 1.0)))


def gate_in_words(gated: Gated) -> str:
    """What was near to the question, and what opened the gate where that did not suffice."""
    document, needed = gated.document, f"{gated.needed:.2f}"
    words = (
        tr(
            "nearest document {document}, {similarity}; {needed} is needed",
            document=document,
            similarity=f"{gated.similarity:.2f}",
            needed=needed,
        )
        if document
        else tr("there is no document; {needed} is needed", needed=needed)
    )
    if gated.named:
        return tr("{detail}; but it names {name}", detail=words, name=gated.named)
    if gated.nearest is not None:
        near = f"{gated.nearest:.2f}"
        return tr("{detail}; but a sentence is as near as {nearest}", detail=words, nearest=near)
    return tr("{detail}; but {reason}", detail=words, reason=gated.reason) if gated.reason else words


def summaries(
    vectors: VectorTable,
    passages: NDArray[np.int64],
    documents: NDArray[np.int64],
    exact_up_to: int = EXACT_UP_TO,
) -> Summaries:
    """Of sentences, `vectors` (s, d) of the rows `passages` (s,), ascending; `documents` (p,) holds each passage's."""
    if not len(vectors):
        return Summaries(Exact(np.zeros((0, 0), dtype=np.float32)), np.zeros(0, dtype=np.int64))
    of_sentence = documents[passages]
    order = np.argsort(of_sentence, kind="stable")
    owners, starts = np.unique(of_sentence[order], return_index=True)
    ends = np.append(starts[1:], len(order))
    counts = np.minimum(ends - starts, CENTRAL) + 1
    matrix = np.empty((int(counts.sum()), vectors[:1].shape[1]), np.float32)
    places = np.cumsum(counts)
    # Some thousand sentences are decoded together, and only what is kept is turned back.
    begin = 0
    while begin < len(owners):
        end = max(begin + 1, int(np.searchsorted(ends, starts[begin] + _AT_ONCE, side="right")))
        block = vectors.along_axes(order[starts[begin] : ends[end - 1]])
        for at in range(begin, end):
            own = block[starts[at] - starts[begin] : ends[at] - starts[begin]]
            matrix[places[at] - counts[at] : places[at]] = summary(own)
        span = slice(places[begin] - counts[begin], places[end - 1])
        matrix[span] = vectors.turned_back(matrix[span])
        begin = end

    def parts() -> Iterator[NDArray[np.float32]]:
        return (matrix[first : first + _AT_ONCE] for first in range(0, len(matrix), _AT_ONCE))

    table = vector_table(len(matrix), matrix.shape[1], parts, exact_up_to=exact_up_to)
    return Summaries(table, np.repeat(owners, counts))


def summary(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """The mean of a document's sentences, (n, d), as a unit vector, and the sentences nearest to it."""
    mean = vectors.mean(axis=0)
    mean /= max(float(np.linalg.norm(mean)), 1e-9)
    nearest = np.argsort(-(vectors @ mean), kind="stable")[:CENTRAL]
    return np.concatenate([mean[None], vectors[nearest]])
