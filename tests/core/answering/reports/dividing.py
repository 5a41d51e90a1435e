"""Puts entities into communities at two levels, as the hierarchy does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from core.graph.communities import leiden
from core.store.store import Store


def divide(store: Store, coarse: Sequence[Sequence[Sequence[str]]]) -> None:
    """Communities of level 2, each a list of those of level 1, each a list of normal forms; none other."""
    keys = {row.normal: row.key for row in store.entities.rows()}
    fine = [[[keys[name] for name in members] for members in parent] for parent in coarse]
    _put(store, fine)


def divide_by_leiden(store: Store) -> None:
    """Two levels by the ties between entities."""
    facts, keys = store.facts.columns(), np.array([row.key for row in store.entities.rows()])
    ends = np.searchsorted(keys, np.stack([facts.subjects, facts.objects], axis=1))
    apart = ends[:, 0] != ends[:, 1]
    fine = leiden(len(keys), ends[apart], facts.strengths[apart], resolution=3.0)
    between = fine[ends[apart]]
    crossing = between[:, 0] != between[:, 1]
    coarse = leiden(int(fine.max()) + 1, between[crossing].astype(np.int64), facts.strengths[apart][crossing])
    parents: dict[int, dict[int, list[int]]] = {}
    for key, number in zip(keys.tolist(), fine.tolist(), strict=True):
        parents.setdefault(int(coarse[number]), {}).setdefault(number, []).append(key)
    _put(store, [list(parents[parent].values()) for parent in sorted(parents)])


def level_of(store: Store, level: int) -> Mapping[int, tuple[str, ...]]:
    """Ids of the entities of each community of a level."""
    rows = store.contents.communities(level)
    found: dict[int, tuple[str, ...]] = {}
    for member in store.contents.members(row.key for row in rows):
        found[member.community] = (*found.get(member.community, ()), member.id)
    return found


def _put(store: Store, coarse: Sequence[Sequence[Sequence[int]]]) -> None:
    with store.database.transaction() as connection:
        connection.execute("DELETE FROM community_members")
        connection.execute("DELETE FROM communities")
        fine = 1_000
        for number, parent in enumerate(coarse):
            connection.execute("INSERT INTO communities VALUES (?, 2, NULL, ?)", (number + 1, number))
            for members in parent:
                fine += 1
                connection.execute("INSERT INTO communities VALUES (?, 1, ?, ?)", (fine, number + 1, fine))
                connection.executemany(
                    "INSERT INTO community_members VALUES (?, ?)", [(key, fine) for key in members]
                )
