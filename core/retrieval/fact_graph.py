"""Facts by entity: the one structure that chains, bridges, seeds and explanations walk over."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.graph.build import KnowledgeGraph
from core.store.facts import FactColumns
from core.types.kinds import NOUN

_LEAST_IMPORTANCE = 0.5  # of an entity in one fact only, so that no single entity decides a chain

Rows = NDArray[np.int64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class FactGraph:
    """Every fact twice, once from each end, sorted by that end and then by falling strength.

    Entity rows are those of the `Corpus`. A fact's strength is that it holds at all, 1 - exp(-sum of confidences): each
    further sentence that says the same halves the doubt, more or less. `shown_importance` counts only facts between two
    names, and is 0 where an entity is none: no chain that is shown leads over it.
    """

    starts: Rows  # (n_entities + 1,) CSR offsets
    others: NDArray[np.int32]  # (m,) entity row at the other end
    keys: Rows  # (m,) fact keys of the store
    strengths: NDArray[np.float32]  # (m,) 0 to 1
    importance: NDArray[np.float32]  # (n_entities,) 0.5 to 1
    shown_importance: NDArray[np.float32]  # (n_entities,) 0, or 0.5 to 1

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

    def told_by(self, keys: Rows) -> FactGraph:
        """Of these facts those with one of `keys`."""
        kept = np.isin(self.keys, keys)
        return _ordered(
            self._ends()[kept],
            self.others[kept],
            self.keys[kept],
            self.strengths[kept],
            self.shown_importance > 0,
        )

    def _ends(self) -> Rows:
        return np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))


def fact_graph(graph: KnowledgeGraph, columns: FactColumns, labels: Sequence[str]) -> FactGraph:
    """The facts whose two ends are entities of the graph; one from an entity to itself leads nowhere.

    `labels` (n_entities,) are those of the entities.
    """
    held = np.isin(columns.subjects, graph.entity_keys) & np.isin(columns.objects, graph.entity_keys)
    held &= columns.subjects != columns.objects
    subjects = np.searchsorted(graph.entity_keys, columns.subjects[held])
    objects = np.searchsorted(graph.entity_keys, columns.objects[held])
    ends, others = np.concatenate([subjects, objects]), np.concatenate([objects, subjects])
    keys, told = np.tile(columns.keys[held], 2), np.tile(columns.strengths[held], 2)
    order = np.lexsort((keys, -told, ends))
    names = np.fromiter((label != NOUN for label in labels), np.bool_, graph.n_entities)
    strengths = (1.0 - np.exp(-told[order])).astype(np.float32)
    return _ordered(ends[order], others[order].astype(np.int32), keys[order], strengths, names)


def _ordered(
    ends: Rows, others: NDArray[np.int32], keys: Rows, strengths: NDArray[np.float32], names: Mask
) -> FactGraph:
    """Of facts in order, (m,), each from both ends; `names` (n_entities,) tells which entities are names."""
    n = len(names)
    starts = np.searchsorted(ends, np.arange(n + 1)).astype(np.int64)
    # Of parallel facts the strongest counts, which stands first.
    _, first = np.unique(ends * n + others, return_index=True)
    shown = first[names[ends[first]] & names[others[first]]]
    whole, between_names = (_importance(ends[each], strengths[each], n) for each in (first, shown))
    return FactGraph(starts, others, keys, strengths, whole, np.where(names, between_names, np.float32(0)))


def _importance(ends: Rows, strengths: NDArray[np.float32], n: int) -> NDArray[np.float32]:
    """PageRank on a logarithmic scale in 0.5..1.

    Undamped PageRank of an undirected graph is each node's share of the edges' weight.
    """
    mass = np.log1p(np.bincount(ends, weights=strengths, minlength=n))
    highest = float(mass.max(initial=0.0))
    scaled = _LEAST_IMPORTANCE + (1.0 - _LEAST_IMPORTANCE) * mass / (highest or 1.0)
    return scaled.astype(np.float32)
