"""Finds the files of a folder, safely: no loops, nothing that blocks when it is opened."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from core.errors import BadInput
from core.ingest.source_files import left_out
from core.progress import TaskContext
from core.text.escape_controls import readable
from core.text.translation import tr

LINK = "link to "  # how the signature of a link begins that is not followed
WORKSPACE_FILE = "clew.db"  # a folder that holds it is a workspace, not a source
_LATEST = 2**63 - 1  # nanoseconds since 1970: the year 2262


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A file of the folder; with a `reason` it is a place that could not be looked into."""

    path: Path
    relative: str  # with forward slashes; bytes that are no UTF-8 as \\xNN, so that it can be stored
    size: int  # bytes
    modified_ns: int
    signature: str = ""  # of its status: the same as long as nobody wrote to it
    reason: str = ""
    remedy: str = ""


def scan(folder: Path, context: TaskContext, follow_links: bool = False) -> list[FoundFile]:
    """All visible regular files below `folder`, sorted by relative path.

    Left out: hidden files and folders, lock files, half written ones (`left_out`), workspaces, pipes,
    sockets, devices, and links to what lies in the folder: it is found under its own name. Links out of it
    are told and not followed, or followed with `follow_links`; each folder is entered once. `folder` itself
    may be a link. Raises BadInput when it is missing, is a file or cannot be opened; an empty one gives [].
    """
    _check(folder)
    root = folder.resolve()
    found: list[FoundFile] = []
    entered = {_key(root.stat())}
    waiting = [root]
    while waiting:
        directory = waiting.pop()
        try:
            entries = sorted(os.scandir(directory), key=lambda entry: entry.name)
        except OSError as error:
            found.append(_unreadable(directory, root, "folder", error))
            continue
        if directory != root and any(entry.name == WORKSPACE_FILE for entry in entries):
            continue
        for entry in _visible(entries):
            item = _look(entry, root, entered, follow_links)
            if isinstance(item, FoundFile):
                found.append(item)
                context.report("scan", len(found), 0, item.relative)
            elif item is not None:
                waiting.append(item)
        context.check()
    return sorted(found, key=lambda file: file.relative)


def leads_out(folder: Path, context: TaskContext) -> bool:
    """Whether a link in it leads to a folder outside. Raises BadInput as `scan` does."""
    return any(file.signature.startswith(LINK) and file.path.is_dir() for file in scan(folder, context))


def _check(folder: Path) -> None:
    """Raises BadInput unless `folder` is a folder that can be listed."""
    try:
        if not folder.exists():
            raise BadInput(
                tr("There is no folder {folder}.", folder=folder), tr("Check the spelling of its path.")
            )
        if not folder.is_dir():
            raise BadInput(
                tr("{folder} is a file, not a folder.", folder=folder),
                tr("Give the folder that holds your documents."),
            )
        with os.scandir(folder):
            pass
    except OSError as error:
        raise BadInput(
            tr("The folder {folder} cannot be opened: {words}.", folder=folder, words=_words(error)),
            tr("Ask its owner for the right to read it, or choose another folder."),
        ) from error


def _visible(entries: list[os.DirEntry[str]]) -> Iterator[os.DirEntry[str]]:
    for entry in entries:
        if not left_out(entry.name):
            yield entry


def _look(
    entry: os.DirEntry[str], root: Path, entered: set[tuple[int, int]], follow_links: bool
) -> FoundFile | Path | None:
    """The file, the folder to enter next, or None for what is left out."""
    path = Path(entry.path)
    try:
        if entry.is_symlink():
            target = path.resolve()
            if not follow_links and not target.is_relative_to(root):
                return _link_out(path, root, target)  # without so much as a look at what is there
            if target.exists() and (target.is_relative_to(root) or root.is_relative_to(target)):
                return None  # found under its own name, or a loop
        status = entry.stat(follow_symlinks=True)
    except (OSError, RuntimeError) as error:  # RuntimeError: a link that points to itself
        return _unreadable(path, root, "link" if entry.is_symlink() else "file", error)
    if stat.S_ISDIR(status.st_mode):
        if _key(status) in entered:
            return None
        entered.add(_key(status))
        return path
    if not stat.S_ISREG(status.st_mode):
        return None
    signature = f"{status.st_size} {status.st_mtime_ns} {status.st_ctime_ns} {status.st_ino} {status.st_dev}"
    # A file may say any time, also one that no column of a database takes.
    modified = max(-_LATEST, min(status.st_mtime_ns, _LATEST))
    return FoundFile(path, relative_name(path, root), status.st_size, modified, signature)


def _key(status: os.stat_result) -> tuple[int, int]:
    return status.st_dev, status.st_ino


def relative_name(path: Path, root: Path) -> str:
    """`path`, which lies below `root`, relative to it, as UTF-8 can hold it."""
    # Texts, not paths: this is asked of every file in every run.
    relative = str(path)[len(str(root)) :].lstrip(os.sep).replace(os.sep, "/")
    return readable(relative)


def _link_out(path: Path, root: Path, target: Path) -> FoundFile:
    return FoundFile(
        path,
        relative_name(path, root),
        size=0,
        modified_ns=0,
        signature=f"{LINK}{readable(str(target))}",
        reason=tr("This is a link to something outside of the folder; it is not followed."),
        remedy=tr("Copy what you need into the folder, or set reading.follow_links=true."),
    )


def _unreadable(path: Path, root: Path, what: str, error: Exception) -> FoundFile:
    return FoundFile(
        path,
        relative_name(path, root),
        size=0,
        modified_ns=0,
        reason=tr("The {what} cannot be opened: {words}.", what=what, words=_words(error)),
        remedy=tr("Check the {what} and your right to read it, then index again.", what=what),
    )


def _words(error: Exception) -> str:
    """What the system says, without number and path."""
    if isinstance(error, OSError) and error.strerror:
        return error.strerror.lower()
    return tr("it points to itself") if isinstance(error, RuntimeError) else str(error)
