"""The whole graph as it is kept is the one that plain reading gives, of this state and of no other."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from core.graph import overview_cache
from core.graph.overview import Overview, read_overview
from core.graph.overview_cache import FILE, OverviewCache, forget_overview
from core.index.vector import IndexFolder
from core.progress import TaskContext
from core.research.synthetic.library import plant_communities
from core.research.synthetic.workspace import generate_workspace
from core.store.store import Store


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    monkeypatch.setattr(overview_cache, "LEAST", 1)
    place = tmp_path / "made"
    place.mkdir()
    created = generate_workspace(place, 300, TaskContext(), facts=400)
    plant_communities(created, TaskContext())
    yield created
    created.close()


@pytest.fixture
def folder(tmp_path: Path) -> IndexFolder:
    return IndexFolder(tmp_path / "derived")


def check(found: Overview, store: Store) -> None:
    plain = read_overview(store).foldable
    assert found.foldable.communities == plain.communities
    for name in ("ids", "names", "labels"):
        assert getattr(found.foldable.view, name) == getattr(plain.view, name)
    for name in ("degree", "community", "positions", "edges", "weights"):
        np.testing.assert_array_equal(getattr(found.foldable.view, name), getattr(plain.view, name))
    for name in ("parent", "home", "drawn", "positions", "radii", "outlines"):
        np.testing.assert_array_equal(getattr(found.foldable, name), getattr(plain, name))
    assert found.quality == read_overview(store).quality


def test_it_is_what_plain_reading_gives_from_the_store_and_from_the_file(
    store: Store, folder: IndexFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert OverviewCache(store, folder).at_hand() is None
    check(OverviewCache(store, folder).now(), store)
    monkeypatch.setattr(
        overview_cache,
        "read_overview",
        lambda _: pytest.fail("The store was read though the file was there."),
    )
    check(OverviewCache(store, folder).now(), store)
    found = OverviewCache(store, folder).at_hand()
    assert found is not None and found[1]


def test_names_of_a_merged_entity_count_as_one(store: Store, folder: IndexFolder) -> None:
    one, other, third = store.entities.rows()[:3]
    with store.database.transaction() as connection:
        for row in (other, third):
            connection.execute("UPDATE entities SET head_key = ? WHERE key = ?", (one.key, row.key))
            for table in ("community_members", "layout"):
                connection.execute(f"DELETE FROM {table} WHERE entity_key = ?", (row.key,))
    found = OverviewCache(store, folder).now()
    assert one.id in found.foldable.view.ids and not {other.id, third.id} & set(found.foldable.view.ids)
    check(found, store)


@pytest.mark.parametrize("change", ["content", "title", "file", "policy"])
def test_another_state_is_read_again(change: str, store: Store, folder: IndexFolder) -> None:
    OverviewCache(store, folder).now()
    with store.database.transaction() as connection:
        if change == "content":
            connection.execute("UPDATE entities SET name = 'Other' WHERE key = 1")
            store.settings.touch()
        elif change == "title":
            connection.execute("UPDATE community_reports SET report = json_set(report, '$.title', 'Other')")
        elif change == "policy":
            store.settings.set("review.policy", "approved")
            store.settings.touch()
    if change == "file":
        forget_overview(folder.path)
    older = OverviewCache(store, folder).at_hand()
    if change in ("content", "title"):  # it is shown while the new one is read
        assert older is not None and not older[1]
    else:
        assert older is None
    if change != "policy":
        check(OverviewCache(store, folder).now(), store)


def test_a_file_that_was_changed_is_not_read(store: Store, folder: IndexFolder) -> None:
    OverviewCache(store, folder).now()
    place = folder.path / FILE
    place.write_bytes(place.read_bytes()[:-200])
    assert OverviewCache(store, folder).at_hand() is None
    check(OverviewCache(store, folder).now(), store)


def test_a_folder_that_may_only_be_read_gets_no_file(store: Store, tmp_path: Path) -> None:
    closed = IndexFolder(tmp_path / "closed", read_only=True)
    check(OverviewCache(store, closed).now(), store)
    assert not closed.path.exists()


def test_a_file_lies_there_after_it_was_forgotten_and_an_older_one_is_enough(
    store: Store, folder: IndexFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    stored = OverviewCache(store, folder)
    stored.keep()
    check(OverviewCache(store, folder).now(), store)
    forget_overview(folder.path)
    with monkeypatch.context() as patch:
        patch.setattr(overview_cache, "read_overview", lambda _: pytest.fail("It was at hand."))
        stored.keep()
    before = (folder.path / FILE).read_bytes()
    store.settings.set("revision", str(store.settings.revision() + 1))
    stored.keep()
    assert (folder.path / FILE).read_bytes() == before
    forget_overview(folder.path)
    stored.keep()
    found = OverviewCache(store, folder).at_hand()
    assert found is not None and found[1]
    check(found[0], store)
