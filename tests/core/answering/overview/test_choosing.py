"""Which groups tell of all documents: against every set there is, and by what they add to each other."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from core.answering.overview.themes import by_coverage


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
        told = covered(tuple(order[:count]), groups, owners.tolist(), near)
        assert told >= (1 - 1 / np.e) * best - 1e-6
        if count == 1:
            assert told == pytest.approx(best, abs=1e-3)


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
