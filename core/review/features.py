"""What a filter of facts learns from: numbers of each fact, the vector of its sentence, and tokens that are hashed.

All follow from the fact and its evidence alone. The tokens name what facts have in common: kinds of the ends, the
predicate and its words, those of the clause, but also the ends and the document themselves. Under a penalty a token
learns how far decisions on facts with it differ from others, which is all that a person's history on a predicate, a
name or a document can tell; and it needs no counts that would give away the decision they were made of.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from core.store.fact_evidence import FactEvidence, fact_evidence
from core.store.store import Store
from core.text.stems import fold
from core.text.support import NEGATIONS

VERSION = 1  # another one when the same fact has other features
NUMBERS = 14
HASHED = 1 << 12  # columns of tokens
_WORDS = 12  # of a predicate or a clause that become tokens

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Features:
    """Of n facts. `dense`: (n, NUMBERS + dimension), the numbers and the vectors of sentences."""

    facts: list[FactEvidence]
    dense: Array
    rows: NDArray[np.int64]  # of each token: its fact
    columns: NDArray[np.int64]  # below HASHED
    values: Array


def features(store: Store, keys: Sequence[int]) -> Features:
    """Of these facts, by id, without those that are gone."""
    facts = fact_evidence(store.database, keys)
    clauses = [fold(fact.clause).split() for fact in facts]
    numbers = np.array(list(map(_numbers, facts, clauses))).reshape(len(facts), NUMBERS)
    dense = np.hstack([numbers, _vectors(store, facts)])
    found = [
        (row, *_place(token), weight)
        for row, (fact, clause) in enumerate(zip(facts, clauses, strict=True))
        for token, weight in _tokens(fact, clause)
    ]
    rows, columns, signs, weights = np.array(found).reshape(-1, 4).T
    return Features(facts, dense, rows.astype(np.int64), columns.astype(np.int64), signs * weights)


def _numbers(fact: FactEvidence, clause: list[str]) -> list[float]:
    subject, other = fact.clause.find(fact.subject), fact.clause.find(fact.object)
    both = subject >= 0 and other >= 0
    between = max(other - subject - len(fact.subject), subject - other - len(fact.object), 0)
    return [
        fact.confidence,
        math.log(fact.triples),
        math.log1p(max(0, fact.end - fact.start)),
        math.log1p(between if both else len(fact.clause)),
        both,
        both and subject < other,
        fact.start / max(1, fact.length),
        not NEGATIONS.isdisjoint(clause),
        len(fact.subject.split()),
        len(fact.object.split()),
        len(fact.predicate.split()),
        _capitals(fact.subject),
        _capitals(fact.object),
        any(map(str.isdigit, fact.subject + fact.object)),
    ]


def _capitals(name: str) -> float:
    """Share of its words that begin with a capital."""
    words = name.split()
    return sum(word[0].isupper() for word in words) / max(1, len(words))


def _tokens(fact: FactEvidence, clause: list[str]) -> Iterator[tuple[str, float]]:
    """Each with its weight."""
    yield f"subject {fact.subject_label}", 1.0
    yield f"object {fact.object_label}", 1.0
    yield f"ends {fact.subject_label} {fact.object_label}", 1.0
    yield f"predicate {fact.predicate}", 1.0
    yield f"proposer {fact.proposer}", 1.0
    # Few facts share one of these, so that they would explain away each decision for itself.
    yield f"document {fact.document_id}", 0.5
    yield f"name {fact.subject_normal}", 0.5
    yield f"name {fact.object_normal}", 0.5
    for kind, words in (("word of predicate", fold(fact.predicate).split()), ("word of clause", clause)):
        first_words = words[:_WORDS]
        for word in first_words:
            yield f"{kind} {word}", 1 / math.sqrt(len(first_words))


@lru_cache(1 << 16)
def _place(token: str) -> tuple[int, int]:
    """Column of a token, and whether it adds to it or takes away. Weinberger et al. 2009."""
    hash = zlib.crc32(token.encode("utf-8", "replace"))
    return hash % HASHED, 1 if hash & 1 << 31 else -1


def _vectors(store: Store, facts: Sequence[FactEvidence]) -> Array:
    """(n, dimension): of the sentence that says each fact; zeros where it has no vector."""
    found = np.zeros((len(facts), store.embeddings.dimension))
    by_passage = store.embeddings.get("sentence", list({fact.passage_key for fact in facts}))
    for row, fact in enumerate(facts):
        vectors = by_passage.get(fact.passage_key)
        if vectors is not None and 0 <= fact.sentence < len(vectors):
            found[row] = vectors[fact.sentence]
    return found
