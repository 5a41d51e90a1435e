"""What changed since the derived layers were last brought in step; filled by triggers, so never missed."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from core.store.database import Database

# Settings that are there while the reports are behind, and while the full-text index holds words of what was taken out.
UNTOLD, UNFORGOTTEN = "untold", "unforgotten"


class DirtyFlags:
    def __init__(self, database: Database) -> None:
        self._database = database

    def any(self) -> bool:
        """Whether the derived layers are behind."""
        row = (
            self._database.connection()
            .execute(
                "SELECT EXISTS (SELECT 1 FROM settings WHERE name = 'unsettled')"
                " OR EXISTS (SELECT 1 FROM touched_entities) OR EXISTS (SELECT 1 FROM touched_facts)"
                " OR EXISTS (SELECT 1 FROM names_to_link)"
            )
            .fetchone()
        )
        return bool(row[0])

    def unfinished(self) -> bool:
        """Whether anything that follows from the documents is behind: derived layers, reports, or words to forget.

        From none nothing follows, though a new workspace is marked.
        """
        behind, empty = (
            self._database.connection()
            .execute(
                "SELECT EXISTS (SELECT 1 FROM settings WHERE name IN (?, ?)),"
                " NOT EXISTS (SELECT 1 FROM documents) AND NOT EXISTS (SELECT 1 FROM entities)",
                (UNTOLD, UNFORGOTTEN),
            )
            .fetchone()
        )
        return bool(behind) or not empty and self.any()

    def unforgotten(self) -> bool:
        """Whether the full-text index may hold words of what was taken out."""
        sql = "SELECT EXISTS (SELECT 1 FROM settings WHERE name = ?)"
        return bool(self._database.connection().execute(sql, (UNFORGOTTEN,)).fetchone()[0])

    def documents(self) -> bool:
        """Whether documents came, went or were read anew since; not where people decided something alone."""
        sql = (
            "SELECT EXISTS (SELECT 1 FROM touched_documents) OR EXISTS (SELECT 1 FROM touched_names)"
            " OR EXISTS (SELECT 1 FROM settings WHERE name = 'unsettled')"
        )
        return bool(self._database.connection().execute(sql).fetchone()[0])

    def entities(self) -> NDArray[np.int64]:
        """Keys, ascending, of entities whose mentions or facts changed; some may be gone."""
        return self._keys("SELECT entity_key FROM touched_entities ORDER BY entity_key")

    def facts(self) -> int:
        """How many facts gained or lost a triple."""
        return int(self._database.connection().execute("SELECT count(*) FROM touched_facts").fetchone()[0])

    def unsettle(self, facts: int) -> None:
        """Have the next derivation take so many facts for changed."""
        with self._database.transaction() as connection:
            connection.executemany(
                "INSERT OR REPLACE INTO settings (name, value) VALUES (?, ?)",
                [("unsettled", "1"), ("facts_changed", str(facts))],
            )

    def clear(self) -> None:
        """All layers are in step; what is told of them is not yet."""
        with self._database.transaction() as connection:
            connection.execute("DELETE FROM touched_entities")
            connection.execute("DELETE FROM touched_facts")
            connection.execute("DELETE FROM names_to_link")
            connection.execute("DELETE FROM touched_communities")
            connection.execute("DELETE FROM settings WHERE name = 'unsettled'")
            connection.execute("INSERT OR REPLACE INTO settings (name, value) VALUES (?, '1')", (UNTOLD,))

    @contextlib.contextmanager
    def kept(self) -> Iterator[None]:
        """Around what changes nothing that is derived, in the caller's transaction: no more is marked than before."""
        connection = self._database.connection()
        marks = {"touched_entities": "entity_key", "touched_facts": "fact_key"}
        for table in marks:
            connection.execute(f"CREATE TEMP TABLE kept_{table} AS SELECT * FROM main.{table}")
        yield
        for table, key in marks.items():
            connection.execute(
                f"DELETE FROM main.{table} WHERE {key} NOT IN (SELECT {key} FROM temp.kept_{table})"
            )
            connection.execute(f"DROP TABLE temp.kept_{table}")

    def reports_settled(self) -> None:
        """The reports are in step, too."""
        with self._database.transaction() as connection:
            connection.execute("DELETE FROM settings WHERE name = ?", (UNTOLD,))

    def _keys(self, sql: str) -> NDArray[np.int64]:
        rows = self._database.connection().execute(sql).fetchall()
        return np.array([row[0] for row in rows], dtype=np.int64)
