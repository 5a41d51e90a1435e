"""Made graphs of any size for the benches: skewed degrees, half of the edges near by."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

BLOCK = 1_000  # nodes that share their near edges, as the names of one document do
POWER = 3.0  # ends are drawn as n u^3: degrees fall off with the exponent 2.5


def made_graph(n_nodes: int, n_edges: int, seed: int = 7) -> sparse.csr_matrix:
    """Symmetric CSR adjacency, (n, n) float32 of ones, of nearly `n_edges` edges.

    Node numbers tell nothing about degrees. Loops are dropped and parallel edges joined.
    Chung and Lu 2002, with weights i^(-2/3).
    """
    rng = np.random.default_rng(seed)
    names = rng.permutation(n_nodes).astype(np.int32)
    left, right = (names[_skewed(rng, n_nodes, n_edges)] for _ in range(2))
    near = n_edges // 2
    first = left[:near] // BLOCK * BLOCK
    right[:near] = np.minimum(first + (BLOCK * rng.random(near) ** 2).astype(np.int32), n_nodes - 1)
    proper = left != right
    left, right = left[proper], right[proper]
    half = sparse.coo_matrix(
        (np.ones(len(left), np.float32), (left, right)), shape=(n_nodes, n_nodes)
    ).tocsr()
    whole = half + half.T
    whole.data[:] = 1.0
    return whole


def made_seeds(
    adjacency: sparse.csr_matrix, queries: int, seeds: int = 5, seed: int = 7
) -> list[NDArray[np.int64]]:
    """Sets of seeds with 5 to 20 edges each, so that graphs of different size are asked alike."""
    rng = np.random.default_rng(seed)
    degrees = np.diff(adjacency.indptr)
    fit = np.flatnonzero((degrees >= 5) & (degrees <= 20))
    return [rng.choice(fit, seeds, replace=False) for _ in range(queries)]


def _skewed(rng: np.random.Generator, n: int, count: int) -> NDArray[np.int64]:
    return np.minimum((n * rng.random(count) ** POWER).astype(np.int64), n - 1)
