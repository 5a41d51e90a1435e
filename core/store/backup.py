"""A consistent copy of a workspace, made while others read and write it."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import time
from pathlib import Path

from core.errors import BadInput, WorkspaceError
from core.files.faults import explained as disk_explained
from core.files.faults import free_bytes
from core.progress import TaskContext
from core.store.census import Census
from core.store.database import Database
from core.store.faults import damaged, explained
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

    def tell(_: int, remaining: int, total: int) -> None:
        context.report("backup", total - remaining, total)

    with (
        explained(part),
        contextlib.closing(sqlite3.connect(part, isolation_level=None)) as copy,
    ):
        # A copy that is interrupted is thrown away; only a whole one is made safe on the disk.
        copy.execute("PRAGMA journal_mode = OFF")
        copy.execute("PRAGMA synchronous = OFF")
        database.connection().backup(copy, pages=_STEP, progress=tell)
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


def _settle(part: Path, whole: Path) -> None:
    """Make the copy safe on the disk, then give it its name."""
    for side in _sides(part):
        side.unlink(missing_ok=True)
    with open(part, "r+b") as file:
        os.fsync(file.fileno())
    os.replace(part, whole)
    if os.name == "posix":
        folder = os.open(whole.parent, os.O_RDONLY)
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
