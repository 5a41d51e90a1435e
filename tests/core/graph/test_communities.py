"""Communities made anew are known again by what they share with the old ones."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from core.graph.communities import LEAST_SHARED, hierarchy, match_communities
from core.research.benches.communities import changed
from core.research.synthetic.workspace import planted_graph

labels = arrays(np.int64, 60, elements=st.integers(-1, 6))


def test_of_a_divided_one_the_larger_part_is_it() -> None:
    old = np.zeros(10, dtype=np.int64)
    new = np.array([4] * 4 + [5] * 6)
    assert match_communities(old, new) == {5: 0}


def test_of_two_that_were_joined_the_larger_one_is_it() -> None:
    old = np.array([1] * 4 + [2] * 6)
    assert match_communities(old, np.zeros(10, dtype=np.int64)) == {0: 2}


@given(labels, labels)
def test_each_old_one_is_used_once_and_shares_enough(old: np.ndarray, new: np.ndarray) -> None:
    found = match_communities(old, new)
    assert len(set(found.values())) == len(found)
    for one, other in found.items():
        assert one >= 0
        assert other >= 0
        shared = int(((new == one) & (old == other)).sum())
        assert shared >= LEAST_SHARED * int(((new == one) | (old == other)).sum())
        # Who shares more with it was given another that shares more still.
        for rival in set(new[old == other].tolist()) - {one, -1}:
            more = int(((new == rival) & (old == other)).sum())
            if more > shared and more >= LEAST_SHARED * int(((new == rival) | (old == other)).sum()):
                assert int(((new == rival) & (old == found[rival])).sum()) >= more


def test_nearly_all_are_known_again_after_a_hundredth_of_the_edges_changed() -> None:
    ends = planted_graph(5_000, 25_000)
    after, _ = changed(5_000, ends)
    before, anew = (hierarchy(5_000, graph, np.ones(len(graph))) for graph in (ends, after))
    for old, new in zip(before, anew, strict=True):
        found = match_communities(old.astype(np.int64), new.astype(np.int64))
        kept = np.array([found.get(label, -1) for label in new.tolist()]) == old
        assert kept.mean() > 0.5
