"""Facts by entity: the one structure that chains, bridges, seeds and explanations walk over."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from core.graph.build import KnowledgeGraph
from core.index.splicing import Keyed, Splice, offsets, run_entries, run_of
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
    further sentence that says the same halves the doubt, more or less. `shown_importance` counts only facts between two
    names, and is 0 where an entity is none: no chain that is shown leads over it.
    """

    starts: Rows  # (n_entities + 1,) CSR offsets
    others: NDArray[np.int32]  # (m,) entity row at the other end
    keys: Rows  # (m,) fact keys of the store
    told: NDArray[np.float32]  # (m,) sums of confidences
    strengths: NDArray[np.float32]  # (m,) 0 to 1
    importance: NDArray[np.float32]  # (n_entities,) 0.5 to 1
    shown_importance: NDArray[np.float32]  # (n_entities,) 0, or 0.5 to 1
    reach: NDArray[np.float64]  # (n_entities,) sums of strengths, of parallel facts the strongest
    shown_reach: NDArray[np.float64]  # (n_entities,) the same of facts between names

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
        mask = np.isin(self.keys, keys)
        return _ordered(
            self._ends()[mask],
            self.others[mask],
            self.keys[mask],
            self.told[mask],
            self.shown_importance > 0,
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
            self.shown_importance[entities] > 0,
        )

    def _ends(self) -> Rows:
        return np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))

    def renewed(self, entities: Keyed, gone: Rows, came: FactColumns, names: Mask) -> FactGraph:
        """Without the facts of the keys `gone` and with those that `came`; `names` is of the entities as they are now.

        Only the facts of entities at an end of which something changed are ordered again.
        """
        n = len(entities.keys)
        changed = np.flatnonzero(np.isin(self.keys, gone))
        ends, others, keys, sums = _both_ends(entities.keys, came)
        touched = np.union1d(entities.moved[run_of(self.starts, changed)], ends)
        touched = np.union1d(touched[touched >= 0], entities.came)
        existing = np.flatnonzero(entities.was[touched] >= 0)
        places, owners = run_entries(self.starts, entities.was[touched[existing]])
        stays = ~np.isin(places, changed)
        places, owners = places[stays], touched[existing][owners[stays]]
        ends = np.concatenate([owners, ends])
        others = np.concatenate([entities.moved[self.others[places]], others])
        keys, sums = np.concatenate([self.keys[places], keys]), np.concatenate([self.told[places], sums])
        order = np.lexsort((keys, -sums, ends))
        sources = entities.sources.copy()
        sources[touched] = -1
        own = np.concatenate([[0], np.cumsum(np.bincount(ends, minlength=n)[touched])]).astype(np.int64)
        starts, entries = Splice.of(sources).runs(self.starts, own)
        moved = entities.moved.astype(np.int32)
        joined = entries.rows(moved[self.others], others[order].astype(np.int32))
        sums, strengths = sums[order], _strengths(sums[order])
        found = FactGraph(
            starts,
            joined,
            entries.rows(self.keys, keys[order]),
            entries.rows(self.told, sums),
            entries.rows(self.strengths, strengths),
            self.importance,
            self.shown_importance,
            Splice.of(entities.sources).rows(self.reach, np.zeros(len(entities.came))),
            Splice.of(entities.sources).rows(self.shown_reach, np.zeros(len(entities.came))),
        )
        was = np.zeros(n, np.bool_)
        was[entities.moved[entities.moved >= 0]] = self.shown_importance[entities.moved >= 0] > 0
        turned = np.flatnonzero(was != names)
        around = found.others[run_entries(starts, turned)[0]]
        found._reach_again(np.unique(np.concatenate([touched, turned, around])), names)
        return found._scaled(names)

    def _reach_again(self, entities: Rows, names: Mask) -> None:
        """Count anew, in place, what the facts of these entities, ascending, reach."""
        places, owners = run_entries(self.starts, entities)
        ends = entities[owners]
        total, visible = _reach(ends, self.others[places], self.strengths[places], names)
        self.reach[entities], self.shown_reach[entities] = total[entities], visible[entities]

    def _scaled(self, names: Mask) -> FactGraph:
        return replace(
            self,
            importance=_importance(self.reach),
            shown_importance=np.where(names, _importance(self.shown_reach), np.float32(0)),
        )


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
    ends: Rows, others: NDArray[np.int32], keys: Rows, told: NDArray[np.float32], names: Mask
) -> FactGraph:
    """Of facts in order, (m,), each from both ends; `names` (n_entities,) tells which entities are names."""
    starts, strengths = offsets(ends, len(names)), _strengths(told)
    none = np.zeros(0, np.float32)
    reach = _reach(ends, others, strengths, names)
    return FactGraph(starts, others, keys, told, strengths, none, none, *reach)._scaled(names)


def _strengths(told: NDArray[np.float32]) -> NDArray[np.float32]:
    return (1.0 - np.exp(-told.astype(np.float64))).astype(np.float32)


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
