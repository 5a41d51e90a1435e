"""Facts by entity: the one structure that chains, bridges, seeds and explanations walk over."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.graph.build import KnowledgeGraph
from core.index.runs import offsets
from core.index.texts import Coded
from core.store.facts import FactColumns
from core.types.kinds import NOUN

_LEAST_IMPORTANCE = 0.5  # of an entity in one fact only, so that no single entity decides a chain

Rows = NDArray[np.int64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class FactGraph:
    """Every fact twice, once from each end, sorted by that end and then by falling strength.

    Entity rows are those of the `Corpus`. A fact's strength is that it holds at all, 1 - exp(-sum of confidences): each
    further sentence that says the same halves the doubt, more or less. `name_importance` counts only facts between two
    names, and is 0 where an entity is none: no chain that is shown leads over it.
    """

    starts: Rows  # (n_entities + 1,) CSR offsets
    others: NDArray[np.int32]  # (m,) entity row at the other end
    keys: Rows  # (m,) fact keys of the store
    confidences: NDArray[np.float32]  # (m,) sums of confidences
    strengths: NDArray[np.float32]  # (m,) 0 to 1
    importance: NDArray[np.float32]  # (n_entities,) 0.5 to 1
    name_importance: NDArray[np.float32]  # (n_entities,) 0, or 0.5 to 1
    reach: NDArray[np.float64]  # (n_entities,) sums of strengths, of parallel facts the strongest
    name_reach: NDArray[np.float64]  # (n_entities,) the same of facts between names

    def of(self, entity: int, most: int) -> slice:
        """Where an entity's facts stand, the strongest `most` of them."""
        first = int(self.starts[entity])
        return slice(first, min(int(self.starts[entity + 1]), first + most))

    def degree(self, entity: int) -> int:
        return int(self.starts[entity + 1] - self.starts[entity])

    def around(self, entities: Rows, most: int) -> tuple[Rows, Rows]:
        """Places of the strongest `most` facts of each of `entities`, (e,), and whose each is, 0 to e - 1."""
        first = self.starts[entities]
        counts = np.minimum(self.starts[entities + 1] - first, most)
        owners = np.repeat(np.arange(len(entities)), counts)
        return np.arange(len(owners)) + (first - np.cumsum(counts) + counts)[owners], owners

    def select(self, keys: Rows) -> FactGraph:
        """Of these facts those with one of `keys`."""
        mask = np.isin(self.keys, keys)
        return _ordered(
            self._ends()[mask],
            self.others[mask],
            self.keys[mask],
            self.confidences[mask],
            self.name_importance > 0,
        )

    def restrict(self, entities: Rows, weights: NDArray[np.float32]) -> FactGraph:
        """Return the facts between these entities, ascending, that have one of `weights`, (m,), as sums of confidences.

        Rows are then those of `entities`.
        """
        place = np.full(len(self.starts) - 1, -1, dtype=np.int64)
        place[entities] = np.arange(len(entities))
        ends, others = place[self._ends()], place[self.others]
        stays = np.flatnonzero((ends >= 0) & (others >= 0) & (weights > 0))
        stays = stays[np.lexsort((self.keys[stays], -weights[stays], ends[stays]))]
        return _ordered(
            ends[stays],
            others[stays].astype(np.int32),
            self.keys[stays],
            weights[stays],
            self.name_importance[entities] > 0,
        )

    def _ends(self) -> Rows:
        return np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))


def fact_graph(graph: KnowledgeGraph, columns: FactColumns, labels: Sequence[str]) -> FactGraph:
    """The facts whose two ends are entities of the graph; one from an entity to itself leads nowhere.

    `labels` (n_entities,) are those of the entities.
    """
    ends, others, keys, sums = _both_ends(graph.entity_keys, columns)
    order = np.lexsort((keys, -sums, ends))
    return _ordered(ends[order], others[order].astype(np.int32), keys[order], sums[order], named(labels))


def named(labels: Sequence[str]) -> Mask:
    """Which entities are names, (n_entities,)."""
    if isinstance(labels, Coded):
        return np.array([word != NOUN for word in labels.words], np.bool_)[labels.codes]
    return np.fromiter((label != NOUN for label in labels), np.bool_, len(labels))


def _both_ends(entity_keys: Rows, columns: FactColumns) -> tuple[Rows, Rows, Rows, NDArray[np.float32]]:
    """Ends, others, keys and sums of the facts between two entities, (m,), first from subjects, then from objects."""
    valid = np.isin(columns.subjects, entity_keys) & np.isin(columns.objects, entity_keys)
    valid &= columns.subjects != columns.objects
    subjects = np.searchsorted(entity_keys, columns.subjects[valid])
    objects = np.searchsorted(entity_keys, columns.objects[valid])
    ends, others = np.concatenate([subjects, objects]), np.concatenate([objects, subjects])
    return (
        ends,
        others,
        np.tile(columns.keys[valid], 2),
        np.tile(columns.strengths[valid].astype(np.float32), 2),
    )


def _ordered(
    ends: Rows, others: NDArray[np.int32], keys: Rows, confidences: NDArray[np.float32], names: Mask
) -> FactGraph:
    """Of facts in order, (m,), each from both ends; `names` (n_entities,) tells which entities are names."""
    starts, strengths = offsets(ends, len(names)), _strengths(confidences)
    reach, name_reach = _reach(ends, others, strengths, names)
    name_importance = np.where(names, _importance(name_reach), np.float32(0))
    return FactGraph(
        starts, others, keys, confidences, strengths, _importance(reach), name_importance, reach, name_reach
    )


def _strengths(confidences: NDArray[np.float32]) -> NDArray[np.float32]:
    return (1.0 - np.exp(-confidences.astype(np.float64))).astype(np.float32)


def _reach(
    ends: Rows, others: NDArray[np.int32], strengths: NDArray[np.float32], names: Mask
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Sums of the strengths of facts in order, (n_entities,): of all, and of those between names."""
    n = len(names)
    # Of parallel facts the strongest counts, which stands first.
    _, first = np.unique(ends * n + others, return_index=True)
    visible = first[names[ends[first]] & names[others[first]]]
    total, between = (
        np.bincount(ends[each], weights=strengths[each], minlength=n).astype(np.float64)
        for each in (first, visible)
    )
    return total, between


def _importance(reach: NDArray[np.float64]) -> NDArray[np.float32]:
    """PageRank on a logarithmic scale in 0.5..1.

    Undamped PageRank of an undirected graph is each node's share of the edges' weight.
    """
    mass = np.log1p(reach)
    highest = float(mass.max(initial=0.0))
    scaled = _LEAST_IMPORTANCE + (1.0 - _LEAST_IMPORTANCE) * mass / (highest or 1.0)
    return scaled.astype(np.float32)
