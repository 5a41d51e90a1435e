"""Which bearer of a name a document means: its signs, and the rows that its mentions and triples point to."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from core.store.database import Database
from core.store.facts import propose
from core.types.identity import stable_id


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


class Senses:
    def __init__(self, database: Database) -> None:
        self._database = database

    def touched(self) -> list[int]:
        """Keys of documents whose names or facts changed, of those that are there."""
        return [
            row[0]
            for row in self._database.connection().execute(
                "SELECT key FROM documents WHERE key IN (SELECT document_key FROM touched_documents) ORDER BY key"
            )
        ]

    def names(self, document: int) -> list[NameRow]:
        """The names that were read in a document; the label of most mentions, ties by alphabet."""
        rows = self._database.connection().execute(
            "SELECT m.entity_key, e.normal, m.label, count(*) FROM mentions m"
            " JOIN passages p ON p.key = m.passage_key JOIN entities e ON e.key = m.entity_key"
            " WHERE p.document_key = ? AND NOT m.stated GROUP BY m.entity_key, m.label"
            " ORDER BY m.entity_key, 4 DESC, m.label",
            (document,),
        )
        found: dict[int, NameRow] = {}
        for key, normal, label, _ in rows:
            found.setdefault(key, NameRow(key, normal, label))
        return list(found.values())

    def uses(self, document: int) -> list[tuple[str, list[tuple[str, str, int, int]]]]:
        """Each passage's text with the (normal, label, start, end) of the names that were read in it, in order."""
        rows = self._database.connection().execute(
            'SELECT p.ordinal, p.text, e.normal, m.label, m.start, m."end" FROM passages p'
            " JOIN mentions m ON m.passage_key = p.key JOIN entities e ON e.key = m.entity_key"
            ' WHERE p.document_key = ? AND NOT m.stated ORDER BY p.ordinal, m.start, m."end", e.normal',
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
            for row in self._database.connection().execute(
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
        return [
            row[0]
            for row in self._database.connection().execute("SELECT normal FROM touched_names ORDER BY normal")
        ]

    def signs_of(self, normal: str) -> dict[int, tuple[str, str, str]]:
        """(kind, value, sense as it is now) by document of one name."""
        rows = self._database.connection().execute(
            "SELECT document_key, kind, value, sense FROM signs WHERE normal = ?", (normal,)
        )
        return {row[0]: (row[1], row[2], row[3]) for row in rows}

    def places_apart(self, normals: Iterable[str]) -> set[str]:
        """Those of the names that mean a place in some document and are borne by a person or a thing elsewhere."""
        rows = self._database.connection().execute(
            "SELECT DISTINCT s.normal FROM json_each(?) j CROSS JOIN signs s ON s.normal = j.value"
            " WHERE s.kind = 'kind' AND s.value = 'place' AND EXISTS (SELECT 1 FROM entities e"
            " WHERE e.normal IN (s.normal || char(31) || 'person', s.normal || char(31) || 'thing'))",
            (json.dumps(sorted(set(normals))),),
        )
        return {row[0] for row in rows}

    def settle(self, document: int, senses: Mapping[str, str]) -> None:
        """Keep the sense of each of these names in a document that gives a sign of it."""
        with self._database.transaction() as connection:
            connection.executemany(
                "UPDATE signs SET sense = ?1 WHERE document_key = ?2 AND normal = ?3 AND sense <> ?1",
                [(sense, document, normal) for normal, sense in senses.items()],
            )

    def signed(self, document: int) -> list[str]:
        """Names of which this document gives a sign."""
        rows = self._database.connection().execute(
            "SELECT normal FROM signs WHERE document_key = ?", (document,)
        )
        return [row[0] for row in rows]

    def move(self, document: int, targets: Mapping[int, tuple[str, str, str]]) -> None:
        """Let mentions and triples of a document that point to these rows mean (normal, name, label) instead."""
        with self._database.transaction() as connection:
            new = {key: _row(connection, *target) for key, target in targets.items()}
            for old, key in new.items():
                connection.execute(
                    "UPDATE OR IGNORE mentions SET entity_key = ? WHERE entity_key = ?"
                    " AND passage_key IN (SELECT key FROM passages WHERE document_key = ?)",
                    (key, old, document),
                )
            for triple in self.triples(document):
                ends = (
                    new.get(triple.subject_key, triple.subject_key),
                    new.get(triple.object_key, triple.object_key),
                )
                if ends != (triple.subject_key, triple.object_key):
                    _restate(connection, triple, ends)

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
        rows = self._database.connection().execute(
            "SELECT id FROM entities WHERE normal = ?1 OR (normal > ?1 || char(31) AND normal < ?1 || char(32))"
            " ORDER BY normal <> ?1, (SELECT count(*) FROM mentions m WHERE m.entity_key = entities.key) DESC, normal",
            (normal,),
        )
        return [row[0] for row in rows]


def _row(connection: sqlite3.Connection, normal: str, name: str, label: str) -> int:
    connection.execute(
        "INSERT OR IGNORE INTO entities (id, normal, name, label) VALUES (?, ?, ?, ?)",
        (stable_id("entity", normal), normal, name, label),
    )
    return int(connection.execute("SELECT key FROM entities WHERE normal = ?", (normal,)).fetchone()[0])


def _restate(connection: sqlite3.Connection, said: TripleRow, ends: Iterable[int]) -> None:
    """Put a triple under the fact between these rows."""
    subject, object_ = ends
    one, other = (
        (str(connection.execute("SELECT id FROM entities WHERE key = ?", (key,)).fetchone()[0]), key)
        for key in (subject, object_)
    )
    fact = propose(connection, one, said.predicate, other, said.assertion, said.source)
    connection.execute("UPDATE triples SET fact_key = ? WHERE key = ?", (fact, said.triple_key))
