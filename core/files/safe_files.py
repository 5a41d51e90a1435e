"""Open files that may have come from somebody else: no links, pipes or devices, bounded JSON. Write files whole."""

from __future__ import annotations

import contextlib
import errno
import json
import math
import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path

from core.errors import BadInput, WorkspaceError
from core.text.translation import tr

# Windows has none of these; links need privileges there.
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
_GUARDS = _NO_LINK | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOCTTY", 0)
_WRITES = os.O_WRONLY | os.O_RDWR
JSON_BYTES = 256_000_000  # of a file of JSON that a person names
JSON_DEPTH = 40  # brackets inside each other
_BRACKETS = re.compile(r'"(?:[^"\\]|\\.)*+"?+|([\[{])|[\]}]', re.DOTALL)
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]|[\ud800-\udfff]")
# What reading a record out of JSON of another shape raises.
WRONG_SHAPE = (ValueError, TypeError, KeyError, IndexError, AttributeError, OverflowError)


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
def new_file(target: Path, replace: bool = False) -> Iterator[Path]:
    """Where to write a file that is put at `target` once the block has ended well, and else is gone.

    Raises BadInput for what is there and not to be replaced, WorkspaceError where it cannot be written.
    """
    if target.exists() and not (replace and target.is_file()):
        raise BadInput(tr("{path} exists already.", path=target), tr("Choose another name."))
    staging = target.with_name(f".{target.name}.new{target.suffix}")
    try:
        staging.unlink(missing_ok=True)  # of a process that was killed
        yield staging
        os.replace(staging, target)
    except OSError as fault:
        raise WorkspaceError(
            tr("{path} cannot be written: {why}.", path=target, why=fault.strerror),
            tr("Choose a place of your own with room in it."),
        ) from fault
    finally:
        with contextlib.suppress(OSError):
            staging.unlink(missing_ok=True)


def read_file(source: Path, most: int) -> bytes:
    """All of a file that a person names, links followed.

    Raises BadInput for what is no regular file, holds more than `most` bytes or cannot be read.
    """
    try:
        if source.exists() and not source.is_file():
            raise BadInput(tr("{file} is no file.", file=source), tr("Choose a file that Clew wrote."))
        with open(source, "rb") as file:
            # A sparse file says gigabytes and holds nothing; another says nothing and does not end.
            large = os.fstat(file.fileno()).st_size > most
            data = b"" if large else file.read(most + 1)
    except OSError as fault:
        raise BadInput(
            tr("{file} cannot be read ({why}).", file=source, why=fault.strerror), tr("Choose another file.")
        ) from fault
    if large or len(data) > most:
        raise BadInput(
            tr("{file} has more than {size} MB.", file=source, size=most // 1_000_000),
            tr("Divide it into several files."),
        )
    return data


def read_json(source: Path, remedy: str, most: int = JSON_BYTES) -> object:
    """Return the JSON of a file that a person names.

    Raises BadInput, one line, for no regular file, more than `most` bytes, or what `parse_json` refuses.
    """
    try:
        return parse_json(read_file(source, most))
    except ValueError as error:
        raise BadInput(tr("{file} cannot be read: {why}.", file=source, why=error), remedy) from error


def read_json_lines(source: Path, remedy: str, most: int = JSON_BYTES) -> Iterator[tuple[object, str]]:
    """Yield what stands in each line of a file, with words that say where; empty lines are passed over.

    Raises BadInput as `read_json`, naming the line.
    """
    # Not splitlines(): JSON may hold line separators of Unicode as they are.
    for number, line in enumerate(
        read_file(source, most).removeprefix(b"\xef\xbb\xbf").split(b"\n"), start=1
    ):
        if not line.strip():
            continue
        where = tr("{file}, line {number}", file=source, number=number)
        try:
            yield parse_json(line), where
        except ValueError as error:
            raise BadInput(tr("{where} cannot be read: {why}.", where=where, why=error), remedy) from error


def parse_json(text: str | bytes, depth: int = JSON_DEPTH) -> object:
    """Return what a stranger's JSON holds: finite numbers, text that can be stored, at most `depth` brackets deep.

    Raises ValueError that says in words what is wrong. Linear in the length of the text.
    """
    try:
        text = text.decode("utf-8-sig") if isinstance(text, bytes) else text
    except UnicodeDecodeError as error:
        raise ValueError(tr("it is no text in UTF-8")) from error
    if _deeper(text, depth):
        raise ValueError(tr("it is nested too deep (more than {depth})", depth=depth))
    try:
        value = json.loads(text, parse_constant=_not_finite, parse_float=_finite, parse_int=_integer)
    except json.JSONDecodeError as error:
        raise ValueError(
            tr("it is no JSON (line {line}, column {column})", line=error.lineno, column=error.colno)
        ) from error
    if _SURROGATE.search(text):
        _check_text(value)
    return value


def _deeper(text: str, depth: int) -> bool:
    if text.count("[") + text.count("{") <= depth:
        return False
    level = 0
    for found in _BRACKETS.finditer(text):
        if found[1]:
            level += 1
            if level > depth:
                return True
        elif found[0] in "]}":
            level -= 1
    return False


def _check_text(value: object) -> None:
    """Raise ValueError for half of a surrogate pair, which no database and no terminal takes."""
    if isinstance(value, str):
        try:
            value.encode("utf-8")
        except UnicodeEncodeError as error:
            raise ValueError(tr("a text in it holds half of a character")) from error
    elif isinstance(value, dict):
        for name, part in value.items():
            _check_text(name)
            _check_text(part)
    elif isinstance(value, list):
        for part in value:
            _check_text(part)


def _not_finite(name: str) -> float:
    raise ValueError(tr("{number} is no number", number=name))


def _finite(digits: str) -> float:
    number = float(digits)
    return number if math.isfinite(number) else _not_finite(digits[:20])


def _integer(digits: str) -> int:
    if len(digits) > 17 or abs(int(digits)) > 2**53:  # beyond it numbers of JSON are not exact
        raise ValueError(tr("{number} is no number", number=f"{digits[:20]}\u2026"))
    return int(digits)


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
