"""What derived edges follow from, as columns; the only SQL for it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from core.store.columns import whole_numbers
from core.store.database import Database

Rows = NDArray[np.int64]


class EdgeRows:
    """Changes nothing. Keys refer to rows of the store."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def labelled(self) -> tuple[Rows, list[str]]:
        """Keys of all entities, ascending, and their labels."""
        rows = (
            self._database.connection()
            .execute("SELECT key, label FROM entities WHERE head_key IS NULL ORDER BY key")
            .fetchall()
        )
        return np.array([row[0] for row in rows], np.int64), [str(row[1]) for row in rows]

    def called(self, entities: Iterable[int]) -> dict[int, tuple[str, str]]:
        """Id and name of these entities, by key."""
        sql = "SELECT key, id, name FROM entities WHERE key IN (SELECT value FROM json_each(?))"
        rows = self._database.connection().execute(sql, (json.dumps([int(key) for key in entities]),))
        return {int(key): (str(id), str(name)) for key, id, name in rows}

    def documents(self, keys: Iterable[int]) -> dict[int, tuple[str, str]]:
        """Id and title of these documents, by key."""
        sql = "SELECT key, id, title FROM documents WHERE key IN (SELECT value FROM json_each(?))"
        rows = self._database.connection().execute(sql, (json.dumps([int(key) for key in keys]),))
        return {int(key): (str(id), str(title)) for key, id, title in rows}

    def in_order(self, facts: Iterable[int]) -> Rows:
        """These facts in an order that whoever reads the same documents has."""
        sql = "SELECT key FROM candidate_facts WHERE key IN (SELECT value FROM json_each(?)) ORDER BY id"
        rows = self._database.connection().execute(sql, (json.dumps([int(key) for key in facts]),))
        return whole_numbers(rows, 1)[:, 0]

    def said(self, facts: Iterable[int]) -> list[tuple[int, str, int]]:
        """(fact, predicate, passage) of these facts, one row for each passage that says it, in order."""
        rows = self._database.connection().execute(
            "SELECT DISTINCT t.fact_key, f.predicate, t.passage_key FROM json_each(?) j"
            " CROSS JOIN facts f ON f.key = j.value CROSS JOIN triples t ON t.fact_key = f.key ORDER BY 1, 3",
            (json.dumps([int(key) for key in facts]),),
        )
        return [(int(fact), str(predicate), int(passage)) for fact, predicate, passage in rows]

    def predicates(self) -> list[str]:
        """Of the facts that count, each once."""
        rows = self._database.connection().execute("SELECT DISTINCT predicate FROM facts ORDER BY 1")
        return [str(row[0]) for row in rows]

    def saying(self, predicates: Sequence[str]) -> Rows:
        """(fact, subject's entity, object's entity, row of the predicate) of the facts with these, by key."""
        rows = self._database.connection().execute(
            "SELECT f.key, coalesce(s.head_key, s.key), coalesce(o.head_key, o.key), j.key FROM json_each(?) j"
            " JOIN facts f ON f.predicate = j.value JOIN entities s ON s.key = f.subject_key"
            " JOIN entities o ON o.key = f.object_key ORDER BY f.key",
            (json.dumps(list(predicates)),),
        )
        return whole_numbers(rows, 4)

    def lists(self) -> Iterator[tuple[int, str, list[tuple[int, int]]]]:
        """(document key, its text, where its lists of references stand), one at a time, by key."""
        connection = self._database.connection()
        spans: dict[int, list[tuple[int, int]]] = {}
        for key, start, end in connection.execute(
            'SELECT document_key, start, "end" FROM reference_lists ORDER BY 1, 2'
        ):
            spans.setdefault(int(key), []).append((int(start), int(end)))
        for key, doc_spans in spans.items():
            sql = "SELECT text FROM document_texts WHERE document_key = ?"
            if (row := connection.execute(sql, (key,)).fetchone()) is not None:
                yield key, str(row[0]), doc_spans

    def works(self) -> list[tuple[int, str, str, str]]:
        """(key, title, author, date) of all documents, by key; "" for what is not known."""
        rows = self._database.connection().execute(
            "SELECT key, title, coalesce(author, ''), coalesce(date, '') FROM documents ORDER BY key"
        )
        return [(int(key), str(title), str(author), str(date)) for key, title, author, date in rows]

    def bearing(self, titles: Iterable[tuple[int, str]]) -> dict[int, int]:
        """Of (document, normal form of its title): the entity that the document names so, where there is one."""
        rows = self._database.connection().execute(
            "SELECT j.value ->> 0, min(coalesce(e.head_key, e.key)) FROM json_each(?) j"
            " CROSS JOIN entities e ON e.normal = j.value ->> 1 WHERE EXISTS (SELECT 1 FROM mentions m"
            " JOIN passages p ON p.key = m.passage_key WHERE m.entity_key = e.key"
            " AND p.document_key = j.value ->> 0) GROUP BY 1",
            (json.dumps(list(titles)),),
        )
        return {int(document): int(entity) for document, entity in rows}

    def holding(self, places: Iterable[tuple[int, int]]) -> list[tuple[int, int, int]]:
        """Of (document, offset in its text), in order: the passage that holds the offset, and where it begins and ends
        there; -1 where none does."""
        connection, found = self._database.connection(), []
        sql = (
            'SELECT key, start, "end" FROM passages WHERE document_key = ? AND start <= ? AND "end" > ?'
            " ORDER BY start DESC LIMIT 1"
        )
        for document, offset in places:
            row = connection.execute(sql, (document, offset, offset)).fetchone()
            found.append((int(row[0]), int(row[1]), int(row[2])) if row else (-1, 0, 0))
        return found
