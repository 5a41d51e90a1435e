"""Arrays in one file that is mapped into memory: several processes read the same pages, and opening reads hardly any.

The file is written whole or not at all. Its head says what it was made of (the stamp), where each array lies, and what
its bytes hash to; the head is sealed by this machine's secret, so a file that came with somebody else's workspace is
not read. Arrays of numbers that lead somewhere (rows, offsets) are checked against their hashes when the file is
opened, since compiled loops follow them without a look; `large` ones, whose bytes can be no more than wrong, only by
`fault`.
"""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import json
import os
import weakref
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from core.errors import WorkspaceError
from core.files.personal import machine_secret
from core.files.safe_files import open_regular
from core.text.translation import tr

Arrays = dict[str, NDArray[Any]]
_BEGIN = b"CLEWARR1"
_ALIGNED = 64  # bytes, a line of the processor's cache
_LONGEST_HEAD = 1 << 24  # bytes
_KINDS = "biuf"  # of numbers: nothing else is read
_BLOCK = 1 << 24  # bytes hashed at once
_READ = 1 << 19  # bytes read to be hashed, which the processor's cache holds


class FileRows:
    """Rows of an array, (n, d), of a file that is open, read where they are asked for.

    Of rows taken here and there mapping brings along the pages around each: a hundred times what is read, which then
    counts as in use.
    """

    def __init__(self, file: int, place: int, shape: tuple[int, int], kind: np.dtype[Any]) -> None:
        """`place`: of the first byte in the file. The descriptor is copied."""
        self.shape, self.dtype, self._place = shape, kind, place
        self._width = shape[1] * kind.itemsize
        self._file = os.dup(file)
        weakref.finalize(self, os.close, self._file)

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, at: NDArray[np.integer[Any]] | slice) -> NDArray[Any]:
        """These rows, (m, d), not to be written. Raises OSError where the file has become shorter."""
        rows = np.arange(*at.indices(len(self))) if isinstance(at, slice) else at.astype(np.int64)
        # Those that follow one another are read together.
        breaks = np.flatnonzero(rows[1:] != rows[:-1] + 1) + 1
        first = np.concatenate([rows[:1], rows[breaks]])
        counts = np.diff(breaks, prepend=0, append=len(rows)) if len(rows) else first
        wanted = zip(
            (counts * self._width).tolist(), (self._place + first * self._width).tolist(), strict=True
        )
        raw = b"".join([os.pread(self._file, size, place) for size, place in wanted])
        if len(raw) != len(rows) * self._width:
            raise OSError("The file has become shorter.")
        return np.frombuffer(raw, self.dtype).reshape(len(rows), self.shape[1])


@dataclass(frozen=True, slots=True)
class ArrayFile:
    """`stamp` and `said` as they were given to `write_arrays`; `rows` are those arrays that are read by rows."""

    stamp: Mapping[str, Any]
    metadata: Mapping[str, Any]
    arrays: Arrays
    rows: Mapping[str, FileRows]


def write_arrays(
    path: Path, stamp: Mapping[str, Any], metadata: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]
) -> None:
    """Write the file whole or not at all; `stamp` and `metadata` are plain JSON. Raises OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(".part")
    part.unlink(missing_ok=True)
    contiguous = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    places: dict[str, tuple[str, list[int], int, str]] = {}
    at = 0
    for name, array in contiguous.items():
        places[name] = (array.dtype.str, list(array.shape), at, _hash(array))
        at += -(-array.nbytes // _ALIGNED) * _ALIGNED
    head = json.dumps({"stamp": dict(stamp), "said": dict(metadata), "arrays": places}).encode()
    start = _start(len(head))
    # Mapped pages follow the file that they were read from: it is replaced, never changed.
    # Of two that write at once, the part of the first is unlinked, and it puts nothing in place.
    with open(open_regular(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL), "wb") as file:
        try:
            file.write(_BEGIN + len(head).to_bytes(8, "little") + _seal(head) + head)
            for (_, _, place, _), array in zip(places.values(), contiguous.values(), strict=True):
                file.seek(start + place)
                file.write(_raw(array))
            file.truncate(start + at)
            file.flush()
            os.fsync(file.fileno())
            if not os.path.samestat(os.fstat(file.fileno()), part.stat()):
                raise FileExistsError(part)
            os.replace(part, path)
        except FileExistsError:
            raise
        except BaseException:
            with contextlib.suppress(OSError):
                part.unlink()
            raise


def open_arrays(
    path: Path, stamp: Mapping[str, Any] | None, large: Collection[str] = (), by_rows: Collection[str] = ()
) -> ArrayFile | None:
    """The file, its arrays mapped and not to be written; None where it is missing, of another stamp or not to be
    trusted. `stamp` None: of any. `large`: arrays whose bytes are not checked. `by_rows`: those of two dimensions that
    are not mapped, where the system can read at a place."""
    try:
        return _opened(path, stamp, large, by_rows if hasattr(os, "pread") else ())
    except (OSError, WorkspaceError, ValueError, TypeError, KeyError, RecursionError):
        return None


def read_head(path: Path) -> tuple[Mapping[str, Any], Mapping[str, Any]] | None:
    """Stamp and what else the file says, without a look at its arrays; None where `open_arrays` would give None for
    its head."""
    try:
        with open(open_regular(path), "rb") as file:
            if (head := _head(file)) is None:
                return None
            header = json.loads(head)
            return header["stamp"], header["said"]
    except (OSError, WorkspaceError, ValueError, TypeError, KeyError, RecursionError):
        return None


def fault(path: Path) -> str | None:
    """Whether every byte of a file of this machine is as it was written: "" for yes, else what is wrong.

    None where there is no file, or one that nobody reads, since this machine did not write its head.
    """
    try:
        if not path.is_file():
            return None
        with open(open_regular(path), "rb") as file:
            if _head(file) is None:
                return None
        return "" if _opened(path, None, (), ()) is not None else tr("it is not as it was written")
    except (OSError, WorkspaceError, ValueError, TypeError, KeyError, RecursionError):
        return tr("it cannot be read")


def array_bytes(path: Path) -> dict[str, int]:
    """Bytes of each array of a file of this machine, by name. Raises WorkspaceError, OSError, ValueError."""
    with open(open_regular(path), "rb") as file:
        if (head := _head(file)) is None:
            raise ValueError("No array file of this machine.")
    arrays = json.loads(head)["arrays"].items()
    return {name: int(np.prod(shape)) * np.dtype(kind).itemsize for name, (kind, shape, _, _) in arrays}


def _opened(
    path: Path, stamp: Mapping[str, Any] | None, large: Collection[str], by_rows: Collection[str]
) -> ArrayFile | None:
    with open(open_regular(path), "rb") as file:  # one file throughout: another may come in its place
        if (head := _head(file)) is None:
            return None
        length, header = len(head), json.loads(head)
        if stamp is not None and header["stamp"] != json.loads(json.dumps(dict(stamp))):
            return None
        size, start = os.fstat(file.fileno()).st_size, _start(length)
        # As plain arrays: each look into a memmap makes a memmap anew, at five times the cost.
        pages = np.asarray(np.memmap(file, np.uint8, "r")) if size > start else np.zeros(size, np.uint8)
        arrays, rows = Arrays(), dict[str, FileRows]()
        for name, (kind, shape, place, hashed) in header["arrays"].items():
            dtype, first = np.dtype(kind), start + place
            end = first + int(np.prod(shape, dtype=np.int64)) * dtype.itemsize
            if dtype.kind not in _KINDS or end > size:
                return None
            if name not in large and _hash_within(file, first, end) != hashed:
                return None
            if name in by_rows and len(shape) == 2 and shape[0]:
                rows[name] = FileRows(file.fileno(), first, (shape[0], shape[1]), dtype)
            else:
                arrays[name] = pages[first:end].view(dtype).reshape(shape)
    return ArrayFile(header["stamp"], header["said"], arrays, rows)


def _head(file: BinaryIO) -> bytes | None:
    """What a file that was just opened says of itself; None where this machine did not write it."""
    begin = file.read(len(_BEGIN) + 8 + 16)
    length = int.from_bytes(begin[len(_BEGIN) : len(_BEGIN) + 8], "little")
    if not begin.startswith(_BEGIN) or length > _LONGEST_HEAD:
        return None
    head = file.read(length)
    return head if hmac.compare_digest(_seal(head), begin[-16:]) else None


def _start(head: int) -> int:
    """Where arrays begin behind a head of so many bytes."""
    return -(-(len(_BEGIN) + 8 + 16 + head) // _ALIGNED) * _ALIGNED


def _seal(head: bytes) -> bytes:
    return hashlib.blake2b(head, key=machine_secret(), digest_size=16).digest()


def _hash(array: NDArray[Any]) -> str:
    found = hashlib.blake2b(digest_size=16)
    raw = _raw(array)
    for at in range(0, len(raw), _BLOCK):
        found.update(raw[at : at + _BLOCK])
    return found.hexdigest()


def _hash_within(file: BinaryIO, first: int, end: int) -> str:
    """What `_hash` gives of the array that lies there; read, since what is mapped to be checked stays in memory."""
    found, block = hashlib.blake2b(digest_size=16), memoryview(bytearray(min(_READ, max(1, end - first))))
    file.seek(first)
    while first < end:
        count = file.readinto(block[: min(len(block), end - first)])  # type: ignore[attr-defined]
        if not count:
            raise OSError("The file has become shorter.")
        found.update(block[:count])
        first += count
    return found.hexdigest()


def _raw(array: NDArray[Any]) -> memoryview:
    """Its bytes, (b,)."""
    return np.ascontiguousarray(array).reshape(-1).view(np.uint8).data
