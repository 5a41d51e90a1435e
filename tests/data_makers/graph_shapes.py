"""Graphs of known shape for the tests of communities, and what must hold of every hierarchy."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from core.graph.communities import Band

Ends = NDArray[np.int64]


def edges(pairs: Sequence[tuple[int, int]]) -> tuple[Ends, NDArray[np.float64]]:
    """Each pair once, with weights of 1."""
    ends = np.array(sorted({(min(p), max(p)) for p in pairs if p[0] != p[1]}), dtype=np.int64).reshape(-1, 2)
    return ends, np.ones(len(ends))


def clique(first: int, size: int) -> list[tuple[int, int]]:
    return [(a, b) for a in range(first, first + size) for b in range(first, a)]


def cliques(count: int, size: int) -> list[tuple[int, int]]:
    """In a ring, each tied to the next by one edge."""
    pairs = [pair for number in range(count) for pair in clique(number * size, size)]
    return pairs + [(number * size, (number + 1) % count * size + 1) for number in range(count)]


def star(n: int) -> list[tuple[int, int]]:
    return [(0, leaf) for leaf in range(1, n)]


def chain(n: int) -> list[tuple[int, int]]:
    return [(a, a + 1) for a in range(n - 1)]


def pairs_apart(n: int) -> list[tuple[int, int]]:
    """Many components of two."""
    return [(a, a + 1) for a in range(0, n - 1, 2)]


def hubs(n: int, count: int, seed: int = 5) -> list[tuple[int, int]]:
    """Everybody is tied to two of a few hubs."""
    rng = np.random.default_rng(seed)
    return [(leaf, int(hub)) for leaf in range(count, n) for hub in rng.choice(count, 2, replace=False)]


def scattered(n: int, m: int, seed: int) -> list[tuple[int, int]]:
    """Any pair as likely as any other."""
    return [(int(a), int(b)) for a, b in np.random.default_rng(seed).integers(0, n, (m, 2))]


def nests(levels: Sequence[NDArray[np.int64] | NDArray[np.int32]]) -> bool:
    """All of a community are in one community of the level above; (n,) each, the finest first."""
    return all(
        len(np.unique(fine)) == len(np.unique(np.stack([fine, coarse], axis=1), axis=0))
        for fine, coarse in pairwise(levels)
    )


def too_large(
    levels: Sequence[NDArray[np.int64] | NDArray[np.int32]], sizes: Sequence[Band], play: float = 1.0
) -> list[int]:
    """Sizes above the most of their level, which may be exceeded by the factor `play`."""
    return [
        size
        for labels, band in zip(levels, sizes, strict=True)
        for size in np.unique(labels[labels >= 0], return_counts=True)[1].tolist()
        if size > play * band.most
    ]


def small_siblings(levels: Sequence[NDArray[np.int64] | NDArray[np.int32]], sizes: Sequence[Band]) -> int:
    """The most communities below the least of their level that one community of the level above holds."""
    worst = 0
    for at, (labels, band) in enumerate(zip(levels, sizes, strict=True)):
        above = levels[at + 1] if at + 1 < len(levels) else np.zeros(len(labels), dtype=np.int64)
        _, first, counts = np.unique(labels, return_index=True, return_counts=True)
        held = np.unique(above[first[counts < band.least]], return_counts=True)[1]
        worst = max(worst, int(held.max(initial=0)))
    return worst
