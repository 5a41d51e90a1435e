"""Documents, their texts and pages, which of them failed, and what would go with them."""

from __future__ import annotations

import contextlib
import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass

import numpy as np

from core.errors import BadInput
from core.store.columns import in_clause, number_rows, text_columns
from core.store.database import Tables
from core.store.faults import stored_json, unreadable_record
from core.store.passages import Reusable, keep_passages, reusable
from core.text.translation import tr
from core.types import (
    NOT_READ,
    Block,
    BlockKind,
    Boxes,
    Document,
    DocumentRow,
    DocumentTable,
    Failure,
    LoadedDocument,
    Notice,
    NoticeKind,
    Page,
    Passage,
    Region,
    Removal,
    State,
)

RAW = "raw"  # among the metadata of a document that failed and so states nothing: what its reader said
_COLUMNS = (
    "id", "path", "sha256", "size", "title", "media_type", "modified_ns", "date", "author", "pages", "state",
    "reason", "remedy", "file_key", "language",
)  # fmt: skip
_FIELDS = (
    "d.id, d.path, d.sha256, d.size, d.title, d.media_type, d.modified_ns, d.date, d.author, d.pages,"
    " d.state, d.reason, d.remedy, coalesce(f.path, ''), d.language"
)
_SELECT = f"SELECT {_FIELDS} FROM documents d LEFT JOIN files f ON f.key = d.file_key"
# With their passages, and those of these at which a stage failed.
_ROWS = (
    f"SELECT {_FIELDS}, (SELECT count(*) FROM passages p WHERE p.document_key = d.key),"
    " (SELECT count(*) FROM passages p JOIN stages s ON s.passage_key = p.key"
    " WHERE p.document_key = d.key AND s.state = 'failed') FROM json_each(?) j"
    " CROSS JOIN documents d ON d.id = j.value LEFT JOIN files f ON f.key = d.file_key ORDER BY j.key"
)


@dataclass(frozen=True, slots=True)
class DocumentColumns:
    """What documents are listed by, by key; `failed` passages by id of document, where there are any."""

    ids: list[str]
    paths: list[str]
    titles: list[str]
    media_types: list[str]
    dates: list[str | None]
    authors: list[str | None]
    states: list[str]
    reasons: list[str]
    pages: list[int]
    passages: list[int]
    failed: dict[str, int]


@dataclass(frozen=True, slots=True)
class ReadDocument:
    """A document as it was read; a failed one has nothing loaded and no passages, but what was said (`raw`).

    `lines` are hashes of those that are boilerplate if other documents have them.
    """

    document: Document
    loaded: LoadedDocument | None = None
    passages: Sequence[Passage] = ()
    raw: str = ""
    lines: Set[int] = frozenset()


class Documents(Tables):
    def all(self) -> list[Document]:
        rows = self._select(f"{_SELECT} ORDER BY d.path")
        return [_document(row) for row in rows]

    def some(self, ids: Iterable[str]) -> list[Document]:
        """Those of these that are there, by path."""
        wanted = json.dumps(list(ids))
        sql = f"{_SELECT} WHERE d.id IN (SELECT value FROM json_each(?)) ORDER BY d.path"
        return [_document(row) for row in self._select(sql, (wanted,))]

    def columns(self) -> DocumentColumns:
        """What all documents are listed by, by key; read without holding up other threads."""
        connection = self._database.connection()
        (most,) = connection.execute("SELECT coalesce(max(key), 0) FROM documents").fetchone()
        names = ("id", "path", "title", "media_type", "date", "author", "state", "reason")
        sql = f"SELECT key, {', '.join(names)} FROM documents WHERE key >= ?1 AND key < ?2 ORDER BY key"
        ids, paths, titles, kinds, dates, authors, states, reasons = text_columns(
            connection, sql, most, names
        )
        numbers = (
            "SELECT key, pages, (SELECT count(*) FROM passages p WHERE p.document_key = d.key) AS passages"
            " FROM documents d WHERE key >= ?1 AND key < ?2 ORDER BY key"
        )
        counts = number_rows(connection, numbers, most, ("key", "pages", "passages"), ()).astype(np.int64)
        pages, passages = counts[:, 1].tolist(), counts[:, 2].tolist()
        return DocumentColumns(
            ids, paths, titles, kinds, dates, authors, states, reasons, pages, passages, self._failed()
        )

    def _failed(self) -> dict[str, int]:
        """How many passages failed, of documents in which any did, by id."""
        return dict(
            self._select(
                "SELECT d.id, count(*) FROM stages s JOIN passages p ON p.key = s.passage_key"
                " JOIN documents d ON d.key = p.document_key WHERE s.state = 'failed' GROUP BY d.id"
            )
        )

    def rows(self, ids: Sequence[str]) -> list[DocumentRow]:
        """Those of these that are there, in their order."""
        rows = self._select(_ROWS, (json.dumps(list(ids)),)).fetchall()
        notices = self.notices(ids)
        return [DocumentRow(_document(row[:-2]), row[-2], row[-1], notices.get(row[0], ())) for row in rows]

    def undone(self) -> list[str]:
        """Ids of the documents that failed or wait, by path."""
        rows = self._select("SELECT id FROM documents WHERE state <> 'done' ORDER BY path")
        return [str(row[0]) for row in rows]

    def languages(self) -> dict[str, int]:
        """Return how many documents are in each language, by ISO 639 code; "" where nothing tells."""
        sql = "SELECT language, count(*) FROM documents WHERE state = 'done' GROUP BY language"
        return dict(self._select(sql))

    def losses(self, keys: Sequence[int] | None = None) -> tuple[dict[str, int], list[str]]:
        """Return how many parts were not read, by path, and the paths of documents that could not be read at all; of
        all documents, or of those of these keys."""
        only, listed = in_clause("d.key", keys, 2)
        kinds = json.dumps([kind.value for kind in NOT_READ])
        parts = self._select(
            "SELECT d.path, sum(n.count) FROM notices n JOIN documents d ON d.key = n.document_key"
            f" WHERE n.kind IN (SELECT value FROM json_each(?1)){only} GROUP BY d.key ORDER BY d.path",
            (kinds, *listed),
        )
        only, listed = in_clause("d.key", keys)
        failed = self._select(
            f"SELECT d.path FROM documents d WHERE d.state = 'failed'{only} ORDER BY d.path", listed
        )
        return dict(parts), [str(path) for (path,) in failed]

    def paths(self) -> list[str]:
        """Return the paths of all documents, in their order."""
        return [path for (path,) in self._select("SELECT path FROM documents ORDER BY path")]

    def path_of(self, key: int) -> str:
        """Path of a document; "" when there is none."""
        row = self._select_one("SELECT path FROM documents WHERE key = ?", (key,))
        return str(row[0]) if row else ""

    def get(self, document_id: str) -> Document:
        """Raises BadInput when there is no such document."""
        row = self._select_one(f"{_SELECT} WHERE d.id = ?", (document_id,))
        if row is None:
            raise BadInput(tr("This document is no longer in the workspace."), tr("Choose another one."))
        return _document(row)

    def put_read(
        self, document: Document, text: str, pages: Sequence[Page], passages: Sequence[Passage]
    ) -> None:
        """Store a document that came from no file, with its passages; see `put`."""
        loaded = LoadedDocument(text, document.title, document.media_type, pages=tuple(pages))
        with self._database.transaction() as connection:
            _put(connection, ReadDocument(document, loaded, passages), None, Reusable())

    def put(
        self, connection: sqlite3.Connection, file_key: int, read: Sequence[ReadDocument], pool: Reusable
    ) -> None:
        """Make `read` the documents of a file, inside the caller's transaction.

        A passage whose content the documents had before, or that is in `pool`, keeps its row and with
        it all that was made of it; what is no longer there goes. New passages have every stage pending.
        """
        new_ids = {item.document.id for item in read}
        stored = connection.execute(
            "SELECT key, id FROM documents WHERE file_key = ?", (file_key,)
        ).fetchall()
        dropped = [key for key, id in stored if id not in new_ids]
        pool = Reusable(reusable(connection, dropped), pool)
        for item in read:
            _put(connection, item, file_key, pool)
        connection.executemany("DELETE FROM documents WHERE key = ?", [(key,) for key in dropped])

    def rechunk(
        self,
        connection: sqlite3.Connection,
        document_id: str,
        blocks: Sequence[Block],
        passages: Sequence[Passage],
        language: str,
    ) -> None:
        """Other blocks and passages of the same text, inside the caller's transaction; see `put` for what is kept."""
        ((key,),) = connection.execute(
            "UPDATE documents SET state = 'pending', language = ? WHERE id = ? RETURNING key",
            (language, document_id),
        ).fetchall()
        own = reusable(connection, [key])
        connection.execute("DELETE FROM blocks WHERE document_key = ?", (key,))
        _put_blocks(connection, key, blocks)
        keep_passages(connection, key, passages, own)
        connection.execute("INSERT OR REPLACE INTO settings (name, value) VALUES ('unsettled', '1')")

    def reusable(self, file_keys: Sequence[int]) -> Reusable:
        """Passages of all documents of these files, by content."""
        connection = self._database.connection()
        documents = connection.execute("SELECT key, file_key FROM documents").fetchall()
        wanted = set(file_keys)
        return reusable(connection, [key for key, file_key in documents if file_key in wanted])

    def drop_passages(self, titles: Iterable[tuple[str, str]]) -> None:
        """Drop the passages of the document at each path that have the title: they will be read as new ones."""
        self._write_each(
            "DELETE FROM passages WHERE document_key = (SELECT key FROM documents WHERE path = ?) AND title = ?",
            titles,
        )

    def finish(self) -> None:
        """Mark every document done of which no passage is pending."""
        self._write(
            "UPDATE documents SET state = 'done' WHERE state = 'pending' AND NOT EXISTS ("
            " SELECT 1 FROM passages p JOIN stages s ON s.passage_key = p.key"
            " WHERE p.document_key = documents.key AND s.state = 'pending')"
        )

    def remove(self, document_ids: Sequence[str]) -> None:
        """Delete documents with their passages, mentions and triples; see Facts.sweep for the rest."""
        self._write_each("DELETE FROM documents WHERE id = ?", [(d,) for d in document_ids])

    def text(self, document_id: str) -> str:
        row = self._select_one(
            "SELECT t.text FROM document_texts t JOIN documents d ON d.key = t.document_key WHERE d.id = ?",
            (document_id,),
        )
        return str(row[0]) if row else ""

    def pages(self, document_id: str) -> list[Page]:
        rows = self._select(
            'SELECT p.number, p.start, p."end" FROM pages p JOIN documents d ON d.key = p.document_key'
            " WHERE d.id = ? ORDER BY p.number",
            (document_id,),
        )
        return [Page(*row) for row in rows]

    def regions(self, document_id: str, start: int, end: int) -> list[Region]:
        """Named places that overlap `start` to `end` of the document's text, the narrowest first."""
        rows = self._select(
            'SELECT r.start, r."end", r.name FROM regions r JOIN documents d ON d.key = r.document_key'
            ' WHERE d.id = ? AND r.start < ? AND r."end" > ? ORDER BY r."end" - r.start, r.start, r.name',
            (document_id, end, start),
        )
        return [Region(*row) for row in rows]

    def blocks(self, document_id: str, start: int, end: int) -> list[Block]:
        """Blocks that overlap `start` to `end` of the document's text, by start, the outer before the inner."""
        rows = self._select(
            'SELECT b.kind, b.start, b."end", b.level, b.speaker, b.addressee, b.time FROM blocks b'
            " JOIN documents d ON d.key = b.document_key"
            ' WHERE d.id = ? AND b.start < ? AND b."end" > ? ORDER BY b.ordinal',
            (document_id, end, start),
        )
        return [Block(BlockKind(kind), *rest) for kind, *rest in rows]

    def tables(self, document_ids: Sequence[str]) -> list[tuple[str, DocumentTable]]:
        """(document id, table) of these documents, in the order of `document_ids` and of their texts."""
        rows = self._select(
            'SELECT d.id, t.name, t.start, t."end", t.columns, t.cells FROM json_each(?) j'
            " CROSS JOIN documents d ON d.id = j.value CROSS JOIN tables t ON t.document_key = d.key"
            " ORDER BY j.key, t.ordinal",
            (json.dumps(list(document_ids)),),
        )
        return [(id, _table(*row)) for id, *row in rows]

    def with_tables(self, most: int, most_cells: int) -> list[str]:
        """Ids of all documents that hold tables, by path; none where there are more tables or cells than this."""
        rows = self._select(
            "SELECT d.id, count(*), sum(length(t.cells)) / 16 FROM tables t"
            " JOIN documents d ON d.key = t.document_key GROUP BY d.key ORDER BY d.path"
        )
        ids, tables, cells = [], 0, 0
        for id, count, size in rows:
            ids.append(str(id))
            tables, cells = tables + count, cells + size
        return ids if tables <= most and cells <= most_cells else []

    def boxes(self, document_id: str) -> Boxes | None:
        """Where the text stands on its pages; None for formats that do not tell."""
        row = self._select_one(
            "SELECT b.spans, b.corners FROM boxes b JOIN documents d ON d.key = b.document_key WHERE d.id = ?",
            (document_id,),
        )
        if row is None:
            return None
        return Boxes(
            np.frombuffer(row[0], dtype="<i4").reshape(-1, 3),
            np.frombuffer(row[1], dtype="<f4").reshape(-1, 4),
        )

    def metadata(self, document_id: str) -> list[tuple[str, str]]:
        """(name, value) as the document states them, by name."""
        return list(
            self._select(
                "SELECT m.name, m.value FROM metadata m JOIN documents d ON d.key = m.document_key"
                " WHERE d.id = ? AND m.name <> ? ORDER BY m.name, m.ordinal",
                (document_id, RAW),
            )
        )

    def notices(self, document_ids: Sequence[str]) -> dict[str, tuple[Notice, ...]]:
        """What was not read, or read by a guess, of these documents that have any, by id."""
        rows = self._select(
            "SELECT d.id, n.kind, n.count, n.detail FROM json_each(?) j CROSS JOIN documents d ON d.id = j.value"
            " CROSS JOIN notices n ON n.document_key = d.key ORDER BY j.key, n.ordinal",
            (json.dumps(list(document_ids)),),
        )
        found: dict[str, tuple[Notice, ...]] = {}
        for id, kind, count, detail in rows:
            found[id] = (*found.get(id, ()), Notice(NoticeKind(kind), count, detail))
        return found

    def search(self, text: str, limit: int) -> list[Document]:
        """Documents whose title or path holds `text`, letter case aside."""
        pattern = "%" + text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_") + "%"
        rows = self._select(
            f"{_SELECT} WHERE d.title LIKE ?1 ESCAPE '\\' OR d.path LIKE ?1 ESCAPE '\\'"
            " ORDER BY d.path LIMIT ?2",
            (pattern, limit),
        )
        return [_document(row) for row in rows]


def _put(connection: sqlite3.Connection, read: ReadDocument, file_key: int | None, pool: Reusable) -> None:
    key = _upsert(connection, read.document, file_key)
    own = reusable(connection, [key])
    for table in (
        "document_texts",
        "pages",
        "regions",
        "blocks",
        "tables",
        "boxes",
        "metadata",
        "lines",
        "notices",
    ):
        connection.execute(f"DELETE FROM {table} WHERE document_key = ?", (key,))
    if read.loaded is not None:
        _put_loaded(connection, key, read.loaded)
    elif read.raw:
        connection.execute("INSERT INTO metadata VALUES (?, ?, 0, ?)", (key, RAW, read.raw))
    connection.executemany("INSERT INTO lines VALUES (?, ?)", [(key, line) for line in sorted(read.lines)])
    keep_passages(connection, key, read.passages, Reusable(own, pool))


def _upsert(connection: sqlite3.Connection, document: Document, file_key: int | None) -> int:
    """The document's row key: its own row when the id is known, else a new one."""
    values = (
        document.id, document.path, document.sha256, document.size, document.title,
        document.media_type, document.modified_ns, document.date, document.author,
        document.pages, document.state.value, document.reason, document.remedy, file_key, document.language,
    )  # fmt: skip
    changes = ", ".join(f"{name} = excluded.{name}" for name in _COLUMNS[1:])
    rows = connection.execute(
        f"INSERT INTO documents ({', '.join(_COLUMNS)}) VALUES ({', '.join('?' * len(values))})"
        f" ON CONFLICT (id) DO UPDATE SET {changes} RETURNING key",
        values,
    ).fetchall()
    return int(rows[0][0])


def _put_loaded(connection: sqlite3.Connection, key: int, loaded: LoadedDocument) -> None:
    connection.execute("INSERT INTO document_texts VALUES (?, ?)", (key, loaded.text))
    connection.executemany(
        "INSERT INTO pages VALUES (?, ?, ?, ?)", [(key, p.number, p.start, p.end) for p in loaded.pages]
    )
    connection.executemany(
        "INSERT OR IGNORE INTO regions VALUES (?, ?, ?, ?)",
        [(key, r.start, r.end, r.name) for r in loaded.regions],
    )
    _put_blocks(connection, key, loaded.blocks)
    connection.executemany(
        "INSERT INTO tables VALUES (?, ?, ?, ?, ?, ?, ?)",
        [
            (
                key,
                at,
                t.name,
                t.start,
                t.end,
                json.dumps(t.columns),
                np.ascontiguousarray(t.cells, "<i4").tobytes(),
            )
            for at, t in enumerate(loaded.tables)
        ],
    )
    connection.executemany(
        "INSERT INTO metadata VALUES (?, ?, ?, ?)",
        [(key, name, at, value) for at, (name, value) in enumerate(loaded.metadata)],
    )
    connection.executemany(
        "INSERT INTO notices VALUES (?, ?, ?, ?, ?)",
        [(key, at, n.kind.value, n.count, n.detail) for at, n in enumerate(loaded.notices)],
    )
    if loaded.boxes is not None:
        connection.execute(
            "INSERT INTO boxes VALUES (?, ?, ?)",
            (
                key,
                np.ascontiguousarray(loaded.boxes.spans, "<i4").tobytes(),
                np.ascontiguousarray(loaded.boxes.corners, "<f4").tobytes(),
            ),
        )


def _put_blocks(connection: sqlite3.Connection, key: int, blocks: Sequence[Block]) -> None:
    connection.executemany(
        "INSERT INTO blocks VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [
            (key, at, b.kind.value, b.start, b.end, b.level, b.speaker, b.addressee, b.time)
            for at, b in enumerate(blocks)
        ],
    )


def _document(row: sqlite3.Row | tuple[object, ...]) -> Document:
    values = list(row)
    values[10] = State(str(values[10]))
    return Document(*values)


def _table(name: str, start: int, end: int, columns: str, cells: bytes) -> DocumentTable:
    """Raises WorkspaceError for what Clew never writes."""
    names = stored_json(columns)
    if isinstance(names, list) and all(isinstance(each, str) for each in names) and len(cells) % 16 == 0:
        grid = np.frombuffer(cells, "<i4").reshape(-1, 4)
        if not len(grid) or (grid.min() >= 0 and grid[:, 1].max() < len(names)):
            return DocumentTable(name, start, end, tuple(names), grid)
    raise unreadable_record(tr("a table without its columns"))


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


class Failures(Tables):
    def all(self, document_ids: Iterable[str] | None = None) -> list[Failure]:
        """Documents that could not be read and passages at which a stage failed, of all or of these documents."""
        of = "" if document_ids is None else " AND d.id IN (SELECT value FROM json_each(?))"
        ids = () if document_ids is None else (json.dumps(list(document_ids)),)
        documents = self._select(
            "SELECT d.path, -1, d.id, 'read', d.reason, d.remedy, coalesce(m.value, ''), '' FROM documents d"
            f" LEFT JOIN metadata m ON m.document_key = d.key AND m.name = ? WHERE d.state = 'failed'{of}",
            (RAW, *ids),
        )
        passages = self._select(
            "SELECT d.path, p.ordinal, d.id, s.stage, s.reason, '', s.raw, p.id FROM stages s"
            " JOIN passages p ON p.key = s.passage_key JOIN documents d ON d.key = p.document_key"
            f" WHERE s.state = 'failed'{of}",
            ids,
        )
        rows = sorted([*documents, *passages], key=lambda row: row[:4])
        return [Failure(row[2], row[0], row[3], row[4], row[5], row[6], row[7]) for row in rows]

    def retry(self, document_ids: Sequence[str] | None) -> int:
        """Let what failed be tried again by the next run, of these documents or of all; how much that is."""
        wanted = self.all(document_ids)
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
