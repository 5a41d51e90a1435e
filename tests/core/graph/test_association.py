"""Ties by association, held against a table counted by hand and against scipy."""

from __future__ import annotations

import itertools

import numpy as np
from numpy.testing import assert_allclose
from scipy.stats import chi2_contingency

from core.graph.association import Counts, associate, log_likelihood

NOTHING = np.zeros((0, 2), np.int64)


def _counts(names: list[int], passages: list[int]) -> Counts:
    pairs = set(zip(names, passages, strict=True))
    of_name = np.bincount([name for name, _ in pairs], minlength=max(names) + 1)
    return Counts(of_name, 40)


def test_the_ratio_is_that_of_scipy() -> None:
    both, one, other = np.array([5, 1, 3]), np.array([8, 4, 20]), np.array([6, 9, 10])
    expected = []
    for b, o, t in zip(both, one, other, strict=True):
        table = [[b, o - b], [t - b, 40 - o - t + b]]
        expected.append(chi2_contingency(table, correction=False, lambda_="log-likelihood").statistic)
    found = log_likelihood(both, one, other, 40)
    assert_allclose(np.abs(found), expected)
    assert found.tolist()[0] > 0 > found.tolist()[2]


def test_names_that_stand_together_again_are_tied() -> None:
    names = [0, 1, 0, 1, 2, 0, 2]
    passages = [0, 0, 1, 1, 2, 3, 4]
    ties = associate(
        np.array(names),
        np.array(passages),
        np.array([0, 0, 1, 2, 3, 4, 5]),
        _counts(names, passages),
        NOTHING,
    )
    assert ties.ends.tolist() == [[0, 1]]
    assert ties.passages.tolist() == [2]
    assert 0 < ties.strengths[0] < 1


def test_parts_that_nothing_joins_are_tied_where_a_passage_names_both() -> None:
    """0 and 1 are tied, 2 and 3 by a fact; one passage names 1 and 2 in two sentences, and no other joins them."""
    names, passages = [0, 1, 0, 1, 1, 2, 3], [0, 0, 1, 1, 2, 2, 3]
    own = (np.array(names), np.array(passages), np.array([0, 0, 1, 1, 2, 3, 4]), _counts(names, passages))
    assert associate(*own, np.array([[2, 3]])).ends.tolist() == [[0, 1], [1, 2]]
    assert associate(*own, np.array([[2, 3], [1, 3]])).ends.tolist() == [[0, 1]]


def test_one_sentence_ties_rare_names_and_one_passage_does_not() -> None:
    names, passages = [0, 1, 2, 3], [0, 0, 1, 1]
    joined = np.array([[0, 2], [0, 3]])
    ties = associate(
        np.array(names), np.array(passages), np.array([0, 0, 1, 2]), _counts(names, passages), joined
    )
    assert ties.ends.tolist() == [[0, 1]]


def test_a_register_ties_nobody() -> None:
    names = list(range(50))
    ties = associate(
        np.array(names), np.zeros(50, np.int64), np.zeros(50, np.int64), _counts(names, [0] * 50), NOTHING
    )
    assert not len(ties.ends)


def test_a_hub_keeps_its_strongest_ties_and_each_name_its_own() -> None:
    """Forty names, each twice with name 0: all forty ties are among the strongest of their other end."""
    pairs = list(
        itertools.chain.from_iterable([(name, 2 * name), (name, 2 * name + 1)] for name in range(1, 41))
    )
    names = [name for name, _ in pairs] + [0] * len(pairs)
    passages = [passage for _, passage in pairs] * 2
    counts = Counts(np.bincount(names), 400)
    ties = associate(np.array(names), np.array(passages), np.array(passages), counts, NOTHING)
    assert len(ties.ends) == 40 and set(ties.ends[:, 0].tolist()) == {0}
