"""Answers that a language model writes from the passages it is given; every sentence checked against them."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from core.answering.candidate import Candidate
from core.answering.claims import judged, sentences_of
from core.answering.extractive import ExtractiveGenerator, trace_of
from core.answering.prompts import NOT_TOLD, answer_prompt
from core.extraction.question import ParsedQuestion
from core.progress import TaskContext
from core.protocols import LanguageModel, OnText
from core.text.stems import fold
from core.translation import mark, tr, trn
from core.types import (
    Alternative,
    Answer,
    Citation,
    Claim,
    Finish,
    Generation,
    Retrieval,
    Route,
    Stage,
    Usage,
    Verdict,
)
from core.types.stages import MOST, Packed, Packing

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_MOST_OUT = 200  # tokens of an answer
GIVEN_FIRST, GIVEN_AGAIN = 3, 10  # passages that are given at first, and when that was not enough


class ModelGenerator:
    """Writes with a language model. A sentence that no passage carries is kept out of the cited ones and
    told as a claim; a citation that points to no passage is taken out and counted."""

    def __init__(self, model: LanguageModel, quoting: ExtractiveGenerator) -> None:
        """`quoting` reads the passages beside it, and checks what it says."""
        self.name = model.name
        self._model = model
        self._quoting = quoting

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
        read = self._quoting.answer(question, question_vector, retrieval, route, candidates, context)
        begin = time.perf_counter()
        if on_text is not None:
            on_text("")  # an answer of an earlier round gives way
        shown = candidates[: GIVEN_AGAIN if strict else GIVEN_FIRST]
        prompt = answer_prompt(question.text, shown, strict)
        written = self._model.generate(prompt, context, max_tokens=_MOST_OUT, on_text=on_text)
        given = _given(written, len(shown))
        said = sentences_of(written.text, given)
        claims, citations, sure = judged(said, shown[:given], question.text, self._quoting.support)
        silent = NOT_TOLD in written.text.upper() or not claims
        detail = _detail(written, claims, said.dropped, given)
        packing = _packing(self.name, written, candidates, given)
        stage = Stage(mark("answer"), time.perf_counter() - begin, detail, packing)
        # What the reader saw beside it stands before; of two stages "answer" the last tells who wrote.
        seen = replace(read.trace.stages[-1], name=mark("reader"))
        retrieval = replace(retrieval, stages=(*retrieval.stages, seen))
        answer = replace(
            read,
            text="" if silent else " ".join(claim.text for claim in claims),
            sentences=(),
            citations=(),
            trace=trace_of(question, retrieval, route, stage),
            abstained=silent,
            guess=False,
            confidence=0.0 if silent else sure,
            claims=(),
            usage=Usage(written.calls, written.tokens_in, written.tokens_out, written.seconds),
            dropped=said.dropped,
        )
        if silent:
            return replace(answer, alternatives=_disagreeing(read, ""))
        return replace(_cited(answer, claims, citations), alternatives=_disagreeing(read, answer.text))


def _disagreeing(read: Answer, text: str) -> tuple[Alternative, ...]:
    """What the reader would have answered, where that is not what the model says; then its other readings."""
    if read.abstained or not read.citations or fold(read.text).strip() in fold(text):
        return read.alternatives
    return (Alternative(read.text, read.confidence, read.citations[0]), *read.alternatives)


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


def _packing(model: str, written: Generation, candidates: Sequence[Candidate], given: int) -> Packing:
    """For the trace: the passages of the prompt, and why the others are not in it."""
    named = {part.name for part in written.left_out}
    passages = []
    for number, candidate in enumerate(candidates[:MOST], start=1):
        why = "" if number <= given else tr("beyond the passages that are given to a model")
        if f"passage {number}" in named:
            why = tr("did not fit into the window")
        passages.append(Packed(candidate.passage.id, candidate.hit.rank, len(candidate.passage.text), why))
    tokens = written.tokens_in, written.tokens_out
    return Packing(model, tuple(passages), given, len(candidates), *tokens, written.left_out)


def _detail(written: Generation, claims: Sequence[Claim], dropped: int, given: int) -> str:
    told = [
        tr(
            "{model}, {tokens_in} tokens in, {tokens_out} out",
            model=written.model,
            tokens_in=written.tokens_in,
            tokens_out=written.tokens_out,
        )
    ]
    carried = sum(claim.verdict is Verdict.SUPPORTED for claim in claims)
    told.append(
        tr(
            "{carried} of {sentences} carried by {passages}",
            carried=carried,
            sentences=trn("{count} sentence", "{count} sentences", len(claims)),
            passages=trn("{count} passage", "{count} passages", given),
        )
    )
    if dropped:
        told.append(
            trn("{count} citation pointed to nothing", "{count} citations pointed to nothing", dropped)
        )
    if written.left_out:
        names = tr(", ").join(part.name for part in written.left_out)
        told.append(tr("did not fit into the window: {names}", names=names))
    if written.finish is Finish.LENGTH:
        told.append(tr("cut off at its longest"))
    return tr("; ").join(told)
