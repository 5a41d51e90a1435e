"""Edges of before and after, against a look at every pair."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from core.graph.temporal import DatedFacts, following

Row = tuple[int, int, int, int, float]  # one end, the other, first day, last day, strength


def facts_of(rows: list[Row]) -> DatedFacts:
    table = np.array(rows, np.float64).reshape(-1, 5)
    whole = table[:, :4].astype(np.int64)
    return DatedFacts(whole[:, :2], whole[:, 2], whole[:, 3], table[:, 4])


def found(rows: list[Row], names: list[bool]) -> set[tuple[int, int, int]]:
    got = following(facts_of(rows), np.array(names, np.bool_))
    triples = list(zip(got.subjects.tolist(), got.earlier.tolist(), got.later.tolist(), strict=True))
    assert len(set(triples)) == len(triples)
    return set(triples)


def expected(rows: list[Row], names: list[bool]) -> set[tuple[int, int, int]]:
    """One entity and one moment at a time."""
    pairs = set()
    for entity in range(len(names)):
        moments: dict[tuple[int, int], tuple[tuple[bool, float, int], int]] = {}
        for at, (one, other, first, last, strength) in enumerate(rows):
            for own, far in ((one, other), (other, one)):
                if own == entity and names[entity]:
                    best = (not names[far], -strength, at)
                    held = moments.get((first, last))
                    if held is None or best < held[0]:
                        moments[first, last] = best, far
        for (_, last), (best, far) in moments.items():
            later = [span for span in moments if span[0] > last]
            if later and moments[min(later)][1] != far:
                pairs.add((entity, best[2], moments[min(later)][0][2]))
    return pairs


@st.composite
def dated(draw: st.DrawFn) -> tuple[list[Row], list[bool]]:
    n = draw(st.integers(2, 6))
    rows = []
    for _ in range(draw(st.integers(0, 14))):
        one, other = draw(st.permutations(range(n)))[:2]
        first = draw(st.integers(1, 12))
        rows.append(
            (one, other, first, first + draw(st.integers(0, 4)), draw(st.sampled_from([0.5, 0.9, 1.8])))
        )
    return rows, draw(st.lists(st.booleans(), min_size=n, max_size=n))


@given(dated())
def test_it_is_the_next_moment_of_each_name(made: tuple[list[Row], list[bool]]) -> None:
    assert found(*made) == expected(*made)


def test_what_lies_within_a_year_is_neither_before_it_nor_after() -> None:
    year, day, next_year = (0, 1, 100, 200, 1.0), (0, 2, 150, 150, 1.0), (0, 3, 300, 400, 1.0)
    assert found([year, day, next_year], [True] * 4) == {(0, 0, 2), (0, 1, 2)}


def test_a_thousand_facts_of_one_day_are_one_moment() -> None:
    rows = [(0, at, 7, 7, 1.0) for at in range(1, 1_001)] + [(0, 1_001, 9, 9, 1.0)]
    assert found(rows, [True] * 1_002) == {(0, 0, 1_000)}


def test_no_facts() -> None:
    assert found([], [True]) == set()
