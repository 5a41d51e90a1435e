"""What people say of names beside which are one: what an entity is called and is, and who is meant in a passage."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

from core.store.database import Database
from core.store.entities import Entities, EntityRow
from core.store.facts import propose
from core.types import NameMerge
from core.types.identity import stable_id, with_sense, without_sense

_LOOKED_AT = 20_000  # pairs of names that are nearest in meaning
_APART = (
    "coalesce(a.head_key, a.key) <> coalesce(b.head_key, b.key) AND NOT EXISTS (SELECT 1 FROM decisions d"
    " WHERE d.one = min(a.normal, b.normal) AND d.other = max(a.normal, b.normal))"
)
# Every name that was read in a passage, and every name between which a triple of it stands: what a person stated stays.
_READ = "NOT EXISTS (SELECT 1 FROM stated_triples s WHERE s.triple_key = m.key)"
_NAME_USES = " UNION ".join(
    (
        "SELECT m.passage_key, m.entity_key FROM mentions m WHERE {where} AND NOT m.stated",
        *(
            f"SELECT m.passage_key, f.{end} FROM triples m JOIN candidate_facts f ON f.key = m.fact_key"
            f" WHERE {{where_{end}}} AND {_READ}"
            for end in ("subject_key", "object_key")
        ),
    )
)
_HEAD = "(SELECT coalesce(head_key, key) FROM entities WHERE id = ?1)"
_OWN = f"(key = {_HEAD} OR head_key = {_HEAD})"  # of the entity that the name ?1 belongs to
_CHOSEN = "(SELECT key FROM passages WHERE id IN (SELECT value FROM json_each(?2)))"


def held(where: str) -> str:
    """Query for (passage, name) of what was read; `where` may tell of `m.passage_key` and of `{name}`, a row key."""
    ends = {f"where_{end}": where.format(name=f"f.{end}") for end in ("subject_key", "object_key")}
    return _NAME_USES.format(where=where.format(name="m.entity_key"), **ends)


# Of the name ?1, in whatever sense.
OF_NAME = held(
    "{name} IN (SELECT key FROM entities WHERE normal = ?1 OR normal > ?1 || char(31) AND normal < ?1 || char(32))"
)


class PossibleMerge(NamedTuple):
    merge: NameMerge
    one: tuple[str, str]  # normal form and label
    other: tuple[str, str]
    entities: frozenset[int]  # keys of the two that would be one


def text_hash(text: str) -> str:
    """By which a passage is found again, wherever its document lies."""
    return stable_id("passage text", text)


def texts_with(connection: sqlite3.Connection, normal: str) -> frozenset[str]:
    """Hashes of the passages that hold a name, in whatever sense."""
    rows = connection.execute(
        f"SELECT DISTINCT p.text FROM ({OF_NAME}) h JOIN passages p ON p.key = h.passage_key", (normal,)
    )
    return frozenset(text_hash(row[0]) for row in rows)


class NameChanges:
    def __init__(self, database: Database) -> None:
        self._database = database
        self._entities = Entities(database)

    # ------------------------------------------------------------ what an entity is called, and what it is

    def override(self, normal: str, field: str, value: str) -> None:
        """Have a name be called so ("name"), or be of this label ("label"); "" leaves it to its mentions again."""
        with self._database.transaction() as connection:
            connection.execute("DELETE FROM entity_overrides WHERE normal = ? AND field = ?", (normal, field))
            if value:
                connection.execute("INSERT INTO entity_overrides VALUES (?, ?, ?)", (normal, field, value))
            connection.execute(
                "INSERT OR IGNORE INTO touched_entities SELECT key FROM entities WHERE normal = ?", (normal,)
            )

    def labels(self) -> dict[int, str]:
        """Labels that people gave to touched entities, by key."""
        return dict(
            self._database.connection().execute(
                "SELECT e.key, o.value FROM entity_overrides o JOIN entities e ON e.normal = o.normal"
                " WHERE o.field = 'label' AND e.key IN (SELECT entity_key FROM touched_entities)"
            )
        )

    def names_of(self, entity_id: str) -> list[str]:
        """Normal forms of all names of an entity."""
        rows = self._database.connection().execute(
            f"SELECT normal FROM entities WHERE {_OWN} ORDER BY normal", (entity_id,)
        )
        return [str(row[0]) for row in rows]

    # ------------------------------------------------------------ who is meant in a passage

    def passages_of(self, entity_id: str) -> list[str]:
        """Ids of passages that name an entity, in reading order."""
        rows = self._database.connection().execute(
            f"SELECT DISTINCT p.id FROM (SELECT key FROM entities WHERE {_OWN}) e"
            " JOIN mentions m ON m.entity_key = e.key JOIN passages p ON p.key = m.passage_key"
            " ORDER BY p.document_key, p.ordinal",
            (entity_id,),
        )
        return [str(row[0]) for row in rows]

    def uses_of(self, entity_id: str, most: int) -> list[tuple[str, int]]:
        """(text of a passage, where the name begins in it) of the first uses of this very name, by passage id; one a
        passage."""
        rows = self._database.connection().execute(
            "SELECT p.text, min(m.start) FROM mentions m JOIN passages p ON p.key = m.passage_key"
            " WHERE m.entity_key = (SELECT key FROM entities WHERE id = ?) GROUP BY p.key ORDER BY p.id LIMIT ?",
            (entity_id, most),
        )
        return [(str(row[0]), int(row[1])) for row in rows]

    def names_in(self, entity_id: str, passage_ids: Sequence[str]) -> list[tuple[str, str]]:
        """(name without sense, hash of the text) of each name of this entity in each of the passages."""
        rows = self._database.connection().execute(
            f"SELECT DISTINCT e.normal, p.text FROM ({held(f'm.passage_key IN {_CHOSEN}')}) h"
            " JOIN entities e ON e.key = h.entity_key JOIN passages p ON p.key = h.passage_key"
            f" WHERE e.key IN (SELECT key FROM entities WHERE {_OWN}) ORDER BY 1",
            (entity_id, json.dumps(list(passage_ids))),
        )
        return list(dict.fromkeys((without_sense(normal), text_hash(text)) for normal, text in rows))

    def split(self, normal: str, senses: Mapping[str, str]) -> None:
        """Have a name mean this sense in passages, by the hashes of their texts; "" leaves it to their documents."""
        with self._database.transaction() as connection:
            for passage, sense in senses.items():
                connection.execute(
                    "DELETE FROM split_mentions WHERE normal = ? AND passage = ?", (normal, passage)
                )
                if sense:
                    connection.execute(
                        "INSERT INTO split_mentions VALUES (?, ?, ?)", (normal, passage, sense)
                    )
            rows = connection.execute(
                f"SELECT DISTINCT p.document_key, h.entity_key, p.text FROM ({OF_NAME}) h"
                " JOIN passages p ON p.key = h.passage_key",
                (normal,),
            )
            for document, entity, text in rows.fetchall():
                if text_hash(text) in senses:
                    connection.execute("INSERT OR IGNORE INTO touched_documents VALUES (?)", (document,))
                    connection.execute("INSERT OR IGNORE INTO touched_entities VALUES (?)", (entity,))

    def point(self, document: int) -> None:
        """Move the mentions and triples of a document that people split off, from where its senses point them to."""
        with self._database.transaction() as connection:
            connection.execute(
                "DELETE FROM passage_senses WHERE passage_key IN (SELECT key FROM passages WHERE document_key = ?)",
                (document,),
            )
            for passage, row, sense in self._split_in(connection, document):
                bare = without_sense(row.normal)
                connection.execute(
                    "INSERT OR IGNORE INTO passage_senses VALUES (?, ?, ?)", (passage, bare, sense)
                )
                target = with_sense(bare, sense)
                if target != row.normal:
                    entity_keys = self._entities.ensure(connection, [(target, bare, row.label)])
                    _move(connection, passage, row, entity_keys[target])

    def _split_in(
        self, connection: sqlite3.Connection, document: int
    ) -> Iterator[tuple[int, EntityRow, str]]:
        """(passage key, name, sense) of what was split off in a document."""
        names = {row[0] for row in connection.execute("SELECT DISTINCT normal FROM split_mentions")}
        if not names:
            return
        inside = "m.passage_key IN (SELECT key FROM passages WHERE document_key = ?1)"
        rows = connection.execute(
            "SELECT h.passage_key, p.text, e.key, e.id, e.normal, e.name, e.label"
            f" FROM ({held(inside)}) h JOIN entities e ON e.key = h.entity_key"
            " JOIN passages p ON p.key = h.passage_key ORDER BY 1, 3",
            (document,),
        ).fetchall()
        for passage, text, *row in rows:
            entity = EntityRow(*row)
            if (bare := without_sense(entity.normal)) not in names:
                continue
            found = connection.execute(
                "SELECT sense FROM split_mentions WHERE normal = ? AND passage = ?", (bare, text_hash(text))
            ).fetchone()
            if found:
                yield passage, entity, found[0]

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

    def kept_apart(self) -> set[frozenset[int]]:
        """Keys of each two entities of which somebody said, by any of their names, that they are two."""
        rows = self._database.connection().execute(
            "SELECT coalesce(a.head_key, a.key), coalesce(b.head_key, b.key) FROM decisions d"
            " CROSS JOIN entities a ON a.normal = d.one CROSS JOIN entities b ON b.normal = d.other"
            " WHERE d.verdict = 'different'"
        )
        return {frozenset(row) for row in rows}

    def _possible(self, what: str, table: str, one: str, other: str, order: str) -> Iterator[PossibleMerge]:
        rows = self._database.connection().execute(
            f"SELECT a.id, a.name, b.id, b.name, {what}, a.normal, a.label, b.normal, b.label,"
            f" coalesce(a.head_key, a.key), coalesce(b.head_key, b.key) FROM {table}"
            f" CROSS JOIN entities a ON a.key = {one} CROSS JOIN entities b ON b.key = {other}"
            f" WHERE {_APART} ORDER BY {order}, {one}, {other}"
        )
        for row in rows:
            yield PossibleMerge(NameMerge(*row[:7]), (row[7], row[8]), (row[9], row[10]), frozenset(row[11:]))


def _move(connection: sqlite3.Connection, passage: int, old: EntityRow, new: EntityRow) -> None:
    connection.execute(
        "UPDATE OR IGNORE mentions SET entity_key = ? WHERE passage_key = ? AND entity_key = ? AND NOT stated",
        (new.key, passage, old.key),
    )
    rows = connection.execute(
        "SELECT m.key, s.id, s.key, f.predicate, o.id, o.key, f.assertion, f.source FROM triples m"
        " JOIN candidate_facts f ON f.key = m.fact_key"
        " JOIN entities s ON s.key = f.subject_key JOIN entities o ON o.key = f.object_key"
        f" WHERE m.passage_key = ?1 AND ?2 IN (s.key, o.key) AND {_READ}",
        (passage, old.key),
    )
    for triple, subject_id, subject, predicate, object_id, object_, *put in rows.fetchall():
        one = (new.id, new.key) if subject == old.key else (subject_id, subject)
        other = (new.id, new.key) if object_ == old.key else (object_id, object_)
        fact = propose(connection, one, predicate, other, *put)
        connection.execute("UPDATE triples SET fact_key = ? WHERE key = ?", (fact, triple))
