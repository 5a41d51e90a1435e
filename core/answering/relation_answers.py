"""Answers to what asks how names are related: the paths of facts between them, and sentences that name both.

A2RAG III-C.2 (bridges between the names of a question) and triple-layer GraphRAG 4.5.2 (chains of facts), taken as the
answer itself: the sentences that the facts were read from are its evidence.
"""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass, replace

from core.answering.candidates import Candidate, as_evidence, cite, cite_step, sentence_at
from core.answering.missing_terms import in_english
from core.answering.passage_reader import PassageReader
from core.answering.rankings import Rankings
from core.answering.writers import Request
from core.config import AnswerConfig
from core.extraction.question import ParsedQuestion, QuestionType
from core.progress import TaskContext
from core.retrieval.query import Query
from core.retrieval.relation_search import LONGEST, Bearer, RelationSearch, may_be_two
from core.retrieval.view import SnapshotView
from core.store.store import Store
from core.text.statements import is_statement
from core.text.stems import is_misspelled, stem
from core.text.translation import both, join_words, mark, tr, trn
from core.types import (
    Alternative,
    Answer,
    Claim,
    FactPath,
    Hit,
    PathStep,
    Sentence,
    Stage,
    Trace,
    Verdict,
    Way,
)

_SENTENCES = 2  # that name both, beside those of the paths
_DIRECT = 0.8  # probability of a fact between both
_SHARED, _LISTED = 0.7, 0.35  # the same of a sentence of both, and of a list or two sentences
_ONWARD, _MOST = 1.5, 0.65  # the same of a path past others: times the square root of its worth, and at most
_FEWEST = 0.2  # probability below which a path tells nothing
_CROWDED = 6  # entities of a sentence from which on it is a list that ties nobody
_ALONE = 2  # facts of each name that a refusal tells
_ASKED = (QuestionType.WHO, QuestionType.WHICH, QuestionType.WHAT)
_ELSEWHERE = (QuestionType.WHEN, QuestionType.WHERE, QuestionType.HOW_MANY)
_TIES = frozenset(
    "relation relationship connection link tie association dealing involvement connect tie relate associate "
    "involve know acquaint chain path".split()
)
_BETWEEN = _TIES | {"stand", "lie", "come"}
_DEALS = frozenset("deal stand lie come do get".split())
_PHRASES = ("to do with", "in common", "between them", "come into", "in relation to", "together")
# What narrows nothing beside these.
_PLAIN = frozenset(
    "between other common else anything something kind nature type sort way exact exactly exist both any each "
    "what who which how person people company firm one name describe explain show tell give find together "
    "way have relative lead hang run show me please".split()
)
_INFERRED = tr("No sentence says how they are related: it follows from several.")
_CONNECTORS = frozenset("and with to the of a an what who is are was were vs versus how".split())
_JOINTS = frozenset(("and", "with", "to", "of", "vs", "versus", "&", ",", "-", "–", "—", "/"))
_OPEN = frozenset(("NOUN", "VERB", "ADJ", "NUM", "PROPN", "ADV"))


@dataclass(frozen=True, slots=True)
class RelationQuestion:
    """`asks_between`: who or what stands between the names of the question is asked for."""

    asks_between: bool


def relation_question(question: ParsedQuestion) -> RelationQuestion | None:
    """Return what a question asks of how its names are related; None where it asks for something else."""
    if not question.names or question.type in _ELSEWHERE:
        return None
    inside = {at for name in question.names for at in range(name.first, name.last)}
    words = [token for at, token in enumerate(question.tokens) if at not in inside]
    lemmas, text = {token.lemma for token in words}, " ".join(token.text.lower() for token in words)
    is_asked = question.type in _ASKED
    asks_between = is_asked and (
        "deal" in lemmas
        or bool({"both", "between"} & lemmas and _BETWEEN & lemmas and "be" not in lemmas)
        or bool({"link", "connect", "tie"} & lemmas)
        and question.type is not QuestionType.WHAT
    )
    is_phrase = asks_between or any(phrase in text for phrase in _PHRASES)
    narrowing = {token.lemma for at, token in enumerate(question.tokens) if _narrows(at, inside, question)}
    allowed = _PLAIN | _TIES | (_DEALS if is_phrase else frozenset())
    if asks_between:
        allowed |= {question.focus}
    others = narrowing - allowed
    if others and not (in_english(question) and all(is_misspelled(lemma, allowed) for lemma in others)):
        return None
    texts = {token.text.lower() for token in words if token.text[:1].isalpha()}
    is_bare = texts <= _CONNECTORS and ("to" in texts or not is_asked)  # "X and Y?", "Who is X to Y?"
    is_cued = is_phrase or bool(lemmas & _TIES) and "about" not in lemmas
    joined = len(question.names) < 2 or any(token.text.lower() in _JOINTS for token in words)
    is_bare = is_bare and joined and may_be_two(question.names)
    return RelationQuestion(asks_between) if is_cued or is_bare else None


def _narrows(at: int, inside: Container[int], question: ParsedQuestion) -> bool:
    """Whether a word outside of names says more; a noun behind a name is a part of it: "the Big Red laser"."""
    token = question.tokens[at]
    if at in inside or token.pos not in _OPEN:
        return False
    return token.pos != "NOUN" or at - 1 not in inside


@dataclass(frozen=True, slots=True)
class _Shared:
    """A sentence that names both, or two near each other, and the probability that they tell how they are related."""

    candidate: Candidate
    sentences: tuple[Sentence, ...]
    probability: float


class RelationAnswers:
    """Over one snapshot of a workspace."""

    def __init__(
        self,
        store: Store,
        view: SnapshotView,
        rankings: Rankings,
        reader: PassageReader,
        search: RelationSearch,
        config: AnswerConfig,
    ) -> None:
        self._store = store
        self._view = view
        self._rankings = rankings
        self._reader = reader
        self._search = search
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
        bearers = self._search.bearers(request.question.names, query, context)
        if not bearers:
            return None
        paths = self._search.paths(bearers, context)
        onward = [path for path in paths if len(path.steps) > 1 and _probability(path) >= _FEWEST]
        paths, shared = (onward, []) if asked.asks_between and onward else (paths, self._shared(bearers))
        likeliest = max([*map(_probability, paths), *(each.probability for each in shared)], default=0.0)
        paths = [path for path in paths if _probability(path) >= max(_FEWEST, likeliest / 2)]
        shared = [each for each in shared if each.probability >= likeliest / 2]
        facts = [] if paths or shared else [self._of(b.rows[0], query) if b.rows else [] for b in bearers]
        steps = [step for path in paths for step in path.steps] + list(itertools.chain(*facts))
        ids = dict.fromkeys(
            [step.passage_id for step in steps] + [each.candidate.passage.id for each in shared]
        )
        hits = tuple(Hit(id, 1.0 / rank, rank) for rank, id in enumerate(ids, start=1))
        reason = tr("asks how {names} are related", names=both([bearer.text for bearer in bearers]))
        route, stages = self._rankings.choose_route(query.text, way=Way.RELATION, reason=reason)
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
            answer = replace(answer, abstained=True, missing=_gap([bearer.text for bearer in bearers], facts))
        return self._reader.complete(query, answer, candidates)

    def _shared(self, bearers: Sequence[Bearer]) -> list[_Shared]:
        """Return the sentences that name two of them and say most of them."""
        corpus, found = self._view.corpus, []
        rows = self._search.shared(bearers)
        ids = dict.fromkeys(
            corpus.passage_ids[int(corpus.sentence_passages[each.sentences[0]])] for each in rows
        )
        hits = tuple(Hit(id, 1.0 / rank, rank) for rank, id in enumerate(ids, start=1))
        by_id = {candidate.passage.id: candidate for candidate in self._reader.read(hits)[0]}
        for each in rows:
            passage = int(corpus.sentence_passages[each.sentences[0]])
            candidate, first = by_id[corpus.passage_ids[passage]], int(corpus.sentence_starts[passage])
            sentences = tuple(candidate.passage.sentences[row - first] for row in each.sentences)
            text = candidate.passage.text[sentences[0].start : sentences[0].end]
            says = len(sentences) == 1 and each.names <= _CROWDED and is_statement(text)
            found.append(_Shared(candidate, sentences, _SHARED if says else _LISTED))
        return sorted(found, key=lambda each: -each.probability)[:_SENTENCES]

    def nearest_facts(self, query: Query) -> str:
        """Return in words what the graph knows of whom a question names, beside what it asks for; "" for nothing."""
        rows = {text: row for row, text in list(query.entities.items())[:_ALONE]}
        return _known(rows, [self._of(row, query) for row in rows.values()])

    def _of(self, row: int, query: Query) -> list[PathStep]:
        asked_stems = {stem(lemma) for lemma in query.parsed.content}
        return self._search.nearest_facts(row, asked_stems, _ALONE)


def _probability(path: FactPath) -> float:
    """Return the probability that a path is what was asked for."""
    return _DIRECT if len(path.steps) == 1 else min(_MOST, _ONWARD * math.sqrt(path.worth))


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
    of_both = [
        cite(by_id[each.candidate.passage.id], sentence) for each in shared for sentence in each.sentences
    ]
    best = max(map(_probability, paths), default=0.0)
    is_sentence = bool(shared) and shared[0].probability > best
    ordered = of_both if is_sentence else [*of_paths[0], *of_both]
    citations = list({(each.document_id, each.start): each for each in ordered}.values())
    confidence = shared[0].probability if is_sentence else best
    others = [
        Alternative(path_words(path), _probability(path), cited[0])
        for path, cited in zip(paths, of_paths, strict=True)
    ]
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
        documents=len({each.document_id for each in of_both}) if is_sentence else 0,
        alternatives=tuple(others if is_sentence else others[1:]),
        paths=tuple(paths),
    )


def _line(asked: RelationQuestion, paths: Sequence[FactPath]) -> str:
    """Return the likeliest path in words, behind who stands between where that is asked for."""
    chain = path_words(paths[0])
    if not asked.asks_between:
        return chain
    likely = [path for path in paths if len(path.steps) == 2 and path.worth >= paths[0].worth / 2]
    names = dict.fromkeys(_name_in(path, path.entity_ids[1]) for path in likely)
    return tr("{names}: {chain}", names=join_words(list(names)), chain=chain) if names else chain


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
    of_both = (each.sentences[0] for each in shared if each.candidate.passage.id == candidate.passage.id)
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
    return " ".join((missing, _known(named, facts))).strip()


def _known(named: Iterable[str], facts: Sequence[Sequence[PathStep]]) -> str:
    """Return what is known of each name, in words; "" for nothing."""
    return " ".join(
        tr("Of {name} the documents say: {facts}.", name=name, facts="; ".join(map(_fact_words, steps)))
        for name, steps in zip(named, facts, strict=True)
        if steps
    )


def _fact_words(step: PathStep) -> str:
    return f"{step.subject} {step.predicate} {step.object}"
