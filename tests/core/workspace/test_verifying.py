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
from core.store.workspace_files import WriterLock
from core.types import Check
from core.types.kinds import stable_id
from core.workspace import Workspace

Damage = Callable[[sqlite3.Connection], object]
VECTOR = 4 * 384
HELD_OFTEN = "(SELECT entity_key FROM mentions GROUP BY entity_key ORDER BY count(*) DESC LIMIT 1)"
A_FACT = "(SELECT key FROM facts ORDER BY key LIMIT 1)"
A_PASSAGE = "(SELECT min(key) FROM passages)"


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


def strange_vector(connection: sqlite3.Connection) -> None:
    connection.execute(
        "INSERT INTO embeddings SELECT kind, owner_key, 'another-model', vectors FROM embeddings"
        " WHERE kind = 'passage' LIMIT 1"
    )


def not_a_number(connection: sqlite3.Connection) -> None:
    connection.execute(
        f"UPDATE embeddings SET vectors = ? WHERE kind = 'passage' AND owner_key = {A_PASSAGE}",
        (np.full(384, np.nan, np.float32).tobytes(),),
    )


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
            f" FROM mentions WHERE entity_key = {HELD_OFTEN} LIMIT 1) AND entity_key = {HELD_OFTEN}"
        ),
        {"references between rows"},
    ),
    "a fact whose object is gone": (
        sql(f"UPDATE candidate_facts SET object_key = 999999 WHERE key = {A_FACT}"),
        {"references between rows", "communities and places"},
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
    "a vector of no known kind": (
        sql(f"UPDATE embeddings SET kind = 'ghost' WHERE kind = 'passage' AND owner_key = {A_PASSAGE}"),
        {"vectors"},
    ),
    "a stage that is lost": (
        sql(f"DELETE FROM stages WHERE stage = 'embed' AND passage_key = {A_PASSAGE}"),
        {"states of documents"},
    ),
    "a document done too early": (
        sql(f"UPDATE stages SET state = 'pending' WHERE stage = 'extract' AND passage_key = {A_PASSAGE}"),
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
    "a document under a wrong id": (
        sql("UPDATE documents SET id = 'wrong' WHERE key = 1"),
        {"documents", "passages"},
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
    "a passage in the wrong place": (
        sql(f"UPDATE passages SET start = start + 1 WHERE key = {A_PASSAGE}"),
        {"passages"},
    ),
    "a sentence beyond its passage": (
        sql(f'UPDATE sentences SET "end" = 999999 WHERE ordinal = 0 AND passage_key = {A_PASSAGE}'),
        {"places in texts"},
    ),
    "a page beyond its document": (
        sql(
            'UPDATE pages SET "end" = 9999999 WHERE (document_key, number) IN (SELECT document_key, 1 FROM pages)'
        ),
        {"places in texts"},
    ),
    "boxes cut off": (
        sql("INSERT OR REPLACE INTO boxes VALUES (1, x'0102', x'03')"),
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
    "a triple beyond its passage": (
        sql("UPDATE triples SET start = -1 WHERE key = (SELECT min(key) FROM triples)"),
        {"places in texts"},
    ),
    "a confidence of seven": (
        sql("UPDATE triples SET confidence = 7 WHERE key = (SELECT min(key) FROM triples)"),
        {"places in texts"},
    ),
    "an entity under a wrong id": (
        sql(
            f"UPDATE entities SET id = 'wrong' WHERE key = (SELECT subject_key FROM facts WHERE key = {A_FACT})"
        ),
        {"ids"},
    ),
    "a fact under a wrong id": (
        sql(f"UPDATE candidate_facts SET id = 'wrong' WHERE key = {A_FACT}"),
        {"ids"},
    ),
    "a vector of another model": (strange_vector, {"vectors"}),
    "a passage without its vector": (
        sql(f"DELETE FROM embeddings WHERE kind = 'passage' AND owner_key = {A_PASSAGE}"),
        {"vectors"},
    ),
    "a sentence without its vector": (
        sql(
            f"UPDATE embeddings SET vectors = substr(vectors, {VECTOR + 1}) WHERE kind = 'sentence'"
            f" AND owner_key = {A_PASSAGE}"
        ),
        {"vectors"},
    ),
    "a name without its vector": (
        sql(
            "DELETE FROM embeddings WHERE kind = 'entity' AND owner_key NOT IN (SELECT entity_key FROM synonyms)"
        ),
        {"vectors"},
    ),
    "a vector of zeros": (
        sql(
            f"UPDATE embeddings SET vectors = zeroblob({VECTOR}) WHERE kind = 'passage' AND owner_key = {A_PASSAGE}"
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
    "words under the wrong passage": (
        sql(
            "INSERT INTO passages_text (passages_text, rowid, title, text)"
            f" SELECT 'delete', key, title, text FROM passages WHERE key = {A_PASSAGE}",
            "INSERT INTO passages_text (rowid, title, text)"
            f" SELECT key, title, 'other words' FROM passages WHERE key = {A_PASSAGE}",
        ),
        {"words of the full-text index"},
    ),
    "a name under one that is gone": (
        sql(f"UPDATE entities SET head_key = 999999 WHERE key = {HELD_OFTEN}"),
        {"references between rows", "names", "communities and places"},
    ),
    "a name under one that is nothing to it": (
        sql(
            "UPDATE entities SET head_key = (SELECT max(key) FROM entities) WHERE key = (SELECT entity_key FROM"
            " layout l JOIN entities e ON e.key = l.entity_key WHERE community = -1 AND head_key IS NULL LIMIT 1)"
        ),
        {"names", "communities and places"},
    ),
    "a merge without a reason": (
        sql("INSERT INTO merges SELECT min(key), max(key), 'form', '', 0.9 FROM entities"),
        {"names"},
    ),
    "a name without blocks": (
        sql("DELETE FROM name_blocks WHERE entity_key = (SELECT min(entity_key) FROM name_blocks)"),
        {"names"},
    ),
    "a decision of one name": (
        sql("INSERT INTO decisions VALUES ('b', 'a', 'same', '2026-11-21')"),
        {"decisions on names"},
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
    "a kind that is lost": (
        sql(
            "INSERT INTO review_acts VALUES (1, 'a', '2026-11-21T10:00:00+00:00', '', 'retype', '', '')",
            "INSERT INTO review_items VALUES ('entity-type nobody', 1, 'ORG', '', '{}')",
        ),
        {"decisions on names"},
    ),
    "a mention that nobody split off": (
        sql("INSERT INTO split_mentions VALUES ('nobody', 'a hash', 'the judge')"),
        {"decisions on names"},
    ),
    "a split that is lost": (
        sql(
            "INSERT INTO review_acts VALUES (1, 'a', '2026-11-21T10:00:00+00:00', '', 'split', '', '')",
            """INSERT INTO review_items VALUES ('mention ["nobody","a hash"]', 1, 'the judge', '', '{}')""",
        ),
        {"decisions on names"},
    ),
    "an act that nobody undid": (
        sql(
            "INSERT INTO review_acts VALUES (1, 'a', '2026-11-21T10:00:00+00:00', '', 'note', '', '')",
            "INSERT INTO undone_acts VALUES (1)",
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
        {"states of facts", "communities and places"},
    ),
    "a statement of nobody": (
        sql(
            "INSERT INTO review_acts VALUES (1, 'a', '2026-11-21T10:00:00+00:00', '', 'note', '', '')",
            "INSERT INTO stated_triples VALUES ('gone', 1, NULL)",
        ),
        {"statements of people"},
    ),
    "a statement that is lost": (
        sql(
            "INSERT INTO review_acts VALUES (1, 'a', '2026-11-21T10:00:00+00:00', '', 'add', '', '')",
            """INSERT INTO review_items VALUES ('fact gone', 1, 'approved', '', '{"subject": "A", "predicate": "is",
            "object": "B", "quote": "A is B", "start": 0, "end": 6}')""",
        ),
        {"statements of people"},
    ),
    "a name outside of the grid": (
        sql("DELETE FROM name_cells WHERE entity_key = (SELECT min(entity_key) FROM synonyms)"),
        {"names"},
    ),
    "a grid that is lost": (sql("DELETE FROM name_grid"), {"names"}),
    "an entity without a place": (
        sql(f"DELETE FROM layout WHERE entity_key = {HELD_OFTEN}"),
        {"communities and places"},
    ),
}


def damage(path: Path, act: Damage) -> None:
    """As a fault would do it: past foreign keys and without leaving the marks of a change."""
    connection = sqlite3.connect(path / "clew.db")
    connection.execute("PRAGMA foreign_keys = OFF")
    act(connection)
    connection.execute("DELETE FROM touched_entities")
    connection.execute("DELETE FROM touched_facts")
    connection.execute("DELETE FROM settings WHERE name = 'unsettled'")
    connection.commit()
    connection.close()


def failed(checks: list[Check]) -> set[str]:
    assert all(check.remedy and check.count for check in checks if not check.ok)
    return {check.name for check in checks if not check.ok}


def digest(path: Path) -> str:
    opened = Workspace.open(path, read_only=True)
    try:
        return opened.status().digest
    finally:
        opened.close()


def test_a_sound_workspace_passes_and_is_not_changed(sample_copy: Path) -> None:
    before = (sample_copy / "clew.db").read_bytes()
    opened = Workspace.open(sample_copy, read_only=True)
    checks = opened.verify(TaskContext())
    opened.close()
    assert failed(checks) == set()
    assert (sample_copy / "clew.db").read_bytes() == before
    names = [check.name for check in checks]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("name", DAMAGES)
def test_damage_is_found_mended_and_undone(
    name: str, sample_copy: Path, sample_folder: Path, sample_path: Path, models: Models
) -> None:
    act, expected = DAMAGES[name]
    damage(sample_copy, act)
    opened = Workspace.open(sample_copy, models=models)
    try:
        assert failed(opened.verify(TaskContext())) == expected
        assert failed(opened.verify(TaskContext())) == expected  # looking mends nothing
        mended = opened.verify(TaskContext(), repair=True)
        assert failed(mended) == set()
        repaired = {check.name for check in mended if check.repaired}
        assert repaired | {"vector index on disk"} == expected | {"vector index on disk"}
        opened.index(sample_folder, TaskContext())
        after = opened.verify(TaskContext())
        assert failed(after) == set()
        assert {check.detail for check in after if check.name == "indexing"} == {"finished"}
        assert opened.status().digest == digest(sample_path)
    finally:
        opened.close()


def test_a_nearness_that_is_wrong_costs_no_answer(sample_copy: Path, models: Models) -> None:
    """No rule measures all synonyms again: one that says another cosine changes what is near, and breaks nothing."""
    act = sql("UPDATE synonyms SET cosine = 0.123 WHERE entity_key = (SELECT min(entity_key) FROM synonyms)")
    damage(sample_copy, act)
    opened = Workspace.open(sample_copy, models=models)
    assert failed(opened.verify(TaskContext())) == set()
    assert opened.ask("Who owns the Northern Star?", TaskContext(), route="graph").evidence
    opened.close()


def test_repair_leaves_what_is_sound_as_it_is(sample_copy: Path, sample_path: Path) -> None:
    opened = Workspace.open(sample_copy)
    before = opened.revision
    checks = opened.verify(TaskContext(), repair=True)
    assert failed(checks) == set()
    assert not any(check.repaired for check in checks)
    assert opened.revision == before
    opened.close()
    assert digest(sample_copy) == digest(sample_path)


def test_an_index_of_the_database_is_built_anew(sample_copy: Path, sample_path: Path) -> None:
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


def test_a_lost_page_is_told_with_what_can_still_be_seen(sample_copy: Path) -> None:
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


@pytest.mark.parametrize("index", ["communities", "entities"])
def test_an_index_file_with_other_bytes_is_thrown_away(sample_copy: Path, index: str) -> None:
    derived = sample_copy / "derived"
    derived.mkdir(exist_ok=True)
    (derived / f"{index}.hnsw").write_bytes(b"no index")
    opened = Workspace.open(sample_copy)
    assert failed(opened.verify(TaskContext())) == {"vector index on disk"}
    assert failed(opened.verify(TaskContext(), repair=True)) == set()
    assert list(derived.iterdir()) == []
    opened.close()


def test_repairing_waits_for_no_other_writer_and_looking_needs_none(sample_copy: Path) -> None:
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


def test_looking_can_be_stopped(sample_copy: Path) -> None:
    opened = Workspace.open(sample_copy)
    with pytest.raises(Cancelled):
        opened.verify(TaskContext(cancelled=lambda: True))
    assert failed(opened.verify(TaskContext())) == set()
    opened.close()
