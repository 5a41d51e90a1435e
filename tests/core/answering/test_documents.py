"""Answers from what offices write, and where they stand."""

from __future__ import annotations

from core.answering.citations import place_of
from core.types import Region
from tests.core.answering.case import ask, candidate


def test_a_role_that_is_never_named_is_not_answered_with_somebody_else() -> None:
    passage = candidate(
        "Claim file", "Captain Oskar Lindqvist commanded the Halcyon. The Halcyon sailed in 1922."
    )
    assert ask("Who was the cook of the Halcyon in 1922?", [passage]).abstained
    assert ask("Who commanded the Halcyon?", [passage]).text.endswith("Oskar Lindqvist")


def test_what_did_not_happen_is_no_answer() -> None:
    told = "The Halcyon never called at Norway. The Halcyon called in May 1922 and later at Denmark."
    assert ask("Which country did the Halcyon call at?", [candidate("Log", told)]).text == "Denmark"


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
