"""Answers from what offices write: tables, forms, letters, firms, and questions with two sides."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core.answering.candidate import Candidate
from core.answering.citations import place_of
from core.answering.firms import is_firm, without_form
from core.answering.rows import fields_of, label_of, money
from core.types import Region, Sentence
from tests.core.answering.case import ask, candidate

CREW = (
    "No: 4; Name: Oskar Lindqvist; Post: Cook; Nationality: Swedish.",
    "No: 5; Name: Ivo Maras; Post: Bosun; Nationality: Maltese.",
)
FORM = ("Place: Hotel Anker, Bergen", "Present: Karen Lund (auditor), Ivo Maras (bosun)")
ACCOUNT = (
    "Date: 1950-10-02; Counterparty: Norden Bank; Purpose: Freight of the Halcyon; "
    "Money out EUR: 412000.00; Balance EUR: 9170.40."
)
LEDGER = "Booked: 1950-04-30; Supplier: Solberg Fuel Company; Amount EUR: 48250; Approved by: Karen Lund."


def table(title: str, *rows: str) -> Candidate:
    """A passage of a table as the reader makes it: each row one sentence."""
    text = " ".join(rows)
    made = candidate(title, text)
    places = tuple(Sentence(text.index(row), text.index(row) + len(row)) for row in rows)
    vectors = made.vectors[[0] * len(rows)]
    return replace(made, passage=replace(made.passage, sentences=places), vectors=vectors)


def test_a_row_is_read_by_its_columns() -> None:
    fields = fields_of(ACCOUNT)
    assert [f.column for f in fields] == ["Date", "Counterparty", "Purpose", "Money out EUR", "Balance EUR"]
    assert [ACCOUNT[f.start : f.end] for f in fields] == [f.value for f in fields]
    assert label_of(fields[3]) == "MONEY"
    assert money(fields[3]) == "EUR 412,000"
    assert money(fields[4]) == "EUR 9,170.40"
    assert [f.running for f in fields] == [False, False, False, False, True]


@pytest.mark.parametrize("text", ["LUND: Where were you?", "The price was EUR 5; it rose."])
def test_sentences_are_no_rows(text: str) -> None:
    assert fields_of(text) == ()


@pytest.mark.parametrize(
    ("title", "text", "question", "expected"),
    [
        ("Crew list of the Halcyon", CREW, "Who was the cook of the Halcyon?", "Oskar Lindqvist"),
        ("Account", (ACCOUNT,), "How much freight was paid for the Halcyon?", "EUR 412,000"),
        ("Ledger of Norden", (LEDGER,), "Who approved the invoice of Solberg Fuel Company?", "Karen Lund"),
        ("Interview with Ivo Maras", FORM, "Where was Ivo Maras interviewed?", "Hotel Anker, Bergen"),
    ],
)
def test_the_answer_is_the_value_of_the_column_that_fits(
    title: str, text: tuple[str, ...], question: str, expected: str
) -> None:
    assert ask(question, [table(title, *text)]).text == expected


def test_a_role_that_is_never_named_is_not_answered_with_somebody_else() -> None:
    passage = candidate(
        "Claim file", "Captain Oskar Lindqvist commanded the Halcyon. The Halcyon sailed in 1922."
    )
    assert ask("Who was the cook of the Halcyon in 1922?", [passage]).abstained
    assert ask("Who commanded the Halcyon?", [passage]).text.endswith("Oskar Lindqvist")


def test_what_did_not_happen_is_no_answer() -> None:
    told = "The Halcyon never called at Norway. The Halcyon called in May 1922 and later at Denmark."
    assert ask("Which country did the Halcyon call at?", [candidate("Log", told)]).text == "Denmark"


def test_the_legal_form_of_a_firm_may_be_left_out() -> None:
    assert without_form("solberg fuel ltd") == "solberg fuel"
    assert without_form("norden s.a") == "norden"
    assert without_form("lund") == "lund"
    assert is_firm("norden bank")
    assert not is_firm("karen lund")


def test_he_is_who_the_sentence_before_began_with() -> None:
    told = "Oskar Lindqvist is a partner of the yard. He surveyed the Halcyon in May 1922."
    answer = ask("Who surveyed the Halcyon?", [candidate("Report", told)])
    assert answer.text == "Oskar Lindqvist"
    assert len(answer.sentences) == 2  # the name stands in the first, the deed in the second


def test_a_place_in_a_sheet_is_told_by_its_cells() -> None:
    regions = [
        Region(0, 100, "Payments"),
        Region(10, 20, "Payments!A12"),
        Region(22, 30, "Payments!B12"),
        Region(32, 40, "Payments!C12"),
    ]
    assert place_of(regions, 10, 40) == "Payments!A12:C12"
    assert place_of(regions, 22, 30) == "Payments!B12"
    assert place_of(regions, 23, 28) == "Payments!B12"
    assert place_of(regions, 15, 25) == "Payments"
    assert place_of([], 0, 5) == ""
