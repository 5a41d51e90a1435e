"""Marks of private documents, and the one place that decides which documents are private."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence

from core.store.database import Database
from core.store.private_content import compare_unchecked
from core.types.private import PrivateDocument, PrivateReason

_COVERED = (
    "INSERT OR IGNORE INTO private_places SELECT v.mark_key, d.path, d.sha256, d.inside"
    " FROM private_by_place v JOIN document_places d ON d.document_key = v.document_key"
)
_PUBLIC = (
    "SELECT key FROM documents WHERE key NOT IN (SELECT document_key FROM private_documents)"
    " AND (key NOT IN (SELECT document_key FROM private_unchecked) OR NOT EXISTS (SELECT 1 FROM private_marks))"
)
# Of what lies at a path or below it.
_AT = "(?1 = '' OR path = ?1 OR substr(path, 1, length(?1) + 1) = ?1 || '/')"


class Private:
    """What a mark covers is private: a document by its path, or a folder with all that lies in it; "" is everything."""

    def __init__(self, database: Database) -> None:
        self._database = database

    # ------------------------------------------------------------ documents

    @property
    def is_any(self) -> bool:
        """Whether anything is marked, also where nothing lies there yet."""
        found = self._database.connection().execute("SELECT 1 FROM private_marks LIMIT 1").fetchone()
        return found is not None

    def public_keys(self) -> list[int]:
        """Return the keys, ascending, of the documents that are not private and were compared with what is."""
        return [int(row[0]) for row in self._database.connection().execute(f"{_PUBLIC} ORDER BY key")]

    def are_public(self, passage_ids: Iterable[str]) -> bool:
        """Return whether these passages are there, and all of public documents."""
        found = self._database.connection().execute(
            "SELECT count(*) FROM json_each(?) j LEFT JOIN passages p ON p.id = j.value"
            f" WHERE p.key IS NULL OR p.document_key NOT IN ({_PUBLIC})",
            (json.dumps(list(passage_ids)),),
        )
        return not found.fetchone()[0]

    def documents(self) -> list[PrivateDocument]:
        """Return each private document by its path, with one reason: its own mark before that of a folder."""
        rows = self._database.connection().execute(
            "SELECT d.id, d.path, v.reason, v.source FROM private_documents v"
            " JOIN documents d ON d.key = v.document_key"
        )
        order = list(PrivateReason)
        found: dict[str, PrivateDocument] = {}
        for id, path, reason, source in rows:
            document = PrivateDocument(id, path, PrivateReason(reason), source)
            before = found.get(path)
            if before is None or order.index(document.reason) < order.index(before.reason):
                found[path] = document
        return [found[path] for path in sorted(found)]

    @property
    def is_compared(self) -> bool:
        """Whether every document was compared with what is private."""
        found = self._database.connection().execute("SELECT 1 FROM private_unchecked LIMIT 1").fetchone()
        return found is None

    def compare(self) -> None:
        """Compare what was indexed since with what is private, so that copies of it are private, too."""
        if self.is_compared:
            return
        with self._database.transaction() as connection:
            compare_unchecked(connection)

    # ------------------------------------------------------------ marks

    def marks(self) -> list[str]:
        """Return the marked paths, in their order."""
        rows = self._database.connection().execute("SELECT DISTINCT path FROM private_marks ORDER BY path")
        return [row[0] for row in rows]

    def mark(self, paths: Sequence[str]) -> None:
        """Make what lies there private from now on, wherever it is moved."""
        with self._database.transaction() as connection:
            for path in paths:
                connection.execute(
                    "INSERT INTO private_marks (path) SELECT ?1"
                    " WHERE NOT EXISTS (SELECT 1 FROM private_marks WHERE path = ?1)",
                    (path,),
                )
                connection.execute(f"DELETE FROM private_releases WHERE {_AT}", (path,))
            _follow(connection)

    def withdraw(self, paths: Iterable[str]) -> None:
        """Take marks back as if they had never been made; what other marks cover, or remember, stays private."""
        with self._database.transaction() as connection:
            connection.executemany("DELETE FROM private_marks WHERE path = ?", [(path,) for path in paths])

    def unmark(self, paths: Iterable[str]) -> None:
        """Make what lies at these paths private no longer, unless it lies in a folder that is."""
        with self._database.transaction() as connection:
            for path in paths:
                connection.execute(f"DELETE FROM private_marks WHERE {_AT}", (path,))
                # Also what is remembered of its documents by other marks, by place or by content.
                connection.execute(
                    f"DELETE FROM private_places WHERE {_AT} OR (sha256, inside) IN"
                    f" (SELECT sha256, inside FROM document_places WHERE sha256 <> '' AND {_AT})",
                    (path,),
                )
                # What is private there by other marks, as a copy or by what stood there, is so no longer.
                connection.execute(
                    "INSERT OR IGNORE INTO private_releases SELECT d.path, m.key FROM documents d, private_marks m"
                    f" WHERE {_AT.replace('path', 'd.path')} AND m.path <> d.path",
                    (path,),
                )
                connection.execute(f"DELETE FROM private_contents WHERE {_AT}", (path,))
            _follow(connection)


def _follow(connection: sqlite3.Connection) -> None:
    """Remember what the marks cover, and compare all documents with it."""
    connection.execute(_COVERED)
    connection.execute(
        "INSERT OR IGNORE INTO private_unchecked SELECT key FROM documents WHERE EXISTS (SELECT 1 FROM private_marks)"
    )
    compare_unchecked(connection)
