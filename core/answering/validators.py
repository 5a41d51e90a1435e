"""Triple-Check by three signals that share nothing. A2RAG III-B, eq. 2 to 5."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import TYPE_CHECKING

from core.answering.candidates import Candidate
from core.answering.claims import BY
from core.answering.comprehension import Comprehension
from core.answering.graph_answers import ALONE
from core.answering.rewriting import innermost
from core.config import ControlConfig
from core.extraction.question import ParsedQuestion, QuestionType
from core.models.reader import PassageRead, ReaderPassage
from core.models.reader_examples import Kind
from core.progress import TaskContext
from core.text.dates import find_dates
from core.text.stems import content_stems, fold, numbers, stem, words
from core.text.translation import both, tr, trn
from core.types import Answer, Claim, Validation, Verdict
from core.types.kinds import VALUES

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_CODE = re.compile(r"[A-Z]{3}|.")  # EUR
_FIELDS = 3  # "Port: Vaduz; Country: ..." that make a row
_ASKING = content_stems("who whom whose what when where which why how many much")
_TIMES = frozenset(("DATE", "TIME"))
_AMOUNTS = VALUES - _TIMES
_TIME = re.compile(
    r"(?<!\d)(?:1\d{3}|20\d{2})(?!\d)|\d{1,2}:\d{2}|\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\b"
    r"|\b(?:january|february|march|april|may|june|july|august|september|october|november|december)\b",
    re.IGNORECASE,
)
_AMOUNT = re.compile(
    r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|hundred|thousand|dozen|none"
    r"|no)\b",
    re.IGNORECASE,
)
# Kinds of bodies that say themselves in their names; a company or an organisation may be called anything.
_BODIES = frozenset(
    "bank foundation university school college hotel hospital museum ministry shipyard newspaper library theatre "
    "airport embassy insurer".split()
)
_OPENING = 5  # characters: what a sentence begins with is what it speaks of, whatever its label
_PRONOUN = re.compile(
    r"\b(?:he|she|they|his|her|him|their|them|i|my|me|we|our|you|your|who|whose)\b", re.IGNORECASE
)
_COMPATIBLE = frozenset("school college university hospital museum library".split())  # one may be of another
_POLAR = frozenset((Kind.YES.value, Kind.NO.value))


def nearness(vector: NDArray[np.float32], candidates: Sequence[Candidate]) -> list[float]:
    """Cosine of a question, a unit vector (d,), with the nearest sentence of each passage; 0 without vectors."""
    return [float((each.vectors @ vector).max(initial=0.0)) for each in candidates]


@dataclass(frozen=True, slots=True)
class Aligned:
    """How much of a question stands where its answer is quoted: the share of its words, 0 to 1, those weighing most
    that few of the passages hold, and the words that do not, as the question writes them."""

    share: float
    lacking: tuple[str, ...]


def aligned(question: ParsedQuestion, answer: Answer, candidates: Sequence[Candidate]) -> Aligned:
    """Of the sentence that holds most; its title counts. Not looked for are words that the answer itself says, and the
    kind of thing that is asked for: of "Which company" the quote gives the name."""
    asked = (content_stems(question.text) | numbers(question.text)) - _ASKING
    wanted = asked - {word.stem for word in words(answer.text)}
    wanted -= {stem(question.focus)}
    stemmed = [_stems(f"{each.passage.title} {each.passage.text}") for each in candidates]
    weights = {
        word: math.log((len(stemmed) + 1) / (sum(word in each for each in stemmed) + 0.5)) for word in wanted
    }
    total = sum(weights.values())
    quotes = [_stems(f"{citation.title} {citation.quote}") for citation in answer.citations]
    best = max(quotes, key=lambda quote: sum(weights[word] for word in wanted & quote), default=frozenset())
    if answer.paths:  # a chain is told by all of its sentences together
        best = frozenset[str]().union(*quotes)
    share = sum(weights[word] for word in wanted & best) / total if total else float(bool(quotes))
    text = question.text
    lacking = (text[word.start : word.end] for word in words(text) if word.stem in wanted - best)
    return Aligned(share, tuple(dict.fromkeys(lacking)))


def find_other_person(question: ParsedQuestion, answer: Answer, candidates: Sequence[Candidate]) -> str:
    """Return the person whom the quotes name in place of the one that is asked about; "" where there is none."""
    asked = [fold(name.text).split() for name in question.names if name.label == "PERSON"]
    if not asked or answer.paths:
        return ""
    by_id = {candidate.passage.id: candidate for candidate in candidates}
    others = []
    for citation in answer.citations:
        text = fold(f"{citation.title} {citation.quote}")
        if citation.passage_id not in by_id or any(part in text for parts in asked for part in parts):
            return ""
        candidate = by_id[citation.passage_id]
        before = fold(candidate.passage.text[: max(0, citation.start - candidate.passage.start)])
        if _PRONOUN.search(citation.quote) or any(part in before for parts in asked for part in parts):
            return ""  # "she" may be the one who is asked about
        start, end = citation.start - candidate.passage.start, citation.end - candidate.passage.start
        others += [
            mention.text
            for mention in candidate.mentions
            if start <= mention.start < end
            and mention.end > mention.start  # a title stands at no place
            and (
                mention.label == "PERSON" or mention.start - start < _OPENING and mention.label not in VALUES
            )
            and fold(mention.text) not in fold(answer.text)
        ]
    return next(iter(others), "")


def find_absent_name(question: ParsedQuestion, answer: Answer, candidates: Sequence[Candidate]) -> str:
    """Return a name of the question of which no word stands in the quoted row of a table, its title, its headings or
    the document's name; "" where the quotes are no rows, or hold a word of each."""
    by_id = {candidate.passage.id: candidate for candidate in candidates}
    rows = []
    for citation in answer.citations:
        candidate = by_id.get(citation.passage_id)
        if candidate is None or min(citation.quote.count(": "), citation.quote.count("; ") + 1) < _FIELDS:
            return ""
        around = " ".join((citation.title, *candidate.passage.headings, candidate.document))
        rows.append(fold(f"{around} {citation.quote}"))
    names = [name for name in question.names if name.label not in VALUES | {"NORP"}]
    for name in names if rows and not answer.paths else ():
        parts = [fold(part) for part in name.text.split() if part[:1].isupper() and not _CODE.fullmatch(part)]
        if parts and not any(part in row for part in parts for row in rows):
            return name.text
    return ""


class Fit(Enum):
    """Whether an answer is of the kind that is asked for."""

    FITS = "fits"
    OPEN = "open"  # the question or the words do not say
    OTHER = "other"


def fit_of(question: ParsedQuestion, text: str, candidates: Sequence[Candidate]) -> Fit:
    """By the labels that the question's grammar expects and those of the names in the answer's words."""
    polar = text.casefold() in _POLAR
    if question.choices and not polar:
        return Fit.OPEN
    if question.type is QuestionType.YES_NO or polar:
        return Fit.FITS if polar == (question.type is QuestionType.YES_NO) else Fit.OTHER
    expected = frozenset(question.answer_labels)
    if not expected:
        return Fit.OPEN
    found = _labels(text, candidates)
    if _names_another_kind(question.focus, text):
        return Fit.OTHER
    if expected == {"MONEY"} and "QUANTITY" in found and "MONEY" not in found:
        return Fit.OTHER
    if (
        expected & _TIMES
        and (_TIME.search(text) or find_dates(text))
        or expected & _AMOUNTS
        and _AMOUNT.search(text)
    ):
        return Fit.FITS
    if expected & found:
        return Fit.FITS
    nameless = not any(letter.isupper() for letter in text)
    values = bool(found) and found <= VALUES
    return Fit.OTHER if expected <= VALUES or values or nameless else Fit.OPEN


def _names_another_kind(kind: str, text: str) -> bool:
    """Return whether a name says that it is another kind of body: "Which bank", "the Wexcombe Foundation"."""
    parts = re.findall(r"[^\W\d_]+", text.casefold())
    called = parts[-1] if parts else ""
    return {kind, called} <= _BODIES and kind not in parts and not {kind, called} <= _COMPATIBLE


def _labels(text: str, candidates: Sequence[Candidate]) -> frozenset[str]:
    folded = fold(text)
    return frozenset(
        mention.label
        for candidate in candidates
        for mention in candidate.mentions
        if len(mention.text) > 1 and fold(mention.text) in folded
    )


def reader_probability(
    answer: Answer, candidates: Sequence[Candidate], reads: Sequence[PassageRead]
) -> float:
    """Probability that a quoted passage tells the words marked in it, against its other words and against "not here";
    where none are marked its likeliest ones. 0 where no passage that was read is quoted."""
    by_id = {each.passage.id: (each, read) for each, read in zip(candidates, reads, strict=True)}
    found = [0.0]
    for citation in answer.citations:
        if citation.passage_id not in by_id:
            continue
        candidate, read = by_id[citation.passage_id]
        spans = read.spans[:1]
        if citation.marked is not None:
            start, end = (citation.start - candidate.passage.start + at for at in citation.marked)
            spans = tuple(span for span in read.spans if span.start < end and start < span.end)
        found += [span.probability for span in spans]
    return max(found)


def _stems(text: str) -> frozenset[str]:
    return frozenset(word.stem for word in words(text)) | numbers(text)


RELEVANCE, GROUNDING, RESOLUTION = "relevance", "grounding", "resolution"
_SETTLED = tr("a sentence states it, or all that is known of the answer together")
BY_VECTORS, BY_WORDS, BY_KIND = "vectors", "words", "reader and kind"
_KINDS = {
    Fit.FITS: tr("of the kind that is asked for"),
    Fit.OPEN: tr("of a kind that is open"),
    Fit.OTHER: tr("of another kind than is asked for"),
}


@dataclass(frozen=True, slots=True)
class Attempt:
    """One answer with what it was made from."""

    question: ParsedQuestion
    vector: NDArray[np.float32]
    candidates: tuple[Candidate, ...]
    answer: Answer


@dataclass(frozen=True, slots=True)
class Judged:
    """An attempt with what validators say to it; its claims are theirs where they looked at each."""

    attempt: Attempt
    validations: tuple[Validation, ...]  # relevance, grounding, resolution

    @property
    def failed(self) -> str:
        """The first part that failed, which is the failure's type; "" when all hold."""
        return failure(self.validations)


class TripleCheck:
    """Three parts by three signals: vectors, words, and the reader with the kind of answer that is asked for."""

    name = "triple check"

    def __init__(self, config: ControlConfig, comprehension: Comprehension, sure: float = 1.0) -> None:
        """`sure`: the probability from which on all signals together outweigh a single one."""
        self._config = config
        self._comprehension = comprehension
        self._sure = sure

    def judge(self, attempt: Attempt, context: TaskContext) -> Judged:
        """The first validation that fails names the failure. Raises ModelUnavailable, Cancelled."""
        context.check()
        relevance = self._relevance(attempt)
        if attempt.answer.abstained:
            words = tr("there is no answer to check")
            checked = (
                relevance,
                Validation(GROUNDING, False, 0.0, words, BY_WORDS),
                Validation(RESOLUTION, False, 0.0, words, BY_KIND),
            )
            return Judged(attempt, checked)
        grounding, claims = self._grounding(attempt)
        checked = (relevance, grounding, self._resolution(attempt))
        return Judged(replace(attempt, answer=replace(attempt.answer, claims=claims)), checked)

    def _is_settled(self, answer: Answer) -> bool:
        """Whether a sentence states literally what is asked, a fact was read from it that does, or the answer is likely
        by all that is known of it: that its words or its passages are unlike the question says no more then."""
        is_literal = answer.literal is True and not answer.is_indirect
        return not answer.abstained and (bool(answer.paths) or is_literal or answer.confidence >= self._sure)

    def _relevance(self, attempt: Attempt) -> Validation:
        """Eq. 2: some passage is near to the question in meaning."""
        near = nearness(attempt.vector, attempt.candidates)
        if not near:
            return Validation(RELEVANCE, False, 0.0, tr("no passage was found"), BY_VECTORS)
        best, bar = max(near), self._config.relevance
        if self._is_settled(attempt.answer):
            return Validation(RELEVANCE, True, max(0.0, min(1.0, best)), _SETTLED, BY_WORDS)
        words = trn(
            "{near} of {count} passage is near to the question (nearest sentence {best}, at least {needed})",
            "{near} of {count} passages are near to the question (nearest sentence {best}, at least {needed})",
            len(near),
            near=sum(cosine >= bar for cosine in near),
            best=f"{best:.2f}",
            needed=f"{bar:.2f}",
        )
        return Validation(RELEVANCE, best >= bar, max(0.0, min(1.0, best)), words, BY_VECTORS)

    def _grounding(self, attempt: Attempt) -> tuple[Validation, tuple[Claim, ...]]:
        """Eq. 3: what is asked stands where the answer is quoted; of what a model wrote, each sentence in a passage."""
        answer = attempt.answer
        if answer.claims:
            return _carried(answer.claims, self._config.grounding), answer.claims
        found = aligned(attempt.question, answer, attempt.candidates)
        words = tr(
            "the quote holds {share} of what is asked, rare words counting most (at least {needed})",
            share=f"{found.share:.0%}",
            needed=f"{self._config.aligned:.0%}",
        )
        if found.lacking:
            lacking = both([f"“{word}”" for word in found.lacking[:3]])
            words = tr("{found}; lacks {words}", found=words, words=lacking)
        claims = claims_of_quotes(answer, attempt.candidates)
        if any(claim.verdict is Verdict.ABSENT for claim in claims) or not claims:
            return Validation(GROUNDING, False, 0.0, tr("a quote stands in no passage"), BY_WORDS), claims
        passed = found.share >= self._config.aligned or self._is_settled(answer)
        if other := find_other_person(attempt.question, answer, attempt.candidates):
            passed, words = False, tr("the quote speaks of {name}, who is not asked about", name=other)
        if absent := find_absent_name(attempt.question, answer, attempt.candidates):
            passed, words = False, tr("the row of the table does not name {name}", name=absent)
        verdict = Verdict.SUPPORTED if passed else Verdict.ABSENT
        judged_claims = tuple(replace(claim, verdict=verdict, words=words, by=BY_WORDS) for claim in claims)
        return Validation(GROUNDING, passed, found.share, words, BY_WORDS), judged_claims

    def _resolution(self, attempt: Attempt) -> Validation:
        """Eq. 4: the answer is of the kind that is asked for, the reader finds it told, and nothing that the question
        describes has still to be found first."""
        answer, question = attempt.answer, attempt.question
        passages = [ReaderPassage.of(candidate.passage) for candidate in attempt.candidates]
        scores = [candidate.hit.score for candidate in attempt.candidates]
        reads = self._comprehension.understand(question.text, passages, scores).reads
        share = reader_probability(answer, attempt.candidates, reads)
        fit, step = fit_of(question, answer.text, attempt.candidates), innermost(question)
        words = tr(
            "{kind}; told with a probability of {share} (at least {needed})",
            kind=_KINDS[fit],
            share=f"{share:.2f}",
            needed=f"{self._config.resolution:.2f}",
        )
        if answer.paths and answer.confidence > ALONE:
            step = None  # the facts lead over it, and the reader says the same
        if step is not None and not step.is_named and answer.literal is True:
            step = None  # one sentence states it with the description
        if step is not None:
            words = tr("{found}; to be found first: {step}", found=words, step=step.question)
        is_read = share >= self._config.resolution or self._is_settled(answer)
        passed = fit is not Fit.OTHER and is_read and step is None
        return Validation(RESOLUTION, passed, share / 2 if fit is Fit.OTHER else share, words, BY_KIND)


def _carried(claims: Sequence[Claim], needed: float) -> Validation:
    """Of sentences that a model wrote and the reader judged one by one."""
    carried = sum(claim.verdict is Verdict.SUPPORTED for claim in claims)
    words = trn(
        "{carried} of {count} claim is carried by the passages",
        "{carried} of {count} claims are carried by the passages",
        len(claims),
        carried=carried,
    )
    share = carried / len(claims)
    return Validation(GROUNDING, share >= needed, share, words, BY)


def _stands(quote: str, text: str) -> bool:
    return quote in text


def claims_of_quotes(answer: Answer, candidates: Sequence[Candidate]) -> tuple[Claim, ...]:
    """Each sentence of an answer in the documents' words, held against the passage that it is quoted from."""
    texts = {candidate.passage.id: candidate.passage.text for candidate in candidates}
    return tuple(
        Claim(sentence, Verdict.SUPPORTED, (at,), tr("quoted from the passage"))
        if _stands(citation.quote, texts.get(citation.passage_id, ""))
        else Claim(sentence, Verdict.ABSENT, (), tr("no passage holds this quote"))
        for at, (sentence, citation) in enumerate(zip(answer.sentences, answer.citations, strict=True))
    )


def failure(validations: Sequence[Validation]) -> str:
    """The first part that failed, which is the failure's type; "" when all hold."""
    return next((v.name for v in validations if not v.passed), "")
