"""The control loop: retrieve, answer, check, ask again in other words, and abstain rather than guess.

A2RAG III-B and Algorithm 1. The loop knows neither retrievers nor models: it is handed a way to make one
attempt, validators and ways to rewrite.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from core.answering.rewriting import innermost, substituted
from core.answering.validators import RELEVANCE, RESOLUTION, Attempt, claims_of_quotes, failure
from core.config import ControlConfig
from core.progress import TaskContext
from core.types import Answer, Citation, Evidence, Round, Stage, Validation


class Validators(Protocol):
    """Judges one attempt: relevance, grounding, resolution, in this order."""

    name: str

    def validate(self, attempt: Attempt) -> tuple[Validation, ...]: ...


# (question, route; "" for the route that the router picks) -> attempt
Attempting = Callable[[str, str], Attempt]


@dataclass(frozen=True, slots=True)
class Rewritten:
    """What is asked next. `via` is the attempt that found the name put in, whose evidence counts, too."""

    question: str
    route: str
    words: str
    via: Attempt | None = None


class Control:
    """Runs the loop for one question."""

    def __init__(
        self,
        attempt: Attempting,
        validators: Validators,
        config: ControlConfig,
        widest: str,
        forced: str = "",
    ) -> None:
        """`widest` is the route that looks furthest; `forced` the one that the person chose, kept throughout."""
        self._attempt = attempt
        self._validators = validators
        self._config = config
        self._widest = widest
        self._forced = forced
        self._rounds: list[Round] = []
        self._chain: list[Attempt] = []  # attempts whose finds stand in the question as it is asked now

    def run(self, question: str, context: TaskContext) -> Answer:
        """The first answer that holds, else the best one that may stand, else that there is none."""
        tried: list[tuple[Attempt, tuple[Validation, ...]]] = []
        asked, route = question, self._forced
        for number in range(1, self._config.rounds + 2):
            context.check()
            begin = time.perf_counter()
            attempt = self._attempt(asked, route)
            checks = self._validators.validate(attempt)
            tried.append((attempt, checks))
            failed = failure(checks)
            following = None
            if failed and number <= self._config.rounds:
                following = self._rewritten(attempt, failed)
            told = attempt.answer
            self._rounds.append(
                Round(
                    number,
                    asked,
                    told.trace.route.name,
                    "" if told.abstained else told.text,
                    checks,
                    failed,
                    following.words if following else "",
                    time.perf_counter() - begin,
                )
            )
            if not failed:
                return self._ended(question, attempt, tried)
            if following is None:
                break
            asked, route = following.question, following.route
            if following.via is not None:
                self._chain.append(following.via)
        best = self._best(tried)
        if best is None:
            return self._ended(question, _refused(tried[0][0]), tried)
        return self._ended(question, best, tried)

    def _rewritten(self, attempt: Attempt, failed: str) -> Rewritten | None:
        """The next thing to ask after a failure; None when nothing is left to try."""
        step = innermost(attempt.question)
        if step is not None:
            inner = self._attempt(step.question, self._forced)
            holds = not failure(self._validators.validate(inner))
            asked = substituted(attempt.question, step, inner.answer.text) if holds else ""
            if asked:
                words = f"asked first: {step.question} {inner.answer.text}"
                return Rewritten(asked, self._forced, words, inner)
        if self._forced or attempt.answer.trace.route.name == self._widest:
            return None
        why = "passages on other things" if failed == RELEVANCE else "an answer that does not hold"
        return Rewritten(attempt.question.text, self._widest, f"{why}; looked further by {self._widest}")

    def _best(self, tried: Sequence[tuple[Attempt, tuple[Validation, ...]]]) -> Attempt | None:
        """The attempt with the most support that may stand though it does not fully hold."""
        fitting = [
            attempt
            for attempt, checks in tried
            if all(check.passed for check in checks if check.name != RESOLUTION)
            and attempt.answer.confidence >= self._config.last_resort
        ]
        return max(fitting, key=lambda attempt: attempt.answer.confidence, default=None)

    def _ended(
        self, question: str, attempt: Attempt, tried: Sequence[tuple[Attempt, tuple[Validation, ...]]]
    ) -> Answer:
        """The answer with what led to it: steps found first, rounds, stages of every attempt."""
        answer = attempt.answer
        before = self._chain if attempt.question.text != question else []
        stages: list[Stage] = []
        for number, (each, _) in enumerate(tried, start=1):
            if number > 1:
                stages.append(Stage("round", 0.0, f"{number}: {each.question.text}"))
            stages.extend(each.answer.trace.stages)
        trace = replace(answer.trace, question=question, stages=tuple(stages), rounds=tuple(self._rounds))
        answer = replace(answer, trace=trace)
        if answer.abstained:
            return answer
        answer = replace(answer, missing="")
        answer = _with_steps(answer, [step.answer for step in before])
        everything = [c for each, _ in tried for c in each.candidates] + [
            c for step in before for c in step.candidates
        ]
        return replace(answer, claims=answer.claims or claims_of_quotes(answer, everything))


def _refused(attempt: Attempt) -> Attempt:
    """The attempt without its answer: what is missing is told instead."""
    answer = replace(attempt.answer, text="", sentences=(), citations=(), claims=(), abstained=True)
    return replace(attempt, answer=answer)


def _with_steps(answer: Answer, steps: Sequence[Answer]) -> Answer:
    """The answer behind the sentences by which its steps were found."""
    citations: list[Citation] = []
    evidence: dict[str, Evidence] = {e.hit.passage_id: e for e in answer.evidence}
    for step in (*steps, answer):
        for citation in step.citations[: 1 if step is not answer else None]:
            if citation not in citations:
                citations.append(citation)
        for shown in step.evidence:
            if any(shown.hit.passage_id == c.passage_id for c in citations):
                evidence.setdefault(shown.hit.passage_id, shown)
    return replace(
        answer,
        citations=tuple(citations),
        sentences=tuple(citation.quote for citation in citations),
        evidence=tuple(evidence.values()),
    )
