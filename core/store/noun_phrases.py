"""Noun phrases of passages, and the mentions of those of them that are terms."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.store.database import Database, Tables
from core.store.entities import Entities, NewMention
from core.types import ExtractedMention
from core.types.kinds import CONCEPT

_MOST_READ = 1_000  # passages in which a definition is looked for
Place = tuple[int, int, int]  # passage key, start, end


@dataclass(frozen=True, slots=True)
class PhraseTable:
    """`phrases` (n,), each once; `uses` (k, 4): passage key, number of the phrase, start and end in the passage."""

    phrases: list[str]
    uses: NDArray[np.int64]


class NounPhrases(Tables):
    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self._entities = Entities(database)

    def put(self, connection: sqlite3.Connection, found: Mapping[int, Sequence[ExtractedMention]]) -> None:
        """Store the phrases of passages, inside a transaction, in place of what they had."""
        connection.executemany(
            "INSERT OR REPLACE INTO noun_phrases VALUES (?, ?)",
            [
                (key, json.dumps([(one.text, one.start, one.end) for one in own], ensure_ascii=False))
                for key, own in found.items()
            ],
        )

    def read(self) -> PhraseTable:
        """Return all phrases of all passages."""
        numbers: dict[str, int] = {}
        uses: list[int] = []
        for key, listed in self._select("SELECT passage_key, phrases FROM noun_phrases ORDER BY passage_key"):
            for phrase, start, end in json.loads(listed):
                uses += (key, numbers.setdefault(phrase, len(numbers)), start, end)
        return PhraseTable(list(numbers), np.array(uses, dtype=np.int64).reshape(-1, 4))

    def count_names(self, normals: Iterable[str]) -> dict[str, int]:
        """Return how many mentions take each of these for a name that the recogniser knows; others are left out."""
        unsure = "('NOUN', 'OTHER', 'WORK', 'CONCEPT')"
        rows = self._select(
            "SELECT e.normal, count(*) FROM json_each(?) j CROSS JOIN entities e ON e.normal = j.value"
            f" CROSS JOIN mentions m ON m.entity_key = e.key AND m.label NOT IN {unsure} GROUP BY e.key",
            (json.dumps(list(normals)),),
        )
        return {str(normal): int(count) for normal, count in rows}

    def texts(self, keys: Iterable[int]) -> dict[int, str]:
        """Return the texts of passages by key."""
        rows = self._select(
            "SELECT p.key, p.text FROM json_each(?) j CROSS JOIN passages p ON p.key = j.value",
            (json.dumps(sorted(keys)),),
        )
        return dict(rows)

    def naming(self, entity_id: str) -> tuple[list[str], list[tuple[str, str, str, str]]]:
        """Return how an entity is written, and (id, document id, path, text) of the first _MOST_READ passages that name
        it."""
        own = (
            "WITH own (key) AS (SELECT n.key FROM entities e JOIN entities n ON coalesce(n.head_key, n.key) ="
            " coalesce(e.head_key, e.key) WHERE e.id = ?1)"
        )
        named = self._select(
            f"{own} SELECT DISTINCT m.surface FROM own JOIN mentions m ON m.entity_key = own.key ORDER BY 1",
            (entity_id,),
        )
        passages = self._select(
            f"{own} SELECT p.id, d.id, d.path, p.text FROM passages p JOIN documents d ON d.key = p.document_key"
            " WHERE p.key IN (SELECT m.passage_key FROM own JOIN mentions m ON m.entity_key = own.key)"
            " ORDER BY d.path, p.ordinal LIMIT ?2",
            (entity_id, _MOST_READ),
        )
        return [str(row[0]) for row in named], list(passages)

    def replace_mentions(self, terms: Sequence[tuple[str, str, Place]]) -> None:
        """Make (normal form, surface, place) the mentions of terms: those that are there stay as they are."""
        rows = self._select(
            'SELECT m.passage_key, m.start, m."end", e.normal, m.entity_key FROM mentions m'
            f" JOIN entities e ON e.key = m.entity_key WHERE m.label = '{CONCEPT}'"
        )
        before = {
            (normal, (key, start, end)): (key, entity, start) for key, start, end, normal, entity in rows
        }
        wanted = {(normal, place): surface for normal, surface, place in terms}
        gone = [row for use, row in before.items() if use not in wanted]
        new = [
            NewMention(place[0], normal, surface, CONCEPT, *place[1:])
            for (normal, place), surface in wanted.items()
            if (normal, place) not in before
        ]
        with self._database.transaction() as connection:
            connection.executemany(
                "DELETE FROM mentions WHERE passage_key = ? AND entity_key = ? AND start = ?", gone
            )
            names = [(one.normal, one.surface, CONCEPT) for one in new]
            self._entities.add_mentions(connection, new, self._entities.ensure(connection, names))
