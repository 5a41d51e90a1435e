"""What one candidate says of another: the bridge from a chosen passage to the next one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from core.retrieval.corpus import Corpus

Matrix = NDArray[np.float64]

LINKS = (
    "bridge",  # names an entity of the other, in a sentence near the question; rare names count more
    "question_name",  # both hold a name of the question
    "shared",  # rare names that both hold
    "names_title",  # names what the other is about, by nearness of the naming sentence
    "named_title",  # 1 when it does
    "title_named",  # 1 when the other names what this one is about
    "title_nearness",
    "likeness",  # cosine of the two
)


def links_between(
    rows: Sequence[int],
    heads: Sequence[int],
    near: Sequence[Matrix],
    asked: frozenset[int],
    corpus: Corpus,
) -> Matrix:
    """(n, n, len(LINKS)); [i, j] is what choosing passage i says of passage j.

    `heads` are the entity rows that the passages' titles name, -1 for none; `near` the cosines of
    each passage's sentences to the question; `asked` the entity rows that the question names.
    """
    n = len(rows)
    holders = _holders(rows, near, corpus)
    vectors = corpus.passage_vectors[np.asarray(rows, dtype=np.int64)]
    found = np.zeros((n, n, len(LINKS)))
    found[:, :, 7] = vectors @ vectors.T
    best = max((float(s.max()) for s in near), default=0.0)
    top = max(best, 1e-6)
    shared = [entity for entity, held in holders.items() if len(held) > 1]
    if shared:
        nearness = np.zeros((n, len(shared)))
        for column, entity in enumerate(shared):
            for at, cosine in holders[entity].items():
                nearness[at, column] = max(cosine / top, 1e-9)
        holds = (nearness > 0).astype(np.float64)
        rare = 1.0 / np.sqrt(np.maximum(1, corpus.entity_passages[shared]))
        named = np.array([float(entity in asked) for entity in shared])
        found[:, :, 0] = _best_product(nearness, holds * (rare * (1.0 - named)))
        found[:, :, 1] = (holds * named) @ holds.T > 0
        found[:, :, 2] = np.minimum((holds * (rare * (1.0 - named))) @ holds.T, 3.0)
    _title_links(found, heads, holders, top)
    return found


def _holders(rows: Sequence[int], near: Sequence[Matrix], corpus: Corpus) -> dict[int, dict[int, float]]:
    """Entity -> {candidate: cosine of its best sentence that names the entity}."""
    holders: dict[int, dict[int, float]] = {}
    for at, row in enumerate(rows):
        first = int(corpus.sentence_starts[row])
        for sentence in range(first, int(corpus.sentence_starts[row + 1])):
            cosine = max(0.0, float(near[at][sentence - first]))
            start, end = corpus.named_starts[sentence], corpus.named_starts[sentence + 1]
            for entity in corpus.named_entities[start:end].tolist():
                held = holders.setdefault(entity, {})
                held[at] = max(held.get(at, 0.0), cosine)
    return holders


def _best_product(left: Matrix, right: Matrix) -> Matrix:
    """[i, j] = max over columns of left[i] * right[j]."""
    best = np.zeros((len(left), len(right)))
    for at in range(len(left)):
        columns = np.flatnonzero(left[at])
        if len(columns):
            best[at] = (right[:, columns] * left[at, columns]).max(1)
    return best


def _title_links(
    found: Matrix, heads: Sequence[int], holders: dict[int, dict[int, float]], top: float
) -> None:
    for j, head in enumerate(heads):
        for i, cosine in holders.get(head, {}).items() if head >= 0 else ():
            if i != j:
                found[i, j, 3] = cosine / top
                found[i, j, 4] = 1.0
                found[j, i, 5] = 1.0
                found[j, i, 6] = cosine / top
