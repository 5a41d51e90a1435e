"""Answers to what asks for a numbered part of a document: the part itself, or that there is none of that number."""

from __future__ import annotations

import re
import time
from collections import OrderedDict
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from core.answering.candidates import Candidate, cite
from core.answering.extractive import ExtractiveGenerator, apply_thresholds, asks_how_or_why
from core.answering.passage_reader import PassageReader
from core.answering.rankings import Rankings
from core.answering.validators import claims_of_quotes
from core.answering.writers import QUOTING, Request
from core.config import AnswerConfig
from core.extraction.question import ParsedQuestion, QuestionType
from core.index.lexical import either, phrase, quoted, searched_words
from core.progress import TaskContext
from core.store.passages import PassageFilter, StoredPassage
from core.store.store import Store
from core.text.numbering import (
    LABELLED,
    Reference,
    Unit,
    could_be,
    han_numeral,
    numbered_units,
    rank,
    references,
    stem_of,
    stems_of,
    words_of,
)
from core.text.translation import mark, tr
from core.types import (
    Answer,
    Citation,
    Document,
    Evidence,
    Hit,
    Retrieval,
    Route,
    Sentence,
    Stage,
    Trace,
    Way,
)

SURE, UNSURE = 0.9, 0.5  # confidence where one part is meant, and where parts of several documents may be
# What asks for something within a part rather than for the part.
_SPECIFIC = frozenset(
    {QuestionType.WHO, QuestionType.WHEN, QuestionType.WHERE, QuestionType.HOW_MANY, QuestionType.YES_NO}
)
_LOOKED_AT = 200  # passages that each search finds
_DOCUMENTS = 30  # whose numbers are read for one question
_CHARACTERS = 5_000_000  # of these
_REMEMBERED = 8  # documents whose numbers stay known
_LOCATIVE = re.compile(r"\b(?:in|at|on|near|into|outside|inside)\s+(?:the\s+)?$", re.IGNORECASE)
_LEAST_DOCUMENTS = 2  # documents that speak of a thing
_EQUAL = 30  # parts that may be meant as surely as each other
_PARTS = 3  # parts of as many documents
_SENTENCES = 20  # of a part that are quoted; a longer one is read as other text is
_PASSAGES = 5  # of a part that all stand on top
# What stands between the number of a part and what its document is called, then that.
_OF = re.compile(
    r"\s*,?\s(?:of|in|under|from|des|der|vom|von|im|aus|de|du|del|della|dell['’]|di|da|do|dos|van|av|af|i)\b['’]?\s?"
    r"((?:[^\s,;.?!]+\s?){1,8})",
    re.IGNORECASE,
)
_CAPITAL = re.compile(r"(?<=\w\W)[^\W\d_a-zß-öø-ÿ][^\W\d_]{2,}")  # not at the beginning
_WORDS = re.compile(r"\w+")
_ROMAN = ((100, "C"), (90, "XC"), (50, "L"), (40, "XL"), (10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I"))


@dataclass(frozen=True, slots=True)
class Clause:
    """A numbered part of a document, with the passages that it stands in."""

    document: Document
    unit: Unit
    passages: tuple[StoredPassage, ...]
    is_named: bool = (
        True  # whether the question says what counts it: the word before the number, or the document
    )


@dataclass(frozen=True, slots=True)
class FoundClauses:
    """What a question refers to: `clauses`, the likeliest first, or in words that there is none of that number."""

    clauses: tuple[Clause, ...]
    missing: str
    stage: Stage
    is_ambiguous: bool = False  # one number of the question stands for several parts

    @property
    def confidence(self) -> float:
        documents = {clause.document.id for clause in self.clauses}
        return SURE if len(documents) == 1 and not self.is_ambiguous else UNSURE


@dataclass(frozen=True, slots=True)
class _Numbered:
    """A document with its numbered parts; `named` counts the words of the question in what it is called."""

    document: Document
    units: Sequence[Unit]
    about: frozenset[str]
    named: int


class ClauseAnswers:
    """Over one snapshot of a workspace. Nothing is stored: a question that has a number reads the documents with it."""

    def __init__(
        self,
        store: Store,
        rankings: Rankings,
        reader: PassageReader,
        generator: ExtractiveGenerator,
        config: AnswerConfig,
        inside: PassageFilter | None = None,
        passages: Set[str] | None = None,
    ) -> None:
        """Of those parts alone that `passages`, by id, hold in full; None for all. `generator` quotes."""
        self._store = store
        self._rankings = rankings
        self._reader = reader
        self._generator = generator
        self._config = config
        self._inside = inside
        self._passages = passages
        self._units: OrderedDict[str, list[Unit]] = OrderedDict()

    def answer(self, request: Request, context: TaskContext) -> Answer | None:
        """Return what the parts say that the question names by their numbers: words in them, else the parts.

        None where it names none, and where a person chose a route or a language model.
        """
        question = request.question
        if request.route or request.generator != QUOTING or (found := self.find(question.text)) is None:
            return None
        vector = request.query.vector
        reason = tr("names a numbered part of a document")
        route, stages = self._rankings.choose_route(question.text, way=Way.PART, reason=reason)
        hits = clause_hits(found.clauses)
        candidates, read = self._reader.read(hits)
        retrieval = Retrieval(hits, (*stages, found.stage, read))
        answer = answer_from_clauses(
            question, vector, found, retrieval, route, candidates, self._generator, self._config, context
        )
        if answer is None or not candidates:
            return answer
        evidence = tuple(Evidence(c.hit, c.passage, c.document) for c in candidates)
        evidence, why = self._reader.explain(question, vector, retrieval, evidence, candidates)
        trace = replace(answer.trace, hits=hits, stages=(*answer.trace.stages, why))
        return self._reader.with_places(replace(answer, evidence=evidence[: request.k], trace=trace))

    def find(self, question: str) -> FoundClauses | None:
        """None where the question refers to nothing that has a number in a document."""
        begin = time.perf_counter()
        named = [
            each
            for each in references(question)
            if each.is_general or not self._is_named_place(question, each)
        ]
        if not named:
            return None
        found: list[Clause] = []
        missing = ""
        ambiguous = False
        for reference in named:
            words = question[: named[0].start] + " " + question[named[-1].end :]
            documents = _of_document(
                question[named[-1].end :], list(self._documents(words, reference)), reference
            )
            own = self._matching(reference, documents, stems_of(words))
            found += own
            ambiguous |= len(own) > 1
            ambiguous |= not all(clause.is_named and self._holds(clause.document, words) for clause in own)
            missing = missing or (
                "" if own else _missing(question[reference.start : reference.end], reference, documents)
            )
        if not found and not missing:
            return None
        detail = tr(", ").join(dict.fromkeys(clause.document.path for clause in found)) or missing
        stage = Stage(mark("clause"), time.perf_counter() - begin, detail)
        return FoundClauses(tuple(found), missing, stage, ambiguous)

    def _is_named_place(self, question: str, reference: Reference) -> bool:
        """Return whether several documents speak of it within their sentences: "in Unit 4" is a place, no part."""
        if not _LOCATIVE.search(question[: reference.start]):
            return False  # "What does Resolution 7 say?"
        called = question[reference.start : reference.end]
        within = re.compile(rf"(?<=[a-z,] )(?i:{re.escape(called)})(?![\w]|\.\d)")
        found = self._store.passages.search(phrase(called), _LOOKED_AT, self._inside)
        stored = self._store.passages.by_keys([key for key, _ in found])
        documents = {each.passage.document_id for each in stored if within.search(each.passage.text)}
        return len(documents) >= _LEAST_DOCUMENTS

    def promoted(self, question: str, found: Retrieval) -> Retrieval:
        """With the passages of the parts that the question names on top."""
        clauses = self.find(question)
        if clauses is None or not clauses.clauses:
            return found
        hits = clause_hits(clauses.clauses, found.hits)[: max(len(found.hits), 1)]
        return replace(found, hits=hits, stages=(*found.stages, clauses.stage))

    def _matching(
        self, reference: Reference, documents: Sequence[_Numbered], asked: frozenset[str]
    ) -> list[Clause]:
        """The best of the document that the question names, under the heading that it names; of none, of each where it
        stands as surely."""
        ranked = [
            ((each.named, len(asked & stems_of(unit.heading) - each.about), sure), each, unit)
            for each in documents
            for unit in each.units
            if (sure := rank(reference, unit, each.about))
        ]
        best = max((score for score, _, _ in ranked), default=None)
        equal = [(each.document, unit) for score, each, unit in ranked if score == best][:_EQUAL]
        named = best is not None and (any(best[:2]) or best[2] >= LABELLED)
        found: list[Clause] = []
        for at, (document, unit) in enumerate(equal):
            if len(found) < _PARTS and not self._is_repeated(document, unit, equal[at + 1 :]):
                passages = self._passages_of(document, unit)
                if passages:
                    found.append(Clause(document, unit, passages, named))
        return found

    def _holds(self, document: Document, words: str) -> bool:
        """Whether every name among the words of the question stands in the document or in what it is called."""
        names = [name[: max(4, len(name) - 2)] for name in _CAPITAL.findall(words)]
        if not names:
            return True
        text = f"{document.title} {document.path} {self._store.documents.text(document.id)}".casefold()
        return all(name.casefold() in text for name in names)

    def _is_repeated(self, document: Document, unit: Unit, later: Sequence[tuple[Document, Unit]]) -> bool:
        """Whether the document says it again: a part of the same words further down, or what a table of contents
        names."""
        own = [other for each, other in later if each.id == document.id]
        if not own:
            return False
        text = self._store.documents.text(document.id)
        words = _WORDS.findall(text[unit.start : unit.end])
        while words and words[-1].isdigit():  # the page
            words.pop()
        return any(_WORDS.findall(text[other.start : other.end])[: len(words)] == words for other in own)

    def _passages_of(self, document: Document, unit: Unit) -> tuple[StoredPassage, ...]:
        """None where some are not to be shown."""
        of_document = self._store.passages.of_document(document.id)
        stored = tuple(s for s in of_document if s.passage.start < unit.end and unit.start < s.passage.end)
        is_visible = self._passages is None or all(s.passage.id in self._passages for s in stored)
        return stored if is_visible else ()

    def _documents(self, words: str, reference: Reference) -> Iterator[_Numbered]:
        """Those that hold the number, or are called as the question says, the best called first."""
        number = either(list(map(quoted, _forms(reference.path[0]))) + _in_han(reference.path[0]))
        sought = searched_words(words)
        called = either([quoted(word) for word in [*sought, reference.noun] if word.isalnum()])
        queries = [
            f"({number}) AND ({called})" if called else "",
            number,
            f"title : ({called})" if called else "",
        ]
        keys: dict[int, None] = {}
        for query in filter(None, queries):
            keys |= dict.fromkeys(
                key for key, _ in self._store.passages.search(query, _LOOKED_AT, self._inside)
            )
        ids = dict.fromkeys(s.passage.document_id for s in self._store.passages.by_keys(list(keys)))
        asked = {stem_of(word) for word in [*sought, reference.noun] if len(word) > 2}
        documents = []
        for document in map(self._store.documents.get, ids):
            name = f"{document.title} {document.path}"
            about = stems_of(name)
            # "Resolution 7" is one of the Resolutions, but "version 3" is no part of what is called a version.
            if not reference.is_general and reference.noun in words_of(name):
                about -= {stem_of(reference.noun)}
            documents.append((-len(asked & about), document, about))
        documents.sort(key=lambda each: each[0])
        read = 0
        for named, document, about in documents[:_DOCUMENTS]:
            units, size = self._numbers(document.id, _CHARACTERS - read)
            read += size
            if units:
                yield _Numbered(document, units, about, -named)

    def _numbers(self, document_id: str, most: int) -> tuple[list[Unit], int]:
        """The numbered parts of a document, and how many characters were read; none where it has more than `most`."""
        if document_id in self._units:
            self._units.move_to_end(document_id)
            return self._units[document_id], 0
        text = self._store.documents.text(document_id)
        if len(text) > most:
            return [], 0
        units = numbered_units(text, self._store.documents.blocks(document_id, 0, len(text)))
        self._units[document_id] = units
        while len(self._units) > _REMEMBERED:
            self._units.popitem(last=False)
        return units, len(text)


def clause_hits(clauses: Sequence[Clause], hits: Sequence[Hit] = ()) -> tuple[Hit, ...]:
    """The passages of the clauses before all others; of long ones those that are among the hits."""
    known = {hit.passage_id: hit.score for hit in hits}
    own = [stored.passage.id for clause in clauses for stored in clause.passages]
    if len(own) > _PASSAGES and known.keys() & set(own):
        within = set(own)
        own = [id for id in known if id in within]
    ids = dict.fromkeys([*own, *known])
    best = max(known.values(), default=1.0)
    return tuple(
        Hit(id, best if rank <= len(own) else known[id], rank) for rank, id in enumerate(ids, start=1)
    )


def cut_to_clauses(clauses: Sequence[Clause], candidates: Sequence[Candidate]) -> list[Candidate]:
    """Candidates of which nothing is left but what lies in the clauses, so that no neighbour answers."""
    return [
        cut
        for clause in clauses
        for candidate in candidates
        if candidate.passage.document_id == clause.document.id
        and (cut := _cut(candidate, clause.unit.start, clause.unit.end)) is not None
    ]


def _cut(candidate: Candidate, start: int, end: int) -> Candidate | None:
    """The part of a candidate from `start` to `end` of its document; None where no sentence lies there."""
    passage = candidate.passage
    first = max(0, start - passage.start)
    last = min(len(passage.text), end - passage.start)
    rows = [at for at, s in enumerate(passage.sentences) if max(s.start, first) < min(s.end, last)]
    if not rows:
        return None

    def moved(at: int) -> int:
        return min(max(at, first), last) - first

    sentences = tuple(
        Sentence(moved(passage.sentences[at].start), moved(passage.sentences[at].end)) for at in rows
    )
    blocks = (
        replace(block, start=moved(block.start), end=moved(block.end))
        for block in passage.blocks
        if block.start < last and first < block.end
    )
    mentions = (
        replace(mention, start=mention.start - first, end=mention.end - first)
        for mention in candidate.mentions
        if first <= mention.start and mention.end <= last
    )
    cut = replace(
        passage,
        text=passage.text[first:last],
        start=passage.start + first,
        end=passage.start + last,
        sentences=sentences,
        blocks=tuple(blocks),
    )
    return replace(candidate, passage=cut, vectors=candidate.vectors[rows], mentions=tuple(mentions))


def clause_citations(cut: Sequence[Candidate]) -> list[Citation]:
    """The sentences of cut candidates, none twice; a number by itself stands with the sentence that follows it.

    None where they are too many to be an answer.
    """
    found: dict[tuple[str, int], Citation] = {}
    for candidate in cut:
        begin: int | None = None
        for sentence in candidate.passage.sentences:
            start = sentence.start if begin is None else begin
            text = candidate.passage.text[start : sentence.end]
            begin = start if not any(character.isalpha() for character in text) else None
            if begin is None:
                citation = cite(candidate, Sentence(start, sentence.end))
                found.setdefault((citation.document_id, citation.end), citation)
    return list(found.values()) if len(found) <= _SENTENCES else []


def answer_from_clauses(
    question: ParsedQuestion,
    vector: NDArray[np.float32],
    found: FoundClauses,
    retrieval: Retrieval,
    route: Route,
    candidates: Sequence[Candidate],
    generator: ExtractiveGenerator,
    config: AnswerConfig,
    context: TaskContext,
) -> Answer | None:
    """What the parts tell: words in them, else they themselves; None where they are too long to be quoted."""
    trace = Trace(question.text, route, retrieval.stages, (), {}, retrieval.hits, 0.0)
    if not found.clauses:
        return Answer("", (), (), (), trace, abstained=True, missing=found.missing)
    cut = cut_to_clauses(found.clauses, candidates)
    if question.type in _SPECIFIC or asks_how_or_why(question):
        answer = generator.answer(question, vector, retrieval, route, cut, context)
        answer = apply_thresholds(answer, config)
        if not (answer.abstained or answer.guess):
            return replace(answer, claims=claims_of_quotes(answer, cut))
    if not (citations := clause_citations(cut)):
        return None
    quotes = tuple(citation.quote for citation in citations)
    answer = Answer(" ".join(" ".join(quotes).split()), quotes, tuple(citations), (), trace)
    # Others than English ones are read as if they asked for yes or no.
    specific = question.type in _SPECIFIC - {QuestionType.YES_NO} or asks_how_or_why(question)
    sure = UNSURE if specific else found.confidence
    return apply_thresholds(replace(answer, confidence=sure, claims=claims_of_quotes(answer, cut)), config)


def _of_document(following: str, documents: Sequence[_Numbered], reference: Reference) -> Sequence[_Numbered]:
    """Of "clause 3 of the charter" those that are called so and count clauses; all where the question names none."""
    if (found := _OF.match(following)) is None:
        return documents
    asked = stems_of(" ".join(searched_words(found[1])))
    asked |= {word for word in words_of(found[1]) if not word.isascii()}  # signs, of which pairs are searched
    named = [
        (len(asked & each.about), each)
        for each in documents
        if asked & each.about and any(could_be(reference, unit, each.about) for unit in each.units)
    ]
    most = max((count for count, _ in named), default=0)
    return [each for count, each in named if count == most] or documents


def _missing(words: str, reference: Reference, documents: Sequence[_Numbered]) -> str:
    """That the document which the question names counts such parts, and has none of this number; "" where none does."""
    if not reference.is_general:
        return ""
    for each in sorted(documents, key=lambda each: -each.named):
        counted = [unit for unit in each.units if could_be(reference, unit, each.about)]
        numbers = list(dict.fromkeys(unit.path[0] for unit in counted if len(unit.path) == 1))
        if each.named and len(numbers) > 1:
            return tr(
                "{document} has no {reference}; its numbers are {first} to {last}.",
                document=each.document.title,
                reference=words,
                first=numbers[0],
                last=numbers[-1],
            )
    return ""


def _forms(number: str) -> list[str]:
    """A number as it may be written: "4", "IV"."""
    forms = [number]
    if number.isdigit() and 0 < int(number) < 100:
        value, roman = int(number), ""
        for size, letters in _ROMAN:
            while value >= size:
                roman, value = roman + letters, value - size
        forms.append(roman)
    return forms


def _in_han(number: str) -> list[str]:
    """The query for a number in Chinese numerals, behind their sign of a place in order; of a number alone."""
    return [phrase(f"第{han_numeral(int(number))}")] if number.isdigit() and 0 < int(number) < 1000 else []
