"""Databases that another hand changed: refused or told as damage, never run, never a traceback or an endless loop."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from app.__main__ import main
from core.answering.models import Models
from core.errors import WorkspaceError
from core.progress import TaskContext
from core.store import database
from core.store.database import Database
from core.store.schema import FIRST, latest, migrate, migrations
from core.workspace import Workspace
from tests.conftest import copied, written

FOREIGN = {
    "endless view": "CREATE VIEW loop AS WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM n) SELECT * FROM n",
    "trigger": "CREATE TRIGGER mine AFTER INSERT ON settings BEGIN DELETE FROM documents; END",
    "virtual table": "CREATE VIRTUAL TABLE mine USING fts5 (x)",
    "column": "ALTER TABLE settings ADD COLUMN mine TEXT GENERATED ALWAYS AS (upper(value))",
    "lost trigger": "DROP TRIGGER mentions_added",
    "settings as a view": "ALTER TABLE settings RENAME TO mine; CREATE VIEW settings AS SELECT * FROM mine",
}


@contextmanager
def changed(workspace: Path) -> Iterator[sqlite3.Connection]:
    """The database in another hand, which obeys no rule."""
    with closing(sqlite3.connect(workspace / "clew.db", isolation_level=None)) as connection:
        connection.execute("PRAGMA foreign_keys = OFF")
        connection.execute("PRAGMA ignore_check_constraints = ON")
        yield connection


@pytest.fixture
def workspace(names_path: Path, tmp_path: Path) -> Path:
    return copied(names_path, tmp_path / "workspace")


@pytest.mark.parametrize("what", FOREIGN)
def test_a_schema_that_is_not_ours_is_refused(
    what: str, workspace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with changed(workspace) as connection:
        connection.executescript(FOREIGN[what])
    before = (workspace / "clew.db").read_bytes()
    for words in (["status", str(workspace)], ["index", str(workspace), "--workspace", str(workspace)]):
        assert main(words) == 1
        (line,) = capsys.readouterr().err.strip().splitlines()
        assert "another program" in line
    assert (workspace / "clew.db").read_bytes() == before


@pytest.mark.parametrize("version", [0, FIRST, latest()])
@pytest.mark.long
def test_an_older_schema_is_brought_up_to_date(version: int, tmp_path: Path, later: None) -> None:
    with closing(sqlite3.connect(tmp_path / "clew.db", isolation_level=None)) as connection:
        migrate(connection, until=version)
    opened = Database(tmp_path / "clew.db")
    assert opened.is_current
    assert opened.connection().execute("SELECT word FROM added").fetchall() == [("new",)]
    opened.close()
    Database(tmp_path / "clew.db", read_only=True).close()


def test_what_is_older_than_all_scripts_is_left_alone(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "clew.db", isolation_level=None)) as connection:
        connection.execute("CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT")
        connection.execute(f"PRAGMA user_version = {FIRST - 1}")
    before = (tmp_path / "clew.db").read_bytes()
    with pytest.raises(WorkspaceError, match="Index its folder into a new workspace"):
        Database(tmp_path / "clew.db")
    assert (tmp_path / "clew.db").read_bytes() == before


@pytest.mark.long
def test_comments_and_blanks_of_a_migration_may_change_later(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "clew.db", isolation_level=None)) as connection:
        scripts = [script.replace("(\n", "( -- as it was once\n   ") for script in migrations()]
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("core.store.schema.migrations", lambda: scripts)
            migrate(connection)
    Database(tmp_path / "clew.db").close()


def test_a_database_may_hold_no_value_that_fills_the_memory(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(database._LIMITS, sqlite3.SQLITE_LIMIT_LENGTH, 10_000_000)
    with changed(workspace) as connection:
        connection.execute("INSERT INTO settings VALUES ('huge', 'x')")
        connection.execute("UPDATE settings SET value = CAST(zeroblob(11000000) AS TEXT) WHERE name = 'huge'")
    with closing(Database(workspace / "clew.db")) as opened, pytest.raises(WorkspaceError, match="damaged"):
        opened.connection().execute("SELECT value FROM settings WHERE name = 'huge'").fetchone()


ABSURD = {
    "communities in a circle": "UPDATE communities SET parent_key = key",
    "communities that hold each other": (
        "INSERT INTO communities VALUES (901, 2, 902, 77), (902, 3, 901, 77);"
        " UPDATE communities SET parent_key = 901 WHERE level = 1"
    ),
    "names that are each other": "UPDATE entities SET head_key = (SELECT max(key) FROM entities)",
    "places far outside": 'UPDATE mentions SET start = start - 4611686018427387904, "end" = 4611686018427387904',
    "facts of nothing": "UPDATE candidate_facts SET subject_key = 900000 + key",
    "a log that is no JSON": (
        "INSERT INTO review_acts VALUES (1, 'a', 'never', '', '', '', '');"
        " INSERT INTO review_items VALUES ('names ][', 1, 'same', 'a a', '[[[[');"
        " INSERT INTO review_items VALUES ('fact x', 1, '', '', '{\"quote\": 1}')"
    ),
    "acts that undo each other": (
        "INSERT INTO review_acts VALUES (1, 'a', '', '', 'undo', '', 'b'), (2, 'b', '', '', 'undo', '', 'a');"
        " INSERT INTO undone_acts VALUES (1), (2)"
    ),
    "sentences far outside": "UPDATE sentences SET start = -4611686018427387904",
    "half a vector": "UPDATE embeddings SET vectors = substr(vectors, 1, 101)",
    "a revision in words": "INSERT OR REPLACE INTO settings VALUES ('revision', 'many')",
    "places on the map that are none": "UPDATE layout SET x = 9e999, y = -9e999",
    "reports that are no JSON": "UPDATE community_reports SET report = '[[[['",
    "pages without end": "INSERT INTO pages SELECT key, 4611686018427387904, 0, 1 FROM documents",
    "documents in no state": "UPDATE documents SET state = 'gone', path = key, title = char(27)",
}
QUESTIONS = (
    ("Who hired Ines Holm?", "fusion"),
    ("What are the main themes?", "global"),
    ("Who hired Ines Holm?", "lab:hierarchical"),
)
COMMANDS = (["status"], ["documents"], ["verify"], ["settings"], ["review", "list"], ["review", "log"])


@pytest.mark.parametrize("what", ABSURD)
def test_absurd_rows_are_an_answer_or_one_clear_error(
    what: str, workspace: Path, models: Models, capsys: pytest.CaptureFixture[str]
) -> None:
    """Every command and read in this process, which a traceback would end; none may take for ever."""
    with changed(workspace) as connection:
        connection.executescript(ABSURD[what])
    for command in COMMANDS:
        assert main([*command, str(workspace)]) in (0, 1)
        error = capsys.readouterr().err.strip()
        assert len(error.splitlines()) <= 1, error
    for question, route in QUESTIONS:
        with contextlib.suppress(WorkspaceError), Workspace.open(workspace, models=models) as opened:
            opened.ask(question, TaskContext(), route)
    with contextlib.suppress(WorkspaceError):
        read_all(workspace)
    papers = written(workspace.parent / "papers", {"new.txt": "Ada Quill hired Otto Kask."})
    with contextlib.suppress(WorkspaceError), Workspace.open(workspace, models=models) as opened:
        opened.index(papers, TaskContext())


@pytest.mark.parametrize(
    ("columns", "cells"),
    [("[" * 5000 + "]" * 5000, ""), ('["fee"]', "0000000001000000" + "00" * 8)],
    ids=["deep", "a cell of no column"],
)
def test_tables_that_are_none(
    columns: str, cells: str, workspace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with changed(workspace) as connection:
        connection.execute(
            "INSERT INTO tables SELECT key, 0, 'fees', 0, 5, ?, ? FROM documents",
            (columns, bytes.fromhex(cells)),
        )
    assert main(["ask", str(workspace), "What is the sum of the fees?"]) == 1
    assert "record that cannot be read" in capsys.readouterr().err


def read_all(workspace: Path) -> None:
    """Read of a workspace what the window does."""
    with Workspace.open(workspace, read_only=True) as opened:
        communities = opened.graph.communities()
        opened.graph.fold(opened.graph.foldable(opened.graph.view(), communities), [])
        opened.graph.community_quality()
        for entity in opened.graph.entities(3):
            opened.graph.neighbourhood(entity.id)
        for document in opened.documents.all():
            opened.documents.text(document.id), opened.documents.pages(document.id)
            opened.documents.boxes(document.id)
            opened.documents.mentions(document.id), opened.passages.of_document(document.id)


@pytest.mark.parametrize(
    "row",
    [
        "documents SET state = 'gone' WHERE key = (SELECT min(key) FROM documents)",
        "stages SET state = 'gone' WHERE stage = 'embed' AND passage_key = (SELECT min(key) FROM passages)",
    ],
    ids=["a document", "a stage"],
)
def test_one_row_in_no_state_is_damage_and_mended(row: str, workspace: Path) -> None:
    with changed(workspace) as connection:
        assert connection.execute(f"UPDATE {row}").rowcount == 1
    with pytest.raises(WorkspaceError, match="is damaged"), Workspace.open(workspace, read_only=True):
        raise ValueError("'gone' is not a valid State")
    assert main(["verify", str(workspace), "--repair"]) == 0
    assert main(["verify", str(workspace)]) == 0
    assert main(["status", str(workspace)]) == 0


def test_a_bug_stays_a_bug_where_the_workspace_is_sound(workspace: Path) -> None:
    with pytest.raises(ZeroDivisionError), Workspace.open(workspace, read_only=True):
        raise ZeroDivisionError
    with changed(workspace) as connection:
        connection.execute("UPDATE candidate_facts SET subject_key = 900000 + key")
    with (
        pytest.raises(WorkspaceError, match="references between rows"),
        Workspace.open(workspace, read_only=True),
    ):
        raise ZeroDivisionError
