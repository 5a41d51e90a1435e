"""Answers that a language model writes from the passages it is given; every sentence checked against them."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from core.answering.candidates import Candidate, as_evidence
from core.answering.claims import Sentences, judged, sentences_of
from core.answering.extractive import ExtractiveGenerator, trace_of
from core.answering.integration.distiller import Distillation, Distiller
from core.answering.integration.pieces import Part, Piece, Section
from core.answering.prompts import NO_ANSWER, answer_prompt, distilled_prompt
from core.extraction.question import ParsedQuestion
from core.progress import TaskContext
from core.protocols import LanguageModel, OnText
from core.text.stems import fold
from core.text.translation import mark, tr, trn
from core.types import (
    Alternative,
    Answer,
    Citation,
    Claim,
    Evidence,
    Finish,
    Generation,
    Message,
    PathStep,
    Retrieval,
    Route,
    Sentence,
    Stage,
    Usage,
    Verdict,
)
from core.types.stages import MOST, Packed, Packing

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class PromptContext:
    """`candidates` are the passages that it stands in; `places` by number, from 0: which of them, and the sentence of
    it, None for all of it. `part` begins the names of its messages."""

    prompt: tuple[Message, ...]
    candidates: Sequence[Candidate]
    places: tuple[tuple[int, Sentence | None], ...]
    part: str

    def read(self, written: Generation) -> PromptContext:
        """What of it was in the prompt: parts that did not fit are left out from the last."""
        out = sum(part.name.startswith(f"{self.part} ") for part in written.left_out)
        places = self.places[: len(self.places) - out]
        included = sorted({at for at, _ in places})
        rows = {at: row for row, at in enumerate(included)}
        return replace(
            self,
            candidates=[self.candidates[at] for at in included],
            places=tuple((rows[at], sentence) for at, sentence in places),
        )

    def of_passages(
        self, sentences: Sentences
    ) -> tuple[Sentences, tuple[Mapping[int, tuple[Sentence, ...]], ...]]:
        """The reply with its citations as rows of `candidates`, and for each of its sentences those that it cites."""
        cited, named = [], []
        for numbers in sentences.cited:
            by: dict[int, tuple[Sentence, ...]] = {}
            for number in numbers:
                at, sentence = self.places[number]
                by[at] = by.get(at, ()) + (() if sentence is None else (sentence,))
            cited.append(tuple(by))
            named.append(by)
        return replace(sentences, cited=tuple(cited)), tuple(named)

    def size(self, at: int) -> int:
        """Characters of a candidate that are read."""
        places = [place for row, place in self.places if row == at]
        if None in places:
            return len(self.candidates[at].passage.text)
        return sum(place.end - place.start for place in places if place is not None)


def full_passages(
    question: str, candidates: Sequence[Candidate], strict: bool, facts: Sequence[tuple[Part, Candidate]]
) -> PromptContext:
    """Return the first passages with the facts, each of which stands in its candidate."""
    every = _merge_candidates(candidates, [candidate for _, candidate in facts])
    parts = [part for part, _ in facts]
    full = tuple((at, None) for at in range(len(candidates)))
    prompt = answer_prompt(question, candidates, strict, parts)
    return PromptContext(prompt, every, (*_places(parts, every), *full), "passage")


def distilled(
    question: str, found: Distillation, strict: bool, facts: Sequence[tuple[Part, Candidate]]
) -> PromptContext:
    """Return the distilled text behind the facts, each of which stands in its candidate."""
    every = _merge_candidates(found.candidates, [candidate for _, candidate in facts])
    parts = (*(part for part, _ in facts), *found.text.parts)
    pages = {candidate.passage.id: candidate.passage.page for candidate in every}
    prompt = distilled_prompt(question, parts, pages, strict)
    return PromptContext(prompt, every, _places(parts, every), "sentence")


def _merge_candidates(candidates: Sequence[Candidate], others: Sequence[Candidate]) -> tuple[Candidate, ...]:
    known = {candidate.passage.id for candidate in candidates}
    return (*candidates, *{c.passage.id: c for c in others if c.passage.id not in known}.values())


def _places(
    parts: Sequence[Part], candidates: Sequence[Candidate]
) -> tuple[tuple[int, Sentence | None], ...]:
    rows = {candidate.passage.id: at for at, candidate in enumerate(candidates)}
    pieces = [part.piece for part in parts]
    return tuple((rows[piece.passage_id], Sentence(piece.start, piece.end)) for piece in pieces)


def _fact_parts(steps: Sequence[PathStep], candidates: Sequence[Candidate]) -> list[tuple[Part, Candidate]]:
    """Return facts in words, each with the passage that it was read from, where that was found."""
    by_id = {candidate.passage.id: candidate for candidate in candidates}
    found = []
    for step in steps:
        if (candidate := by_id.get(step.passage_id)) is not None:
            title, words = candidate.passage.title, step.words
            piece = Piece(step.passage_id, title, step.start, step.end, words, Section.FACT, 0)
            found.append((Part(words, piece), candidate))
    return found


@dataclass(frozen=True, slots=True)
class Writing:
    """A reply of the model, read and checked: its sentences as claims, what they cite, the probability that they are
    carried, and the citations that pointed to nothing. `context` is what was in the prompt of it."""

    reply: Generation
    context: PromptContext
    claims: tuple[Claim, ...]
    citations: tuple[Citation, ...]
    confidence: float
    dropped: int

    @property
    def is_silent(self) -> bool:
        """Whether the model says that it was told nothing."""
        return not self.claims or NO_ANSWER in self.reply.text[:_OPENING].upper()


_MOST_OUT = 200  # tokens of an answer
_DECLINED = 0.75  # what the reader's answer counts where the model says that the passages tell none
_UNCONFIRMED, _AGREEING = (
    0.75,
    0.3,
)  # what the model's counts by itself, and adds to the reader's where both agree
_OPENING = 40  # characters of a reply in which a model says that it was told nothing
_ECHO = 4  # words from which on a sentence of the instructions is no answer
PASSAGES_FIRST, PASSAGES_AGAIN = 3, 10  # passages that are given at first, and when that was not enough


class ModelGenerator:
    """Writes with a language model. A sentence that no passage carries is kept out of the cited ones and
    told as a claim; a citation that points to no passage is taken out and counted."""

    def __init__(
        self, model: LanguageModel, quoting: ExtractiveGenerator, distiller: Distiller | None = None
    ) -> None:
        """`quoting` reads the passages beside it, and checks what it says; with a `distiller` the model reads what
        that makes of them."""
        self.name = model.name
        self._model = model
        self._quoting = quoting
        self._distiller = distiller

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
        brief, found = self._prepare_context(question, question_vector, retrieval, candidates, strict)
        writing = self.write(question.text, brief, context, on_text)
        written, brief, silent, sure = writing.reply, writing.context, writing.is_silent, writing.confidence
        detail = _detail(written, writing.claims, writing.dropped, brief)
        packing = _packing(self.name, written, candidates, brief)
        spent = time.perf_counter() - begin - (found.stage.seconds if found else 0.0)
        stage = Stage(mark("answer"), spent, detail, packing)
        # What the reader saw beside it stands before; of two stages "answer" the last tells who wrote.
        reader_stage = replace(read.trace.stages[-1], name=mark("reader"))
        apart = () if found is None else (found.stage,)
        retrieval = replace(retrieval, stages=(*retrieval.stages, reader_stage, *apart))
        answer = replace(
            read,
            evidence=(*read.evidence, *_collect_cited(read, writing.citations, brief)),
            text="" if silent else " ".join(claim.text for claim in writing.claims),
            sentences=(),
            citations=(),
            trace=trace_of(question, retrieval, route, stage),
            abstained=silent,
            guess=False,
            confidence=0.0 if silent else sure,
            literal=None,
            claims=(),
            usage=Usage(
                written.calls,
                written.tokens_in,
                written.tokens_out,
                written.seconds,
                written.first_token_seconds,
            ),
            dropped=writing.dropped,
        )
        if silent and not read.abstained:
            return replace(
                read,
                trace=answer.trace,
                usage=answer.usage,
                dropped=answer.dropped,
                confidence=_DECLINED * read.confidence,
                instead_of=self.name,
                is_declined=True,
            )
        if silent:
            return replace(answer, alternatives=_disagreeing(read, ""))
        answer = with_claims(answer, writing.claims, writing.citations)
        if not _agrees(read, answer):
            alternatives = _disagreeing(read, answer.text)
            return replace(answer, confidence=_UNCONFIRMED * sure, alternatives=alternatives)
        # Both read the same passages: together they are less than two witnesses.
        both = 1.0 - (1.0 - read.confidence) * (1.0 - _AGREEING)
        return replace(answer, is_confirmed=True, confidence=both, alternatives=read.alternatives)

    def write(
        self, question: str, prompt_context: PromptContext, context: TaskContext, on_text: OnText | None
    ) -> Writing:
        """Ask the model once, and hold each of its sentences against what it was given. Raises as `answer` does."""
        reply = self._model.generate(prompt_context.prompt, context, max_tokens=_MOST_OUT, on_text=on_text)
        included = prompt_context.read(reply)
        own = _without_echoes(sentences_of(reply.text, len(included.places)), prompt_context.prompt[-1].text)
        cited, named = included.of_passages(own)
        claims, citations, sure = judged(cited, included.candidates, question, self._quoting.support, named)
        return Writing(reply, included, claims, citations, sure, cited.dropped)

    def _prepare_context(
        self,
        question: ParsedQuestion,
        vector: NDArray[np.float32],
        retrieval: Retrieval,
        candidates: Sequence[Candidate],
        strict: bool,
    ) -> tuple[PromptContext, Distillation | None]:
        """What the model reads, distilled where that is wanted and anything fits."""
        facts = _fact_parts(retrieval.facts, candidates)
        if self._distiller is not None:
            found = self._distiller.distil(question.text, vector, retrieval, candidates, more=strict)
            if found is not None:
                return distilled(question.text, found, strict, facts), found
        selected = candidates[: PASSAGES_AGAIN if strict else PASSAGES_FIRST]
        return full_passages(question.text, selected, strict, facts), None


def _without_echoes(sentences: Sentences, instructions: str) -> Sentences:
    """Return a reply without the sentences of the instructions that small models repeat."""
    asked = fold(instructions)
    own = [
        at for at, text in enumerate(sentences.texts) if len(text.split()) < _ECHO or fold(text) not in asked
    ]
    return Sentences(
        tuple(sentences.texts[at] for at in own), tuple(sentences.cited[at] for at in own), sentences.dropped
    )


def _collect_cited(
    read: Answer, citations: Sequence[Citation], prompt_context: PromptContext
) -> list[Evidence]:
    """Passages that are cited and were not found themselves: a fact or a community led to them."""
    known = {evidence.hit.passage_id for evidence in read.evidence}
    cited = {citation.passage_id for citation in citations} - known
    return [as_evidence(each, None) for each in prompt_context.candidates if each.passage.id in cited]


def _disagreeing(read: Answer, text: str) -> tuple[Alternative, ...]:
    """What the reader would have answered, where that is not what the model says; then its other readings."""
    if read.abstained or not read.citations or fold(read.text).strip() in fold(text):
        return read.alternatives
    return (Alternative(read.text, read.confidence, read.citations[0]), *read.alternatives)


def _agrees(read: Answer, written: Answer) -> bool:
    """Whether the reader's words stand in what a model wrote, or its whole sentences where that cites them."""
    if read.abstained or not read.citations or not written.citations:
        return False
    if fold(read.text) in fold(written.text):
        return fold(read.text) not in fold(read.trace.question)
    sentence_places = {
        (each.document_id, each.start, each.end) for each in read.citations if each.marked is None
    }
    return any((each.document_id, each.start, each.end) in sentence_places for each in written.citations)


def with_claims(answer: Answer, claims: Sequence[Claim], citations: Sequence[Citation]) -> Answer:
    """Return the answer with one citation a supported sentence in order; further ones only in the claims."""
    sentences: list[str] = []
    ordered: list[Citation] = []
    renumbered: list[Claim] = []
    places: dict[int, int] = {}
    for claim in claims:
        if claim.verdict is Verdict.SUPPORTED:
            places[claim.citations[0]] = len(ordered)
            sentences.append(claim.text)
            ordered.append(citations[claim.citations[0]])
    for claim in claims:
        own = []
        for at in claim.citations:
            if at not in places:
                places[at] = len(ordered)
                sentences.append(claim.text)
                ordered.append(citations[at])
            own.append(places[at])
        renumbered.append(replace(claim, citations=tuple(own)))
    return replace(answer, sentences=tuple(sentences), citations=tuple(ordered), claims=tuple(renumbered))


def _packing(
    model: str, written: Generation, candidates: Sequence[Candidate], prompt_context: PromptContext
) -> Packing:
    """For the trace: the passages of the prompt, and why the others are not in it."""
    read = {
        candidate.passage.id: prompt_context.size(at)
        for at, candidate in enumerate(prompt_context.candidates)
    }
    named = {part.name for part in written.left_out}
    # Of a distilled text some stand in passages that were not found themselves.
    known = {candidate.passage.id for candidate in candidates}
    beyond = [each for each in prompt_context.candidates if each.passage.id not in known]
    passages = []
    for number, candidate in enumerate((*candidates, *beyond)[:MOST], start=1):
        size, why = read.get(candidate.passage.id), ""
        if f"passage {number}" in named:
            why = tr("did not fit into the window")
        elif size is None and prompt_context.part == "passage":
            why = tr("beyond the passages that are given to a model")
        elif size is None:
            why = tr("no sentence of it is read")
        passages.append(
            Packed(candidate.passage.id, candidate.hit.rank, size or len(candidate.passage.text), why)
        )
    count, tokens = len(candidates) + len(beyond), (written.tokens_in, written.tokens_out)
    return Packing(model, tuple(passages), len(prompt_context.candidates), count, *tokens, written.left_out)


def _detail(written: Generation, claims: Sequence[Claim], dropped: int, prompt_context: PromptContext) -> str:
    parts = [
        tr(
            "{model}, {tokens_in} tokens in, {tokens_out} out",
            model=written.model,
            tokens_in=written.tokens_in,
            tokens_out=written.tokens_out,
        )
    ]
    carried = sum(claim.verdict is Verdict.SUPPORTED for claim in claims)
    parts.append(
        tr(
            "{carried} of {sentences} carried by {passages}",
            carried=carried,
            sentences=trn("{count} sentence", "{count} sentences", len(claims)),
            passages=trn("{count} passage", "{count} passages", len(prompt_context.candidates)),
        )
    )
    if dropped:
        parts.append(
            trn("{count} citation pointed to nothing", "{count} citations pointed to nothing", dropped)
        )
    if written.left_out:
        names = tr(", ").join(part.name for part in written.left_out)
        parts.append(tr("did not fit into the window: {names}", names=names))
    if written.finish is Finish.LENGTH:
        parts.append(tr("cut off at its longest"))
    return tr("; ").join(parts)
