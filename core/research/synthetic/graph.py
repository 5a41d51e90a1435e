"""Random graphs of any size for the benches: skewed degrees, half of the edges local."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

BLOCK = 1_000  # nodes that share their local edges, like the names of one document
POWER = 3.0  # ends are drawn as n u^3: degrees fall off with the exponent 2.5
DRAWN = 1.25  # planted edges drawn for each wanted one: parallel ones are merged
# Share of planted edges within blocks of so many nodes: the names of a document, of its subject, of its field.
PLANTED = ((0.5, 25), (0.25, 150), (0.125, 1_000))


def generate_graph(n_nodes: int, n_edges: int, seed: int = 7) -> sparse.csr_matrix:
    """Return a symmetric CSR adjacency, (n, n) float32 of ones, with nearly `n_edges` edges.

    Node numbers are independent of degrees. Loops are dropped and parallel edges merged. Chung and Lu 2002, with
    weights i^(-2/3).
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
    adjacency = half + half.T
    adjacency.data[:] = 1.0
    return adjacency


def sample_seeds(
    adjacency: sparse.csr_matrix, queries: int, seeds: int = 5, seed: int = 7
) -> list[NDArray[np.int64]]:
    """Draw sets of seeds with 5 to 20 edges each, so that queries on graphs of different size are comparable."""
    rng = np.random.default_rng(seed)
    degrees = np.diff(adjacency.indptr)
    fit = np.flatnonzero((degrees >= 5) & (degrees <= 20))
    return [rng.choice(fit, seeds, replace=False) for _ in range(queries)]


def _skewed(rng: np.random.Generator, n: int, count: int) -> NDArray[np.int64]:
    return np.minimum((n * rng.random(count) ** POWER).astype(np.int64), n - 1)


def planted_graph(n_nodes: int, n_edges: int, seed: int = 7, mixed: bool = True) -> NDArray[np.int64]:
    """Return edges (m, 2) with planted communities, nearly `n_edges`, each once, the smaller node first; sorted.

    Half of the edges lie within a document's names, a quarter within its subject's, an eighth within its field's,
    the others anywhere; degrees are skewed as in `generate_graph`. Node numbers are random unless not `mixed`: then
    blocks are of consecutive nodes.
    """
    names = np.random.default_rng(n_nodes).permutation(n_nodes) if mixed else np.arange(n_nodes)
    rng = np.random.default_rng(seed)
    drawn = int(n_edges * DRAWN)
    left = np.random.default_rng(n_nodes + 1).permutation(n_nodes)[_skewed(rng, n_nodes, drawn)]
    right = rng.integers(0, n_nodes, drawn)
    first = 0
    for share, block in PLANTED:
        part = slice(first, first + int(share * drawn))
        begin = left[part] // block * block
        right[part] = begin + rng.integers(0, np.minimum(block, n_nodes - begin))
        first = part.stop
    ends = np.sort(names[np.stack([left, right], axis=1)], axis=1)
    ends = np.unique(ends[ends[:, 0] != ends[:, 1]], axis=0)
    rows = rng.permutation(len(ends))[:n_edges]
    return ends[np.sort(rows)]


def edge_blocks(
    n_nodes: int, n_edges: int, seed: int = 7, at_once: int = 1 << 22
) -> Iterator[NDArray[np.int32]]:
    """Yield edges like those of `generate_graph`, (m, 2), in blocks, never all in memory; parallel ones stay.

    Local edges join nodes with distant numbers: a permutation by multiplication, which needs no table.
    """
    step = _coprime(n_nodes)
    for first in range(0, n_edges, at_once):
        rng = np.random.default_rng((seed, first))
        count = min(at_once, n_edges - first)
        left, right = _skewed(rng, n_nodes, count), _skewed(rng, n_nodes, count)
        near = count // 2
        block = left[:near] // BLOCK * BLOCK
        right[:near] = np.minimum(block + (BLOCK * rng.random(near) ** 2).astype(np.int64), n_nodes - 1)
        proper = left != right
        ends = np.stack([left[proper], right[proper]], axis=1)
        yield (ends * step % n_nodes).astype(np.int32)


def _coprime(n: int) -> int:
    """Return a number near the golden section of n that has no common divisor with it."""
    step = max(1, int(n * 0.618))
    while math.gcd(step, n) > 1:
        step += 1
    return step
