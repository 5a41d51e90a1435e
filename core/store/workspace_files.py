"""Name and open the files of a workspace folder, and lock it: one writer at a time, and one window that may write.

The system holds a lock, not the file. The text in the lock file (process, machine, since when, what for) serves
messages only: a process that is killed leaves no lock behind. Where a file system knows no locks, work goes on without
them; SQLite's own transactions still keep the database whole.
"""

from __future__ import annotations

import contextlib
import errno
import os
import platform
import secrets
import sys
import time
from datetime import datetime
from pathlib import Path
from types import TracebackType

from core.errors import WorkspaceError
from core.files.faults import explained
from core.files.safe_files import open_regular, refused, strange
from core.text.translation import mark, tr

ALONE = "immutable=1"  # as if nobody wrote the file
DERIVED = "derived"  # the folder of what can be deleted


def check_folder(folder: Path) -> None:
    """Raises WorkspaceError where a link, pipe, socket or device stands in the workspace, OSError as `os.scandir`.

    Through one, what is read or written as part of the workspace would be another file of the person.
    """
    for place in (folder, folder / DERIVED):
        if place is not folder and strange(place) != "a folder":
            continue
        with os.scandir(place) as items:
            for item in items:
                if not item.is_file(follow_symlinks=False) and not item.is_dir(follow_symlinks=False):
                    raise refused(Path(item.path), strange(Path(item.path)))


def check_single(path: Path) -> None:
    """Raises WorkspaceError where the database has a second name: what is written under one reaches the other."""
    for file in (path, *sides(path)):
        found = _found(file)
        if found and found.st_nlink > 1:
            raise WorkspaceError(
                tr("{file} is the same file as another one elsewhere (a hard link).", file=file),
                tr("Work on a copy: clew backup WORKSPACE TARGET"),
            )


def writable(path: Path) -> bool:
    """Whether the file, if it is there, and its folder can be written: of the folder only a try tells."""
    if path.exists() and not os.access(path, os.W_OK):
        return False
    probe = path.with_name(f".{path.name}.probe-{secrets.token_hex(8)}")
    try:
        os.close(open_regular(probe, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        probe.unlink()
    except OSError as error:
        # A full disk is no closed one: SQLite tells it when it matters.
        return error.errno in (errno.ENOSPC, errno.EDQUOT)
    return True


def reading(path: Path) -> str:
    """What an URI of SQLite says after its `?`, so that reading changes no byte; "" where that cannot be."""
    log, shared = sides(path)
    found = _found(log)
    if found and _found(shared):
        # Beside a writer, or after one that was killed: what its log holds counts, its index is only read.
        return "mode=ro&readonly_shm=1"
    return "" if found and found.st_size else f"mode=ro&{ALONE}"


def sides(path: Path) -> tuple[Path, Path]:
    """SQLite's write-ahead log and its index, which all processes that have the database open share."""
    return path.with_name(f"{path.name}-wal"), path.with_name(f"{path.name}-shm")


def _found(path: Path) -> os.stat_result | None:
    """One look: a writer that ends takes its files along between two."""
    try:
        return os.lstat(path)
    except FileNotFoundError:
        return None


# ------------------------------------------------------------ locks


WRITER = "writer.lock"
WINDOW = "window.lock"
_POLL = 0.02  # seconds
_PATIENCE = 0.5  # seconds; whoever only looks whether a lock is held lets go of it at once
_LOCKED_ERRNOS = {errno.EAGAIN, errno.EWOULDBLOCK, errno.EACCES, errno.EDEADLK}


class FileLock:
    """A lock on one file of a workspace folder. Held until `release`, or until the process ends."""

    def __init__(self, path: Path, doing: str) -> None:
        """`doing` completes "the workspace is being ...": "indexed", "repaired"."""
        self.path = path
        self.doing = doing
        self._file: int | None = None

    def acquire(self, patience: float = _PATIENCE) -> bool:
        """False when another holds it for `patience` seconds. Raises WorkspaceError when the disk is full."""
        with explained(self.path.parent):
            file = _opened(self.path)
        end = time.monotonic() + patience
        while not _lock(file):
            if time.monotonic() >= end:
                os.close(file)
                return False
            time.sleep(_POLL)
        self._file = file
        _write(file, f"{os.getpid()}\n{platform.node()}\n{datetime.now():%Y-%m-%d %H:%M}\n{self.doing}\n")
        return True

    def release(self) -> None:
        """Let go; safe to call twice."""
        if self._file is None:
            return
        _write(self._file, "")
        # Closing lets go of the lock. The file stays: a new one of its name would be another lock.
        os.close(self._file)
        self._file = None


class WriterLock:
    """`with WriterLock(folder, "indexed"):` around all that writes more than one transaction."""

    def __init__(self, folder: Path, doing: str = mark("indexed"), patience: float = _PATIENCE) -> None:
        self._folder = folder
        self._patience = patience
        self._lock = FileLock(folder / WRITER, doing)

    def __enter__(self) -> WriterLock:
        """Raises WorkspaceError when another process writes."""
        if not self._lock.acquire(self._patience):
            words = lock_holder(self._folder) or tr(
                "being {doing} by another process", doing=tr(self._lock.doing)
            )
            raise WorkspaceError(
                tr("The workspace {folder} is {words}.", folder=self._folder, words=words),
                tr("Wait until it has finished, or stop it, then try again."),
            )
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._lock.release()


def claimed_window(folder: Path) -> tuple[FileLock | None, str]:
    """The lock of the only window that may write, or in words who has it; neither where nothing may be written."""
    if not folder.is_dir() or not os.access(folder, os.W_OK):
        return None, ""
    window = FileLock(folder / WINDOW, mark("worked on"))
    if window.acquire():
        return window, ""
    return None, lock_holder(folder, WINDOW) or tr("being worked on by another process")


def lock_holder(folder: Path, name: str = WRITER) -> str | None:
    """Who holds a lock of a workspace, in words that complete "the workspace is ...", or None.

    "being indexed by process 4711 since 14:02"
    """
    path = folder / name
    try:
        file = open_regular(path, os.O_RDWR if sys.platform == "win32" else os.O_RDONLY)
    except OSError:
        return None
    try:
        if _lock(file, shared=True):
            return None
        return _words(os.read(file, 4096).decode("utf-8", "replace").split("\n"))
    except OSError:
        return None
    finally:
        os.close(file)


def _words(lines: list[str]) -> str:
    """The holder's note in words; it may be half written."""
    if len(lines) < 4 or not lines[0].isdecimal():
        return tr("being written by another process")
    process, host, begun, doing = lines[:4]
    day, _, hour = begun.partition(" ")
    since = hour if day == f"{datetime.now():%Y-%m-%d}" else begun
    words = {"doing": tr(doing), "process": process, "host": host, "since": since}
    if host == platform.node():
        return tr("being {doing} by process {process} since {since}", **words)
    return tr("being {doing} by process {process} on {host} since {since}", **words)


def _opened(path: Path) -> int:
    """The lock file, made where it is missing; one that another person owns is opened for reading."""
    try:
        return open_regular(path, os.O_RDWR | os.O_CREAT)
    except PermissionError:
        if not path.exists():
            raise
        return open_regular(path)


def _lock(file: int, shared: bool = False) -> bool:
    """Try once. True also where the file system knows no locks."""
    try:
        if sys.platform == "win32":
            import msvcrt

            # A byte far behind the text, so that others can read who holds it.
            os.lseek(file, 1 << 30, os.SEEK_SET)
            msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
            os.lseek(file, 0, os.SEEK_SET)
        else:
            import fcntl

            fcntl.flock(file, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
    except OSError as error:
        return error.errno not in _LOCKED_ERRNOS
    return True


def _write(file: int, text: str) -> None:
    # Only a message: a full disk or a file of another owner must not stop the work.
    with contextlib.suppress(OSError):
        os.ftruncate(file, 0)
        os.lseek(file, 0, os.SEEK_SET)
        os.write(file, text.encode("utf-8", "replace"))
