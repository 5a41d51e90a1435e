"""What is kept of the order in which a workspace was built, as columns; the only SQL for it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from core.store.database import Database

Keys = NDArray[np.int64]


class ConstructionRows:
    """Changes nothing. Keys refer to rows of the store."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def passages(self) -> list[tuple[int, str, str]]:
        """(key, id, title) of those whose extraction is through, in the order in which they were first read."""
        return self._rows(
            "SELECT key, id, title FROM passages p WHERE EXISTS (SELECT 1 FROM stages s"
            " WHERE s.passage_key = p.key AND s.stage = 'extract' AND s.state <> 'pending') ORDER BY key"
        )

    def names(self) -> list[tuple[int, str, str, int, str]]:
        """(key, id, name, key of the name that it is told as, normal form) by key."""
        return self._rows("SELECT key, id, name, coalesce(head_key, key), normal FROM entities ORDER BY key")

    def first_passages(self) -> Keys:
        """Rows (name, first passage that holds it), (n, 2); without names that only facts stated by people hold."""
        return self._keys(
            "SELECT entity_key, min(passage_key) FROM mentions WHERE NOT stated GROUP BY entity_key", 2
        )

    def facts(self) -> list[tuple[int, str, int, str, int]]:
        """(key, id, subject, predicate, object) of those that count, by key."""
        return self._rows("SELECT key, id, subject_key, predicate, object_key FROM facts ORDER BY key")

    def triples(self) -> Keys:
        """Rows (fact, passage, triple, act that stated it or 0), (t, 4), in the order in which they were written."""
        return self._keys(
            "SELECT t.fact_key, t.passage_key, t.key, coalesce((SELECT min(s.act_key) FROM stated_triples s"
            " WHERE s.triple_key = t.key), 0) FROM triples t ORDER BY t.key",
            4,
        )

    def triples_of(self, passage_id: str) -> set[tuple[str, str, str]]:
        """(subject, predicate, object) as extracted from a passage; what people stated of it is left out."""
        return set(
            self._database.connection().execute(
                "SELECT t.subject, t.predicate, t.object FROM triples t JOIN passages p ON p.key = t.passage_key"
                " WHERE p.id = ? AND NOT EXISTS (SELECT 1 FROM stated_triples s WHERE s.triple_key = t.key)",
                (passage_id,),
            )
        )

    def merges(self) -> list[tuple[int, int, str, str, float]]:
        """(one, other, rule, reason, score), the surest first."""
        return self._rows(
            "SELECT one_key, other_key, rule, reason, score FROM merges ORDER BY score DESC, one_key, other_key"
        )

    def act_keys(self) -> dict[str, int]:
        """Key of each act of the log, by its id."""
        return dict(self._rows("SELECT id, key FROM review_acts ORDER BY key"))

    def said_the_same(self) -> dict[str, int]:
        """Key of the last act that said of two names, the subject, that they are one."""
        return dict(
            self._rows(
                "SELECT subject, max(act_key) FROM review_items WHERE subject LIKE 'names %' AND outcome = 'same'"
                " GROUP BY subject"
            )
        )

    def _rows(self, sql: str) -> list[tuple]:  # type: ignore[type-arg]  # whatever the statement selects
        return self._database.connection().execute(sql).fetchall()

    def _keys(self, sql: str, width: int) -> Keys:
        return np.array(self._rows(sql), dtype=np.int64).reshape(-1, width)
