"""Copies of a workspace: a consistent one of all, or some documents as a workspace that never held the others."""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from core.errors import BadInput, WorkspaceError
from core.files.faults import explained as disk_explained
from core.files.faults import free_bytes
from core.progress import TaskContext
from core.store.candidate_facts import BAR
from core.store.census import Census
from core.store.database import Database
from core.store.facts import POLICY
from core.store.faults import damaged, explained
from core.store.settings import ASKING, CHOSEN, COMPOSITIONS, OWN_ROUTE
from core.text.translation import tr
from core.types import Backup

_STEP = 256  # pages between two chances to stop; 1 MB
_SPARE = 1 << 20  # bytes that are left free
_COUNTED = (
    "documents",
    "passages",
    "(SELECT DISTINCT passage_key FROM stages WHERE state = 'pending')",
)
Checked = tuple[int, int, int, str]  # documents, passages, pending passages, digest
_PART = ".part"  # what a copy is called until it is whole


def back_up(source: Path, target: Path, context: TaskContext) -> Backup:
    """Copy the database `source` into the folder `target` as a workspace; derived files are made anew there.

    All pages come from one read transaction: the writer never waits for the copy, and however much it
    writes the copy never begins again. Raises BadInput for a target that is not empty, WorkspaceError
    when there is no room or the workspace is damaged, Cancelled; nothing is left at `target` then.
    """
    begin = time.monotonic()
    part = target / f"{source.name}{_PART}"
    database = Database(source, read_only=True, any_version=True)
    try:
        is_new = _prepared(target, part, _size(database))
        try:
            copied, found = database.retry_read(lambda: _copied(database, source, part, context))
            with disk_explained(target):
                _settle(part, target / source.name)
        except BaseException:
            _clear(part)
            if is_new:
                with contextlib.suppress(OSError):
                    target.rmdir()
            raise
    finally:
        database.close()
    return Backup(str(target), copied, time.monotonic() - begin, *found)


def copy_database(source: Path, target: Path, context: TaskContext) -> None:
    """Copy the database `source` to the new file `target` as it stands at one moment, for what is thrown away.

    Nobody waits for it, and nothing checks the copy. Raises WorkspaceError when there is no room, Cancelled.
    """
    with contextlib.closing(Database(source, read_only=True)) as database:
        _check_room(target.parent, _size(database))

        def copy() -> int:
            _clear(target)
            with database.at_one_moment():
                return _copy(database, target, context)

        database.retry_read(copy)


def _size(database: Database) -> int:
    """Bytes of the database."""
    connection = database.connection()
    pages = int(connection.execute("PRAGMA page_count").fetchone()[0])
    return pages * int(connection.execute("PRAGMA page_size").fetchone()[0])


def _prepared(target: Path, part: Path, size: int) -> bool:
    """An empty folder with room enough; whether it was made now."""
    if target.exists() and (not target.is_dir() or any(not _ours(item, part) for item in target.iterdir())):
        raise BadInput(
            tr("{target} is not an empty folder.", target=target), tr("Choose a folder that is new or empty.")
        )
    _check_room(target, size)
    is_new = not target.exists()
    with disk_explained(target):
        target.mkdir(parents=True, exist_ok=True)
    return is_new


def _check_room(target: Path, size: int) -> None:
    free = free_bytes(target)
    if free < size + _SPARE:
        raise WorkspaceError(
            tr(
                "The copy needs {megabytes}, and {target} has room for {megabytes_2}.",
                megabytes=_megabytes(size),
                target=target,
                megabytes_2=_megabytes(free),
            ),
            tr("Free some space, or choose another disk."),
        )


def _ours(item: Path, part: Path) -> bool:
    return item.name.startswith(part.name)


def _copied(database: Database, source: Path, part: Path, context: TaskContext) -> tuple[int, Checked]:
    """Bytes copied, and what `_checked` tells, all seen through one read transaction."""
    _clear(part)  # of a copy that was killed, or disturbed
    with database.at_one_moment():
        return _copy(database, part, context), _checked(database, source, part, context)


def _copy(database: Database, part: Path, context: TaskContext) -> int:
    """Bytes copied."""

    def report(_: int, remaining: int, total: int) -> None:
        context.report("backup", total - remaining, total)

    with (
        explained(part),
        contextlib.closing(sqlite3.connect(part, isolation_level=None)) as copy,
    ):
        # A copy that is interrupted is thrown away; only a whole one is made safe on the disk.
        copy.execute("PRAGMA journal_mode = OFF")
        copy.execute("PRAGMA synchronous = OFF")
        database.connection().backup(copy, pages=_STEP, progress=report)
    return part.stat().st_size


def _checked(database: Database, source: Path, part: Path, context: TaskContext) -> Checked:
    """What is told of a copy that is sound and the same as its source."""
    context.report("check", 0, 1)
    copy = Database(part, read_only=True, any_version=True)
    try:
        connection = copy.connection()
        if connection.execute("PRAGMA quick_check(1)").fetchone()[0] != "ok":
            raise damaged(source)
        counts = [int(connection.execute(f"SELECT count(*) FROM {what}").fetchone()[0]) for what in _COUNTED]
        digest = Census(copy).digest() if copy.is_current else ""
        if digest and digest != Census(database).digest():
            raise WorkspaceError(
                tr("The copy differs from the workspace."), tr("Check the disk, then try again.")
            )
    finally:
        copy.close()
    context.report("check", 1, 1)
    return counts[0], counts[1], counts[2], digest


def _settle(part: Path, copy: Path) -> None:
    """Make the copy safe on the disk, then give it its name."""
    for side in _sides(part):
        side.unlink(missing_ok=True)
    with open(part, "r+b") as file:
        os.fsync(file.fileno())
    os.replace(part, copy)
    if os.name == "posix":
        folder = os.open(copy.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def _clear(part: Path) -> None:
    with contextlib.suppress(OSError):
        for path in (part, *_sides(part)):
            path.unlink(missing_ok=True)


def _sides(part: Path) -> list[Path]:
    return [part.with_name(f"{part.name}-{side}") for side in ("wal", "shm", "journal")]


def _megabytes(size: int) -> str:
    return f"{size / 1e6:,.1f} MB"


_PASSAGES = "passage_key IN (SELECT key FROM passages WHERE document_key IN (SELECT key FROM seen))"
_DOCUMENTS = "document_key IN (SELECT key FROM seen)"
# What a person stated, or an answer led to, is theirs and rests on more than a passage.
_EXTRACTED = "key NOT IN (SELECT triple_key FROM stated_triples WHERE triple_key IS NOT NULL)"
_TRIPLES = f"SELECT * FROM triples WHERE {_PASSAGES} AND {_EXTRACTED}"
_FACTS = f"SELECT fact_key FROM ({_TRIPLES})"
# Which phrases are terms depends on all documents.
_MENTIONS = f"SELECT * FROM mentions WHERE {_PASSAGES} AND NOT stated AND label <> 'CONCEPT'"
_ENTITIES = (
    f"SELECT entity_key FROM ({_MENTIONS}) UNION SELECT subject_key FROM candidate_facts WHERE key IN ({_FACTS})"
    f" UNION SELECT object_key FROM candidate_facts WHERE key IN ({_FACTS})"
)
# What of some documents is copied is named here, table by table; whatever else a workspace holds, and whatever will be
# added to it, is left out, and what follows from the documents is made anew.
# Rows by table, each after those that it points at. `seen` are the keys of the documents.
_COPIED = {
    "files": "SELECT * FROM files WHERE key IN (SELECT file_key FROM documents WHERE key IN (SELECT key FROM seen))",
    "documents": "SELECT * FROM documents WHERE key IN (SELECT key FROM seen)",
    **{
        table: f"SELECT * FROM {table} WHERE {_DOCUMENTS}"
        for table in (
            "document_texts", "pages", "regions", "boxes", "metadata", "reference_lists", "text_forms", "blocks",
            "tables", "notices", "passages",
        )
    },
    **{
        table: f"SELECT * FROM {table} WHERE {_PASSAGES}"
        for table in ("sentences", "stages", "lower_words", "noun_phrases")
    },
    # A name belongs to another, and is called something, by what all documents say: that is told anew.
    "entities": f"SELECT key, id, normal, name, label, NULL, 1, '' FROM entities WHERE key IN ({_ENTITIES})",
    "candidate_facts": "SELECT key, id, subject_key, predicate, object_key, assertion = '', 'open', 0.5, 0, assertion,"
    " source FROM candidate_facts"
    f" WHERE key IN ({_FACTS})",
    "mentions": _MENTIONS,
    "triples": _TRIPLES,
    "embeddings": "SELECT * FROM embeddings WHERE kind IN ('passage', 'sentence') AND owner_key IN (SELECT key"
    " FROM passages WHERE document_key IN (SELECT key FROM seen))"
    f" UNION ALL SELECT * FROM embeddings WHERE kind = 'entity' AND owner_key IN ({_ENTITIES})",
}  # fmt: skip
COPIED = frozenset(_COPIED)
# Settings that say how a workspace was read and is asked; none of them holds words of a document.
SETTINGS = (
    "extractor", "encoder", "precision", "forms", CHOSEN, ASKING, COMPOSITIONS, OWN_ROUTE,
    POLICY, BAR,
)  # fmt: skip
# Where the files of its documents lie. Under another name than the folder's: who looks there for a file by its name,
# whether it was indexed or not, finds none.
FILES_IN = "files_in"
_AT_ONCE = 1000  # rows


def cut(source: Database, target: Database, documents: Sequence[int]) -> None:
    """Copy the documents with these keys, what was read of them, and SETTINGS into a workspace without any.

    What follows from them is yet to be made. The caller sees to it that all is read of one moment.
    """
    connection = source.connection()
    connection.execute("CREATE TEMP TABLE seen (key INTEGER PRIMARY KEY)")
    try:
        connection.executemany("INSERT INTO seen VALUES (?)", [(key,) for key in documents])
        with target.transaction() as writing:
            for table, query in _COPIED.items():
                for rows in _some(connection, query):
                    marks = ", ".join("?" * len(rows[0]))
                    writing.executemany(f"INSERT INTO {table} VALUES ({marks})", rows)
            rows = connection.execute(
                "SELECT name, value FROM settings WHERE name IN (SELECT value FROM json_each(?))",
                (json.dumps(SETTINGS),),
            ).fetchall()
            writing.executemany("INSERT OR REPLACE INTO settings VALUES (?, ?)", rows)
            folder = connection.execute("SELECT value FROM settings WHERE name = 'folder'").fetchall()
            writing.executemany("INSERT INTO settings VALUES (?, ?)", [(FILES_IN, *row) for row in folder])
    finally:
        connection.execute("DROP TABLE seen")


def known(database: Database) -> tuple[frozenset[str], frozenset[str]]:
    """Ids of the facts, and normal forms of the names, that stand there."""
    connection = database.connection()
    facts, names = ("SELECT id FROM candidate_facts", "SELECT normal FROM entities")
    return frozenset(row[0] for row in connection.execute(facts)), frozenset(
        row[0] for row in connection.execute(names)
    )


def _some(connection: sqlite3.Connection, query: str) -> Iterator[list[tuple[object, ...]]]:
    cursor = connection.execute(query)
    while rows := cursor.fetchmany(_AT_ONCE):
        yield rows
