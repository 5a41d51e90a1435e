"""Ties by association, held against a table counted by hand and against scipy."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.testing import assert_allclose
from scipy.stats import chi2_contingency

from core.graph.association import Ties, associate, log_likelihood


def test_the_ratio_is_that_of_scipy() -> None:
    both, one, other = np.array([5, 1, 3]), np.array([8, 4, 20]), np.array([6, 9, 10])
    expected = []
    for b, o, t in zip(both, one, other, strict=True):
        table = [[b, o - b], [t - b, 40 - o - t + b]]
        expected.append(chi2_contingency(table, correction=False, lambda_="log-likelihood").statistic)
    found = log_likelihood(both, one, other, 40)
    assert_allclose(np.abs(found), expected)
    assert found.tolist()[0] > 0 > found.tolist()[2]


def ties_of(mentions: Sequence[tuple[int, int, int]], total: int = 64) -> Ties:
    """Of (name, passage, sentence)."""
    names, passages, sentences = np.array(mentions, dtype=np.int64).T
    return associate(names, passages, sentences, total)


def test_names_that_stand_together_again_are_tied() -> None:
    ties = ties_of([(0, 0, 0), (1, 0, 0), (0, 1, 1), (1, 1, 2), (2, 2, 3), (0, 3, 4), (2, 4, 5)])
    assert (ties.ends.tolist(), ties.passages.tolist()) == ([[0, 1]], [2])
    assert 0 < ties.strengths[0] < 1 and round(float(ties.strengths[0]) * 20, 6).is_integer()


def test_a_sentence_is_worth_more_than_a_passage() -> None:
    in_one = ties_of([(0, 0, 0), (1, 0, 0), (0, 1, 1), (1, 1, 1)])
    apart = ties_of([(0, 0, 0), (1, 0, 1), (0, 1, 2), (1, 1, 3)])
    assert in_one.ends.tolist() == apart.ends.tolist() and in_one.strengths[0] > apart.strengths[0]


def test_chance_ties_nobody_and_a_name_of_every_passage_is_tied_all_the_same() -> None:
    """0 stands in all of four passages, each with another name: nothing else joins the five."""
    mentions = [(0, passage, passage) for passage in range(4)]
    mentions += [(1 + passage, passage, passage) for passage in range(4)]
    assert ties_of(mentions, 8).ends.tolist() == [[0, 1], [0, 2], [0, 3], [0, 4]]
    often = [(name, passage, 2 * passage + name) for passage in range(8) for name in (0, 1)]
    others = [(2, passage, 2 * passage) for passage in range(8)]
    ties = ties_of([*often, *others], 8)
    assert ties.ends.tolist() == [[0, 1], [0, 2]], "no more than it takes to connect them"


def test_one_sentence_ties_rare_names_and_one_passage_only_what_nothing_else_joins() -> None:
    """0 and 1 share a sentence; 1 and 2, and 0 and 2, a passage."""
    assert ties_of([(0, 0, 0), (1, 0, 0), (2, 0, 1)]).ends.tolist() == [[0, 1], [0, 2]]


def test_a_register_ties_nobody_and_counts_for_nobody() -> None:
    register = [(name, 0, 0) for name in range(50)]
    assert not len(ties_of(register).ends)
    pair = [(0, 1, 1), (1, 1, 1)]
    assert ties_of([*register, *pair]).strengths.tolist() == ties_of(pair).strengths.tolist()


def test_a_tie_that_is_among_the_strongest_of_neither_end_goes() -> None:
    """0 and 1 have seventeen names each, ten times; they meet three times themselves, and 2 and 20 join their parts."""
    pairs = [(0, name, 10) for name in range(2, 19)] + [(1, name, 10) for name in range(20, 37)]
    pairs += [(2, 20, 10), (0, 1, 3)]
    mentions: list[tuple[int, int, int]] = []
    for one, other, times in pairs:
        for _ in range(times):
            passage = len(mentions)
            mentions += [(one, passage, passage), (other, passage, passage)]
    ends = ties_of(mentions, 1 << 16).ends.tolist()
    assert len(ends) == len(pairs) - 1 and [0, 1] not in ends
    fewer = [row for row in mentions if row[0] < 20 or row[0] == 20]
    assert [0, 1] in ties_of(fewer, 1 << 16).ends.tolist(), "1 has fewer than sixteen others there"
