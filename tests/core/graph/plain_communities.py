"""Communities and how good they are, read plainly: what the product reads in one pass is held against it."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from core.graph.build import undirected
from core.graph.communities import coverage, modularity
from core.store.communities import CommunityRow
from core.store.store import Store
from core.types import Community, CommunityQuality

_LABEL_NAMES = 3


def communities(store: Store, level: int | None = None) -> list[Community]:
    """Of a level, or of all from the top down; the largest first within a level.

    The label is the title of the report, or where there is none yet the most mentioned entities.
    """
    rows = {row.key: row for row in store.communities.rows()}
    titles = store.reports.titles()
    members: dict[int, list[str]] = {key: [] for key in rows}
    names: dict[int, list[str]] = {key: [] for key in rows}
    above = {key: _wanted(rows, key, level) for key, row in rows.items() if row.level == 1}
    for home, entity_id, name in by_mentions(store):
        for at in above.get(home, ()):  # it may have been founded a moment ago
            members[at].append(entity_id)
            if len(names[at]) < _LABEL_NAMES:
                names[at].append(name)
    tops: dict[int, int] = {}
    for key in sorted(rows, key=lambda key: -rows[key].level):
        parent = rows[key].parent
        tops[key] = rows[key].number if parent is None else tops[parent]
    found = [
        Community(
            id=key,
            level=row.level,
            parent_id=row.parent,
            entity_ids=tuple(members[key]),
            label=titles.get(key) or ", ".join(names[key]),
            colour=tops[key],
        )
        for key, row in rows.items()
        if members[key]
    ]
    return sorted(found, key=lambda community: (-community.level, -len(community.entity_ids), community.id))


def by_mentions(store: Store) -> list[tuple[int, str, str]]:
    """(finest community, entity id, entity name), the most mentioned first."""
    connection = store.database.connection()
    # Put together here: SQLite would look through all counts for each entity.
    counts = dict(
        connection.execute(
            "SELECT coalesce(n.head_key, n.key), count(DISTINCT passage_key) FROM mentions"
            " JOIN entities n ON n.key = entity_key GROUP BY 1"
        ).fetchall()
    )
    rows = connection.execute(
        "SELECT e.key, c.community_key, e.id, e.name FROM community_members c"
        " JOIN entities e ON e.key = c.entity_key"
    ).fetchall()
    rows.sort(key=lambda row: (-counts.get(row[0], 0), row[3], row[2]))
    among = store.candidates.entities()
    return [row[1:] for row in rows if among is None or row[0] in among]


def _wanted(rows: Mapping[int, CommunityRow], finest: int, level: int | None) -> list[int]:
    """The community and those above it, of this level or of all."""
    found: list[int] = []
    at: int | None = finest
    while at is not None:
        if level is None or rows[at].level == level:
            found.append(at)
        at = rows[at].parent
    return found


def community_quality(store: Store) -> list[CommunityQuality]:
    """How good the partition of each level is, the top level first."""
    entities, homes = store.communities.members()
    own = {row.key: row for row in store.communities.rows()}
    known = np.isin(homes, np.array(list(own), dtype=np.int64))  # but those founded a moment ago
    entities, homes = entities[known], homes[known]
    if not len(homes):
        return []
    ends, strengths = store.facts.edges()
    inside = np.isin(ends, entities).all(axis=1) & (ends[:, 0] != ends[:, 1])
    edges = undirected(np.searchsorted(entities, ends[inside]), strengths[inside])
    found = []
    for level in range(1, max((row.level for row in own.values()), default=0) + 1):
        names, labels = np.unique(homes, return_inverse=True)
        sizes = np.bincount(labels)
        found.append(
            CommunityQuality(
                level,
                len(names),
                int(sizes.min()),
                int(np.median(sizes)),
                int(sizes.max()),
                modularity(labels.astype(np.int32), edges.ends, edges.weights),
                coverage(labels.astype(np.int32), edges.ends, edges.weights),
            )
        )
        homes = np.array([own[key].parent or -1 for key in homes.tolist()], dtype=np.int64)
    return found[::-1]
