"""Answers to what asks how names are related: the paths of facts between them, and sentences that name both.

A2RAG III-C.2 (bridges between the names of a question) and triple-layer GraphRAG 4.5.2 (chains of facts), taken as the
answer itself: the sentences that the facts were read from are its evidence.
"""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Container, Iterable, Sequence, Set
from dataclasses import dataclass, replace
from enum import Enum
from itertools import pairwise

import numpy as np

from core.answering.candidates import Candidate, as_evidence, cite, cite_step, sentence_at
from core.answering.missing_terms import in_english
from core.answering.passage_reader import PassageReader
from core.answering.rankings import Rankings
from core.answering.writers import Request
from core.config import AnswerConfig
from core.extraction.question import ParsedQuestion, QuestionType, Token
from core.progress import TaskContext
from core.retrieval.query import Query
from core.retrieval.ranking import by_rank
from core.retrieval.relation_search import CROWDED, LONGEST, NameMatch, RelationSearch, may_be_two
from core.retrieval.view import SnapshotView
from core.text.statements import is_statement
from core.text.stems import is_misspelled, stem
from core.text.translation import both, join_words, mark, tr, trn
from core.types import (
    Alternative,
    Answer,
    Claim,
    FactPath,
    PathStep,
    Sentence,
    Stage,
    Trace,
    Verdict,
    Way,
)

_SENTENCES = 2  # that name both, beside those of the paths
_FACT = 0.8  # probability that a fact between both is what is asked for
_SENTENCE, _LIST = 0.7, 0.35  # the same of a sentence that relates both, and of a list or two sentences
_CHAIN, _MOST = 1.5, 0.65  # the same of a path past others: times the square root of its worth, and at most
_FEWEST = 0.2  # probability below which a path tells nothing
_KNOWN = 2  # names, and facts of each, that a refusal tells
_LISTING = frozenset(("as", "including", "include", "like"))
_ASKING = (QuestionType.WHO, QuestionType.WHICH, QuestionType.WHAT)
_ELSEWHERE = (QuestionType.WHEN, QuestionType.WHERE, QuestionType.HOW_MANY)
_TIES = frozenset(
    "relation relationship connection link tie association dealing involvement connect tie relate associate "
    "involve know acquaint chain path".split()
)
_BETWEEN = _TIES | {"stand", "lie", "come"}
_DEALS = frozenset("deal stand lie come do get bring contact belong join".split())
_PHRASES = (
    "to do with",
    "in common",
    "between them",
    "come into",
    "in relation to",
    "together",
    "to each other",
    "in contact",
    "what joins",
)
# What narrows nothing beside these.
_PLAIN = frozenset(
    "between other common else anything something kind nature type sort way exact exactly exist both any each "
    "what who which how person people company firm one name describe explain show tell give find together "
    "way have relative lead hang run show me please like want understand".split()
)
_INFERRED = tr("No sentence says how they are related: it follows from several.")
_CONNECTORS = frozenset("and with to the of a an what who is are was were vs versus how".split())
_JOINTS = frozenset(("and", "with", "to", "of", "vs", "versus", "&", ",", "-", "–", "—", "/"))
_OPEN = frozenset(("NOUN", "VERB", "ADJ", "NUM", "PROPN", "ADV"))


class RelationKind(Enum):
    """What is asked of names: how they are connected, or who or what stands between them."""

    CONNECTION = "connection"
    BETWEEN = "between"


def relation_kind(question: ParsedQuestion) -> RelationKind | None:
    """Return what a question asks of how its names are related; None where it asks for something else."""
    if not question.names or question.type in _ELSEWHERE:
        return None
    inside = {at for name in question.names for at in range(name.first, name.last)}
    words = [token for at, token in enumerate(question.tokens) if at not in inside]
    lemmas, text = {token.lemma for token in words}, " ".join(token.text.lower() for token in words)
    kind = RelationKind.BETWEEN if _asks_between(question, lemmas) else RelationKind.CONNECTION
    has_phrase = kind is RelationKind.BETWEEN or any(phrase in text for phrase in _PHRASES)
    allowed = _PLAIN | _TIES | (_DEALS if has_phrase else frozenset())
    if kind is RelationKind.BETWEEN:
        allowed |= {question.focus}  # "Which company stands between"
    others = {t.lemma for at, t in enumerate(question.tokens) if _narrows(at, inside, question)} - allowed
    if others and not (in_english(question) and all(is_misspelled(lemma, allowed) for lemma in others)):
        return None
    has_cue = has_phrase or bool(lemmas & _TIES) and "about" not in lemmas
    return kind if has_cue or _has_names_alone(question, words) else None


def _asks_between(question: ParsedQuestion, lemmas: Set[str]) -> bool:
    """Whether who or what stands between names is asked for."""
    if question.type not in _ASKING or "deal" in lemmas:
        return question.type in _ASKING
    if {"link", "connect", "tie"} & lemmas and question.type is not QuestionType.WHAT:
        return True
    return bool({"both", "between"} & lemmas and _BETWEEN & lemmas) and "be" not in lemmas


def _has_names_alone(question: ParsedQuestion, words: Sequence[Token]) -> bool:
    """Whether a question is names and what joins them: "X and Y?", "Who is X to Y?"; `words` stand outside of names."""
    texts = {token.text.lower() for token in words}
    letters = {text for text in texts if text[:1].isalpha()}
    if letters - _CONNECTORS or question.type in _ASKING and "to" not in texts:
        return False
    return may_be_two(question.names) and (len(question.names) < 2 or bool(texts & _JOINTS))


def _narrows(at: int, inside: Container[int], question: ParsedQuestion) -> bool:
    """Whether a word outside of names says more; a noun at a name is a part of it: "the Big Red laser", "the coaster
    Lady Beatriz"; so is a thing that is listed with names: "A, B and the postponed inspection"."""
    token, tokens = question.tokens[at], question.tokens
    if at in inside or token.pos not in _OPEN:
        return False
    head = at if token.dep == "conj" else token.head
    if tokens[head].dep == "conj" and tokens[head].head in inside:
        return False
    return token.pos != "NOUN" or not (at - 1 in inside or at + 1 in inside)


def relates(sentence: ParsedQuestion, names: Sequence[str]) -> bool:
    """Whether a verb or a preposition stands between two of the names: else they are members of a list.

    By another name of theirs than these the sentence may speak of both: then nothing shows that it does not.
    """
    text = sentence.text.casefold()
    places = sorted((at, at + len(name)) for name in names if (at := text.find(name.casefold())) >= 0)
    return len(places) < 2 or any(
        token.pos in ("VERB", "AUX", "ADP") and token.text.lower() not in _LISTING
        for (_, first), (last, _) in pairwise(places)
        for token in sentence.tokens
        if first <= token.start and token.end <= last
    )


@dataclass(frozen=True, slots=True)
class _Common:
    """A sentence that names both, or two near each other, and the probability that they tell how they are related."""

    candidate: Candidate
    sentences: tuple[Sentence, ...]
    probability: float


class RelationAnswers:
    """Over one snapshot of a workspace."""

    def __init__(
        self,
        view: SnapshotView,
        rankings: Rankings,
        reader: PassageReader,
        search: RelationSearch,
        config: AnswerConfig,
    ) -> None:
        self._corpus = view.corpus
        self._rankings = rankings
        self._reader = reader
        self._search = search
        self._config = config

    def answer(self, request: Request, context: TaskContext) -> Answer | None:
        """Return what joins the names whose relation the question asks for, or that nothing does.

        None where it asks for something else or names what no entity bears, and where a person chose a route. Raises
        Cancelled.
        """
        kind = None if request.route else relation_kind(request.question)
        if kind is None:
            return None
        begin, query = time.perf_counter(), request.query
        matches = self._search.match_names(request.question.names, query, context)
        if not matches:
            return None
        paths = self._search.find_paths(matches, context)
        onward = [path for path in paths if len(path.steps) > 1 and _probability(path) >= _FEWEST]
        is_between = kind is RelationKind.BETWEEN and bool(onward)
        paths, common = (onward, []) if is_between else (paths, self._find_common_sentences(matches, query))
        likeliest = max([*map(_probability, paths), *(each.probability for each in common)], default=0.0)
        paths = [path for path in paths if _probability(path) >= max(_FEWEST, likeliest / 2)]
        common = [each for each in common if each.probability >= likeliest / 2]
        facts = (
            []
            if paths or common
            else [self._facts_near(each.rows[0], query) if each.rows else [] for each in matches]
        )
        steps = [step for path in paths for step in path.steps] + list(itertools.chain(*facts))
        ids = dict.fromkeys(
            [step.passage_id for step in steps] + [each.candidate.passage.id for each in common]
        )
        hits = by_rank(ids)
        reason = tr("asks how {names} are related", names=both([match.text for match in matches]))
        route, stages = self._rankings.choose_route(query.text, way=Way.RELATION, reason=reason)
        candidates, read = self._reader.read(hits)
        stage = Stage(mark("relation"), time.perf_counter() - begin, _in_words(paths, common))
        answer = Answer(
            "",
            (),
            (),
            tuple(as_evidence(candidate, _sentence_in(candidate, steps, common)) for candidate in candidates),
            Trace(query.text, route, (*stages, stage, read), (), {}, hits, 0.0),
        )
        if paths or common:
            answer = _with_relation(answer, kind, paths, common, candidates, self._config)
        else:
            answer = replace(answer, abstained=True, missing=_gap([match.text for match in matches], facts))
        return self._reader.complete(query, answer, candidates)

    def _find_common_sentences(self, matches: Sequence[NameMatch], query: Query) -> list[_Common]:
        """Return the sentences that name two of them and say most of them."""
        found = []
        for each in self._search.find_common_sentences(matches):
            read = self._reader.read_sentences(self._corpus, np.array(each.rows))
            sentences = tuple(sentence for _, sentence in read)
            text = read[0][0].passage.text[sentences[0].start : sentences[0].end]
            states = len(sentences) == 1 and each.names <= CROWDED and is_statement(text)
            if states and not relates(query.parse(text), [match.text for match in matches]):
                states = False
            found.append(_Common(read[0][0], sentences, _SENTENCE if states else _LIST))
            if sum(one.probability == _SENTENCE for one in found) == _SENTENCES:
                break
        return sorted(found, key=lambda each: -each.probability)[:_SENTENCES]

    def nearest_facts(self, query: Query) -> str:
        """Return in words what the graph knows of whom a question names, beside what it asks for; "" for nothing."""
        rows = {text: row for row, text in list(query.entities.items())[:_KNOWN]}
        return _known(rows, [self._facts_near(row, query) for row in rows.values()])

    def _facts_near(self, row: int, query: Query) -> list[PathStep]:
        asked_stems = {stem(lemma) for lemma in query.parsed.content}
        return self._search.nearest_facts(row, asked_stems, _KNOWN)


def _probability(path: FactPath) -> float:
    """Return the probability that a path is what was asked for."""
    return _FACT if len(path.steps) == 1 else min(_MOST, _CHAIN * math.sqrt(path.worth))


def _with_relation(
    answer: Answer,
    kind: RelationKind,
    paths: Sequence[FactPath],
    common: Sequence[_Common],
    candidates: Sequence[Candidate],
    config: AnswerConfig,
) -> Answer:
    """Return the answer in words, its sentences and their places: the likeliest path or sentence first."""
    by_id = {candidate.passage.id: candidate for candidate in candidates}
    of_paths = [[cite_step(by_id[step.passage_id], step) for step in path.steps] for path in paths]
    of_both = [
        cite(by_id[each.candidate.passage.id], sentence) for each in common for sentence in each.sentences
    ]
    best = max(map(_probability, paths), default=0.0)
    is_sentence = bool(common) and common[0].probability > best
    ordered = of_both if is_sentence else [*of_paths[0], *of_both]
    citations = list({(each.document_id, each.start): each for each in ordered}.values())
    confidence = common[0].probability if is_sentence else best
    others = [
        Alternative(path.words, _probability(path), cited[0])
        for path, cited in zip(paths, of_paths, strict=True)
    ]
    claims = tuple(
        Claim(each.quote, Verdict.SUPPORTED, (at,), tr("quoted from the passage"))
        for at, each in enumerate(citations)
    )
    return replace(
        answer,
        text=" ".join(citations[0].quote.split()) if is_sentence else _line(kind, paths),
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


def _line(kind: RelationKind, paths: Sequence[FactPath]) -> str:
    """Return the likeliest path in words, behind who stands between where that is asked for."""
    chain = paths[0].words
    if kind is not RelationKind.BETWEEN:
        return chain
    likely = [path for path in paths if len(path.steps) == 2 and path.worth >= paths[0].worth / 2]
    names = dict.fromkeys(_name_in(path, path.entity_ids[1]) for path in likely)
    return tr("{names}: {chain}", names=join_words(list(names)), chain=chain) if names else chain


def _name_in(path: FactPath, entity_id: str) -> str:
    ends = ((step.subject_id, step.subject, step.object_id, step.object) for step in path.steps)
    return next(s if sid == entity_id else o for sid, s, oid, o in ends if entity_id in (sid, oid))


def _sentence_in(
    candidate: Candidate, steps: Sequence[PathStep], common: Sequence[_Common]
) -> Sentence | None:
    """Return the sentence of a passage that is displayed for it."""
    of_steps = (
        sentence_at(candidate, step.start, step.end)
        for step in steps
        if step.passage_id == candidate.passage.id
    )
    of_both = (each.sentences[0] for each in common if each.candidate.passage.id == candidate.passage.id)
    return next(itertools.chain(of_steps, of_both), None)


def _in_words(paths: Sequence[FactPath], common: Sequence[_Common]) -> str:
    return tr(
        "{paths}, {sentences}",
        paths=trn("{count} path of facts", "{count} paths of facts", len(paths)),
        sentences=trn("{count} sentence of both", "{count} sentences of both", len(common)),
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
        tr("Of {name} the documents say: {facts}.", name=name, facts="; ".join(step.words for step in steps))
        for name, steps in zip(named, facts, strict=True)
        if steps
    )
