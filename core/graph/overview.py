"""The whole graph with its communities as one looks at it, read in one pass or brought up to date with what changed."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from core.graph.build import Edges, undirected
from core.graph.communities import coverage, modularity
from core.graph.folding import put_upon
from core.store.communities import CommunityRow
from core.store.entities import EntityTable
from core.store.map_edges import EdgeColumns
from core.store.store import Store
from core.types import Community, CommunityQuality, Foldable, GraphView

_LABEL_NAMES = 3  # of a community that has no report

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Overview:
    """`foldable` has all communities, top level first, the largest first within a level; `quality` is per level."""

    foldable: Foldable
    quality: tuple[CommunityQuality, ...]


def read_overview(store: Store) -> Overview:
    """All of it, in one pass: some seconds for half a million names, so not on a window's thread."""
    table = store.entities.table()
    rows = {row.key: row for row in store.communities.rows()}
    columns = store.map_edges.edges()
    view = _view(store, table, visible_edges(store, columns))
    members = _Members(store, table, rows)
    communities = members.communities(store.reports.titles())
    place = {community.id: at for at, community in enumerate(communities)}
    home = np.full(len(table.keys), -1, np.int32)
    home[members.entities] = np.array([place[key] for key in members.homes.tolist()], np.int32)
    drawn = np.searchsorted(table.keys, view[1])
    quality = _quality(members.keys, members.all_homes, rows, columns.ends, columns.weights)
    return Overview(put_upon(view[0], communities, home[drawn]), tuple(quality))


def _view(store: Store, table: EntityTable, columns: EdgeColumns) -> tuple[GraphView, Ints]:
    """The entities with facts or ties and the edges between them; and the keys of these entities."""
    edges, common_passages = join_parallel(np.searchsorted(table.keys, columns.ends), columns)
    degree = np.bincount(edges.ends.ravel(), minlength=len(table.keys))
    drawn = np.flatnonzero(degree)
    placed = store.layout.all()
    at = np.minimum(np.searchsorted(placed.keys, table.keys[drawn]), max(len(placed.keys) - 1, 0))
    found = placed.keys[at] == table.keys[drawn] if len(placed.keys) else np.zeros(len(drawn), dtype=bool)
    community = np.full(len(drawn), -1, dtype=np.int32)
    positions = np.zeros((len(drawn), 2), dtype=np.float32)
    community[found], positions[found] = placed.communities[at[found]], placed.positions[at[found]]
    chosen = drawn.tolist()
    view = GraphView(
        ids=tuple(map(table.ids.__getitem__, chosen)),
        names=tuple(map(table.names.__getitem__, chosen)),
        labels=tuple(map(table.labels.__getitem__, chosen)),
        degree=degree[drawn].astype(np.int32),
        community=community,
        positions=positions,
        edges=np.searchsorted(drawn, edges.ends).reshape(-1, 2).astype(np.int32),
        weights=edges.weights.astype(np.float32),
        common_passages=common_passages,
    )
    return view, table.keys[drawn]


def visible_edges(store: Store, columns: EdgeColumns) -> EdgeColumns:
    """Return the edges between entities that may be displayed: where only approved facts count, those with one."""
    among = store.candidates.entities()
    if among is None:
        return columns
    inside = np.asarray(np.isin(columns.ends, np.fromiter(among, np.int64, len(among))).all(axis=1))
    return columns.at(inside)


def join_parallel(ends: Ints, columns: EdgeColumns) -> tuple[Edges, NDArray[np.int32]]:
    """Return each pair of `ends`, (n, 2) numbers of the columns' ends, once, and how many passages name both where no
    fact joins them, (m,); 0 where one does."""
    edges = undirected(ends, columns.weights)
    is_fact = undirected(ends, (columns.facts >= 0).astype(np.float64)).weights > 0
    passages = undirected(ends, columns.passages.astype(np.float64)).weights
    return edges, np.where(is_fact, 0, passages).astype(np.int32)


class _Members:
    """Whose each entity is: `entities` (k,) are rows of the table, `homes` (k,) keys of their finest communities."""

    def __init__(self, store: Store, table: EntityTable, rows: Mapping[int, CommunityRow]) -> None:
        self._table, self._rows = table, rows
        self.keys, self.all_homes = keys, homes = store.communities.members()
        known = np.isin(homes, np.array(list(rows), dtype=np.int64)) & np.isin(keys, table.keys)
        among = store.candidates.entities()
        if among is not None:  # only approved facts count
            known &= np.isin(keys, np.fromiter(among, np.int64, len(among)))
        self.entities, self.homes = np.searchsorted(table.keys, keys[known]), homes[known]

    def communities(self, titles: Mapping[int, str]) -> tuple[Community, ...]:
        """All that hold an entity, the most mentioned first in each."""
        parents = {key: -1 if row.parent is None else row.parent for key, row in self._rows.items()}
        levels = [self.homes]
        while (above := _mapped(levels[-1], parents)).max(initial=-1) >= 0:
            levels.append(above)
        tops = _tops(levels)
        order = self._by_mentions(tops)
        colours = dict(zip(self.homes.tolist(), tops.tolist(), strict=True))
        for key in [*colours]:
            top = colours[key]
            while (key := parents[key]) >= 0:
                colours[key] = top
        found = [
            Community(
                key,
                self._rows[key].level,
                self._rows[key].parent,
                tuple(map(self._table.ids.__getitem__, members)),
                titles.get(key) or ", ".join(map(self._table.names.__getitem__, members[:_LABEL_NAMES])),
                self._rows[colours[key]].number,
            )
            for level in levels
            for key, members in self._group_rows(level, order)
        ]
        return tuple(sorted(found, key=lambda each: (-each.level, -len(each.entity_ids), each.id)))

    def _by_mentions(self, tops: Ints) -> Ints:
        """An order of `entities`: those of a top community together, the most mentioned first, ties by name."""
        mentions = self._table.passages[self.entities]
        order = np.lexsort((-mentions, tops))
        # Ties only, and few at a time: no other thread waits for one sort of half a million names.
        changes = np.flatnonzero((np.diff(tops[order]) != 0) | (np.diff(mentions[order]) != 0)) + 1
        names, ids, rows = self._table.names, self._table.ids, self.entities.tolist()
        for part in np.split(order, changes):
            if len(part) > 1:
                part[:] = sorted(part.tolist(), key=lambda at: (names[rows[at]], ids[rows[at]]))
        return order

    def _group_rows(self, level: Ints, order: Ints) -> list[tuple[int, list[int]]]:
        """(community, rows of its entities in that order) of a level; -1: none."""
        rank = np.empty(len(order), dtype=np.int64)
        rank[order] = np.arange(len(order))
        together = np.lexsort((rank, level))
        together = together[np.searchsorted(level[together], 0) :]
        keys, starts = np.unique(level[together], return_index=True)
        rows = self.entities[together].tolist()
        cuts = [*starts.tolist(), len(rows)]
        return [(key, rows[cuts[at] : cuts[at + 1]]) for at, key in enumerate(keys.tolist())]


def _tops(levels: Sequence[Ints]) -> Ints:
    """The topmost community of each entity."""
    tops = levels[0]
    for level in levels[1:]:
        tops = np.where(level >= 0, level, tops)
    return tops


def _mapped(keys: Ints, table: Mapping[int, int]) -> Ints:
    """What the table says of each key; -1 of -1."""
    named, at = np.unique(keys, return_inverse=True)
    return np.array([table.get(key, -1) for key in named.tolist()], dtype=np.int64)[at]


def _quality(
    keys: Ints, homes: Ints, rows: Mapping[int, CommunityRow], ends: Ints, strengths: NDArray[np.float64]
) -> list[CommunityQuality]:
    """How good the partition of each level is, the top level first."""
    known = np.isin(homes, np.array(list(rows), dtype=np.int64))  # but those founded a moment ago
    keys, homes = keys[known], homes[known]
    if not len(homes):
        return []
    inside = np.isin(ends, keys).all(axis=1) & (ends[:, 0] != ends[:, 1])
    edges = undirected(np.searchsorted(keys, ends[inside]), strengths[inside])
    parents = {key: -1 if row.parent is None else row.parent for key, row in rows.items()}
    found = []
    for level in range(1, max(row.level for row in rows.values()) + 1):
        found.append(_quality_of(level, homes, edges))
        homes = _mapped(homes, parents)
    return found[::-1]


def _quality_of(level: int, homes: Ints, edges: Edges) -> CommunityQuality:
    names, labels = np.unique(homes, return_inverse=True)
    sizes, own = np.bincount(labels), labels.astype(np.int32)
    scores = (modularity(own, edges.ends, edges.weights), coverage(own, edges.ends, edges.weights))
    return CommunityQuality(
        level, len(names), int(sizes.min()), int(np.median(sizes)), int(sizes.max()), *scores
    )


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

    def words(old: tuple[str, ...], new_words: Sequence[str]) -> tuple[str, ...]:
        found = [*(map(old.__getitem__, rows.tolist()) if gone else old), *new]
        for at, row in zip(mine, theirs, strict=True):
            found[at] = new_words[row]
        return tuple(found)

    community = np.concatenate([view.community[rows], np.zeros(len(new), np.int32)])
    positions = np.concatenate([view.positions[rows], np.zeros((len(new), 2), np.float32)])
    community[mine], positions[mine] = around.community[theirs], around.positions[theirs]
    after[[before[id] for id in changed if id in before]] = -1  # their edges are those of `around`
    edges, weights, common_passages = _edges(
        view, around, after, np.array([place[id] for id in around.ids], np.int32)
    )
    return GraphView(
        ids=words(view.ids, around.ids) if gone or new else view.ids,
        names=words(view.names, around.names),
        labels=words(view.labels, around.labels),
        degree=np.bincount(edges.ravel(), minlength=len(rows) + len(new)).astype(np.int32),
        community=community,
        positions=positions,
        edges=edges,
        weights=weights,
        common_passages=common_passages,
    )


@lru_cache(2)  # of one decision after the other the ids are mostly the same
def _places(ids: tuple[str, ...]) -> Mapping[str, int]:
    return dict(zip(ids, range(len(ids)), strict=True))


def _edges(
    view: GraphView, around: GraphView, before: NDArray[np.int32], after: NDArray[np.int32]
) -> tuple[NDArray[np.int32], NDArray[np.float32], NDArray[np.int32]]:
    """Edges of the view, then of `around`, whose ends both have a row; (m, 2), and their weights and passages, (m,).
    The new rows of the nodes of either are told, -1 for none.
    """
    found = before[view.edges], np.sort(after[around.edges], axis=1)
    # Their sign tells, and taking rows by number is faster than by a mask.
    stays = [np.flatnonzero((ends[:, 0] | ends[:, 1]) >= 0) for ends in found]
    parts = list(zip((view, around), found, stays, strict=True))
    return (
        np.concatenate([ends.take(rows, axis=0) for _, ends, rows in parts]),
        np.concatenate([own.weights[rows] for own, _, rows in parts]),
        np.concatenate([own.common_passages[rows] for own, _, rows in parts]),
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
