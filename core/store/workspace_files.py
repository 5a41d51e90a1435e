"""The files of a workspace folder, looked at before anything of it is opened: it may come from somebody else."""

from __future__ import annotations

import errno
import os
import secrets
from pathlib import Path

from core.errors import WorkspaceError
from core.files.safe_files import open_regular, refused, strange
from core.text.translation import tr

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
