"""All that a snapshot is made of is noted when it changes, whoever writes it: vectors by passage, all else at all."""

from __future__ import annotations

import contextlib
import random
import sqlite3
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core.answering.models import Models
from core.index.texts import Coded, Texts
from core.progress import TaskContext
from core.retrieval.snapshot import Extracted, read_extracted
from core.store.settings import MINILM
from core.store.store import Store
from core.types import Policy
from core.workspace import Workspace
from tests.conftest import copied

# Tables that a snapshot is built from, beside the settings, which name the encoder: its stamp does, too.
NOTED = {
    "passages", "sentences", "embeddings", "mentions", "entities", "decisions", "candidate_facts", "triples",
    "synonyms",
}  # fmt: skip


def same(one: Any, other: Any) -> bool:
    """To the last number, order and type included."""
    if is_dataclass(one):
        return all(same(getattr(one, each.name), getattr(other, each.name)) for each in fields(one))
    if isinstance(one, np.ndarray):
        return one.dtype == other.dtype and one.shape == other.shape and one.tobytes() == other.tobytes()
    if isinstance(one, Texts | Coded):
        return list(one) == list(other)
    return bool(one == other)


def rows_by_passage(store: Store) -> dict[int, list[object]]:
    """Return the document, the sentences and the vectors of each passage."""
    found: dict[int, list[object]] = {}
    for part in store.passages.parts():
        for row in part:
            found.setdefault(int(row[0]), []).append(row)
    for key, start in store.passages.sentence_starts().tolist():
        found.setdefault(key, []).append(start)
    for kind in ("passage", "sentence"):
        keys, vectors = store.embeddings.all(kind)
        for key, vector in zip(keys.tolist(), vectors, strict=True):
            found.setdefault(key, []).append(vector.tobytes())
    return found


class Follower:
    """Has read all once, and compares with what is noted as changed since."""

    def __init__(self, store: Store) -> None:
        self.store = store
        assert store.changes.begin()
        point = store.changes.point()
        assert point is not None
        self.point = point
        self.extracted, self.passages = read_extracted(store), rows_by_passage(store)

    def check(self, what: object) -> Extracted:
        changed = self.store.changes.since(self.point)
        assert changed is not None
        old, now, extracted = self.passages, rows_by_passage(self.store), read_extracted(self.store)
        others = {key for key in old.keys() | now.keys() if old.get(key) != now.get(key)}
        assert others <= set(np.union1d(changed.passages, changed.vectors).tolist()), what
        assert changed.any() or same(self.extracted, extracted), what
        return extracted


@pytest.fixture
def store(names_path: Path, tmp_path: Path, models: Models) -> Iterator[Store]:
    """With a name that is part of another's entity, one that no document holds, and a document without passages."""
    with Workspace.open(copied(names_path, tmp_path / "workspace"), models=models) as workspace:
        workspace.review.settle(TaskContext())
        entities = {found.name: found.id for found in workspace.graph.entities()}
        workspace.names.add_alias(entities["Ines Holm"], "The Captain", TaskContext())
        workspace.names.merge([entities["Bergen"], entities["Limassol"]], TaskContext())
        with workspace._store.database.transaction() as connection:  # none lie so near
            connection.execute(
                "INSERT OR IGNORE INTO synonyms SELECT a.key, b.key, 0.75, 0 FROM entities a, entities b"
                " WHERE a.key < b.key AND (a.key + b.key) % 3 = 0"
            )
            connection.execute(  # not looked at yet: both names are written, and become unwritten one by one
                "INSERT OR IGNORE INTO decisions SELECT min(a.normal, b.normal), max(a.normal, b.normal), 'same', ''"
                " FROM entities a, entities b WHERE a.key < b.key AND (a.key + b.key) % 4 = 1"
            )
            connection.execute(
                "INSERT INTO documents (id, path, sha256, size, modified_ns, title, media_type, pages, state)"
                " VALUES ('empty', 'empty.txt', '', 0, 0, '', 'text/plain', 0, 'done')"
            )
        yield workspace._store


def columns_read(store: Store) -> set[tuple[str, str]]:
    """(table, column) of all that is read for a snapshot."""
    found: set[tuple[str, str]] = set()

    def look(action: int, table: str | None, column: str | None, *_: object) -> int:
        if action == sqlite3.SQLITE_READ and table and column:
            found.add((table, column))
        return sqlite3.SQLITE_OK

    # A connection of its own: statements are looked at when they are prepared.
    fresh = Store(store.database.path.parent, MINILM.model, MINILM.dimension, read_only=True)
    fresh.database.connection().set_authorizer(look)
    read_extracted(fresh)
    rows_by_passage(fresh)
    fresh.close()
    rows = store.database.connection().execute("SELECT name FROM sqlite_master WHERE type = 'table'")
    tables = {str(row[0]) for row in rows} - {"settings"}
    return {(table, column) for table, column in found if table in tables}


def wheres(connection: sqlite3.Connection, table: str) -> list[str]:
    """A condition for each row."""
    columns = connection.execute(f"PRAGMA table_info({table})").fetchall()
    names = [row[1] for row in columns if row[5]] or [row[1] for row in columns]
    rows = connection.execute(
        f"SELECT {', '.join(f'quote({name})' for name in names)} FROM {table}"
    ).fetchall()
    return [
        " AND ".join(f"{name} IS {value}" for name, value in zip(names, row, strict=True)) for row in rows
    ]


def other_values(value: object, column: list[object], rng: random.Random) -> list[object]:
    """Of other rows, and such as none has."""
    found = [None, "different", *rng.sample(column, min(2, len(column)))]
    match value:
        case bytes():
            found.append(bytes(reversed(value)))
        case str():
            found.append(f"{value} again")
        case int() | float():
            found += [value + 1, value + 100_000]
    return [each for each in found if each != value]


@pytest.mark.long
def test_all_that_is_read_is_noted_whoever_writes_it(store: Store) -> None:
    """Every column that is read, given other values by statements of whatever kind, row by row."""
    read = columns_read(store)
    assert {table for table, _ in read} == NOTED, "let changes of this table be noted, and tested here"
    rng, connection = random.Random(5), store.database.connection()
    changed: set[tuple[str, str]] = set()
    for table, column in sorted(read):
        values = [row[0] for row in connection.execute(f"SELECT {column} FROM {table}")]
        own = wheres(connection, table)
        for where in rng.sample(own, min(2, len(own))):
            follower = Follower(store)
            (old,) = connection.execute(f"SELECT {column} FROM {table} WHERE {where}").fetchone()
            for policy in ("", "OR IGNORE "):
                for value in other_values(old, values, rng):
                    with contextlib.suppress(sqlite3.IntegrityError), store.database.dry_run():
                        sql = f"UPDATE {policy}{table} SET {column} = ? WHERE {where}"
                        if connection.execute(sql, (value,)).rowcount:
                            follower.check((table, column, old, value))
                            changed.add((table, column))
    # Keys of rows stay: others hold them, and nothing here writes one.
    assert {each for each in read - changed if each[1] != "key"} == set()


HOLDING = {"entities": ("mentions", "triples", "candidate_facts"), "candidate_facts": ("triples",)}


@pytest.mark.parametrize("table", sorted(NOTED | {"documents"}))
def test_rows_that_go_and_come_are_noted(table: str, store: Store) -> None:
    """Also by cascades and by triggers; rows that others hold go after those."""
    connection = store.database.connection()
    rows = wheres(connection, table)[::3]
    assert rows
    for where in rows:
        follower = Follower(store)
        with store.database.dry_run():
            for holder in HOLDING.get(table, ()):
                connection.execute(f"DELETE FROM {holder}")
            row = connection.execute(f"SELECT * FROM {table} WHERE {where}").fetchone()
            connection.execute(f"DELETE FROM {table} WHERE {where}")
            follower.check(where)
            store.settings.touch()
            later = Follower(store)
            connection.execute(f"INSERT INTO {table} VALUES ({', '.join('?' * len(row))})", row)
            follower.check(f"{where} again")
            later.check(f"{where} again")


def test_a_key_that_is_given_again_is_read_again(store: Store) -> None:
    connection, follower = store.database.connection(), Follower(store)
    with store.database.dry_run():
        (last,) = connection.execute("SELECT max(key) FROM passages").fetchone()
        before = dict(store.passages.ids())[last]
        connection.execute("DELETE FROM passages WHERE key = ?", (last,))
        connection.execute(
            'INSERT INTO passages (id, document_key, ordinal, title, text, start, "end")'
            " VALUES ('another', (SELECT min(key) FROM documents), 99, '', 'x', 0, 1)"
        )
        assert dict(store.passages.ids())[last] == "another" != before
        follower.check("given again")


def test_without_synonyms_none_are_read(store: Store) -> None:
    assert len(read_extracted(store).synonyms.ends)
    assert not len(read_extracted(store, synonymy=False).synonyms.ends)


def test_where_only_what_is_approved_counts(store: Store) -> None:
    follower = Follower(store)
    store.candidates.set_policy(Policy("approved", 0.5))
    assert not len(follower.check("approved").facts.keys)
