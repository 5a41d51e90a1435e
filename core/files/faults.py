"""Faults of disks and files in words for people."""

from __future__ import annotations

import contextlib
import errno
import shutil
from collections.abc import Iterator
from pathlib import Path

from core.errors import CoreError, WorkspaceError
from core.text.translation import tr

_ROOM = 64 << 10  # bytes; with less free than this a disk is full for every purpose here
_FULL = {errno.ENOSPC, errno.EDQUOT}
_CLOSED = {errno.EACCES, errno.EPERM, errno.EROFS}
_GONE = {errno.ENOENT, errno.ENOTDIR, errno.ESTALE}
_BROKEN = {errno.EIO, errno.ENXIO, errno.ENODEV}


def disk_full(place: Path | str) -> WorkspaceError:
    """What is told when nothing more fits."""
    return WorkspaceError(
        tr("The disk is full ({place}).", place=place),
        tr("Free some space and start again; what was done is kept."),
    )


def disk_broken(place: Path | str) -> WorkspaceError:
    """What is told when reading or writing fails though nothing forbids it; a full disk is named as such."""
    if free_bytes(Path(place)) < _ROOM:
        return disk_full(place)
    return WorkspaceError(
        tr(
            "The disk cannot be read or written at {place}, or a limit on the size of files is reached.",
            place=place,
        ),
        tr("Check the disk and its space, then start again; what was done is kept."),
    )


def free_bytes(place: Path) -> int:
    """Free space where `place` is or will be; a large number where the system does not tell."""
    for folder in (place, *place.parents):
        with contextlib.suppress(OSError):
            return shutil.disk_usage(folder).free
    return 1 << 62


def as_core_error(error: OSError, place: Path | str = "") -> CoreError | None:
    """A fault of the system in words, or None where it is a bug of this program."""
    where = place or error.filename or tr("the output")
    if error.errno in _FULL:
        return disk_full(where)
    if error.errno in _BROKEN or error.errno == errno.EFBIG:
        return disk_broken(where)
    if error.errno in _CLOSED:
        return WorkspaceError(
            tr("{where} cannot be written ({fault}).", where=where, fault=error.strerror),
            tr("Choose a place where you may write, or change its permissions."),
        )
    if error.errno in _GONE:
        return WorkspaceError(
            tr("{where} is not there ({fault}).", where=where, fault=error.strerror),
            tr("Check that the disk is there, then start again."),
        )
    if error.errno in (errno.EEXIST, errno.ELOOP):
        return WorkspaceError(
            tr("{where} exists already or leads nowhere.", where=where), tr("Choose another place.")
        )
    if error.errno in (errno.EMFILE, errno.ENFILE):
        return WorkspaceError(tr("Too many files are open."), tr("Close some programs, then start again."))
    return None


@contextlib.contextmanager
def explained(place: Path) -> Iterator[None]:
    """Raises WorkspaceError for a full, closed, broken or missing disk."""
    try:
        yield
    except OSError as error:
        known = as_core_error(error, place)
        if known is None:
            raise
        raise known from error
