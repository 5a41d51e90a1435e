"""What changed since a revision is known wholly, or it is known that it is not."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from core.progress import TaskContext
from core.store.backup import copy_database
from core.store.changes import ChangedKeys, Point
from core.store.checks.rule import Encoding
from core.store.store import Store
from core.store.verify import repair


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


def begun(store: Store) -> Point:
    assert store.changes.begin()
    return now(store)


def now(store: Store) -> Point:
    point = store.changes.point()
    assert point is not None
    return point


def touched(store: Store) -> Point:
    store.settings.touch()
    return now(store)


def test_nothing_is_noted_before_somebody_reads(store: Store) -> None:
    add(store, "Ada", "Bo")
    store.settings.touch()
    assert noted(store) == 0 and store.changes.point() is None and store.changes.since(Point(1, 0)) is None


def test_what_changes_at_a_point_and_later_is_since_it(store: Store) -> None:
    first = begun(store)
    (one,) = add(store, "Ada")
    second = touched(store)
    (two,) = add(store, "Bo")
    third = touched(store)
    assert [point.revision for point in (first, second, third)] == [0, 1, 2]
    assert entities(store.changes.since(first)) == [one, two]
    assert entities(store.changes.since(second)) == [two]
    found = store.changes.since(third)
    assert entities(found) == [] and found is not None and not found.any()
    store.entities.set_labels({one: "PERSON", two: "ORG"})
    assert entities(store.changes.since(third)) == [one], "the other has had it already"
    assert entities(store.changes.since(second)) == [one, two]
    assert noted(store) == 2, "a row each, however often it changes"


def test_who_begins_later_learns_nothing_of_before(store: Store) -> None:
    store.settings.touch()
    point = begun(store)
    assert point.revision == 1 and entities(store.changes.since(point)) == []
    (one,) = add(store, "Ada")
    assert begun(store) == point, "no matter how often"
    assert entities(store.changes.since(point)) == [one]


def test_what_is_forgotten_is_known_to_be(store: Store) -> None:
    first = begun(store)
    add(store, "Ada")
    second = touched(store)
    (two,) = add(store, "Bo")
    store.changes.forget(second)
    assert store.changes.since(first) is None and entities(store.changes.since(second)) == [two]
    assert noted(store) == 1
    store.changes.stop()
    assert store.changes.since(second) is None and noted(store) == 0
    add(store, "Cy")
    store.changes.forget(second)
    assert store.changes.point() is None and noted(store) == 0


def test_what_is_taken_back_is_not_noted(store: Store) -> None:
    point = begun(store)
    with store.database.dry_run():
        add(store, "Ada")
        tried = touched(store)
        assert noted(store)
    assert entities(store.changes.since(point)) == []
    assert touched(store) != tried, "what was tried out is no revision of this workspace"
    assert store.changes.since(tried) is None


def test_a_copy_that_went_another_way_knows_nothing_of_this_one(store: Store, tmp_path: Path) -> None:
    shared = begun(store)
    (tmp_path / "copy").mkdir()
    copy_database(store.database.path, tmp_path / "copy" / "clew.db", TaskContext())
    add(store, "Ada")
    here = touched(store)
    with contextlib.closing(Store(tmp_path / "copy", "made", 4)) as other:
        (own,) = add(other, "Bo")
        assert touched(other).revision == here.revision
        assert other.changes.since(here) is None and entities(other.changes.since(shared)) == [own]


def test_of_too_much_nothing_is_known(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.store.changes._LEAST", 10)
    point = begun(store)
    add(store, *map(str, range(10)))
    assert len(entities(store.changes.since(point))) == 10
    add(store, *map(str, range(20, 50)))
    assert store.changes.since(point) is None and store.changes.point() is None
    add(store, "Ada")
    assert noted(store) <= 1, "nothing is noted any more"
    assert entities(store.changes.since(begun(store))) == [] and noted(store) == 0
    assert store.changes.since(point) is None


def test_repairing_begins_again(store: Store) -> None:
    """A page that is whole again may show rows that nobody wrote."""
    point = begun(store)
    database, encoding = store.database, Encoding("made", 4)
    assert all(check.ok for check in repair(database, encoding, TaskContext(), lambda _: None))
    assert store.changes.since(point) is not None, "nothing was broken"
    connection = database.connection()
    connection.execute("PRAGMA foreign_keys = OFF")
    connection.execute("INSERT INTO synonyms VALUES (7, 8, 0.5, 0)")
    assert any(check.repaired for check in repair(database, encoding, TaskContext(), lambda _: None))
    assert store.changes.since(point) is None
