"""Opens files in a folder that may have come from somebody else: no links, no pipes, no devices. Writes files whole."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Iterator
from pathlib import Path

from core.errors import BadInput, WorkspaceError
from core.translation import tr

# Windows has none of these; links need privileges there.
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
_GUARDS = _NO_LINK | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOCTTY", 0)
_WRITES = os.O_WRONLY | os.O_RDWR


def open_regular(path: Path, flags: int = os.O_RDONLY, mode: int = 0o644) -> int:
    """A descriptor of a regular file. To write, the file must have no second name and be ours or the folder's owner's.

    Never truncates: `flags` hold no O_TRUNC. Raises WorkspaceError for a link, pipe, device or folder in its
    place, PermissionError for a file of another person, OSError as `os.open` does.
    """
    try:
        file = os.open(path, flags | _GUARDS, mode)
    except OSError as error:
        # A pipe nobody reads (ENXIO) and a socket (ENXIO, EOPNOTSUPP) cannot be opened; a link gives ELOOP.
        kind = strange(path)
        if kind and error.errno in (errno.ELOOP, errno.EMLINK, errno.ENXIO, errno.EOPNOTSUPP, errno.EISDIR):
            raise refused(path, kind) from error
        raise
    try:
        found = os.fstat(file)
        if kind := _kind(found):
            raise refused(path, kind)
        if flags & _WRITES:
            _check_owned(path, found)
    except BaseException:
        os.close(file)
        raise
    return file


@contextlib.contextmanager
def whole_file(target: Path, replace: bool = False) -> Iterator[Path]:
    """Where to write a file that is put at `target` once the block has ended well, and else is gone.

    Raises BadInput for what is there and not to be replaced, WorkspaceError where it cannot be written.
    """
    if target.exists() and not (replace and target.is_file()):
        raise BadInput(tr("{path} exists already.", path=target), tr("Choose another name."))
    beside = target.with_name(f".{target.name}.new{target.suffix}")
    try:
        beside.unlink(missing_ok=True)  # of a process that was killed
        yield beside
        os.replace(beside, target)
    except OSError as fault:
        raise WorkspaceError(
            tr("{path} cannot be written: {why}.", path=target, why=fault.strerror),
            tr("Choose a place of your own with room in it."),
        ) from fault
    finally:
        with contextlib.suppress(OSError):
            beside.unlink(missing_ok=True)


def given_file(source: Path, most: int) -> bytes:
    """All of a file that a person names, links followed.

    Raises BadInput for what is no regular file, holds more than `most` bytes or cannot be read.
    """
    try:
        if source.exists() and not source.is_file():
            raise BadInput(tr("{file} is no file.", file=source), tr("Choose a file that Clew wrote."))
        with open(source, "rb") as file:
            data = file.read(most + 1)  # what it says of its size may be wrong
    except OSError as fault:
        raise BadInput(
            tr("{file} cannot be read ({why}).", file=source, why=fault.strerror), tr("Choose another file.")
        ) from fault
    if len(data) > most:
        raise BadInput(
            tr("{file} has more than {size} MB.", file=source, size=most // 1_000_000),
            tr("Divide it into several files."),
        )
    return data


def strange(path: Path) -> str:
    """What stands at `path` where a regular file or nothing should, in words; "" for those."""
    try:
        return _kind(os.lstat(path))
    except OSError:
        return ""


def refused(path: Path, kind: str) -> WorkspaceError:
    """What is told of anything but a regular file in a workspace."""
    return WorkspaceError(
        tr("{path} is {kind}; a workspace holds plain files only.", path=path, kind=kind),
        tr("Delete it if you do not know it, or do not use a workspace that you do not trust."),
    )


def _kind(found: os.stat_result) -> str:
    mode = found.st_mode
    kinds = (
        (stat.S_ISLNK, tr("a symbolic link")),
        (stat.S_ISFIFO, tr("a named pipe")),
        (stat.S_ISSOCK, tr("a socket")),
        (stat.S_ISDIR, tr("a folder")),
    )
    words = next((words for holds, words in kinds if holds(mode)), tr("a device"))
    return "" if stat.S_ISREG(mode) else words


def _check_owned(path: Path, found: os.stat_result) -> None:
    """A file with another name elsewhere, or of a third person, is not written."""
    if found.st_nlink > 1:
        raise refused(path, tr("the same file as another one elsewhere (a hard link)"))
    if os.name == "posix" and found.st_uid not in (os.geteuid(), path.parent.stat().st_uid):
        raise PermissionError(errno.EACCES, tr("it belongs to another person"), str(path))
