"""Which sentences, names and dates a report takes, against slow and obvious ways to say it."""

from __future__ import annotations

import numpy as np
import pytest

from core.answering.reports.extractive import chosen_sentences, write
from core.answering.reports.material import Material, Spoken
from core.answering.reports.naming import title_of
from core.text.dates import date_in, iso, only_counts
from core.types import Citation, KeyEntity


def material(n: int, seed: int, level: int = 1, dimension: int = 8) -> Material:
    """Made sentences of random centrality, length and direction."""
    random = np.random.default_rng(seed)
    vectors = random.normal(size=(n, dimension)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    sentences = tuple(
        Spoken(Citation("p", "d", "d.txt", "", None, i, i + 1, f"Said {i}"), f"Said {i}", float(c), 1, i)
        for i, c in enumerate(random.random(n))
    )
    tokens = tuple(random.integers(5, 60, n).tolist())
    return Material(1, level, (), (), sentences, n, (), "", tokens, vectors)


@pytest.mark.parametrize(("seed", "tokens"), [(0, 30), (1, 200), (2, 200), (3, 10_000)])
def test_maximal_marginal_relevance_as_it_is_defined(seed: int, tokens: int) -> None:
    sample = material(20, seed)
    central = [sentence.centrality for sentence in sample.sentences]
    left = tokens
    chosen: list[int] = []
    while True:
        worth = {
            at: 0.8 * central[at] / max(central)
            - 0.2 * max([0.0, *(float(sample.vectors[at] @ sample.vectors[c]) for c in chosen)])
            for at in range(20)
            if at not in chosen and sample.tokens[at] <= left
        }
        if not worth:
            break
        chosen.append(max(worth, key=lambda at: (round(worth[at], 5), -at)))
        left -= sample.tokens[chosen[-1]]
    assert chosen_sentences(sample, tokens) == chosen


def test_one_sentence_at_least_none_twice_and_nothing_of_nothing() -> None:
    assert len(chosen_sentences(material(5, 1), 1)) == 1
    assert chosen_sentences(material(0, 1), 100) == []
    empty = write(material(0, 1))
    assert (empty.title, empty.statements, empty.facts, empty.timeline) == ("", (), (), ())
    two = material(2, 3)
    (one, _) = two.sentences
    twice = Material(1, 1, (), (), (one, one), 2, (), "", (9, 9), two.vectors[[0, 0]])
    assert chosen_sentences(twice, 500) == [0], "what is equal is chosen once"


def entities(*rows: tuple[str, str, float]) -> list[KeyEntity]:
    return [KeyEntity(name, name, label, share) for name, label, share in rows]


@pytest.mark.parametrize(
    ("rows", "title"),
    [
        (
            [("Northern Star", "OTHER", 0.4), ("Otto Kask", "PERSON", 0.3), ("port of Gdansk", "FAC", 0.2)],
            "Northern Star, Otto Kask and port of Gdansk",
        ),
        # Of another kind before another of the same, when it is nearly as central.
        (
            [("Ines Holm", "PERSON", 0.4), ("Otto Kask", "PERSON", 0.2), ("Tartu", "GPE", 0.15)],
            "Ines Holm, Tartu and Otto Kask",
        ),
        (
            [("Ines Holm", "PERSON", 0.5), ("Otto Kask", "PERSON", 0.4), ("Tartu", "GPE", 0.1)],
            "Ines Holm, Otto Kask and Tartu",
        ),
        # Hardly any of it is no part of the title.
        (
            [("Ines Holm", "PERSON", 0.5), ("Otto Kask", "PERSON", 0.4), ("Tartu", "GPE", 0.01)],
            "Ines Holm and Otto Kask",
        ),
        ([("4 May 2021", "DATE", 0.6), ("Otto Kask", "PERSON", 0.2), ("38 boxes", "NOUN", 0.2)], "Otto Kask"),
        ([("Brandvold", "ORG", 0.6), ("Brandvold Lines", "ORG", 0.4)], "Brandvold"),
        # Formulas and parts of a text are no names.
        ([("Figure", "OTHER", 0.5), ("v_i^", "OTHER", 0.3), ("Otto Kask", "PERSON", 0.2)], "Otto Kask"),
        ([("Holm, Kask, Quist", "OTHER", 0.5), ("Otto Kask", "PERSON", 0.2)], "Otto Kask"),
        ([("HolmA KaskO QuistI LieS NesA BergP", "PERSON", 0.5), ("Tartu", "GPE", 0.2)], "Tartu"),
        ([("EUR 340", "MONEY", 1.0)], "Ledger of the Grey Petrel: EUR 340"),
        ([("Kask\u202e\nOtto\x00", "PERSON", 1.0)], "Kask Otto"),
    ],
)
def test_titles(rows: list[tuple[str, str, float]], title: str) -> None:
    assert title_of(entities(*rows), "Ledger of the Grey Petrel") == title


def test_a_title_says_what_those_above_do_not() -> None:
    rows = entities(("Ines Holm", "PERSON", 0.5), ("Otto Kask", "PERSON", 0.3), ("Tartu", "GPE", 0.2))
    assert title_of(rows, "Ledger", ["Ines Holm", "Riga"]) == "Otto Kask and Tartu"
    assert title_of(rows[:1], "Ledger", ["Ines Holm", "Riga"]) == "Ledger"
    two = entities(("Bank of England", "ORG", 0.5), ("John England", "PERSON", 0.5))
    assert title_of(two, "", ["England", "John Holm"]) == "Bank of England and John England", (
        "by names, not words"
    )
    figures = entities(("2021", "DATE", 0.5), ("38 boxes", "NOUN", 0.5))
    assert title_of(figures, "Ledger", ["2021"]) == "Ledger: 38 boxes"
    assert title_of(entities(("Holm", "PERSON", 0.5)), "", ["Ines Holm"]) == "Holm"


DATES = {
    "the 4th of May 1930": "1930-05-04",
    "on 13 March 2021 at 15:00": "2021-03-13",
    "Sept. 1930": "1930-09",
    "31 February 1930": "1930-02",
    "1930-31-12": "1930",
    "7768": "",
    "4 May 1930 to 5 June 1931": "",
}


def test_dates() -> None:
    assert {text: iso(text) for text in DATES} == DATES


def test_a_sentence_is_dated_by_its_only_date() -> None:
    assert date_in("She sailed on 4 May 1930 with 300 men.") == "1930-05-04"
    assert date_in("She sailed on 4 May 1930 and came back in June 1931.") == ""
    assert date_in("She paid 1930 crowns.") == ""


@pytest.mark.parametrize(
    ("date", "sentence", "counts"),
    [
        ("1001", "The Omni is a 23-story, 1001-room hotel in Dallas.", True),
        ("1001", "In 1001 it had 1001-room wings.", False),
        ("1974", "Founded in Bergen in 1974.", False),
    ],
)
def test_a_number_that_measures_is_no_year(date: str, sentence: str, counts: bool) -> None:
    assert only_counts(date, sentence) is counts


def test_what_says_little_by_itself_comes_last() -> None:
    rows = entities(
        ("Steve", "PERSON", 0.3), ("JM", "PERSON", 0.4), ("British", "NORP", 0.3), ("Ines Holm", "PERSON", 0.2),
        ("Tartu", "GPE", 0.2), ("laser cutter", "CONCEPT", 0.15),
    )  # fmt: skip
    assert title_of(rows) == "Ines Holm, Tartu and laser cutter"
    assert title_of(rows[:2]) == "Steve and JM"


def test_a_title_begins_with_a_capital() -> None:
    rows = entities(("purchase order", "CONCEPT", 0.6), ("Otto Kask", "PERSON", 0.4))
    assert title_of(rows) == "Purchase order and Otto Kask"


def test_a_title_says_nothing_twice() -> None:
    rows = entities(("Italian", "NORP", 0.5), ("Italy", "GPE", 0.3), ("Otto Kask", "PERSON", 0.2))
    assert title_of(rows) == "Italy and Otto Kask"
    rows = entities(("Mrs. Quist", "PERSON", 0.5), ("Quists", "PERSON", 0.3), ("Mr. Quist", "PERSON", 0.2))
    assert title_of(rows) == "Mrs. Quist and Mr. Quist"
