"""What is private, and who may see it: the one place that decides which documents a profile sees."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping

from core.store.database import Database
from core.store.faults import stored_json
from core.types.private import PrivateMark, Profile

_COVERED = (
    "INSERT OR IGNORE INTO private_places SELECT v.mark_key, d.path, d.sha256, d.inside"
    " FROM private_documents v JOIN document_places d ON d.document_key = v.document_key"
)
# Of what lies at a path or below it.
_AT = "(?1 = '' OR path = ?1 OR substr(path, 1, length(?1) + 1) = ?1 || '/')"


class Private:
    def __init__(self, database: Database) -> None:
        self._database = database

    # ------------------------------------------------------------ who sees what

    def visible(self, sees: Collection[str]) -> list[int]:
        """Keys, ascending, of the documents that whoever sees the marks `sees` may see: a document of several marks
        needs all of them."""
        rows = self._database.connection().execute(
            "SELECT key FROM documents WHERE key NOT IN (SELECT v.document_key FROM private_documents v"
            " JOIN private_marks m ON m.key = v.mark_key WHERE m.name NOT IN (SELECT value FROM json_each(?)))"
            " ORDER BY key",
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

    # ------------------------------------------------------------ marks

    def marks(self) -> list[PrivateMark]:
        """In the order of paths and names."""
        rows = self._database.connection().execute("SELECT path, name FROM private_marks ORDER BY path, name")
        return [PrivateMark(*row) for row in rows]

    def mark(self, marks: Iterable[PrivateMark]) -> None:
        """What lies there is private from now on, wherever it is moved."""
        with self._database.transaction() as connection:
            connection.executemany(
                "INSERT OR IGNORE INTO private_marks (path, name) VALUES (?, ?)",
                [(mark.path, mark.name) for mark in marks],
            )
            connection.execute(_COVERED)

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
            connection.execute(_COVERED)

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
