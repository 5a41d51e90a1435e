"""Keeps the hierarchy of communities: made anew after much change, mended after little."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from core.graph.build import Edges
from core.graph.communities import matched
from core.graph.hierarchy import Labels, bands, hierarchy
from core.graph.update_communities import Regrouped, Ties, update_communities
from core.progress import TaskContext
from core.store.communities import CommunityRow
from core.store.store import Store

COMPANY = 0.1  # weight of standing in a passage with another, for entities without a fact
# Facts of an entity that few of them cannot move, and that does not make another thing of its community.
_SETTLED = 50
MADE_FOR = "hierarchy"  # the setting: how many entities the bounds of the sizes were chosen for

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
    ends, weights = _with_company(store, keys, edges)
    levels = hierarchy(len(keys), ends, weights, seed, context, order)
    rows, homes = _rows(store, keys, levels)
    store.communities.replace(rows, zip(keys.tolist(), homes.tolist(), strict=True))
    store.settings.set(MADE_FOR, str(len(keys)))
    if not levels:
        return np.zeros(0, dtype=np.int64)
    number = {row.key: row.number for row in rows}
    top = {row.key: row.key if row.parent is None else row.parent for row in rows}
    tops = homes
    for _ in levels[1:]:
        tops = np.array([top[key] for key in tops.tolist()], dtype=np.int64)
    return np.array([number[key] for key in tops.tolist()], dtype=np.int64)


def _with_company(store: Store, keys: Keys, edges: Edges) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The facts, and a weak tie from each entity without one to the first tied entity of each of its passages."""
    tied = np.bincount(edges.ends.ravel(), minlength=len(keys)) > 0
    places = store.entities.places()
    places = places[~store.reference_lists.inside(places[:, 0], places[:, 2])]
    order = np.argsort(keys)
    entity = order[np.searchsorted(keys, places[:, 1], sorter=order)]
    passage = places[:, 0]
    by_place = np.lexsort((entity, places[:, 2], passage))
    by_place = by_place[tied[entity[by_place]]]
    first = np.full(int(passage.max(initial=-1)) + 1, -1, dtype=np.int64)
    first[passage[by_place[::-1]]] = entity[by_place[::-1]]
    lonely = ~tied[entity] & (first[passage] >= 0)
    best = first
    company = np.unique(np.sort(np.stack([entity[lonely], best[passage[lonely]]], axis=1), axis=1), axis=0)
    return (
        np.concatenate([edges.ends, company]),
        np.concatenate([edges.weights, np.full(len(company), COMPANY)]),
    )


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
        same = matched(old, labels.astype(np.int64))
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
    entity_count = int(store.settings.get(MADE_FOR, "0"))
    sizes = bands(entity_count)
    heads = store.entities.heads(touched)
    left = [key for key in touched if heads.get(key) != key]
    present = store.entities.in_order(set(heads.values()))
    store.communities.change((), (), {}, left)
    keys = _Keys(store.communities.next_key())
    shrunk = store.communities.shrunk()
    homes = store.communities.of(present)
    settled = store.facts.busy(homes, max(_SETTLED, 2 * len(present)))
    moving = [key for key in present if key not in settled]
    change = update_communities(_Stored(store), moving, shrunk, sizes, lambda: next(keys), seed)
    before = Counter([*(homes[key] for key in moving if key in homes), *shrunk, *change.gone])
    # While those that go still tell what held them.
    store.communities.changed({**{homes[key]: 0 for key in settled}, **before})
    store.communities.change(_numbered(store, change), change.gone, change.homes, ())
    moved = {*present, *change.homes}
    for members in store.communities.entities(list(change.communities)).values():
        moved.update(members)
    return moved


class _Keys(Iterator[int]):
    """New keys, one after the other."""

    def __init__(self, first: int) -> None:
        self._next = first

    def __next__(self) -> int:
        self._next += 1
        return self._next - 1


class _Stored:
    """The hierarchy and the graph as the store has them."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def homes(self, entities: Iterable[int]) -> Mapping[int, int]:
        return self._store.communities.of(entities)

    def ties(self, entities: Sequence[int]) -> Ties:
        """Facts, and company for entities without any."""
        rows = self._store.facts.touching(entities, outside_lists=True)
        tied = {end for left, right, _ in rows if left != right for end in (left, right)}
        company = [
            (min(key, other), max(key, other), COMPANY)
            for key in entities
            if key not in tied
            for other in self._store.entities.company(key)
        ]
        table = sorted({*rows, *company})
        ends = np.array([row[:2] for row in table], dtype=np.int64).reshape(-1, 2)
        return ends, np.array([max(row[2], 1e-9) for row in table], dtype=np.float64)

    def members(self, community: int) -> Sequence[int]:
        return self._store.communities.entities([community])[community]

    def children(self, community: int | None) -> Sequence[int]:
        return self._store.communities.children(community)

    def parent(self, community: int) -> int | None:
        row = self._store.communities.get(community)
        return row.parent if row else None

    def in_reading_order(self, entities: Sequence[int]) -> Sequence[int]:
        return self._store.entities.in_reading_order(entities)


def _numbered(store: Store, change: Regrouped) -> list[CommunityRow]:
    """New and moved communities as rows; a new one gets the lowest number that is free on its level."""
    used: dict[int, set[int]] = {}
    if not change.communities:
        return []
    for row in store.communities.rows():
        if row.key not in change.gone:
            used.setdefault(row.level, set()).add(row.number)
    rows = []
    for key, (level, parent) in sorted(change.communities.items()):
        known = store.communities.get(key)
        number = known.number if known else 0
        if known is None:
            taken = used.setdefault(level, set())
            number = next(n for n in range(len(taken) + 1) if n not in taken)
            taken.add(number)
        rows.append(CommunityRow(key, level, parent, number))
    return rows
