"""What ties entities: the relations of one, the facts between two, and the paths from one to another.

Paths are ranked by what they tell: a rare predicate more than one that every second fact has, a fact of several
documents or that a person approved more than another, a path past few-tied entities more than one through a hub. Idea:
triple-layer GraphRAG 4.5.2 (strengths and importances multiplied, .9 a fact); rarity and hubs are ours.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from core.graph.build import Edges, undirected
from core.progress import TaskContext
from core.store.facts import FactWeight
from core.store.store import Store
from core.types import Fact, FactPath, FactPaths, PathStep, Relation

TIES = 5_000  # facts of an entity that are looked at
LOOKED_AT = 500_000  # steps of the search, after which it is given up: what was found until then is told
_WEIGHED = 100  # of the shortest paths, which are then ranked
_PARALLEL = 5  # of the facts between two entities, the strongest: that which tells most stands for them
_STEP = 0.9  # what a path counts for each fact more
_UNREVIEWED = 0.8  # what a fact counts that nobody approved
_COMMON = 0.4  # what a fact counts whose predicate all facts have, by its predicate; a unique one counts 1
_HUB = 10  # ties of an entity from which on a path through it tells noticeably less
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
    """Over the facts between nodes of the map, whichever way they are told, those that tell most first.

    Raises BadInput when an entity is gone.
    """
    columns = store.map_edges.edges()
    columns = columns.at(columns.facts >= 0)
    edges = FactEdges.between(columns.ends, columns.weights)
    return rank_paths(store, edges, [(_key(store, one_id), _key(store, other_id))], most, longest, context)


@dataclass(frozen=True, slots=True)
class FactEdges:
    """Which entities facts tie: their keys, (n,) ascending, and the edges between rows of these."""

    keys: NDArray[np.int64]
    edges: Edges

    @classmethod
    def between(cls, ends: NDArray[np.int64], strengths: NDArray[np.float64]) -> FactEdges:
        """Of facts with `ends`, (m, 2), as keys, and `strengths`, (m,)."""
        keys, proper = np.unique(ends), ends[:, 0] != ends[:, 1]
        return cls(keys, undirected(np.searchsorted(keys, ends[proper]), strengths[proper]))

    def find_paths(
        self, one: int, other: int, most: int, longest: int, check: Callable[[], None]
    ) -> tuple[list[Path], bool]:
        """Return paths of keys between two, the shortest first, and whether there are more."""
        rows = np.searchsorted(self.keys, (one, other))
        if not (len(self.keys) and (self.keys[rows.clip(max=len(self.keys) - 1)] == (one, other)).all()):
            return [], False
        start, end = rows.tolist()
        found, more = short_paths(self.edges, len(self.keys), start, end, most, longest, check)
        return [tuple(self.keys[list(path)].tolist()) for path in found], more


def rank_paths(
    store: Store,
    edges: FactEdges,
    pairs: Sequence[tuple[int, int]],
    most: int,
    longest: int,
    context: TaskContext,
    passages: Container[str] | None = None,
) -> FactPaths:
    """Return the paths between the entities of each pair, by key, those that tell most first.

    Of facts with evidence in one of `passages`, ids, alone; None for all.
    """
    short: list[Path] = []
    more = False
    for one, other in pairs:
        found, cut = edges.find_paths(one, other, max(most, _WEIGHED), longest, context.check)
        short, more = short + found, more or cut
    ids = {row.key: row.id for row in store.entities.rows({key for path in short for key in path})}
    degrees = np.bincount(edges.edges.ends.ravel(), minlength=len(edges.keys))
    ties = {id: int(degrees[np.searchsorted(edges.keys, key)]) for key, id in ids.items()}
    paths = [tuple(ids[key] for key in path) for path in short]
    facts = _facts_of_steps(store, paths, passages, context)
    weights = store.facts.weights([fact.id for found in facts.values() for fact in found])
    ranked = [
        _weighed(path, facts, weights, ties) for path in paths if all(facts[pair] for pair in pairwise(path))
    ]
    ranked.sort(key=lambda path: (-path.worth, len(path.steps), path.entity_ids))
    return FactPaths(tuple(ranked[:most]), more or len(ranked) > most)


def _key(store: Store, entity_id: str) -> int:
    """Of the entity that a name belongs to."""
    (key,) = store.entities.keys_of([store.entities.get(entity_id).id])
    return key


Pair = tuple[str, str]


def _facts_of_steps(
    store: Store, paths: Sequence[Sequence[str]], passages: Container[str] | None, context: TaskContext
) -> dict[Pair, list[Fact]]:
    """Return the facts between each two neighbours on a path, ids, with their evidence."""
    found: dict[Pair, list[Fact]] = {}
    for pair in (pair for path in paths for pair in pairwise(path)):
        if pair not in found:
            context.check()
            facts = (within_passages(fact, passages) for fact in store.facts.between(*pair, limit=_PARALLEL))
            found[pair] = found[pair[::-1]] = [fact for fact in facts if fact.triples]
    return found


def within_passages(fact: Fact, passages: Container[str] | None) -> Fact:
    """Return a fact with its evidence in these passages, ids, alone; None for all."""
    if passages is None:
        return fact
    return replace(fact, triples=tuple(each for each in fact.triples if each.passage_id in passages))


def _weighed(
    path: Sequence[str],
    facts: Mapping[Pair, Sequence[Fact]],
    weights: Mapping[str, FactWeight],
    ties: Mapping[str, int],
) -> FactPath:
    """Return a path over the facts that tell most, with what it is worth, 0 to 1."""
    best = [max(facts[pair], key=lambda fact: fact_worth(fact, weights)) for pair in pairwise(path)]
    worth = math.prod(fact_worth(fact, weights) for fact in best) * _STEP ** (len(best) - 1)
    worth *= math.prod(1.0 / (1.0 + math.log1p(max(0, ties[inner] - 2) / _HUB)) for inner in path[1:-1])
    return FactPath(tuple(path), tuple(as_step(fact) for fact in best), worth)


def fact_worth(fact: Fact, weights: Mapping[str, FactWeight]) -> float:
    """Return how much a fact tells, 0 to 1: one of several documents, of a rare predicate, that a person approved."""
    if (weight := weights.get(fact.id)) is None:  # another process took it away just now
        return 0.0
    holds = 1.0 - math.exp(-fact.strength * weight.documents)
    return holds * (_COMMON + (1.0 - _COMMON) * weight.rarity) * (1.0 if weight.is_approved else _UNREVIEWED)


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
