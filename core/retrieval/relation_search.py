"""What joins two names: facts between them, sentences that name both, and what sentences name with each of them.

Paths of facts are ranked by what they tell (`core.graph.connections`). Where facts are wanting, a third name joins two
that is named with both: the more of all its sentences these are, the likelier it is no mere hub (cosine of
the two sets of sentences).
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from core.extraction.names import normalise
from core.extraction.question import Name
from core.extraction.question_words import PLACES
from core.graph.connections import FactEdges, as_step, fact_worth, rank_paths, within_passages
from core.index.lexical import phrase
from core.progress import TaskContext
from core.retrieval.agentic.alignment import Aligner
from core.retrieval.agentic.facts import stems_of
from core.retrieval.agentic.needs import Named, Needs
from core.retrieval.corpus import Corpus
from core.retrieval.fact_graph import Mask, Rows
from core.retrieval.query import Query
from core.retrieval.view import SnapshotView
from core.store.store import Store
from core.text.sentences import TITLES
from core.text.stems import fold
from core.text.translation import tr
from core.types import Fact, FactPath, PathStep
from core.types.kinds import VALUES

LONGEST = 3  # facts of a path: by more nearly everything is joined to everything
_PATHS = 3
_ENTITIES = 3  # entities that one name may mean
_FEW = 20  # sentences of a name's entities below which its words are searched for as well
_LOOKED_AT = 50  # passages that this finds at most
_NEAR = 2  # sentences between two names that are told of together
_READ = 40  # sentences of both that are looked at, those with the fewest names
CROWDED = 6  # names of a sentence from which on it is a list that ties nobody
_NEXT = 0.5  # what a name in the next sentence counts, against one in the same
_NO_FACT = 0.8  # what a step counts that no fact tells
_PLACE = 0.5  # what a path over a place counts: a place joins whoever was there
_NAMES = 4  # names of the parse that may be parts of two
_GENERATIONS = frozenset(("Jr", "Sr", "II", "III", "IV"))
_JOINED = re.compile(r",?\s+(?:and|&|with)\s+|,\s+")


@dataclass(frozen=True, slots=True)
class NameMatch:
    """What a name of the question means: entity rows, none for a name that was not extracted, and sentence rows."""

    text: str
    rows: tuple[int, ...]
    sentences: Rows


@dataclass(frozen=True, slots=True)
class CommonSentence:
    """Rows of the sentence that names both, or of two that stand near each other, and how many names it has."""

    rows: tuple[int, ...]
    names: int


class RelationSearch:
    """Over one snapshot."""

    def __init__(self, store: Store, view: SnapshotView, aligner: Aligner) -> None:
        self._store = store
        self._view = view
        self._aligner = aligner

    # ------------------------------------------------------------ names

    def match_names(self, names: Sequence[Name], query: Query, context: TaskContext) -> list[NameMatch]:
        """Return whom two or more names of a question mean; none where one of them names nothing here.

        "X and Y" may be one name in the parse, and "Jim's Test and Tag" three.
        """
        for parts in itertools.chain(_partitions(query.parsed.text, names), self._halves(names)):
            found = [self.match_name(part, query, context) for part in parts]
            if all(len(match.sentences) for match in found):
                return found
        return []

    def _halves(self, names: Sequence[Name]) -> Iterator[list[str]]:
        """Yield the names of two entities that one name of the parse may be: "Ada Moe Falk Shipping"."""
        words = names[0].text.split() if len(names) == 1 else []
        for cut in range(1, len(words)):
            parts = [" ".join(words[:cut]), " ".join(words[cut:])]
            if all(normalise(part) in self._corpus.entity_rows for part in parts):
                yield parts

    def match_name(self, text: str, query: Query, context: TaskContext) -> NameMatch:
        """Return whom a name means, however it is extracted."""
        named = Named(text, normalise(text))
        rows = self._aligner.entities(query.entities, Needs(names=(named,)), context).rows.get(named.key, ())
        rows = (rows or self._entities_with_longer_name(named.key))[:_ENTITIES]
        sentences = self._sentences_of(rows)
        if len(sentences) < _FEW:
            sentences = np.union1d(sentences, self._sentences_with(named.text))
            if surname := self._own_surname(text, rows):
                sentences = np.union1d(sentences, self._sentences_with(surname, is_cased=True))
        return NameMatch(text, rows, sentences)

    def _own_surname(self, text: str, rows: Sequence[int]) -> str:
        """Return the last word of a person's name where nobody else of whom the documents tell bears it, else ""."""
        first, *rest = text.split()
        is_person = bool(rows) and all(self._corpus.entity_labels[row] == "PERSON" for row in rows)
        if not (is_person and rest and rest[-1][:1].isupper()) or rest[-1].rstrip(".") in _GENERATIONS:
            return ""
        return rest[-1] if self._first_names.get(rest[-1], set()) <= {first} else ""

    @cached_property
    def _first_names(self) -> dict[str, set[str]]:
        """By surname the first names of all persons."""
        found: dict[str, set[str]] = {}
        for name, label in zip(self._corpus.entity_names, self._corpus.entity_labels, strict=True):
            parts = name.split() if label == "PERSON" else []
            if len(parts) > 1 and parts[0].rstrip(".").lower() not in TITLES:
                found.setdefault(parts[-1], set()).add(parts[0])
        return found

    def _entities_with_longer_name(self, key: str) -> tuple[int, ...]:
        """Return the entities whose names hold all of a name's words in order, the most mentioned first."""
        found = [
            row
            for name, rows in self._corpus.entity_rows.items()
            if f" {key} " in f" {name} "
            for row in rows
        ]
        return tuple(sorted(dict.fromkeys(found), key=lambda row: -int(self._corpus.entity_passages[row])))

    def _sentences_of(self, rows: Sequence[int]) -> Rows:
        """Return rows of the sentences that name one of these entities, ascending."""
        places = np.flatnonzero(np.isin(self._corpus.named_entities, rows))
        return np.unique(np.searchsorted(self._corpus.named_starts, places, side="right") - 1)

    def _sentences_with(self, name: str, is_cased: bool = False) -> Rows:
        """Return rows of the sentences that hold a name's words, in these letters if `is_cased`."""
        found: list[int] = []
        words = phrase(name)
        for id, _ in self._view.word_search.search(words, _LOOKED_AT) if words else ():
            passage, row = self._store.passages.get(id).passage, self._corpus.passage_ids.rows[id]
            first = int(self._corpus.sentence_starts[row])
            for at, sentence in enumerate(passage.sentences):
                text = passage.text[sentence.start : sentence.end]
                if re.search(rf"\b{re.escape(name)}\b", text) if is_cased else fold(name) in fold(text):
                    found.append(first + at)
        return np.array(sorted(set(found)), dtype=np.int64)

    # ------------------------------------------------------------ what joins them

    def find_paths(self, matches: Sequence[NameMatch], context: TaskContext) -> list[FactPath]:
        """Return the paths between each two, those that tell most first: of facts, and past a third name."""
        found: dict[tuple[str, ...], FactPath] = {}
        for one, other in itertools.combinations(matches, 2):
            for path in (*self._over_facts(one, other, context), *self._over_third_name(one, other)):
                if path.entity_ids not in found or path.worth > found[path.entity_ids].worth:
                    found[path.entity_ids] = path
        return sorted(found.values(), key=lambda path: (len(path.steps) > 1, -path.worth))[:_PATHS]

    def _over_facts(self, one: NameMatch, other: NameMatch, context: TaskContext) -> Iterator[FactPath]:
        keys, here = self._corpus.graph.entity_keys, self._corpus.passage_ids
        pairs = [(int(keys[a]), int(keys[b])) for a, b in itertools.product(one.rows, other.rows) if a != b]
        yield from rank_paths(self._store, self._edges, pairs, _PATHS, LONGEST, context, here).paths

    def _over_third_name(self, one: NameMatch, other: NameMatch) -> Iterator[FactPath]:
        """Yield paths over a third name that is named with both, the likeliest first."""
        ids, own = self._corpus.entity_ids, {normalise(one.text), normalise(other.text)}
        neighbours = [(match, self._names_near(match)) for match in (one, other)]
        ranked: list[tuple[float, int]] = []
        for row in neighbours[0][1].keys() & neighbours[1][1].keys() - {*one.rows, *other.rows}:
            name = normalise(self._corpus.entity_names[row])
            if any(f" {each} " in f" {name} " or name in each for each in own):
                continue
            worth = math.prod(self._association(match, row, found[row]) for match, found in neighbours)
            ranked.append((worth * (_PLACE if self._corpus.entity_labels[row] in PLACES else 1.0), row))
        for worth, row in sorted(ranked, reverse=True)[:_PATHS]:
            steps = [self._step_to(match, row, found[row]) for match, found in neighbours]
            worth *= math.prod(1.0 if step.strength else _NO_FACT for step in steps)
            yield FactPath((_id(ids, one), ids[row], _id(ids, other)), tuple(steps), worth)

    def _names_near(self, match: NameMatch) -> dict[int, dict[int, int]]:
        """Return each entity that is named with a name: its sentences, rows, with the nearest one of the name.

        In the same sentence or the next one of a passage; those of long lists are left out.
        """
        corpus, found = self._corpus, dict[int, dict[int, int]]()
        for own, step in itertools.product(match.sentences.tolist(), (0, -1, 1)):
            sentence = own + step
            if not 0 <= sentence < len(self.name_counts) or self.name_counts[sentence] >= CROWDED:
                continue
            if corpus.sentence_passages[sentence] != corpus.sentence_passages[own]:
                continue
            named = corpus.named_entities[corpus.named_starts[sentence] : corpus.named_starts[sentence + 1]]
            for row in named.tolist():
                if self._is_name[row]:
                    known = found.setdefault(row, {})
                    if abs(known.get(sentence, sentence + 2) - sentence) > abs(step):
                        known[sentence] = own
        return found

    def _association(self, match: NameMatch, row: int, sentences: Mapping[int, int]) -> float:
        """Return how much of all that names both of all that names either, 0 to 1."""
        together = sum(1.0 if sentence == own else _NEXT for sentence, own in sentences.items())
        return min(1.0, together / math.sqrt(float(self._sentence_counts[row]) * len(match.sentences)))

    def _step_to(self, match: NameMatch, row: int, sentences: Mapping[int, int]) -> PathStep:
        """Return the strongest fact between a name and an entity, else sentences that name both and few others."""
        ids = self._corpus.entity_ids
        for own in match.rows:
            for fact in self._store.facts.between(ids[own], ids[row], limit=_PATHS):
                if (here := within_passages(fact, self._corpus.passage_ids)).triples:
                    return as_step(here)
        best = min(sentences, key=lambda each: (each != sentences[each], int(self.name_counts[each]), each))
        passage = int(self._corpus.sentence_passages[best])
        record = self._store.passages.get(self._corpus.passage_ids[passage]).passage
        first = int(self._corpus.sentence_starts[passage])
        both = sorted((best - first, sentences[best] - first))
        name = self._corpus.entity_names[match.rows[0]] if match.rows else match.text
        return PathStep(
            _id(ids, match), name, tr("named with"), ids[row], self._corpus.entity_names[row],
            0.0, record.id, record.sentences[both[0]].start, record.sentences[both[1]].end,
        )  # fmt: skip

    def find_common_sentences(self, matches: Sequence[NameMatch]) -> list[CommonSentence]:
        """Return the sentences that name two of them, those with the fewest names first; else such as stand near."""
        found: dict[tuple[int, ...], CommonSentence] = {}
        for one, other in itertools.combinations(matches, 2):
            both = np.intersect1d(one.sentences, other.sentences)
            near = () if len(both) else self._adjacent_pairs(one.sentences, other.sentences)
            pairs: list[tuple[int, ...]] = [*((row,) for row in both.tolist()), *near]
            for rows in pairs:
                found[rows] = CommonSentence(rows, max(int(self.name_counts[row]) for row in rows))
        return sorted(found.values(), key=lambda each: (len(each.rows), each.names))[:_READ]

    def _adjacent_pairs(self, ones: Rows, others: Rows) -> Iterator[tuple[int, int]]:
        """Yield pairs of sentences of one passage that stand near each other."""
        passages = self._corpus.sentence_passages
        for one in ones.tolist():
            first, last = np.searchsorted(others, (one - _NEAR, one + _NEAR + 1)).tolist()
            for other in others[first:last].tolist():
                if passages[one] == passages[other]:
                    yield min(one, other), max(one, other)

    def nearest_facts(self, row: int, asked_stems: Container[str], most: int) -> list[PathStep]:
        """Return the facts of an entity that share most words, stems, with a question, then those that tell most."""
        ids, here = self._corpus.entity_ids, self._corpus.passage_ids
        facts = [within_passages(fact, here) for fact in self._store.facts.of_entity(ids[row], _LOOKED_AT)]
        weights = self._store.facts.weights([fact.id for fact in facts])

        def rank(fact: Fact) -> tuple[int, float]:
            shared = sum(each in asked_stems for each in stems_of(f"{fact.predicate} {fact.object}"))
            return -shared, -fact_worth(fact, weights)

        return [as_step(fact) for fact in sorted(facts, key=rank) if fact.triples][:most]

    # ------------------------------------------------------------ columns

    @property
    def _corpus(self) -> Corpus:
        return self._view.corpus

    @cached_property
    def _is_name(self) -> Mask:
        """Which entities join others, (n_entities,): not days and amounts, on which anything may happen."""
        labels = self._corpus.entity_labels
        is_value = np.fromiter((label in VALUES for label in labels), np.bool_, len(labels))
        return (self._view.facts.name_importance > 0) & ~is_value

    @cached_property
    def name_counts(self) -> Rows:
        """How many names each sentence holds, (n_sentences,)."""
        before = np.concatenate([[0], np.cumsum(self._is_name[self._corpus.named_entities])])
        found: Rows = before[self._corpus.named_starts[1:]] - before[self._corpus.named_starts[:-1]]
        return found

    @cached_property
    def _sentence_counts(self) -> Rows:
        """How many sentences name each entity, (n_entities,)."""
        return np.bincount(self._corpus.named_entities, minlength=len(self._corpus.entity_ids))

    @cached_property
    def _edges(self) -> FactEdges:
        """The facts between names, with the sums of their confidences."""
        facts, keys = self._view.facts, self._corpus.graph.entity_keys
        ends = np.repeat(np.arange(len(facts.starts) - 1), np.diff(facts.starts))
        once = (ends < facts.others) & self._is_name[ends] & self._is_name[facts.others]
        pairs = np.stack([keys[ends[once]], keys[facts.others[once]]], axis=1)
        return FactEdges.between(pairs.astype(np.int64), facts.confidences[once].astype(np.float64))


def may_be_two(names: Sequence[Name]) -> bool:
    """Whether the names of a question may mean two or more."""
    return len(names) > 1 or any(_JOINED.search(name.text) for name in names)


def _partitions(question: str, names: Sequence[Name]) -> Iterator[list[str]]:
    """Yield the ways in which the names of a question may be those of two, then of more, the likeliest first."""
    names = list({name.key: name for name in names}.values())[:_NAMES]
    for cut in range(1, len(names)):
        groups = names[:cut], names[cut:]
        yield [question[group[0].start : group[-1].end] for group in groups]
    if len(names) > 2:
        yield [name.text for name in names]
    if (parts := [part for name in names for part in _JOINED.split(name.text)]) and len(parts) > len(names):
        yield parts


def _id(ids: Sequence[str], match: NameMatch) -> str:
    return ids[match.rows[0]] if match.rows else ""
