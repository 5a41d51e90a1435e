"""Synonyms after small changes: the same as from scratch, and found without looking where nothing is to be found."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from core.config import GraphConfig
from core.ingest import linking
from core.ingest.linking import Linker, outdated
from core.progress import TaskContext
from core.store.store import Store

CONFIG = GraphConfig(synonymy_neighbours=3, synonymy_threshold=0.5)
NONE = np.zeros(0, dtype=np.int64)


def names_near_each_other(store: Store, count: int, seed: int = 3, first: int = 0) -> None:
    """`count` people whose names' vectors all lie within the threshold of each other, each with a mention."""
    random = np.random.default_rng(seed)
    middle = np.ones(4, dtype=np.float32)
    with store.database.transaction() as connection:
        names = [(f"name {first + i}", f"Name {first + i}", "PERSON") for i in range(count)]
        rows = store.entities.ensure(connection, names)
        vectors = middle + 0.4 * random.standard_normal((count, 4)).astype(np.float32)
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        own = [(rows[normal].key, vectors[at]) for at, (normal, _, _) in enumerate(names)]
        store.embeddings.put(connection, "entity", own)


def linked(store: Store) -> dict[int, list[int]]:
    rows = store.database.connection().execute(
        "SELECT entity_key, other_key FROM synonyms WHERE NOT spare ORDER BY entity_key, cosine DESC, other_key"
    )
    found: dict[int, list[int]] = {}
    for entity, other in rows:
        found.setdefault(entity, []).append(other)
    return found


def from_scratch(store: Store) -> dict[int, list[int]]:
    """What linking everything anew gives."""
    store.settings.set("synonymy", "another measure")
    Linker(store, CONFIG).link(NONE, TaskContext())
    return linked(store)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    opened = Store(tmp_path, "model", 4, create=True)
    names_near_each_other(opened, 30)
    Linker(opened, CONFIG).link(NONE, TaskContext())
    opened.marks.clear()
    return opened


def delete(store: Store, key: int) -> None:
    with store.database.transaction() as connection:
        connection.execute("DELETE FROM embeddings WHERE kind = 'entity' AND owner_key = ?", (key,))
        connection.execute("DELETE FROM entities WHERE key = ?", (key,))


def test_a_lost_neighbour_is_replaced_without_a_search(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    before = linked(store)
    assert all(len(names) == 3 for names in before.values())
    gone = before[1][0]
    delete(store, gone)

    def never(*_: object) -> None:
        raise AssertionError("a cell was looked into")

    monkeypatch.setattr(linking, "nearest_names", never)
    Linker(store, CONFIG).link(NONE, TaskContext())
    monkeypatch.undo()
    after = linked(store)
    assert gone not in after and all(gone not in names for names in after.values())
    assert after == from_scratch(store)


def test_who_loses_more_than_the_spares_looks_again(store: Store) -> None:
    for key in linked(store)[1] + linked(store)[2]:
        if key not in (1, 2):
            delete(store, key)
            Linker(store, CONFIG).link(NONE, TaskContext())
            store.marks.clear()
    for key in range(10, 24):
        delete(store, key)
    Linker(store, CONFIG).link(NONE, TaskContext())
    assert linked(store) == from_scratch(store)


def test_new_names_are_handed_to_those_near_them(store: Store) -> None:
    names_near_each_other(store, 12, seed=5, first=30)
    Linker(store, CONFIG).link(NONE, TaskContext())
    store.marks.clear()
    assert linked(store) == from_scratch(store)


def test_another_measure_links_everything_again(store: Store) -> None:
    assert not outdated(store, CONFIG)
    wider = GraphConfig(synonymy_neighbours=5, synonymy_threshold=0.5)
    assert outdated(store, wider)
    Linker(store, wider).link(NONE, TaskContext())
    assert all(len(names) == 5 for names in linked(store).values())
    assert not outdated(store, wider)
