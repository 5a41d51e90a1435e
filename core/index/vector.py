"""HNSW through hnswlib, built with the parameters of EA-GraphRAG 3.4.1; derived, stamped, rebuilt when stale."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from core.index.exact import ExactIndex

FILE = "passages.hnsw"
M = 16
EF_CONSTRUCTION = 200
# Twice the paper's: half a millisecond more, and vectors without clusters are found better.
EF_SEARCH = 200
SEED = 7
EXACT_UP_TO = 5_000  # below, one matrix product is as quick and never wrong


@dataclass(frozen=True, slots=True)
class Stamp:
    """What an index file was built from; a file with another stamp is not read."""

    model: str
    dimension: int
    metric: str
    revision: int
    count: int


class HnswIndex:
    """Approximate nearest neighbours by inner product of unit vectors."""

    def __init__(self, vectors: NDArray[np.float32], ef_search: int = EF_SEARCH) -> None:
        import hnswlib

        self._count = len(vectors)
        self._ef = ef_search
        self._index = hnswlib.Index(space="ip", dim=vectors.shape[1])
        self._index.init_index(max(1, self._count), ef_construction=EF_CONSTRUCTION, M=M, random_seed=SEED)
        # One thread: parallel HNSW builds do not repeat.
        if self._count:
            self._index.add_items(vectors, np.arange(self._count), num_threads=1)

    @classmethod
    def load(cls, path: Path, dimension: int, count: int) -> HnswIndex:
        import hnswlib

        index = cls.__new__(cls)
        index._count, index._ef = count, EF_SEARCH
        index._index = hnswlib.Index(space="ip", dim=dimension)
        index._index.load_index(str(path), max_elements=max(1, count))
        return index

    def save(self, path: Path) -> str:
        """Write the file whole or not at all; the hash of its bytes. Raises OSError."""
        part = path.with_suffix(".part")
        try:
            self._index.save_index(str(part))
            # hnswlib notices neither a full disk nor one that is closed.
            if part.stat().st_size != self._index.index_file_size():
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(part))
            found = _hash(part)
            os.replace(part, path)
        finally:
            part.unlink(missing_ok=True)
        return found

    def search(self, queries: NDArray[np.float32], k: int) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Rows and similarities of the k nearest, both (n_queries, min(k, n)), best first."""
        k = min(k, self._count)
        if k == 0:
            empty = np.zeros((len(queries), 0))
            return empty.astype(np.int64), empty.astype(np.float32)
        self._index.set_ef(max(self._ef, k))
        rows, distances = self._index.knn_query(queries, k=k, num_threads=1)
        return rows.astype(np.int64), (1.0 - distances).astype(np.float32)


def open_index(vectors: NDArray[np.float32], stamp: Stamp, folder: Path | None) -> ExactIndex | HnswIndex:
    """The index over `vectors`, (n, dimension): exact when small, else HNSW kept in `folder`.

    Without hnswlib (no compiler), or where `folder` cannot be written, it still answers.
    """
    if len(vectors) <= EXACT_UP_TO:
        return ExactIndex(vectors)
    try:
        import hnswlib  # noqa: F401
    except ImportError:
        return ExactIndex(vectors)
    if folder is None:
        return HnswIndex(vectors)
    path, note = folder / FILE, folder / f"{FILE}.json"
    if index_fault(folder, stamp) == "":
        return HnswIndex.load(path, stamp.dimension, stamp.count)
    index = HnswIndex(vectors)
    # A read-only workspace or a full disk: the index lives in memory only.
    with contextlib.suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        note.unlink(missing_ok=True)
        found = index.save(path)
        note.write_text(json.dumps({**asdict(stamp), "hash": found}), encoding="utf-8")
    return index


def index_fault(folder: Path, stamp: Stamp) -> str | None:
    """What is wrong with the file of this index, in words; "" when it is sound, None when there is none."""
    path, note = folder / FILE, folder / f"{FILE}.json"
    if not path.is_file():
        return None
    try:
        found = json.loads(note.read_text(encoding="utf-8"))
        expected = found.pop("hash")
        if Stamp(**found) != stamp:
            return "it was built from other vectors"
        # Native code follows what stands in the file without a look: no byte may differ.
        return "" if _hash(path) == expected else "its bytes have changed"
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return "it has no stamp that can be read"


def _hash(path: Path) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "blake2b").hexdigest()[:32]
