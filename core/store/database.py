"""Opens the workspace's SQLite file: migrations, one connection a thread, one writer at a time."""

from __future__ import annotations

import contextlib
import sqlite3
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, TypeVar

from core.errors import WorkspaceError
from core.files.faults import explained as disk_explained
from core.store.faults import as_workspace_error, damaged, explained, moved
from core.store.schema import add_functions, check_schema, latest, migrate
from core.store.workspace_files import ALONE, WriterLock, check_folder, check_single, reading, sides, writable
from core.text.translation import mark, tr

T = TypeVar("T")
Stamp = tuple[int, int, int]  # what tells that a file changed: inode, bytes, time
_BUSY_SECONDS = 30.0
# A writer that comes or ends makes and deletes its log and index one after the other.
_CHANGING = (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY)
_CHANGING_SECONDS = 0.5
_ROWS = 1000  # read at a time: each read is guarded, which costs
_MIGRATION_SECONDS = 30.0  # what another process may take for a migration before we give up
# What no statement or value of ours comes near; a file made by another hand might. VACUUM attaches one database.
_LIMITS = {
    sqlite3.SQLITE_LIMIT_LENGTH: 1 << 29,  # bytes
    sqlite3.SQLITE_LIMIT_SQL_LENGTH: 100_000,
    sqlite3.SQLITE_LIMIT_EXPR_DEPTH: 100,
    sqlite3.SQLITE_LIMIT_COMPOUND_SELECT: 50,
    sqlite3.SQLITE_LIMIT_TRIGGER_DEPTH: 20,
    sqlite3.SQLITE_LIMIT_ATTACHED: 1,
}


class _TriedOut(Exception):
    """Takes back what was tried out."""


class Database:
    """A migrated database. Connections are made on first use in each thread and closed together."""

    def __init__(
        self, path: Path, *, create: bool = False, read_only: bool = False, any_version: bool = False
    ) -> None:
        """Raises WorkspaceError when the file is missing, newer than this program, damaged or unwritable.

        `any_version` leaves an older schema as it is; see `is_current`.
        """
        self.path = path
        self.read_only = read_only
        self._mode = "rwc" if create else "rw"
        self._local = threading.local()
        self._open: list[sqlite3.Connection] = []
        self._lock = threading.Lock()
        if not path.exists() and not create:
            raise WorkspaceError(
                tr("There is no Clew workspace in {parent}.", parent=path.parent),
                tr("Choose another folder, or make one with: clew index FOLDER --workspace WORKSPACE"),
            )
        with disk_explained(path.parent):
            if path.parent.is_dir():
                check_folder(path.parent)
        if not read_only:
            check_single(path)
        if not read_only and not writable(path):
            if not path.exists():
                raise WorkspaceError(
                    tr("The folder {parent} cannot be written.", parent=path.parent),
                    tr("Choose a place for the workspace where you may write."),
                )
            self.read_only = True
        with explained(path):
            self.is_current = self._checked_version() == latest()
            if not (self.is_current or any_version):
                self._migrate()
                self.is_current = True
        self._mode = "rw"  # from here on a file that is gone must be missed, not made anew

    def connection(self) -> sqlite3.Connection:
        """This thread's connection."""
        return self._connection()

    def retry_read(self, read: Callable[[], T]) -> T:
        """What `read` returns; again from the start where a writer came while the file was read as if there were none.

        Beside a writer SQLite keeps what is read as it was. Before, changes reach the file under the reader's hands.
        """
        while (stamp := self._connection().stamp) is not None:
            try:
                found = read()
            except WorkspaceError:
                if self._stamp() == stamp:
                    raise
            else:
                if self._stamp() == stamp:
                    return found
        return read()

    def _connection(self) -> _Explained:
        found: _Explained | None = getattr(self._local, "connection", None)
        if (
            found is not None
            and found.stamp is not None
            and not found.in_transaction
            and self._written(found)
        ):
            found.close()
            found = None
        if found is None:
            with explained(self.path):
                found = self._connect()
            self._local.connection = found
            with self._lock:
                self._open.append(found)
        return found

    def _written(self, connection: _Explained) -> bool:
        """Whether what is read as if nobody wrote was written since, or is open for it."""
        return connection.stamp != self._stamp() or all(side.exists() for side in sides(self.path))

    def _stamp(self) -> Stamp:
        with contextlib.suppress(OSError):
            found = self.path.stat()
            return found.st_ino, found.st_size, found.st_mtime_ns
        return 0, 0, 0

    @contextlib.contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """All or nothing; within another one of this thread, a part of that.

        Raises WorkspaceError when the workspace is read-only, full or locked.
        """
        if self.read_only:
            raise WorkspaceError(
                tr("The workspace {parent} is read-only.", parent=self.path.parent),
                tr("Copy it to a folder where you may write, or change its permissions."),
            )
        connection = self.connection()
        if connection.in_transaction:
            yield connection
            return
        # SQLite would go on writing into a file that is deleted.
        if not self.path.exists():
            raise moved(self.path)
        with explained(self.path):
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
                connection.commit()
            except BaseException:
                connection.rollback()
                raise

    @contextlib.contextmanager
    def at_one_moment(self) -> Iterator[None]:
        """Around reading, which sees nothing of what others write meanwhile; within a transaction, a part of that."""
        connection = self.connection()
        if connection.in_transaction:
            yield
            return
        connection.execute("BEGIN")
        try:
            connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
            yield
        finally:
            connection.rollback()

    @contextlib.contextmanager
    def dry_run(self) -> Iterator[None]:
        """Around writing of which nothing stays. Raises as `transaction`."""
        with contextlib.suppress(_TriedOut), self.transaction():
            yield
            raise _TriedOut

    def close(self) -> None:
        """Close every thread's connection; safe to call twice."""
        with self._lock:
            for connection in self._open:
                connection.close()
            self._open.clear()
        self._local = threading.local()

    def _connect(self) -> _Explained:
        if self.read_only:
            return self._reading()
        connection = self._opened(f"mode={self._mode}", timeout=_BUSY_SECONDS)
        try:
            # Our triggers feed FTS5, which older SQLite holds for unsafe; the schema was compared with ours before.
            connection.execute("PRAGMA trusted_schema = ON")
            # Vectors of 1.5 kB fill such pages well. Changes nothing once there is a file.
            connection.execute("PRAGMA page_size = 8192")
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = NORMAL")
        except BaseException:
            connection.close()
            raise
        return connection

    def _reading(self) -> _Explained:
        """A connection that changes no byte of the workspace, if it is read-only: it makes no file and touches none."""
        patience = time.monotonic() + _CHANGING_SECONDS
        while True:
            last = time.monotonic() > patience
            if not (how := reading(self.path)) and self.read_only and last:
                raise WorkspaceError(
                    tr(
                        "The workspace {parent} holds changes that are not in place yet, in its -wal file.",
                        parent=self.path.parent,
                    ),
                    tr("Open or index it where it may be written: that puts them in their place."),
                )
            if how or not self.read_only:
                connection = self._opened(how or "mode=ro")
                try:
                    sqlite3.Connection.execute(connection, "PRAGMA schema_version").fetchone()
                    connection.is_reading = True
                    return connection
                except sqlite3.OperationalError as error:
                    connection.close()
                    if last or error.sqlite_errorcode & 0xFF not in _CHANGING:
                        raise
            time.sleep(_CHANGING_SECONDS / 50)

    def _opened(self, how: str, timeout: float = 5.0) -> _Explained:
        connection = sqlite3.connect(
            f"file:{self._quoted()}?{how}",
            uri=True,
            timeout=timeout,
            check_same_thread=False,
            isolation_level=None,
            factory=_Explained,
        )
        connection.stamp = self._stamp() if ALONE in how else None
        _prepare(connection, self.path)
        return connection

    def _quoted(self) -> str:
        """The path as it stands in a URI."""
        return str(self.path).replace("%", "%25").replace("?", "%3f").replace("#", "%23")

    def _checked_version(self) -> int:
        """Schema of the file, read before anything of it is touched. Raises WorkspaceError when it is not ours."""
        if not self.path.exists() or not self.path.stat().st_size:
            return 0
        with contextlib.closing(self._reading()) as connection:
            version = int(connection.execute("PRAGMA user_version").fetchone()[0])
            check_schema(connection, version, self.path)
        return version

    def _migrate(self) -> None:
        if self.read_only:
            raise WorkspaceError(
                tr("The workspace {parent} was made by an older Clew.", parent=self.path.parent),
                tr("Open or index it once where it may be written: that brings it up to date."),
            )
        with WriterLock(self.path.parent, mark("brought up to date"), _MIGRATION_SECONDS):
            # Another process may have done it while this one waited.
            version = self._checked_version()
            if version < latest():
                with self.transaction() as connection:
                    migrate(connection, version)


class Tables:
    """Tables of a database with the statements that read and write them; each module of the store has its own."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def _select(self, sql: str, values: Any = ()) -> sqlite3.Cursor:
        """Run a query on this thread's connection; the rows are read as they are taken."""
        return self._database.connection().execute(sql, values)

    def _select_one(self, sql: str, values: Any = ()) -> Any:
        """Return the first row of a query; None if there is none."""
        return self._select(sql, values).fetchone()

    def _write(self, sql: str, values: Any = ()) -> None:
        """Run a statement in a transaction, which may be the caller's. Raises WorkspaceError."""
        with self._database.transaction() as connection:
            connection.execute(sql, values)

    def _write_each(self, sql: str, rows: Iterable[Any]) -> None:
        """Run a statement for each row, all in one transaction. Raises WorkspaceError."""
        with self._database.transaction() as connection:
            connection.executemany(sql, rows)


class _Cursor(sqlite3.Cursor):
    """Faults met while reading are told in words too: a damaged page shows only when it is reached."""

    connection: _Explained

    def execute(self, sql: str, parameters: Any = (), /) -> _Cursor:
        with self.connection.guard:
            patience = time.monotonic() + _CHANGING_SECONDS if self.connection.is_reading else 0.0
            while True:
                try:
                    super().execute(sql, parameters)
                    return self
                except sqlite3.OperationalError as error:
                    # A writer that ended took the log's index along; the next one makes it again.
                    changing = error.sqlite_errorcode & 0xFF in _CHANGING
                    if not changing or time.monotonic() > patience:
                        raise
                time.sleep(_CHANGING_SECONDS / 50)

    def executemany(self, sql: str, parameters: Any, /) -> _Cursor:
        with self.connection.guard:
            super().executemany(sql, parameters)
        return self

    def fetchone(self) -> Any:
        with self.connection.guard:
            return super().fetchone()

    def fetchall(self) -> list[Any]:
        with self.connection.guard:
            return super().fetchall()

    def fetchmany(self, size: int | None = 1) -> list[Any]:
        with self.connection.guard:
            return super().fetchmany(size)

    def __iter__(self) -> Iterator[Any]:  # type: ignore[override] # a row, whoever hands it out
        while rows := self.fetchmany(_ROWS):
            yield from rows

    def __next__(self) -> Any:
        row = self.fetchone()
        if row is None:
            raise StopIteration
        return row


class _Guard:
    """`with guard:` around each call: no closing meanwhile, faults in words. A class: it is quicker."""

    path = Path()

    def __init__(self) -> None:
        self._busy = threading.RLock()

    def __enter__(self) -> None:
        self._busy.acquire()

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        self._busy.release()
        if isinstance(error, UnicodeDecodeError):  # SQLite quotes bytes of the file in its own message
            raise damaged(self.path) from error
        known = as_workspace_error(error, self.path) if isinstance(error, sqlite3.DatabaseError) else None
        if known is not None:
            raise known from error


class _Explained(sqlite3.Connection):
    """A connection whose cursors tell faults in words."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        # Closing a connection that another thread reads from would crash the process.
        self.guard = _Guard()
        self.stamp: Stamp | None = None  # the file, where it was opened as if nobody wrote it
        self.is_reading = False  # writers may come and end beside it

    def close(self) -> None:
        """Waits for the read or write in progress."""
        with self.guard:
            super().close()

    def cursor(self, factory: Any = _Cursor) -> Any:
        return super().cursor(factory)

    # The base class makes plain cursors here, whatever `cursor` returns.
    def execute(self, sql: str, parameters: Any = (), /) -> Any:
        return self.cursor().execute(sql, parameters)

    def executemany(self, sql: str, parameters: Any, /) -> Any:
        return self.cursor().executemany(sql, parameters)


def _prepare(connection: _Explained, path: Path) -> None:
    connection.guard.path = path
    for limit, value in _LIMITS.items():
        connection.setlimit(limit, value)
    add_functions(connection)
    connection.execute("PRAGMA trusted_schema = OFF")
    connection.execute("PRAGMA cell_size_check = ON")
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA temp_store = MEMORY")
    # What is deleted is overwritten with zeros; SQLite's makers differ in what they take for granted.
    connection.execute("PRAGMA secure_delete = ON")
