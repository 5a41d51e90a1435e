"""Questions that restrict their answer to a time, and sentences that name another one."""

from __future__ import annotations

from datetime import date

import pytest

from core.config import AnswerConfig
from core.text.periods import lies_outside, restriction_of
from tests.core.answering.case import ask, candidate

EVERY = AnswerConfig(sure=0.0, min_probability=0.0)  # whatever its probability


@pytest.mark.parametrize(
    ("question", "first", "last"),
    [
        ("Who was treasurer before May 2021?", None, date(2021, 4, 30)),
        ("Which invoices came after 3 June 2021?", date(2021, 6, 4), None),
        ("Who bought the ship in 1998?", date(1998, 1, 1), date(1998, 12, 31)),
        ("What was paid between 1990 and 1995?", date(1990, 1, 1), date(1995, 12, 31)),
        ("Who chaired from March 2016 to May 2018?", date(2016, 3, 1), date(2018, 5, 31)),
        ("Who has owned it since 2004?", date(2004, 1, 1), None),
        ("What had to be paid by 2 March 2020?", None, date(2020, 3, 2)),
    ],
)
def test_bounds_of_a_question(question: str, first: date | None, last: date | None) -> None:
    found = restriction_of(question)
    assert found is not None
    assert (found.first, found.last) == (
        first.toordinal() if first else 0,
        last.toordinal() if last else 10_000_000,
    )


@pytest.mark.parametrize(
    "question",
    ["Who owns the 1985 ship?", "Who signed?", "When was it sold?", "Who paid 1,998 euros in all?"],
)
def test_a_question_without_bounds(question: str) -> None:
    assert restriction_of(question) is None


def test_a_sentence_without_a_time_lies_nowhere() -> None:
    restriction = restriction_of("Who was treasurer before May 2021?")
    assert restriction is not None
    assert not lies_outside(restriction, "Ann was elected treasurer.")
    assert not lies_outside(restriction, "Ann was treasurer from 2019 to 2022.")
    assert lies_outside(restriction, "Ann was elected treasurer on 4 June 2022.")


MINUTES = (
    "Ann Lee was elected treasurer on 4 June 2022. Bo Dahl was elected treasurer on 3 June 2019. "
    "Cy Ek was elected treasurer on 2 June 2016."
)


@pytest.mark.parametrize(
    ("when", "wanted"), [("in 2019", "Bo Dahl"), ("in June 2016", "Cy Ek"), ("after May 2021", "Ann Lee")]
)
def test_the_sentence_of_that_time_answers(when: str, wanted: str) -> None:
    assert ask(f"Who was elected treasurer {when}?", [candidate("Minutes", MINUTES)], EVERY).text == wanted


def test_another_time_makes_no_sure_answer() -> None:
    here = ask("Who was elected treasurer in 2022?", [candidate("Minutes", MINUTES)], EVERY)
    there = ask("Who was elected treasurer in 1999?", [candidate("Minutes", MINUTES)], EVERY)
    assert there.confidence <= here.confidence / 2 + 0.05
