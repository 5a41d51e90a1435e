"""What is read off a question: form, names, what it asks for, its unnamed steps. Real spaCy."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.extraction.question import ParsedQuestion, QuestionType, parse_question
from core.models.spacy_model import load


def parse(text: str) -> ParsedQuestion:
    return parse_question(text, load())


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Who founded Brand Lines?", QuestionType.WHO),
        ("How many containers did the Halcyon lose?", QuestionType.HOW_MANY),
        ("Marta Holm worked for a firm that was founded by who?", QuestionType.WHO),
        ("Marta Holm has a medal. Does Jonas Berg have one?", QuestionType.YES_NO),
        ("Name the mother of Marta Holm.", QuestionType.OTHER),
    ],
)
def test_form(text: str, kind: QuestionType) -> None:
    assert parse(text).type is kind


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Who is older, Marta Holm or Jonas Berg?", ["Marta Holm", "Jonas Berg"]),
        ("When did the director of film Dune (2020 Film) die?", ["Dune (2020 Film)"]),
        ("Who wrote “the long watch”?", ["the long watch"]),
        (
            "Who was the wife of Charles Neville, 6th Earl of Westmorland?",
            ["Charles Neville, 6th Earl of Westmorland"],
        ),
    ],
)
def test_names(text: str, names: list[str]) -> None:
    question = parse(text)
    assert [name.text for name in question.names] == names
    for name in question.names:
        assert question.text[name.start : name.end] == name.text


def test_choices_are_the_names_around_or() -> None:
    assert [n.text for n in parse("Which film came out first, Last Harbour or Northern Lights?").choices] == [
        "Last Harbour",
        "Northern Lights",
    ]
    assert parse("Who met Marta Holm and Jonas Berg?").choices == ()


@pytest.mark.parametrize(
    ("text", "steps"),
    [
        ("When did the director of the film Northern Lights die?", ["director"]),
        ("Who is the director of the film Northern Lights?", []),
        ("Which bank paid the owner of the ship that sank off Port Alder?", ["owner", "ship"]),
    ],
)
def test_steps_are_described_things_that_are_not_asked_for(text: str, steps: list[str]) -> None:
    question = parse(text)
    assert [question.tokens[i].text for i in question.steps] == steps


@settings(max_examples=20, deadline=None)
@given(st.text(max_size=200))
def test_any_text_can_be_read(text: str) -> None:
    question = parse(text)
    assert all(0 <= name.start < name.end <= len(question.text) for name in question.names)
    spans = sorted((name.first, name.last) for name in question.names)
    assert all(left[1] <= right[0] for left, right in pairwise(spans))
