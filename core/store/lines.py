"""Which lines repeat across documents, kept in step with what is added and removed."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Set

from core.store.database import Database


class Lines:
    def __init__(self, database: Database) -> None:
        self._database = database

    def refresh(self, often: int) -> list[str]:
        """Tell anew which lines stand in documents of `often` authors, as far as documents changed since.

        A document that names no author has one of its own. Ids of the documents that this may concern, by path; each
        is told until it is `settled`.
        """
        with self._database.transaction() as connection:
            flipped = json.dumps(
                [
                    hash
                    for hash, repeats, did in connection.execute(
                        "SELECT t.hash, (SELECT count(DISTINCT coalesce(d.author, d.id)) FROM lines l"
                        " JOIN documents d ON d.key = l.document_key WHERE l.hash = t.hash) >= ?,"
                        " EXISTS (SELECT 1 FROM repeated_lines r WHERE r.hash = t.hash)"
                        " FROM (SELECT DISTINCT hash FROM touched_lines) t",
                        (often,),
                    )
                    if repeats != did
                ]
            )
            connection.execute(
                "INSERT OR IGNORE INTO touched_lines SELECT document_key, hash FROM lines"
                " WHERE hash IN (SELECT value FROM json_each(?))",
                (flipped,),
            )
            gone = connection.execute(
                "DELETE FROM repeated_lines WHERE hash IN (SELECT value FROM json_each(?)) RETURNING hash",
                (flipped,),
            ).fetchall()
            new = set(json.loads(flipped)) - {hash for (hash,) in gone}
            connection.executemany("INSERT INTO repeated_lines VALUES (?)", [(hash,) for hash in new])
            connection.execute(
                "DELETE FROM touched_lines WHERE document_key NOT IN (SELECT key FROM documents)"
            )
            rows = connection.execute(
                "SELECT id FROM documents WHERE key IN (SELECT document_key FROM touched_lines) ORDER BY path"
            )
            return [id for (id,) in rows]

    def repeated(self, document_id: str) -> Set[int]:
        """Hashes of the document's lines that repeat."""
        rows = self._database.connection().execute(
            "SELECT l.hash FROM documents d JOIN lines l ON l.document_key = d.key"
            " JOIN repeated_lines r ON r.hash = l.hash WHERE d.id = ?",
            (document_id,),
        )
        return {hash for (hash,) in rows}

    def settled(self, connection: sqlite3.Connection, document_id: str) -> None:
        """What repeats in the document is known, inside the caller's transaction."""
        connection.execute(
            "DELETE FROM touched_lines WHERE document_key = (SELECT key FROM documents WHERE id = ?)",
            (document_id,),
        )
