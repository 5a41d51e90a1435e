"""Nothing answers that is of another time, of another kind of amount, or that says what a question denies."""

from __future__ import annotations

import pytest

from core.answering.restrictions import restrictions_of
from core.config import AnswerConfig
from core.extraction.question import parse_question
from core.models.spacy_model import load
from core.types import Answer
from tests.core.answering.case import ask, candidate

EVERY = AnswerConfig(sure=0.0, min_probability=0.0)


def answer(question: str, text: str, title: str = "Notes") -> Answer:
    return ask(question, [candidate(title, text)], EVERY)


def is_excluded(question: str, sentence: str, around: str = "") -> bool:
    return restrictions_of(parse_question(question, load())).excludes(sentence, around)


@pytest.mark.parametrize(
    ("question", "inside", "outside"),
    [
        (
            "Which ship sailed before May 2021?",
            "The Gull sailed on 30 April 2021.",
            "The Gull sailed on 1 May 2021.",
        ),
        (
            "Which ship sailed after 3 June?",
            "The Gull sailed on 4 June 1990.",
            "The Gull sailed on 3 June 1990.",
        ),
        ("Which ship sailed in 2020?", "Sailed: 2020-07-01; Ship: Gull", "Sailed: 2019-07-01; Ship: Gull"),
        ("Which ship sailed since 1950?", "The Gull sailed in 1950.", "The Gull sailed in 1949."),
        (
            "Which ships sailed between June and August 2021?",
            "The Gull sailed on 31 August 2021.",
            "The Gull sailed on 1 September 2021.",
        ),
        ("Who was master in 1960?", "Ada was master from 1955 to 1972.", "Ada was master from 1955 to 1959."),
        (
            "Who owned the mill in 1960?",
            "Since 1950 Ada has owned the mill.",
            "Since 1970 Ada has owned the mill.",
        ),
    ],
)
def test_a_sentence_of_another_time_does_not_answer(question: str, inside: str, outside: str) -> None:
    assert not is_excluded(question, inside)
    assert is_excluded(question, outside)


def test_a_sentence_without_a_date_has_that_of_its_document() -> None:
    question, sentence = "Who was elected in 2019?", "Ada Hale was elected."
    assert not is_excluded(question, sentence)
    assert not is_excluded(question, sentence, "Minutes of 4 March 2019")
    assert is_excluded(question, sentence, "Minutes of 4 March 2018")
    assert not is_excluded(question, "In that year Ada Hale was elected.", "Minutes of 4 March 2018")


@pytest.mark.parametrize(
    "question",
    [
        "Who signed the law of 1911?",
        "Which ship did the man who was born in 1920 buy?",
        "Was the mill sold before 1950?",
        "Why was the mill sold before 1950?",
        "Who may sell the mill?",
        "Who bought the 2020 tonnes?",
    ],
)
def test_what_restricts_nothing_excludes_nothing(question: str) -> None:
    assert not is_excluded(question, "Ada Hale sold it on 4 March 1918.")


def test_where_no_sentence_is_of_the_time_there_is_no_answer_and_it_says_so() -> None:
    text = "The ferry Lomvi took over the line on 12 April 1938."
    assert answer("Which ferry took over the line before 1940?", text).text == "Lomvi"
    found = answer("Which ferry took over the line after 1950?", text)
    assert found.abstained and "after 1950" in found.missing


MINUTES = (
    "Present: Ada Hale, Bo Lie",
    "Apologies for absence: Cy Rask.",
    "Bo Lie spoke of the lease. Ada Hale did not vote. Bo Lie signed the lease. Invoice 12 was paid.",
)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Who did not vote?", "Ada Hale"),
        ("Who didn't vote?", "Ada Hale"),
        ("Who did not attend?", "Cy Rask"),
        ("Who did not sign the lease?", ""),
        ("Which invoice was never paid?", ""),
    ],
)
def test_only_what_denies_it_answers_who_did_not(question: str, expected: str) -> None:
    found = ask(question, [candidate(text[:9], text, at) for at, text in enumerate(MINUTES, start=1)], EVERY)
    assert found.text == expected
    assert found.abstained == (not expected)
    assert not found.abstained or "denies" in found.missing


def test_a_sum_of_money_is_no_weight() -> None:
    text = "Sahl Fuel delivered 96 tonnes of oil. The invoice of Sahl Fuel came to £4,120."
    assert answer("How much did Sahl Fuel invoice?", text).text.endswith("£4,120")
    assert answer("How much did Sahl Fuel invoice?", text[:37]).abstained
    assert answer("How many pounds did Sahl Fuel invoice?", text).text.endswith("£4,120")
    assert answer("How many tonnes did Sahl Fuel deliver?", text).text.startswith("96")


@pytest.mark.parametrize(
    ("question", "text", "expected"),
    [
        (
            "To which address are faults reported?",
            "If you wish to report a fault, write to desk@mill.example.",
            "desk@mill.example",
        ),
        ("Who reported the fault?", "If Ada Hale reported the fault, Bo Lie must be paid.", ""),
    ],
)
def test_a_condition_that_is_what_is_asked_withdraws_nothing(question: str, text: str, expected: str) -> None:
    assert answer(question, text).text == expected
