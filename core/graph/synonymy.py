"""Synonymy edges: names whose vectors are near each other. EA-GraphRAG 3.1; HippoRAG 2.

Never all pairs: the vectors lie in the cells of a coarse grid (k-means), and an entity is compared
with those in the cells whose centres are nearest to it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.types.kinds import IDENTIFIERS, NOUN, VALUES

CELL = 512  # names a cell, about
PROBES = 12  # cells looked into for those of one cell
_ROUNDS = 6
_ROUGH = 1e-5  # how far float32 may be off in a cosine
_SAMPLE = 64  # vectors a cell that the centres are learned from
_LARGEST_SAMPLE = 262_144  # vectors: 400 MB
_EXACT = 4096  # pairs whose cosines are computed at once

# Near in meaning, and not the same: dates, amounts, identifiers and plain nouns have no synonyms here.
UNLINKED = VALUES | IDENTIFIERS | {NOUN}

Vectors = NDArray[np.float32]


def learn_grid(
    take: Callable[[NDArray[np.int64]], Vectors], count: int, n_cells: int, seed: int = 7
) -> Vectors:
    """Centres, (n_cells, d), of unit length, of spherical k-means over a sample of `count` vectors.

    `take` gives the vectors of rows, (n, d) for ascending (n,): only those of the sample are ever in memory.
    """
    random = np.random.default_rng(seed)
    rows = np.arange(count)
    if count > (most := min(n_cells * _SAMPLE, _LARGEST_SAMPLE)):
        rows = np.sort(random.choice(count, most, replace=False))
    sample = take(rows)
    centres = sample[np.sort(random.choice(len(sample), min(n_cells, len(sample)), replace=False))].copy()
    for _ in range(_ROUNDS if n_cells > 1 else 1):
        cells = nearest_cells(sample, centres)
        sums = np.zeros_like(centres)
        np.add.at(sums, cells, sample)
        lengths = np.linalg.norm(sums, axis=1, keepdims=True)
        # An empty cell keeps its centre.
        centres = np.where(lengths > 1e-9, sums / np.maximum(lengths, 1e-9), centres).astype(np.float32)
    return centres


def nearest_cells(vectors: Vectors, centres: Vectors) -> NDArray[np.int64]:
    """The cell of each of `vectors` (n, d): (n,)."""
    found = [
        np.argmax(vectors[first : first + 4096] @ centres.T, axis=1) for first in range(0, len(vectors), 4096)
    ]
    return np.concatenate(found).astype(np.int64) if found else np.zeros(0, dtype=np.int64)


def probes(vectors: Vectors, centres: Vectors) -> NDArray[np.int64]:
    """The cells to look into for each of `vectors` (n, d), nearest first: (n, at most PROBES)."""
    width = min(PROBES, len(centres))
    found = np.zeros((len(vectors), width), dtype=np.int64)
    for first in range(0, len(vectors), 4096):
        near = vectors[first : first + 4096] @ centres.T
        found[first : first + 4096] = np.argsort(-near, axis=1, kind="stable")[:, :width]
    return found


@dataclass(frozen=True, slots=True)
class Near:
    """Pairs of names: `rows` (n,) of those that look, `keys` (n,) of those that they find, `cosines` (n,).

    By row, the nearest first, ties by key.
    """

    rows: NDArray[np.int64]
    keys: NDArray[np.int64]
    cosines: NDArray[np.float64]

    def first(self, count: int) -> Near:
        """At most `count` of each row."""
        starts = np.searchsorted(self.rows, self.rows)
        mask = np.arange(len(self.rows)) - starts < count
        return Near(self.rows[mask], self.keys[mask], self.cosines[mask])


def in_order(rows: NDArray[np.int64], keys: NDArray[np.int64], cosines: NDArray[np.float64]) -> Near:
    """The pairs as `Near` has them."""
    order = np.lexsort((keys, -cosines, rows))
    return Near(rows[order], keys[order], cosines[order])


def nearest_names(
    queries: Vectors,
    own: NDArray[np.int64],
    vectors: Vectors,
    keys: NDArray[np.int64],
    threshold: float,
    neighbours: int,
) -> Near:
    """The nearest of each query, by its row in `queries`.

    `queries` (m, d) are the vectors of the entities `own` (m,), who are not their own neighbours;
    `vectors` (n, d) those of `keys` (n,). At most `neighbours` each, with a cosine of `threshold` at least.
    A cosine has nine digits, the same whatever else is compared in one multiplication with it.
    """
    rows, columns = np.nonzero(queries @ vectors.T >= threshold - _ROUGH)
    others = own[rows] != keys[columns]
    rows, columns = rows[others], columns[others]
    exact = np.empty(len(rows), dtype=np.float64)
    for first in range(0, len(rows), _EXACT):
        part = slice(first, first + _EXACT)
        left, right = queries[rows[part]].astype(np.float64), vectors[columns[part]].astype(np.float64)
        exact[part] = np.minimum(1.0, np.round(np.einsum("ij,ij->i", left, right), 9))
    near = exact >= threshold
    return in_order(rows[near], keys[columns[near]], exact[near]).first(neighbours)
