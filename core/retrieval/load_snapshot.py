"""The snapshot of the present state: the one at hand where nothing changed, else one that is read anew.

Vectors take most of the time, so those that did not change are taken from the snapshot at hand or from the base, the
file beside the database; which passages changed stands in the database's log (`core/store/changes.py`). Only when those
are more than a tenth, or it is not known which, all is read, and the base is written anew.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from core.config import RetrievalConfig
from core.index.vector import IndexFolder
from core.index.vector_table import Exact, Quantised, VectorTable
from core.retrieval.corpus import Corpus
from core.retrieval.gate import Summaries, summaries
from core.retrieval.snapshot import Extracted, Tables, read_extracted, read_snapshot
from core.retrieval.snapshot_file import (
    Recipe,
    Snapshot,
    State,
    read_snapshot_file,
    save_snapshot,
    saved_state,
)
from core.store.changes import ChangedKeys
from core.store.store import Store

Rows = NDArray[np.int64]
MOST = 0.1  # of a table's rows: where more are others than when it was made, all is made anew


def load_snapshot(
    store: Store,
    config: RetrievalConfig,
    folder: IndexFolder,
    change: Callable[[Extracted], Extracted] | None = None,
    earlier: Snapshot | None = None,
) -> Snapshot:
    """The snapshot of the present state, or one of what `change` makes of a copy of it in memory.

    `earlier` is one that is at hand, of whatever state. One whose vectors had to be read anew is kept.
    """
    recipe = _recipe(store, config)
    with store.database.at_one_moment():
        every = store.candidates.passages() is None
        state = _state(store)
        reuse = _find_reuse(store, recipe, folder, earlier) if every else None
        if reuse is not None and reuse.current and change is None:
            return replace(reuse.old, state=state)
        extracted = read_extracted(store, recipe.synonymy)
        if change is not None:
            extracted = change(extracted)
        tables, summarise = (reuse.tables, reuse.summarise) if reuse else (None, None)
        found = read_snapshot(store, recipe, extracted, tables, _scratch(folder), summarise)
    if not every or change is not None:
        return found
    found = replace(found, recipe=recipe, state=state)
    if reuse is None and len(found.documents):
        save_snapshot(found, folder)
    return found


def save_base(store: Store, config: RetrievalConfig, folder: IndexFolder) -> None:
    """Have a base that the present state is not far from; for a process that has the right to write."""
    if store.candidates.passages() is not None:
        return
    noted = store.changes.begin()
    earlier_state = saved_state(_recipe(store, config), folder)
    if earlier_state is not None and noted and earlier_state.point is not None:
        changed = store.changes.since(earlier_state.point)
        if changed is not None and _few(changed, _state(store)):
            return
    base = _read_all(store, _recipe(store, config), folder)
    if base.state is not None and len(base.documents) and save_snapshot(base, folder) and base.state.point:
        store.changes.forget(base.state.point)


def _read_all(store: Store, recipe: Recipe, folder: IndexFolder) -> Snapshot:
    with store.database.at_one_moment():
        state = _state(store)
        extracted = read_extracted(store, recipe.synonymy)
        found = read_snapshot(store, recipe, extracted, scratch=_scratch(folder))
    return replace(found, recipe=recipe, state=state)


def _scratch(folder: IndexFolder) -> Path | None:
    """Where large arrays may lie while they are made."""
    return None if folder.read_only else folder.path


@dataclass(frozen=True, slots=True)
class _Reuse:
    """What an older snapshot has of the present state: vectors, those of the passages `fresh` read anew."""

    old: Snapshot
    current: bool  # nothing changed since
    fresh: Rows
    tables: Tables

    def summarise(self, corpus: Corpus, documents: Rows) -> Summaries:
        """Return the summaries of all documents; only those with a passage of `fresh` are made anew."""
        before = self.old.summaries
        if not len(self.fresh):
            return before
        touched = [
            own[np.isin(keys, self.fresh)]
            for own, keys in (
                (self.old.documents, self.old.corpus.graph.passage_keys),
                (documents, corpus.graph.passage_keys),
            )
        ]
        inside = np.isin(documents, np.concatenate(touched))[corpus.sentence_passages]
        rows = np.flatnonzero(inside)
        vectors = Exact(corpus.sentence_vectors[rows])
        fresh = summaries(vectors, corpus.sentence_passages[rows], documents, 4 * len(rows))
        stays = np.flatnonzero(~np.isin(before.owners, np.concatenate(touched)))
        if not len(fresh.owners):
            return Summaries(before.vectors.changed(stays, _none(before.vectors)), before.owners[stays])
        at = np.searchsorted(before.owners[stays], fresh.owners)
        table = before.vectors.changed(np.insert(stays, at, -1), fresh.vectors[:])
        return Summaries(table, np.insert(before.owners[stays], at, fresh.owners))


def _find_reuse(store: Store, recipe: Recipe, folder: IndexFolder, earlier: Snapshot | None) -> _Reuse | None:
    """Of what is at hand, else of the base; None where too much changed, or it is not known what."""
    for old in _candidates(recipe, folder, earlier):
        if (found := _reuse_of(store, recipe, old)) is not None:
            return found
    return None


def _candidates(recipe: Recipe, folder: IndexFolder, earlier: Snapshot | None) -> Iterable[Snapshot]:
    if earlier is not None and earlier.recipe == recipe:
        yield earlier
    if (snapshot := read_snapshot_file(recipe, folder)) is not None:
        yield snapshot


def _reuse_of(store: Store, recipe: Recipe, old: Snapshot) -> _Reuse | None:
    now, corpus = _state(store), old.corpus
    none, tables = np.zeros(0, np.int64), (corpus.passage_vectors, corpus.sentence_vectors)
    if old.state is None or old.state.point is None:
        same = old.state is not None and old.state == replace(now, point=None)
        return _Reuse(old, True, none, tables) if same else None
    changed = store.changes.since(old.state.point)
    if changed is None or now.point is None:
        return None
    fresh = np.union1d(changed.passages, changed.vectors)
    if not len(fresh):
        return _Reuse(old, not changed.any(), fresh, tables)
    if not _few(changed, now) or not len(tables[1]) or not len(old.summaries.vectors):
        return None
    keys = corpus.graph.passage_keys
    passages = _reread(store, "passage", tables[0], keys, fresh)
    sentences = _reread(store, "sentence", tables[1], keys[corpus.sentence_passages], fresh)
    if not all(
        _still_good(table, recipe.exact_up_to) for table in (passages, sentences, old.summaries.vectors)
    ):
        return None
    return _Reuse(old, False, fresh, (passages, sentences))


def _reread(store: Store, kind: str, table: VectorTable, old_owners: Rows, fresh: Rows) -> VectorTable:
    """The table with the vectors of the owners `fresh` as the store has them now."""
    owners = store.embeddings.owner_keys(kind)
    sources = np.full(len(owners), -1, np.int64)
    sources[~np.isin(owners, fresh)] = np.flatnonzero(~np.isin(old_owners, fresh))
    return table.changed(sources, store.embeddings.all(kind, fresh.tolist())[1])


def _none(table: VectorTable) -> NDArray[np.float32]:
    return table[np.zeros(0, np.int64)]


def _still_good(table: VectorTable, exact_up_to: int) -> bool:
    """Whether it is of the kind that would be made now, and most of it is as it was made."""
    if isinstance(table, Quantised):
        return len(table) > exact_up_to and table.share_changed <= MOST
    return 0 < len(table) <= exact_up_to


def _few(changed: ChangedKeys, now: State) -> bool:
    return max(len(changed.vectors), len(changed.passages)) <= MOST * now.counts["passages"]


def _recipe(store: Store, config: RetrievalConfig) -> Recipe:
    return Recipe(store.embeddings.encoder.model, config.synonymy, config.exact_up_to)


def _state(store: Store) -> State:
    return State(*store.census.state(), store.changes.point())
