"""Files of the folder as they were when they were read, and what people decided of them: left out, encoding, date."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from core.store.changes import UNFORGOTTEN
from core.store.database import Tables
from core.types.kinds import stable_id


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A file by its row key. An empty `signature` or `reader` means: look again, read again."""

    key: int
    path: str
    sha256: str
    signature: str
    reader: str


class Files(Tables):
    def all(self) -> dict[str, StoredFile]:
        """Every file by its path."""
        rows = self._select("SELECT key, path, sha256, signature, reader FROM files")
        return {row[1]: StoredFile(*row) for row in rows}

    def put(self, connection: sqlite3.Connection, path: str, sha256: str, signature: str, reader: str) -> int:
        """Insert or update a file inside the caller's transaction; its row key."""
        row = connection.execute(
            "INSERT INTO files (path, sha256, signature, reader) VALUES (?, ?, ?, ?) ON CONFLICT (path)"
            " DO UPDATE SET sha256 = excluded.sha256, signature = excluded.signature, reader = excluded.reader"
            " RETURNING key",
            (path, sha256, signature, reader),
        ).fetchall()
        return int(row[0][0])

    def set_signature(self, key: int, signature: str) -> None:
        """The file was touched, its content was not."""
        self._write("UPDATE files SET signature = ? WHERE key = ?", (signature, key))

    def move(self, moves: Mapping[str, str]) -> None:
        """Files under new paths, all at once, so that they may swap; each will be read again.

        Documents and passages keep their rows, and with them all work; reading gives them their ids.
        A target that is known and not moved itself is replaced.
        """
        with self._database.transaction() as connection:
            known = dict(connection.execute("SELECT path, key FROM files"))
            connection.executemany(
                "DELETE FROM files WHERE path = ?", [(new,) for new in moves.values() if new not in moves]
            )
            # Names of nobody first: the targets may be held by files that move, too.
            for old in moves:
                _leave(connection, known[old], old)
            for old, new in moves.items():
                _arrive(connection, known[old], new)

    def remove(self, keys: Iterable[int]) -> None:
        """Delete files with their documents, passages, mentions and triples; see Facts.sweep for the rest."""
        self._write_each("DELETE FROM files WHERE key = ?", [(key,) for key in keys])

    # ------------------------------------------------------------ taken out by hand

    def excluded(self) -> set[str]:
        """Paths that the person took out of the workspace."""
        return {row[0] for row in self._select("SELECT path FROM excluded")}

    def exclude(self, document_ids: Iterable[str]) -> None:
        """Take documents out: what hangs on them goes, and later runs pass them by. Their words are to be forgotten."""
        rows = [(id,) for id in document_ids]
        with self._database.transaction() as connection:
            connection.executemany(
                "INSERT OR IGNORE INTO excluded SELECT path FROM documents WHERE id = ?", rows
            )
            # Their words go, also where what was judged or pinned quotes them.
            for table in ("judged_places", "judged_explanations", "pinned_places"):
                connection.executemany(
                    f"UPDATE {table} SET quote = '' WHERE path = (SELECT path FROM documents WHERE id = ?)",
                    rows,
                )
            # A thread ends before the first answer that rests on one: what follows may have been completed from it. The
            # answers of all others go as they are stored, for their traces name what many documents say.
            connection.executemany(
                "DELETE FROM turns WHERE EXISTS (SELECT 1 FROM turn_documents t JOIN documents d ON d.path = t.path"
                " WHERE d.id = ? AND t.thread_key = turns.thread_key AND t.number <= turns.number)",
                rows,
            )
            connection.execute("UPDATE turns SET record = x''")
            connection.execute("DELETE FROM threads WHERE key NOT IN (SELECT thread_key FROM turns)")
            connection.executemany("DELETE FROM documents WHERE id = ?", rows)
            connection.execute(
                "INSERT OR REPLACE INTO settings (name, value) VALUES (?, '1')", (UNFORGOTTEN,)
            )
            connection.execute(
                "DELETE FROM files WHERE NOT EXISTS (SELECT 1 FROM documents d WHERE d.file_key = files.key)"
            )

    def restore(self, paths: Iterable[str]) -> None:
        """Let later runs read these documents again."""
        with self._database.transaction() as connection:
            for path in paths:
                connection.execute("DELETE FROM excluded WHERE path = ?", (path,))
                # A part of a file: the file is read again.
                connection.execute(
                    "UPDATE files SET reader = '', signature = '' WHERE substr(?1, 1, length(path) + 1) = path || '/'",
                    (path,),
                )


def _leave(connection: sqlite3.Connection, key: int, path: str) -> None:
    connection.execute(
        "UPDATE files SET path = '~' || key, signature = '', reader = '' WHERE key = ?", (key,)
    )
    connection.execute(
        "UPDATE passages SET id = '~' || key"
        " WHERE document_key IN (SELECT key FROM documents WHERE file_key = ?)",
        (key,),
    )
    connection.execute(
        "UPDATE documents SET id = '~' || key, path = '~' || file_key || substr(path, ?) WHERE file_key = ?",
        (len(path) + 1, key),
    )
    _move_choices(connection, path, f"~{key}")


def _move_choices(connection: sqlite3.Connection, old: str, new: str) -> None:
    """What was chosen for a file and its parts goes with them; what was chosen where they go to stays behind."""
    connection.execute(
        "UPDATE OR REPLACE document_choices SET path = ?2 || substr(path, length(?1) + 1)"
        " WHERE path = ?1 OR substr(path, 1, length(?1) + 1) = ?1 || '/'",
        (old, new),
    )


def _arrive(connection: sqlite3.Connection, key: int, path: str) -> None:
    connection.execute("UPDATE files SET path = ? WHERE key = ?", (path, key))
    _move_choices(connection, f"~{key}", path)
    left = len(f"~{key}")
    for document, old in connection.execute(
        "SELECT key, path FROM documents WHERE file_key = ?", (key,)
    ).fetchall():
        new = path + old[left:]
        connection.execute(
            "UPDATE documents SET id = ?, path = ? WHERE key = ?", (stable_id("document", new), new, document)
        )


ENCODING, DATE = "encoding", "date"


@dataclass(frozen=True, slots=True)
class FileChoices:
    """The choices for the documents of one file, each by the path of its document."""

    encodings: Mapping[str, str]
    dates: Mapping[str, str]


class DocumentChoices(Tables):
    def all(self) -> dict[str, dict[str, str]]:
        """Return what was chosen, by path and name."""
        rows = self._select("SELECT path, name, value FROM document_choices")
        found: dict[str, dict[str, str]] = {}
        for path, name, value in rows:
            found.setdefault(path, {})[name] = value
        return found

    def choose(self, document_ids: Iterable[str], name: str, value: str) -> int:
        """Set, or with "" clear, what is chosen for these documents; return how many that changes.

        A date holds at once. An encoding, and a date that is cleared, have the next indexing read the file again.
        """
        changed = 0
        with self._database.transaction() as connection:
            for id in document_ids:
                if value:
                    rows = connection.execute(
                        "INSERT INTO document_choices SELECT path, ?2, ?3 FROM documents WHERE id = ?1"
                        " ON CONFLICT DO UPDATE SET value = excluded.value WHERE value <> excluded.value"
                        " RETURNING path",
                        (id, name, value),
                    ).fetchall()
                else:
                    rows = connection.execute(
                        "DELETE FROM document_choices WHERE name = ?2"
                        " AND path = (SELECT path FROM documents WHERE id = ?1) RETURNING path",
                        (id, name),
                    ).fetchall()
                changed += len(rows)
                if not rows:
                    continue
                if name == DATE and value:
                    connection.execute("UPDATE documents SET date = ? WHERE id = ?", (value, id))
                    connection.execute(
                        "DELETE FROM notices WHERE kind = 'date'"
                        " AND document_key = (SELECT key FROM documents WHERE id = ?)",
                        (id,),
                    )
                else:
                    connection.execute(
                        "UPDATE files SET reader = '', signature = ''"
                        " WHERE key = (SELECT file_key FROM documents WHERE id = ?)",
                        (id,),
                    )
        return changed


def choices_of_file(choices: Mapping[str, Mapping[str, str]], file: str) -> FileChoices:
    """Return those for the file at this path and for the parts of it."""
    own = {path: each for path, each in choices.items() if path == file or path.startswith(f"{file}/")}
    return FileChoices(
        {path: each[ENCODING] for path, each in own.items() if ENCODING in each},
        {path: each[DATE] for path, each in own.items() if DATE in each},
    )
