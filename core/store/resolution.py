"""Which names are one entity: blocks, the rules' merges, what people decided, and the heads that follow."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from core.store.database import Database
from core.types import NameMerge


@dataclass(frozen=True, slots=True)
class NameRow:
    """A name by its row key; `head` is its own key unless it is part of another's entity.

    `given`: 2 where somebody said what it is called, 1 where only what it is, else 0.
    """

    key: int
    normal: str
    label: str
    head: int
    mentions: int
    given: int = 0


class Resolution:
    def __init__(self, database: Database) -> None:
        self._database = database

    def names(self, keys: Iterable[int]) -> dict[int, NameRow]:
        """Names by key, of those that are there."""
        connection = self._database.connection()
        found = {}
        for key in keys:
            row = connection.execute(
                "SELECT key, normal, label, coalesce(head_key, key),"
                " (SELECT count(*) FROM mentions m WHERE m.entity_key = e.key),"
                " coalesce((SELECT max(1 + (field = 'name')) FROM entity_overrides o WHERE o.normal = e.normal), 0)"
                " FROM entities e WHERE key = ?",
                (int(key),),
            ).fetchone()
            if row:
                found[int(row[0])] = NameRow(*row)
        return found

    # ------------------------------------------------------------ blocks

    def set_blocks(self, blocks: Mapping[int, Iterable[str]]) -> None:
        """Give these names these blocks in place of theirs."""
        with self._database.transaction() as connection:
            connection.executemany("DELETE FROM name_blocks WHERE entity_key = ?", [(key,) for key in blocks])
            connection.executemany(
                "INSERT INTO name_blocks VALUES (?, ?)",
                [(block, key) for key, own in blocks.items() for block in own],
            )

    def members(self, block: str) -> list[int]:
        rows = self._database.connection().execute(
            "SELECT entity_key FROM name_blocks WHERE block = ? ORDER BY entity_key", (block,)
        )
        return [row[0] for row in rows]

    # ------------------------------------------------------------ contexts

    def documents(self, key: int) -> set[int]:
        return self._set(
            "SELECT DISTINCT p.document_key FROM mentions m JOIN passages p ON p.key = m.passage_key"
            " WHERE m.entity_key = ?1",
            key,
        )

    def passages(self, key: int) -> set[int]:
        return self._set("SELECT DISTINCT passage_key FROM mentions WHERE entity_key = ?1", key)

    def sharing(self, keys: Iterable[int], documents: Iterable[int]) -> set[int]:
        """Those of the names that stand in one of the documents."""
        rows = self._database.connection().execute(
            "SELECT DISTINCT m.entity_key FROM json_each(?) k CROSS JOIN mentions m ON m.entity_key = k.value"
            " CROSS JOIN passages p ON p.key = m.passage_key"
            " WHERE p.document_key IN (SELECT value FROM json_each(?))",
            (json.dumps(list(keys)), json.dumps(list(documents))),
        )
        return {int(row[0]) for row in rows}

    def bracketed_behind(self, key: int) -> set[int]:
        """Names that stand in brackets right behind this one in some passage."""
        return self._set(
            "SELECT DISTINCT b.entity_key FROM mentions a JOIN mentions b ON b.passage_key = a.passage_key"
            ' AND b.start BETWEEN a."end" + 1 AND a."end" + 2 JOIN passages p ON p.key = a.passage_key'
            ' WHERE a.entity_key = ?1 AND a."end" > a.start AND b.entity_key <> ?1'
            " AND substr(p.text, b.start, 1) = '(' AND substr(p.text, b.\"end\" + 1, 1) = ')'",
            key,
        )

    # ------------------------------------------------------------ merges and decisions

    def set_merges(self, keys: Sequence[int], merges: Iterable[tuple[int, int, str, str, float]]) -> None:
        """Give the names `keys` these (one, other, rule, reason, score) in place of all merges they are in."""
        with self._database.transaction() as connection:
            connection.executemany(
                "DELETE FROM merges WHERE one_key = ?1 OR other_key = ?1", [(key,) for key in keys]
            )
            connection.executemany("INSERT OR REPLACE INTO merges VALUES (?, ?, ?, ?, ?)", merges)

    def partners(self, key: int) -> set[int]:
        """Names that a rule merges with this one."""
        return self._set(
            "SELECT CASE WHEN one_key = ?1 THEN other_key ELSE one_key END FROM merges"
            " WHERE one_key = ?1 OR other_key = ?1",
            key,
        )

    def merges_among(self, keys: Sequence[int]) -> list[tuple[int, int, str, str, float]]:
        """(one, other, rule, reason, score) of the merges between these names."""
        connection = self._database.connection()
        wanted = set(keys)
        return [
            row
            for key in keys
            for row in connection.execute("SELECT * FROM merges WHERE one_key = ?", (int(key),))
            if row[1] in wanted
        ]

    def decided(self, normal: str) -> dict[str, str]:
        """What people said of this name and others: "same" or "different" by the other's normal form."""
        rows = self._database.connection().execute(
            "SELECT CASE WHEN one = ?1 THEN other ELSE one END, verdict FROM decisions"
            " WHERE one = ?1 OR other = ?1",
            (normal,),
        )
        return {str(row[0]): str(row[1]) for row in rows}

    def decide(self, one: str, other: str, verdict: str) -> None:
        """Record what a person said of two names; "" takes it back. Both are resolved anew."""
        pair = (min(one, other), max(one, other))
        with self._database.transaction() as connection:
            connection.execute("DELETE FROM decisions WHERE one = ? AND other = ?", pair)
            if verdict:
                now = datetime.now(UTC).isoformat(timespec="seconds")
                connection.execute("INSERT INTO decisions VALUES (?, ?, ?, ?)", (*pair, verdict, now))
            connection.execute(
                "INSERT OR IGNORE INTO touched_entities SELECT key FROM entities WHERE normal IN (?, ?)", pair
            )

    def key_of(self, normal: str) -> int | None:
        row = (
            self._database.connection()
            .execute("SELECT key FROM entities WHERE normal = ?", (normal,))
            .fetchone()
        )
        return int(row[0]) if row else None

    def set_heads(self, heads: Mapping[int, int]) -> None:
        """Set the head of each name and touch those that get another one; a name that is its own head has none."""
        rows = [(head if head != key else None, key) for key, head in heads.items()]
        with self._database.transaction() as connection:
            # They leave or join communities and the map, whoever else changed.
            connection.executemany(
                "INSERT OR IGNORE INTO touched_entities"
                " SELECT key FROM entities WHERE key = ?2 AND head_key IS NOT ?1",
                rows,
            )
            connection.executemany(
                "UPDATE entities SET head_key = ?1 WHERE key = ?2 AND head_key IS NOT ?1", rows
            )

    def followers(self, head: int) -> set[int]:
        """Names whose head this is."""
        return self._set("SELECT key FROM entities WHERE head_key = ?1", head)

    def merges_of(self, entity_id: str) -> list[NameMerge]:
        """Every pair of names that makes up this entity, with its reason, the surest first."""
        rows = self._database.connection().execute(
            "WITH own AS (SELECT key FROM entities WHERE coalesce(head_key, key) ="
            " (SELECT coalesce(head_key, key) FROM entities WHERE id = ?))"
            " SELECT a.id, a.name, b.id, b.name, m.rule, m.reason, m.score FROM merges m"
            " JOIN entities a ON a.key = m.one_key JOIN entities b ON b.key = m.other_key"
            " WHERE m.one_key IN own AND m.other_key IN own ORDER BY m.score DESC, a.name, b.name",
            (entity_id,),
        )
        return [NameMerge(*row) for row in rows]

    def _set(self, sql: str, key: int) -> set[int]:
        return {int(row[0]) for row in self._database.connection().execute(sql, (int(key),))}
