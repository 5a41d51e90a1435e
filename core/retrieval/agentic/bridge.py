"""Nodes that lie between the seeds, and the short paths to them. A2RAG III-C.2, eq. 8."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.config import AgenticConfig
from core.progress import TaskContext
from core.retrieval.fact_graph import FactGraph


@dataclass(frozen=True, slots=True)
class Bridge:
    """An entity within K hops of at least two seeds; `paths` run from a seed to it, as fact keys."""

    row: int
    seeds: tuple[int, ...]
    paths: tuple[tuple[int, ...], ...]
    length: int  # facts to its two nearest seeds, together


def bridges(
    facts: FactGraph, seeds: Sequence[int], config: AgenticConfig, context: TaskContext
) -> list[Bridge]:
    """The best bridges between the seeds, nearest first, then those with the fewest facts.

    Breadth first from every seed over at most `hops` facts and `reached` nodes; an entity with more
    facts than are looked at is reached, but not gone through: everything meets at a hub.
    """
    found = {seed: _around(facts, seed, config, context) for seed in dict.fromkeys(seeds)}
    near: dict[int, list[tuple[int, int]]] = {}
    for seed, around in found.items():
        for row, (distance, _) in around.items():
            near.setdefault(row, []).append((distance, seed))
    candidates = []
    for row, distances in near.items():
        if len(distances) < 2:
            continue
        nearest = sorted(distances)
        # A seed may be a bridge itself, but what lies between two is worth more.
        candidates.append((nearest[0][0] + nearest[1][0], row in found, facts.degree(row), row, nearest))
    best = sorted(candidates)[: config.bridges]
    return [
        Bridge(
            row,
            tuple(seed for _, seed in nearest),
            tuple(
                path for _, seed in nearest for path in _paths(found[seed], seed, row, config.paths) if path
            ),
            length,
        )
        for length, _, _, row, nearest in best
    ]


_Around = dict[int, tuple[int, list[tuple[int, int]]]]  # row -> (distance, [(row before, fact key)])


def _around(facts: FactGraph, seed: int, config: AgenticConfig, context: TaskContext) -> _Around:
    """Distances from the seed, with every fact over which a node is reached first."""
    around: _Around = {seed: (0, [])}
    frontier = [seed]
    for distance in range(1, config.hops + 1):
        context.check()
        following: list[int] = []
        for row in frontier:
            if row != seed and facts.degree(row) > config.facts:
                continue
            span = facts.of(row, config.facts)
            for other, key in zip(facts.others[span].tolist(), facts.keys[span].tolist(), strict=True):
                if other not in around:
                    if len(around) >= config.reached:
                        return around
                    around[other] = (distance, [(row, key)])
                    following.append(other)
                elif around[other][0] == distance:
                    around[other][1].append((row, key))
        frontier = following
    return around


def _paths(around: _Around, seed: int, row: int, most: int) -> list[tuple[int, ...]]:
    """Up to `most` shortest paths from the seed to the node."""
    open_: list[tuple[int, tuple[int, ...]]] = [(row, ())]
    while open_ and open_[0][0] != seed:
        open_ = [(before, (key, *path)) for at, path in open_[:most] for before, key in around[at][1][:most]]
    return [path for _, path in open_[:most]]
