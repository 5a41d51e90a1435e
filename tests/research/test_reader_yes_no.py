"""The test of yes and no that is made of people's questions."""

from __future__ import annotations

import pytest

from core.models.spacy_model import load
from core.research.reader_data import yes_no


@pytest.mark.parametrize(
    ("question", "answer", "made"),
    [
        ("Who signed the deed?", "Anna Keller", "Did Anna Keller sign the deed?"),
        ("When was the deed signed?", "4 May 1930", "Was the deed signed on 4 May 1930?"),
        ("Where was the deed signed?", "Bergen", "Was the deed signed in Bergen?"),
        ("How many ships did Anna sell?", "three", "Did Anna sell three ships?"),
        ("Who is the captain of the Halcyon?", "Otto Kask", "Is the captain of the Halcyon Otto Kask?"),
    ],
)
def test_an_answer_is_put_into_its_question(question: str, answer: str, made: str) -> None:
    frame = yes_no.frame(load()(question))
    assert frame is not None and frame.asked(yes_no._fitted(answer, frame)) == made


@pytest.mark.parametrize(
    "question", ["Why did Anna leave?", "What did she do then?", "Bergen?", "How was it?"]
)
def test_questions_that_take_no_answer(question: str) -> None:
    assert yes_no.frame(load()(question)) is None
