"""Exact search by one matrix product: fast on small corpora, and the oracle for the rest."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


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
