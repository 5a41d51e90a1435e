"""Keeps the hierarchy of communities: made anew after much change, mended after little."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import partial
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from core.graph.build import Edges
from core.graph.communities import Labels, bands, hierarchy, match_communities
from core.graph.update_communities import Ties, update_communities
from core.progress import TaskContext
from core.store.communities import CommunityRow
from core.store.store import Store

# Facts of an entity that few of them cannot move, and that does not make another thing of its community.
_SETTLED = 50
HIERARCHY_SIZE = "hierarchy"  # the setting: how many entities the bounds of the sizes were chosen for

Keys = NDArray[np.int64]


def group_all(store: Store, keys: Keys, edges: Edges, seed: int, context: TaskContext) -> NDArray[np.int64]:
    """Make the hierarchy anew; the number of the top community of each entity, (n,), in the order of `keys`.

    `keys` (n,) are entities in an order that no run changes, `edges` the facts between their places in it that are
    said outside of lists of references.
    A community that shares most with an old one keeps its key and number, and so its colour and report.
    """
    order = store.passages.first_of(keys)
    # Who stands in lists of references only is tied to nothing: such names are put together, apart from all others.
    cited = np.isin(keys, list(store.reference_lists.entities(keys.tolist())))
    order = np.where(cited, order + int(order.max(initial=0)) + 1, order)
    levels = hierarchy(len(keys), edges.ends, edges.weights, seed, context, order)
    rows, homes = _rows(store, keys, levels)
    store.communities.replace(rows, zip(keys.tolist(), homes.tolist(), strict=True))
    store.settings.set(HIERARCHY_SIZE, str(len(keys)))
    if not levels:
        return np.zeros(0, dtype=np.int64)
    number = {row.key: row.number for row in rows}
    top = {row.key: row.key if row.parent is None else row.parent for row in rows}
    tops = homes
    for _ in levels[1:]:
        tops = np.array([top[key] for key in tops.tolist()], dtype=np.int64)
    return np.array([number[key] for key in tops.tolist()], dtype=np.int64)


def _rows(store: Store, keys: Keys, levels: Sequence[Labels]) -> tuple[list[CommunityRow], Keys]:
    """All communities with keys and numbers, and the key of the finest of each entity, (n,)."""
    before = {row.key: row for row in store.communities.rows()}
    known, homes = store.communities.members()
    old = np.full(len(keys), -1, dtype=np.int64)
    at = np.searchsorted(known, keys)
    there = (
        (at < len(known)) & (known[np.minimum(at, max(0, len(known) - 1))] == keys) if len(known) else at < 0
    )
    old[there] = homes[at[there]]
    free = store.communities.next_key()
    rows: list[CommunityRow] = []
    own: list[Keys] = []
    for level, labels in enumerate(levels, 1):
        same = match_communities(old, labels.astype(np.int64))
        named = np.empty(int(labels.max()) + 1, dtype=np.int64)
        numbers = {before[key].number for key in same.values()}
        unused = (number for number in range(len(named) + len(numbers)) if number not in numbers)
        for label in range(len(named)):
            if label in same:
                named[label] = same[label]
                number = before[same[label]].number
            else:
                named[label], number, free = free, next(unused), free + 1
            rows.append(CommunityRow(int(named[label]), level, None, number))
        own.append(named[labels])
        old = np.array([_parent(before, key) for key in old.tolist()], dtype=np.int64)
    parents: dict[int, int] = {}
    for fine, coarse in pairwise(own):
        parents.update(zip(fine.tolist(), coarse.tolist(), strict=True))
    rows = [CommunityRow(row.key, row.level, parents.get(row.key), row.number) for row in rows]
    return rows, own[0] if own else np.zeros(0, dtype=np.int64)


def _parent(before: Mapping[int, CommunityRow], key: int) -> int:
    parent = before[key].parent if key in before else None
    return -1 if parent is None else parent


# ------------------------------------------------------------ little change


def regroup_touched(store: Store, touched: Sequence[int], seed: int) -> set[int]:
    """Mend the hierarchy where entities changed; entities whose top community may be another now.

    `touched` are names; those that are no entity of their own, or are gone, leave.
    """
    sizes = bands(int(store.settings.get(HIERARCHY_SIZE, "0")))
    heads = store.entities.heads(touched)
    nodes = store.map_edges.among_nodes(heads.values())
    left = [key for key in touched if heads.get(key) != key or key not in nodes]
    present = store.entities.in_order(nodes)
    store.communities.change((), (), {}, left)
    shrunk = store.communities.shrunk()
    homes = store.communities.of(present)
    settled = store.facts.busy(homes, max(_SETTLED, 2 * len(present)))
    moving = [key for key in present if key not in settled]
    rows = {row.key: row for row in store.communities.rows()}
    entities, before = _levels(store, moving, rows, len(sizes))
    after = update_communities(
        entities, before, moving, _with_parents(rows, shrunk), partial(_ties, store),
        store.entities.in_reading_order, sizes, store.communities.next_key(), seed,
    )  # fmt: skip
    parents = _parents(after)
    gone = rows.keys() - parents.keys()
    new_rows = _new_rows(rows, gone, parents)
    moved_rows = np.flatnonzero(after[0] != before[0])
    moves = dict(zip(entities[moved_rows].tolist(), after[0][moved_rows].tolist(), strict=True))
    counts = Counter([*(homes[key] for key in moving if key in homes), *shrunk, *gone])
    # While those that go still tell what held them.
    store.communities.changed({**{homes[key]: 0 for key in settled}, **counts})
    store.communities.change(new_rows, gone, moves, ())
    moved = {*present, *moves}
    for members in store.communities.entities([row.key for row in new_rows]).values():
        moved.update(members)
    return moved


def _levels(
    store: Store, moving: Sequence[int], rows: Mapping[int, CommunityRow], n_levels: int
) -> tuple[Keys, list[Keys]]:
    """All entities, (n,), with those that are to have a community, and the community of each by level; -1 for none."""
    known, homes = store.communities.members()
    entities = np.union1d(known, np.array(moving, dtype=np.int64))
    labels = np.full(len(entities), -1, dtype=np.int64)
    labels[np.searchsorted(entities, known)] = homes
    levels = [labels]
    for _ in range(1, n_levels):
        keys, place = np.unique(levels[-1], return_inverse=True)
        levels.append(np.array([_parent(rows, key) for key in keys.tolist()], dtype=np.int64)[place])
    return entities, levels[:n_levels]


def _with_parents(rows: Mapping[int, CommunityRow], keys: Iterable[int]) -> set[int]:
    """These communities and all that hold them."""
    found: set[int] = set()
    for key in keys:
        while key >= 0:
            found.add(key)
            key = _parent(rows, key)
    return found


def _parents(levels: Sequence[Keys]) -> dict[int, tuple[int, int | None]]:
    """Level and parent of each community."""
    found: dict[int, tuple[int, int | None]] = {}
    for at, labels in enumerate(levels):
        keys, first = np.unique(labels, return_index=True)
        above: Sequence[int | None] = [None] * len(keys)
        if at + 1 < len(levels):
            above = levels[at + 1][first].tolist()
        found.update((key, (at + 1, parent)) for key, parent in zip(keys.tolist(), above, strict=True))
    return found


def _ties(store: Store, entities: Sequence[int]) -> Ties:
    """Facts and ties of these entities."""
    found = store.map_edges.columns_touching(entities, outside_lists=True)
    return found.ends, np.maximum(found.weights, 1e-9)


def _new_rows(
    rows: Mapping[int, CommunityRow], gone: Collection[int], parents: Mapping[int, tuple[int, int | None]]
) -> list[CommunityRow]:
    """New and moved communities; a new one gets the lowest number that is free on its level."""
    used: dict[int, set[int]] = {}
    for row in rows.values():
        if row.key not in gone:
            used.setdefault(row.level, set()).add(row.number)
    found = []
    for key, (level, parent) in sorted(parents.items()):
        if key in rows:
            number = rows[key].number
        else:
            taken = used.setdefault(level, set())
            number = next(n for n in range(len(taken) + 1) if n not in taken)
            taken.add(number)
        if key not in rows or rows[key].parent != parent:
            found.append(CommunityRow(key, level, parent, number))
    return found
