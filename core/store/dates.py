"""What is needed to tell when facts, passages and documents are of, as columns; the only SQL for it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from core.store.database import Database
from core.store.number_rows import number_rows

Rows = NDArray[np.int64]


class DatedRows:
    """Changes nothing. Keys refer to rows of the store, offsets to the passage's text where nothing else is said."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def documents(self) -> list[tuple[int, str, str]]:
        """(key, id, date) by key; "" for the date of a document without one."""
        return (
            self._database.connection()
            .execute("SELECT key, id, coalesce(date, '') FROM documents ORDER BY key")
            .fetchall()
        )

    def passages(self) -> Rows:
        """(key, document, start, end) by key, offsets in the document's text."""
        return self._by("passages", "key, document_key, start, end", 'SELECT key, document_key, start, "end"'
            " AS end FROM passages WHERE key >= ?1 AND key < ?2 ORDER BY key")  # fmt: skip

    def mentions(self) -> Rows:
        """(passage, name, start, whether a measure follows as in "1001-room") of dates, by passage and start."""
        return self._by(
            "passages",
            "passage_key, entity_key, start, measure",
            "SELECT m.passage_key, m.entity_key, m.start, substr(p.text, m.\"end\" + 1, 2) GLOB '-[A-Za-z]' AS measure"
            " FROM mentions m CROSS JOIN entities e ON e.key = m.entity_key CROSS JOIN passages p"
            " ON p.key = m.passage_key WHERE m.passage_key >= ?1 AND m.passage_key < ?2 AND e.label = 'DATE'"
            " ORDER BY m.passage_key, m.start",
        )

    def named(self) -> Rows:
        """(passage, entity) of all mentions, by passage."""
        return self._by(
            "passages",
            "passage_key, entity",
            "SELECT DISTINCT m.passage_key, coalesce(e.head_key, e.key) AS entity FROM mentions m CROSS JOIN entities e"
            " ON e.key = m.entity_key WHERE m.passage_key >= ?1 AND m.passage_key < ?2 ORDER BY m.passage_key",
        )

    def sentences(self) -> Rows:
        """(passage, start) by passage and place."""
        return self._by("passages", "passage_key, start", "SELECT passage_key, start FROM sentences"
            " WHERE passage_key >= ?1 AND passage_key < ?2 ORDER BY passage_key, ordinal")  # fmt: skip

    def triples(self) -> Rows:
        """(fact, passage, start, end) of those whose facts count, by key."""
        return self._by(
            "triples",
            "fact_key, passage_key, start, end",
            'SELECT t.fact_key, t.passage_key, t.start, t."end" AS end FROM triples t CROSS JOIN facts f'
            " ON f.key = t.fact_key WHERE t.key >= ?1 AND t.key < ?2 ORDER BY t.key",
        )

    def facts(self) -> Rows:
        """(key, subject, object, the subject's entity, the object's entity) between two entities, by key."""
        return self._by(
            "candidate_facts",
            "key, subject_key, object_key, subject, object",
            "SELECT f.key, f.subject_key, f.object_key, coalesce(s.head_key, s.key) AS subject,"
            " coalesce(o.head_key, o.key) AS object FROM facts f CROSS JOIN entities s ON s.key = f.subject_key"
            " CROSS JOIN entities o ON o.key = f.object_key WHERE f.key >= ?1 AND f.key < ?2"
            " AND coalesce(s.head_key, s.key) <> coalesce(o.head_key, o.key) ORDER BY f.key",
        )

    def turns(self) -> tuple[Rows, list[str]]:
        """(document, start, end), offsets in its text, and when each was said, of turns that tell it; in order."""
        rows = (
            self._database.connection()
            .execute("SELECT document_key, start, \"end\", time FROM blocks WHERE time <> '' ORDER BY 1, 2")
            .fetchall()
        )
        places = np.array([row[:3] for row in rows], dtype=np.int64).reshape(-1, 3)
        return places, [row[3] for row in rows]

    def _by(self, table: str, columns: str, sql: str) -> Rows:
        connection = self._database.connection()
        (most,) = connection.execute(f"SELECT coalesce(max(key), 0) FROM {table}").fetchone()
        return number_rows(connection, sql, most, columns.split(", "), ()).astype(np.int64)
