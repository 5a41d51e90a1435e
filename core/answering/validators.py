"""Triple-Check by three different signals of the trained reader. A2RAG III-B, eq. 2 to 5."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from core.answering.candidate import Candidate
from core.answering.claims import BY, asked_and_said, verdict_of
from core.comprehension.comprehension import Comprehension
from core.comprehension.reader import UNREAD, ReaderPassage
from core.config import AnswerConfig, ControlConfig
from core.extraction.question import ParsedQuestion
from core.progress import TaskContext
from core.translation import tr, trn
from core.types import Answer, Claim, Validation, Verdict

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

RELEVANCE, GROUNDING, RESOLUTION = "relevance", "grounding", "resolution"


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


class ReaderValidators:
    """Relevance of the passages, support of each claim by its passage, probability that the answer is right."""

    name = BY

    def __init__(self, config: ControlConfig, answering: AnswerConfig, comprehension: Comprehension) -> None:
        self._config = config
        self._sure = answering.sure
        self._comprehension = comprehension

    def judge(self, attempt: Attempt, context: TaskContext) -> Judged:
        """The first validation that fails names the failure. Raises ModelUnavailable, Cancelled."""
        context.check()
        relevance = self._relevance(attempt)
        answer = attempt.answer
        if not answer.abstained and not answer.claims:
            answer = replace(answer, claims=self._claims(attempt))
        checked = (relevance, self._grounding(answer), self._resolution(answer))
        return Judged(replace(attempt, answer=answer), checked)

    def _relevance(self, attempt: Attempt) -> Validation:
        """Eq. 2: some passage is about what is asked."""
        passages = [ReaderPassage.of(candidate.passage) for candidate in attempt.candidates]
        if not passages:
            return Validation(RELEVANCE, False, 0.0, tr("no passage was found"), BY)
        scores = [candidate.hit.score for candidate in attempt.candidates]
        reads = self._comprehension.understand(attempt.question.text, passages, scores).reads
        about = [read.relevance for read in reads if read is not UNREAD]
        words = trn(
            "{near} of {count} passage is about what is asked",
            "{near} of {count} passages are about what is asked",
            len(about),
            near=sum(share >= 0.5 for share in about),
        )
        return Validation(RELEVANCE, max(about) >= self._config.relevance, max(about), words, BY)

    def _grounding(self, answer: Answer) -> Validation:
        """Eq. 3: every claim of the answer is carried by a passage that was given."""
        if not answer.claims:
            return Validation(GROUNDING, False, 0.0, tr("there is no answer to check"), BY)
        carried = sum(claim.verdict is Verdict.SUPPORTED for claim in answer.claims)
        share = carried / len(answer.claims)
        words = trn(
            "{carried} of {count} claim is carried by the passages",
            "{carried} of {count} claims are carried by the passages",
            len(answer.claims),
            carried=carried,
        )
        return Validation(GROUNDING, share >= self._config.grounding, share, words, BY)

    def _resolution(self, answer: Answer) -> Validation:
        """Eq. 4: the answer is likely enough the one that was asked for."""
        passed = not answer.abstained and answer.confidence >= self._sure
        words = tr(
            "right with a probability of {probability}; {needed} are needed to be sure",
            probability=f"{answer.confidence:.2f}",
            needed=f"{self._sure:.2f}",
        )
        return Validation(RESOLUTION, passed, answer.confidence, words, BY)

    def _claims(self, attempt: Attempt) -> tuple[Claim, ...]:
        """Question and answer as a claim, held against each passage that is quoted."""
        answer, texts = attempt.answer, {c.passage.id: c.passage for c in attempt.candidates}
        claim = asked_and_said(attempt.question.text, answer.text)
        quoted = [texts[id] for id in dict.fromkeys(c.passage_id for c in answer.citations) if id in texts]
        read = self._comprehension.reader.support(claim, [ReaderPassage.of(passage) for passage in quoted])
        said = {passage.id: shares for passage, shares in zip(quoted, read, strict=True)}
        found = []
        for at, (sentence, citation) in enumerate(zip(answer.sentences, answer.citations, strict=True)):
            passage = texts.get(citation.passage_id)
            if passage is None or not _stands(citation.quote, passage.text):
                found.append(Claim(sentence, Verdict.ABSENT, (), tr("no passage holds this quote"), BY))
                continue
            shares = said[passage.id]
            verdict = verdict_of(shares)
            words = tr(
                "quoted; the passage carries the answer with a probability of {share}",
                share=f"{shares[Verdict.SUPPORTED]:.0%}",
            )
            found.append(Claim(sentence, verdict, (at,), words, BY))
        return tuple(found)


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
