"""Facts chosen anew before the walk begins at their ends. EA-GraphRAG 3.4.2, eq. 4 and 5."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from core.index.vector_table import Near
from core.progress import TaskContext
from core.retrieval.agentic.facts import Tell
from core.retrieval.corpus import Corpus
from core.retrieval.fact_graph import FactGraph
from core.retrieval.fact_vectors import CandidateFact, FactVectors
from core.text.translation import tr, trn
from core.types.stages import MOST, NearFact, NearFacts

_FACTS_OF_A_NAME = 200  # the strongest of an entity that are looked at
_SENTENCES_A_FACT = 10  # sentences looked through for each fact that is wanted
_LONGEST_CLAUSE = 300  # characters


@dataclass(frozen=True, slots=True)
class Ranking:
    """Places of the facts that are kept, best first, and in words who chose."""

    order: tuple[int, ...]
    words: str


class FactReranker(Protocol):
    """Ranks facts by what they are worth for a question; may leave out what is worth nothing."""

    name: str

    def rank(self, question: str, facts: Sequence[CandidateFact], context: TaskContext) -> Ranking: ...


class AsNear:
    """Keeps facts in the order in which they are near."""

    name = ""

    def rank(self, question: str, facts: Sequence[CandidateFact], context: TaskContext) -> Ranking:
        words = trn("{count} nearest fact", "{count} nearest facts", len(facts))
        return Ranking(tuple(range(len(facts))), words)


class FactChooser:
    """The facts nearest to a question, ranked by a reranker."""

    def __init__(
        self,
        corpus: Corpus,
        facts: FactGraph,
        tell: Tell,
        reranker: FactReranker,
        candidates: int,
        vectors: FactVectors | None = None,
    ) -> None:
        """With `vectors` those facts are near whose own are; else what is told by the nearest sentences."""
        self._corpus = corpus
        self._facts = facts
        self._tell = tell
        self._reranker = reranker
        self._most = candidates
        self._vectors = vectors

    def choose(
        self, question: str, near: Near, most: int, context: TaskContext
    ) -> tuple[tuple[CandidateFact, ...], str, NearFacts]:
        """At most `most` facts, best first, how they were chosen, and from what.

        `near` are the nearest sentences, `wide` of them. Raises what the reranker raises.
        """
        if self._vectors is not None:
            found = self._vectors.nearest(question, self._most, context)
        else:
            found = self.nearest(near)
        if not found:
            return (), tr("no fact is near"), NearFacts((), 0, 0)
        ranking = self._reranker.rank(question, found, context)
        order = ranking.order[:most]
        ranks = {at: rank for rank, at in enumerate(order, start=1)}
        near_facts = tuple(
            NearFact(fact.words, fact.clause, fact.cosine, ranks.get(at)) for at, fact in enumerate(found)
        )
        return (
            tuple(found[at] for at in order),
            ranking.words,
            NearFacts(near_facts[:MOST], len(order), len(near_facts)),
        )

    @property
    def wide(self) -> int:
        """How many sentences are looked through."""
        return self._most * _SENTENCES_A_FACT

    def nearest(self, near: Near) -> tuple[CandidateFact, ...]:
        """The facts told by the sentences nearest to the question, nearest first. Eq. 4.

        A fact is as near as the nearest sentence that names both its ends and stands in a passage that tells it.
        """
        found: dict[
            int, list[tuple[int, int, int, float]]
        ] = {}  # by key: ends, sentence, cosine, nearest first
        looked = near.first(self.wide)
        for sentence, cosine in zip(looked.rows.tolist(), looked.cosines.tolist(), strict=True):
            for key, ends in self._between(sentence):
                found.setdefault(key, []).append((*ends, sentence, cosine))
            if len(found) >= 2 * self._most:  # some of them are told elsewhere
                break
        by_key = self._tell(list(found))
        facts: list[CandidateFact] = []
        for key, fact in ((key, by_key[key]) for key in found if key in by_key):
            clauses = {id: words for id, words in reversed(fact.clauses) if words}
            for one, other, sentence, cosine in found[key]:
                passage = self._corpus.passage_ids[self._corpus.sentence_passages[sentence]]
                if passage in clauses:
                    words = " ".join(f"{fact.subject} {fact.predicate} {fact.object}".split())
                    short = " ".join(clauses[passage].split())[:_LONGEST_CLAUSE]
                    facts.append(CandidateFact(one, other, cosine, words, short))
                    break
        return tuple(sorted(facts, key=lambda fact: -fact.cosine)[: self._most])

    def _between(self, sentence: int) -> Iterator[tuple[int, tuple[int, int]]]:
        """Keys and ends of the facts whose both ends a sentence names."""
        corpus, facts = self._corpus, self._facts
        named = corpus.named_entities[
            corpus.named_starts[sentence] : corpus.named_starts[sentence + 1]
        ].tolist()
        for entity in named:
            at = facts.of(entity, _FACTS_OF_A_NAME)
            inside = np.isin(facts.others[at], named)
            for key, other in zip(
                facts.keys[at][inside].tolist(), facts.others[at][inside].tolist(), strict=True
            ):
                yield key, (entity, other)
