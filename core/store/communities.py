"""The hierarchy of communities: which there are, what holds what, and whose each entity is. Derived."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.store.columns import number_rows
from core.store.database import Tables
from core.store.faults import damaged

Keys = NDArray[np.int64]
MOST_LEVELS = 8  # three are made
_MOST_NUMBERS = 1 << 31

_BELOW = (
    "WITH RECURSIVE below(key) AS (VALUES (?) UNION"
    " SELECT c.key FROM communities c JOIN below b ON c.parent_key = b.key)"
)


@dataclass(frozen=True, slots=True)
class CommunityRow:
    """A community by its row key. `number` is its own among those of its level, and stays with it."""

    key: int
    level: int
    parent: int | None
    number: int


class Communities(Tables):
    def replace(self, rows: Iterable[CommunityRow], members: Iterable[tuple[int, int]]) -> None:
        """These communities, and (entity key, key of its finest community), in place of all there are.

        A community whose key was there before keeps its report.
        """
        communities = list(rows)
        with self._database.transaction() as connection:
            connection.execute("DELETE FROM community_members")
            present = {row.key for row in communities}
            gone = [
                (key,) for (key,) in connection.execute("SELECT key FROM communities") if key not in present
            ]
            connection.executemany("DELETE FROM communities WHERE key = ?", gone)
            self._put(connection, communities)
            connection.executemany("INSERT INTO community_members VALUES (?, ?)", members)
            self.all_changed()

    def change(
        self,
        rows: Iterable[CommunityRow],
        gone: Iterable[int],
        members: Mapping[int, int],
        left: Iterable[int],
    ) -> None:
        """Put these communities, move these entities (to a finest community), take out `left` and `gone`.

        All that lost or gained is to be told anew, and who is under another one is touched: in the same
        transaction, for an interrupted run cannot tell what it moved.
        """
        communities, out, away = list(rows), list(gone), list(left)
        moved = [row.key for row in communities]
        with self._database.transaction() as connection:
            before = self._homes_and_parents(connection, [*members, *away], [*moved, *out])
            _mark_changed(connection, dict.fromkeys(before, 1))
            self._put(connection, communities)
            connection.executemany(
                "DELETE FROM community_members WHERE entity_key = ?", [(key,) for key in away]
            )
            connection.executemany("INSERT OR REPLACE INTO community_members VALUES (?, ?)", members.items())
            connection.executemany("DELETE FROM communities WHERE key = ?", [(key,) for key in out])
            _mark_changed(connection, Counter([*moved, *members.values()]))
            connection.executemany(
                "INSERT OR IGNORE INTO touched_entities VALUES (?)", [(key,) for key in members]
            )
            connection.executemany(
                f"{_BELOW} INSERT OR IGNORE INTO touched_entities"
                " SELECT m.entity_key FROM below b JOIN community_members m ON m.community_key = b.key",
                [(key,) for key in moved],
            )

    def _homes_and_parents(
        self, connection: sqlite3.Connection, entities: Iterable[int], communities: Iterable[int]
    ) -> set[int]:
        """The finest communities of these entities, and the parents of these communities, as they are."""
        homes = "SELECT community_key FROM community_members WHERE entity_key = ?"
        parents = "SELECT parent_key FROM communities WHERE key = ? AND parent_key IS NOT NULL"
        asked = [(homes, key) for key in entities] + [(parents, key) for key in communities]
        return {int(row[0]) for sql, key in asked for row in connection.execute(sql, (key,))}

    def _put(self, connection: sqlite3.Connection, rows: Iterable[CommunityRow]) -> None:
        connection.executemany(
            "INSERT INTO communities (key, level, parent_key, number) VALUES (?, ?, ?, ?)"
            " ON CONFLICT (key) DO UPDATE SET level = excluded.level, parent_key = excluded.parent_key,"
            " number = excluded.number",
            [(row.key, row.level, row.parent, row.number) for row in rows],
        )

    # ------------------------------------------------------------ what is to be told anew

    def all_changed(self) -> None:
        """Say that all of every community changed."""
        with self._database.transaction() as connection:
            connection.execute("DELETE FROM communities_to_tell")
            # As many as there are: any share of any of them may have changed.
            connection.execute(
                "INSERT INTO communities_to_tell SELECT key, (SELECT count(*) FROM community_members), 0"
                " FROM communities"
            )

    def changed(self, counts: Mapping[int, int]) -> None:
        """Say that so many entities of these communities changed, and so of all that hold them.

        None: what changed counts for nothing, but the report may hold a word of what is gone.
        """
        with self._database.transaction() as connection:
            _mark_changed(connection, counts)

    def outdated(self, share: float) -> list[int]:
        """Communities to be told of anew, by key: the finest that changed at all, others where at least `share`
        of their entities did, and those that have no report yet."""
        rows = self._select(
            "SELECT t.community_key FROM communities_to_tell t JOIN communities c ON c.key = t.community_key"
            " WHERE (c.level = 1 AND t.changed > 0)"
            " OR NOT EXISTS (SELECT 1 FROM community_reports r WHERE r.community_key = c.key)"
            " OR t.changed > 0 AND t.changed >= ? * (WITH RECURSIVE below(key) AS (SELECT c.key UNION"
            " SELECT d.key FROM communities d JOIN below b ON d.parent_key = b.key)"
            " SELECT count(*) FROM below JOIN community_members m ON m.community_key = below.key) ORDER BY 1",
            (share,),
        )
        return [int(row[0]) for row in rows]

    def unchecked(self) -> list[int]:
        """Those of which it is not known whether their report holds a word of what is gone, by key."""
        rows = self._select("SELECT community_key FROM communities_to_tell WHERE NOT checked ORDER BY 1")
        return [int(row[0]) for row in rows]

    def checked(self, keys: Iterable[int]) -> None:
        """The reports of these hold no word of what is gone."""
        with self._database.transaction() as connection:
            connection.executemany(
                "UPDATE communities_to_tell SET checked = 1 WHERE community_key = ?",
                [(int(key),) for key in keys],
            )
            connection.execute("DELETE FROM communities_to_tell WHERE checked AND changed = 0")

    def cut(self, keys: Iterable[int]) -> None:
        """What is gone was taken out of the reports of these, which wait to be told anew."""
        self._write_each(
            "UPDATE communities_to_tell SET checked = 1, changed = max(changed, 1) WHERE community_key = ?",
            [(int(key),) for key in keys],
        )

    def choose(self, keys: Iterable[int]) -> None:
        """These are told of anew before all is in step, whatever becomes of their old reports meanwhile."""
        self._write_each(
            "UPDATE communities_to_tell SET changed = changed + (SELECT count(*) FROM community_members)"
            " WHERE community_key = ?",
            [(int(key),) for key in keys],
        )

    def settled(self, keys: Iterable[int]) -> None:
        """The reports of these are in step."""
        self._write_each(
            "DELETE FROM communities_to_tell WHERE community_key = ?", [(int(key),) for key in keys]
        )

    # ------------------------------------------------------------ all of it

    def rows(self) -> list[CommunityRow]:
        """Every community, by key. Raises WorkspaceError where they do not nest: who climbs would never arrive."""
        found = [
            CommunityRow(*row)
            for row in self._select("SELECT key, level, parent_key, number FROM communities ORDER BY key")
        ]
        levels = {row.key: row.level for row in found}
        for row in found:
            nests = row.parent is None or levels.get(row.parent) == row.level + 1
            if not (nests and 1 <= row.level <= MOST_LEVELS and 0 <= row.number < _MOST_NUMBERS):
                raise damaged(self._database.path)
        return found

    def members(self) -> tuple[Keys, Keys]:
        """Entity keys, ascending, and the key of the finest community of each, (n,) both."""
        connection = self._database.connection()
        (most,) = connection.execute("SELECT coalesce(max(entity_key), 0) FROM community_members").fetchone()
        sql = "SELECT entity_key, community_key FROM community_members"
        sql += " WHERE entity_key >= ?1 AND entity_key < ?2 ORDER BY entity_key"
        table = number_rows(connection, sql, most, ("entity_key", "community_key"), ()).astype(np.int64)
        return table[:, 0], table[:, 1]

    def home_of(self, entity_id: str) -> int | None:
        """Key of the finest community that holds an entity; None where none does."""
        row = self._select_one(
            "SELECT m.community_key FROM community_members m JOIN entities e ON e.key = m.entity_key"
            " WHERE e.id = ?",
            (entity_id,),
        )
        return int(row[0]) if row is not None else None

    def holding(self, entities: Iterable[int]) -> set[int]:
        """Keys of the communities, of whatever level, that hold any of these entities."""
        rows = self._select(
            "WITH RECURSIVE up(key) AS (SELECT m.community_key FROM json_each(?) j"
            " JOIN community_members m ON m.entity_key = j.value UNION"
            " SELECT c.parent_key FROM up JOIN communities c ON c.key = up.key WHERE c.parent_key IS NOT NULL)"
            " SELECT key FROM up",
            (json.dumps(list(entities)),),
        )
        return {int(row[0]) for row in rows}

    def next_key(self) -> int:
        """The lowest key above all."""
        row = self._select_one("SELECT coalesce(max(key), 0) + 1 FROM communities")
        return int(row[0])

    def levels(self) -> int:
        """How many levels there are."""
        row = self._select_one("SELECT coalesce(max(level), 0) FROM communities")
        if row[0] > MOST_LEVELS:
            raise damaged(self._database.path)
        return int(row[0])

    def shrunk(self) -> list[int]:
        """Finest communities that an entity left since the marks were cleared, by key."""
        rows = self._select(
            "SELECT community_key FROM touched_communities t"
            " JOIN communities c ON c.key = t.community_key WHERE c.level = 1 ORDER BY 1"
        )
        return [int(row[0]) for row in rows]

    # ------------------------------------------------------------ one at a time

    def of(self, entities: Iterable[int]) -> dict[int, int]:
        """The finest community of each entity that has one."""
        rows = self._select(
            "SELECT m.entity_key, m.community_key FROM json_each(?) j"
            " CROSS JOIN community_members m ON m.entity_key = j.value",
            (json.dumps([int(key) for key in entities]),),
        )
        return {int(row[0]): int(row[1]) for row in rows}

    def get(self, key: int) -> CommunityRow | None:
        row = self._select_one("SELECT key, level, parent_key, number FROM communities WHERE key = ?", (key,))
        return CommunityRow(*row) if row else None

    def entities(self, keys: Sequence[int]) -> dict[int, list[int]]:
        """Entity keys of each of these communities, of whatever level, by key."""
        sql = (
            f"{_BELOW} SELECT m.entity_key FROM below b"
            " JOIN community_members m ON m.community_key = b.key ORDER BY 1"
        )
        return {key: [int(row[0]) for row in self._select(sql, (key,))] for key in keys}


def _mark_changed(connection: sqlite3.Connection, counts: Mapping[int, int]) -> None:
    """These communities, and all that hold them, changed by so many entities."""
    connection.executemany(
        "WITH RECURSIVE up(key, parent) AS (SELECT key, parent_key FROM communities WHERE key = ?1"
        " UNION SELECT c.key, c.parent_key FROM up JOIN communities c ON c.key = up.parent)"
        " INSERT INTO communities_to_tell SELECT key, ?2, 0 FROM up WHERE true"
        " ON CONFLICT (community_key) DO UPDATE SET changed = changed + excluded.changed, checked = 0",
        [(int(key), int(count)) for key, count in counts.items()],
    )
