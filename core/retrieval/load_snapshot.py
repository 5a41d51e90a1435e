"""The snapshot of the present state, by the shortest way: as it is at hand, brought up to date, or made anew.

One file is kept as the base. What changed since, tombstones and all, stands in the log that the database keeps
(`core/store/changes.py`), and is read and added in memory by whoever asks, also where nothing may be written. Only when
that grows to more than a tenth of the passages, or is not known any more, the base is written anew, which merges it.
Where no changes are noted, a file is of this very state or of no use.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

from core.config import RetrievalConfig
from core.index.vector import IndexFolder
from core.retrieval.changed_rows import read_anew
from core.retrieval.kept_snapshot import Made, Snapshot, State, keep_snapshot, kept_snapshot, kept_state
from core.retrieval.patching import MOST, patched
from core.retrieval.snapshot import Extracted, read_extracted, read_snapshot
from core.store.changes import ChangedKeys
from core.store.store import Store


def load_snapshot(
    store: Store,
    config: RetrievalConfig,
    folder: IndexFolder,
    change: Callable[[Extracted], Extracted] | None = None,
    earlier: Snapshot | None = None,
) -> Snapshot:
    """The snapshot of the present state, or one of what `change` makes of a copy of it in memory.

    `earlier` is one that is at hand, of whatever state. One that had to be made as a whole is kept.
    """
    recipe = _made(store, config)
    with store.database.at_one_moment():
        every = store.candidates.passages() is None
        found = _brought_up(store, recipe, folder, earlier) if every else None
        if found is not None and change is None:
            return found
        state = _state(store)
        extracted = read_extracted(store, recipe.synonymy)
        if change is not None:
            extracted = change(extracted)
        tables = None if found is None else (found.corpus.passage_vectors, found.corpus.sentence_vectors)
        found = read_snapshot(store, recipe, extracted, tables, _scratch(folder))
    if not every or change is not None:
        return found
    found = replace(found, made=recipe, state=state)
    if len(found.documents):
        keep_snapshot(found, folder)
    return found


def save_base(store: Store, config: RetrievalConfig, folder: IndexFolder) -> None:
    """Have a base that the present state is not far from; for a process that has the right to write."""
    if store.candidates.passages() is not None:
        return
    noted = store.changes.begin()
    saved_state = kept_state(_made(store, config), folder)
    if saved_state is not None and noted and saved_state.point is not None:
        changed = store.changes.since(saved_state.point)
        if changed is not None and _few(changed, _state(store)):
            return
    base = _whole(store, _made(store, config), folder)
    if base.state is not None and len(base.documents) and keep_snapshot(base, folder) and base.state.point:
        store.changes.forget(base.state.point)


def _whole(store: Store, made: Made, folder: IndexFolder) -> Snapshot:
    with store.database.at_one_moment():
        state = _state(store)
        extracted = read_extracted(store, made.synonymy)
        found = read_snapshot(store, made, extracted, scratch=_scratch(folder))
    return replace(found, made=made, state=state)


def _scratch(folder: IndexFolder) -> Path | None:
    """Where large arrays may lie while they are made."""
    return None if folder.read_only else folder.path


def _brought_up(store: Store, made: Made, folder: IndexFolder, earlier: Snapshot | None) -> Snapshot | None:
    """From what is at hand, else from the base; None where neither leads to the present state."""
    for old in _candidates(made, folder, earlier):
        if (found := _present(store, made, old)) is not None:
            return found
    return None


def _candidates(made: Made, folder: IndexFolder, earlier: Snapshot | None) -> Iterable[Snapshot]:
    if earlier is not None and earlier.made == made:
        yield earlier
    if (snapshot := kept_snapshot(made, folder)) is not None:
        yield snapshot


def _present(store: Store, made: Made, old: Snapshot) -> Snapshot | None:
    now = _state(store)
    if old.state is None or old.state.point is None:
        return old if old.state is not None and old.state == replace(now, point=None) else None
    changed = store.changes.since(old.state.point)
    if changed is None or now.point is None:
        return None
    if not changed.any():
        return replace(old, state=now)
    if not _few(changed, now):
        return None
    found = patched(old, read_anew(store, changed, made.synonymy), made.exact_up_to)
    return None if found is None else replace(found, made=made, state=now)


def _few(changed: ChangedKeys, now: State) -> bool:
    return max(len(changed.vectors), len(changed.passages)) <= MOST * now.counts["passages"]


def _made(store: Store, config: RetrievalConfig) -> Made:
    return Made(store.embeddings.encoder.model, config.synonymy, config.exact_up_to)


def _state(store: Store) -> State:
    return State(*store.census.state(), store.changes.point())
