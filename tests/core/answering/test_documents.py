"""Answers from what offices write, and where they stand."""

from __future__ import annotations

from core.answering.candidates import place_of
from core.types import Region


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
