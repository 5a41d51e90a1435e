"""Answers that a language model writes from the passages it is given; every sentence checked against them."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from core.answering.candidate import Candidate
from core.answering.claims import judged, sentences_of
from core.answering.extractive import marked_evidence, trace_of
from core.answering.plan import plan
from core.answering.prompts import NOT_TOLD, answer_prompt
from core.answering.reading import Reading, read
from core.answering.selection import score_lines
from core.answering.support import missing, support
from core.config import AnswerConfig
from core.extraction.question import ParsedQuestion
from core.progress import TaskContext
from core.protocols import LanguageModel, OnText
from core.types import Answer, Citation, Claim, Finish, Generation, Retrieval, Route, Stage, Usage, Verdict

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_MOST_OUT = 400  # tokens of an answer


class ModelGenerator:
    """Writes with a language model. A sentence that no passage carries is kept out of the cited ones and
    told as a claim; a citation that points to no passage is taken out and counted."""

    def __init__(self, model: LanguageModel, config: AnswerConfig) -> None:
        self.name = model.name
        self._model = model
        self._config = config

    def answer(
        self,
        question: ParsedQuestion,
        question_vector: NDArray[np.float32],
        retrieval: Retrieval,
        route: Route,
        candidates: Sequence[Candidate],
        context: TaskContext,
        on_text: OnText | None = None,
        strict: bool = False,
    ) -> Answer:
        """Raises ModelFault, ModelUnavailable, Cancelled. `strict` after an answer that was not grounded."""
        context.check()
        begin = time.perf_counter()
        reading = read(candidates, question_vector)
        if on_text is not None:
            on_text("")  # an answer of an earlier round gives way
        written = self._model.generate(
            answer_prompt(question.text, candidates, strict), context, max_tokens=_MOST_OUT, on_text=on_text
        )
        given = _given(written, len(candidates))
        said = sentences_of(written.text, given)
        claims, citations = judged(said, candidates[:given], question.text)
        silent = written.text.strip().upper().startswith(NOT_TOLD) or not claims
        carried = [claim for claim in claims if claim.verdict is Verdict.SUPPORTED]
        measured = support(reading, question, None, decided=True)
        stage = Stage("answer", time.perf_counter() - begin, _detail(written, claims, said.dropped, given))
        answer = Answer(
            text="" if silent else " ".join(claim.text for claim in claims),
            sentences=(),
            citations=(),
            evidence=marked_evidence(reading, score_lines(reading, question, plan(question)), ()),
            trace=trace_of(question, retrieval, route, stage),
            abstained=silent,
            missing=_missing(written.text, reading, question) if silent else missing(reading, question, None),
            confidence=0.0 if silent else measured.score * len(carried) / len(claims),
            usage=Usage(written.calls, written.tokens_in, written.tokens_out, written.seconds),
            dropped=said.dropped,
        )
        return answer if silent else _cited(answer, claims, citations)


def _cited(answer: Answer, claims: Sequence[Claim], citations: Sequence[Citation]) -> Answer:
    """The answer with one citation a supported sentence in order; further ones only in the claims."""
    sentences: list[str] = []
    shown: list[Citation] = []
    told: list[Claim] = []
    places: dict[int, int] = {}
    for claim in claims:
        if claim.verdict is Verdict.SUPPORTED:
            places[claim.citations[0]] = len(shown)
            sentences.append(claim.text)
            shown.append(citations[claim.citations[0]])
    for claim in claims:
        own = []
        for at in claim.citations:
            if at not in places:
                places[at] = len(shown)
                sentences.append(claim.text)
                shown.append(citations[at])
            own.append(places[at])
        told.append(replace(claim, citations=tuple(own)))
    return replace(answer, sentences=tuple(sentences), citations=tuple(shown), claims=tuple(told))


def _given(written: Generation, candidates: int) -> int:
    """How many passages were in the prompt: those left out are the last ones."""
    return candidates - sum(part.name.startswith("passage ") for part in written.left_out)


def _missing(text: str, reading: Reading, question: ParsedQuestion) -> str:
    """What the model says is missing, else what the passages lack by the rules."""
    said = text.strip()[len(NOT_TOLD) :].strip(" :\n") if text.strip().upper().startswith(NOT_TOLD) else ""
    return f"The model says: {' '.join(said.split())}" if said else missing(reading, question, None)


def _detail(written: Generation, claims: Sequence[Claim], dropped: int, given: int) -> str:
    told = [f"{written.model}, {written.tokens_in:,} tokens in, {written.tokens_out:,} out"]
    carried = sum(claim.verdict is Verdict.SUPPORTED for claim in claims)
    told.append(f"{carried} of {len(claims)} sentences carried by {given} passages")
    if dropped:
        told.append(f"{dropped} citations pointed to nothing")
    if written.left_out:
        names = ", ".join(part.name for part in written.left_out)
        told.append(f"did not fit into the window: {names}")
    if written.finish is Finish.LENGTH:
        told.append("cut off at its longest")
    return "; ".join(told)
