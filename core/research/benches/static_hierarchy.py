"""A hierarchy of communities and its graph in memory: what an update looks at, without a workspace."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from core.graph.hierarchy import Ends, Labels, Weights
from core.graph.update_communities import Regrouped, Ties


class HeldHierarchy:
    """Entities are numbers from 0; keys of communities are numbers, those of the finest level first."""

    def __init__(self, levels: Sequence[Labels], ends: Ends, weights: Weights) -> None:
        """`levels` as `hierarchy` gives them: labels by level, the finest first."""
        counts = [int(labels.max()) + 1 for labels in levels]
        firsts = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        self.next_key = int(firsts[-1])
        self._homes: NDArray[np.int64] = levels[0].astype(np.int64)
        self._members: dict[int, set[int]] = {key: set() for key in range(counts[0])}
        for entity, home in enumerate(levels[0].tolist()):
            self._members[home].add(entity)
        self._parents: dict[int, int | None] = {}
        self._children: dict[int | None, set[int]] = {None: set()}
        for at, labels in enumerate(levels):
            _, some = np.unique(labels, return_index=True)
            for label, entity in enumerate(some.tolist()):
                key = int(firsts[at]) + label
                above = int(firsts[at + 1] + levels[at + 1][entity]) if at + 1 < len(levels) else None
                self._parents[key] = above
                self._children.setdefault(above, set()).add(key)
                self._children.setdefault(key, set())
        self.relink(ends, weights)

    def relink(self, ends: Ends, weights: Weights) -> None:
        """Another graph over the entities: `ends` (m, 2) each pair once, `weights` (m,)."""
        both = np.concatenate([ends, ends[:, ::-1]])
        order = np.argsort(both[:, 0], kind="stable")
        self._to = both[order, 1]
        self._weights = np.concatenate([weights, weights])[order]
        self._starts = np.searchsorted(both[order, 0], np.arange(len(self._homes) + 1))
        self._asked = np.zeros(len(self._homes), dtype=bool)

    # ------------------------------------------------------------ what an update asks

    def homes(self, entities: Iterable[int]) -> Mapping[int, int]:
        keys = np.fromiter(entities, dtype=np.int64)
        homes = self._homes[keys]
        return dict(zip(keys[homes >= 0].tolist(), homes[homes >= 0].tolist(), strict=True))

    def ties(self, entities: Sequence[int]) -> Ties:
        keys = np.unique(np.array(entities, dtype=np.int64))
        counts = self._starts[keys + 1] - self._starts[keys]
        source = np.repeat(keys, counts)
        at = np.arange(len(source)) + np.repeat(self._starts[keys] - np.cumsum(counts) + counts, counts)
        to = self._to[at]
        self._asked[keys] = True
        once = ~self._asked[to] | (source < to)
        self._asked[keys] = False
        return np.stack([source[once], to[once]], axis=1), self._weights[at[once]]

    def members(self, community: int) -> Sequence[int]:
        return sorted(self._members.get(community, ()))

    def children(self, community: int | None) -> Sequence[int]:
        return sorted(self._children.get(community, ()))

    def parent(self, community: int) -> int | None:
        return self._parents.get(community)

    def in_reading_order(self, entities: Sequence[int]) -> Sequence[int]:
        """By number."""
        return sorted(entities)

    def new_key(self) -> int:
        self.next_key += 1
        return self.next_key - 1

    # ------------------------------------------------------------ changing it, and all of it

    def apply(self, change: Regrouped) -> None:
        """Do what an update said."""
        for key, (_, parent) in change.communities.items():
            if key in self._parents:
                self._children[self._parents[key]].discard(key)
            self._parents[key] = parent
            self._children.setdefault(parent, set()).add(key)
            self._children.setdefault(key, set())
            self._members.setdefault(key, set())
        for entity, home in change.homes.items():
            if (old := int(self._homes[entity])) >= 0:
                self._members[old].discard(entity)
            self._homes[entity] = home
            self._members.setdefault(home, set()).add(entity)
        for key in change.gone & self._parents.keys():  # others were founded and joined in one go
            self._children[self._parents.pop(key)].discard(key)
            self._members.pop(key, None)

    def by_level(self) -> list[NDArray[np.int64]]:
        """Community of each entity by level, the finest first, each (n,); -1 for those that have none."""
        found = [self._homes.copy()]
        while True:
            above = [self._parents[key] if key >= 0 else None for key in found[-1].tolist()]
            if all(key is None for key in above):
                return found
            found.append(np.array([-1 if key is None else key for key in above], dtype=np.int64))

    def communities(self) -> dict[int, int | None]:
        """Parent of every community, None for the top ones."""
        return dict(self._parents)
