"""Which of two came first, and whether two are the same, from what a stand-in for the reader finds of each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import numpy as np
import pytest

from core.answering.comparing import compared
from core.answering.comprehension import Comprehension, Understood
from core.answering.joint import Place, Proposal
from core.extraction.question import parse_question
from core.models.reader import ReaderPassage
from core.models.reader_examples import Kind
from core.models.spacy_model import load
from tests.core.answering.case import case

FILMS = ("Northern Lights", "Last Harbour")


class Found:
    """Says of each name what it is given, whatever is asked."""

    def __init__(self, values: dict[str, str]) -> None:
        self._values = values

    def understand(
        self, question: str, passages: Sequence[ReaderPassage], scores: Sequence[float]
    ) -> Understood:
        value = next((value for name, value in self._values.items() if name in question), "")
        if not value:
            return Understood((), ())
        proposal = Proposal(value, Kind.SPAN, (Place(0, 0, 5),), np.zeros(0))
        return Understood((), ((proposal, 0.8),))


@pytest.mark.parametrize(
    ("first", "second", "wanted"),
    [
        ("1931", "1948", "Northern Lights"),
        ("3 May 1950", "1 May 1950", "Last Harbour"),
        ("9 May 1922", "1948", "Northern Lights"),
        ("1950", "3 May 1950", ""),
    ],
)
def test_dates_decide_as_far_as_they_reach(first: str, second: str, wanted: str) -> None:
    question = parse_question("Which film was released first, Northern Lights or Last Harbour?", load())
    found = Found(dict(zip(FILMS, (first, second), strict=True)))
    answer = compared(question, case(*FILMS), cast(Any, found))
    assert (answer.text if answer else "") == wanted
    if answer:
        assert answer.probability == pytest.approx((1 + 0.8 * 0.8) / 2)
        assert [place.passage for place in answer.places] == [0, 1]


def test_nothing_is_compared_where_one_thing_is_asked() -> None:
    question = parse_question("When was Northern Lights released?", load())
    assert compared(question, case(FILMS[0]), cast(Comprehension, Found({}))) is None
