"""What people decided of documents that their files do not say, or say wrong: the encoding, the date."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from core.store.database import Database

ENCODING, DATE = "encoding", "date"


@dataclass(frozen=True, slots=True)
class FileChoices:
    """The choices for the documents of one file, each by the path of its document."""

    encodings: Mapping[str, str]
    dates: Mapping[str, str]


class DocumentChoices:
    def __init__(self, database: Database) -> None:
        self._database = database

    def all(self) -> dict[str, dict[str, str]]:
        """Return what was chosen, by path and name."""
        rows = self._database.connection().execute("SELECT path, name, value FROM document_choices")
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
