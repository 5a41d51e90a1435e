"""What ties entities: the relations of one, the facts between two, and the short ways from one to another."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from core.errors import BadInput
from core.graph.build import Edges, undirected
from core.progress import TaskContext
from core.store.store import Store
from core.text.translation import tr
from core.types import Fact, FactPath, FactPaths, PathStep, Relation

TIES = 5_000  # facts of an entity that are looked at
LOOKED_AT = 500_000  # steps of the search, after which it is given up: what was found until then is told
Path = tuple[int, ...]


def relations(store: Store, entity_id: str) -> list[Relation]:
    """By predicate and direction, those with most facts first."""
    groups: dict[tuple[str, bool], list[str]] = {}
    for predicate, forward, other in store.facts.ties(store.entities.get(entity_id).id, TIES):
        groups.setdefault((predicate, forward), []).append(other)
    found = [
        Relation(predicate, forward, tuple(dict.fromkeys(others)), len(others))
        for (predicate, forward), others in groups.items()
    ]
    return sorted(found, key=lambda each: (-each.facts, each.predicate, not each.forward))


def paths_between(
    store: Store, one_id: str, other_id: str, most: int, longest: int, context: TaskContext
) -> FactPaths:
    """Over the facts that are drawn, whichever way they are told. Raises BadInput when an entity is gone."""
    one, other = (_key(store, id) for id in (one_id, other_id))
    ends, strengths = store.facts.edges()
    context.check()
    keys = np.unique(np.concatenate([ends.ravel(), [one, other]]))
    proper = ends[:, 0] != ends[:, 1]
    edges = undirected(np.searchsorted(keys, ends[proper]), strengths[proper])
    rows = [int(np.searchsorted(keys, key)) for key in (one, other)]
    found, more = short_paths(edges, len(keys), rows[0], rows[1], most, longest, context.check)
    ids = {row.key: row.id for row in store.entities.rows({int(keys[row]) for path in found for row in path})}
    steps: dict[tuple[str, str], PathStep] = {}
    paths = [_as_path(store, [ids[int(keys[row])] for row in path], steps) for path in found]
    return FactPaths(tuple(paths), more)


def _key(store: Store, entity_id: str) -> int:
    """Of the entity that a name belongs to."""
    (key,) = store.entities.keys_of([store.entities.get(entity_id).id])
    return key


def _as_path(store: Store, entities: list[str], steps_by_ends: dict[tuple[str, str], PathStep]) -> FactPath:
    """A path with the strongest fact of each step, which is kept in `steps_by_ends`."""
    steps = []
    for pair in pairwise(entities):
        if pair not in steps_by_ends:
            steps_by_ends[pair] = steps_by_ends[pair[::-1]] = _step(store.facts.between(*pair, limit=1))
        steps.append(steps_by_ends[pair])
    return FactPath(tuple(entities), tuple(steps))


def _step(facts: Iterable[Fact]) -> PathStep:
    fact = next(iter(facts), None)
    if fact is None or not fact.triples:  # another process took it away just now
        raise BadInput(tr("The graph has changed meanwhile."), tr("Look for the paths again."))
    return as_step(fact)


def as_step(fact: Fact) -> PathStep:
    """By the triple that comes first, of which there must be one."""
    best = fact.triples[0]
    return PathStep(
        fact.subject_id, fact.subject, fact.predicate, fact.object_id, fact.object,
        1.0 - math.exp(-fact.strength), best.passage_id, best.start, best.end,
    )  # fmt: skip


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
    return found, walk.incomplete


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
        self.incomplete = False

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
            self.incomplete = True
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
