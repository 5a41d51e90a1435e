"""Communities and entities that are near in meaning to what is typed, beside those that hold its letters."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
from numpy.typing import NDArray

from core.errors import BadInput
from core.retrieval.hierarchy.nearest import Nearest
from core.store.store import Store
from core.types import SearchResult, kind_words

LEAST = 0.35  # cosine from which two things are near: chosen looking at the sample
EACH = 2  # communities, and as many entities


def near_in_meaning(
    store: Store, nearest: Nearest, vector: NDArray[np.float32], kinds: Collection[str]
) -> list[SearchResult]:
    """At most two of each kind, the nearest first; `vector` (d,) is that of the text."""
    found: list[SearchResult] = []
    if "community" in kinds:
        keys = [key for key, cosine in nearest.communities(vector, EACH) if cosine >= LEAST]
        titles = store.reports.titles(keys)
        found += [
            SearchResult("community", str(k), titles[k], "near in meaning") for k in keys if k in titles
        ]
    if "entity" in kinds:
        ids = [id for id, cosine in nearest.entities(vector, EACH) if cosine >= LEAST]
        found += [entity for id in ids if (entity := _entity(store, id))]
    return found


def beside(listed: Sequence[SearchResult], near: Sequence[SearchResult], limit: int) -> list[SearchResult]:
    """What holds the letters, then what is near; passages, which stand last, give way."""
    known = {(result.kind, result.id) for result in listed}
    fresh = [result for result in near if (result.kind, result.id) not in known][: max(0, limit)]
    return [*listed[: limit - len(fresh)], *fresh] if fresh else list(listed)


def _entity(store: Store, entity_id: str) -> SearchResult | None:
    try:
        entity = store.entities.get(entity_id)
    except BadInput:  # taken out a moment ago
        return None
    return SearchResult("entity", entity.id, entity.name, f"{kind_words(entity.label)}, near in meaning")
