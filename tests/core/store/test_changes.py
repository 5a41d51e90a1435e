"""What changed since a revision is known wholly, or it is known that it is not."""

from __future__ import annotations

import contextlib
import importlib.resources
import re
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from core.store.changes import ChangedKeys
from core.store.schema import migrate, migrations
from core.store.store import Store


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = Store(tmp_path, "made", 4, create=True)
    yield opened
    opened.close()


def add(store: Store, *names: str) -> list[int]:
    """Keys of new entities."""
    with store.database.transaction() as connection:
        rows = store.entities.ensure(connection, [(name.lower(), name, "ORG") for name in names])
    return [row.key for row in rows.values()]


def noted(store: Store) -> int:
    sql = "SELECT count(*) FROM snapshot_changes"
    return int(store.database.connection().execute(sql).fetchone()[0])


def entities(changed: ChangedKeys | None) -> list[int]:
    assert changed is not None
    assert changed.entities.dtype == np.int64
    return changed.entities.tolist()


def test_nothing_is_noted_before_somebody_reads(store: Store) -> None:
    add(store, "Ada", "Bo")
    assert noted(store) == 0 and store.changes.since(0) is None


def test_what_changes_at_a_revision_and_later_is_told_of_it(store: Store) -> None:
    assert store.changes.begin()
    (one,) = add(store, "Ada")
    store.settings.touch()
    (two,) = add(store, "Bo")
    store.settings.touch()
    assert entities(store.changes.since(0)) == [one, two]
    assert entities(store.changes.since(1)) == [two]
    assert entities(store.changes.since(2)) == [] and not store.changes.since(2).any()  # type: ignore[union-attr]
    store.entities.set_labels({one: "PERSON", two: "ORG"})
    assert entities(store.changes.since(2)) == [one], "the other has had it already"
    assert entities(store.changes.since(1)) == [one, two]
    assert noted(store) == 2, "a row each, however often it changes"


def test_who_begins_later_is_told_nothing_of_before(store: Store) -> None:
    store.settings.touch()
    store.changes.begin()
    assert store.changes.since(0) is None and entities(store.changes.since(1)) == []
    (one,) = add(store, "Ada")
    assert store.changes.begin(), "no matter how often"
    assert entities(store.changes.since(1)) == [one]


def test_what_is_forgotten_is_known_to_be(store: Store) -> None:
    store.changes.begin()
    add(store, "Ada")
    store.settings.touch()
    (two,) = add(store, "Bo")
    store.changes.forget(1)
    assert store.changes.since(0) is None and entities(store.changes.since(1)) == [two] and noted(store) == 1
    store.changes.stop()
    assert store.changes.since(1) is None and noted(store) == 0
    add(store, "Cy")
    store.changes.forget(2)
    assert store.changes.since(2) is None and noted(store) == 0


def test_what_is_taken_back_is_not_noted(store: Store) -> None:
    store.changes.begin()
    with store.database.tried_out():
        add(store, "Ada")
        assert noted(store)
    assert entities(store.changes.since(0)) == []


def test_of_too_much_nothing_is_known(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.store.changes._LEAST", 10)
    store.changes.begin()
    add(store, *map(str, range(10)))
    assert len(entities(store.changes.since(0))) == 10
    add(store, *map(str, range(20, 50)))
    assert store.changes.since(0) is None
    add(store, "Ada")
    assert noted(store) <= 1, "nothing is noted any more"
    store.changes.begin()
    assert entities(store.changes.since(0)) == [] and noted(store) == 0


def test_forgetting_makes_room(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.store.changes._LEAST", 10)
    store.changes.begin()
    for revision in range(5):
        add(store, *(f"{revision} {number}" for number in range(10)))
        assert len(entities(store.changes.since(revision))) == 10
        store.settings.touch()
        store.changes.forget(revision + 1)


def test_who_may_not_write_reads_what_others_note(store: Store, tmp_path: Path) -> None:
    with contextlib.closing(Store(tmp_path, "made", 4, read_only=True)) as reader:
        assert not reader.changes.begin() and reader.changes.since(0) is None
        store.changes.begin()
        (one,) = add(store, "Ada")
        assert not reader.changes.begin() and entities(reader.changes.since(0)) == [one]


def test_the_digests_know_nothing_of_it(store: Store) -> None:
    add(store, "Ada")
    before = store.census.status(digest=True)
    store.changes.begin()
    store.entities.set_labels({1: "PERSON"})
    store.entities.set_labels({1: "ORG"})
    assert noted(store)
    assert store.census.status(digest=True) == before


def test_an_older_workspace_notes_nothing_until_somebody_reads(tmp_path: Path) -> None:
    with contextlib.closing(sqlite3.connect(tmp_path / "clew.db", isolation_level=None)) as connection:
        migrate(connection, migrations()[:21], 0)
        connection.execute("INSERT INTO settings VALUES ('revision', '7')")
        connection.execute("INSERT INTO entities (id, normal, name, label) VALUES ('e', 'ada', 'Ada', 'ORG')")
    with contextlib.closing(Store(tmp_path, "made", 4)) as store:
        assert noted(store) == 0 and store.changes.since(7) is None
        store.changes.begin()
        assert entities(store.changes.since(7)) == [] and store.changes.since(6) is None


def test_no_row_is_replaced_unnoted() -> None:
    """SQLite tells no trigger of a row that OR REPLACE takes away; of vectors the new one has the same owner."""
    connection = sqlite3.connect(":memory:", isolation_level=None)
    migrate(connection, migrations(), 0)
    watched = {
        str(row[0])
        for row in connection.execute(
            "SELECT tbl_name FROM sqlite_master WHERE type = 'trigger' AND name LIKE 'snapshot\\_%' ESCAPE '\\'"
        )
    } - {"snapshot_changes", "snapshot_log", "snapshot_notes"}
    assert len(watched) == 9
    source = "".join(
        path.read_text("utf-8")
        for path in Path(str(importlib.resources.files("core"))).rglob("*")
        if path.suffix in (".py", ".sql")
    )
    replaced = set(re.findall(r"\bREPLACE(?:\s+INTO)?\s+(\w+)", source))
    assert "settings" in replaced and replaced & watched == {"embeddings"}
