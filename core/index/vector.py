"""Nearest vectors, exactly or by HNSW.

HNSW through hnswlib, built with the parameters of triple-layer GraphRAG 4.2; derived, stamped, rebuilt when stale.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import hmac
import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from core.errors import WorkspaceError
from core.files.personal import machine_secret
from core.files.safe_files import open_regular
from core.text.translation import tr


class ExactIndex:
    """Nearest neighbours by inner product over a float32 matrix of shape (n, dimension)."""

    def __init__(self, vectors: NDArray[np.float32]) -> None:
        self._vectors = vectors

    def search(self, queries: NDArray[np.float32], k: int) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Rows and similarities of the k nearest, both (n_queries, min(k, n)), best first."""
        similarities = queries @ self._vectors.T
        k = min(k, similarities.shape[1])
        if k == 0:
            empty = np.zeros((len(queries), 0))
            return empty.astype(np.int64), empty.astype(np.float32)
        # Stable on ties: equal passages come in the order of the corpus.
        best = np.argpartition(-similarities, k - 1, axis=1)[:, :k]
        best.sort(axis=1)
        values = np.take_along_axis(similarities, best, axis=1)
        order = np.argsort(-values, axis=1, kind="stable")
        rows = np.take_along_axis(best, order, axis=1)
        return rows.astype(np.int64), np.take_along_axis(values, order, axis=1).astype(np.float32)


Vectors = NDArray[np.float32]
Keys = NDArray[np.int64]

COMMUNITIES, ENTITIES = NAMES = "communities", "entities"  # each in an index of its own
M = 16
EF_CONSTRUCTION = 200
# Twice the paper's: half a millisecond more, and vectors without clusters are found better.
EF_SEARCH = 200
SEED = 7
REBUILD = 0.2  # share of deleted rows from which a file is built anew
_LONGEST_NOTE = 1 << 26  # characters
EXACT_UP_TO = 5_000  # below, one matrix product is as quick and never wrong


@dataclass(frozen=True, slots=True)
class Stamp:
    """What an index file was built from; a file with another stamp is not read."""

    model: str
    dimension: int
    metric: str
    revision: int
    count: int


@dataclass(frozen=True, slots=True)
class IndexFolder:
    """Where index files are kept. `read_only`: those that are there are used, and none is written."""

    path: Path
    read_only: bool = False


class HnswIndex:
    """Approximate nearest neighbours by inner product of unit vectors; grows and shrinks in place."""

    def __init__(self, vectors: Vectors, keys: Keys | None = None, ef_search: int = EF_SEARCH) -> None:
        """`keys` (n,), ascending, name the rows of `vectors` (n, d) in the file; by default their numbers."""
        import hnswlib

        self._vectors = vectors
        self._keys = np.arange(len(vectors)) if keys is None else keys
        self._deleted: set[int] = set()
        self._ef = ef_search
        self._index = hnswlib.Index(space="ip", dim=vectors.shape[1])
        self._index.init_index(max(1, len(vectors)), ef_construction=EF_CONSTRUCTION, M=M, random_seed=SEED)
        # One thread: parallel HNSW builds do not repeat.
        if len(vectors):
            self._index.add_items(vectors, self._keys, num_threads=1)

    @classmethod
    def load(cls, path: Path, vectors: Vectors, keys: Keys, deleted: set[int]) -> HnswIndex:
        """The index of a file that holds these rows and `deleted` ones."""
        import hnswlib

        index = cls.__new__(cls)
        index._vectors, index._keys, index._deleted, index._ef = vectors, keys, deleted, EF_SEARCH
        index._index = hnswlib.Index(space="ip", dim=vectors.shape[1])
        index._index.load_index(str(path), max_elements=max(1, len(keys) + len(deleted)))
        return index

    @classmethod
    def grown(cls, path: Path, vectors: Vectors, keys: Keys, deleted: set[int]) -> HnswIndex | None:
        """The index of an older file, brought to these rows; None when so much is gone that it must be built anew.

        `deleted` are the file's keys that were gone when it was written.
        """
        import hnswlib

        index = cls.__new__(cls)
        index._vectors, index._keys, index._ef = vectors, keys, EF_SEARCH
        index._index = hnswlib.Index(space="ip", dim=vectors.shape[1])
        index._index.load_index(str(path))
        stored = np.array(sorted(set(index._index.get_ids_list()) - deleted), dtype=np.int64)
        gone = np.setdiff1d(stored, keys)
        if len(gone) + len(deleted - set(keys.tolist())) > REBUILD * max(1, len(keys)):
            return None
        # A row key is given again after its row is gone: only the same vector is the same passage.
        common = np.intersect1d(stored, keys)
        items = np.array(index._index.get_items(common.tolist()), dtype=np.float32).reshape(len(common), -1)
        same = common[(items == vectors[np.searchsorted(keys, common)]).all(axis=1)]
        fresh = np.setdiff1d(keys, same)
        for key in gone.tolist():
            index._index.mark_deleted(key)
        index._deleted = (deleted | set(gone.tolist())) - set(keys.tolist())
        index._index.resize_index(max(1, len(keys) + len(index._deleted)))
        if len(fresh):
            index._index.add_items(vectors[np.searchsorted(keys, fresh)], fresh, num_threads=1)
        return index

    @property
    def deleted(self) -> list[int]:
        """Keys in the file that are no rows any more, ascending."""
        return sorted(self._deleted)

    def save(self, path: Path) -> None:
        """Write the file whole or not at all. Raises OSError."""
        part = path.with_suffix(".part")
        part.unlink(missing_ok=True)
        # Native code would write through a link; this file is new.
        os.close(open_regular(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL))
        try:
            self._index.save_index(str(part))
            # hnswlib notices neither a full disk nor one that is closed.
            if part.stat().st_size != self._index.index_file_size():
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(part))
            os.replace(part, path)
        finally:
            part.unlink(missing_ok=True)

    def search(self, queries: Vectors, k: int) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Rows and similarities of the k nearest, both (n_queries, min(k, n)), best first."""
        k = min(k, len(self._keys))
        if k == 0:
            empty = np.zeros((len(queries), 0))
            return empty.astype(np.int64), empty.astype(np.float32)
        self._index.set_ef(max(self._ef, k))
        try:
            found, distances = self._index.knn_query(queries, k=k, num_threads=1)
        except RuntimeError:
            # Deleted neighbours in the way of a large k: hnswlib gives up rather than return fewer.
            return ExactIndex(self._vectors).search(queries, k)
        return np.searchsorted(self._keys, found.astype(np.int64)), (1.0 - distances).astype(np.float32)


def file_of(name: str) -> str:
    """Name of the file that holds an index; its stamp stands beside it, in one with `.json` at the end."""
    return f"{name}.hnsw"


def open_index(
    vectors: Vectors, keys: Keys, stamp: Stamp, folder: IndexFolder | None, name: str = ENTITIES
) -> ExactIndex | HnswIndex:
    """The index over `vectors`, (n, dimension), of the rows `keys`, (n,), ascending.

    Exact when small, else HNSW kept in `folder`: a file of an older revision is brought up to date, at
    the cost of what changed. Without hnswlib (no compiler), or where `folder` cannot be written, it still
    answers.
    """
    if len(vectors) <= EXACT_UP_TO:
        return ExactIndex(vectors)
    try:
        import hnswlib  # noqa: F401
    except ImportError:
        return ExactIndex(vectors)
    if folder is None:
        return HnswIndex(vectors, keys)
    path, note = folder.path / file_of(name), folder.path / f"{file_of(name)}.json"
    previous = _trusted_note(path, note)
    if previous is not None and previous.stamp == stamp:
        return HnswIndex.load(path, vectors, keys, previous.deleted)
    index = None
    if previous is not None and _kind(previous.stamp) == _kind(stamp):
        index = HnswIndex.grown(path, vectors, keys, previous.deleted)
    index = index or HnswIndex(vectors, keys)
    if folder.read_only:
        return index
    # A closed folder or a full disk: the index lives in memory only.
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        note.unlink(missing_ok=True)
        index.save(path)
        record = _Note(stamp, "", set(index.deleted))
        stamped = {**asdict(stamp), "hash": _seal(path, record), "deleted": index.deleted}
        with open(open_regular(note, os.O_WRONLY | os.O_CREAT | os.O_EXCL), "w", encoding="utf-8") as file:
            json.dump(stamped, file)
    return index


def _kind(stamp: Stamp) -> tuple[str, int, str]:
    return stamp.model, stamp.dimension, stamp.metric


def index_fault(folder: Path, stamp: Stamp, name: str = ENTITIES) -> str | None:
    """What is wrong with the file of this index, in words; "" when it is sound, None when there is none.

    A file of an older revision is sound: it is brought up to date when it is opened.
    """
    path = folder / file_of(name)
    if not path.is_file():
        return None
    record = _read_note(folder / f"{file_of(name)}.json")
    if record is None:
        return tr("it has no stamp that can be read")
    if _kind(record.stamp) != _kind(stamp):
        return tr("it was built from other vectors")
    try:
        return "" if _sound(path, record) else tr("it has changed, or was made on another machine")
    except (OSError, WorkspaceError):
        return tr("it cannot be read")


def may_hold_gone(folder: Path, stamp: Stamp, name: str = ENTITIES) -> bool:
    """Whether the file can still hold vectors of rows that are gone: those are marked in it, not erased."""
    record = _read_note(folder / f"{file_of(name)}.json")
    return record is not None and (record.stamp.revision != stamp.revision or bool(record.deleted))


@dataclass(frozen=True, slots=True)
class _Note:
    """What stands in the note beside the file. `seal` covers the rest of it and the file's bytes."""

    stamp: Stamp
    seal: str
    deleted: set[int]


def _read_note(note: Path) -> _Note | None:
    try:
        with open(open_regular(note), encoding="utf-8") as file:
            found = json.loads(file.read(_LONGEST_NOTE))
        seal, deleted = str(found.pop("hash")), {int(key) for key in found.pop("deleted")}
        return _Note(Stamp(**found), seal, deleted)
    except (OSError, WorkspaceError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None


def _trusted_note(path: Path, note: Path) -> _Note | None:
    """What the file holds; None where it is missing or not to be trusted."""
    record = _read_note(note)
    try:
        # Native code follows what stands in the file without a look: only what this machine wrote is read.
        return record if record is not None and _sound(path, record) else None
    except (OSError, WorkspaceError):
        return None


def _sound(path: Path, note: _Note) -> bool:
    return hmac.compare_digest(_seal(path, note).encode(), note.seal.encode("utf-8", "replace"))


def _seal(path: Path, note: _Note) -> str:
    """What nobody can make who does not know this machine's secret, over the file's bytes and what is said of it."""
    words = json.dumps([asdict(note.stamp), sorted(note.deleted)])
    with open(open_regular(path), "rb") as file:
        sealed = hashlib.file_digest(file, lambda: hashlib.blake2b(key=machine_secret(), digest_size=16))
    sealed.update(words.encode())
    return sealed.hexdigest()
