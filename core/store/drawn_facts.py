"""What stands behind the drawn graph, as columns of numbers: read without holding up other threads."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from core.store.database import Database
from core.store.number_rows import number_rows
from core.types.review import STATES

_STATE = f"CASE f.state {' '.join(f'WHEN {state!r} THEN {row}' for row, state in enumerate(STATES))} END"


class DrawnFacts:
    def __init__(self, database: Database) -> None:
        self._database = database

    def facts(self) -> NDArray[np.float64]:
        """Rows (fact key, subject key, object key, row of STATES, probability) of those that count, (f, 5), by key."""
        sql = (
            f"SELECT f.key AS fact, s.key AS subject, o.key AS object, {_STATE} AS state, f.probability AS sure"
            " FROM candidate_facts f CROSS JOIN entities sn ON sn.key = f.subject_key"
            " CROSS JOIN entities s ON s.key = coalesce(sn.head_key, sn.key)"
            " CROSS JOIN entities o_ ON o_.key = f.object_key"
            " CROSS JOIN entities o ON o.key = coalesce(o_.head_key, o_.key)"
            " WHERE f.counts AND f.key >= ?1 AND f.key < ?2 ORDER BY f.key"
        )
        return self._numbers(sql, "candidate_facts", ("fact", "subject", "object", "state"), ("sure",))

    def sources(self) -> NDArray[np.int64]:
        """Rows (fact key, document key), each once, (k, 2), by fact."""
        sql = (
            "SELECT DISTINCT t.fact_key AS fact, p.document_key AS document FROM triples t"
            " CROSS JOIN passages p ON p.key = t.passage_key WHERE t.key >= ?1 AND t.key < ?2"
        )
        return np.unique(self._numbers(sql, "triples", ("fact", "document")).astype(np.int64), axis=0)

    def namings(self) -> NDArray[np.int64]:
        """Rows (entity key, document key, mentions there), (k, 3); a pair may come several times."""
        sql = (
            "SELECT e.key AS entity, p.document_key AS document, count(*) AS times FROM mentions m"
            " CROSS JOIN passages p ON p.key = m.passage_key CROSS JOIN entities en ON en.key = m.entity_key"
            " CROSS JOIN entities e ON e.key = coalesce(en.head_key, en.key)"
            " WHERE m.passage_key >= ?1 AND m.passage_key < ?2 GROUP BY e.key, p.document_key"
        )
        return self._numbers(sql, "passages", ("entity", "document", "times")).astype(np.int64)

    def documents(self) -> list[tuple[int, str, str, str]]:
        """Key, id, title, and date in ISO 8601 or "", of all documents, by key."""
        rows = self._database.connection().execute(
            "SELECT key, id, title, coalesce(date, '') FROM documents ORDER BY key"
        )
        return [(int(key), str(id), str(title), str(date)) for key, id, title, date in rows]

    def _numbers(
        self, sql: str, table: str, whole: tuple[str, ...], real: tuple[str, ...] = ()
    ) -> NDArray[np.float64]:
        connection = self._database.connection()
        (most,) = connection.execute(f"SELECT coalesce(max(key), 0) FROM {table}").fetchone()
        return number_rows(connection, sql, most, whole, real)
