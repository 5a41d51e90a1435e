"""Noun phrases of passages, and the mentions of those of them that are terms."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence

from core.store.database import Database, Tables
from core.store.entities import Entities, NewMention
from core.types import ExtractedMention
from core.types.kinds import CONCEPT

Place = tuple[int, int, int]  # passage key, start, end


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

    def read(self) -> tuple[list[str], list[tuple[int, Place]]]:
        """Return the phrases, each once, and their uses: number of the phrase and place, by passage."""
        numbers: dict[str, int] = {}
        uses: list[tuple[int, Place]] = []
        for key, listed in self._select("SELECT passage_key, phrases FROM noun_phrases ORDER BY passage_key"):
            for phrase, start, end in json.loads(listed):
                uses.append((numbers.setdefault(phrase, len(numbers)), (key, start, end)))
        return list(numbers), uses

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

    def replace_mentions(self, terms: Sequence[tuple[str, str, Place]]) -> None:
        """Make (normal form, surface, place) the mentions of terms: those that are there stay as they are."""
        rows = self._select(
            'SELECT m.passage_key, m.start, m."end", e.normal, m.entity_key FROM mentions m'
            f" JOIN entities e ON e.key = m.entity_key WHERE m.label = '{CONCEPT}' AND NOT m.stated"
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
