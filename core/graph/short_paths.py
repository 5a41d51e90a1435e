"""The short simple paths between two nodes, the shortest first."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from core.graph.build import Edges

LOOKED_AT = 500_000  # steps of the search, after which it is given up: what was found until then is told
Path = tuple[int, ...]


def short_paths(
    edges: Edges,
    n: int,
    one: int,
    other: int,
    most: int,
    longest: int,
    check: Callable[[], None] = lambda: None,
) -> tuple[list[Path], bool]:
    """At most `most` simple paths of at most `longest` edges, each from `one` to `other`, and whether there are more.

    Undirected edges between n nodes, each once, none from a node to itself. The shortest come first, and among those
    of one length the ones that a search finds first that takes strong edges before weak ones; these by the product of
    their strengths, 1 - exp(-weight). `check` may raise.
    """
    if one == other or most < 1:
        return [], False
    starts, targets, strengths = _lists(edges, n)
    away = _distances(starts, targets, n, other, longest, check)
    found: list[Path] = []
    if away[one] > longest:
        return found, False
    walk = _Walk(starts, targets, away, check)
    for length in range(int(away[one]), longest + 1):
        alike: list[Path] = []
        for path in walk.of_length(one, length):
            if len(found) + len(alike) == most:
                return found + _strongest(alike, starts, targets, strengths), True
            alike.append(path)
        found += _strongest(alike, starts, targets, strengths)
    return found, walk.given_up


class _Walk:
    """Goes from neighbour to neighbour, never farther away than the end can still be reached from."""

    def __init__(
        self,
        starts: NDArray[np.int64],
        targets: NDArray[np.int64],
        away: NDArray[np.int64],
        check: Callable[[], None],
    ) -> None:
        self._starts, self._targets, self._away, self._check = starts, targets, away, check
        self._left = LOOKED_AT
        self.given_up = False

    def of_length(self, one: int, length: int) -> Iterator[Path]:
        """Simple paths of exactly so many edges."""
        path, inside = [one], {one}
        ways = [iter(self._onwards(one, length - 1))]
        while ways:
            step = next(ways[-1], None)
            if step is None:
                ways.pop()
                inside.discard(path.pop())
            elif step in inside:
                continue
            elif len(path) == length:
                yield (*path, step)
            else:
                path.append(step)
                inside.add(step)
                ways.append(iter(self._onwards(step, length - len(path))))

    def _onwards(self, node: int, left: int) -> list[int]:
        """Neighbours from which the end can be reached by `left` edges at most; the end itself by none left."""
        if self._left <= 0:
            self.given_up = True
            return []
        self._check()
        near = self._targets[self._starts[node] : self._starts[node + 1]]
        self._left -= len(near) + 1
        reached = self._away[near]
        # The end in the middle of a path would be passed twice.
        reachable: list[int] = near[(reached <= left) & ((reached > 0) | (left == 0))].tolist()
        return reachable


def _lists(edges: Edges, n: int) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """Offsets (n + 1,), and of each node's edges the other ends and strengths (2m,), the strongest first."""
    sources = np.concatenate([edges.ends[:, 0], edges.ends[:, 1]]).astype(np.int64)
    targets = np.concatenate([edges.ends[:, 1], edges.ends[:, 0]]).astype(np.int64)
    strengths = np.tile(1.0 - np.exp(-edges.weights), 2)
    order = np.lexsort((targets, -strengths, sources))
    starts = np.zeros(n + 1, np.int64)
    np.cumsum(np.bincount(sources, minlength=n), out=starts[1:])
    return starts, targets[order], strengths[order]


def _distances(
    starts: NDArray[np.int64],
    targets: NDArray[np.int64],
    n: int,
    end: int,
    longest: int,
    check: Callable[[], None],
) -> NDArray[np.int64]:
    """Edges to the end from each node, (n,); `longest` + 1 where there are more, or none."""
    away = np.full(n, longest + 1, np.int64)
    away[end] = 0
    front = np.array([end], np.int64)
    for length in range(1, longest + 1):
        check()
        counts = starts[front + 1] - starts[front]
        first = np.repeat(starts[front] - np.concatenate([[0], np.cumsum(counts)[:-1]]), counts)
        near = np.unique(targets[first + np.arange(counts.sum())])
        front = near[away[near] > longest]
        if not len(front):
            break
        away[front] = length
    return away


def _strongest(
    paths: list[Path], starts: NDArray[np.int64], targets: NDArray[np.int64], strengths: NDArray[np.float64]
) -> list[Path]:
    """Paths of one length, the strongest first."""

    def strength(path: Path) -> float:
        product = 1.0
        for one, other in pairwise(path):
            own = slice(starts[one], starts[one + 1])
            product *= float(strengths[own][np.flatnonzero(targets[own] == other)[0]])
        return product

    return sorted(paths, key=lambda path: (-strength(path), path))
