"""Rows as arrays: what the drawn graph, the timeline and derived edges are computed from. Changes nothing."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.store.database import Tables
from core.types.kinds import NOUN
from core.types.review import STATES

_KEYS_AT_ONCE = 8192  # over which a query is read as one text
_ROWS_AT_ONCE = 1 << 15  # fetched from a cursor together


def in_clause(column: str, keys: Iterable[int] | None, number: int = 1) -> tuple[str, tuple[str, ...]]:
    """What follows a WHERE clause, and its value, the statement's `number`-th: `column` is one of the keys, however
    many. Nothing for None."""
    if keys is None:
        return "", ()
    return f" AND {column} IN (SELECT value FROM json_each(?{number:d}))", (
        json.dumps([int(key) for key in keys]),
    )


def number_rows(
    connection: sqlite3.Connection, sql: str, most: int, integers: Sequence[str], reals: Sequence[str]
) -> NDArray[np.float64]:
    """Columns of a query of keys from ?1 to below ?2, of all up to `most`, (n, columns): whole numbers, then others to
    17 digits.

    SQLite puts them together as text. Row by row Python takes its interpreter lock for each, which while other threads
    are at work takes seven times as long.
    """
    numbers = " ".join([*["%d"] * len(integers), *["%!.17g"] * len(reals)])
    together = f"SELECT group_concat(format('{numbers}', {', '.join((*integers, *reals))}), ' ') FROM ({sql})"
    found = [np.zeros(0)]
    for first in range(0, most + 1, _KEYS_AT_ONCE):
        (text,) = connection.execute(together, (first, first + _KEYS_AT_ONCE)).fetchone()
        found.append(np.fromstring(text or "", sep=" "))
    return np.concatenate(found).reshape(-1, len(integers) + len(reals))


def text_columns(
    connection: sqlite3.Connection, sql: str, most: int, columns: Sequence[str]
) -> list[list[Any]]:
    """Columns of a query of keys from ?1 to below ?2, of all up to `most`, in its order; read as `number_rows` does."""
    together = f"SELECT {', '.join(f'json_group_array({column})' for column in columns)} FROM ({sql})"
    found: list[list[Any]] = [[] for _ in columns]
    for first in range(0, most + 1, _KEYS_AT_ONCE):
        for column, text in zip(
            found, connection.execute(together, (first, first + _KEYS_AT_ONCE)).fetchone(), strict=True
        ):
            column += json.loads(text)
    return found


def integer_rows(cursor: Any, width: int) -> NDArray[np.int64]:
    """All rows of a query for `width` whole numbers, (n, width)."""
    found = [np.zeros(0, np.int64)]
    while rows := cursor.fetchmany(_ROWS_AT_ONCE):
        found.append(np.fromiter(chain.from_iterable(rows), np.int64, width * len(rows)))
    return np.concatenate(found).reshape(-1, width)


def weighted_numbers(cursor: Any, width: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Of a query for `width` whole numbers, (n, width), and a real one behind them, (n,)."""
    found, weights = [np.zeros((0, width), np.int64)], [np.zeros(0, np.float64)]
    while rows := cursor.fetchmany(_ROWS_AT_ONCE):
        part = np.fromiter(chain.from_iterable(rows), np.float64, (width + 1) * len(rows))
        part = part.reshape(-1, width + 1)
        found.append(part[:, :width].astype(np.int64))
        weights.append(part[:, width].copy())
    return np.concatenate(found), np.concatenate(weights)


# ------------------------------------------------------------ columns


# Mentions `m` but for titles, which stand at no place of their own.
IN_TEXT = f"(m.start < m.\"end\" OR m.label NOT IN ('WORK', '{NOUN}'))"
_STATE = f"CASE f.state {' '.join(f'WHEN {state!r} THEN {row}' for row, state in enumerate(STATES))} END"


Keys = NDArray[np.int64]


class Columns(Tables):
    """Keys refer to rows of the store, offsets to the passage's text where nothing else is said."""

    # ------------------------------------------------------------ the drawn graph

    def fact_states(self) -> NDArray[np.float64]:
        """Rows (fact key, subject key, object key, row of STATES, probability) of those that count, (f, 5), by key."""
        sql = (
            f"SELECT f.key AS fact, s.key AS subject, o.key AS object, {_STATE} AS state, f.probability AS sure"
            " FROM candidate_facts f CROSS JOIN entities sn ON sn.key = f.subject_key"
            " CROSS JOIN entities s ON s.key = coalesce(sn.head_key, sn.key)"
            " CROSS JOIN entities o_ ON o_.key = f.object_key"
            " CROSS JOIN entities o ON o.key = coalesce(o_.head_key, o_.key)"
            " WHERE f.counts AND f.key >= ?1 AND f.key < ?2 ORDER BY f.key"
        )
        return self._numbers("candidate_facts", sql, ("fact", "subject", "object", "state"), ("sure",))

    def fact_documents(self) -> NDArray[np.int64]:
        """Rows (fact key, document key), each once, (k, 2), by fact."""
        sql = (
            "SELECT DISTINCT t.fact_key AS fact, p.document_key AS document FROM triples t"
            " CROSS JOIN passages p ON p.key = t.passage_key WHERE t.key >= ?1 AND t.key < ?2"
        )
        return np.unique(self._integers("triples", "fact, document", sql), axis=0)

    def mention_counts(self) -> NDArray[np.int64]:
        """Rows (entity key, document key, mentions there), (k, 3); a pair may come several times;
        none where the entity is only the document's title."""
        sql = (
            f"SELECT e.key AS entity, p.document_key AS document, sum({IN_TEXT}) AS times FROM mentions m"
            " CROSS JOIN passages p ON p.key = m.passage_key CROSS JOIN entities en ON en.key = m.entity_key"
            " CROSS JOIN entities e ON e.key = coalesce(en.head_key, en.key)"
            " WHERE m.passage_key >= ?1 AND m.passage_key < ?2 GROUP BY e.key, p.document_key"
        )
        return self._integers("passages", "entity, document, times", sql)

    def documents(self) -> list[tuple[int, str, str, str]]:
        """Key, id, title, and date in ISO 8601 or "", of all documents, by key."""
        rows = self._select("SELECT key, id, title, coalesce(date, '') FROM documents ORDER BY key")
        return [(int(key), str(id), str(title), str(date)) for key, id, title, date in rows]

    # ------------------------------------------------------------ the timeline

    def passages(self) -> Keys:
        """(key, document, start, end) by key, offsets in the document's text."""
        return self._integers("passages", "key, document_key, start, end", 'SELECT key, document_key, start, "end"'
            " AS end FROM passages WHERE key >= ?1 AND key < ?2 ORDER BY key")  # fmt: skip

    def date_mentions(self) -> Keys:
        """(passage, name, start, whether a measure follows as in "1001-room") of dates, by passage and start."""
        return self._integers(
            "passages",
            "passage_key, entity_key, start, measure",
            "SELECT m.passage_key, m.entity_key, m.start, substr(p.text, m.\"end\" + 1, 2) GLOB '-[A-Za-z]' AS measure"
            " FROM mentions m CROSS JOIN entities e ON e.key = m.entity_key CROSS JOIN passages p"
            " ON p.key = m.passage_key WHERE m.passage_key >= ?1 AND m.passage_key < ?2 AND e.label = 'DATE'"
            " ORDER BY m.passage_key, m.start",
        )

    def passage_entities(self) -> Keys:
        """(passage, entity) of all mentions, by passage."""
        return self._integers(
            "passages",
            "passage_key, entity",
            "SELECT DISTINCT m.passage_key, coalesce(e.head_key, e.key) AS entity FROM mentions m CROSS JOIN entities e"
            " ON e.key = m.entity_key WHERE m.passage_key >= ?1 AND m.passage_key < ?2 ORDER BY m.passage_key",
        )

    def triples(self) -> Keys:
        """(fact, passage, start, end) of those whose facts count, by key."""
        return self._integers(
            "triples",
            "fact_key, passage_key, start, end",
            'SELECT t.fact_key, t.passage_key, t.start, t."end" AS end FROM triples t CROSS JOIN facts f'
            " ON f.key = t.fact_key WHERE t.key >= ?1 AND t.key < ?2 ORDER BY t.key",
        )

    def fact_ends(self) -> Keys:
        """(key, subject, object, the subject's entity, the object's entity) between two entities, by key."""
        return self._integers(
            "candidate_facts",
            "key, subject_key, object_key, subject, object",
            "SELECT f.key, f.subject_key, f.object_key, coalesce(s.head_key, s.key) AS subject,"
            " coalesce(o.head_key, o.key) AS object FROM facts f CROSS JOIN entities s ON s.key = f.subject_key"
            " CROSS JOIN entities o ON o.key = f.object_key WHERE f.key >= ?1 AND f.key < ?2"
            " AND coalesce(s.head_key, s.key) <> coalesce(o.head_key, o.key) ORDER BY f.key",
        )

    def turns(self) -> tuple[Keys, list[str]]:
        """(document, start, end), offsets in its text, and when each was said, of turns that tell it; in order."""
        rows = self._select(
            "SELECT document_key, start, \"end\", time FROM blocks WHERE time <> '' ORDER BY 1, 2"
        ).fetchall()
        places = np.array([row[:3] for row in rows], dtype=np.int64).reshape(-1, 3)
        return places, [row[3] for row in rows]

    # ------------------------------------------------------------ derived edges

    def entity_labels(self) -> tuple[Keys, list[str]]:
        """Keys of all entities, ascending, and their labels."""
        rows = self._select("SELECT key, label FROM entities WHERE head_key IS NULL ORDER BY key").fetchall()
        return np.array([row[0] for row in rows], np.int64), [str(row[1]) for row in rows]

    def entity_names(self, entities: Iterable[int]) -> dict[int, tuple[str, str]]:
        """Id and name of these entities, by key."""
        sql = "SELECT key, id, name FROM entities WHERE key IN (SELECT value FROM json_each(?))"
        rows = self._select(sql, (json.dumps([int(key) for key in entities]),))
        return {int(key): (str(id), str(name)) for key, id, name in rows}

    def document_titles(self, keys: Iterable[int]) -> dict[int, tuple[str, str]]:
        """Id and title of these documents, by key."""
        sql = "SELECT key, id, title FROM documents WHERE key IN (SELECT value FROM json_each(?))"
        rows = self._select(sql, (json.dumps([int(key) for key in keys]),))
        return {int(key): (str(id), str(title)) for key, id, title in rows}

    def in_order(self, facts: Iterable[int]) -> Keys:
        """These facts in an order that whoever reads the same documents has."""
        sql = "SELECT key FROM candidate_facts WHERE key IN (SELECT value FROM json_each(?)) ORDER BY id"
        rows = self._select(sql, (json.dumps([int(key) for key in facts]),))
        return integer_rows(rows, 1)[:, 0]

    def fact_passages(self, facts: Iterable[int]) -> list[tuple[int, str, int]]:
        """(fact, predicate, passage) of these facts, one row for each passage that says it, in order."""
        rows = self._select(
            "SELECT DISTINCT t.fact_key, f.predicate, t.passage_key FROM json_each(?) j"
            " CROSS JOIN facts f ON f.key = j.value CROSS JOIN triples t ON t.fact_key = f.key ORDER BY 1, 3",
            (json.dumps([int(key) for key in facts]),),
        )
        return [(int(fact), str(predicate), int(passage)) for fact, predicate, passage in rows]

    def predicates(self) -> list[str]:
        """Of the facts that count, each once."""
        rows = self._select("SELECT DISTINCT predicate FROM facts ORDER BY 1")
        return [str(row[0]) for row in rows]

    def facts_with(self, predicates: Sequence[str]) -> Keys:
        """(fact, subject's entity, object's entity, row of the predicate) of the facts with these, by key."""
        rows = self._select(
            "SELECT f.key, coalesce(s.head_key, s.key), coalesce(o.head_key, o.key), j.key FROM json_each(?) j"
            " JOIN facts f ON f.predicate = j.value JOIN entities s ON s.key = f.subject_key"
            " JOIN entities o ON o.key = f.object_key ORDER BY f.key",
            (json.dumps(list(predicates)),),
        )
        return integer_rows(rows, 4)

    def reference_lists(self) -> Iterator[tuple[int, str, list[tuple[int, int]]]]:
        """(document key, its text, where its lists of references stand), one at a time, by key."""
        spans: dict[int, list[tuple[int, int]]] = {}
        for key, start, end in self._select(
            'SELECT document_key, start, "end" FROM reference_lists ORDER BY 1, 2'
        ):
            spans.setdefault(int(key), []).append((int(start), int(end)))
        for key, doc_spans in spans.items():
            sql = "SELECT text FROM document_texts WHERE document_key = ?"
            if (row := self._select_one(sql, (key,))) is not None:
                yield key, str(row[0]), doc_spans

    def works(self) -> list[tuple[int, str, str, str]]:
        """(key, title, author, date) of all documents, by key; "" for what is not known."""
        rows = self._select(
            "SELECT key, title, coalesce(author, ''), coalesce(date, '') FROM documents ORDER BY key"
        )
        return [(int(key), str(title), str(author), str(date)) for key, title, author, date in rows]

    def title_entities(self, titles: Iterable[tuple[int, str]]) -> dict[int, int]:
        """Of (document, normal form of its title): the entity that the document names so, where there is one."""
        rows = self._select(
            "SELECT j.value ->> 0, min(coalesce(e.head_key, e.key)) FROM json_each(?) j"
            " CROSS JOIN entities e ON e.normal = j.value ->> 1 WHERE EXISTS (SELECT 1 FROM mentions m"
            " JOIN passages p ON p.key = m.passage_key WHERE m.entity_key = e.key"
            " AND p.document_key = j.value ->> 0) GROUP BY 1",
            (json.dumps(list(titles)),),
        )
        return {int(document): int(entity) for document, entity in rows}

    def passages_at(self, places: Iterable[tuple[int, int]]) -> list[tuple[int, int, int]]:
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

    def _numbers(
        self, table: str, sql: str, integers: Sequence[str], reals: Sequence[str] = ()
    ) -> NDArray[np.float64]:
        """Columns of a query of all rows of a table, by parts of its keys."""
        connection = self._database.connection()
        (most,) = connection.execute(f"SELECT coalesce(max(key), 0) FROM {table}").fetchone()
        return number_rows(connection, sql, most, integers, reals)

    def _integers(self, table: str, columns: str, sql: str) -> Keys:
        return self._numbers(table, sql, columns.split(", ")).astype(np.int64)
