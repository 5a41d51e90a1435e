"""Every rule: damage of its kind makes exactly it fail, repair mends it, and indexing again ends as before."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from core.answering.models import Models
from core.errors import WorkspaceError
from core.progress import Cancelled, TaskContext
from core.store.settings import MINILM
from core.store.verify import RULES
from core.store.workspace_files import WriterLock
from core.types import Check
from core.types.kinds import stable_id
from core.workspace import Workspace

Damage = Callable[[sqlite3.Connection], object]
VECTOR = 4 * 384
MENTIONED_OFTEN = "(SELECT entity_key FROM mentions GROUP BY entity_key ORDER BY count(*) DESC LIMIT 1)"
A_FACT = "(SELECT key FROM facts ORDER BY key LIMIT 1)"
A_PASSAGE = "(SELECT min(key) FROM passages)"
A_MEMBER = "(SELECT min(entity_key) FROM community_members)"
SMALLEST = "(SELECT community_key FROM community_members GROUP BY community_key ORDER BY count(*) LIMIT 1)"


def sql(*statements: str) -> Damage:
    def act(connection: sqlite3.Connection) -> None:
        for statement in statements:
            connection.execute(statement)

    return act


def lone_entity(connection: sqlite3.Connection) -> None:
    connection.execute(
        "INSERT INTO entities (id, normal, name, label) VALUES (?, 'nobody', 'Nobody', 'NOUN')",
        (stable_id("entity", "nobody"),),
    )


def lone_fact(connection: sqlite3.Connection) -> None:
    """Said by nobody, between two that have facts already."""
    (left, a), (right, b) = connection.execute(
        "SELECT e.key, e.id FROM entities e JOIN layout l ON l.entity_key = e.key WHERE l.community >= 0 LIMIT 2"
    ).fetchall()
    connection.execute(
        "INSERT INTO candidate_facts (id, subject_key, predicate, object_key) VALUES (?, ?, 'made up', ?)",
        (stable_id("fact", a, "made up", b), left, right),
    )


def not_a_number(connection: sqlite3.Connection) -> None:
    connection.execute(
        f"UPDATE embeddings SET vectors = ? WHERE kind = 'passage' AND owner_key = {A_PASSAGE}",
        (np.full(384, np.nan, np.float32).tobytes(),),
    )


# What is done to the rows, and the rules that fail then.
DAMAGES: dict[str, tuple[Damage, set[str]]] = {
    "a mention of another bearer of its name": (
        sql(
            "UPDATE signs SET sense = 'born 1961'"
            " WHERE (document_key, normal) IN (SELECT document_key, normal FROM signs LIMIT 1)"
        ),
        {"names"},
    ),
    "a mention of an entity that is gone": (
        sql(
            "UPDATE mentions SET entity_key = 999999 WHERE (passage_key, start) IN (SELECT passage_key, start"
            f" FROM mentions WHERE entity_key = {MENTIONED_OFTEN} LIMIT 1) AND entity_key = {MENTIONED_OFTEN}"
        ),
        {"references between rows"},
    ),
    "a fact that nobody says": (lone_fact, {"facts and entities are in passages"}),
    "an entity that nobody names": (
        lone_entity,
        {"facts and entities are in passages", "communities and places"},
    ),
    "a vector of a passage that is gone": (
        sql(f"INSERT INTO embeddings VALUES ('passage', 999999, '{MINILM.model}', zeroblob({VECTOR}))"),
        {"vectors"},
    ),
    "a stage that is lost": (
        sql(f"DELETE FROM stages WHERE stage = 'embed' AND passage_key = {A_PASSAGE}"),
        {"states of documents"},
    ),
    "a document that failed and has passages": (
        sql("UPDATE documents SET state = 'failed', reason = 'because' WHERE key = 1"),
        {"states of documents", "documents"},
    ),
    "a revision that is no number": (
        sql("UPDATE settings SET value = 'many' WHERE name = 'revision'"),
        {"settings", "vector index on disk"},
    ),
    "a file under a wrong path": (sql("UPDATE files SET path = 'elsewhere' WHERE key = 1"), {"documents"}),
    "a document without its text": (
        sql("DELETE FROM document_texts WHERE document_key = 1"),
        {"documents", "passages"},
    ),
    "a letter of a passage": (
        sql(f"UPDATE passages SET text = 'Zebra' || substr(text, 6) WHERE key = {A_PASSAGE}"),
        {"passages", "words of the full-text index"},
    ),
    "a page beyond its document": (
        sql(
            'UPDATE pages SET "end" = 9999999 WHERE (document_key, number) IN (SELECT document_key, 1 FROM pages)'
        ),
        {"places in texts"},
    ),
    "a box that is nowhere": (
        sql(
            "INSERT OR REPLACE INTO boxes VALUES (1, x'000000000100000001000000', x'0000c07f000000000000000000000000')"
        ),
        {"places in texts"},
    ),
    "a mention beyond its passage": (
        sql(f'UPDATE mentions SET "end" = 999999 WHERE passage_key = {A_PASSAGE}'),
        {"places in texts"},
    ),
    "a fact under a wrong id": (
        sql(f"UPDATE candidate_facts SET id = 'wrong' WHERE key = {A_FACT}"),
        {"ids"},
    ),
    "a sentence without its vector": (
        sql(
            f"UPDATE embeddings SET vectors = substr(vectors, {VECTOR + 1}) WHERE kind = 'sentence'"
            f" AND owner_key = {A_PASSAGE}"
        ),
        {"vectors"},
    ),
    "a vector of no numbers": (not_a_number, {"vectors"}),
    "a passage that full text does not know": (
        sql(
            "INSERT INTO passages_text (passages_text, rowid, title, text)"
            f" SELECT 'delete', key, title, text FROM passages WHERE key = {A_PASSAGE}"
        ),
        {"words of the full-text index"},
    ),
    "words of a passage that is gone": (
        sql("INSERT INTO passages_text (rowid, title, text) VALUES (999999, 'Gone', 'secret words')"),
        {"words of the full-text index"},
    ),
    "a name under one that is nothing to it": (
        sql(
            "UPDATE entities SET head_key = (SELECT max(key) FROM entities) WHERE key = (SELECT entity_key FROM"
            " layout l JOIN entities e ON e.key = l.entity_key WHERE head_key IS NULL LIMIT 1)"
        ),
        {"names", "communities and places"},
    ),
    "a decision that is lost": (
        sql(
            "INSERT INTO review_acts VALUES (1, 'a', '2026-11-21T10:00:00+00:00', '', 'different', '', '')",
            """INSERT INTO review_items VALUES ('names ["nobody","somebody"]', 1, 'different', '', '{}')""",
            "INSERT INTO review_acts VALUES (2, 'b', '2026-11-21T10:00:01+00:00', '', 'undo', '', 'a')",
        ),
        {"acts that are undone", "decisions on names"},
    ),
    "a name that nobody gave": (
        sql("INSERT INTO entity_overrides VALUES ('nobody', 'name', 'Somebody')"),
        {"decisions on names"},
    ),
    "a split that is lost": (
        sql(
            "INSERT INTO review_acts VALUES (3, 'act 3', '2026-11-21T10:00:00+00:00', '', 'split', '', '')",
            """INSERT INTO review_items VALUES ('mention ["nobody","a hash"]', 3, 'the judge', '', '{}')""",
        ),
        {"decisions on names"},
    ),
    "an act that nobody undid": (
        sql(
            "INSERT INTO review_acts VALUES (4, 'act 4', '2026-11-21T10:00:00+00:00', '', 'note', '', '')",
            "INSERT INTO undone_acts VALUES (4)",
        ),
        {"acts that are undone"},
    ),
    "a decision whose act is lost": (
        sql("INSERT INTO review_items VALUES ('note fact gone', 7, 'noted', '', '{}')"),
        {"references between rows"},
    ),
    "a fact that nobody approved": (
        sql(f"UPDATE candidate_facts SET state = 'approved' WHERE key = {A_FACT}"),
        {"states of facts"},
    ),
    "a fact that does not count though all do": (
        sql(f"UPDATE candidate_facts SET counts = 0 WHERE key = {A_FACT}"),
        {"states of facts"},
    ),
    "a statement that is lost": (
        sql(
            "INSERT INTO review_acts VALUES (6, 'act 6', '2026-11-21T10:00:00+00:00', '', 'add', '', '')",
            """INSERT INTO review_items VALUES ('fact gone', 6, 'approved', '', '{"subject": "A", "predicate": "is",
            "object": "B", "quote": "A is B", "start": 0, "end": 6}')""",
        ),
        {"statements of people"},
    ),
    "a grid that is lost": (sql("DELETE FROM name_grid"), {"names"}),
    "an entity without a place": (
        sql(f"DELETE FROM layout WHERE entity_key = {MENTIONED_OFTEN}"),
        {"communities and places"},
    ),
    "an entity in no community": (
        sql(f"DELETE FROM community_members WHERE entity_key = {A_MEMBER}"),
        {"communities and places"},
    ),
    "a circle": (
        sql("UPDATE communities SET parent_key = key WHERE key = (SELECT min(key) FROM communities)"),
        {"communities and places"},
    ),
    "an empty community": (
        sql(
            "INSERT INTO communities SELECT 999998, 1, parent_key, 999 FROM communities WHERE level = 1 LIMIT 1"
        ),
        {"communities and places", "reports of communities"},
    ),
    "a report of odd content": (
        sql(
            "UPDATE community_reports SET report = json_set(report, '$.statements', 3)"
            f" WHERE community_key = {SMALLEST}"
        ),
        {"reports of communities"},
    ),
    "a place in another's colour": (
        sql(
            "UPDATE layout SET community = community + 1 WHERE entity_key ="
            " (SELECT min(entity_key) FROM layout WHERE community >= 0)"
        ),
        {"communities and places"},
    ),
}


def damage(path: Path, *acts: Damage) -> None:
    """As a fault would do it: past foreign keys and without leaving the marks of a change."""
    connection = sqlite3.connect(path / "clew.db")
    connection.execute("PRAGMA foreign_keys = OFF")
    for act in acts:
        act(connection)
    connection.execute("DELETE FROM touched_entities")
    connection.execute("DELETE FROM touched_facts")
    connection.execute("DELETE FROM settings WHERE name = 'unsettled'")
    connection.commit()
    connection.close()


def failed(checks: list[Check]) -> set[str]:
    assert all(check.remedy and check.count for check in checks if not check.ok)
    return {check.name for check in checks if not check.ok}


def rounds() -> list[list[str]]:
    """Damages by their names, put together as long as no two break the same rule: each is still known by its own."""
    found: list[tuple[list[str], set[str]]] = []
    for name, (_, broken) in DAMAGES.items():
        names, all_broken = next((each for each in found if not each[1] & broken), ([], set()))
        if not names:
            found.append((names, all_broken))
        names.append(name)
        all_broken |= broken
    return [names for names, _ in found]


def digest(path: Path) -> str:
    opened = Workspace.open(path, read_only=True)
    try:
        return opened.status().digest
    finally:
        opened.close()


def test_every_rule_has_a_damage_that_breaks_it() -> None:
    broken = set[str]().union(*(rules for _, rules in DAMAGES.values()))
    cannot_be_mended = {"database pages", "log of decisions"}
    assert broken | cannot_be_mended == {rule.name for rule in RULES} | {"vector index on disk"}


@pytest.mark.parametrize("names", rounds(), ids=", ".join)
def test_damage_is_found_mended_and_undone(
    names: list[str], sample_copy: Path, sample_folder: Path, sample_path: Path, models: Models
) -> None:
    damage(sample_copy, *(DAMAGES[name][0] for name in names))
    expected = set[str]().union(*(DAMAGES[name][1] for name in names))
    with Workspace.open(sample_copy, models=models) as opened:
        assert failed(opened.verify(TaskContext())) == expected
        mended = opened.verify(TaskContext(), repair=True)
        assert failed(mended) == set()
        repaired = {check.name for check in mended if check.repaired}
        assert repaired | {"vector index on disk"} == expected | {"vector index on disk"}
        opened.index(sample_folder, TaskContext())
        after = opened.verify(TaskContext())
        assert failed(after) == set()
        assert {check.detail for check in after if check.name == "indexing"} == {"finished"}
        assert opened.status().digest == digest(sample_path)


def test_nothing_is_written_where_nothing_is_damaged(sample_copy: Path, sample_path: Path) -> None:
    before = (sample_copy / "clew.db").read_bytes()
    with Workspace.open(sample_copy, read_only=True) as opened:
        assert failed(opened.verify(TaskContext())) == set()
    assert (sample_copy / "clew.db").read_bytes() == before
    with Workspace.open(sample_copy) as opened:
        revision = opened.revision
        checks = opened.verify(TaskContext(), repair=True)
        assert failed(checks) == set() and not any(check.repaired for check in checks)
        assert opened.revision == revision
        with pytest.raises(Cancelled):
            opened.verify(TaskContext(cancelled=lambda: True))
    assert digest(sample_copy) == digest(sample_path)


def test_an_index_of_the_database_is_built_again(sample_copy: Path, sample_path: Path) -> None:
    """Indexes are derived, too."""
    connection = sqlite3.connect(sample_copy / "clew.db")
    sql_of = connection.execute("SELECT sql FROM sqlite_master WHERE name = 'facts_by_subject'").fetchone()[0]
    connection.execute("PRAGMA writable_schema = ON")
    partial = f"{sql_of} WHERE subject_key < 0"
    connection.execute("UPDATE sqlite_master SET sql = ? WHERE name = 'facts_by_subject'", (partial,))
    connection.commit()
    connection.close()
    connection = sqlite3.connect(sample_copy / "clew.db")
    connection.execute("REINDEX")  # now it is empty, and is taken for whole again
    connection.execute("PRAGMA writable_schema = ON")
    connection.execute("UPDATE sqlite_master SET sql = ? WHERE name = 'facts_by_subject'", (sql_of,))
    connection.commit()
    connection.close()
    opened = Workspace.open(sample_copy)
    assert "database pages" in failed(opened.verify(TaskContext()))
    mended = opened.verify(TaskContext(), repair=True)
    assert failed(mended) == set()
    assert "database pages" in {check.name for check in mended if check.repaired}
    opened.close()
    assert digest(sample_copy) == digest(sample_path)


def test_a_lost_page_names_the_backup_and_the_rest_is_checked(sample_copy: Path) -> None:
    connection = sqlite3.connect(sample_copy / "clew.db")
    size = connection.execute("PRAGMA page_size").fetchone()[0]
    page = connection.execute(
        "SELECT pageno FROM dbstat WHERE name = 'mentions' AND pagetype = 'leaf' LIMIT 1"
    ).fetchone()[0]
    connection.close()
    with (sample_copy / "clew.db").open("r+b") as file:
        file.seek((page - 1) * size)
        file.write(b"\xff" * size)
    opened = Workspace.open(sample_copy)
    for repair in (False, True):
        checks = {check.name: check for check in opened.verify(TaskContext(), repair=repair)}
        assert not checks["database pages"].ok
        assert "Restore a backup" in checks["database pages"].remedy
        assert checks["passages"].ok
    opened.close()


def test_an_index_file_with_other_bytes_is_thrown_away(sample_copy: Path) -> None:
    derived = sample_copy / "derived"
    derived.mkdir(exist_ok=True)
    for index in ("communities", "entities"):
        (derived / f"{index}.hnsw").write_bytes(b"no index")
    opened = Workspace.open(sample_copy)
    assert failed(opened.verify(TaskContext())) == {"vector index on disk"}
    assert failed(opened.verify(TaskContext(), repair=True)) == set()
    assert list(derived.iterdir()) == []
    opened.close()


def test_repairing_needs_the_lock_of_writers_and_checking_needs_none(sample_copy: Path) -> None:
    opened = Workspace.open(sample_copy)
    with WriterLock(sample_copy):
        assert failed(opened.verify(TaskContext())) == set()
        with pytest.raises(WorkspaceError, match="being indexed by process"):
            opened.verify(TaskContext(), repair=True)
    opened.close()
    reading = Workspace.open(sample_copy, read_only=True)
    with pytest.raises(WorkspaceError, match="read-only"):
        reading.verify(TaskContext(), repair=True)
    reading.close()
