"""What ties entities: the relations of one, the facts between two, and the short ways from one to another."""

from __future__ import annotations

import math
from collections.abc import Iterable
from itertools import pairwise

import numpy as np

from core.errors import BadInput
from core.graph.build import undirected
from core.graph.short_paths import short_paths
from core.progress import TaskContext
from core.store.store import Store
from core.text.translation import tr
from core.types import Fact, FactPath, FactPaths, PathStep, Relation

TIES = 5_000  # facts of an entity that are looked at


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


def _as_path(store: Store, entities: list[str], told: dict[tuple[str, str], PathStep]) -> FactPath:
    """A path with the strongest fact of each step, which is kept in `told`."""
    steps = []
    for pair in pairwise(entities):
        if pair not in told:
            told[pair] = told[pair[::-1]] = _step(store.facts.between(*pair, limit=1))
        steps.append(told[pair])
    return FactPath(tuple(entities), tuple(steps))


def _step(facts: Iterable[Fact]) -> PathStep:
    fact = next(iter(facts), None)
    if fact is None or not fact.triples:  # another process took it away just now
        raise BadInput(tr("The graph has changed meanwhile."), tr("Look for the paths again."))
    best = fact.triples[0]
    return PathStep(
        fact.subject_id, fact.subject, fact.predicate, fact.object_id, fact.object,
        1.0 - math.exp(-fact.strength), best.passage_id, best.start, best.end,
    )  # fmt: skip
