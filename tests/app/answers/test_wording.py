"""Places of citations in words."""

from __future__ import annotations

import pytest

from app.answers.wording import citation_line, citation_place, list_shares, route_name
from core.types import Citation, Complexity, Route


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


@pytest.mark.parametrize(
    ("weights", "name", "forced", "words"),
    [
        ((0.44, 0.436, 0.124), "dense", False, "Ranked by: words 44%, meaning 44%, and graph 12%"),
        ((0.0, 0.0, 1.0), "graph", False, "Ranked by: graph alone"),
        ((0.5, 0.25, 0.25), "fusion", True, "Ranked by: words 50%, meaning 25%, and graph 25%"),
        ((0.5, 0.25, 0.25), "lab:hybrid", True, ""),
        ((), "dense", False, ""),
    ],
)
def test_what_each_list_counted_is_said(
    weights: tuple[float, ...], name: str, forced: bool, words: str
) -> None:
    shares = dict(zip(("lexical", "dense", "graph"), weights, strict=False))
    assert list_shares(Route(name, Complexity(0.1, 0.25, 0.5, (), shares), forced)) == words


def test_a_composition_is_called_by_its_name() -> None:
    assert route_name("lab:no-12") == "Composition no-12"
    assert route_name("graph") == "Graph"
