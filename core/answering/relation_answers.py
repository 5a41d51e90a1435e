"""Answers to what asks how names are related: the paths of facts between them, and sentences that name both.

A2RAG III-C.2 (bridges between the names of a question) and triple-layer GraphRAG 4.5.2 (chains of facts), taken as the
answer itself: the sentences that the facts were read from are its evidence.
"""

from __future__ import annotations

import itertools
import math
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from core.answering.candidates import Candidate, as_evidence, cite, cite_step, sentence_at
from core.answering.passage_reader import PassageReader
from core.answering.rankings import Rankings
from core.answering.writers import Request
from core.config import AnswerConfig
from core.extraction.names import normalise
from core.extraction.question import ParsedQuestion, QuestionType
from core.graph.connections import as_step, rank_paths
from core.progress import TaskContext
from core.retrieval.agentic.alignment import Aligner
from core.retrieval.agentic.needs import Named, Needs
from core.retrieval.fact_graph import Mask
from core.retrieval.query import Query
from core.retrieval.view import SnapshotView
from core.store.store import Store
from core.text.statements import is_statement
from core.text.translation import both, mark, tr, trn
from core.types import (
    Answer,
    Claim,
    FactPath,
    Hit,
    PathStep,
    Retrieval,
    Sentence,
    Stage,
    Trace,
    Verdict,
)
from core.types.kinds import VALUES

LONGEST = 3  # facts of a path: by more nearly everything is joined to everything
_PATHS = 3  # that are displayed
_BEARERS = 3  # entities that one name of the question may mean
_SENTENCES = 2  # that name both, beside those of the paths
_READ = 40  # sentences that name both, from which these are chosen
_DIRECT, _SHARED, _LISTED = (
    0.8,
    0.7,
    0.35,
)  # probability of a fact between both, a sentence of both, a list of both
_ONWARD = 1.0  # the same of a path past others, times the square root of its worth
_FEWEST = 0.25  # probability below which a path tells nothing
_CROWDED = 6  # entities of a sentence from which on it is a list that ties nobody
_ALONE = 2  # facts of each name that a refusal tells
_ASKED = (QuestionType.WHO, QuestionType.WHICH, QuestionType.WHAT)
_ELSEWHERE = (QuestionType.WHEN, QuestionType.WHERE, QuestionType.HOW_MANY)
_TIES = frozenset(
    "relation relationship connection link tie association dealing involvement connect tie relate associate "
    "involve know acquaint".split()
)
_DEALS = frozenset("deal stand lie come do have".split())
# What narrows nothing beside these.
_PLAIN = frozenset(
    "between other common else anything something kind nature type sort way exact exactly exist both any each "
    "what who which how person people company firm one name describe explain show tell give find together be".split()
)
_JOINED = re.compile(r",?\s+(?:and|&|with)\s+|,\s+")
_INFERRED = tr("No sentence says how they are related: it follows from several.")
_OPEN = frozenset(("NOUN", "VERB", "ADJ", "NUM", "PROPN", "ADV"))


@dataclass(frozen=True, slots=True)
class RelationQuestion:
    """`names` are those of the question, of which "X and Y" may be two. `asks_between`: who or what stands between them
    is asked for."""

    names: tuple[Named, ...]
    asks_between: bool


def relation_question(question: ParsedQuestion) -> RelationQuestion | None:
    """Return whose relation a question asks for; None where it asks for something else."""
    names = tuple({name.key: Named(name.text, name.key) for name in question.names if name.key}.values())
    if not names or len(names) < 2 and not _JOINED.search(names[0].text) or question.type in _ELSEWHERE:
        return None
    inside = {at for name in question.names for at in range(name.first, name.last)}
    words = [token for at, token in enumerate(question.tokens) if at not in inside]
    lemmas, text = {token.lemma for token in words}, " ".join(token.text.lower() for token in words)
    is_asked = question.type in _ASKED
    asks_between = is_asked and (
        {"both", "deal"} <= lemmas
        or bool(
            {"both", "between"} & lemmas and {"stand", "lie", "come", *_TIES} & lemmas and "be" not in lemmas
        )
        or question.type is not QuestionType.WHAT
        and bool({"link", "connect", "tie"} & lemmas)
    )
    is_phrase = asks_between or "to do with" in text or "in common" in text
    narrowing = {token.lemma for token in words if token.pos in _OPEN} - _PLAIN - _TIES
    if (
        narrowing
        - (_DEALS if is_phrase else frozenset())
        - ({question.focus} if asks_between else frozenset())
    ):
        return None
    is_bare = not lemmas & {"or", "not"} and all(token.pos not in _OPEN for token in words) and not is_asked
    is_cued = is_phrase or bool(lemmas & _TIES) and "about" not in lemmas
    return RelationQuestion(names, asks_between) if is_cued or is_bare else None


@dataclass(frozen=True, slots=True)
class _Shared:
    """A sentence that names both, and the probability that it tells how they are related."""

    candidate: Candidate
    sentence: Sentence
    probability: float


class RelationAnswers:
    """Over one snapshot of a workspace."""

    def __init__(
        self,
        store: Store,
        view: SnapshotView,
        rankings: Rankings,
        reader: PassageReader,
        aligner: Aligner,
        config: AnswerConfig,
    ) -> None:
        self._store = store
        self._view = view
        self._rankings = rankings
        self._reader = reader
        self._aligner = aligner
        self._config = config

    def answer(self, request: Request, context: TaskContext) -> Answer | None:
        """Return what joins the names whose relation the question asks for, or that nothing does.

        None where it asks for something else or names what no entity bears, and where a person chose a route. Raises
        Cancelled.
        """
        asked = None if request.route else relation_question(request.question)
        if asked is None:
            return None
        begin, query = time.perf_counter(), request.query
        bearers = self._bearers(asked, query, context)
        if len(bearers) < 2:
            return None
        pairs = list(itertools.combinations(bearers.values(), 2))
        paths = self._paths(pairs, context)
        onward = [path for path in paths if len(path.steps) > 1] if asked.asks_between else []
        paths, shared = (onward, []) if onward else (paths, self._shared(pairs))
        likeliest = max([*map(_probability, paths), *(each.probability for each in shared)], default=0.0)
        paths = [path for path in paths if _probability(path) >= max(_FEWEST, likeliest / 2)]
        shared = [each for each in shared if each.probability >= likeliest / 2]
        facts = [] if paths or shared else [self._strongest_facts(rows[0]) for rows in bearers.values()]
        steps = [step for path in paths for step in path.steps] + list(itertools.chain(*facts))
        ids = dict.fromkeys(
            [step.passage_id for step in steps] + [each.candidate.passage.id for each in shared]
        )
        hits = tuple(Hit(id, 1.0 / rank, rank) for rank, id in enumerate(ids, start=1))
        route, stages = self._rankings.choose_route(query.text)
        candidates, read = self._reader.read(hits)
        stage = Stage(mark("relation"), time.perf_counter() - begin, _in_words(paths, shared))
        answer = Answer(
            "",
            (),
            (),
            tuple(as_evidence(candidate, _sentence_in(candidate, steps, shared)) for candidate in candidates),
            Trace(query.text, route, (*stages, stage, read), (), {}, hits, 0.0),
        )
        if paths or shared:
            answer = _with_relation(answer, asked, paths, shared, candidates, self._config)
        else:
            answer = replace(answer, abstained=True, missing=_gap(list(bearers), facts))
        retrieval = Retrieval(hits, answer.trace.stages)
        evidence, why = self._reader.explain(
            query.parsed, query.vector, retrieval, answer.evidence, candidates
        )
        trace = replace(answer.trace, stages=(*answer.trace.stages, why))
        return self._reader.with_places(replace(answer, evidence=evidence, trace=trace))

    def _bearers(
        self, asked: RelationQuestion, query: Query, context: TaskContext
    ) -> dict[str, tuple[int, ...]]:
        """Return rows of the entities that each name may mean; none where one names nothing."""
        found: dict[str, tuple[int, ...]] = {}
        for name in asked.names:
            parts = [name]
            if name.key not in self._aligner.entities(query.entities, Needs(names=(name,)), context).rows:
                parts = [Named(part, normalise(part)) for part in _JOINED.split(name.text)]
            aligned = self._aligner.entities(query.entities, Needs(names=tuple(parts)), context)
            if aligned.missing:
                return {}
            found |= {part.text: aligned.rows[part.key][:_BEARERS] for part in parts}
        return found

    def _paths(
        self, pairs: Sequence[tuple[Sequence[int], Sequence[int]]], context: TaskContext
    ) -> list[FactPath]:
        """Return the paths between bearers of two names, those that tell most first."""
        corpus = self._view.corpus
        keys, ends, strengths = corpus.graph.entity_keys, *self._edges
        found = {
            path.entity_ids: path
            for ones, others in pairs
            for one, other in itertools.product(ones, others)
            if one != other
            for path in rank_paths(
                self._store,
                ends,
                strengths,
                (int(keys[one]), int(keys[other])),
                _PATHS,
                LONGEST,
                context,
                corpus.passage_ids,
            ).paths
        }
        return sorted(found.values(), key=lambda path: (-_probability(path), -path.worth, path.entity_ids))[
            :_PATHS
        ]

    @cached_property
    def _edges(self) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Entity keys of both ends of each fact between names, (f, 2), and sums of confidences, (f,)."""
        facts, keys = self._view.facts, self._view.corpus.graph.entity_keys
        ends = np.repeat(np.arange(len(facts.starts) - 1), np.diff(facts.starts))
        once = (ends < facts.others) & self._is_name[ends] & self._is_name[facts.others]
        pairs = np.stack([keys[ends[once]], keys[facts.others[once]]], axis=1)
        return pairs.astype(np.int64), facts.confidences[once].astype(np.float64)

    @cached_property
    def _is_name(self) -> Mask:
        """Which entities join others, (n_entities,): not days and amounts, on which anything may happen."""
        labels = self._view.corpus.entity_labels
        is_value = np.fromiter((label in VALUES for label in labels), np.bool_, len(labels))
        return (self._view.facts.name_importance > 0) & ~is_value

    def _shared(self, pairs: Sequence[tuple[Sequence[int], Sequence[int]]]) -> list[_Shared]:
        """Return the sentences that name bearers of both names of a pair and say most of them."""
        corpus = self._view.corpus
        places = np.concatenate([[0], np.cumsum(self._is_name[corpus.named_entities])])
        counts = places[corpus.named_starts[1:]] - places[corpus.named_starts[:-1]]
        rows = np.concatenate(
            [np.intersect1d(self._sentences_of(one), self._sentences_of(other)) for one, other in pairs]
        )
        rows = rows[np.argsort(counts[rows], kind="stable")][:_READ]
        passages = corpus.sentence_passages[rows]
        ids = dict.fromkeys(corpus.passage_ids.at(passages))
        hits = tuple(Hit(id, 1.0 / rank, rank) for rank, id in enumerate(ids, start=1))
        by_id = {candidate.passage.id: candidate for candidate in self._reader.read(hits)[0]}
        found = []
        for row, passage in zip(rows.tolist(), passages.tolist(), strict=True):
            candidate = by_id[corpus.passage_ids[passage]]
            sentence = candidate.passage.sentences[row - int(corpus.sentence_starts[passage])]
            says = is_statement(candidate.passage.text[sentence.start : sentence.end])
            probability = _SHARED if says and counts[row] <= _CROWDED else _LISTED
            found.append(_Shared(candidate, sentence, probability))
        return sorted(found, key=lambda each: -each.probability)[:_SENTENCES]

    def _sentences_of(self, rows: Sequence[int]) -> NDArray[np.int64]:
        """Return rows of the sentences that name one of these entities, ascending."""
        corpus = self._view.corpus
        places = np.flatnonzero(np.isin(corpus.named_entities, rows))
        return np.unique(np.searchsorted(corpus.named_starts, places, side="right") - 1)

    def _strongest_facts(self, row: int) -> list[PathStep]:
        """Return the strongest facts of an entity that passages here state."""
        corpus = self._view.corpus
        found = (
            replace(fact, triples=tuple(t for t in fact.triples if t.passage_id in corpus.passage_ids))
            for fact in self._store.facts.of_entity(corpus.entity_ids[row], 5 * _ALONE)
        )
        return [as_step(fact) for fact in found if fact.triples][:_ALONE]


def _probability(path: FactPath) -> float:
    """Return the probability that a path is what was asked for."""
    return _DIRECT if len(path.steps) == 1 else min(_SHARED, _ONWARD * math.sqrt(path.worth))


def _with_relation(
    answer: Answer,
    asked: RelationQuestion,
    paths: Sequence[FactPath],
    shared: Sequence[_Shared],
    candidates: Sequence[Candidate],
    config: AnswerConfig,
) -> Answer:
    """Return the answer in words, its sentences and their places: the likeliest path or sentence first."""
    by_id = {candidate.passage.id: candidate for candidate in candidates}
    of_paths = [[cite_step(by_id[step.passage_id], step) for step in path.steps] for path in paths]
    of_both = [cite(by_id[each.candidate.passage.id], each.sentence) for each in shared]
    best = max(map(_probability, paths), default=0.0)
    is_sentence = bool(shared) and shared[0].probability > best
    ordered = (
        [*of_both, *itertools.chain(*of_paths)] if is_sentence else [*itertools.chain(*of_paths), *of_both]
    )
    citations = list({(each.document_id, each.start): each for each in ordered}.values())
    confidence = max(best, *(each.probability for each in shared)) if shared else best
    claims = tuple(
        Claim(each.quote, Verdict.SUPPORTED, (at,), tr("quoted from the passage"))
        for at, each in enumerate(citations)
    )
    return replace(
        answer,
        text=" ".join(citations[0].quote.split()) if is_sentence else _line(asked, paths),
        sentences=tuple(each.quote for each in citations),
        citations=tuple(citations),
        claims=claims,
        confidence=confidence,
        guess=confidence < config.sure,
        missing=_INFERRED if confidence < config.sure else "",
        paths=tuple(paths),
    )


def _line(asked: RelationQuestion, paths: Sequence[FactPath]) -> str:
    """Return the likeliest path in words, behind who stands between where that is asked for."""
    chain = path_words(paths[0])
    if not asked.asks_between:
        return chain
    names = dict.fromkeys(_name_in(path, path.entity_ids[1]) for path in paths if len(path.steps) == 2)
    return tr("{names}: {chain}", names=both(list(names)), chain=chain) if names else chain


def path_words(path: FactPath) -> str:
    """Return a path in words, a clause for each fact as it is told."""
    return "; ".join(map(_fact_words, path.steps))


def _name_in(path: FactPath, entity_id: str) -> str:
    ends = ((step.subject_id, step.subject, step.object_id, step.object) for step in path.steps)
    return next(s if sid == entity_id else o for sid, s, oid, o in ends if entity_id in (sid, oid))


def _sentence_in(
    candidate: Candidate, steps: Sequence[PathStep], shared: Sequence[_Shared]
) -> Sentence | None:
    """Return the sentence of a passage that is displayed for it."""
    of_steps = (
        sentence_at(candidate, step.start, step.end)
        for step in steps
        if step.passage_id == candidate.passage.id
    )
    of_both = (each.sentence for each in shared if each.candidate.passage.id == candidate.passage.id)
    return next(itertools.chain(of_steps, of_both), None)


def _in_words(paths: Sequence[FactPath], shared: Sequence[_Shared]) -> str:
    return tr(
        "{paths}, {sentences}",
        paths=trn("{count} path of facts", "{count} paths of facts", len(paths)),
        sentences=trn("{count} sentence of both", "{count} sentences of both", len(shared)),
    )


def _gap(named: Sequence[str], facts: Sequence[Sequence[PathStep]]) -> str:
    """Return that nothing joins the names, and what is known of each."""
    names = both(named)
    missing = tr(
        "No sentence names {names} together, and no path of at most {count} facts joins them.",
        names=names,
        count=LONGEST,
    )
    known = [
        tr(
            "Of {name} the documents say: {facts}.",
            name=name,
            facts="; ".join(map(_fact_words, of_name)),
        )
        for name, of_name in zip(named, facts, strict=True)
        if of_name
    ]
    return " ".join([missing, *known])


def _fact_words(step: PathStep) -> str:
    return f"{step.subject} {step.predicate} {step.object}"
