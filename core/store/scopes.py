"""Which passages are of a document, an entity or a community."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from core.store.database import Database

Held = dict[str, tuple[str, list[int]]]  # name and passage keys, ascending, by id

# An id may be that of a name that was merged into another: its entity is meant.
_OF_ENTITIES = (
    "WITH wanted (id, head) AS (SELECT e.id, coalesce(e.head_key, e.key) FROM json_each(?1) j"
    " CROSS JOIN entities e ON e.id = j.value)"
)
_OF_COMMUNITIES = (
    "WITH RECURSIVE below (root, key) AS (SELECT c.key, c.key FROM json_each(?1) j CROSS JOIN communities c"
    " ON c.key = j.value UNION SELECT b.root, c.key FROM below b JOIN communities c ON c.parent_key = b.key),"
    " wanted (id, head) AS (SELECT b.root, m.entity_key FROM below b CROSS JOIN community_members m"
    " ON m.community_key = b.key)"
)
_PASSAGES = (
    " SELECT DISTINCT w.id, m.passage_key FROM (SELECT w.id, w.head AS name FROM wanted w UNION"
    " SELECT w.id, n.key FROM wanted w CROSS JOIN entities n ON n.head_key = w.head) w"
    " CROSS JOIN mentions m ON m.entity_key = w.name ORDER BY 2"
)


class Scopes:
    """Changes nothing. What there is not is left out."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def entities(self, ids: Iterable[str]) -> Held:
        """Passages that name each of these entities, by any of its names."""
        wanted = json.dumps(list(ids))
        names = f"{_OF_ENTITIES} SELECT w.id, e.name FROM wanted w CROSS JOIN entities e ON e.key = w.head"
        return self._read_scopes(names, _OF_ENTITIES + _PASSAGES, wanted)

    def documents(self, ids: Iterable[str]) -> Held:
        names = "SELECT d.id, d.path FROM json_each(?1) j CROSS JOIN documents d ON d.id = j.value"
        passages = (
            "SELECT d.id, p.key FROM json_each(?1) j CROSS JOIN documents d ON d.id = j.value"
            " CROSS JOIN passages p ON p.document_key = d.key ORDER BY p.key"
        )
        return self._read_scopes(names, passages, json.dumps(list(ids)))

    def communities(self, keys: Iterable[int]) -> Held:
        """Passages that name an entity of each of these communities, of whatever level."""
        names = (
            "SELECT c.key, coalesce(json_extract(r.report, '$.title'), '') FROM json_each(?1) j"
            " CROSS JOIN communities c ON c.key = j.value LEFT JOIN community_reports r ON r.community_key = c.key"
        )
        return self._read_scopes(names, _OF_COMMUNITIES + _PASSAGES, json.dumps(list(keys)))

    def evidence(self, passages: Iterable[int]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return the keys, ascending, of the facts with evidence in these passages, and the sums of its confidences."""
        rows = self._database.connection().execute(
            "SELECT t.fact_key, sum(t.confidence) FROM json_each(?1) j CROSS JOIN triples t"
            " ON t.passage_key = j.value GROUP BY 1 ORDER BY 1",
            (json.dumps(list(passages)),),
        )
        found = rows.fetchall()
        keys = np.array([key for key, _ in found], dtype=np.int64)
        return keys, np.array([total for _, total in found], dtype=np.float64)

    def _read_scopes(self, names: str, passages: str, wanted: str) -> Held:
        connection = self._database.connection()
        keys: dict[str, list[int]] = defaultdict(list)
        for id, key in connection.execute(passages, (wanted,)):
            keys[str(id)].append(int(key))
        return {str(id): (str(name), keys[str(id)]) for id, name in connection.execute(names, (wanted,))}
