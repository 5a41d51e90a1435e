"""What is private, and who may see it: the one place that decides which documents a profile sees."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Iterable, Mapping, Sequence

from core.store.database import Database
from core.store.faults import stored_json
from core.store.private_content import compare_unchecked
from core.types.private import PrivateDocument, PrivateMark, PrivateReason, Profile

_COVERED = (
    "INSERT OR IGNORE INTO private_places SELECT v.mark_key, d.path, d.sha256, d.inside"
    " FROM private_by_place v JOIN document_places d ON d.document_key = v.document_key"
)
# Of what lies at a path or below it.
_AT = "(?1 = '' OR path = ?1 OR substr(path, 1, length(?1) + 1) = ?1 || '/')"


class Private:
    def __init__(self, database: Database) -> None:
        self._database = database

    # ------------------------------------------------------------ who sees what

    def visible(self, sees: Collection[str]) -> list[int]:
        """Keys, ascending, of the documents that whoever sees the marks `sees` may see: a document of several marks
        needs all of them, and one that was not compared with what is private needs all that there are."""
        rows = self._database.connection().execute(
            "SELECT key FROM documents WHERE key NOT IN (SELECT v.document_key FROM private_documents v"
            " JOIN private_marks m ON m.key = v.mark_key WHERE m.name NOT IN (SELECT value FROM json_each(?1)))"
            " AND (key NOT IN (SELECT document_key FROM private_unchecked) OR NOT EXISTS ("
            "SELECT 1 FROM private_marks WHERE name NOT IN (SELECT value FROM json_each(?1)))) ORDER BY key",
            (json.dumps(sorted(sees)),),
        )
        return [int(row[0]) for row in rows]

    def names(self) -> Mapping[str, tuple[str, ...]]:
        """Of each private document, by its id, the names of its marks in the order of the alphabet."""
        rows = self._database.connection().execute(
            "SELECT DISTINCT d.id, m.name FROM private_documents v JOIN private_marks m ON m.key = v.mark_key"
            " JOIN documents d ON d.key = v.document_key ORDER BY d.id, m.name"
        )
        found: dict[str, tuple[str, ...]] = {}
        for id, name in rows:
            found[id] = (*found.get(id, ()), name)
        return found

    def documents(self) -> list[PrivateDocument]:
        """Return each private document by path and mark, with one reason: its own mark before that of a folder."""
        rows = self._database.connection().execute(
            "SELECT d.id, d.path, m.name, v.reason, v.source FROM private_documents v"
            " JOIN private_marks m ON m.key = v.mark_key JOIN documents d ON d.key = v.document_key"
        )
        order = list(PrivateReason)
        found: dict[tuple[str, str], PrivateDocument] = {}
        for id, path, name, reason, source in rows:
            each = PrivateDocument(id, path, name, PrivateReason(reason), source)
            before = found.get((path, name))
            if before is None or order.index(each.reason) < order.index(before.reason):
                found[path, name] = each
        return [found[key] for key in sorted(found)]

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

    def marks(self) -> list[PrivateMark]:
        """In the order of paths and names."""
        rows = self._database.connection().execute("SELECT path, name FROM private_marks ORDER BY path, name")
        return [PrivateMark(*row) for row in rows]

    def mark(self, marks: Sequence[PrivateMark]) -> None:
        """What lies there is private from now on, wherever it is moved."""
        with self._database.transaction() as connection:
            connection.executemany(
                "INSERT OR IGNORE INTO private_marks (path, name) VALUES (?, ?)",
                [(mark.path, mark.name) for mark in marks],
            )
            connection.executemany(
                f"DELETE FROM private_releases WHERE {_AT} AND mark_key IN"
                " (SELECT key FROM private_marks WHERE name = ?2)",
                [(mark.path, mark.name) for mark in marks],
            )
            _follow(connection)

    def withdraw(self, marks: Iterable[PrivateMark]) -> None:
        """As if these had never been said; what other marks cover, or remember, stays private."""
        with self._database.transaction() as connection:
            connection.executemany(
                "DELETE FROM private_marks WHERE path = ? AND name = ?",
                [(mark.path, mark.name) for mark in marks],
            )

    def unmark(self, marks: Iterable[PrivateMark]) -> None:
        """What lies at these paths is not private by these marks any more, unless it lies in a folder that is."""
        with self._database.transaction() as connection:
            for mark in marks:
                connection.execute(
                    f"DELETE FROM private_marks WHERE {_AT} AND name = ?2", (mark.path, mark.name)
                )
                # Also what is remembered of its documents by other marks of the name, by place or by content.
                connection.execute(
                    "DELETE FROM private_places WHERE mark_key IN (SELECT key FROM private_marks WHERE name = ?2)"
                    f" AND ({_AT} OR (sha256, inside) IN (SELECT sha256, inside FROM document_places"
                    f" WHERE sha256 <> '' AND {_AT}))",
                    (mark.path, mark.name),
                )
                # What is private there by other marks, as a copy or by what stood there, is so no longer.
                connection.execute(
                    "INSERT OR IGNORE INTO private_releases SELECT d.path, m.key FROM documents d, private_marks m"
                    f" WHERE m.name = ?2 AND {_AT.replace('path', 'd.path')} AND m.path <> d.path",
                    (mark.path, mark.name),
                )
                connection.execute(
                    "DELETE FROM private_contents WHERE mark_key IN (SELECT key FROM private_marks WHERE name = ?2)"
                    f" AND {_AT}",
                    (mark.path, mark.name),
                )
            _follow(connection)

    # ------------------------------------------------------------ profiles

    def profiles(self) -> list[Profile]:
        """By their names; the owner is none of them."""
        rows = self._database.connection().execute("SELECT name, sees FROM profiles ORDER BY name")
        return [Profile(name, tuple(map(str, stored_json(sees)))) for name, sees in rows]

    def put_profile(self, profile: Profile) -> None:
        with self._database.transaction() as connection:
            connection.execute(
                "INSERT OR REPLACE INTO profiles VALUES (?, ?)",
                (profile.name, json.dumps(sorted(profile.sees), ensure_ascii=False)),
            )

    def drop_profile(self, name: str) -> None:
        with self._database.transaction() as connection:
            connection.execute("DELETE FROM profiles WHERE name = ?", (name,))


def _follow(connection: sqlite3.Connection) -> None:
    """Remember what the marks cover, and compare all documents with it."""
    connection.execute(_COVERED)
    connection.execute(
        "INSERT OR IGNORE INTO private_unchecked SELECT key FROM documents WHERE EXISTS (SELECT 1 FROM private_marks)"
    )
    compare_unchecked(connection)
