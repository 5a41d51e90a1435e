"""Communities as far as they are told of in a range of dates."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from app.answers.communities_model import name_of, size_words
from app.widgets.treemap_layout import TreemapItem

if TYPE_CHECKING:
    from core.types import Community, InTime


def told_of(communities: Sequence[Community], told: InTime) -> tuple[list[Community], list[TreemapItem]]:
    """Those of whose entities any is told of then, with these alone, and their areas. For any thread."""
    ids = told.entity_ids
    members = ((one, tuple(filter(ids.__contains__, one.entity_ids))) for one in communities)
    found = [replace(one, entity_ids=entities) for one, entities in members if entities]
    return found, areas_of(found)


def areas_of(communities: Sequence[Community]) -> list[TreemapItem]:
    """All of these in the treemap. For any thread."""
    known = {one.id for one in communities}
    inside = Counter(one.parent_id for one in communities)
    return [area_of(one, inside[one.id], one.parent_id in known) for one in communities]


def area_of(community: Community, inside: int, within: bool) -> TreemapItem:
    """In the treemap. inside: communities right below it; within: whether the one above it is there."""
    return TreemapItem(
        community.id,
        community.parent_id if within else None,
        max(len(community.entity_ids), 1),
        name_of(community),
        community.colour,
        size_words(community, inside),
    )


def meets(date: str, since: str, until: str) -> bool:
    """Whether a date lies in a range, each a year, a month or a day in ISO 8601, and an open end "": as far as both are
    known."""
    after = not since or date[: len(since)] >= since[: len(date)]
    return after and (not until or date[: len(until)] <= until[: len(date)])
