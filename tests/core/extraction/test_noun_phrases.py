"""Noun phrases that may be terms: which runs of words, in which form, and where."""

import pytest

from .conftest import Read


def phrases(read: Read, text: str) -> list[str]:
    return [phrase.text for phrase in read(text).phrases]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The clerk signed two purchase orders.", ["clerk", "purchase order"]),
        ("The credit limit of a customer is raised.", ["credit limit", "customer"]),
        ("Purchase orders go to the supplier.", ["purchase order", "supplier"]),
        ("It counts the current assets and all other assets.", ["asset", "asset"]),
        ("Their personal data, the criteria and the analyses are kept.", ["personal data", "criterion", "analysis"]),
        ("The set-off clause was struck out.", ["set-off clause"]),
        ("Third-party services are used.", ["third-party service"]),
        ("A PDF file was sent to Anna Berg of Oslo.", ["pdf file"]),
        ("Anna Berg met Carl Dahl in Oslo on 3 May 2021.", []),
    ],
)  # fmt: skip
def test_adjectives_and_nouns_before_a_noun(read: Read, text: str, expected: list[str]) -> None:
    assert phrases(read, text) == expected


def test_an_adjective_of_age_or_worth_classes_nothing(read: Read) -> None:
    found = phrases(read, "The old man and a young lady met the new tenant with a registered letter.")
    assert found == ["man", "lady", "tenant", "registered letter"]


def test_phrases_have_their_places(read: Read) -> None:
    text = "Two delivery notes lay there. The bill was lost, and so was a credit note."
    found = read(text).phrases
    assert [text[one.start : one.end] for one in found] == ["delivery notes", "bill", "credit note"]
