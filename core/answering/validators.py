"""Triple-Check without a model: transparent rules that say what they looked at. A2RAG III-B, eq. 2 to 5."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.answering.candidate import Candidate
from core.answering.reading import Reading, read
from core.answering.support import held
from core.config import AnswerConfig, ControlConfig
from core.extraction.question import ParsedQuestion
from core.progress import TaskContext
from core.types import Answer, Claim, Validation, Verdict

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

RELEVANCE, GROUNDING, RESOLUTION = "relevance", "grounding", "resolution"
_HELD = 0.5  # how surely a passage must speak of a name to hold it


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


class HeuristicValidators:
    """Coverage of the question's names, quotes that stand in their passages, support of the answer."""

    name = "heuristic"

    def __init__(self, config: ControlConfig, answering: AnswerConfig) -> None:
        self._config = config
        self._least = answering.abstain_below

    def judge(self, attempt: Attempt, context: TaskContext) -> Judged:
        """Never asks anybody; `context` is there for those who do."""
        return Judged(attempt, self.validate(attempt))

    def validate(self, attempt: Attempt) -> tuple[Validation, ...]:
        """Relevance, grounding and resolution, in this order: the first that fails names the failure."""
        reading = read(attempt.candidates, attempt.vector)
        question = attempt.question
        return (
            self._relevance(reading, question),
            self._grounding(attempt),
            self._resolution(attempt.answer),
        )

    def _relevance(self, reading: Reading, question: ParsedQuestion) -> Validation:
        """Eq. 2: the passages speak of what the question names."""
        if not reading.lines:
            return Validation(RELEVANCE, False, 0.0, "no passage was found")
        values = [held(reading, name.key) for name in question.names]
        absent = [n.text for n, value in zip(question.names, values, strict=True) if value < _HELD]
        if not values:
            return Validation(RELEVANCE, True, 1.0, "the question names nothing that could be missing")
        score = (sum(values) / len(values) + min(values)) / 2
        words = f"{len(values) - len(absent)} of {len(values)} names of the question stand in the passages"
        if absent:
            words += f"; not: {', '.join(absent[:3])}"
        return Validation(RELEVANCE, score >= self._config.relevance, score, words)

    def _grounding(self, attempt: Attempt) -> Validation:
        """Eq. 3: every sentence of the answer is carried by a passage that was given."""
        claims = attempt.answer.claims or claims_of_quotes(attempt.answer, attempt.candidates)
        if not claims:
            return Validation(GROUNDING, False, 0.0, "there is no answer to check")
        carried = sum(claim.verdict is Verdict.SUPPORTED for claim in claims)
        share = carried / len(claims)
        words = f"{carried} of {len(claims)} sentences stand in the passages"
        return Validation(GROUNDING, share >= self._config.grounding, share, words)

    def _resolution(self, answer: Answer) -> Validation:
        """Eq. 4: the answer is of the kind asked for and its evidence carries it."""
        passed = not answer.abstained and answer.confidence >= self._least
        words = f"support {answer.confidence:.2f}, {self._least:.2f} are needed"
        return Validation(RESOLUTION, passed, answer.confidence, words)


def claims_of_quotes(answer: Answer, candidates: Sequence[Candidate]) -> tuple[Claim, ...]:
    """Each sentence of an extractive answer, held against the passage that it is quoted from."""
    texts = {candidate.passage.id: candidate.passage for candidate in candidates}
    found = []
    for at, (sentence, citation) in enumerate(zip(answer.sentences, answer.citations, strict=True)):
        passage = texts.get(citation.passage_id)
        stands = (
            passage is not None
            and passage.text[citation.start - passage.start : citation.end - passage.start] == citation.quote
        )
        found.append(
            Claim(sentence, Verdict.SUPPORTED, (at,), "quoted from the passage")
            if stands
            else Claim(sentence, Verdict.ABSENT, (), "no passage holds this quote")
        )
    return tuple(found)


def failure(validations: Sequence[Validation]) -> str:
    """The first part that failed, which is the failure's type; "" when all hold."""
    return next((v.name for v in validations if not v.passed), "")
