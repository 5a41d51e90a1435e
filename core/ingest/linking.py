"""Keeps synonymy edges in step with the names: only those near a changed name are looked at again."""

from __future__ import annotations

from collections.abc import Iterable, Set

import numpy as np
from numpy.typing import NDArray

from core.config import GraphConfig
from core.graph.synonymy import CELL, UNLINKED, learn_grid, nearest_cells, nearest_names, probes
from core.progress import TaskContext
from core.store.store import Store

_GROWTH = 4  # the grid is learned anew when there are so many times more names than it was made for
_BATCH = 2048  # keys a statement or a transaction

Keys = NDArray[np.int64]
Vectors = NDArray[np.float32]


class Linker:
    """Finds the nearest names of entities, through the grid in the store."""

    def __init__(self, store: Store, config: GraphConfig) -> None:
        self._store = store
        self._config = config
        self._centres = np.zeros((0, 0), dtype=np.float32)

    def link(self, touched: Keys, context: TaskContext) -> None:
        """Bring synonyms in step: of names that are new, were renamed, or lost a neighbour, and of those near them.

        An entity that was only touched by its mentions or facts keeps its nearest. An interrupted run leaves
        its marks, and the next one does it again.
        """
        self._centres = self._store.synonyms.grid(self._store.embeddings.dimension)
        waiting = self._store.synonyms.waiting()
        labels = self._store.entities.labels({*touched.tolist(), *waiting})
        linked = {key for key, label in labels.items() if label not in UNLINKED}
        unlinked = {*touched.tolist(), *waiting} - linked
        wanted = waiting.keys() & linked
        # Whoever pointed at a name that moved or went looks again, whether it is still near or not.
        gone = unlinked | {key for key in wanted if waiting[key]}
        again = self._store.synonyms.pointing_at(gone) - wanted - unlinked
        self._store.synonyms.unlink(unlinked)
        self._store.embeddings.drop("entity", unlinked)
        keys = np.array(sorted(wanted), dtype=np.int64)
        if len(keys) and self._place(keys):
            keys, again = self._place_all(), set()
        found = self._search(keys, context)
        self._search(np.array(sorted(again), dtype=np.int64), context)
        self._hand_on(found, found.keys() | again)

    def _place(self, keys: Keys) -> bool:
        """Put names into their cells; whether the grid must be learned anew instead."""
        if not len(self._centres):
            return True
        for keys_, vectors in self._vectors(keys):
            self._store.synonyms.place(keys_, nearest_cells(vectors, self._centres))
        return self._store.synonyms.placed() > _GROWTH * CELL * len(self._centres)

    def _place_all(self) -> Keys:
        """Learn the grid from all names and put them into it; the keys of all."""
        keys: Keys
        keys, vectors = self._store.embeddings.all("entity")
        labels = self._store.entities.all_labels()
        wanted = np.array([labels.get(int(key), "NOUN") not in UNLINKED for key in keys], dtype=bool)
        keys, vectors = keys[wanted], vectors[wanted]
        self._centres = learn_grid(vectors, max(1, len(keys) // CELL), self._config.seed)
        self._store.synonyms.set_grid(self._centres)
        self._store.synonyms.place(keys, nearest_cells(vectors, self._centres))
        return keys

    def _search(self, keys: Keys, context: TaskContext) -> dict[int, list[tuple[int, float]]]:
        """Find and store the nearest names of `keys`; each cell is looked into once."""
        found: dict[int, list[tuple[int, float]]] = {int(key): [] for key in keys}
        parts = list(self._vectors(keys))
        if parts:
            own = np.concatenate([part for part, _ in parts])
            vectors = np.concatenate([part for _, part in parts])
            near = probes(vectors, self._centres)
            rows = np.repeat(np.arange(len(own)), near.shape[1])
            order = np.argsort(near.ravel(), kind="stable")
            cells, starts = np.unique(near.ravel()[order], return_index=True)
            for at, (cell, mine) in enumerate(zip(cells, np.split(rows[order], starts[1:]), strict=True)):
                context.report("synonyms", at, len(cells))
                self._search_cell(int(cell), own[mine], vectors[mine], found)
        limit = self._config.synonymy_neighbours
        for key, names in found.items():
            found[key] = sorted(names, key=lambda name: (-name[1], name[0]))[:limit]
        for first in range(0, len(keys), _BATCH):
            part = keys[first : first + _BATCH].tolist()
            links = [(key, other, cosine) for key in part for other, cosine in found[key]]
            self._store.synonyms.replace(part, links)
        return found

    def _search_cell(
        self, cell: int, own: Keys, queries: Vectors, found: dict[int, list[tuple[int, float]]]
    ) -> None:
        """Add the near names that lie in a cell."""
        threshold, limit = self._config.synonymy_threshold, self._config.synonymy_neighbours
        members = np.array(self._store.synonyms.members(cell), dtype=np.int64)
        for keys, vectors in self._vectors(members):
            for first in range(0, len(own), _BATCH):
                part = slice(first, first + _BATCH)
                lists = nearest_names(queries[part], own[part], vectors, keys, threshold, limit)
                for key, names in zip(own[part], lists, strict=True):
                    found[int(key)] += names

    def _hand_on(self, found: dict[int, list[tuple[int, float]]], done: Set[int]) -> None:
        """Give the names that were found to those near them, as if these had looked themselves.

        A name is found by another only where it lies in a cell that the other looks into.
        """
        near: dict[int, list[tuple[int, float]]] = {}
        for key, names in found.items():
            for other, cosine in names:
                if other not in done:
                    near.setdefault(other, []).append((key, cosine))
        cells = self._store.synonyms.cells(found)
        limit = self._config.synonymy_neighbours
        for keys, vectors in self._vectors(np.array(sorted(near), dtype=np.int64)):
            looked = probes(vectors, self._centres)
            before = self._store.synonyms.of(keys.tolist())
            links = []
            for row, key in enumerate(keys.tolist()):
                own = dict(before[key])
                own.update((other, cosine) for other, cosine in near[key] if cells.get(other) in looked[row])
                best = sorted(own.items(), key=lambda name: (-name[1], name[0]))[:limit]
                links += [(key, other, cosine) for other, cosine in best]
            self._store.synonyms.replace(keys.tolist(), links)

    def _vectors(self, keys: Keys) -> Iterable[tuple[Keys, Vectors]]:
        """Keys that have a vector, with it, in parts."""
        for first in range(0, len(keys), _BATCH):
            stored = self._store.embeddings.get("entity", keys[first : first + _BATCH].tolist())
            if stored:
                part = np.array(sorted(stored), dtype=np.int64)
                yield part, np.concatenate([stored[int(key)] for key in part])
