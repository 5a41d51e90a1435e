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
    vectors = corpus.passage_vectors[np.asarray(rows, dtype=np.int64)]
    found = np.zeros((n, n, len(LINKS)))
    found[:, :, 7] = vectors @ vectors.T
    top = max((float(s.max()) for s in near), default=0.0)
    entities, nearness = _nearness(rows, near, corpus, max(top, 1e-6))
    shared = (nearness > 0).sum(0) > 1
    if shared.any():
        shared_near = nearness[:, shared]
        holds = (shared_near > 0).astype(np.float64)
        rare = 1.0 / np.sqrt(np.maximum(1, corpus.entity_passages[entities[shared]]))
        named = np.isin(entities[shared], list(asked)).astype(np.float64)
        weight = rare * (1.0 - named)
        found[:, :, 0] = _best_product(shared_near * weight, holds)
        found[:, :, 1] = (holds * named) @ holds.T > 0
        found[:, :, 2] = np.minimum((holds * weight) @ holds.T, 3.0)
    _title_links(found, heads, entities, nearness)
    return found


def _nearness(
    rows: Sequence[int], near: Sequence[Matrix], corpus: Corpus, top: float
) -> tuple[NDArray[np.int64], Matrix]:
    """The entities that the candidates name, (e,) ascending, and of each candidate and entity the cosine of its best
    sentence that names it, as a share of `top`, (n, e): 0 where none does, and above that where one does."""
    starts = corpus.sentence_starts
    spans = [np.arange(starts[row], starts[row + 1]) for row in rows]
    sentences = np.concatenate([np.zeros(0, np.int64), *spans])
    owners = np.repeat(np.arange(len(rows)), [len(span) for span in spans])
    cosines = np.concatenate(
        [np.zeros(0), *(own[: len(span)] for own, span in zip(near, spans, strict=True))]
    )
    first = corpus.named_starts[sentences]
    counts = corpus.named_starts[sentences + 1] - first
    # Places in `named_entities`: each sentence's run, one after another.
    places = np.arange(counts.sum()) + np.repeat(first - np.cumsum(counts) + counts, counts)
    entities, columns = np.unique(corpus.named_entities[places], return_inverse=True)
    found = np.zeros((len(rows), len(entities)))
    np.maximum.at(
        found, (np.repeat(owners, counts), columns), np.maximum(np.repeat(cosines, counts) / top, 1e-9)
    )
    return entities, found


def _best_product(left: Matrix, right: Matrix) -> Matrix:
    """[i, j] = max over columns of left[i] * right[j], of which none is below 0."""
    best: Matrix = np.stack([(row * right).max(1) for row in left])
    return best


def _title_links(found: Matrix, heads: Sequence[int], entities: NDArray[np.int64], nearness: Matrix) -> None:
    of_heads = np.asarray(heads, dtype=np.int64)
    columns = np.searchsorted(entities, of_heads)
    for j in np.flatnonzero(np.isin(of_heads, entities)).tolist():
        own = nearness[:, columns[j]].copy()
        own[j] = 0.0
        naming = own > 0
        found[naming, j, 3] = own[naming]
        found[naming, j, 4] = 1.0
        found[j, naming, 5] = 1.0
        found[j, naming, 6] = own[naming]
