"""A view and communities that were read before, brought up to date with what changed since."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from core.types import Community, GraphView


def renewed_view(view: GraphView, around: GraphView, changed: Collection[str], limit: int) -> GraphView:
    """The view with the changed entities as `around` has them, and without those that it has not.

    All others stay as and where they are. A new one is drawn where there is room among `limit` (0: always), or where
    it has more neighbours than another.
    """
    before, now = _places(view.ids), _places(around.ids)
    least = int(view.degree.min(initial=0)) if limit and len(view.ids) >= limit else -1
    new = [id for id in around.ids if id in changed and id not in before and around.degree[now[id]] > least]
    gone = [before[id] for id in changed if id in before and id not in now]
    # Where each row of the view stands afterwards, -1 for what is gone.
    after = np.arange(len(view.ids), dtype=np.int32)
    if gone:
        stays = np.ones(len(after), dtype=bool)
        stays[gone] = False
        after = np.where(stays, np.cumsum(stays, dtype=np.int32) - 1, -1).astype(np.int32)
    rows = np.flatnonzero(after >= 0)
    added = {id: len(rows) + at for at, id in enumerate(new)}
    place = {id: int(after[before[id]]) if id in before else added.get(id, -1) for id in around.ids}
    # Where those that changed come from: a row of `around`.
    mine = [place[id] for id in around.ids if id in changed and place[id] >= 0]
    theirs = [now[id] for id in around.ids if id in changed and place[id] >= 0]

    def words(old: tuple[str, ...], told: Sequence[str]) -> tuple[str, ...]:
        found = [*(map(old.__getitem__, rows.tolist()) if gone else old), *new]
        for at, row in zip(mine, theirs, strict=True):
            found[at] = told[row]
        return tuple(found)

    community = np.concatenate([view.community[rows], np.zeros(len(new), np.int32)])
    positions = np.concatenate([view.positions[rows], np.zeros((len(new), 2), np.float32)])
    community[mine], positions[mine] = around.community[theirs], around.positions[theirs]
    after[[before[id] for id in changed if id in before]] = -1  # their edges are those of `around`
    edges, weights = _edges(view, around, after, np.array([place[id] for id in around.ids], np.int32))
    return GraphView(
        ids=words(view.ids, around.ids) if gone or new else view.ids,
        names=words(view.names, around.names),
        labels=words(view.labels, around.labels),
        degree=np.bincount(edges.ravel(), minlength=len(rows) + len(new)).astype(np.int32),
        community=community,
        positions=positions,
        edges=edges,
        weights=weights,
    )


@lru_cache(2)  # of one decision after the other the ids are mostly the same
def _places(ids: tuple[str, ...]) -> Mapping[str, int]:
    return dict(zip(ids, range(len(ids)), strict=True))


def _edges(
    view: GraphView, around: GraphView, before: NDArray[np.int32], after: NDArray[np.int32]
) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
    """Edges of the view, then of `around`, whose ends both have a row; (m, 2) and (m,). The new rows of the nodes of
    either are told, -1 for none.
    """
    found = before[view.edges], np.sort(after[around.edges], axis=1)
    # Their sign tells, and taking rows by number is faster than by a mask.
    stays = [np.flatnonzero((ends[:, 0] | ends[:, 1]) >= 0) for ends in found]
    weights = (view.weights, around.weights)
    return (
        np.concatenate([ends.take(rows, axis=0) for ends, rows in zip(found, stays, strict=True)]),
        np.concatenate([weight[rows] for weight, rows in zip(weights, stays, strict=True)]),
    )


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
        members = now[id].entity_ids if now[id].level == 1 else parts
        found[id] = replace(now[id], entity_ids=_in_former_order(before.get(id), members))
    for id in sorted(found, key=lambda id: -found[id].level):  # the top first, which keeps its own
        parent = found[id].parent_id
        if parent is not None and found[id].colour != found[parent].colour:
            found[id] = replace(found[id], colour=found[parent].colour)
    non_empty = (community for community in found.values() if community.entity_ids)
    return sorted(
        non_empty, key=lambda community: (-community.level, -len(community.entity_ids), community.id)
    )


def _in_former_order(before: Community | None, entities: Sequence[str]) -> tuple[str, ...]:
    """These entities, those that were there before in the order of then."""
    wanted = set(entities)
    stay = [id for id in before.entity_ids if id in wanted] if before is not None else []
    wanted -= set(stay)
    return (*stay, *(id for id in entities if id in wanted))
