"""Updates of a hierarchy: what must hold still holds, and what was not touched stays as it was."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.graph.communities import Band, bands, hierarchy, modularity
from core.graph.update_communities import GROWN, SHRUNK, Ties, update_communities
from core.research.synthetic.workspace import planted_graph
from tests.data_makers.graph_shapes import Ends, cliques, edges, hubs, nests, scattered, star, too_large


class Tree:
    """A hierarchy over entities from 0 and its graph. `levels` are the keys of communities, -1 for none."""

    def __init__(self, n: int, ends: Ends) -> None:
        labels = hierarchy(n, ends, np.ones(len(ends)))
        firsts = np.cumsum([0, *(int(level.max()) + 1 for level in labels)]).tolist()
        self.levels = [level.astype(np.int64) + first for level, first in zip(labels, firsts, strict=False)]
        self.ends = ends
        self.free_key = firsts[-1]

    def ties(self, entities: Sequence[int]) -> Ties:
        own = self.ends[np.isin(self.ends, entities).any(axis=1)]
        return own, np.ones(len(own))

    def leave(self, entities: Iterable[int]) -> set[int]:
        """Take entities out; the communities that they were in."""
        rows = list(entities)
        left = {int(key) for labels in self.levels for key in labels[rows]} - {-1}
        for labels in self.levels:
            labels[rows] = -1
        return left

    def update(self, touched: Sequence[int], changed: Iterable[int] = ()) -> dict[int, int]:
        """Bring it in step; the new home of each entity that moved."""
        inside = sorted({*np.flatnonzero(self.levels[0] >= 0).tolist(), *touched})
        before = self.levels[0].copy()
        levels = update_communities(
            np.array(inside, dtype=np.int64),
            [labels[inside] for labels in self.levels],
            touched,
            changed,
            self.ties,
            sorted,
            bands(len(before)),
            self.free_key,
        )
        for labels, after in zip(self.levels, levels, strict=True):
            labels[inside] = after
        self.free_key = max(self.free_key, *(int(labels.max()) + 1 for labels in self.levels))
        moved = np.flatnonzero(self.levels[0] != before)
        return dict(zip(moved.tolist(), self.levels[0][moved].tolist(), strict=True))


def update(
    tree: Tree, n: int, ends: Ends, touched: list[int], left: list[int] | None = None
) -> dict[int, int]:
    """Bring it in step with these edges, and look at all that must hold; the new homes."""
    before = alone(tree)
    tree.ends = ends
    moved = tree.update(touched, tree.leave(left or []))
    sound(tree, n, set(range(n)) - set(left or []))
    assert alone(tree) <= before, "one was left alone"
    return moved


def alone(tree: Tree) -> set[int]:
    """Entities that are a finest community each, where there are others."""
    homes, first, sizes = np.unique(tree.levels[0], return_index=True, return_counts=True)
    found = set(first[(homes >= 0) & (sizes == 1)].tolist())
    return found if (homes >= 0).sum() > 1 else set()


def sound(tree: Tree, n: int, present: set[int]) -> None:
    inside = sorted(present)
    assert len(tree.levels) == len(bands(n))
    for labels in tree.levels:
        assert set(np.flatnonzero(labels >= 0).tolist()) == present
    levels = [labels[inside] for labels in tree.levels]
    assert nests(levels)
    assert too_large(levels, bands(n), GROWN) == []
    # A key is of one level only.
    keys = [set(labels.tolist()) for labels in levels]
    assert sum(map(len, keys)) == len(set().union(*keys))


def edited(n: int, ends: Ends, count: int, seed: int) -> tuple[Ends, list[int]]:
    """Some edges go and as many others come; the entities at an end of one."""
    rng = np.random.default_rng(seed)
    gone = rng.choice(len(ends), min(count, len(ends)), replace=False)
    come = edges([(int(a), int(b)) for a, b in rng.integers(0, n, (count, 2))])[0]
    after = np.unique(np.concatenate([np.delete(ends, gone, axis=0), come]), axis=0)
    return after, np.unique(np.concatenate([ends[gone].ravel(), come.ravel()])).tolist()


@settings(max_examples=10, deadline=None)
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
    tree = Tree(n, ends)
    for step in range(rounds):
        ends, touched = edited(n, ends, count, seed + step)
        update(tree, n, ends, touched)


@settings(max_examples=6, deadline=None)
@given(st.integers(30, 500), st.integers(0, 2**20), st.integers(1, 400))
def test_entities_leave_and_come_back(n: int, seed: int, count: int) -> None:
    ends = planted_graph(n, 4 * n, seed)
    tree = Tree(n, ends)
    rng = np.random.default_rng(seed)
    left = rng.choice(n, min(count, n), replace=False).tolist()
    without = ends[~np.isin(ends, left).any(axis=1)]
    touched = sorted(set(ends[np.isin(ends, left).any(axis=1)].ravel().tolist()) - set(left))
    update(tree, n, without, touched, left)
    back = rng.permutation(sorted({*touched, *left})).tolist()
    update(tree, n, ends, back)


def test_where_nothing_changed_nothing_moves() -> None:
    ends = edges(cliques(20, 20))[0]
    tree = Tree(400, ends)
    before = [labels.copy() for labels in tree.levels]
    for touched in ([], list(range(400))):
        assert update(tree, 400, ends, touched) == {}
    assert np.array_equal(before, tree.levels)


def test_untouched_communities_keep_their_entities_and_keys() -> None:
    ends = edges(cliques(20, 20))[0]
    tree = Tree(400, ends)
    before = [labels.copy() for labels in tree.levels]
    # One moves from the first clique to the eleventh.
    after = edges([(a, b) for a, b in ends.tolist() if 3 not in (a, b)] + [(3, 200 + k) for k in range(20)])[
        0
    ]
    moved = update(tree, 400, after, [*range(20), *range(200, 220)])
    assert moved == {3: int(before[0][200])}
    for was, now in zip(before, tree.levels, strict=True):
        assert (was == now)[np.arange(400) != 3].all()


def test_a_small_change_leaves_nearly_all_as_it_was_and_as_good_as_anew() -> None:
    ends = planted_graph(5_000, 25_000)
    tree = Tree(5_000, ends)
    before = [labels.copy() for labels in tree.levels]
    after, touched = edited(5_000, ends, 125, 2)
    update(tree, 5_000, after, touched)
    weights = np.ones(len(after))
    fresh = hierarchy(5_000, after, weights)
    for was, now, anew in zip(before, tree.levels, fresh, strict=True):
        assert (was == now).mean() > 0.97
        labels = np.unique(now, return_inverse=True)[1].astype(np.int32)
        assert modularity(labels, after, weights) > modularity(anew, after, weights) - 0.01


def test_what_grew_too_large_is_divided_and_the_largest_part_keeps_its_key() -> None:
    ends = edges(cliques(20, 20))[0]
    tree = Tree(400, ends)
    home = int(tree.levels[0][0])
    # The second clique, all of it, is tied to the first as to itself.
    tied = [(a, b) for a in range(20) for b in range(20, 40)]
    update(tree, 400, edges([*map(tuple, ends.tolist()), *tied])[0], list(range(20, 40)))
    assert home in tree.levels[0]
    sizes = np.unique(tree.levels[0][:40], return_counts=True)[1]
    assert sizes.max() <= GROWN * bands(400)[0].most < 40


@settings(max_examples=8, deadline=None)
@given(st.integers(12, 400), st.integers(1, 60), st.integers(0, 2**20), st.integers(1, 3))
def test_newcomers_that_are_tied_to_nothing_are_put_together(
    n: int, count: int, seed: int, rounds: int
) -> None:
    ends = planted_graph(n, 4 * n, seed)
    rng = np.random.default_rng(seed)
    total = n + rounds * count
    tree = Tree(total, ends)
    tree.update([], tree.leave(range(n, total)))
    for step in range(rounds):
        new = rng.permutation(np.arange(n, n + count)).tolist()
        homes = tree.update(new)
        n += count
        assert set(new) <= set(homes)
        assert alone(tree) == set()
        # Few newcomers are in one place, and many in few.
        most = bands(total)[0].most
        assert len({homes[entity] for entity in new}) <= 2 + count // (most // 2), step


def test_what_shrank_too_far_joins_its_neighbour() -> None:
    ends = edges(cliques(30, 12))[0]
    tree = Tree(360, ends)
    home = int(tree.levels[0][0])
    members = np.flatnonzero(tree.levels[0] == home).tolist()
    least = bands(360)[0].least
    few = int(SHRUNK * least) - 1
    stay, left = members[:few], members[few:]
    assert stay
    assert left
    without = ends[~np.isin(ends, left).any(axis=1)]
    moved = update(tree, 360, edges([*map(tuple, without.tolist()), (stay[0], 200)])[0], [], left)
    assert home not in tree.levels[0]
    assert all((tree.levels[0] == moved[entity]).sum() >= least for entity in stay)


@pytest.mark.parametrize("n", [1, 12])
def test_the_smallest_graphs(n: int) -> None:
    ends = edges(star(n))[0]
    tree = Tree(n, ends)
    update(tree, n, ends[:0], list(range(n)))
    update(tree, n, ends[:0], [], [0])
    assert bands(n) == (Band(2, 12),)
