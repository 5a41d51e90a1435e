"""How passages are grouped, and which words tell groups apart."""

from __future__ import annotations

import numpy as np

from core.answering.overview.terms import Counts, name_terms, phrases
from core.answering.overview.themes import clusters

STOPS = frozenset("the of and was were with from over into".split())


def test_passages_near_each_other_are_of_one_group() -> None:
    random = np.random.default_rng(5)
    centres = np.eye(3, 20, dtype=np.float32)
    vectors = np.repeat(centres, (60, 40, 20), axis=0) + 0.1 * random.standard_normal((120, 20))
    vectors = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
    found = clusters(vectors)
    true = np.repeat(np.arange(3), (60, 40, 20))
    assert all(len(np.unique(true[found == group])) == 1 for group in np.unique(found))  # none is mixed
    assert 3 <= len(np.unique(found)) <= 6
    assert (np.diff(np.bincount(found)) <= 0).all()  # numbered by size
    assert (clusters(vectors) == found).all()
    assert clusters(vectors[:1]).tolist() == [0] and clusters(vectors[:0]).tolist() == []


def test_phrases_end_at_marks_numbers_and_words_that_say_nothing() -> None:
    found = [words for _, words in phrases("The bishop's palace, 12 rooms of Barchester", STOPS)]
    assert found == ["bishop", "palace", "bishop palace", "rooms", "Barchester"]
    assert [words for _, words in phrases("see http://a.example/x or ask@b.example", STOPS)] == ["see"]
    keys = {key for key, _ in phrases("invoice Invoices", STOPS)}
    assert ("invoice",) in keys and ("invoices",) not in keys


def counted(*groups: list[str]) -> Counts:
    counts = Counts(len(groups))
    for number, texts in enumerate(groups):
        for text in texts:
            counts.add(number, phrases(text, STOPS))
    return counts


def test_what_distinguishes_a_group_names_it_and_what_is_everywhere_does_not() -> None:
    ships = [
        "said the marine survey of deck cargo",
        "said a marine survey",
        "said the marine survey, Kask",
    ] * 3
    banks = ["said the loan of Ilves", "said a loan was due", "said the loan and Ilves"] * 3
    counts = counted(ships, banks)
    best = counts.best()
    assert [term.words for term in name_terms(best[0], counts.by_group[0], frozenset(), 1)] == [
        "marine survey"
    ]
    assert best[1][0].words == "loan" and all("said" not in term.key for terms in best for term in terms)


def test_of_persons_a_name_holds_one() -> None:
    group = ["Arabin Slope Proudie palace", "Proudie, Slope, Arabin, palace"] * 3
    counts = counted(group, ["cargo ship deck"] * 6)
    persons = frozenset({"arabin", "slope", "proudie"})
    named = name_terms(counts.best()[0], counts.by_group[0], persons, 3)
    assert sum(persons.issuperset(term.key) for term in named) == 1
    assert any("palace" in term.key for term in named)


def test_one_group_alone_is_named_by_what_it_holds_most() -> None:
    counts = counted(["the ship sank", "a ship burned", "the ship"])
    assert counts.best()[0][0].words == "ship"
