"""All that a snapshot is made of is noted when it changes, whoever writes it: vectors by passage, all else at all."""

from __future__ import annotations

import contextlib
import random
import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from core.answering.models import Models
from core.errors import BadInput
from core.index.texts import Coded, Texts
from core.progress import Cancelled, TaskContext
from core.retrieval.snapshot import Extracted, read_extracted
from core.store.changes import Keys
from core.store.settings import MINILM
from core.store.store import Store
from core.types import Policy
from core.workspace import Workspace
from tests.conftest import copied
from tests.core.review.test_any_sequence import ACTS, Desk

# Tables that a snapshot is made of, beside the settings, which name the encoder: its stamp does, too.
NOTED = {
    "passages", "sentences", "embeddings", "mentions", "entities", "decisions", "candidate_facts", "triples",
    "synonyms",
}  # fmt: skip


@dataclass(frozen=True)
class Encoded:
    """Sentences and vectors of passages; whoever is not encoded yet has sentences alone."""

    starts: Keys  # (n, 2): passage key, start; by passage and place
    passages: Keys  # (m,) ascending
    vectors: NDArray[np.float32]  # (m, d)
    sentences: Keys  # (s,) passage of each vector of a sentence, ascending
    sentence_vectors: NDArray[np.float32]  # (s, d)

    def renewed(self, now: Encoded, fresh: Keys) -> Encoded:
        """With what is now of the passages `fresh`, and of no others."""
        owners = {"starts": "starts", "vectors": "passages", "sentence_vectors": "sentences"}
        found = {}
        for each in fields(self):
            parts = []
            for of, fresh_ones in ((self, False), (now, True)):
                keys = getattr(of, owners.get(each.name, each.name))
                keys = keys[:, 0] if keys.ndim == 2 else keys
                rows = np.isin(keys, fresh) == fresh_ones
                parts.append((keys[rows], getattr(of, each.name)[rows]))
            order = np.argsort(np.concatenate([keys for keys, _ in parts]), kind="stable")
            found[each.name] = np.concatenate([rows for _, rows in parts])[order]
        return Encoded(**found)


@dataclass(frozen=True)
class AllRows:
    """All that a snapshot is made of."""

    extracted: Extracted
    owners: tuple[tuple[int, str, int], ...]
    encoded: Encoded


def read_all_rows(store: Store) -> AllRows:
    encoded = Encoded(
        store.passages.sentence_starts(), *store.embeddings.all("passage"), *store.embeddings.all("sentence")
    )
    return AllRows(
        read_extracted(store), tuple(row for part in store.passages.parts() for row in part), encoded
    )


def same(one: Any, other: Any) -> bool:
    """To the last number, order and type included."""
    if is_dataclass(one):
        return all(same(getattr(one, each.name), getattr(other, each.name)) for each in fields(one))
    if isinstance(one, np.ndarray):
        return one.dtype == other.dtype and one.shape == other.shape and one.tobytes() == other.tobytes()
    if isinstance(one, Texts | Coded):
        return list(one) == list(other)
    return bool(one == other)


class Follower:
    """Has read all once, and then reads what is noted."""

    def __init__(self, store: Store) -> None:
        self.store = store
        assert store.changes.begin()
        point = store.changes.point()
        assert point is not None
        self.point, self.whole = point, read_all_rows(store)

    def seen(self) -> AllRows:
        changed = self.store.changes.since(self.point)
        assert changed is not None
        now, old = read_all_rows(self.store), self.whole
        fresh = np.union1d(changed.passages, changed.vectors)
        gone = set(fresh.tolist())
        owners = [row for row in old.owners if row[0] not in gone] + [
            row for row in now.owners if row[0] in gone
        ]
        extracted = now.extracted if changed.any() else old.extracted
        return AllRows(extracted, tuple(sorted(owners)), old.encoded.renewed(now.encoded, fresh))

    def check(self, what: object) -> AllRows:
        found, expected = self.seen(), read_all_rows(self.store)
        for part in fields(AllRows):
            one, other = getattr(found, part.name), getattr(expected, part.name)
            parts = [each.name for each in fields(one)] if is_dataclass(one) else [""]
            for each in parts:
                pair = (getattr(one, each), getattr(other, each)) if each else (one, other)
                assert same(*pair), (what, part.name, each, *pair)
        return found

    def advance(self) -> None:
        """Keep what was renewed: changes are told since then."""
        point = self.store.changes.point()
        assert point is not None
        self.point, self.whole = point, self.seen()


def stopped(desk: Desk, one: int, other: int) -> None:
    """A run that is stopped halfway; what it left behind stays, and is gone on with later."""
    (desk.papers / f"{'abcd'[one % 4]}.txt").write_text(
        "Ines Holm left Riga for Bergen with Tobias Renwick.", encoding="utf-8"
    )
    looks = iter(range(10_000))
    try:
        desk.workspace.index(
            desk.papers, TaskContext(cancelled=lambda: next(looks) > 2 + other), digest=False
        )
    except Cancelled:
        return


def removed(desk: Desk, one: int, other: int) -> None:
    documents = desk.workspace.documents.all()
    gone = documents[one % len(documents)]
    desk.workspace.documents.remove([gone.id], TaskContext())
    if other % 2:
        desk.workspace.documents.restore([gone.path])


def ungrouped(desk: Desk, one: int, other: int) -> None:
    """Communities, links and places are made anew."""
    desk.workspace._store.marks.unsettle(1_000)
    desk.settle(one, other)


def many_named(desk: Desk, one: int, other: int) -> None:
    """Names that are neither in the documents nor known, and one that the documents tell of later."""
    entities = desk.workspace.graph.entities()
    name = ("Old Toby", "Riga", "Harbour Master")[other % 3]
    desk.workspace.names.add_alias(entities[one % len(entities)].id, name, TaskContext())


WRITING: list[Callable[[Desk, int, int], None]] = [*ACTS, stopped, removed, ungrouped, many_named, many_named]
steps = st.lists(
    st.tuples(st.sampled_from(WRITING), st.integers(0, 9), st.integers(0, 9), st.booleans()),
    min_size=8,
    max_size=16,
)


@pytest.mark.long
@settings(
    max_examples=15,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(steps)
def test_whatever_is_done_is_seen(
    models: Models,
    names_path: Path,
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
    taken: list[tuple[Callable[[Desk, int, int], None], int, int, bool]],
) -> None:
    # It would forget what came before the file that it keeps.
    monkeypatch.setattr("core.workspace.retrieval.RetrievalApi.keep_snapshot", lambda api: None)
    desk = Desk(tmp_path_factory.mktemp("desk"), names_path, models)
    store = desk.workspace._store
    first, following = Follower(store), Follower(store)
    for act, one, other, advances in taken:
        try:
            act(desk, one, other)
        except (BadInput, ZeroDivisionError):  # nothing is left that it could be done to
            continue
        first.check(act.__name__)
        following.check(act.__name__)
        if advances:
            following.advance()
    store.changes.forget(following.point)
    following.check("forgotten")
    assert first.point == following.point or store.changes.since(first.point) is None
    desk.workspace.close()


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
    read_all_rows(fresh)
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
    found = [None, "different", *rng.sample(column, min(4, len(column)))]
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
        for where in rng.sample(own, min(8, len(own))):
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
    rows = wheres(connection, table)
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
    assert not len(follower.check("approved").extracted.facts.keys)
