"""Synonymy edges: names whose vectors are near each other. EA-GraphRAG 3.1; HippoRAG 2."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from core.graph.build import Edges

_ROWS = 1024


class _Index(Protocol):
    def search(
        self, queries: NDArray[np.float32], k: int
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]: ...


def synonym_edges(
    keys: NDArray[np.int64],
    vectors: NDArray[np.float32],
    index: _Index,
    linkable: NDArray[np.bool_],
    threshold: float = 0.8,
    neighbours: int = 8,
) -> Edges:
    """Edges between entities whose cosine is at least `threshold`, among the k nearest of each.

    `keys` (n,) and unit `vectors` (n, d) correspond to the rows of `index`. Only `linkable` rows,
    (n,), take part: "1987" and "1988" are near, and not the same. Each pair comes once.
    """
    found: dict[tuple[int, int], float] = {}
    for first in range(0, len(keys), _ROWS):
        rows, cosines = index.search(vectors[first : first + _ROWS], neighbours + 1)
        for at in range(len(rows)):
            here = first + at
            if not linkable[here]:
                continue
            for other, cosine in zip(rows[at], cosines[at], strict=True):
                if other != here and cosine >= threshold and linkable[other]:
                    left, right = sorted((int(keys[here]), int(keys[other])))
                    found[(left, right)] = float(min(1.0, cosine))
    pairs = sorted(found)
    return Edges(
        np.array(pairs, dtype=np.int64).reshape(-1, 2),
        np.array([found[pair] for pair in pairs], dtype=np.float64),
    )
