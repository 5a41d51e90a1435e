"""Triple-Check by three signals that share nothing. A2RAG III-B, eq. 2 to 5."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from core.answering.candidates import Candidate
from core.answering.claims import BY
from core.answering.comprehension import Comprehension
from core.answering.rewriting import innermost
from core.answering.signals import Fit, aligned, fit_of, nearness, told
from core.config import ControlConfig
from core.extraction.question import ParsedQuestion
from core.models.reader import ReaderPassage
from core.progress import TaskContext
from core.text.translation import both, tr, trn
from core.types import Answer, Claim, Validation, Verdict

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

RELEVANCE, GROUNDING, RESOLUTION = "relevance", "grounding", "resolution"
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

    def __init__(self, config: ControlConfig, comprehension: Comprehension) -> None:
        self._config = config
        self._comprehension = comprehension

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

    def _relevance(self, attempt: Attempt) -> Validation:
        """Eq. 2: some passage is near to the question in meaning."""
        near = nearness(attempt.vector, attempt.candidates)
        if not near:
            return Validation(RELEVANCE, False, 0.0, tr("no passage was found"), BY_VECTORS)
        best, bar = max(near), self._config.relevance
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
        found = aligned(attempt.question.text, answer, attempt.candidates)
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
        passed = found.share >= self._config.aligned
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
        share = told(answer, attempt.candidates, reads)
        fit, step = fit_of(question, answer.text, attempt.candidates), innermost(question)
        words = tr(
            "{kind}; told with a probability of {share} (at least {needed})",
            kind=_KINDS[fit],
            share=f"{share:.2f}",
            needed=f"{self._config.resolution:.2f}",
        )
        if step is not None:
            words = tr("{found}; to be found first: {step}", found=words, step=step.question)
        passed = fit is not Fit.OTHER and share >= self._config.resolution and step is None
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
