"""SQLite's faults in words for people."""

from __future__ import annotations

import contextlib
import shlex
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from core.errors import WorkspaceError
from core.files.faults import disk_broken, disk_full
from core.files.safe_files import parse_json
from core.store.workspace_files import reading
from core.text.translation import tr

_BUSY = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL}
# Nothing that we write is too big.
_DAMAGED = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_TOOBIG}
# Where a function of SQLite's or ours is given what is no text.
_NO_TEXT = ("malformed JSON", "user-defined function raised exception")
_CLOSED = {sqlite3.SQLITE_PERM, sqlite3.SQLITE_READONLY}
_MOVED = sqlite3.SQLITE_READONLY_DBMOVED


@contextlib.contextmanager
def explained(path: Path) -> Iterator[None]:
    """Raises WorkspaceError where the disk, its rights or the file are at fault; bugs fly as they are."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        known = as_workspace_error(error, path)
        if known is None:
            raise
        raise known from error


def as_workspace_error(error: sqlite3.DatabaseError, path: Path) -> WorkspaceError | None:
    """A fault of SQLite in words, or None where it is a bug of this program."""
    extended = getattr(error, "sqlite_errorcode", None)
    if extended is None:
        # Raised by Python, not by SQLite: bytes that are no text stand where text should.
        return damaged(path) if "decode" in str(error).lower() else None
    code = extended & 0xFF
    if code in _BUSY:
        return WorkspaceError(
            tr("The workspace {parent} is being written by another process.", parent=path.parent),
            tr("Wait until it has finished, or stop it, then try again."),
        )
    if code == sqlite3.SQLITE_FULL:
        return disk_full(path.parent)
    if code in _DAMAGED:
        return damaged(path)
    if code in (sqlite3.SQLITE_IOERR, sqlite3.SQLITE_NOLFS):
        return _missing(path) or disk_broken(path.parent)
    if extended == _MOVED:
        return _missing(path) or WorkspaceError(
            tr("{path} was replaced by another file while it was open.", path=path),
            tr("Start again; what was done is kept in the old file."),
        )
    if code == sqlite3.SQLITE_CANTOPEN:
        return _missing(path) or WorkspaceError(
            tr("The workspace {parent} cannot be opened.", parent=path.parent),
            tr("Check that you may read and write there, or copy it to where you may."),
        )
    if code in _CLOSED:
        return _missing(path) or WorkspaceError(
            tr("The workspace {parent} cannot be written.", parent=path.parent),
            tr("Choose a place where you may write, or change its permissions."),
        )
    if code == sqlite3.SQLITE_ERROR and any(words in str(error) for words in _NO_TEXT):
        return damaged(path)
    # Rows that do not fit each other are our bug, unless the file is damaged: then it is looked at whole.
    doubtful = code in (sqlite3.SQLITE_CONSTRAINT, sqlite3.SQLITE_ERROR)
    return damaged(path) if doubtful and not _sound(path) else None


def damaged(path: Path) -> WorkspaceError:
    """What is told when the database contradicts itself."""
    return WorkspaceError(
        tr("{path} is damaged or is not a database.", path=path),
        tr(
            "See what is sound with: clew verify {parent}; restore a copy, or index into a new workspace.",
            parent=shlex.quote(str(path.parent)),
        ),
    )


def moved(path: Path) -> WorkspaceError:
    """What is told when the file is no longer where it was opened."""
    return WorkspaceError(
        tr("{path} was moved or deleted while it was open.", path=path),
        tr("Put it back, or index into a new workspace."),
    )


def _sound(path: Path) -> bool:
    """Whether what is committed fits together; True where that cannot be found out."""
    try:
        with contextlib.closing(
            sqlite3.connect(f"{path.absolute().as_uri()}?{reading(path) or 'mode=ro'}", uri=True)
        ) as connection:
            is_intact = connection.execute("PRAGMA integrity_check(1)").fetchone() == ("ok",)
            return is_intact and connection.execute("PRAGMA foreign_key_check").fetchone() is None
    except sqlite3.DatabaseError as error:
        return getattr(error, "sqlite_errorcode", 0) & 0xFF not in _DAMAGED


def _missing(path: Path) -> WorkspaceError | None:
    return None if path.exists() else moved(path)


def stored_json(text: str) -> Any:
    """Return what a text of the database holds as JSON. Raises WorkspaceError for what Clew never writes."""
    try:
        return parse_json(text)
    except ValueError as error:
        raise unreadable_record(str(error)) from error


def unreadable_record(why: str) -> WorkspaceError:
    """Return the error for a record that Clew never writes; `why` is the end of a sentence."""
    return WorkspaceError(
        tr("The workspace holds a record that cannot be read: {why}.", why=why),
        tr("Check it: clew verify WORKSPACE --repair"),
    )
