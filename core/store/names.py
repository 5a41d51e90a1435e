"""Which names are one entity: blocks, merges, decisions, heads, the nearest names, and all of it around some names."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.store.columns import weighted_numbers
from core.store.database import Database, Tables
from core.store.facts import VISIBLE
from core.types import Entity, FactSummary, NameMerge

Keys = NDArray[np.int64]
Near = tuple[int, float]  # entity, cosine
_LOOKED_AT = 20_000  # pairs of names that are nearest in meaning
_APART = (
    "coalesce(a.head_key, a.key) <> coalesce(b.head_key, b.key) AND NOT EXISTS (SELECT 1 FROM decisions d"
    " WHERE d.one = min(a.normal, b.normal) AND d.other = max(a.normal, b.normal))"
)
_FARTHEST = 60  # characters between a name and its short form
_OPENS = re.compile(
    r"\s{0,2}[(\[<](?:(?:the|hereinafter|hereafter|collectively|formerly),? "
    r"|[\"“][^\"“”]{1,30}[\"”],? (?:or |and )?)*(?P<quote>[\"“‘'])?"
)


def _introduces(between: str, behind: str) -> bool:
    """Return whether what stands between two names and behind the second says that it is the first one's, too:
    brackets, or for the speaker of a turn, the turn's beginning."""
    if (opened := _OPENS.fullmatch(between)) is not None:
        return behind in "\"”’'" if opened["quote"] else behind in ")]>"
    return between in {"> ", ">\t"} and behind in {"", "\n", ";", ","}


class PossibleMerge(NamedTuple):
    merge: NameMerge
    one: tuple[str, str]  # normal form and label
    other: tuple[str, str]
    entities: frozenset[int]  # keys of the two that would be one


@dataclass(frozen=True, slots=True)
class NameRow:
    """A name by its row key; `head` is its own key unless it is part of another's entity.

    `decided`: 2 where somebody said what it is called, 1 where only what it is, else 0.
    """

    key: int
    normal: str
    label: str
    head: int
    mentions: int
    decided: int = 0


class Resolution(Tables):
    def names(self, keys: Iterable[int]) -> dict[int, NameRow]:
        """Names by key, of those that are there."""
        found = {}
        for key in keys:
            row = self._select_one(
                "SELECT key, normal, label, coalesce(head_key, key),"
                " (SELECT count(*) FROM mentions m WHERE m.entity_key = e.key),"
                " coalesce((SELECT max(1 + (field = 'name')) FROM entity_overrides o WHERE o.normal = e.normal), 0)"
                " FROM entities e WHERE key = ?",
                (int(key),),
            )
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
        rows = self._select(
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
        rows = self._select(
            "SELECT DISTINCT m.entity_key FROM json_each(?) k CROSS JOIN mentions m ON m.entity_key = k.value"
            " CROSS JOIN passages p ON p.key = m.passage_key"
            " WHERE p.document_key IN (SELECT value FROM json_each(?))",
            (json.dumps(list(keys)), json.dumps(list(documents))),
        )
        return {int(row[0]) for row in rows}

    def bracketed_behind(self, key: int) -> set[int]:
        """Return names that stand in brackets right behind this one in some passage: (MFU), (“Unit”), <m@k.org>."""
        return self._bracketed("a", "b", "substr(p.text, a.\"end\" + 1, 3) GLOB '*[[(<>]*'", key)

    def bracketed_before(self, key: int) -> set[int]:
        """Return names right behind which this one stands in brackets."""
        opens = "substr(p.text, b.start, 1) GLOB '[[(<\"“‘'']' OR substr(p.text, b.start - 1, 2) = '> '"
        return self._bracketed("b", "a", opens, key)

    def _bracketed(self, own: str, found: str, filtered: str, key: int) -> set[int]:
        # CROSS: hardly any mention passes the filter, and a passage of a table has hundreds.
        rows = self._select(
            f'SELECT DISTINCT {found}.entity_key, substr(p.text, a."end" + 1, b.start - a."end"),'
            f' substr(p.text, b."end" + 1, 1) FROM mentions {own} CROSS JOIN passages p CROSS JOIN mentions {found}'
            f" WHERE {own}.entity_key = ?1 AND p.key = {own}.passage_key AND ({filtered})"
            f' AND {found}.passage_key = p.key AND a."end" > a.start AND a.entity_key <> b.entity_key'
            f' AND b.start BETWEEN a."end" + 1 AND a."end" + {_FARTHEST}',
            (key,),
        )
        return {int(name) for name, *around in rows if _introduces(*around)}

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
        wanted = set(keys)
        return [
            row
            for key in keys
            for row in self._select("SELECT * FROM merges WHERE one_key = ?", (int(key),))
            if row[1] in wanted
        ]

    def decided(self, normal: str) -> dict[str, str]:
        """What people said of this name and others: "same" or "different" by the other's normal form."""
        rows = self._select(
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
        row = self._select_one("SELECT key FROM entities WHERE normal = ?", (normal,))
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
        rows = self._select(
            "WITH own AS (SELECT key FROM entities WHERE coalesce(head_key, key) ="
            " (SELECT coalesce(head_key, key) FROM entities WHERE id = ?))"
            " SELECT a.id, a.name, b.id, b.name, m.rule, m.reason, m.score FROM merges m"
            " JOIN entities a ON a.key = m.one_key JOIN entities b ON b.key = m.other_key"
            " WHERE m.one_key IN own AND m.other_key IN own ORDER BY m.score DESC, a.name, b.name",
            (entity_id,),
        )
        return [NameMerge(*row) for row in rows]

    # ------------------------------------------------------------ what may be one entity

    def nearly_merged(self) -> Iterator[PossibleMerge]:
        """Merges by rules that did not come about and that nobody decided on, the surest first."""
        return self._possible(
            "m.rule, m.reason, m.score", "merges m", "m.one_key", "m.other_key", "m.score DESC"
        )

    def near_in_meaning(self) -> Iterator[PossibleMerge]:
        """Names of entities apart whose vectors lie near each other and on which nobody decided, the nearest first."""
        what = "'meaning', printf('near in meaning (cosine %.2f)', m.cosine), m.cosine"
        nearest = "(SELECT entity_key, other_key, cosine FROM synonyms WHERE cosine >= 0.8) m"
        return islice(
            self._possible(what, nearest, "m.entity_key", "m.other_key", "m.cosine DESC"), _LOOKED_AT
        )

    def separated_pairs(self) -> set[frozenset[int]]:
        """Keys of each two entities of which somebody said, by any of their names, that they are two."""
        rows = self._select(
            "SELECT coalesce(a.head_key, a.key), coalesce(b.head_key, b.key) FROM decisions d"
            " CROSS JOIN entities a ON a.normal = d.one CROSS JOIN entities b ON b.normal = d.other"
            " WHERE d.verdict = 'different'"
        )
        return {frozenset(row) for row in rows}

    def _possible(self, what: str, table: str, one: str, other: str, order: str) -> Iterator[PossibleMerge]:
        rows = self._select(
            f"SELECT a.id, a.name, b.id, b.name, {what}, a.normal, a.label, b.normal, b.label,"
            f" coalesce(a.head_key, a.key), coalesce(b.head_key, b.key) FROM {table}"
            f" CROSS JOIN entities a ON a.key = {one} CROSS JOIN entities b ON b.key = {other}"
            f" WHERE {_APART} ORDER BY {order}, {one}, {other}"
        )
        for row in rows:
            yield PossibleMerge(NameMerge(*row[:7]), (row[7], row[8]), (row[9], row[10]), frozenset(row[11:]))

    def _set(self, sql: str, key: int) -> set[int]:
        return {int(row[0]) for row in self._select(sql, (int(key),))}


class Synonyms(Tables):
    def edges(self) -> tuple[Keys, NDArray[np.float64]]:
        """Every pair of entities once, spares left out: (n, 2) keys, the smaller first, ascending; cosines (n,)."""
        rows = self._select(
            "SELECT min(a, b), max(a, b), max(cosine) FROM (SELECT coalesce(e.head_key, e.key) AS a,"
            " coalesce(o.head_key, o.key) AS b, cosine FROM synonyms s JOIN entities e ON e.key = s.entity_key"
            " JOIN entities o ON o.key = s.other_key WHERE NOT spare) WHERE a <> b GROUP BY 1, 2 ORDER BY 1, 2"
        )
        return weighted_numbers(rows, 2)

    def replace(self, near: Mapping[int, Sequence[Near]], wanted: int, more: Set[int]) -> None:
        """Give entities these names, the nearest first, in place of those they had; behind the first `wanted`
        are spares. Of those in `more` not all that are near are kept.
        """
        with self._database.transaction() as connection:
            connection.executemany("DELETE FROM synonyms WHERE entity_key = ?", [(key,) for key in near])
            connection.executemany(
                "INSERT INTO synonyms VALUES (?, ?, ?, ?)",
                [(key, *name, at >= wanted) for key, names in near.items() for at, name in enumerate(names)],
            )
            connection.executemany(
                "UPDATE name_cells SET more = ?1 WHERE entity_key = ?2 AND more <> ?1",
                [(key in more, key) for key in near],
            )

    def waiting(self) -> dict[int, bool]:
        """Names whose nearest must be looked for, and whether their vector is new or gone; some may be gone."""
        rows = self._select("SELECT entity_key, moved FROM names_to_link")
        return {int(key): bool(moved) for key, moved in rows}

    def of(self, keys: Iterable[int]) -> dict[int, list[Near]]:
        """What each entity has, spares included, the nearest first."""
        sql = "SELECT other_key, cosine FROM synonyms WHERE entity_key = ? ORDER BY cosine DESC, other_key"
        return {key: [(int(o), float(c)) for o, c in self._select(sql, (key,))] for key in keys}

    def having_more(self, keys: Iterable[int]) -> set[int]:
        """Those of which not all that are near are kept."""
        return self._others("SELECT entity_key FROM name_cells WHERE entity_key = ? AND more", keys)

    def cells(self, keys: Iterable[int]) -> dict[int, int]:
        """The cell of each entity that lies in one."""
        sql = "SELECT cell FROM name_cells WHERE entity_key = ?"
        found = ((key, self._select_one(sql, (key,))) for key in keys)
        return {key: int(row[0]) for key, row in found if row}

    def unlink(self, keys: Iterable[int]) -> None:
        """Take entities out: they have no synonyms and are no one's."""
        rows = [(key,) for key in keys]
        with self._database.transaction() as connection:
            connection.executemany("DELETE FROM synonyms WHERE entity_key = ?1 OR other_key = ?1", rows)
            connection.executemany("DELETE FROM name_cells WHERE entity_key = ?", rows)

    # ------------------------------------------------------------ the grid

    def grid(self, dimension: int) -> NDArray[np.float32]:
        """Centres of the cells, (n_cells, dimension)."""
        rows = self._select("SELECT centre FROM name_grid ORDER BY cell").fetchall()
        return np.frombuffer(b"".join(row[0] for row in rows), dtype="<f4").reshape(-1, dimension)

    def set_grid(self, centres: NDArray[np.float32]) -> None:
        """Begin anew with these cells, all empty."""
        with self._database.transaction() as connection:
            connection.execute("DELETE FROM name_grid")
            connection.execute("DELETE FROM name_cells")
            connection.executemany(
                "INSERT INTO name_grid VALUES (?, ?)",
                [(at, np.ascontiguousarray(row, "<f4").tobytes()) for at, row in enumerate(centres)],
            )

    def place(self, keys: Keys, cells: NDArray[np.int64]) -> None:
        self._write_each(
            "INSERT OR REPLACE INTO name_cells (entity_key, cell) VALUES (?, ?)",
            zip(keys.tolist(), cells.tolist(), strict=True),
        )

    def placed(self) -> int:
        """How many entities lie in the grid."""
        return int(self._select_one("SELECT count(*) FROM name_cells")[0])

    def members(self, cell: int) -> list[int]:
        """Keys of the entities in a cell, ascending."""
        rows = self._select(
            "SELECT entity_key FROM name_cells WHERE cell = ? ORDER BY entity_key", (int(cell),)
        )
        return [row[0] for row in rows]

    def _others(self, sql: str, keys: Iterable[int]) -> set[int]:
        return {row[0] for key in keys for row in self._select(sql, (int(key),))}


# Entities of the names ?1, and all names of these.
_AROUND = (
    "WITH heads (key) AS (SELECT DISTINCT coalesce(e.head_key, e.key) FROM json_each(?1) j"
    " CROSS JOIN entities e ON e.key = j.value), names (key) AS (SELECT key FROM heads UNION ALL"
    " SELECT e.key FROM heads h CROSS JOIN entities e ON e.head_key = h.key)"
)
_ENTITY = (
    " SELECT h.id, h.name, h.label, (SELECT count(DISTINCT m.passage_key) FROM mentions m WHERE m.entity_key = h.key"
    " OR m.entity_key IN (SELECT key FROM entities WHERE head_key = h.key)), coalesce(l.community, -1)"
    " FROM heads JOIN entities h ON h.key = heads.key LEFT JOIN layout l ON l.entity_key = h.key ORDER BY h.name, h.id"
)
_NAME = (
    " SELECT n.key, h.id, h.name, h.label, (SELECT count(*) FROM mentions m WHERE m.entity_key = n.key)"
    " FROM names JOIN entities n ON n.key = names.key JOIN entities h ON h.key = coalesce(n.head_key, n.key)"
)
_FACT = (
    ", own (key) AS (SELECT f.key FROM names n CROSS JOIN facts f ON f.subject_key = n.key"
    " UNION SELECT f.key FROM names n CROSS JOIN facts f ON f.object_key = n.key)"
    " SELECT f.id, s.id, s.name, f.predicate, o.id, o.name FROM own JOIN facts f ON f.key = own.key"
    " JOIN entities sn ON sn.key = f.subject_key JOIN entities s ON s.key = coalesce(sn.head_key, sn.key)"
    " JOIN entities o_ ON o_.key = f.object_key JOIN entities o ON o.key = coalesce(o_.head_key, o_.key)"
    f" WHERE 1{VISIBLE}"
)


@dataclass(frozen=True, slots=True)
class NamePicture:
    entities: dict[str, Entity]  # by id
    names: dict[
        int, tuple[str, str, str, int]
    ]  # id, name and label of its entity, and its mentions, by row key
    facts: dict[str, FactSummary]  # by id


def name_picture(database: Database, keys: Iterable[int]) -> NamePicture:
    """Of the entities that these names belong to, of those that are there."""
    connection = database.connection()
    wanted = (json.dumps(sorted(keys)),)
    return NamePicture(
        {row[0]: Entity(*row) for row in connection.execute(_AROUND + _ENTITY, wanted)},
        {row[0]: tuple(row[1:]) for row in connection.execute(_AROUND + _NAME, wanted)},
        {row[0]: FactSummary(*row) for row in connection.execute(_AROUND + _FACT, wanted)},
    )


def documents_with(
    database: Database, keys: Iterable[int], passage_ids: Sequence[str] = ()
) -> tuple[str, ...]:
    """Ids of documents in which these names stand; of the passages alone where there are any. By path."""
    names = "p.key IN (SELECT m.passage_key FROM mentions m WHERE m.entity_key IN (SELECT value FROM json_each(?)))"
    chosen = "p.id IN (SELECT value FROM json_each(?))"
    rows = database.connection().execute(
        "SELECT DISTINCT d.id FROM documents d JOIN passages p ON p.document_key = d.key"
        f" WHERE {chosen if passage_ids else names} ORDER BY d.path",
        (json.dumps(list(passage_ids or keys)),),
    )
    return tuple(str(row[0]) for row in rows)
