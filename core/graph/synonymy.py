"""Synonymy edges: names whose vectors are near each other. EA-GraphRAG 3.1; HippoRAG 2.

Never all pairs: the vectors lie in the cells of a coarse grid (k-means), and an entity is compared
with those in the cells whose centres are nearest to it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from core.types.kinds import IDENTIFIERS, NOUN, VALUES

CELL = 512  # names a cell, about
PROBES = 12  # cells looked into for those of one cell
_ROUNDS = 6
_ROUGH = 1e-5  # how far float32 may be off in a cosine
_SAMPLE = 64  # vectors a cell that the centres are learned from

# Near in meaning, and not the same: dates, amounts, identifiers and plain nouns have no synonyms here.
UNLINKED = VALUES | IDENTIFIERS | {NOUN}

Vectors = NDArray[np.float32]


def learn_grid(vectors: Vectors, n_cells: int, seed: int = 7) -> Vectors:
    """Centres, (n_cells, d), of unit length, of spherical k-means over a sample of `vectors` (n, d)."""
    random = np.random.default_rng(seed)
    sample = vectors
    if len(vectors) > n_cells * _SAMPLE:
        sample = vectors[np.sort(random.choice(len(vectors), n_cells * _SAMPLE, replace=False))]
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


def nearest_names(
    queries: Vectors,
    own: NDArray[np.int64],
    vectors: Vectors,
    keys: NDArray[np.int64],
    threshold: float,
    neighbours: int,
) -> list[list[tuple[int, float]]]:
    """(key, cosine) of the nearest of each query, best first, ties by key.

    `queries` (m, d) are the vectors of the entities `own` (m,), who are not their own neighbours;
    `vectors` (n, d) those of `keys` (n,). At most `neighbours` each, with a cosine of `threshold` at least.
    A cosine has nine digits, the same whatever else is compared in one multiplication with it.
    """
    cosines = queries @ vectors.T
    cosines[own[:, None] == keys[None, :]] = -1.0
    found = []
    for query, row in zip(queries, cosines, strict=True):
        near = np.flatnonzero(row >= threshold - _ROUGH)
        exact = np.minimum(1.0, np.round(vectors[near].astype(np.float64) @ query.astype(np.float64), 9))
        order = np.lexsort((keys[near], -exact))[:neighbours]
        found.append([(int(keys[near[at]]), float(exact[at])) for at in order if exact[at] >= threshold])
    return found
