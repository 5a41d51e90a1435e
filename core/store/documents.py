"""Documents, their texts and pages."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from core.errors import BadInput
from core.store.database import Database
from core.store.passages import insert_passages
from core.types import Document, Page, Passage, State

_COLUMNS = (
    "id, path, sha256, size, title, media_type, modified_ns, date, author, pages, state, reason, remedy"
)


class Documents:
    def __init__(self, database: Database) -> None:
        self._database = database

    def all(self) -> list[Document]:
        rows = self._database.connection().execute(f"SELECT {_COLUMNS} FROM documents ORDER BY path")
        return [_document(row) for row in rows]

    def get(self, document_id: str) -> Document:
        """Raises BadInput when there is no such document."""
        row = (
            self._database.connection()
            .execute(f"SELECT {_COLUMNS} FROM documents WHERE id = ?", (document_id,))
            .fetchone()
        )
        if row is None:
            raise BadInput("This document is no longer in the workspace.", "Choose another one.")
        return _document(row)

    def put(self, document: Document) -> None:
        """Insert the document, or replace it with all that hung on its old content."""
        with self._database.transaction() as connection:
            _insert(connection, document)

    def put_read(
        self, document: Document, text: str, pages: Sequence[Page], passages: Sequence[Passage]
    ) -> None:
        """Store a document that was read, with its passages, every stage of theirs pending."""
        with self._database.transaction() as connection:
            key = _insert(connection, document)
            connection.execute("INSERT INTO document_texts VALUES (?, ?)", (key, text))
            connection.executemany(
                "INSERT INTO pages VALUES (?, ?, ?, ?)", [(key, p.number, p.start, p.end) for p in pages]
            )
            insert_passages(connection, key, passages)

    def set_state(self, document_id: str, state: State) -> None:
        with self._database.transaction() as connection:
            connection.execute("UPDATE documents SET state = ? WHERE id = ?", (state.value, document_id))

    def set_modified(self, document_id: str, modified_ns: int) -> None:
        """The file was touched, its content was not."""
        with self._database.transaction() as connection:
            connection.execute(
                "UPDATE documents SET modified_ns = ? WHERE id = ?", (modified_ns, document_id)
            )

    def finish(self) -> None:
        """Mark every document done of which no passage is pending."""
        with self._database.transaction() as connection:
            connection.execute(
                "UPDATE documents SET state = 'done' WHERE state = 'pending' AND NOT EXISTS ("
                " SELECT 1 FROM passages p JOIN stages s ON s.passage_key = p.key"
                " WHERE p.document_key = documents.key AND s.state = 'pending')"
            )

    def remove(self, document_ids: Sequence[str]) -> None:
        """Delete documents with their passages, mentions and triples; see Facts.sweep for the rest."""
        with self._database.transaction() as connection:
            connection.executemany("DELETE FROM documents WHERE id = ?", [(d,) for d in document_ids])

    def text(self, document_id: str) -> str:
        row = (
            self._database.connection()
            .execute(
                "SELECT t.text FROM document_texts t JOIN documents d ON d.key = t.document_key"
                " WHERE d.id = ?",
                (document_id,),
            )
            .fetchone()
        )
        return str(row[0]) if row else ""

    def pages(self, document_id: str) -> list[Page]:
        rows = self._database.connection().execute(
            'SELECT p.number, p.start, p."end" FROM pages p JOIN documents d ON d.key = p.document_key'
            " WHERE d.id = ? ORDER BY p.number",
            (document_id,),
        )
        return [Page(*row) for row in rows]

    def search(self, text: str, limit: int) -> list[Document]:
        """Documents whose title or path holds `text`, letter case aside."""
        pattern = "%" + text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_") + "%"
        rows = self._database.connection().execute(
            f"SELECT {_COLUMNS} FROM documents WHERE title LIKE ?1 ESCAPE '\\' OR path LIKE ?1 ESCAPE '\\'"
            " ORDER BY path LIMIT ?2",
            (pattern, limit),
        )
        return [_document(row) for row in rows]


def _insert(connection: sqlite3.Connection, document: Document) -> int:
    connection.execute("DELETE FROM documents WHERE id = ?", (document.id,))
    return int(
        connection.execute(
            f"INSERT INTO documents ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                document.id, document.path, document.sha256, document.size, document.title,
                document.media_type, document.modified_ns, document.date, document.author,
                document.pages, document.state.value, document.reason, document.remedy,
            ),
        ).lastrowid
        or 0
    )  # fmt: skip


def _document(row: sqlite3.Row | tuple[object, ...]) -> Document:
    values = list(row)
    values[10] = State(str(values[10]))
    return Document(*values)
