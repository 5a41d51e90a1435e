"""Phrases of the question aligned with the graph: names with entities, relations with predicates.

A2RAG III-C, "Seed extraction and alignment": a hybrid of edit similarity and cosine that keeps only
matches of high confidence.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from threading import Lock

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import Levenshtein

from core.config import AgenticConfig
from core.extraction.names import normalise
from core.index.lexical import match_query
from core.progress import TaskContext
from core.protocols import Embedder
from core.retrieval.agentic.facts import FactWords
from core.retrieval.agentic.needs import Named, Needs, Relation
from core.retrieval.corpus import Corpus
from core.retrieval.lexical import Search

_PLACES = 20  # passages whose names are compared with a name that no entity bears
_CLOSEST = 4  # names of those, by edit similarity, whose vectors are compared, too
_PREDICATES = 64  # most predicates around a trail that are compared with one relation
_REMEMBERED = 5_000  # phrases


@dataclass(frozen=True, slots=True)
class EntitySeed:
    """An entity that the question speaks of. `score` 0..1: 1 when it bears the very name."""

    row: int
    text: str  # in the question's words
    score: float


@dataclass(frozen=True, slots=True)
class Aligned:
    """Entity seeds by row, rows of each name by its key, and the names that no entity bears."""

    seeds: dict[int, EntitySeed]
    rows: dict[str, tuple[int, ...]]
    missing: tuple[Named, ...]
    forms: dict[str, tuple[str, ...]]  # normalised names of those entities, by the name's key


class Phrases:
    """Vectors of short phrases, encoded once. Safe from several threads."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._known: OrderedDict[str, NDArray[np.float32]] = OrderedDict()
        self._lock = Lock()

    def of(self, phrases: Sequence[str], context: TaskContext) -> NDArray[np.float32]:
        """Unit vectors, (n_phrases, d)."""
        with self._lock:
            missing = [phrase for phrase in dict.fromkeys(phrases) if phrase not in self._known]
            if missing:
                vectors = self._embedder.embed(missing, context)
                self._known.update(zip(missing, vectors, strict=True))
            found = np.stack([self._known[phrase] for phrase in phrases])
            while len(self._known) > _REMEMBERED:
                self._known.popitem(last=False)
        return found


class Aligner:
    """Finds the seeds of a question in one snapshot of the graph."""

    def __init__(self, corpus: Corpus, phrases: Phrases, search: Search, config: AgenticConfig) -> None:
        self._corpus = corpus
        self._phrases = phrases
        self._search = search
        self._config = config
        self._passages = corpus.passage_ids.rows

    def entities(self, named: Mapping[int, str], needs: Needs, context: TaskContext) -> Aligned:
        """Return the entities that bear the question's names, or nearly do; `named` are those of `Query.entities`."""
        seeds = {row: EntitySeed(row, text, 1.0) for row, text in named.items()}
        rows: dict[str, tuple[int, ...]] = {}
        missing = []
        for name in needs.names:
            context.check()
            found = self._same_name(name, named) or self._nearly(name, context)
            for seed in found:
                seeds.setdefault(seed.row, seed)
            if found:
                rows[name.key] = tuple(seed.row for seed in found)
            else:
                missing.append(name)
        forms = {
            key: tuple(normalise(self._corpus.entity_names[row]) for row in entity_rows)
            for key, entity_rows in rows.items()
        }
        return Aligned(seeds, rows, tuple(missing), forms)

    def _same_name(self, name: Named, spans: Mapping[int, str]) -> tuple[EntitySeed, ...]:
        """Entities of this very name; spans of the question that hold it count, too."""
        known = self._corpus.entity_rows
        rows = [*known.get(normalise(name.text), ()), *known.get(name.key, ())]
        rows += [row for row, text in spans.items() if name.key in normalise(text)]
        return tuple(EntitySeed(row, name.text, 1.0) for row in dict.fromkeys(rows))

    def _nearly(self, name: Named, context: TaskContext) -> tuple[EntitySeed, ...]:
        """The entity whose name is nearest in letters and in meaning, if it is near enough."""
        close = []
        least = 2.0 * self._config.aligned - 1.0  # below it no cosine can make up for the letters
        for row in self._near_by(name):
            edit = Levenshtein.normalized_similarity(name.key, normalise(self._corpus.entity_names[row]))
            if edit >= least:
                close.append((edit, -row))
        if not close:
            return ()
        best = sorted(close, reverse=True)[:_CLOSEST]
        names = [self._corpus.entity_names[-row] for _, row in best]
        vectors = self._phrases.of([name.text, *names], context)
        scores = [
            (edit + float(vectors[0] @ vector)) / 2
            for (edit, _), vector in zip(best, vectors[1:], strict=True)
        ]
        at = int(np.argmax(scores))
        if scores[at] < self._config.aligned:
            return ()
        return (EntitySeed(-best[at][1], name.text, scores[at]),)

    def _near_by(self, name: Named) -> set[int]:
        """Entities of the passages that share most words with the name."""
        match = match_query(name.key)
        corpus, n = self._corpus, self._corpus.graph.n_entities
        found: set[int] = set()
        for passage, _ in self._search(match, _PLACES) if match else []:
            row = self._passages.get(passage)
            if row is not None:
                start, end = corpus.graph.adjacency.indptr[n + row : n + row + 2]
                found.update(int(at) for at in corpus.graph.adjacency.indices[start:end] if at < n)
        return found

    def by_words(self, relation: Relation, facts: Sequence[FactWords]) -> dict[int, float]:
        """The facts (by key) that tell the relation: 1 by their own words, 0.5 by those of their clause."""
        return {
            fact.key: 1.0 if relation.clues & fact.stems else 0.5
            for fact in facts
            if relation.clues & fact.stems or relation.clues & fact.clause
        }

    def by_meaning(
        self, relation: Relation, facts: Sequence[FactWords], context: TaskContext
    ) -> dict[int, float]:
        """The facts (by key) whose predicate is near the relation's word in meaning: 0.5, as by their clause."""
        predicates = list(dict.fromkeys(fact.predicate for fact in facts))[:_PREDICATES]
        if not predicates or self._config.related >= 1.0:
            return {}
        vectors = self._phrases.of([relation.word, *predicates], context)
        near = vectors[1:] @ vectors[0] >= self._config.related
        related = {predicate for predicate, is_near in zip(predicates, near, strict=True) if is_near}
        return {fact.key: 0.5 for fact in facts if fact.predicate in related}
