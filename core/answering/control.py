"""The control loop: retrieve, answer, check, ask again in other words, and abstain rather than guess.

A2RAG III-B and Algorithm 1. The loop knows neither retrievers nor models: it is handed a way to make one
attempt, validators and ways to rewrite.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from core.answering.joint import repeats, words
from core.answering.rewriting import Step, innermost, substituted
from core.answering.validators import GROUNDING, RELEVANCE, Attempt, Judged, claims_of_quotes
from core.config import ControlConfig
from core.errors import ModelFault, ModelSilent, ModelUnavailable
from core.progress import TaskContext
from core.text.translation import mark, tr
from core.types import Answer, AnswerStep, Claim, Round, Stage, Verdict, Way
from core.types.stages import Checked


class Validators(Protocol):
    """Judges one attempt. Raises Cancelled, ModelFault."""

    name: str

    def judge(self, attempt: Attempt, context: TaskContext) -> Judged: ...


class Rewriter(Protocol):
    """Writes a question in other words after a failure; "" where it knows none. Raises Cancelled, ModelFault."""

    name: str

    def rewrite(self, attempt: Attempt, failed: str, context: TaskContext) -> str: ...


class Attempting(Protocol):
    """Makes one attempt. `route` "" is the one that the router picks; `strict` after an ungrounded answer."""

    def __call__(self, question: str, route: str, strict: bool = False) -> Attempt: ...


@dataclass(frozen=True, slots=True)
class _Step:
    """Something found first, with the attempt that found it."""

    found: AnswerStep
    attempt: Attempt


@dataclass(frozen=True, slots=True)
class Rewritten:
    """What is asked next. `via` is the step that found the name put in, whose evidence counts, too."""

    question: str
    route: str
    words: str
    via: _Step | None = None
    strict: bool = False


class Control:
    """Runs the loop for one question; made for it and used once."""

    def __init__(
        self,
        attempt: Attempting,
        validators: Validators,
        config: ControlConfig,
        widest: str,
        forced: str = "",
        rewriter: Rewriter | None = None,
        cutoff: float = 0.0,
        sure: float = 0.0,
    ) -> None:
        """`widest` is the route that looks furthest, "" for none; `forced` the one that the person chose, kept
        throughout; `cutoff` the probability from which on an answer is shown at all, `sure` that from which on what a
        question describes is put in its place without asking the person."""
        self._attempt = attempt
        self._validators = validators
        self._widest = widest
        self._forced = forced
        self._rewriter = rewriter
        self._cutoff = cutoff
        self._sure = sure
        # A model's call takes as long as all else together.
        self._again = min(config.rounds, 1) if rewriter is not None else config.rounds
        self._rounds: list[Round] = []
        self._tried: list[Judged] = []
        self._spent: list[tuple[Stage, ...]] = []  # beside the stages of each attempt
        self._steps: list[_Step] = []  # whose finds stand in the question as it is asked now
        self._unsure: AnswerStep | None = None
        self._asked_first = ""  # what was asked of a description

    def run(self, question: str, context: TaskContext) -> Answer:
        """The first answer that holds, else the best one that may stand, else that there is none.

        When the model's server fails, or a cap is reached, in a later round, what there is by then counts.
        Raises Cancelled, and ModelFault or ModelUnavailable in the first round.
        """
        following: Rewritten | None = Rewritten(question, self._forced, "")
        while following is not None:
            context.check()
            try:
                following = self._round(following, context)
            except (ModelFault, ModelUnavailable) as fault:
                if not self._tried:
                    raise
                return self._ended(
                    question,
                    self._best(),
                    tr("stopped in round {number}: {fault}", number=len(self._rounds) + 1, fault=fault),
                )
        return self._ended(question, self._best())

    def _round(self, asked: Rewritten, context: TaskContext) -> Rewritten | None:
        """Ask once, judge, and say what to ask next; None when it holds or nothing is left to try."""
        begin = time.perf_counter()
        attempt = self._attempt(asked.question, asked.route, asked.strict)
        if asked.via is not None:
            self._steps.append(asked.via)
        if self._steps and repeats(self._rounds[0].question, attempt.answer.text):
            attempt = _refused(attempt)  # words that a step took away
        asked_for = time.perf_counter()
        judged = self._validators.judge(attempt, context)
        if self._steps:  # judged by itself: how likely the steps are says nothing of its evidence
            judged = replace(judged, attempt=self._stepped(judged.attempt))
        self._tried.append(judged)
        checked = time.perf_counter()
        following = None
        answer = judged.attempt.answer
        checks = judged.validations
        check_summary = Checked(
            "" if answer.abstained else answer.text,
            checks,
            answer.claims,
            sum(c.passed for c in checks),
            len(checks),
        )
        self._spent.append((Stage(mark("checks"), checked - asked_for, "", check_summary),))
        done = Round(
            len(self._rounds) + 1,
            asked.question,
            answer.trace.route.name,
            "" if answer.abstained else answer.text,
            judged.validations,
            judged.failed,
            claims=answer.claims,
        )
        try:
            ended = self._written(judged) or self._not_there(judged)
            if judged.failed and done.number <= self._again and not ended:
                following = self._rewritten(judged, context)
                self._spent[-1] += (Stage(mark("next question"), time.perf_counter() - checked),)
        finally:
            words = following.words if following else ""
            self._rounds.append(replace(done, rewrite=words, seconds=time.perf_counter() - begin))
        return following

    def _stepped(self, attempt: Attempt) -> Attempt:
        """Return the attempt as likely as its answer and its steps together."""
        sure = math.prod([attempt.answer.confidence, *(step.found.confidence for step in self._steps)])
        return replace(attempt, answer=replace(attempt.answer, confidence=sure))

    def _written(self, judged: Judged) -> bool:
        """Whether a language model wrote an answer that the passages carry: another call takes as long again."""
        carried = any(check.passed for check in judged.validations if check.name == GROUNDING)
        return self._rewriter is not None and carried and not judged.attempt.answer.abstained

    def _not_there(self, judged: Judged) -> bool:
        """Whether model and reader agree: it says that the passages do not tell, and none is about what is asked."""
        silent = judged.attempt.answer.abstained and judged.failed == RELEVANCE
        return self._rewriter is not None and silent and innermost(judged.attempt.question) is None

    def _rewritten(self, judged: Judged, context: TaskContext) -> Rewritten | None:
        """A2RAG eq. 6: by the type of the failure."""
        attempt, failed = judged.attempt, judged.failed
        if failed == GROUNDING and self._rewriter is not None and not attempt.answer.abstained:
            words = tr("the same again, with nothing but what stands in the passages")
            return Rewritten(attempt.question.text, self._forced, words, strict=True)
        step = innermost(attempt.question)
        if step is not None:
            inner = self._validators.judge(self._attempt(step.question, self._forced), context)
            found = self._found(attempt, step, inner.attempt.answer)
            if found is not None and found.sure and not inner.failed:
                words = tr("asked first: {question} {answer}", question=found.question, answer=found.text)
                return Rewritten(found.following, self._forced, words, _Step(found, inner.attempt))
            self._asked_first = step.question
            self._unsure = replace(found, sure=False) if found is not None else self._unsure
        if self._rewriter is not None and failed != RELEVANCE:
            words = tr("the same with more passages")
            return Rewritten(attempt.question.text, self._forced, words, strict=True)
        if self._rewriter is not None:
            asked = self._rewriter.rewrite(attempt, failed, context)
            known = {done.question.casefold() for done in self._rounds} | {attempt.question.text.casefold()}
            if asked and asked.casefold() not in known:
                return Rewritten(
                    asked,
                    self._forced,
                    tr("{model} asks: {question}", model=self._rewriter.name, question=asked),
                )
        # Where the passages are about what is asked, those of another route never told it better.
        fallback = "" if self._forced or attempt.answer.trace.route.name == self._widest else self._widest
        if not fallback or failed != RELEVANCE:
            return None
        why = tr("passages on other things; looked further by {route}", route=fallback)
        return Rewritten(attempt.question.text, fallback, why)

    def _found(self, attempt: Attempt, step: Step, answer: Answer) -> AnswerStep | None:
        """What the answer tells of a step; None where it tells nothing that could stand in the question."""
        following = "" if answer.abstained else substituted(attempt.question, step, answer.text)
        if not following or answer.confidence < self._cutoff:
            return None
        citation = answer.main_citation or next(iter(answer.citations), None)
        sure = answer.confidence >= self._sure
        return AnswerStep(step.question, answer.text, answer.confidence, sure, following, citation)

    def _best(self) -> Judged:
        """The attempt that holds and may be shown, else the likeliest answer of all, else that there is none."""
        last = self._tried[-1]
        answer = last.attempt.answer
        if not last.failed and not answer.abstained and answer.confidence >= self._cutoff:
            return last
        return max(
            map(self._refuse_description, self._tried),
            key=lambda one: (not one.attempt.answer.abstained, one.attempt.answer.confidence),
        )

    def _refuse_description(self, judged: Judged) -> Judged:
        """Return the attempt, refused where it answers with what the question only describes: "the wife of the man
        who ..." is not that man. One that was used and led nowhere may be no step."""
        answer, step = judged.attempt.answer, self._unsure
        if answer.abstained or step is None:
            return judged
        answered, described = set(words(answer.text)), set(words(step.text))
        is_name = any(letter.isupper() for letter in answer.text)
        if answered == described or is_name and answered <= described:
            return replace(judged, attempt=_refused(judged.attempt))
        return judged

    def _ended(self, question: str, best: Judged, note: str = "") -> Answer:
        """The answer with what led to it: steps found first, rounds, stages of every attempt."""
        stages: list[Stage] = []
        for number, (judged, spent) in enumerate(zip(self._tried, self._spent, strict=True), start=1):
            if number > 1:
                stages.append(
                    Stage(
                        mark("round"),
                        0.0,
                        tr("{number}: {question}", number=number, question=judged.attempt.question.text),
                    )
                )
            stages += (*judged.attempt.answer.trace.stages, *spent)
        if note:
            stages.append(Stage(mark("round"), 0.0, note))
        attempt, failed = best.attempt, best.failed
        answer = attempt.answer
        trace = replace(answer.trace, question=question, stages=tuple(stages), rounds=tuple(self._rounds))
        used = self._steps if attempt.question.text != question else []
        steps = (*(step.found for step in used), *([self._unsure] if self._unsure is not None else []))
        if used:
            asked = tr("; ").join(f"{step.found.question} {step.found.text}" for step in used)
            trace = replace(trace, route=replace(trace.route, way=Way.STEPS, reason=asked))
        elif self._asked_first and answer.abstained:
            asked = tr("{question} (not found for sure)", question=self._asked_first)
            trace = replace(trace, route=replace(trace.route, way=Way.STEPS, reason=asked))
        answer = replace(answer, trace=trace, steps=steps, failed_check=failed)
        if answer.abstained:
            return answer
        claims = answer.claims or claims_of_quotes(answer, attempt.candidates)
        return _with_steps(replace(answer, claims=claims), [step.attempt.answer for step in used])


def ungrounded(answer: Answer) -> bool:
    """Whether it was refused because its last round said what no passage carries."""
    rounds = answer.trace.rounds
    return answer.abstained and bool(rounds) and rounds[-1].failure == GROUNDING and bool(rounds[-1].answer)


def fall_back_to_quotes(refused: Answer, quotes: Answer, name: str) -> Answer:
    """Quotes in the place of what `name` wrote and no passage carries, behind the rounds that it took."""
    *before, last = refused.trace.rounds
    last = replace(
        last, rewrite=tr("what {model} wrote is not carried by the passages; quotes in its place", model=name)
    )
    own = [replace(done, number=last.number + done.number) for done in quotes.trace.rounds]
    stages = (*refused.trace.stages, Stage(mark("round"), 0.0, tr("quotes")), *quotes.trace.stages)
    trace = replace(quotes.trace, stages=stages, rounds=(*before, last, *own))
    return replace(quotes, trace=trace, instead_of=name)


def fall_back_from_silence(quotes: Answer, fault: ModelSilent, name: str) -> Answer:
    """Quotes in the place of what `name` did not begin to write in time."""
    stages = (Stage(mark("round"), 0.0, str(fault)), *quotes.trace.stages)
    return replace(quotes, trace=replace(quotes.trace, stages=stages), instead_of=name, is_silent=True)


def _refused(attempt: Attempt) -> Attempt:
    """The attempt without its answer: what is missing is told instead."""
    answer = attempt.answer
    return replace(attempt, answer=answer.withdrawn(alternatives=answer.alternatives))


def _with_steps(answer: Answer, steps: Sequence[Answer]) -> Answer:
    """The answer behind the first sentence of each step that was found for it."""
    if not steps:
        return answer
    pairs = [(step.sentences[0], step.citations[0]) for step in steps if step.citations]
    pairs = list(dict.fromkeys(pairs))
    own = list(zip(answer.sentences, answer.citations, strict=True))
    before = [pair for pair in pairs if pair[1] not in answer.citations]
    evidence = {entry.hit.passage_id: entry for entry in answer.evidence}
    for step, (_, citation) in ((step, pair) for step in steps for pair in before):
        for entry in step.evidence:
            if entry.hit.passage_id == citation.passage_id:
                evidence.setdefault(citation.passage_id, entry)
    claims = tuple(
        replace(claim, citations=tuple(at + len(before) for at in claim.citations)) for claim in answer.claims
    )
    found = tuple(
        Claim(text, Verdict.SUPPORTED, (at,), tr("found first")) for at, (text, _) in enumerate(before)
    )
    return replace(
        answer,
        sentences=tuple(sentence for sentence, _ in (*before, *own)),
        citations=tuple(citation for _, citation in (*before, *own)),
        claims=(*found, *claims) if claims else (),
        evidence=tuple(evidence.values()),
    )
