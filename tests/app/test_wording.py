"""Places of citations in words."""

from __future__ import annotations

import pytest

from app.models.wording import citation_line, citation_place
from core.types import Citation


@pytest.mark.parametrize(
    ("title", "page", "place", "words"),
    [
        ("Ledger", None, "Payments!A12:F12", "Payments!A12:F12"),
        ("Account statement", None, "Account statement!A16:G16", "A16:G16"),
        ("Account statement", None, "Account statement", "Account statement"),
        ("Letter", 3, "", "page 3"),
        ("Letter", None, "", ""),
    ],
)
def test_a_place_is_cells_or_a_page(title: str, page: int | None, place: str, words: str) -> None:
    citation = Citation("p", "d", "a.csv", title, page, 0, 5, "quote", place)
    assert citation_place(citation) == words
    assert citation_line(1, citation) == f"[1] {title}{', ' if words else ''}{words} (a.csv)"
