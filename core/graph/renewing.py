"""A view and communities that were read before, brought up to date with what changed since."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from core.types import Community, GraphView


def renewed_view(view: GraphView, around: GraphView, changed: Collection[str], limit: int) -> GraphView:
    """The view with the changed entities as `around` has them, and without those that it has not.

    All others stay as and where they are. A new one is drawn where there is room among `limit` (0: always), or where
    it has more neighbours than another.
    """
    known, now = set(view.ids), {id: at for at, id in enumerate(around.ids)}
    least = int(view.degree.min(initial=0)) if limit and len(view.ids) >= limit else -1
    new = [id for id in around.ids if id in changed and id not in known and around.degree[now[id]] > least]
    keep = [id not in changed or id in now for id in view.ids]
    rows = np.flatnonzero(keep).tolist()
    ids = [*(view.ids[at] for at in rows), *new]
    place = {id: at for at, id in enumerate(ids)}
    # Where each comes from: a row of `around` for those that changed, else of the view.
    mine = [at for id, at in place.items() if id in changed]
    theirs = [now[ids[at]] for at in mine]

    def words(before: Sequence[str], after: Sequence[str]) -> tuple[str, ...]:
        found = [*(before[at] for at in rows), *new]
        for at, row in zip(mine, theirs, strict=True):
            found[at] = after[row]
        return tuple(found)

    community = np.concatenate([view.community[rows], np.zeros(len(new), np.int32)])
    positions = np.concatenate([view.positions[rows], np.zeros((len(new), 2), np.float32)])
    community[mine], positions[mine] = around.community[theirs], around.positions[theirs]
    edges, weights = _edges(view, around, changed, place)
    return GraphView(
        ids=tuple(ids),
        names=words(view.names, around.names),
        labels=words(view.labels, around.labels),
        degree=np.bincount(edges.ravel(), minlength=len(ids)).astype(np.int32),
        community=community,
        positions=positions,
        edges=edges,
        weights=weights,
    )


def _edges(
    view: GraphView, around: GraphView, changed: Collection[str], place: Mapping[str, int]
) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
    """Those of the view that touch nothing changed, and those of `around`, by the new rows: (m, 2) and (m,)."""
    gone = -1
    before = np.array([gone if id in changed else place[id] for id in view.ids], np.int32)
    after = np.array([place.get(id, gone) for id in around.ids], np.int32)
    ends = np.concatenate([before[view.edges], np.sort(after[around.edges], axis=1)])
    stays = (ends != gone).all(axis=1)
    return ends[stays], np.concatenate([view.weights, around.weights])[stays]


def renewed_communities(
    known: Sequence[Community],
    now: Mapping[int, Community],
    gone: Collection[int],
) -> list[Community]:
    """The communities with those of `now` as they are: of the finest level with their entities, of others without, and
    with the number of its own as colour. Entities keep their order, new ones come last.
    """
    before = {community.id: community for community in known}
    found = {id: community for id, community in before.items() if id not in gone} | dict(now)
    inside: dict[int | None, list[int]] = {}
    for community in found.values():
        inside.setdefault(community.parent_id, []).append(community.id)
    for id in sorted(now, key=lambda id: now[id].level):  # what others hold before them
        parts = [entity for each in inside.get(id, ()) for entity in found[each].entity_ids]
        held = now[id].entity_ids if now[id].level == 1 else parts
        found[id] = replace(now[id], entity_ids=_kept(before.get(id), held))
    for id in sorted(found, key=lambda id: -found[id].level):  # the top first, which keeps its own
        parent = found[id].parent_id
        if parent is not None and found[id].colour != found[parent].colour:
            found[id] = replace(found[id], colour=found[parent].colour)
    held_ones = (community for community in found.values() if community.entity_ids)
    return sorted(
        held_ones, key=lambda community: (-community.level, -len(community.entity_ids), community.id)
    )


def _kept(before: Community | None, entities: Sequence[str]) -> tuple[str, ...]:
    """These entities, those that were there before in the order of then."""
    wanted = set(entities)
    stay = [id for id in before.entity_ids if id in wanted] if before is not None else []
    wanted -= set(stay)
    return (*stay, *(id for id in entities if id in wanted))
