"""A sentence that states what is asked is told from one that only stands near."""

from __future__ import annotations

import pytest

from core.answering.statement import SIGNALS, QuestionFrame, passage_signals
from core.extraction.question import parse_question
from core.models.spacy_model import parsed


def look(question: str, text: str, words: str, title: str = "") -> dict[str, float]:
    start = text.index(words)
    frame = QuestionFrame(parse_question(question, parsed))
    found = passage_signals(frame, text, start, start + len(words), title, parsed)
    return dict(zip(SIGNALS, found, strict=True))


def test_a_literal_statement_has_all_signals() -> None:
    text = "Portuguese police arrested Tobias Renwick at the airport of Funchal on 8 November 2021."
    found = look("Where was Tobias Renwick arrested?", text, "Funchal")
    assert found["of the kind"] == found["names"] == found["predicate"] == 1.0 and found["linked"] > 0.3
    assert found["role of the name"] == 1.0


def test_words_of_another_kind_are_noticed() -> None:
    text = "Portuguese police arrested Tobias Renwick at the airport of Funchal on 8 November 2021."
    assert look("When was Tobias Renwick arrested?", text, "Funchal")["of the kind"] == -1.0
    assert look("When was Tobias Renwick arrested?", text, "8 November 2021")["of the kind"] == 1.0


@pytest.mark.parametrize(("words", "role"), [("Anders Brandvold", 1.0), ("the company", -1.0)])
def test_who_did_it_is_not_who_it_was_done_to(words: str, role: float) -> None:
    text = "Anders Brandvold sold the company to Oriel Nominees."
    assert look("Who sold the yard?", text, words)["role of the answer"] == role


def test_a_passive_sentence_has_the_same_roles() -> None:
    text = "The company was sold by Anders Brandvold in 1999."
    assert look("Who sold the company?", text, "Anders Brandvold")["role of the answer"] == 1.0


def test_the_title_says_who_is_spoken_of_and_another_person_does_not() -> None:
    text = "She was appointed chief financial officer on 14 January 2019."
    question = "When was Paula Marchetti appointed?"
    assert look(question, text, "14 January 2019", "Paula Marchetti")["names"] > 0.8
    assert look(question, text, "14 January 2019", "Astrid Brandvold")["names"] == 0.0


def test_dates_in_brackets_behind_a_name_are_birth_and_death() -> None:
    text = "Einar Voss (4 March 1890 \u2013 17 August 1957) was a director."
    question = "When did Einar Voss die?"
    assert look(question, text, "17 August 1957")["predicate"] == 1.0
    assert look(question, text, "4 March 1890")["predicate"] == 0.0


def test_a_year_is_no_amount() -> None:
    text = "Marta Ilves founded Ilves Shipping in Tallinn in 1998 with 14 clerks."
    question = "How many employees does Ilves Shipping have?"
    assert look(question, text, "in 1998")["of the kind"] == -1.0
    assert look(question, text, "14")["of the kind"] == 1.0


@pytest.mark.parametrize(
    "question", ["How much did Ilves invoice?", "What did the oil cost?", "How much was the fee?"]
)
def test_a_sum_of_money_is_no_number_of_something_else(question: str) -> None:
    text = "Ilves invoiced 97 tonnes of oil at 610 euros each, for a fee of EUR 59,170 in all."
    assert look(question, text, "97 tonnes")["of the kind"] == -1.0
    assert look(question, text, "EUR 59,170")["of the kind"] == 1.0
    assert look(question.replace("How much", "How much oil"), text, "610 euros")["of the kind"] == 1.0
