"""Whom a name means: in a document by its signs, in a passage by what people said, and what they call it."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from core.store.database import Database, Tables
from core.store.entities import Entities, EntityRow
from core.store.facts import propose
from core.store.map_edges import STALE_TIES
from core.types.kinds import stable_id, with_sense, without_sense

# Every name that was read in a passage, and every name between which a triple of it stands: what a person stated stays,
# and a term is no name that several bear.
_READ = "NOT EXISTS (SELECT 1 FROM stated_triples s WHERE s.triple_key = m.key)"
_NAME_USES = " UNION ".join(
    (
        "SELECT m.passage_key, m.entity_key FROM mentions m WHERE {where} AND NOT m.stated AND m.label <> 'CONCEPT'",
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


def name_uses(where: str) -> str:
    """Query for (passage, name) of what was read; `where` may tell of `m.passage_key` and of `{name}`, a row key."""
    ends = {f"where_{end}": where.format(name=f"f.{end}") for end in ("subject_key", "object_key")}
    return _NAME_USES.format(where=where.format(name="m.entity_key"), **ends)


# Of the name ?1, in whatever sense.
OF_NAME = name_uses(
    "{name} IN (SELECT key FROM entities WHERE normal = ?1 OR normal > ?1 || char(31) AND normal < ?1 || char(32))"
)


def text_hash(text: str) -> str:
    """By which a passage is found again, wherever its document lies."""
    return stable_id("passage text", text)


def texts_with(connection: sqlite3.Connection, normal: str) -> frozenset[str]:
    """Hashes of the passages that hold a name, in whatever sense."""
    rows = connection.execute(
        f"SELECT DISTINCT p.text FROM ({OF_NAME}) h JOIN passages p ON p.key = h.passage_key", (normal,)
    )
    return frozenset(text_hash(row[0]) for row in rows)


@dataclass(frozen=True, slots=True)
class NameRow:
    """A row of names as one document holds it."""

    key: int
    normal: str
    label: str


@dataclass(frozen=True, slots=True)
class TripleRow:
    """A triple of one document with the keys of its fact's ends and their row keys."""

    triple_key: int
    subject_key: int
    subject: str
    predicate: str
    object_key: int
    object: str
    assertion: str
    source: str


class Senses(Tables):
    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self._entities = Entities(database)

    def touched(self) -> list[int]:
        """Keys of documents whose names or facts changed, of those that are there."""
        return [
            row[0]
            for row in self._select(
                "SELECT key FROM documents WHERE key IN (SELECT document_key FROM touched_documents) ORDER BY key"
            )
        ]

    def names(self, document: int) -> list[NameRow]:
        """The names that were read in a document; the label of most mentions, ties by alphabet."""
        rows = self._select(
            "SELECT m.entity_key, e.normal, m.label, count(*) FROM mentions m"
            " JOIN passages p ON p.key = m.passage_key JOIN entities e ON e.key = m.entity_key"
            " WHERE p.document_key = ? AND NOT m.stated AND m.label <> 'CONCEPT' GROUP BY m.entity_key, m.label"
            " ORDER BY m.entity_key, 4 DESC, m.label",
            (document,),
        )
        found: dict[int, NameRow] = {}
        for key, normal, label, _ in rows:
            found.setdefault(key, NameRow(key, normal, label))
        return list(found.values())

    def uses(self, document: int) -> list[tuple[str, list[tuple[str, str, int, int]]]]:
        """Each passage's text with the (normal, label, start, end) of the names that were read in it, in order."""
        rows = self._select(
            'SELECT p.ordinal, p.text, e.normal, m.label, m.start, m."end" FROM passages p'
            " JOIN mentions m ON m.passage_key = p.key JOIN entities e ON e.key = m.entity_key"
            " WHERE p.document_key = ? AND NOT m.stated AND m.label <> 'CONCEPT'"
            ' ORDER BY p.ordinal, m.start, m."end", e.normal',
            (document,),
        )
        found: dict[int, tuple[str, list[tuple[str, str, int, int]]]] = {}
        for ordinal, text, *use in rows:
            found.setdefault(ordinal, (text, []))[1].append((use[0], use[1], use[2], use[3]))
        return list(found.values())

    def triples(self, document: int, *, stated: bool = True) -> list[TripleRow]:
        """The triples of a document, with those that people stated or without."""
        return [
            TripleRow(*row)
            for row in self._select(
                "SELECT t.key, s.key, s.normal, f.predicate, o.key, o.normal, f.assertion, f.source FROM passages p"
                " JOIN triples t ON t.passage_key = p.key JOIN candidate_facts f ON f.key = t.fact_key"
                " JOIN entities s ON s.key = f.subject_key JOIN entities o ON o.key = f.object_key"
                " WHERE p.document_key = ? AND (? OR NOT EXISTS (SELECT 1 FROM stated_triples x"
                " WHERE x.triple_key = t.key)) ORDER BY t.key",
                (document, stated),
            )
        ]

    def put(self, signs: Mapping[int, Mapping[str, tuple[str, str]]]) -> None:
        """Give documents these signs, (kind, value) by name, in place of theirs; what changed is touched."""
        with self._database.transaction() as connection:
            for document, wanted in signs.items():
                known = {
                    row[0]: (row[1], row[2])
                    for row in connection.execute(
                        "SELECT normal, kind, value FROM signs WHERE document_key = ?", (document,)
                    )
                }
                gone = [normal for normal in known if known[normal] != wanted.get(normal)]
                new = [normal for normal in wanted if wanted[normal] != known.get(normal)]
                connection.executemany(
                    "DELETE FROM signs WHERE document_key = ? AND normal = ?", [(document, n) for n in gone]
                )
                connection.executemany(
                    "INSERT INTO signs (document_key, normal, kind, value) VALUES (?, ?, ?, ?)",
                    [(document, n, *wanted[n]) for n in new],
                )
                connection.executemany("INSERT OR IGNORE INTO touched_names VALUES (?)", [(n,) for n in new])

    def touched_names(self) -> list[str]:
        """Names of which some document's sign came, changed or went."""
        return [row[0] for row in self._select("SELECT normal FROM touched_names ORDER BY normal")]

    def signs_of(self, normal: str) -> dict[int, tuple[str, str, str]]:
        """(kind, value, sense as it is now) by document of one name."""
        rows = self._select("SELECT document_key, kind, value, sense FROM signs WHERE normal = ?", (normal,))
        return {row[0]: (row[1], row[2], row[3]) for row in rows}

    def places_apart(self, normals: Iterable[str]) -> set[str]:
        """Those of the names that mean a place in some document and are borne by a person or a thing elsewhere."""
        rows = self._select(
            "SELECT DISTINCT s.normal FROM json_each(?) j CROSS JOIN signs s ON s.normal = j.value"
            " WHERE s.kind = 'kind' AND s.value = 'place' AND EXISTS (SELECT 1 FROM entities e"
            " WHERE e.normal IN (s.normal || char(31) || 'person', s.normal || char(31) || 'thing'))",
            (json.dumps(sorted(set(normals))),),
        )
        return {row[0] for row in rows}

    def settle(self, document: int, senses: Mapping[str, str]) -> None:
        """Keep the sense of each of these names in a document that gives a sign of it."""
        self._write_each(
            "UPDATE signs SET sense = ?1 WHERE document_key = ?2 AND normal = ?3 AND sense <> ?1",
            [(sense, document, normal) for normal, sense in senses.items()],
        )

    def signed(self, document: int) -> list[str]:
        """Names of which this document gives a sign."""
        rows = self._select("SELECT normal FROM signs WHERE document_key = ?", (document,))
        return [row[0] for row in rows]

    def move(self, document: int, targets: Mapping[int, tuple[str, str, str]]) -> None:
        """Let mentions and triples of a document that point to these rows mean (normal, name, label) instead."""
        with self._database.transaction() as connection:
            new = {
                key: self._entities.ensure(connection, [target])[target[0]].key
                for key, target in targets.items()
            }
            for old, key in new.items():
                connection.execute(
                    "UPDATE OR IGNORE mentions SET entity_key = ? WHERE entity_key = ? AND label <> 'CONCEPT'"
                    " AND passage_key IN (SELECT key FROM passages WHERE document_key = ?)",
                    (key, old, document),
                )
            for triple in self.triples(document):
                ends = (
                    new.get(triple.subject_key, triple.subject_key),
                    new.get(triple.object_key, triple.object_key),
                )
                if ends != (triple.subject_key, triple.object_key):
                    one, other = (_identified(connection, key) for key in ends)
                    put = triple.predicate, other, triple.assertion, triple.source
                    _restate(connection, triple.triple_key, one, *put)

    def clear(self) -> None:
        """Every mention points to the bearer that its document means; what a name is depends on who else bears it."""
        with self._database.transaction() as connection:
            connection.execute(
                "INSERT OR IGNORE INTO touched_entities SELECT key FROM entities"
                " WHERE normal IN (SELECT normal FROM touched_names)"
            )
            connection.execute("DELETE FROM touched_documents")
            connection.execute("DELETE FROM touched_names")

    def ids_of(self, normal: str) -> list[str]:
        """Ids of one name in all its senses: without one first, then the most mentioned."""
        rows = self._select(
            "SELECT id FROM entities WHERE normal = ?1 OR (normal > ?1 || char(31) AND normal < ?1 || char(32))"
            " ORDER BY normal <> ?1, (SELECT count(*) FROM mentions m WHERE m.entity_key = entities.key) DESC, normal",
            (normal,),
        )
        return [row[0] for row in rows]


class NameChanges(Tables):
    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self._entities = Entities(database)

    # ------------------------------------------------------------ what an entity is called, and what it is

    def override(self, normal: str, field: str, value: str) -> None:
        """Have a name be called so ("name"), or be of this label ("label"); "" leaves it to its mentions again."""
        with self._database.transaction() as connection:
            connection.execute("DELETE FROM entity_overrides WHERE normal = ? AND field = ?", (normal, field))
            if value:
                connection.execute("INSERT INTO entity_overrides VALUES (?, ?, ?)", (normal, field, value))
            if field == "label":  # which says whether it is a node
                connection.execute(
                    "INSERT OR REPLACE INTO settings (name, value) VALUES (?, '1')", (STALE_TIES,)
                )
            connection.execute(
                "INSERT OR IGNORE INTO touched_entities SELECT key FROM entities WHERE normal = ?", (normal,)
            )

    def labels(self) -> dict[int, str]:
        """Labels that people gave to touched entities, by key."""
        return dict(
            self._select(
                "SELECT e.key, o.value FROM entity_overrides o JOIN entities e ON e.normal = o.normal"
                " WHERE o.field = 'label' AND e.key IN (SELECT entity_key FROM touched_entities)"
            )
        )

    def names_of(self, entity_id: str) -> list[str]:
        """Normal forms of all names of an entity."""
        rows = self._select(f"SELECT normal FROM entities WHERE {_OWN} ORDER BY normal", (entity_id,))
        return [str(row[0]) for row in rows]

    # ------------------------------------------------------------ who is meant in a passage

    def passages_of(self, entity_id: str) -> list[str]:
        """Ids of passages that name an entity, in reading order."""
        rows = self._select(
            f"SELECT DISTINCT p.id FROM (SELECT key FROM entities WHERE {_OWN}) e"
            " JOIN mentions m ON m.entity_key = e.key JOIN passages p ON p.key = m.passage_key"
            " ORDER BY p.document_key, p.ordinal",
            (entity_id,),
        )
        return [str(row[0]) for row in rows]

    def uses_of(self, entity_id: str, most: int) -> list[tuple[str, int]]:
        """(text of a passage, where the name begins in it) of the first uses of this very name, by passage id; one a
        passage."""
        rows = self._select(
            "SELECT p.text, min(m.start) FROM mentions m JOIN passages p ON p.key = m.passage_key"
            " WHERE m.entity_key = (SELECT key FROM entities WHERE id = ?) GROUP BY p.key ORDER BY p.id LIMIT ?",
            (entity_id, most),
        )
        return [(str(row[0]), int(row[1])) for row in rows]

    def names_in(self, entity_id: str, passage_ids: Sequence[str]) -> list[tuple[str, str]]:
        """(name without sense, hash of the text) of each name of this entity in each of the passages."""
        rows = self._select(
            f"SELECT DISTINCT e.normal, p.text FROM ({name_uses(f'm.passage_key IN {_CHOSEN}')}) h"
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
            f" FROM ({name_uses(inside)}) h JOIN entities e ON e.key = h.entity_key"
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


def _move(connection: sqlite3.Connection, passage: int, old: EntityRow, new: EntityRow) -> None:
    connection.execute(
        "UPDATE OR IGNORE mentions SET entity_key = ? WHERE passage_key = ? AND entity_key = ?"
        " AND NOT stated AND label <> 'CONCEPT'",
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
        _restate(connection, triple, one, predicate, other, *put)


def _identified(connection: sqlite3.Connection, key: int) -> tuple[str, int]:
    """Id and key of a name."""
    return str(connection.execute("SELECT id FROM entities WHERE key = ?", (key,)).fetchone()[0]), key


def _restate(
    connection: sqlite3.Connection,
    triple: int,
    subject: tuple[str, int],
    predicate: str,
    object_: tuple[str, int],
    assertion: str,
    source: str,
) -> None:
    """Put a triple under the fact between these names."""
    fact = propose(connection, subject, predicate, object_, assertion, source)
    connection.execute("UPDATE triples SET fact_key = ? WHERE key = ?", (fact, triple))
