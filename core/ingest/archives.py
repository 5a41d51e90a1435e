"""Unpacks archives in memory, within bounds: zip, tar, and what gzip, bzip2 and xz pack."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePath
from typing import Protocol

from core.errors import DocumentError
from core.ingest import media
from core.ingest.source_files import SYSTEM
from core.text.translation import tr

MOST_PARTS = 10_000  # of one file, those of archives within it included
TIMES_LIMIT = 5  # all parts together may have so many times the size that one file may have
RATIO = 200  # unpacked size over packed size; text packs up to about 20 to 1, logs to 100 to 1
RATIO_FROM = 100_000_000  # bytes; below it the ratio does not matter
DAMAGED = (
    zipfile.BadZipFile,
    tarfile.TarError,
    zlib.error,
    lzma.LZMAError,
    EOFError,
    OSError,
    ValueError,
    NotImplementedError,
    RuntimeError,
    KeyError,
    IndexError,
)


class Spent(DocumentError):
    """The file unpacks to more than may be read of it; what was read so far stands."""


class Budget:
    """What may still be unpacked out of one file."""

    def __init__(self, packed: int, max_file_mb: int) -> None:
        """`packed` is the file's size in bytes."""
        self.largest = max_file_mb * 1_000_000  # bytes of one part
        self._packed = packed
        self._bytes = 0
        self._parts = 0

    def unpacked(self, size: int) -> None:
        """Count so many bytes. Raises Spent."""
        self._bytes += size
        if self._bytes > TIMES_LIMIT * self.largest:
            raise Spent(
                tr(
                    "It unpacks to more than {times_limit} MB; the rest was not read.",
                    times_limit=TIMES_LIMIT * self.largest // 1_000_000,
                ),
                tr("Unpack it by hand."),
            )
        if self._bytes > RATIO_FROM and self._bytes > RATIO * self._packed:
            raise Spent(
                tr(
                    "It unpacks to more than {ratio} times its size, as a bomb does; the rest was not read.",
                    ratio=RATIO,
                ),
                tr("If you trust it, unpack it by hand."),
            )

    def part(self) -> None:
        """Count one part. Raises Spent."""
        self._parts += 1
        if self._parts > MOST_PARTS:
            raise Spent(
                tr("It holds more than {most_parts} files; the rest was not read.", most_parts=MOST_PARTS),
                tr("Unpack it by hand."),
            )

    def check(self, size: int) -> None:
        """Raises DocumentError when one part is larger than a file may be."""
        if size > self.largest:
            raise DocumentError(
                tr(
                    "The file has {size} MB; the limit is {largest} MB.",
                    size=f"{size / 1e6:,.0f}",
                    largest=self.largest // 1_000_000,
                ),
                tr("Split it into smaller files."),
            )


@dataclass(frozen=True, slots=True)
class Member:
    """A file in an archive, or the reason why it cannot be had."""

    name: str  # as the archive has it
    data: bytes = b""
    error: DocumentError | None = None


def members(kind: str, file: str, data: bytes, budget: Budget) -> Iterator[Member]:
    """The visible files of an archive in its order. Raises DocumentError where it is damaged, Spent."""
    try:
        if kind == media.ZIP:
            yield from _zip(data, budget)
        elif kind == media.TAR:
            yield from _tar(io.BytesIO(data), budget)
        else:
            yield from _packed(kind, file, data, budget)
    except DocumentError:
        raise
    except DAMAGED as error:
        raise _broken(error) from error


def _broken(cause: BaseException) -> DocumentError:
    error = DocumentError(
        tr("The archive is damaged or incomplete."), tr("Get a new copy, or unpack it by hand.")
    )
    error.__cause__ = cause
    return error


def visible(name: str) -> bool:
    """Whether a path has no hidden step; as for files of a folder."""
    steps = name.replace("\\", "/").split("/")
    return not any(
        step.lower() in SYSTEM or step.startswith("~$") or (step.startswith(".") and step.strip("."))
        for step in steps
    )


def _zip(data: bytes, budget: Budget) -> Iterator[Member]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for item in archive.infolist():
            name = _zip_name(item)
            linked = stat.S_ISLNK(item.external_attr >> 16)
            if item.is_dir() or linked or not visible(name):
                continue
            budget.part()
            yield _zip_member(archive, item, name, budget)


def _zip_member(archive: zipfile.ZipFile, item: zipfile.ZipInfo, name: str, budget: Budget) -> Member:
    if item.flag_bits & 1:
        return Member(name, error=media.LOCKED)
    try:
        budget.check(item.file_size)
        with archive.open(item) as file:
            content = file.read(budget.largest + 1)  # what it says of its size may be a lie
        budget.unpacked(len(content))
        budget.check(len(content))
    except Spent:
        raise
    except DocumentError as error:
        return Member(name, error=error)
    except DAMAGED as error:
        return Member(name, error=_broken(error))
    return Member(name, content)


def _zip_name(item: zipfile.ZipInfo) -> str:
    """Names without the mark for UTF-8 are UTF-8 all the same more often than code page 437."""
    if item.flag_bits & 0x800:
        return item.filename
    try:
        return item.filename.encode("cp437").decode("utf-8")
    except UnicodeError:
        return item.filename


class _Source(Protocol):
    def read(self, size: int = ..., /) -> bytes: ...


def _tar(source: _Source, budget: Budget) -> Iterator[Member]:
    """Read as a stream, so that nothing is unpacked twice."""
    with tarfile.open(fileobj=source, mode="r|", errors="surrogateescape") as archive:  # type: ignore[call-overload]
        for item in archive:
            name = str(item.name).encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
            if not item.isfile() or not visible(name):
                continue
            budget.part()
            try:
                budget.check(item.size)
            except DocumentError as error:
                yield Member(name, error=error)
                continue
            file = archive.extractfile(item)
            yield Member(name, file.read() if file is not None else b"")


def _packed(kind: str, file: str, data: bytes, budget: Budget) -> Iterator[Member]:
    """What gzip, bzip2 or xz packed: a tar archive or one file."""
    counted = _Counted(_unpacking(kind, data), budget)
    if counted.peek(512)[257:262] == b"ustar":
        yield from _tar(counted, budget)
        return
    budget.part()
    content = counted.read(budget.largest + 1)
    budget.check(len(content))
    yield Member(PurePath(file).stem or "content", content)


def _unpacking(kind: str, data: bytes) -> _Source:
    if kind == media.GZIP:
        return gzip.GzipFile(fileobj=io.BytesIO(data))
    if kind == media.BZIP2:
        return bz2.BZ2File(io.BytesIO(data))
    return lzma.LZMAFile(io.BytesIO(data))


class _Counted:
    """A stream that tells the budget what it gives."""

    def __init__(self, source: _Source, budget: Budget) -> None:
        self._source = source
        self._budget = budget
        self._head = b""

    def peek(self, size: int) -> bytes:
        """The first bytes, which `read` gives again."""
        self._head = self._source.read(size)
        self._budget.unpacked(len(self._head))
        return self._head

    def read(self, size: int = -1, /) -> bytes:
        head, self._head = (self._head, b"") if size < 0 else (self._head[:size], self._head[size:])
        rest = self._source.read(size - len(head) if size >= 0 else -1)
        self._budget.unpacked(len(rest))
        return head + rest
