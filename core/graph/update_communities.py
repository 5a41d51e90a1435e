"""Brings a hierarchy of communities in step with a small change (triple-layer GraphRAG 7.1.3).

Touched entities move to the community that they are tied to most, all others fixed. Then, level by level, changed
communities that are too large are divided, and those that are too small join another one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from core.graph.communities import Band, Ends, Weights, join_small, number_by_size, pool_untied, split_large

Keys = NDArray[np.int64]
Ties = tuple[Ends, Weights]  # entity keys (m, 2), weights (m,) > 0

# Full communities are common: without some play one more entity would divide them, and change all in them.
GROWN, SHRUNK = 1.25, 0.5


def update_communities(
    entities: Keys,
    levels: Sequence[Keys],
    touched: Sequence[int],
    changed: Iterable[int],
    ties: Callable[[Sequence[int]], Ties],
    reading_order: Callable[[Sequence[int]], Sequence[int]],
    sizes: Sequence[Band],
    free_key: int,
    seed: int = 7,
) -> list[Keys]:
    """Return the key of each entity's community by level, (n,) each, the finest first, after the update.

    `entities` (n,) are ascending keys, `levels` their communities before, -1 for none. `touched` are looked at in this
    order; `changed` are communities, of any level, that an entity left. `ties` gives every edge at an end of which one
    of the entities is, once. New communities have keys from `free_key` on. `sizes` are the bounds by level.
    """
    update = _Update(entities, levels, ties, sizes, free_key, seed)
    update.move(touched, reading_order)
    for at in range(len(sizes)):
        moved = update.levels[at] != levels[at]
        keys = {*changed, *levels[at][moved].tolist(), *update.levels[at][moved].tolist()}
        update.divide(sorted(keys), at)
        moved = update.levels[at] != levels[at]
        update.join(sorted(keys.union(update.levels[at][moved].tolist())), at)
    return update.levels


class _Update:
    def __init__(
        self,
        entities: Keys,
        levels: Sequence[Keys],
        ties: Callable[[Sequence[int]], Ties],
        sizes: Sequence[Band],
        free_key: int,
        seed: int,
    ) -> None:
        self.levels = [labels.copy() for labels in levels]
        self._entities, self._sizes, self._free, self._seed = entities, sizes, free_key, seed
        self._ties = ties

    def move(self, touched: Sequence[int], reading_order: Callable[[Sequence[int]], Sequence[int]]) -> None:
        """Move each touched entity to the community that it is tied to most, until none moves."""
        keys = np.array(touched, dtype=np.int64)
        ends, weights = self._edges(keys)
        rows = np.searchsorted(self._entities, keys).tolist()
        before = self.levels[0].tolist()
        homes = dict(zip(rows, _move_nodes(rows, self.levels[0], ends, weights, self._seed), strict=True))
        moved = [row for row in rows if homes[row] != before[row]]
        groups: dict[int, list[int]] = {}
        for row in moved:
            if homes[row] < 0:
                groups.setdefault(homes[row], []).append(row)
        alone = [group[0] for group in groups.values() if len(group) == 1]
        founded = [np.array(group) for group in groups.values() if len(group) > 1]
        if alone:
            order = np.array(reading_order(self._entities[sorted(alone)].tolist()), dtype=np.int64)
            n_pieces = -(-len(order) // self._sizes[0].most)
            founded += np.array_split(np.searchsorted(self._entities, order), n_pieces)
        above = self._emptiest() if founded else []
        # While somebody is still there.
        chains = {homes[row]: self._chain(homes[row], 0) for row in moved if homes[row] >= 0}
        for row in moved:
            if homes[row] >= 0:
                self._place(row, chains[homes[row]])
        for group in founded:
            self._place(group, [self._key(), *above])

    def divide(self, keys: Iterable[int], at: int) -> None:
        """Divide those of these communities that are too large. The largest part keeps the key."""
        band = self._sizes[at]
        for key in keys:
            members = np.flatnonzero(self.levels[at] == key)
            if len(members) <= GROWN * band.most:
                continue
            ends, weights = self._edges(self._entities[members])
            inside = (self.levels[at][ends] == key).all(axis=1)
            ends, weights = np.searchsorted(members, ends[inside]), weights[inside]
            below = self.levels[at - 1][members] if at else members
            part = np.unique(below, return_inverse=True)[1]
            across = part[ends[:, 0]] != part[ends[:, 1]]
            pairs = part[ends[across]]
            labels = split_large(np.bincount(part), pairs, weights[across], band.most, self._seed)[part]
            labels = pool_untied(join_small(labels, ends, weights, band), band, np.arange(len(members)))
            labels = number_by_size(labels)
            for label in range(1, int(labels.max()) + 1):
                self._place(members[labels == label], [self._key(), *self._chain(key, at)[1:]], at)

    def join(self, keys: Iterable[int], at: int) -> None:
        """Join those of these communities that are too small with the one that they are tied to most and has room."""
        band = self._sizes[at]
        for key in keys:
            members = np.flatnonzero(self.levels[at] == key)
            if not 0 < len(members) < max(SHRUNK * band.least, 2):
                continue
            ends, weights = self._edges(self._entities[members])
            labels = self.levels[at][ends]
            across = ((labels == key).sum(axis=1) == 1) & (labels >= 0).all(axis=1)
            others = labels[across].sum(axis=1) - key
            targets, group = np.unique(others, return_inverse=True)
            strength = np.bincount(group, weights[across], minlength=len(targets))
            room = [target for target in targets[np.argsort(-strength, kind="stable")].tolist()
                    if (self.levels[at] == target).sum() + len(members) <= band.most]  # fmt: skip
            target = room[0] if room else self._nearest(key, members) if at == 0 else None
            if target is not None:
                self._place(members, self._chain(target, at), at)

    def _nearest(self, key: int, members: Keys) -> int | None:
        """Return the smallest finest community under the same parent that can take in one that is tied to none.

        One of a single entity goes to whichever has room under its parent, else under that one's parent, and so on.
        """
        band, alone = self._sizes[0], len(members) == 1
        for labels in [*self.levels[1:], np.zeros(len(self._entities))] if alone else self.levels[1:2]:
            near = self.levels[0][(labels == labels[members[0]]) & (self.levels[0] >= 0)]
            keys, counts = np.unique(near, return_counts=True)
            for most in (band.most, GROWN * band.most) if alone else (band.most,):
                room = (keys != key) & (counts + len(members) <= most) & (alone | (counts < band.least))
                if room.any():
                    return int(keys[room][np.argmin(counts[room])])
        return None

    def _edges(self, entities: Keys) -> Ties:
        """Return the edges at these entities by rows, without loops and ends that are no entities."""
        ends, weights = self._ties(entities.tolist())
        proper = (ends[:, 0] != ends[:, 1]) & np.isin(ends, self._entities).all(axis=1)
        return np.searchsorted(self._entities, ends[proper]), weights[proper]

    def _emptiest(self) -> list[int]:
        """Return a chain of communities above the finest level, each the smallest below the one before."""
        chain: list[int] = []
        inside = self.levels[0] >= 0
        for labels in self.levels[:0:-1]:
            keys, counts = np.unique(labels[inside], return_counts=True)
            chain.insert(0, int(keys[np.argmin(counts)]) if len(keys) else self._key())
            inside &= labels == chain[0]
        return chain

    def _chain(self, key: int, at: int) -> list[int]:
        """Return a community and those that hold it, from its level up."""
        row = np.argmax(self.levels[at] == key)
        return [int(labels[row]) for labels in self.levels[at:]]

    def _place(self, rows: Keys | int, chain: Sequence[int], at: int = 0) -> None:
        for labels, key in zip(self.levels[at:], chain, strict=True):
            labels[rows] = key

    def _key(self) -> int:
        self._free += 1
        return self._free - 1


def _move_nodes(rows: Sequence[int], labels: Keys, ends: Ends, weights: Weights, seed: int) -> list[int]:
    """Return the community of each row after it moved to where it is tied most, all others fixed.

    One below 0, the same for those that stand together, where that is none of before.
    """
    import igraph
    import leidenalg

    free = np.array(rows, dtype=np.int64)
    inside = ((labels[ends] >= 0) | np.isin(ends, free)).all(axis=1)  # an end without a place is nowhere yet
    ends, weights = ends[inside], weights[inside]
    nodes = np.concatenate([free, np.setdiff1d(ends, free)])
    order = np.argsort(nodes, kind="stable")
    home = labels[nodes]
    known = np.unique(home[home >= 0])
    alone = np.cumsum(home < 0) - 1 + len(known)
    # A fixed node for each community: one without any might get another's number.
    initial = np.concatenate([np.where(home < 0, alone, np.searchsorted(known, home)), np.arange(len(known))])
    graph = igraph.Graph(n=len(initial), edges=order[np.searchsorted(nodes, ends, sorter=order)])
    # Resolution 0: to where it is tied most. The bounds of the sizes are kept afterwards.
    partition = leidenalg.CPMVertexPartition(
        graph, initial_membership=initial.tolist(), weights=weights.tolist(), resolution_parameter=0.0
    )
    optimiser = leidenalg.Optimiser()
    optimiser.set_rng_seed(seed)
    optimiser.consider_empty_community = False
    optimiser.move_nodes(partition, is_membership_fixed=(np.arange(len(initial)) >= len(free)).tolist())
    found = partition.membership
    after = dict(zip(found[len(nodes) :], known.tolist(), strict=True))
    return [after.get(at, -2 - at) for at in found[: len(free)]]  # -1 is no place
