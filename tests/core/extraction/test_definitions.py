"""Sentences that define a term."""

import pytest

from core.extraction.definitions import SURE, find_definitions


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("1.2 “Credit Limit” means the most that the Buyer may owe.", "credit limit"),
        ("“Goods” (in the plural) shall mean whatever is listed below.", "goods"),
        ("The term delivery note refers to the paper that goes with goods.", "delivery note"),
        ("A delivery note is a paper that goes with the goods.", "delivery note"),
        ("Delivery notes are the papers that go with goods.", "delivery note"),
        ("- Payee: the person to whom a cheque is paid.", "payee"),
        ("Acme Holdings of Leeds (the “Seller”) delivers the goods.", "Seller"),
    ],
)
def test_definitions(text: str, name: str) -> None:
    before = "It rains.\n\n"
    assert [found[1:] for found in find_definitions(before + text, [name])] == [
        (len(before), len(before + text))
    ]


@pytest.mark.parametrize(
    "text",
    [
        "The credit limit was raised by the bank in May.",
        "Is a credit limit the most that one may owe?",
        "Credit limits are set by the bank every year.",
        "Nobody knows what the credit limit means to him.",
        "A credit limit line is a row of the table.",
    ],
)
def test_what_only_speaks_of_a_term_defines_nothing(text: str) -> None:
    assert not list(find_definitions(text, ["credit limit"]))


def test_the_surest_form_has_the_lowest_rank() -> None:
    text = "A credit limit is a sum of money. “Credit limit” means the most that one may owe."
    ranks = [rank for rank, _, _ in find_definitions(text, ["credit limit"])]
    assert ranks[1] < ranks[0]
    assert len(list(find_definitions(text, ["credit limit"], SURE))) == 1
