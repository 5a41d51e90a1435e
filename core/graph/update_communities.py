"""Brings a hierarchy of communities in step with a small change, without looking at the rest of it.

Triple-layer GraphRAG 7.1.3 makes anew beyond a tenth of the graph; up to that, what changed starts from the old
partition: touched entities move to where they are tied most (Leiden's local move from the old membership,
all others fixed), and only communities that grew or shrank out of their bounds are divided or joined.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Protocol

import numpy as np

from core.graph.hierarchy import Band, Ends, Labels, Weights, divided, joined, parted, pooled

Ties = tuple[Ends, Weights]  # entity keys (m, 2), weights (m,) > 0

# Full communities are common: without some play one more entity would divide them, and change all in them.
GROWN, SHRUNK = 1.25, 0.5


class Hierarchy(Protocol):
    """What an update looks at; entities and communities by key, communities of the finest level first."""

    def homes(self, entities: Iterable[int]) -> Mapping[int, int]:
        """The finest community of each entity that has one."""
        ...

    def ties(self, entities: Sequence[int]) -> Ties:
        """Every edge at an end of which one of the entities stands, once."""
        ...

    def members(self, community: int) -> Sequence[int]:
        """Entities of a finest community."""
        ...

    def children(self, community: int | None) -> Sequence[int]:
        """Communities right below one; None for the top ones."""
        ...

    def parent(self, community: int) -> int | None: ...

    def in_reading_order(self, entities: Sequence[int]) -> Sequence[int]: ...


@dataclass(slots=True)
class Regrouped:
    """What changes: homes of entities, (level, parent) of communities that are new or moved, those gone."""

    homes: dict[int, int] = field(default_factory=dict)
    communities: dict[int, tuple[int, int | None]] = field(default_factory=dict)
    gone: set[int] = field(default_factory=set)


def update_communities(
    hierarchy: Hierarchy,
    touched: Sequence[int],
    shrunk: Iterable[int],
    sizes: Sequence[Band],
    new_key: Callable[[], int],
    seed: int = 7,
) -> Regrouped:
    """Place `touched` entities, in this order, and mend the communities that gained or lost.

    `shrunk` are finest communities that an entity left before. `sizes` are the bounds by level.
    """
    return _Regrouping(hierarchy, sizes, new_key, seed).run(touched, set(shrunk))


class _Regrouping:
    """The old hierarchy with the changes so far laid over it."""

    def __init__(
        self, hierarchy: Hierarchy, sizes: Sequence[Band], new_key: Callable[[], int], seed: int
    ) -> None:
        self._hierarchy = hierarchy
        self._sizes = sizes
        self._new_key = new_key
        self._seed = seed
        self._members: dict[int, set[int]] = {}
        self._children: dict[int | None, set[int]] = {}
        self._parents: dict[int, int | None] = {}
        self._changed = Regrouped()
        self._nook: int | None = None  # the parent of what is tied to nothing

    def run(self, touched: Sequence[int], affected: set[int]) -> Regrouped:
        affected |= self._move(touched)
        for level, band in enumerate(self._sizes, 1):
            above: set[int] = set()
            for community in sorted(affected):
                if community not in self._changed.gone:
                    above |= self._mend(community, level, band)
            if level == 1:
                above |= self._pool(affected, band)
            affected = above
        return self._changed

    # ------------------------------------------------------------ entities

    def _move(self, touched: Sequence[int]) -> set[int]:
        """Local moves of the touched entities; the finest communities that gained or lost."""
        ends, weights = _proper(self._hierarchy.ties(touched))
        near = np.unique(ends)
        homes = self._hierarchy.homes({*near.tolist(), *touched})
        # An end that is neither placed nor touched has nowhere to be yet.
        known = np.isin(near, np.array([*homes, *touched], dtype=np.int64))
        usable = known[np.searchsorted(near, ends)].all(axis=1)
        ties = ends[usable], weights[usable]
        after = _moved(touched, homes, ties, self._seed)
        affected: set[int] = set()
        fresh: dict[int, int] = {}
        for entity in touched:
            home, old = after[entity], homes.get(entity)
            if home < 0:  # with others that have no home
                if home not in fresh:
                    fresh[home] = self._founded(1, self._choose_parent(entity, ties, homes))
                home = fresh[home]
            if home != old:
                if old is not None:
                    self._of(old).discard(entity)
                    affected.add(old)
                self._of(home).add(entity)
                self._changed.homes[entity] = home
                affected.add(home)
        return affected

    def _choose_parent(self, entity: int, ties: Ties, homes: Mapping[int, int]) -> int | None:
        """The parent under which a new community is founded: that of a neighbour, else any."""
        near = ties[0][(ties[0] == entity).any(axis=1)].ravel().tolist()
        if found := [homes[end] for end in near if end in homes]:
            return self._parent(min(found))
        if self._nook is None:
            # One place for all, where the fewest communities are: to count entities, every one would be read.
            for _ in self._sizes[1:]:  # down from the top to the level above the finest
                if not (below := self._below(self._nook)):
                    break
                self._nook = min(below, key=lambda child: (len(self._below(child)), child))
        return self._nook

    # ------------------------------------------------------------ communities

    def _mend(self, community: int, level: int, band: Band) -> set[int]:
        """Divide or join it where it is out of its bounds; the communities above that are affected."""
        size = self._size(community, level)
        parent = self._parent(community)
        above = {parent} if parent is not None else set()
        if not size:
            self._drop(community)
        elif size > GROWN * band.most:
            self._divide(community, level, band)
        elif _few(size, band):
            above |= self._join(community, level, band, size)
        return above

    def _pool(self, affected: Iterable[int], band: Band) -> set[int]:
        """Put finest communities together that stayed small, being tied to none that has room; see `pooled`.

        Those under one parent, in the order in which documents name their entities; one that is left alone
        goes to the smallest community near it. The parents of those that changed.
        """
        founded = [key for key, (level, _) in self._changed.communities.items() if level == 1]
        there = sorted({*affected, *founded} - self._changed.gone)
        small = {key: sorted(self._of(key)) for key in there if _few(self._size(key, 1), band)}
        order = self._hierarchy.in_reading_order(sorted(chain(*small.values())))
        rank = {entity: at for at, entity in enumerate(order)}
        filled: dict[int | None, int] = {}
        above: set[int | None] = set()
        for key in sorted(small, key=lambda key: min(rank[entity] for entity in small[key])):
            parent = self._parent(key)
            if parent in filled:
                room = self._with_room([filled[parent]], key, band.most, band.most)
            else:
                room = self._with_room(self._below(parent) - small.keys(), key, band.most, band.least)
            if room:
                self._pour(key, room[0])
                above.add(parent)
            filled[parent] = room[0] if room else key
        for key in sorted(small.keys() - self._changed.gone):
            if self._size(key, 1) == 1 and (target := self._nearest(key, band)) is not None:
                above |= {self._parent(key), self._parent(target)}
                self._pour(key, target)
        return {parent for parent in above if parent is not None}

    def _with_room(self, others: Iterable[int], community: int, most: float, least: float) -> list[int]:
        """Of other finest communities those below `least` that can take it in, the smallest first."""
        own = self._size(community, 1)
        sizes = sorted((self._size(other, 1), other) for other in others if other != community)
        return [other for size, other in sizes if size < least and size + own <= most]

    def _nearest(self, community: int, band: Band) -> int | None:
        """The smallest finest community under the same parent, else under its parent, and so on, that has room."""
        above: int | None = community
        for level in range(2, len(self._sizes) + 2):
            above = self._parent(above) if above is not None else None
            for most in (band.most, GROWN * band.most):
                if room := self._with_room(self._finest(above, level), community, most, most):
                    return room[0]
        return None

    def _finest(self, community: int | None, level: int) -> list[int]:
        """Finest communities of one; of all, where it is None."""
        below = sorted(self._below(community))
        return below if level == 2 else [key for child in below for key in self._finest(child, level - 1)]

    def _pour(self, community: int, target: int) -> None:
        """All entities of a finest community into another one."""
        for entity in self._entities(community, 1):
            self._of(target).add(entity)
            self._changed.homes[entity] = target
        self._members[community] = set()
        self._drop(community)

    def _divide(self, community: int, level: int, band: Band) -> None:
        """The largest part keeps the key."""
        entities, ends, weights = self._graph(community, level)
        if level == 1:
            labels = divided(len(entities), ends, weights, band.most, self._seed)
        else:
            labels = self._by_children(community, level, band.most, entities, ends, weights)
        labels = pooled(joined(labels, ends, weights, band), band, np.arange(len(entities)))
        for label in range(1, int(labels.max()) + 1 if len(labels) else 1):
            part = [entities[row] for row in np.flatnonzero(labels == label)]
            own = self._founded(level, self._parent(community))
            if level == 1:
                for entity in part:
                    self._of(community).discard(entity)
                    self._of(own).add(entity)
                    self._changed.homes[entity] = own
            else:
                inside = set(part)
                for child in sorted(self._below(community)):
                    if not inside.isdisjoint(self._entities(child, level - 1)):
                        self._hang(child, level - 1, own)

    def _by_children(
        self, community: int, level: int, most: int, entities: Sequence[int], ends: Ends, weights: Weights
    ) -> Labels:
        """Label of each entity, those of a child alike: Leiden over the children, no part above `most`."""
        place = {entity: at for at, entity in enumerate(entities)}
        child_of = np.zeros(len(entities), dtype=np.int64)
        for number, child in enumerate(sorted(self._below(community))):
            child_of[[place[entity] for entity in self._entities(child, level - 1)]] = number
        pairs = child_of[ends]
        across = pairs[:, 0] != pairs[:, 1]
        return parted(np.bincount(child_of), pairs[across], weights[across], most, self._seed)[child_of]

    def _join(self, community: int, level: int, band: Band, size: int) -> set[int]:
        """Join it with the one of its level that it is tied to most and that has room."""
        entities = self._entities(community, level)
        ends, weights = self._hierarchy.ties(entities)
        inside = np.isin(ends, np.array(entities, dtype=np.int64))
        across = inside[:, 0] != inside[:, 1]
        outside = ends[across][~inside[across]]
        homes = self._homes(outside.tolist())
        strength: dict[int, float] = {}
        for end, weight in zip(outside.tolist(), weights[across].tolist(), strict=True):
            if end in homes:
                there = self._up(homes[end], level)
                strength[there] = strength.get(there, 0.0) + weight
        room = [
            (-weight, other)
            for other, weight in strength.items()
            if other != community and self._size(other, level) + size <= band.most
        ]
        if not room:
            return set()
        target = min(room)[1]
        if level == 1:
            self._pour(community, target)
        else:
            for child in sorted(self._below(community)):
                self._hang(child, level - 1, target)
            self._drop(community)
        parent = self._parent(target)
        return {parent} if parent is not None else set()

    # ------------------------------------------------------------ the overlay

    def _graph(self, community: int, level: int) -> tuple[list[int], Ends, Weights]:
        """Its entities, and the ties among them by their place in that list."""
        entities = sorted(self._entities(community, level))
        keys = np.array(entities, dtype=np.int64)
        ends, weights = _proper(self._hierarchy.ties(entities))
        inside = np.isin(ends, keys).all(axis=1)
        return entities, np.searchsorted(keys, ends[inside]), weights[inside]

    def _homes(self, entities: Sequence[int]) -> dict[int, int]:
        moved = self._changed.homes
        return {
            **self._hierarchy.homes(entities),
            **{entity: moved[entity] for entity in entities if entity in moved},
        }

    def _of(self, community: int) -> set[int]:
        if community not in self._members:
            self._members[community] = set(self._hierarchy.members(community))
        return self._members[community]

    def _below(self, community: int | None) -> set[int]:
        if community not in self._children:
            self._children[community] = set(self._hierarchy.children(community))
        return self._children[community]

    def _parent(self, community: int) -> int | None:
        if community not in self._parents:
            self._parents[community] = self._hierarchy.parent(community)
        return self._parents[community]

    def _up(self, community: int, level: int) -> int:
        for _ in range(level - 1):
            parent = self._parent(community)
            assert parent is not None
            community = parent
        return community

    def _entities(self, community: int, level: int) -> list[int]:
        if level == 1:
            return sorted(self._of(community))
        return [
            entity for child in sorted(self._below(community)) for entity in self._entities(child, level - 1)
        ]

    def _size(self, community: int, level: int = 0) -> int:
        level = level or self._level(community)
        return len(self._entities(community, level))

    def _level(self, community: int) -> int:
        level, above = len(self._sizes), self._parent(community)
        while above is not None:
            level, above = level - 1, self._parent(above)
        return level

    def _founded(self, level: int, parent: int | None) -> int:
        """A new empty community, with new ones above it where there is no parent."""
        if parent is None and level < len(self._sizes):
            parent = self._founded(level + 1, None)
        key = self._new_key()
        self._members[key] = set()
        self._children[key] = set()
        self._parents[key] = parent
        self._below(parent).add(key)
        self._changed.communities[key] = (level, parent)
        return key

    def _hang(self, community: int, level: int, parent: int) -> None:
        self._below(self._parent(community)).discard(community)
        self._below(parent).add(community)
        self._parents[community] = parent
        self._changed.communities[community] = (level, parent)

    def _drop(self, community: int) -> None:
        self._below(self._parent(community)).discard(community)
        self._changed.communities.pop(community, None)
        self._changed.gone.add(community)


def _few(size: int, band: Band) -> bool:
    """Whether so many entities are no community of their own."""
    return size < max(SHRUNK * band.least, 2)


def _proper(ties: Ties) -> Ties:
    """Without loops."""
    ends, weights = ties
    proper = ends[:, 0] != ends[:, 1]
    return ends[proper], weights[proper]


def _moved(touched: Sequence[int], homes: Mapping[int, int], ties: Ties, seed: int) -> dict[int, int]:
    """Home of each touched entity after they moved; below 0 for what joined no known community."""
    import igraph
    import leidenalg

    ends, weights = ties
    free = np.array(touched, dtype=np.int64)
    others = np.setdiff1d(ends, free)
    nodes = np.concatenate([free, others])
    order = np.argsort(nodes, kind="stable")
    home = np.array([homes.get(node, -1) for node in nodes.tolist()], dtype=np.int64)
    known = np.unique(home[home >= 0])
    alone = np.cumsum(home < 0) - 1 + len(known)  # each that has no home
    initial = np.where(home < 0, alone, np.searchsorted(known, home))
    # A fixed node for each community: one without any may get another's number.
    initial = np.concatenate([initial, np.arange(len(known))])
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
    return {node: after.get(at, -1 - at) for node, at in zip(touched, found[: len(free)], strict=True)}
