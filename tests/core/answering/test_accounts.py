"""Why, how and who somebody is are told by whole sentences, never by a torn span or by the question again."""

from __future__ import annotations

import pytest

from core.config import AnswerConfig
from core.types import Answer
from tests.core.answering.case import ask, candidate

EVERY = AnswerConfig(sure=0.0, min_probability=0.0)
YARD = (
    "The yard closed its gate at noon. Thieves had come over the wall twice. The crane was sold because its cable had "
    "rusted. The men were sent home. They had worked since dawn. The ropes were tarred with a brush in the loft. The "
    "brush was boiled afterwards."
)


def answer(question: str, *texts: str) -> Answer:
    return ask(question, [candidate(f"Yard {at}", text, at) for at, text in enumerate(texts, start=1)], EVERY)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Why was the crane sold?", "The crane was sold because its cable had rusted."),
        (
            "Why did the yard close its gate?",
            "The yard closed its gate at noon. Thieves had come over the wall twice.",
        ),
        (
            "How were the ropes tarred?",
            "The ropes were tarred with a brush in the loft. The brush was boiled afterwards.",
        ),
    ],
)
def test_the_passage_that_tells_it_is_made_of_whole_sentences(question: str, expected: str) -> None:
    found = answer(question, YARD)
    assert found.text == expected
    assert [citation.quote for citation in found.citations] == [expected]
    assert found.citations[0].marked is None


def test_a_stated_cause_is_a_literal_statement_and_a_mere_neighbour_is_none() -> None:
    assert answer("Why was the crane sold?", YARD).literal
    assert answer("Why did the yard close its gate?", YARD).literal is False


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "Edda Roth, the pilot of the port, came aboard at six.",
            "the pilot of the port",
        ),
        ("Edda Roth met Ulf Kern. Edda Roth is a surveyor from Kiel.", "a surveyor from Kiel"),
        ("Ulf Kern nodded. Edda Roth was elected treasurer of the guild.", "treasurer of the guild"),
        ("Present: Ulf Kern, Edda Roth (treasurer)", "treasurer"),
        ("Edda Roth, who was the widow of Ulf Kern, sold the mill.", "the widow of Ulf Kern"),
    ],
)
def test_who_somebody_is_is_what_a_sentence_says_of_them(text: str, expected: str) -> None:
    found = answer("Who is Edda Roth?", "Written by: Edda Roth", text)
    assert found.text == expected and found.literal


def test_without_a_description_a_sentence_about_them_is_possible_only() -> None:
    found = answer("Who is Edda Roth?", "Written by: Edda Roth", "Edda Roth left the harbour before dawn.")
    assert found.text == "Edda Roth left the harbour before dawn." and found.literal is False


def test_who_did_something_is_no_question_for_a_description() -> None:
    text = "Edda Roth, the pilot, sold the mill to Ulf Kern."
    assert answer("Who sold the mill to Ulf Kern?", text).text == "Edda Roth"


def test_front_matter_describes_nobody() -> None:
    assert answer("Who is Edda Roth?", "Title: Notes of Edda Roth").abstained
