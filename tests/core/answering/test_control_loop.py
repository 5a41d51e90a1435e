"""The loop by itself, over attempts that are made up: what it asks next, and what it lets stand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest

from core.answering.candidates import Candidate
from core.answering.control import Control, Rewriter
from core.answering.models import Models
from core.answering.validators import Attempt, TripleCheck, claims_of_quotes, failure
from core.config import ControlConfig
from core.progress import TaskContext
from core.text.stems import content_stems
from core.types import (
    Answer,
    Citation,
    Complexity,
    Evidence,
    Hit,
    Passage,
    Route,
    Sentence,
    Stage,
    Trace,
    Verdict,
)
from tests.core.answering.case import COMPREHENSION

OUTER = "Who was the first president of Damerjog's country?"
INNER = "What is Damerjog's country?"
NEXT = "Who was the first president of Djibouti?"


class World:
    """Answers by question: (text, support, passage). What is not listed finds nothing."""

    def __init__(self, models: Models, answers: Mapping[str, tuple[str, float, str]]) -> None:
        self._models = models
        self._answers = answers
        self.asked: list[tuple[str, str]] = []

    def __call__(self, question: str, route: str, strict: bool = False) -> Attempt:
        self.asked.append((question, route))
        text, support, passage = self._answers.get(question, ("", 0.0, "Nothing stands here."))
        return attempt(self._models, question, route or "dense", text, support, passage)


def attempt(models: Models, question: str, route: str, text: str, support: float, passage: str) -> Attempt:
    all_of_it = (Sentence(0, len(passage)),)
    row = Passage(f"p-{passage[:9]}", "d", 0, "", passage, 0, len(passage), None, all_of_it)
    hit = Hit(row.id, 1.0, 1)
    cited = (Citation(row.id, "d", "d.txt", "", None, 0, len(passage), passage),) if text else ()
    way = Route(route, Complexity(0.1, 0.3, 0.6, ()))
    trace = Trace(question, way, (Stage("answer", 0.0),), (), {}, (hit,), 0.0)
    quotes, evidence = tuple(c.quote for c in cited), (Evidence(hit, row, "d.txt"),)
    answer = Answer(text, quotes, cited, evidence, trace, not text, "Nothing.", support)
    near = 0.9 if content_stems(question) & content_stems(passage) else 0.1
    vectors = np.array([[near, (1 - near**2) ** 0.5]], np.float32)
    asked = np.array([1.0, 0.0], np.float32)
    return Attempt(models.parse(question), asked, (Candidate(hit, row, "d.txt", vectors),), answer)


def loop(
    world: World,
    forced: str = "",
    rounds: int = 2,
    rewriter: Rewriter | None = None,
    widest: str = "graph",
    best: float = 0.0,
    sure: float = 0.0,
) -> Control:
    config = ControlConfig(rounds=rounds)
    validators = TripleCheck(config, COMPREHENSION)
    return Control(world, validators, config, widest, forced, rewriter, best, sure)


GUELLEH = "Hassan Gouled Aptidon was the first president of Djibouti."
DAMERJOG = "Damerjog is a town in Djibouti."


def test_the_inner_step_is_asked_first_and_its_evidence_stays(models: Models) -> None:
    world = World(models, {INNER: ("Djibouti", 0.8, DAMERJOG), NEXT: ("Hassan Gouled Aptidon", 0.9, GUELLEH)})
    answer = loop(world).run(OUTER, TaskContext())
    assert [question for question, _ in world.asked] == [OUTER, INNER, NEXT]
    assert answer.text == "Hassan Gouled Aptidon" and answer.confidence == pytest.approx(0.8 * 0.9)
    assert answer.sentences == (DAMERJOG, GUELLEH), "how the step was found stands before the answer"
    assert [claim.verdict for claim in answer.claims] == [Verdict.SUPPORTED, Verdict.SUPPORTED]
    assert {evidence.passage.text for evidence in answer.evidence} == {DAMERJOG, GUELLEH}
    first, second = answer.trace.rounds
    assert first.rewrite == f"asked first: {INNER} Djibouti"
    assert second.question == NEXT
    assert answer.trace.question == OUTER
    (step,) = answer.steps
    assert (step.question, step.text, step.sure, step.following) == (INNER, "Djibouti", True, NEXT)
    assert step.citation is not None and step.citation.quote == DAMERJOG


def test_an_unsure_step_is_asked_back_in_place_of_being_used(models: Models) -> None:
    world = World(models, {INNER: ("Djibouti", 0.4, DAMERJOG), NEXT: ("Hassan Gouled Aptidon", 0.9, GUELLEH)})
    answer = loop(world, sure=0.5).run(OUTER, TaskContext())
    assert NEXT not in [question for question, _ in world.asked]
    assert answer.abstained
    (step,) = answer.steps
    assert (step.text, step.confidence, step.sure, step.following) == ("Djibouti", 0.4, False, NEXT)


def test_what_the_question_only_describes_is_no_answer_to_it(models: Models) -> None:
    """The country is not its president, however sure the reader is."""
    world = World(models, {OUTER: ("Djibouti", 0.7, DAMERJOG), INNER: ("Djibouti", 0.4, DAMERJOG)})
    answer = loop(world, sure=0.5).run(OUTER, TaskContext())
    assert answer.abstained
    (step,) = answer.steps
    assert (step.text, step.sure) == ("Djibouti", False)


def test_the_persons_route_is_never_left_and_rounds_are_bounded(models: Models) -> None:
    world = World(models, {})
    loop(world, forced="dense").run(OUTER, TaskContext())
    assert {route for _, route in world.asked} == {"dense"}
    for rounds in (0, 1):
        answer = loop(World(models, {}), rounds=rounds).run(OUTER, TaskContext())
        assert len(answer.trace.rounds) <= rounds + 1


def test_a_weak_answer_is_handed_on_with_its_probability(models: Models) -> None:
    """Whether it is an answer, a guess or not told is decided by the bars, behind the loop."""
    question = "Who was the first president of Djibouti?"
    world = World(models, {question: ("Hassan Gouled Aptidon", 0.1, GUELLEH)})
    answer = loop(world).run(question, TaskContext())
    assert (answer.text, answer.confidence) == ("Hassan Gouled Aptidon", 0.1)
    assert answer.trace.rounds[0].failure == "", "the checks look at other things"
    assert answer.missing == "Nothing.", "what was looked for is told, should the bars refuse it"


@pytest.mark.parametrize("supports", [{"": 0.4, "graph": 0.2}, {"": 0.2, "graph": 0.4}])
def test_of_answers_that_all_fail_the_likeliest_is_handed_on(
    models: Models, supports: dict[str, float]
) -> None:
    def ask(question: str, route: str, strict: bool = False) -> Attempt:
        passage = "Bread is made of flour."
        return attempt(models, question, route or "dense", "Otto Kask", supports[route], passage)

    control = Control(ask, TripleCheck(ControlConfig(), COMPREHENSION), ControlConfig(), "graph")
    answer = control.run("Who was the first president of Djibouti?", TaskContext())
    assert [done.failure for done in answer.trace.rounds] == ["relevance", "relevance"]
    assert answer.confidence == 0.4


class Another:
    """Asks the same in other words, as a language model does."""

    name = "another"

    def rewrite(self, attempt: Attempt, failed: str, context: TaskContext) -> str:
        return "Who led Djibouti first?"


def test_what_a_model_wrote_and_passages_carry_is_not_asked_for_again(models: Models) -> None:
    question = "Who was the first president of Djibouti?"
    carried = World(models, {question: ("Hassan Gouled Aptidon", 0.5, GUELLEH)})
    answer = loop(carried, rewriter=Another()).run(question, TaskContext())
    assert [asked for asked, _ in carried.asked] == [question]
    assert answer.text == "Hassan Gouled Aptidon"


def test_a_silent_model_is_asked_once_more_where_the_passages_are_about_it(models: Models) -> None:
    question = "Who was the first president of Djibouti?"
    elsewhere = World(models, {})
    loop(elsewhere, rewriter=Another()).run(question, TaskContext())
    assert [asked for asked, _ in elsewhere.asked] == [question], (
        "model and reader agree that it is not there"
    )
    near = World(models, {question: ("", 0.0, GUELLEH)})
    answer = loop(near, rewriter=Another()).run(question, TaskContext())
    assert [asked for asked, _ in near.asked] == [question, question]
    assert answer.trace.rounds[0].rewrite == "the same with more passages"


def test_a_step_takes_no_words_of_the_person_away(models: Models) -> None:
    """“version” stands in the question; after the step's find it no longer would."""
    answers = {INNER: ("Djibouti", 0.8, DAMERJOG), NEXT: ("the country's president", 0.9, GUELLEH)}
    answer = loop(World(models, answers)).run(OUTER, TaskContext())
    assert answer.abstained and not answer.text
    assert answer.trace.rounds[1].answer == ""


def test_a_quote_that_no_passage_holds_is_not_grounded(models: Models) -> None:
    own = attempt(models, NEXT, "dense", "Hassan Gouled Aptidon", 0.9, GUELLEH)
    (good,) = claims_of_quotes(own.answer, own.candidates)
    assert good.verdict is Verdict.SUPPORTED
    (wrong,) = claims_of_quotes(own.answer, ())
    assert (wrong.verdict, wrong.citations) == (Verdict.ABSENT, ())
    validators = TripleCheck(ControlConfig(), COMPREHENSION)
    lied = replace(own, answer=replace(own.answer, claims=(wrong,)))
    assert failure(validators.judge(lied, TaskContext()).validations) == "grounding"


@pytest.mark.parametrize(
    ("text", "failed", "words"),
    [
        ("Hassan Gouled Aptidon", "", "of a kind that is open"),
        ("Yes", "resolution", "of another kind than is asked for"),
    ],
)
def test_an_answer_of_another_kind_does_not_resolve_the_question(
    models: Models, text: str, failed: str, words: str
) -> None:
    own = attempt(models, NEXT, "dense", text, 0.9, GUELLEH)
    judged = TripleCheck(ControlConfig(), COMPREHENSION).judge(own, TaskContext())
    assert judged.failed == failed
    assert judged.validations[2].words.startswith(words)


def test_what_is_described_and_not_found_leaves_the_question_open(models: Models) -> None:
    """However surely a passage tells the words: they may answer the half of it."""
    passage = "Hassan Gouled Aptidon was the first president of Damerjog's country."
    own = attempt(models, OUTER, "dense", "Hassan Gouled Aptidon", 0.9, passage)
    resolution = TripleCheck(ControlConfig(), COMPREHENSION).judge(own, TaskContext()).validations[2]
    assert not resolution.passed and resolution.score > ControlConfig().resolution
    assert INNER in resolution.words


def test_a_quote_that_holds_little_of_what_is_asked_is_not_grounded(models: Models) -> None:
    asked = "Which shipyard repaired the Grey Petrel's rudder in Bremerhaven?"
    own = attempt(models, asked, "dense", "Brandvold", 0.9, "Brandvold Lines sold tin and timber in Oslo.")
    judged = TripleCheck(ControlConfig(), COMPREHENSION).judge(own, TaskContext())
    grounding = judged.validations[1]
    assert not grounding.passed and grounding.score == 0.0
    assert "“repaired”" in grounding.words, "what is lacking is named"
    assert "shipyard" not in grounding.words, "the quote gives the name of the kind that is asked for"
    assert [claim.verdict for claim in judged.attempt.answer.claims] == [Verdict.ABSENT]
