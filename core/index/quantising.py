"""Makes a `Quantised` of vectors that are read in blocks: they are never in memory together as float32."""

from __future__ import annotations

import contextlib
import math
import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from core.index.vector_table import EXACT_UP_TO, HEAD, Codes, Exact, Floats, Quantised, VectorTable

Blocks = Callable[[], Iterator[Floats]]
Cells = NDArray[np.int32]

T = TypeVar("T", bound=np.generic)

_LARGE = 1 << 26  # bytes
_SAMPLED = 32  # vectors of the sample for each list
_TELLING = 1_024  # vectors of it that are kept
_ROUNDS = 6  # of k-means
_LISTS = 4  # times the root of the number of vectors
_CANDIDATES = 3  # coarse cells whose lists a vector is compared with
_ITEM = 4_096  # rows compared at a time
_CACHED = 512  # rows coded at a time
_MOVED = 1 << 16  # rows moved at a time


def vector_table(
    count: int,
    dimension: int,
    read: Blocks,
    fine: bool = False,
    exact_up_to: int = EXACT_UP_TO,
    scratch: Path | None = None,
) -> VectorTable:
    """Of `count` unit vectors of `dimension` numbers, which `read` gives anew each time, in blocks, (m, dimension).

    `fine`: whether cosines are to be exact. `scratch`: a folder in which large codes may lie, in files without a name,
    as long as they are in use: the system can then write pages back that are not in memory of the process's own. The
    same vectors give the same lists on one machine.
    """
    if count <= exact_up_to:
        vectors = np.empty((count, dimension), np.float32)
        at = 0
        for block in read():
            vectors[at : at + len(block)] = block
            at += len(block)
        return Exact(vectors)
    sample = _sample(count, dimension, read)
    lists = _Lists(sample, max(1, round(_LISTS * math.sqrt(count))))
    turned, width = _axes(sample), dimension // HEAD
    few = sample[:: -(-len(sample) // _TELLING)].copy()
    del sample
    cells, scales = np.empty(count, np.int32), np.empty(count, np.float32)
    heads = _room((count, width), np.int8, scratch)
    tails = _room((count, dimension - width), np.int8, scratch)
    finer = _room((count if fine else 0, dimension), np.float16, scratch)
    at = 0
    for block in read():
        part = slice(at, at + len(block))
        cells[part] = lists.nearest(block)
        scales[part] = _coded(block, turned, heads[part], tails[part])
        if fine:
            finer[part] = block
        at += len(block)
    order = np.argsort(cells, kind="stable")
    places = np.empty(count, np.int32)
    places[order] = np.arange(count, dtype=np.int32)
    starts = np.searchsorted(cells[order], np.arange(len(lists.centroids) + 1)).astype(np.int64)
    heads, tails = _by_list(heads, order, scratch), _by_list(tails, order, scratch)
    finer = _by_list(finer, order, scratch)
    codes = Codes(lists.centroids, starts, turned, heads, tails, scales[order], finer, few)
    return Quantised(codes, places, order.astype(np.int32), np.zeros((0, dimension), np.float32))


def _coded(
    block: Floats, turned: Floats, heads: NDArray[np.int8], tails: NDArray[np.int8]
) -> NDArray[np.float32]:
    """Fill in the codes of a block of vectors, (m, d); their scales, (m,)."""
    width = heads.shape[1]
    along, scales = block @ turned, np.empty(len(block), np.float32)
    # As many as the processor's cache holds.
    for first in range(0, len(block), _CACHED):
        part = slice(first, first + _CACHED)
        coords = along[part]
        scale = np.maximum(np.maximum(coords.max(axis=1), -coords.min(axis=1)), 1e-12) / 127
        np.rint(np.divide(coords, scale[:, None], out=coords), out=coords)
        heads[part], tails[part], scales[part] = coords[:, :width], coords[:, width:], scale
    return scales


def _by_list(codes: NDArray[T], order: NDArray[np.int64], scratch: Path | None) -> NDArray[T]:
    """Rows, (n, width), in another order; none where there are none."""
    found = _room(codes.shape, codes.dtype.type, scratch)
    for first in range(0, len(codes), _MOVED):
        part = slice(first, first + _MOVED)
        found[part] = codes[order[part]]
    return found


def _room(shape: tuple[int, ...], number: type[T], scratch: Path | None) -> NDArray[T]:
    """An array to be filled; large ones in `scratch`, unless there is no room or no way to have it for certain."""
    size = shape[0] * shape[1] * np.dtype(number).itemsize
    if scratch is not None and size >= _LARGE and hasattr(os, "posix_fallocate"):
        with contextlib.suppress(OSError):
            scratch.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=scratch) as file:
                # A disk that is full would end the process at the first page that finds no place.
                os.posix_fallocate(file.fileno(), 0, size)
                return np.asarray(np.memmap(file, number, "r+", shape=shape))
    return np.empty(shape, number)


def _sample(count: int, dimension: int, read: Blocks) -> Floats:
    """Vectors evenly taken, enough to learn the lists from."""
    wanted = min(count, int(_SAMPLED * _LISTS * math.sqrt(count)))
    rows = np.unique(np.linspace(0, count - 1, wanted).astype(np.int64))
    found = np.empty((len(rows), dimension), np.float32)
    at = taken = 0
    for block in read():
        end = int(np.searchsorted(rows, at + len(block)))
        found[taken:end] = block[rows[taken:end] - at]
        at, taken = at + len(block), end
    return found


def _axes(sample: Floats) -> Floats:
    """Principal axes as columns, (d, d), those along which vectors differ most first."""
    _, axes = np.linalg.eigh(sample.T @ sample)
    return np.ascontiguousarray(axes[:, ::-1], dtype=np.float32)


class _Lists:
    """Spherical k-means in two levels: a vector is compared with the lists of the nearest coarse cells only."""

    def __init__(self, sample: Floats, lists: int) -> None:
        coarse = _centroids(sample, max(1, math.isqrt(lists)))
        cells = _assigned(sample, coarse)
        counts = np.bincount(cells, minlength=len(coarse))
        found, self._starts = [], np.zeros(len(coarse) + 1, np.int64)
        for cell in range(len(coarse)):
            inside = sample[cells == cell]
            own = max(1, round(lists * counts[cell] / len(sample))) if len(inside) else 0
            found.append(_centroids(inside, own) if own else coarse[:0])
            self._starts[cell + 1] = self._starts[cell] + len(found[-1])
        self._coarse, self.centroids = coarse, np.concatenate(found)

    def nearest(self, block: Floats) -> Cells:
        """The list of each vector, (m,)."""
        best = np.full(len(block), -2.0, np.float32)
        where = np.zeros(len(block), np.int32)
        few = min(_CANDIDATES, len(self._coarse))
        near = np.argpartition(block @ self._coarse.T, -few, axis=1)[:, -few:].ravel()
        order = np.argsort(near, kind="stable")
        bounds = np.searchsorted(near[order], np.arange(len(self._coarse) + 1))
        for cell in range(len(self._coarse)):
            first, end = self._starts[cell], self._starts[cell + 1]
            own = order[bounds[cell] : bounds[cell + 1]] // few
            if not len(own) or first == end:
                continue
            cosines = block[own] @ self.centroids[first:end].T
            at = cosines.argmax(axis=1)
            value = cosines[np.arange(len(own)), at]
            nearer = value > best[own]
            best[own[nearer]], where[own[nearer]] = value[nearer], first + at[nearer]
        return where


def _centroids(sample: Floats, k: int) -> Floats:
    """At most k unit centroids of unit vectors, (m, d); those that nothing is near to are left out."""
    if k >= len(sample):
        return sample.copy()
    centroids = sample[np.linspace(0, len(sample) - 1, k).astype(np.int64)]
    for _ in range(_ROUNDS):
        cells = _assigned(sample, centroids)
        order = np.argsort(cells, kind="stable")
        filled, first = np.unique(cells[order], return_index=True)
        sums = np.add.reduceat(sample[order], first, axis=0)
        lengths = np.linalg.norm(sums, axis=1, keepdims=True)
        moved = centroids[filled]
        centroids = np.divide(sums, lengths, out=moved, where=lengths > 1e-9)
    return centroids


def _assigned(vectors: Floats, centroids: Floats) -> Cells:
    """The nearest centroid of each, (m,)."""
    parts = [
        (vectors[first : first + _ITEM] @ centroids.T).argmax(axis=1)
        for first in range(0, len(vectors), _ITEM)
    ]
    return np.concatenate(parts).astype(np.int32)
