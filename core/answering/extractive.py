"""Answers in the documents' own sentences: no language model, every sentence cited, or none at all."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from core.answering.candidate import Candidate
from core.answering.citations import as_evidence, cite
from core.answering.plan import plan
from core.answering.reading import Reading, read
from core.answering.selection import score_lines, select
from core.answering.short_answer import draft
from core.answering.support import Support, missing, support
from core.config import AnswerConfig
from core.extraction.question import ParsedQuestion
from core.progress import TaskContext
from core.protocols import OnText
from core.types import Answer, Evidence, Retrieval, Route, Stage, Trace

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class ExtractiveGenerator:
    """Picks the sentences that answer and, where the question allows, the few words in them that do."""

    name = "extractive"

    def __init__(self, config: AnswerConfig) -> None:
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
        """Answer from the candidates, best first (five to ten are enough).

        `missing` is always told, for the case that whoever checks the answer refuses it.
        `question_vector`: unit vector, shape (d,). The trace's stages are those of the retrieval
        and this one, its seconds their sum. Raises Cancelled through `context`.
        """
        context.check()
        begin = time.perf_counter()
        reading = read(candidates, question_vector)
        way = plan(question)
        short = draft(reading, question, way)
        scores = score_lines(reading, question, way)
        chosen = select(reading, question, scores, short.lines, self._config.sentences)
        measured = support(reading, question, short.found, short.decided)
        abstained = not chosen or measured.score < self._config.abstain_below
        citations = tuple(
            cite(candidates[reading.lines[i].candidate], reading.lines[i].sentence) for i in chosen
        )
        if abstained:
            citations = ()
        sentences = tuple(c.quote for c in citations)
        stage = Stage("answer", time.perf_counter() - begin, _detail(measured, abstained))
        return Answer(
            text="" if abstained else short.text or sentences[0],
            sentences=sentences,
            citations=citations,
            evidence=marked_evidence(reading, scores, (*short.lines[-1:], *chosen)),
            trace=trace_of(question, retrieval, route, stage),
            abstained=abstained,
            missing=missing(reading, question, short.found),
            confidence=measured.score,
        )


def _detail(measured: Support, abstained: bool) -> str:
    parts = [("similarity", measured.similarity), ("names", measured.names), ("answer", measured.answer)]
    told = ", ".join(f"{name} {value:.2f}" for name, value in parts if value is not None)
    return f"support {measured.score:.2f} ({told})" + ("; abstained" if abstained else "")


def marked_evidence(reading: Reading, scores: list[float], first: tuple[int, ...]) -> tuple[Evidence, ...]:
    """Every candidate with one sentence marked: the earliest of `first` in it, else its best."""
    best: dict[int, tuple[int, float, int]] = {}
    for i, line in enumerate(reading.lines):
        order = -first.index(i) if i in first else -len(first) - 1
        mark = (order, scores[i], -i)
        if line.candidate not in best or mark > best[line.candidate]:
            best[line.candidate] = mark
    return tuple(
        as_evidence(candidate, reading.lines[-best[c][2]].sentence if c in best else None)
        for c, candidate in enumerate(reading.candidates)
    )


def trace_of(question: ParsedQuestion, retrieval: Retrieval, route: Route, stage: Stage) -> Trace:
    stages = (*retrieval.stages, stage)
    return Trace(
        question=question.text,
        route=route,
        stages=stages,
        seeds=retrieval.seeds,
        heat=retrieval.heat,
        hits=retrieval.hits,
        seconds=sum(s.seconds for s in stages),
        beam=retrieval.beam,
    )
