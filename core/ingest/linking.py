"""Keeps synonymy edges in step with the names: only those near a changed name are looked at again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set

import numpy as np
from numpy.typing import NDArray

from core.config import GraphConfig
from core.graph.synonymy import CELL, UNLINKED, in_order, learn_grid, nearest_cells, nearest_names, probes
from core.progress import TaskContext
from core.store.store import Store

_GROWTH = 4  # the grid is learned anew when there are so many times more names than it was made for
_BATCH = 2048  # keys a statement or a transaction
_AT_ONCE = 16_384  # names whose nearest are looked for together: what is found of them is in memory
_SPARE = 4  # names kept behind those that are wanted, for when one of these goes
_MOST_NOTIFIED = 64  # names of a cell that a new one near them is handed to
SEED = 7  # of every random choice while the graph is built, so that runs repeat
_MEASURE = "synonymy"  # the setting in the store

Keys = NDArray[np.int64]
Vectors = NDArray[np.float32]
Near = tuple[int, float]  # entity, cosine


def outdated(store: Store, config: GraphConfig) -> bool:
    """Whether the synonyms were made by another measure; then none of them holds."""
    return store.settings.get(_MEASURE, _measure(GraphConfig())) != _measure(config)


class Linker:
    """Finds the nearest names of entities, through the grid in the store."""

    def __init__(self, store: Store, config: GraphConfig) -> None:
        self._store = store
        self._config = config
        self._wanted = config.synonymy_neighbours
        self._stored = self._wanted + _SPARE if self._wanted else 0
        self._centres = np.zeros((0, 0), dtype=np.float32)

    def link(self, touched: Keys, context: TaskContext) -> None:
        """Bring synonyms in step: of names that are new or were renamed, of those near them, and of those that
        lost so many neighbours that further ones count now.

        An entity that was only touched by its mentions or facts keeps its nearest. An interrupted run leaves
        its marks, and the next one does it again.
        """
        own = self._store.synonyms
        self._centres = own.grid(self._store.embeddings.dimension)
        waiting = own.waiting()
        labels = self._store.entities.labels({*touched.tolist(), *waiting})
        linked = {key for key, label in labels.items() if label not in UNLINKED}
        unlinked = {*touched.tolist(), *waiting} - linked
        moved = {key for key in linked if waiting.get(key)}
        own.unlink(unlinked | moved)
        self._store.embeddings.drop("entity", unlinked)
        if outdated(self._store, self._config) or (moved and self._place(_keys(moved))):
            keys = self._place_all()
            for first in range(0, len(keys), _AT_ONCE):
                context.report("synonyms", first, len(keys))
                self._search(np.sort(keys[first : first + _AT_ONCE]), context, self._stored + 1)
            self._store.settings.set(_MEASURE, _measure(self._config))
            return
        again = self._short(own.waiting().keys() - unlinked - moved)
        for part in _parts(sorted(moved), _AT_ONCE):
            self._hand_on(self._search(_keys(part), context), moved | again)
        for part in _parts(sorted(again), _AT_ONCE):
            self._search(_keys(part), context)

    def _short(self, lost: Set[int]) -> set[int]:
        """Let spares take the places of those that `lost` lost; the names for which that is not enough."""
        short: set[int] = set()
        more = self._store.synonyms.having_more(lost)
        for keys in _parts(sorted(lost)):
            left = self._store.synonyms.of(keys)
            short.update(key for key in keys if key in more and len(left[key]) < self._wanted)
            enough = {key: names for key, names in left.items() if key not in short}
            self._store.synonyms.replace(enough, self._wanted, more)
        return short

    def _place(self, keys: Keys) -> bool:
        """Put names into their cells; whether the grid must be learned anew instead."""
        if not len(self._centres):
            return True
        for keys_, vectors in self._vectors(keys):
            self._store.synonyms.place(keys_, nearest_cells(vectors, self._centres))
        return self._store.synonyms.placed() > _GROWTH * CELL * len(self._centres)

    def _place_all(self) -> Keys:
        """Learn the grid from all names and put them into it; the keys of all, those of a cell together."""
        keys = self._store.embeddings.entities_but(UNLINKED)
        n_cells = max(1, len(keys) // CELL)
        self._centres = learn_grid(lambda rows: self._with_vectors(keys[rows])[1], len(keys), n_cells, SEED)
        self._store.synonyms.set_grid(self._centres)
        cells = np.zeros(len(keys), dtype=np.int64)
        for own, vectors in self._vectors(keys):
            found = nearest_cells(vectors, self._centres)
            cells[np.searchsorted(keys, own)] = found
            self._store.synonyms.place(own, found)
        return keys[np.argsort(cells, kind="stable")]

    def _search(self, keys: Keys, context: TaskContext, most: int = _MOST_NOTIFIED) -> dict[int, list[Near]]:
        """Find names near `keys`, `most` in a cell, and store the nearest of each; each cell is looked into once.

        `keys` ascend.
        """
        limit = max(most, self._stored + 1) if self._stored else 0
        found: dict[int, list[Near]] = {int(key): [] for key in keys}
        own, vectors = self._with_vectors(keys)
        near = probes(vectors, self._centres)
        rows = np.repeat(np.arange(len(own)), near.shape[1])
        order = np.argsort(near.ravel(), kind="stable")
        cells, starts = np.unique(near.ravel()[order], return_index=True)
        pairs = [(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0))]
        for cell, mine in zip(cells, np.split(rows[order], starts[1:]), strict=False):
            context.check()
            pairs += self._search_cell(int(cell), mine, own, vectors, limit)
        every = in_order(*(np.concatenate(column) for column in zip(*pairs, strict=True)))
        if most <= self._stored + 1:
            every = every.first(self._stored + 1)
        names = zip(own[every.rows].tolist(), every.keys.tolist(), every.cosines.tolist(), strict=True)
        for key, other, cosine in names:
            found[key].append((other, cosine))
        self._keep({key: list(names) for key, names in found.items()}, set())
        return found

    def _search_cell(
        self, cell: int, mine: Keys, own: Keys, queries: Vectors, limit: int
    ) -> Iterator[tuple[Keys, Keys, NDArray[np.float64]]]:
        """The near names that lie in a cell of the rows `mine`: rows, keys and cosines."""
        members = np.array(self._store.synonyms.members(cell), dtype=np.int64)
        for keys, vectors in self._vectors(members):
            for first in range(0, len(mine), _BATCH):
                rows = mine[first : first + _BATCH]
                near = nearest_names(
                    queries[rows], own[rows], vectors, keys, self._config.synonymy_threshold, limit
                )
                yield rows[near.rows], near.keys, near.cosines

    def _keep(self, found: dict[int, list[Near]], more: Set[int]) -> None:
        """Store the nearest of each; of those in `more` it is known that there are others."""
        beyond = set(more)
        for key, names in found.items():
            names.sort(key=_nearest_first)
            if len(names) > self._stored:
                beyond.add(key)
                del names[self._stored :]
        for keys in _parts(list(found)):
            self._store.synonyms.replace({key: found[key] for key in keys}, self._wanted, beyond)

    def _hand_on(self, found: dict[int, list[Near]], done: Set[int]) -> None:
        """Give the names that were found to those near them, as if these had looked themselves.

        A name is found by another only where it lies in a cell that the other looks into, and it counts
        only where all that are nearer are known.
        """
        near: dict[int, list[Near]] = {}
        for key, names in found.items():
            for other, cosine in names:
                if other not in done:
                    near.setdefault(other, []).append((key, cosine))
        cells = self._store.synonyms.cells(found)
        more = self._store.synonyms.having_more(near)
        for keys, vectors in self._vectors(_keys(near)):
            looked = probes(vectors, self._centres)
            before = self._store.synonyms.of(keys.tolist())
            for row, key in enumerate(keys.tolist()):
                new = [name for name in near[key] if cells.get(name[0]) in looked[row]]
                if key in more:
                    last = _nearest_first(before[key][-1])
                    new = [name for name in new if _nearest_first(name) < last]
                before[key] += new
            self._keep(before, more)

    def _vectors(self, keys: Keys) -> Iterator[tuple[Keys, Vectors]]:
        """Keys that have a vector, with it, in parts; each part ascends."""
        for part in _parts(keys.tolist()):
            own, vectors = self._store.embeddings.matrix("entity", part)
            if len(own):
                yield own, vectors

    def _with_vectors(self, keys: Keys) -> tuple[Keys, Vectors]:
        """Those of `keys` (n,) that have a vector, and the vectors, (at most n, d)."""
        vectors = np.empty((len(keys), self._store.embeddings.dimension), dtype=np.float32)
        having = np.empty(len(keys), dtype=np.int64)
        count = 0
        for own, part in self._vectors(keys):
            vectors[count : count + len(own)] = part
            having[count : count + len(own)] = own
            count += len(own)
        return having[:count], vectors[:count]


def _measure(config: GraphConfig) -> str:
    return f"{config.synonymy_threshold} {config.synonymy_neighbours}"


def _keys(keys: Iterable[int]) -> Keys:
    return np.array(sorted(keys), dtype=np.int64)


def _nearest_first(name: Near) -> tuple[float, int]:
    return -name[1], name[0]


def _parts(keys: list[int], size: int = _BATCH) -> Iterator[list[int]]:
    return (keys[first : first + size] for first in range(0, len(keys), size))
