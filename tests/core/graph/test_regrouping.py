"""Updates of a hierarchy: what must hold still holds, and what was not touched stays as it was."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.graph.hierarchy import Band, bands, hierarchy, modularity
from core.graph.update_communities import GROWN, SHRUNK, Regrouped, update_communities
from core.research.benches.static_hierarchy import HeldHierarchy
from core.research.synthetic.graph import planted_graph
from tests.core.graph.shapes import Ends, cliques, edges, hubs, nests, scattered, star, too_large


class Held(HeldHierarchy):
    def leave(self, entities: Iterable[int]) -> set[int]:
        """Take entities out; the finest communities that they were in."""
        left = set()
        for entity in entities:
            if (home := int(self._homes[entity])) >= 0:
                self._members[home].discard(entity)
                self._homes[entity] = -1
                left.add(home)
        return left


def held(n: int, ends: Ends) -> Held:
    weights = np.ones(len(ends))
    return Held(hierarchy(n, ends, weights), ends, weights)


def update(tree: Held, n: int, ends: Ends, touched: list[int], left: list[int] | None = None) -> Regrouped:
    """Bring it in step with these edges, and look at all that must hold."""
    before = alone(tree)
    tree.relink(ends, np.ones(len(ends)))
    shrunk = tree.leave(left or [])
    change = update_communities(tree, touched, sorted(shrunk), bands(n), tree.new_key)
    tree.apply(change)
    sound(tree, n, set(range(n)) - set(left or []))
    assert alone(tree) <= before, "one was left alone"
    return change


def alone(tree: HeldHierarchy) -> set[int]:
    """Entities that are a finest community each, where there are others."""
    homes, first, sizes = np.unique(tree.by_level()[0], return_index=True, return_counts=True)
    found = set(first[(homes >= 0) & (sizes == 1)].tolist())
    return found if (homes >= 0).sum() > 1 else set()


def sound(tree: Held, n: int, present: set[int]) -> None:
    levels = tree.by_level()
    inside = sorted(present)
    assert set(np.flatnonzero(levels[0] >= 0).tolist()) == present
    if not present:
        assert tree.communities() == {}
        return
    assert len(levels) == len(bands(n))
    assert all((labels[inside] >= 0).all() for labels in levels)
    assert nests([labels[inside] for labels in levels])
    assert too_large(levels, bands(n), GROWN) == []
    used = {int(key) for labels in levels for key in labels[inside]}
    assert set(tree.communities()) == used, "a community is empty, or lost"


def edited(n: int, ends: Ends, count: int, seed: int) -> tuple[Ends, list[int]]:
    """Some edges go and as many others come; the entities at an end of one."""
    rng = np.random.default_rng(seed)
    gone = rng.choice(len(ends), min(count, len(ends)), replace=False)
    come = edges([(int(a), int(b)) for a, b in rng.integers(0, n, (count, 2))])[0]
    after = np.unique(np.concatenate([np.delete(ends, gone, axis=0), come]), axis=0)
    return after, np.unique(np.concatenate([ends[gone].ravel(), come.ravel()])).tolist()


@settings(max_examples=20, deadline=None)
@given(
    st.integers(20, 700),
    st.integers(1, 60),
    st.integers(0, 2**20),
    st.sampled_from(("planted", "any", "hubs", "star", "cliques")),
    st.integers(1, 4),
)
def test_whatever_changes_the_hierarchy_stays_sound(
    n: int, count: int, seed: int, kind: str, rounds: int
) -> None:
    ends = {
        "planted": lambda: planted_graph(n, 4 * n, seed),
        "any": lambda: edges(scattered(n, 2 * n, seed))[0],
        "hubs": lambda: edges(hubs(n, 3))[0],
        "star": lambda: edges(star(n))[0],
        "cliques": lambda: edges(cliques(max(2, n // 20), 20))[0],
    }[kind]()
    n = max(n, int(ends.max()) + 1)
    tree = held(n, ends)
    for step in range(rounds):
        ends, touched = edited(n, ends, count, seed + step)
        update(tree, n, ends, touched)


@settings(max_examples=15, deadline=None)
@given(st.integers(30, 500), st.integers(0, 2**20), st.integers(1, 400))
def test_entities_leave_and_come_back(n: int, seed: int, count: int) -> None:
    ends = planted_graph(n, 4 * n, seed)
    tree = held(n, ends)
    rng = np.random.default_rng(seed)
    left = rng.choice(n, min(count, n), replace=False).tolist()
    without = ends[~np.isin(ends, left).any(axis=1)]
    touched = sorted(set(ends[np.isin(ends, left).any(axis=1)].ravel().tolist()) - set(left))
    update(tree, n, without, touched, left)
    back = rng.permutation(sorted({*touched, *left})).tolist()
    update(tree, n, ends, back)


def test_nothing_touched_changes_nothing() -> None:
    ends = planted_graph(1_000, 5_000)
    change = update(held(1_000, ends), 1_000, ends, [])
    assert (change.homes, change.communities, change.gone) == ({}, {}, set())


def test_a_touch_without_a_change_changes_nothing() -> None:
    ends = edges(cliques(20, 20))[0]
    change = update(held(400, ends), 400, ends, list(range(400)))
    assert (change.homes, change.communities, change.gone) == ({}, {}, set())


def test_the_same_change_ends_the_same() -> None:
    ends = planted_graph(2_000, 10_000)
    after, touched = edited(2_000, ends, 60, 1)
    one, other = (update(held(2_000, ends), 2_000, after, touched) for _ in range(2))
    assert one == other


def test_untouched_communities_keep_their_entities_and_keys() -> None:
    ends = edges(cliques(20, 20))[0]
    tree = held(400, ends)
    before = [labels.copy() for labels in tree.by_level()]
    # One moves from the first clique to the eleventh.
    after = edges([(a, b) for a, b in ends.tolist() if 3 not in (a, b)] + [(3, 200 + k) for k in range(20)])[
        0
    ]
    change = update(tree, 400, after, [*range(20), *range(200, 220)])
    assert change.homes == {3: int(before[0][200])}
    assert change.gone == set()
    for was, now in zip(before, tree.by_level(), strict=True):
        assert (was == now)[np.arange(400) != 3].all()


def test_a_small_change_leaves_nearly_all_as_it_was_and_as_good_as_anew() -> None:
    ends = planted_graph(5_000, 25_000)
    tree = held(5_000, ends)
    before = [labels.copy() for labels in tree.by_level()]
    after, touched = edited(5_000, ends, 125, 2)
    update(tree, 5_000, after, touched)
    weights = np.ones(len(after))
    fresh = hierarchy(5_000, after, weights)
    for was, now, anew in zip(before, tree.by_level(), fresh, strict=True):
        assert (was == now).mean() > 0.97
        labels = np.unique(now, return_inverse=True)[1].astype(np.int32)
        assert modularity(labels, after, weights) > modularity(anew, after, weights) - 0.01


def test_a_whole_community_goes() -> None:
    ends = edges(cliques(20, 20))[0]
    tree = held(400, ends)
    home = int(tree.by_level()[0][40])
    members = list(tree.members(home))
    without = ends[~np.isin(ends, members).any(axis=1)]
    change = update(tree, 400, without, [], members)
    assert home in change.gone
    assert tree.parent(home) is None
    assert list(tree.members(home)) == []


def test_all_leave_and_no_level_is_left_and_others_come() -> None:
    ends = planted_graph(400, 1_600)
    tree = held(400, ends)
    update(tree, 400, ends[:0], [], list(range(400)))
    update(tree, 400, ends, list(range(400)))
    assert len(tree.communities()) > 1


def test_what_grew_too_large_is_divided_and_the_largest_part_keeps_its_key() -> None:
    ends = edges(cliques(20, 20))[0]
    tree = held(400, ends)
    home = int(tree.by_level()[0][0])
    # The second clique, all of it, is tied to the first as to itself.
    tied = [(a, b) for a in range(20) for b in range(20, 40)]
    change = update(tree, 400, edges([*map(tuple, ends.tolist()), *tied])[0], list(range(20, 40)))
    assert home in tree.communities()
    assert home not in change.gone
    sizes = np.unique(tree.by_level()[0][:40], return_counts=True)[1]
    assert sizes.max() <= GROWN * bands(400)[0].most < 40


@settings(max_examples=25, deadline=None)
@given(st.integers(12, 400), st.integers(1, 60), st.integers(0, 2**20), st.integers(1, 3))
def test_newcomers_that_are_tied_to_nothing_are_put_together(
    n: int, count: int, seed: int, rounds: int
) -> None:
    ends = planted_graph(n, 4 * n, seed)
    rng = np.random.default_rng(seed)
    total = n + rounds * count
    tree = held(total, ends)
    tree.apply(update_communities(tree, [], sorted(tree.leave(range(n, total))), bands(total), tree.new_key))
    for step in range(rounds):
        new = rng.permutation(np.arange(n, n + count)).tolist()
        change = update_communities(tree, new, [], bands(total), tree.new_key)
        tree.apply(change)
        n += count
        assert set(new) <= set(change.homes)
        assert alone(tree) == set()
        # Few newcomers are in one place, and many in few.
        most = bands(total)[0].most
        assert len({change.homes[entity] for entity in new}) <= 2 + count // (most // 2), step


def test_newcomers_stay_in_the_order_of_their_documents() -> None:
    ends = planted_graph(400, 1_600)
    tree = held(460, ends)
    tree.apply(update_communities(tree, [], sorted(tree.leave(range(400, 460))), bands(460), tree.new_key))
    before = tree.by_level()[0].copy()
    new = np.random.default_rng(1).permutation(np.arange(400, 460)).tolist()
    change = update_communities(tree, new, [], bands(460), tree.new_key)
    tree.apply(change)
    assert set(change.homes) == set(new), "who was there before stays"
    homes = [change.homes[entity] for entity in range(400, 460)]
    changes = sum(a != b for a, b in pairwise(homes))
    assert changes + 1 == len(set(homes)) <= -(-60 // bands(460)[0].most) + 1
    assert (tree.by_level()[0][:400] == before[:400]).all()
    backwards = held(460, ends)
    shrunk = sorted(backwards.leave(range(400, 460)))
    backwards.apply(update_communities(backwards, [], shrunk, bands(460), backwards.new_key))
    again = update_communities(backwards, new[::-1], [], bands(460), backwards.new_key)
    groups = [
        sorted(e for e in new if c.homes[e] == home)
        for c in (change, again)
        for home in set(c.homes.values())
    ]
    assert sorted(groups[: len(groups) // 2]) == sorted(groups[len(groups) // 2 :])


def test_what_shrank_too_far_joins_its_neighbour() -> None:
    ends = edges(cliques(30, 12))[0]
    tree = held(360, ends)
    home = int(tree.by_level()[0][0])
    members = list(tree.members(home))
    least = bands(360)[0].least
    few = int(SHRUNK * least) - 1
    stay, left = members[:few], members[few:]
    assert stay
    assert left
    without = ends[~np.isin(ends, left).any(axis=1)]
    change = update(tree, 360, edges([*map(tuple, without.tolist()), (stay[0], 200)])[0], [], left)
    assert home in change.gone
    assert all(len(tree.members(change.homes[entity])) >= least for entity in stay)


@pytest.mark.parametrize("n", [1, 2, 12])
def test_the_smallest_graphs(n: int) -> None:
    ends = edges(star(n))[0]
    tree = held(n, ends)
    update(tree, n, ends[:0], list(range(n)))
    update(tree, n, ends[:0], [], [0])
    assert bands(n) == (Band(2, 12),)
