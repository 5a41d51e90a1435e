"""What failed and waits to be tried again, and what would go with a document."""

from __future__ import annotations

import contextlib
import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence

from core.store.database import Database
from core.store.documents import RAW
from core.types import Failure, Removal

_COUNTS = {
    "passages": "SELECT count(*) FROM leaving",
    "mentions": "SELECT count(*) FROM mentions WHERE passage_key IN leaving",
    "triples": "SELECT count(*) FROM triples WHERE passage_key IN leaving",
    "facts": "SELECT count(*) FROM (SELECT DISTINCT fact_key FROM triples WHERE passage_key IN leaving) f"
    " WHERE NOT EXISTS (SELECT 1 FROM triples t WHERE t.fact_key = f.fact_key"
    " AND t.passage_key NOT IN leaving)",
    # Both ends of a triple are mentions of its passage, so mentions alone tell who stays.
    "entities": "SELECT count(*) FROM (SELECT DISTINCT coalesce(e.head_key, e.key) AS head FROM mentions m"
    " JOIN entities e ON e.key = m.entity_key WHERE m.passage_key IN leaving) h"
    " WHERE NOT EXISTS (SELECT 1 FROM entities n JOIN mentions m ON m.entity_key = n.key"
    " WHERE (n.key = h.head OR n.head_key = h.head) AND m.passage_key NOT IN leaving)",
    "vectors": "SELECT count(*) FROM embeddings WHERE kind <> 'entity' AND owner_key IN leaving",
}


class Failures:
    def __init__(self, database: Database) -> None:
        self._database = database

    def failures(self, document_ids: Iterable[str] | None = None) -> list[Failure]:
        """Documents that could not be read and passages at which a stage failed, of all or of these documents."""
        connection = self._database.connection()
        of = "" if document_ids is None else " AND d.id IN (SELECT value FROM json_each(?))"
        ids = () if document_ids is None else (json.dumps(list(document_ids)),)
        documents = connection.execute(
            "SELECT d.path, -1, d.id, 'read', d.reason, d.remedy, coalesce(m.value, ''), '' FROM documents d"
            f" LEFT JOIN metadata m ON m.document_key = d.key AND m.name = ? WHERE d.state = 'failed'{of}",
            (RAW, *ids),
        )
        passages = connection.execute(
            "SELECT d.path, p.ordinal, d.id, s.stage, s.reason, '', s.raw, p.id FROM stages s"
            " JOIN passages p ON p.key = s.passage_key JOIN documents d ON d.key = p.document_key"
            f" WHERE s.state = 'failed'{of}",
            ids,
        )
        rows = sorted([*documents, *passages], key=lambda row: row[:4])
        return [Failure(row[2], row[0], row[3], row[4], row[5], row[6], row[7]) for row in rows]

    def retry(self, document_ids: Sequence[str] | None) -> int:
        """Let what failed be tried again by the next run, of these documents or of all; how much that is."""
        wanted = self.failures(document_ids)
        read = {failure.document_id for failure in wanted if failure.stage == "read"}
        with self._database.transaction() as connection:
            connection.executemany(
                "UPDATE files SET reader = '', signature = ''"
                " WHERE key = (SELECT file_key FROM documents WHERE id = ?)",
                [(id,) for id in read],
            )
            connection.executemany(
                "UPDATE stages SET state = 'pending', reason = '', raw = '' WHERE state = 'failed'"
                " AND passage_key = (SELECT key FROM passages WHERE id = ?)",
                [(failure.passage_id,) for failure in wanted if failure.passage_id],
            )
            connection.executemany(
                "UPDATE documents SET state = 'pending' WHERE id = ? AND state = 'done'",
                [(failure.document_id,) for failure in wanted],
            )
        return len(wanted)

    def removal(self, document_ids: Sequence[str]) -> Removal:
        """What would go with these documents. Changes nothing."""
        connection = self._database.connection()
        with _leaving(connection, document_ids):
            counts = {name: int(connection.execute(sql).fetchone()[0]) for name, sql in _COUNTS.items()}
        known = sum(
            connection.execute("SELECT count(*) FROM documents WHERE id = ?", (id,)).fetchone()[0]
            for id in set(document_ids)
        )
        return Removal(documents=known, **counts)


@contextlib.contextmanager
def _leaving(connection: sqlite3.Connection, document_ids: Iterable[str]) -> Iterator[None]:
    """A temporary table of the documents' passages; a read-only database may have one, too."""
    connection.execute("CREATE TEMP TABLE leaving (key INTEGER PRIMARY KEY)")
    try:
        for id in document_ids:
            connection.execute(
                "INSERT OR IGNORE INTO leaving SELECT p.key FROM passages p JOIN documents d"
                " ON d.key = p.document_key WHERE d.id = ?",
                (id,),
            )
        yield
    finally:
        connection.execute("DROP TABLE leaving")
