"""How passages are grouped, which words tell groups apart, and which groups cover all documents."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from core.answering.overview.terms import Counts, name_terms, phrases
from core.answering.overview.themes import by_coverage, clusters

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


def covered(chosen: tuple[int, ...], groups: list[set[int]], owners: list[int], near: list[float]) -> float:
    """By the definition, document by document."""
    total = 0.0
    for document in set(owners):
        own = {at for at, owner in enumerate(owners) if owner == document}
        total += sum(near[g] * len(groups[g] & own) / len(own) for g in chosen) ** 0.5
    return total


@pytest.mark.parametrize("seed", range(4))
def test_the_first_cover_nearly_what_the_best_set_covers(seed: int) -> None:
    rng = np.random.default_rng(seed)
    owners = np.sort(rng.integers(0, 6, 40))
    owners = np.unique(owners, return_inverse=True)[1]
    of = rng.integers(0, 7, 40)
    groups = [set(np.flatnonzero(of == group).tolist()) for group in range(7)]
    near = rng.random(7).round(2).tolist()
    order = by_coverage(
        [np.array(sorted(group), dtype=np.int64) for group in groups],
        owners,
        np.array(near, dtype=np.float32),
    )
    assert sorted(order) == list(range(7))
    for count in range(1, 7):
        best = max(covered(some, groups, owners.tolist(), near) for some in combinations(range(7), count))
        reported = covered(tuple(order[:count]), groups, owners.tolist(), near)
        assert reported >= (1 - 1 / np.e) * best - 1e-6
        if count == 1:
            assert reported == pytest.approx(best, abs=1e-3)


def ordered(groups: list[list[int]], owners: list[int], near: list[float]) -> list[int]:
    own = [np.array(group, dtype=np.int64) for group in groups]
    return by_coverage(own, np.array(owners), np.array(near, dtype=np.float32))


def test_a_small_group_of_another_document_comes_before_a_larger_one_of_the_same() -> None:
    owners = [0] * 8 + [1, 1]
    assert ordered([[0, 1, 2, 3], [4, 5, 6], [8]], owners, [0.5, 0.5, 0.5]) == [0, 2, 1]


def test_of_groups_that_cover_as_much_the_nearest_comes_first() -> None:
    assert ordered([[0], [1], [2]], [0, 1, 2], [0.2, 0.4, 0.3]) == [1, 2, 0]


def test_nearness_that_is_none_leaves_the_choice_to_coverage() -> None:
    assert ordered([[0], [1, 2]], [0, 1, 2], [-0.2, -0.4]) == [1, 0]
    assert ordered([], [], []) == []
