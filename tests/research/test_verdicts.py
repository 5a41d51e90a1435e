"""What becomes of judged answers, worked out case by case over scripted answers."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core.research.verdicts import Outcome, _confidence, outcome_of, same_place, summarise_verdicts
from core.types import Answer, Citation, Complexity, JudgedAnswer, JudgedPlace, Route, Trace

TRACE = Trace("Q?", Route("fusion", Complexity(0.5, 0.3, 0.7, ())), (), (), {}, (), 0.0)
REFUSED = Answer("", (), (), (), TRACE, abstained=True)
PLACE = JudgedPlace("a.txt", "sha", 10, 20, "ten letter")


def judged(answer: str, right: bool, right_answer: str = "") -> JudgedAnswer:
    return JudgedAnswer("Q?", answer, right, (PLACE,), 0.8, "fusion", False, "0", "2026-01-01", right_answer)


def said(text: str, guess: bool = False) -> Answer:
    return Answer(text, (text,), (), (), TRACE, guess=guess, confidence=0.6)


@pytest.mark.parametrize(
    ("before", "now", "outcome"),
    [
        (judged("Otto Kask", True), said("the Otto Kask."), Outcome.STILL_RIGHT),
        (judged("Otto Kask", True), said("Oslo"), Outcome.OTHER),
        (judged("Otto Kask", True), said("Otto Kask", guess=True), Outcome.GUESSED),
        (judged("Otto Kask", True), REFUSED, Outcome.REFUSED),
        (judged("", True), REFUSED, Outcome.STILL_RIGHT),
        (judged("", True), said("Oslo", guess=True), Outcome.STILL_RIGHT),
        (judged("", True), said("Oslo"), Outcome.OTHER),
        (judged("", False), REFUSED, Outcome.REPEATED),
        (judged("", False, "Oslo"), said("Oslo"), Outcome.MENDED),
        (judged("Bergen", False), said("Bergen"), Outcome.REPEATED),
        (judged("Bergen", False), said("Oslo"), Outcome.OTHER),
        (judged("Bergen", False, "Oslo"), said("Oslo"), Outcome.MENDED),
        (judged("in May 1921", False, "in May 1922"), said("in May 1921"), Outcome.REPEATED),
    ],
)
def test_outcomes(before: JudgedAnswer, now: Answer, outcome: Outcome) -> None:
    assert outcome_of(before, now) == outcome


def test_what_is_known_of_a_question_is_all_that_was_said_of_its_answers() -> None:
    group = [judged("Bergen", False), judged("Oslo", True)]
    assert _confidence(group, said("Oslo")).right is True
    assert _confidence(group, said("Rome")).right is False  # the right one is another
    assert _confidence(group[:1], said("Rome")).right is None  # nobody knows
    assert _confidence(group[:1], said("Bergen")).right is False
    assert _confidence(group, REFUSED).right is None
    silent = _confidence([judged("", True)], said("Rome"))
    assert (silent.right, silent.answerable) == (False, False)


def test_places_are_the_same_by_content_else_by_their_words() -> None:
    cited = Citation("p", "d", "b.txt", "B", None, 19, 30, "other words")
    assert same_place(PLACE, cited, "sha")
    assert not same_place(PLACE, replace(cited, start=20), "sha")
    assert not same_place(PLACE, cited, "changed")
    assert same_place(PLACE, replace(cited, document="a.txt", quote="a  ten letter quote"), "changed")
    assert not same_place(replace(PLACE, quote=""), replace(cited, document="a.txt"), "changed")


def test_nothing_judged_right_has_no_means() -> None:
    found = summarise_verdicts((), ())
    assert (found.exact, found.calibration.answers, found.lost) == (0.0, 0, {})
