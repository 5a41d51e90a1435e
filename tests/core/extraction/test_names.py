"""Two spellings of one name fall on one key."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.extraction.names import clean, normalise, without_disambiguation


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The Beatles", "beatles"),
        ("Anna Berg's", "Anna  Berg"),
        ("“Casablanca”,", "Casablanca"),
        ("Twentieth Century- Fox", "Twentieth Century-Fox"),
        ("Ｏｓｌｏ", "Oslo"),
        ("U.S.", "U.S"),
    ],
)
def test_spellings_of_one_name_share_a_key(one: str, other: str) -> None:
    assert normalise(one) == normalise(other) != ""


def test_what_tells_names_apart_stays() -> None:
    assert normalise("5 May 1930") == "5 may 1930"
    assert normalise("Get Low (song)") != normalise("Get Low")
    assert normalise("My First Love") == "my first love"
    assert normalise("The") == "the"
    assert normalise(" -- ") == ""


def test_clean_keeps_the_case_and_the_stops_of_a_name() -> None:
    assert clean(" the  Bank of\nNorway's") == "Bank of Norway"
    assert clean("Washington, D.C.") == "Washington, D.C."
    assert clean("Sammy Davis Jr.,") == "Sammy Davis Jr."
    assert clean("Mary Krag / Mary Krag") == "Mary Krag" and clean("Krag/Holm") == "Krag/Holm"


def test_disambiguation_is_the_last_bracket_only() -> None:
    assert without_disambiguation("Get Low (Dillon Francis song)") == "Get Low"
    assert without_disambiguation("(untitled)") == "(untitled)"


@settings(max_examples=40)
@given(st.text(max_size=40))
def test_the_key_of_a_key_is_itself(name: str) -> None:
    assert normalise(normalise(name)) == normalise(name)
