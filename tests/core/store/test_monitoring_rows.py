"""Rows of how questions went: bounded, quick to give up, sound whoever wrote them; mentions drawn evenly by seeds."""

from __future__ import annotations

import contextlib
import sqlite3
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from core.errors import BadInput, WorkspaceError
from core.store import monitoring
from core.store.entities import NewMention
from core.store.monitoring import MonitoringRows
from core.store.store import Store
from core.types import AskedQuestion, Document, Passage, State

ASKED = AskedQuestion("2026-09-03T10:00:00+00:00", "graph", False, False, "answer", 0.6, 1.5, 700, 3, 2)
TEXT = "Ada met Bo and Cy and Di and Ed and Flo."
NAMES = ("Ada", "Bo", "Cy", "Di", "Ed", "Flo")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    made = Store(tmp_path, "model", 3, create=True)
    yield made
    made.close()


@contextlib.contextmanager
def other_hand(store: Store) -> Iterator[sqlite3.Connection]:
    with contextlib.closing(sqlite3.connect(store.database.path, isolation_level=None)) as connection:
        connection.execute("PRAGMA ignore_check_constraints = ON")
        yield connection


def put_document(store: Store, path: str, names: tuple[str, ...] = NAMES, sha256: str = "") -> None:
    document = Document(path, path, sha256 or path, 1, path, "text/plain", state=State.DONE)
    passage = Passage(f"passage {path}", path, 0, path, TEXT, 0, len(TEXT), None)
    store.documents.put_read(document, TEXT, [], [passage])
    (stored,) = store.passages.of_document(path)
    mentions = [
        NewMention(stored.key, name.casefold(), name, "PERSON", at, at + len(name))
        for name in names
        if (at := TEXT.find(name)) >= 0
    ]
    with store.database.transaction() as connection:
        rows = store.entities.ensure(connection, [(m.normal, m.surface, m.label) for m in mentions])
        store.entities.add_mentions(connection, mentions, rows)


def test_what_is_kept_comes_back_in_order(store: Store) -> None:
    later = replace(ASKED, made="2026-09-04T10:00:00+00:00", route="lab:my own", own=True)
    store.monitoring.put([later, ASKED])
    assert store.monitoring.questions() == [ASKED, later]
    store.monitoring.forget()
    assert store.monitoring.questions() == []


def test_only_the_last_are_kept(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(monitoring, "KEPT", 5)
    for number in range(12):
        store.monitoring.add(replace(ASKED, tokens=number))
    assert [asked.tokens for asked in store.monitoring.questions()] == [7, 8, 9, 10, 11]
    # A row with the greatest key there can be takes no others with it.
    with other_hand(store) as connection:
        connection.execute("UPDATE asked_questions SET key = ? WHERE tokens = 11", (2**63 - 1,))
    store.monitoring.add(replace(ASKED, tokens=12))
    assert len(store.monitoring.questions()) == 5


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("made", "yesterday"),
        ("made", "2026-09-03T10:00:00"),
        ("made", "0001-01-01T00:00:00+00:00"),
        ("kind", "praise"),
        ("route", "gra\x1b[31mph"),
        ("route", "x" * 5000),
        ("seconds", -1.0),
        ("seconds", float("inf")),
        ("score", float("-inf")),
        ("tokens", -5),
        ("documents", 2**63 - 1),
    ],
)
def test_a_row_that_no_answer_leaves_is_passed_by(store: Store, column: str, value: object) -> None:
    store.monitoring.put([ASKED, replace(ASKED, tokens=1)])
    with other_hand(store) as connection:
        connection.execute(f"UPDATE asked_questions SET {column} = ? WHERE tokens = 1", (value,))
    assert store.monitoring.questions() == [ASKED]


def test_another_writer_is_not_waited_for(store: Store) -> None:
    with other_hand(store) as connection:
        connection.execute("BEGIN IMMEDIATE")
        begin = time.monotonic()
        with pytest.raises(WorkspaceError):
            store.monitoring.add(ASKED)
        assert time.monotonic() - begin < 10, "all else waits for 30 seconds"
        connection.execute("ROLLBACK")
    timeout = store.database.connection().execute("PRAGMA busy_timeout").fetchone()
    assert timeout == (30_000,), "what comes after it waits as ever"
    store.monitoring.add(ASKED)
    assert store.monitoring.questions() == [ASKED]


def test_evidence_is_of_documents_and_communities(store: Store) -> None:
    put_document(store, "a", ("Ada", "Bo", "Cy"))
    put_document(store, "b", ("Di", "Ed", "Ada"))
    put_document(store, "c", ())
    ids = {path: f"passage {path}" for path in "abc"}
    keys = {row.name: row.key for row in store.entities.rows()}
    with store.database.transaction() as connection:
        connection.execute("INSERT INTO communities VALUES (1, 1, NULL, 1), (2, 1, NULL, 2)")
        for name, home in (("Ada", 1), ("Bo", 1), ("Cy", 2), ("Di", 2), ("Ed", 2)):
            connection.execute("INSERT INTO community_members VALUES (?, ?)", (keys[name], home))
    origins = store.monitoring.origins
    assert origins([ids["a"]]) == (1, 1), "most of its names are in one"
    assert origins([ids["a"], ids["b"]]) == (2, 2)
    assert origins(ids.values()) == (3, 2), "one without names is in no community"
    assert origins(["gone"]) == (0, 0) == origins([])


# ------------------------------------------------------------ the sample


@pytest.fixture
def drawn_from(store: Store) -> MonitoringRows:
    for number in range(10):
        put_document(store, f"{number}", NAMES[: 1 + number % 6])
    return store.monitoring


def places(rows: MonitoringRows, seed: int, count: int = 8) -> list[tuple[int, int]]:
    return [(one.passage_key, one.start) for one in rows.draw(count, seed, frozenset())]


def test_a_seed_draws_the_same_and_another_one_others(drawn_from: MonitoringRows) -> None:
    assert places(drawn_from, 1) == places(drawn_from, 1) != places(drawn_from, 2)
    assert len(set(places(drawn_from, 1))) == 8
    every = places(drawn_from, 1, 1000)
    assert len(every) == len(set(every)) == sum(1 + n % 6 for n in range(10))
    assert every[:8] == places(drawn_from, 1), "a larger sample holds the smaller one"


def test_each_mention_is_as_likely(drawn_from: MonitoringRows) -> None:
    every, rounds, count = places(drawn_from, 0, 1000), 400, 8
    found = Counter(place for seed in range(rounds) for place in places(drawn_from, seed, count))
    expected = rounds * count / len(every)
    chi = sum((found[place] - expected) ** 2 / expected for place in every)
    # Degrees of freedom are one less than mentions; five deviations above is never chance.
    assert chi < len(every) - 1 + 5 * (2 * (len(every) - 1)) ** 0.5


def test_a_new_document_leaves_the_order_of_the_others(drawn_from: MonitoringRows, store: Store) -> None:
    before = places(drawn_from, 3, 1000)
    put_document(store, "new")
    assert [place for place in places(drawn_from, 3, 1000) if place in set(before)] == before


def test_labels_are_left_out(drawn_from: MonitoringRows) -> None:
    assert drawn_from.draw(10, 1, frozenset({"PERSON"})) == []


def test_verdicts_hold_while_the_link_does(drawn_from: MonitoringRows, store: Store) -> None:
    one, two, *_ = drawn_from.draw(8, 1, frozenset())
    ids = {stored.key: stored.passage.id for n in range(10) for stored in store.passages.of_document(f"{n}")}
    for each, verdict in ((one, "right"), (two, "wrong")):
        drawn_from.judge(ids[each.passage_key], each.start, each.entity_id, verdict)
    assert drawn_from.verdicts() == (1, 1)
    assert [each.verdict for each in drawn_from.draw(8, 1, frozenset())[:2]] == ["right", "wrong"]
    drawn_from.judge(ids[two.passage_key], two.start, two.entity_id, "right")
    assert drawn_from.verdicts() == (2, 0)
    drawn_from.judge(ids[two.passage_key], two.start, two.entity_id, "")
    drawn_from.judge("gone", 0, one.entity_id, "wrong")
    assert drawn_from.verdicts() == (1, 0), "what is taken back, or of no passage, does not count"
    with pytest.raises(BadInput, match="right, wrong"):
        drawn_from.judge(ids[one.passage_key], one.start, one.entity_id, "perhaps")
    with other_hand(store) as connection:
        connection.execute("UPDATE judged_links SET verdict = 'perhaps'")
    assert drawn_from.verdicts() == (0, 0) and drawn_from.draw(1, 1, frozenset())[0].verdict == ""


# ------------------------------------------------------------ drift


def test_documents_are_compared_with_those_of_the_last_making(store: Store) -> None:
    assert not store.monitoring.known()
    for path in "abc":
        put_document(store, path)
    store.monitoring.note_update(30, 30, True)
    assert store.monitoring.known() and store.monitoring.moved() == (0, 0, 0)
    put_document(store, "d")
    put_document(store, "a", sha256="other")
    store.documents.remove(["b"])
    store.monitoring.note_update(2, 31, False)
    assert store.monitoring.moved() == (1, 1, 1)
    assert [(one.changed, one.facts, one.anew) for one in store.monitoring.updates()] == [
        (2, 31, False),
        (30, 30, True),
    ]
    store.monitoring.note_update(9, 31, True)
    assert store.monitoring.moved() == (0, 0, 0)


def test_updates_are_bounded_and_sound(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(monitoring, "UPDATES", 3)
    for number in range(6):
        store.monitoring.note_update(number, 10, False)
    assert [one.changed for one in store.monitoring.updates()] == [5, 4, 3]
    with other_hand(store) as connection:
        connection.execute("UPDATE graph_updates SET made = 'then' WHERE changed = 4")
        connection.execute("UPDATE graph_updates SET facts = -1 WHERE changed = 5")
    assert [one.changed for one in store.monitoring.updates()] == [3]
