"""Groups of passages that are about the same: Leiden over the graph of each passage's nearest ones."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from core.graph.communities import leiden

_NEAREST = (4, 10)  # passages that each is tied to: half the root of their number, within these bounds
_BLOCK = 1024  # rows of cosines that are held at a time


def clusters(vectors: NDArray[np.float32], resolution: float = 1.0) -> NDArray[np.int32]:
    """Group of each of these unit vectors (n, d), (n,), numbered by falling size; of the same always the same."""
    n = len(vectors)
    k = min(max(_NEAREST[0], min(_NEAREST[1], int(n**0.5 / 2))), n - 1)
    if k < 1:
        return np.zeros(n, dtype=np.int32)
    near = np.empty((n, k), dtype=np.int64)
    weights = np.empty((n, k))
    for start in range(0, n, _BLOCK):
        cosines = vectors[start : start + _BLOCK] @ vectors.T
        rows = np.arange(len(cosines))
        cosines[rows, start + rows] = -1.0
        near[start : start + _BLOCK] = np.argpartition(-cosines, k - 1, axis=1)[:, :k]
        weights[start : start + _BLOCK] = np.take_along_axis(cosines, near[start : start + _BLOCK], axis=1)
    pairs = np.sort(np.stack([np.repeat(np.arange(n), k), near.ravel()], axis=1), axis=1)
    kept = weights.ravel() > 0
    edges, first = np.unique(pairs[kept], axis=0, return_index=True)
    # Coarsely: the last bits of a cosine differ from run to run.
    return leiden(n, edges, np.round(weights.ravel()[kept][first], 2) + 0.01, resolution)
