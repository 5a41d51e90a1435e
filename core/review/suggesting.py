"""Pairs of names that may be one entity: what rules nearly merged, and what is near in meaning."""

from __future__ import annotations

from itertools import chain

from core.extraction.entity_resolution import conflict
from core.extraction.name_parts import Name
from core.store.name_changes import PossibleMerge
from core.store.store import Store
from core.types import NameMerge


def suggestions(store: Store, limit: int) -> list[NameMerge]:
    """Those of entities that are two now, without those that somebody decided on, the surest first.

    Rules come before vectors: "North" and "South" lie near each other. One pair of each two entities.
    """
    found: dict[frozenset[int], NameMerge] = {}
    for pair in chain(
        store.name_changes.nearly_merged(), filter(_agree, store.name_changes.near_in_meaning())
    ):
        if len(found) == limit:
            break
        found.setdefault(pair.entities, pair.merge)
    return list(found.values())


def _agree(pair: PossibleMerge) -> bool:
    one, other = Name(0, *pair.one), Name(1, *pair.other)
    return one.kind == other.kind and not conflict(one, other)
