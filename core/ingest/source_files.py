"""Files of a folder: which names are no documents, and how one is opened: regular files, none that a link leads to."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from typing import BinaryIO

from core.errors import DocumentError
from core.text.translation import tr

NO_FILE = DocumentError(tr("This is not a file."), tr("Only files can be read; take it out of the folder."))
LINKED = DocumentError(
    tr("A link has taken the place of the file or of a folder above it; it is not followed."),
    tr("Index again; set reading.follow_links=true if you want links read."),
)
# Windows has none of these; a link needs privileges there.
_GUARDS = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOCTTY", 0)
_NO_LINK, _FOLDER = getattr(os, "O_NOFOLLOW", 0), getattr(os, "O_DIRECTORY", 0)
# Hidden files, locks, and what programs leave while they write are no documents.
SYSTEM = frozenset({"thumbs.db", "desktop.ini", "__macosx"})
_DOWNLOADS = frozenset(
    {".part", ".partial", ".crdownload", ".download", ".opdownload", ".aria2", ".filepart"}
)
_SCRATCH = frozenset({".tmp", ".temp", ".swp", ".swx", ".swo"})
_UNFINISHED = _DOWNLOADS | _SCRATCH


def left_out(name: str) -> bool:
    """Whether a file or folder of this name (no path) is none of the person's documents."""
    low = name.lower()
    return (
        low.startswith((".", "~$"))
        or low.endswith("~")
        or (low.startswith("#") and low.endswith("#"))
        or low in SYSTEM
        or _ending(low) in _UNFINISHED
    )


def is_download(name: str) -> bool:
    """Whether a file of this name (no path) is a download on its way."""
    return _ending(name.lower()) in _DOWNLOADS


def _ending(name: str) -> str:
    # No path is made of it: this is asked of every file in every run.
    return name[name.rfind(".") :] if "." in name else ""


def open_source(path: Path, inside: Path | None = None) -> BinaryIO:
    """A regular file, open to be read. No step below the folder `inside` may be a link; None: any may.

    What was a file when the folder was looked through may be a link or a pipe by now, so every step is
    opened from the one before it. Raises DocumentError for what is no regular file, OSError.
    """
    # Opening a pipe or a device does something to it, so it is looked at first; what is opened is looked at again.
    if not stat.S_ISREG(path.stat().st_mode):
        raise NO_FILE
    flags = os.O_RDONLY | _GUARDS | getattr(os, "O_BINARY", 0)
    if inside is None or os.open not in os.supports_dir_fd:
        handle = os.open(path, flags)
    elif not path.is_relative_to(inside):
        raise LINKED
    else:
        handle = _opened_below(inside, path.relative_to(inside).parts, flags | _NO_LINK)
    try:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise NO_FILE
    except BaseException:
        os.close(handle)
        raise
    return os.fdopen(handle, "rb")


def read_source(path: Path, inside: Path | None, max_mb: int) -> bytes:
    """The content of a file as `open_source` opens it. Raises DocumentError also where it has more than `max_mb` MB."""
    try:
        with open_source(path, inside) as file:
            size = os.fstat(file.fileno()).st_size
            if size > max_mb * 1_000_000:
                raise DocumentError(
                    tr(
                        "The file has {size} MB; the limit is {max_file_mb} MB.",
                        size=f"{size / 1e6:,.0f}",
                        max_file_mb=max_mb,
                    ),
                    tr("Split it into smaller files."),
                )
            return file.read()
    except OSError as error:
        raise _unreadable(error) from error


def _opened_below(folder: Path, steps: tuple[str, ...], flags: int) -> int:
    at = os.open(folder, os.O_RDONLY | _FOLDER | _GUARDS)
    try:
        for step in steps[:-1]:
            child_fd = os.open(step, os.O_RDONLY | _FOLDER | _NO_LINK | _GUARDS, dir_fd=at)
            os.close(at)
            at = child_fd
        return os.open(steps[-1], flags, dir_fd=at)
    except OSError as error:
        if error.errno in {errno.ELOOP, errno.EMLINK, errno.ENOTDIR}:
            raise LINKED from error
        raise
    finally:
        os.close(at)


def _unreadable(error: OSError) -> DocumentError:
    if error.errno in {errno.EACCES, errno.EPERM}:
        return DocumentError(
            tr("You have no permission to read the file."), tr("Ask its owner for the right to read it.")
        )
    if error.errno in {errno.ENOENT, errno.ENOTDIR}:
        return DocumentError(
            tr("The file disappeared while it was being read."), tr("Put it back, or index again.")
        )
    words = (error.strerror or str(error)).lower()
    return DocumentError(
        tr("The file cannot be read: {words}.", words=words),
        tr("Check the disk or the network folder, then try again."),
    )
