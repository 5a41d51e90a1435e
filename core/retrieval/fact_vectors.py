"""The facts nearest to a question by vectors of their own words. EA-GraphRAG 3.4.2, eq. 4."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from core.index.runs import run_of
from core.progress import TaskContext
from core.protocols import Embedder
from core.retrieval.agentic.facts import Tell
from core.retrieval.fact_graph import FactGraph
from core.store.facts import FactText

_READ = 10_000  # facts at once: the store takes no more than 32,766
_LONGEST_CLAUSE = 300  # characters


@dataclass(frozen=True, slots=True)
class CandidateFact:
    """A fact near the question: its ends as entity rows, and the cosine of the sentence that tells it."""

    subject: int
    object: int
    cosine: float
    words: str  # "Otto Kask born in Tartu"
    clause: str  # what the passage says


class FactVectors:
    """Every fact as a vector of "subject predicate object". Made when they are first asked for, which takes as long as
    encoding so many sentences, and kept as long as the snapshot. Thread-safe."""

    def __init__(self, facts: FactGraph, tell: Tell, embedder: Embedder) -> None:
        self._facts, self._tell, self._embedder = facts, tell, embedder
        # Each fact stands at both of its ends: the first one tells it.
        self._keys, self._places = np.unique(facts.keys, return_index=True)
        self._vectors: NDArray[np.float32] | None = None
        self._lock = Lock()

    def nearest(self, question: str, most: int, context: TaskContext) -> tuple[CandidateFact, ...]:
        """At most `most`, nearest first; of equal ones in the order of their keys. Raises Cancelled."""
        with self._lock:
            if self._vectors is None:
                texts = [_words(fact) for fact in self._told(self._keys.tolist(), context)]
                self._vectors = self._embedder.embed(texts, context)
        cosines = self._vectors @ self._embedder.embed_question(question)
        order = np.argsort(-cosines, kind="stable")[:most]
        rows = self._places[order]
        ends = zip(run_of(self._facts.starts, rows).tolist(), self._facts.others[rows].tolist(), strict=True)
        facts = self._told(self._keys[order].tolist(), context)
        return tuple(
            CandidateFact(one, other, cosine, _words(fact), _clause(fact))
            for fact, (one, other), cosine in zip(facts, ends, cosines[order].tolist(), strict=True)
            if fact is not None
        )

    def _told(self, keys: Sequence[int], context: TaskContext) -> list[FactText | None]:
        """None for one that is gone from the store."""
        found: dict[int, FactText] = {}
        for first in range(0, len(keys), _READ):
            context.check()
            found.update(self._tell(keys[first : first + _READ]))
        return [found.get(key) for key in keys]


def _words(fact: FactText | None) -> str:
    return "" if fact is None else " ".join(f"{fact.subject} {fact.predicate} {fact.object}".split())


def _clause(fact: FactText) -> str:
    words = next((words for _, words in fact.clauses if words), "")
    return " ".join(words.split())[:_LONGEST_CLAUSE]
