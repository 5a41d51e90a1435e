"""Pairs of names that may be one entity: what rules nearly merged, and what is near in meaning."""

from __future__ import annotations

from core.extraction.entity_resolution import conflict
from core.extraction.name_parts import Name
from core.store.store import Store
from core.types import NameMerge


def suggestions(store: Store, limit: int) -> list[NameMerge]:
    """Those of entities that are two now, without those that somebody decided on, the surest first.

    Rules come before vectors: "North" and "South" lie near each other. One pair an entity and another.
    """
    found: dict[tuple[str, str], NameMerge] = {}
    heads = store.entities.ids_by_name()
    for sure, pairs in (
        (True, store.name_changes.nearly_merged()),
        (False, store.name_changes.near_in_meaning(4 * limit)),
    ):
        for merge, one, one_label, other, other_label in pairs:
            left, right = Name(0, one, one_label), Name(1, other, other_label)
            if not sure and (left.kind != right.kind or conflict(left, right)):
                continue
            ends = sorted((heads[one], heads[other]))
            found.setdefault((ends[0], ends[1]), merge)
            if len(found) == limit:
                return list(found.values())
    return list(found.values())
