"""Which work an entry cites: what must be found, and what must not."""

from __future__ import annotations

import pytest

from core.extraction.bibliography import Work, Works

HARBOURS = Work("A Short History of Baltic Harbours", "Ines Holm", "1998")
TIDES = Work("Tides", "Otto Kask", "2001")
SURVEY = Work("Retrieval from Ledgers: A Survey")
GRAPH = Work("Graph Retrieval from Ledgers: A Survey")


def cited(entry: str, *works: Work) -> Work | None:
    row = Works(works).cited(entry)
    return works[row] if row is not None else None


@pytest.mark.parametrize(
    "entry",
    [
        "[3] I. Holm. 1998. A Short History of Baltic Harbours. Riga University Press.",
        "Holm, I. (1998). A short history of\nBaltic har-\nbours. Riga.",
    ],
)
def test_a_title_is_found_as_it_is_written(entry: str) -> None:
    assert cited(entry, HARBOURS, TIDES) == HARBOURS


@pytest.mark.parametrize(
    "entry",
    ["Maas, P. 2003. Beyond A Short History of Baltic Harbours and Their Keepers. Riga.", "", "[]" * 400],
)
def test_another_title_is_not(entry: str) -> None:
    assert cited(entry, HARBOURS, TIDES) is None


def test_a_short_title_needs_its_author() -> None:
    assert cited("Kask, O. 2001. Two Tides. Oslo.", Work("Two Tides", "Otto Kask", "2001")) is not None
    assert cited("Maas, P. 1950. Two Tides. Oslo.", Work("Two Tides", "Otto Kask", "2001")) is None
    assert cited("Kask, O. 1950. Two Tides. Oslo.", Work("Two Tides", "Otto Kask", "2001")) is None
    assert cited("Kask, O. 2001. Tides. Oslo.", TIDES) is None  # one word is in too many titles


def test_a_longer_title_that_holds_it_is_another_work() -> None:
    assert cited("Han, H. 2025. Graph Retrieval from Ledgers: A Survey. CoRR.", SURVEY, GRAPH) == GRAPH
    assert cited("Han, Retrieval from Ledgers: A Survey, 2025.", SURVEY, GRAPH) == SURVEY


def test_of_two_of_one_title_the_author_decides_or_nobody() -> None:
    other = Work(HARBOURS.title, "Pieter Maas", "2010")
    assert cited("Maas, P. 2010. A Short History of Baltic Harbours.", HARBOURS, other) == other
    assert cited("Anon. A Short History of Baltic Harbours.", HARBOURS, other) is None
