"""The database under stress: closing while others read, faults half way, old files."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import threading
from contextlib import closing
from pathlib import Path

import pytest

from core.errors import WorkspaceError
from core.store.database import Database
from core.store.store import Store


def read_slowly(database: Database, started: threading.Event, outcome: list[str]) -> None:
    numbers = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n LIMIT 200000) SELECT x FROM n"
    try:
        for row in database.connection().execute(numbers):
            if row[0] == 10:
                started.set()
        outcome.append("read all")
    except sqlite3.ProgrammingError:
        outcome.append("closed")


def test_closing_waits_for_readers_and_never_crashes(tmp_path: Path) -> None:
    for _ in range(6):
        database = Database(tmp_path / "clew.db", create=True)
        outcome: list[str] = []
        started = threading.Event()
        thread = threading.Thread(target=read_slowly, args=(database, started, outcome))
        thread.start()
        started.wait(10)
        database.close()
        thread.join(10)
        assert outcome in (["closed"], ["read all"])


def test_a_transaction_is_all_or_nothing(tmp_path: Path) -> None:
    store = Store(tmp_path, "m", 4, create=True)
    with pytest.raises(RuntimeError), store.database.transaction() as connection:
        connection.execute("INSERT INTO settings VALUES ('a', '1')")
        raise RuntimeError("half way")
    assert store.settings.get("a") == ""
    store.close()
    store.close()


def test_a_transaction_within_another_is_a_part_of_it(tmp_path: Path) -> None:
    """What is committed inside would outlive a kill that the rest does not."""
    store = Store(tmp_path, "m", 4, create=True)
    with pytest.raises(RuntimeError), store.database.transaction():
        store.settings.set("a", "1")
        assert store.settings.get("a") == "1"
        raise RuntimeError("behind it")
    assert store.settings.get("a") == ""
    with store.database.transaction():
        store.settings.set("a", "1")
    assert store.settings.get("a") == "1"
    store.close()


def test_a_database_that_is_written_elsewhere_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("core.store.database._BUSY_SECONDS", 0.1)
    first, second = Database(tmp_path / "clew.db", create=True), Database(tmp_path / "clew.db")
    with first.transaction() as connection:
        connection.execute("INSERT INTO settings VALUES ('a', '1')")
        with pytest.raises(WorkspaceError, match="another process"), second.transaction():
            pass
    first.close()
    second.close()


@pytest.mark.long
def test_who_reads_is_not_disturbed_by_writers_that_come_and_end(tmp_path: Path) -> None:
    path = tmp_path / "clew.db"
    with closing(Database(path, create=True)) as database, database.transaction() as connection:
        connection.execute("INSERT INTO settings (name, value) VALUES ('a', '1')")
    # As the indexer does: a process of its own.
    code = (
        "import sys; from contextlib import closing; from pathlib import Path\n"
        "from core.store.database import Database\n"
        "while True:\n"
        "    with closing(Database(Path(sys.argv[1]))) as writer, writer.transaction() as connection:\n"
        "        connection.execute('UPDATE settings SET value = value + 1')\n"
    )
    writer = subprocess.Popen([sys.executable, "-c", code, str(path)], stderr=subprocess.PIPE, text=True)
    try:
        for _ in range(80):
            with closing(Database(path, read_only=True)) as reader:
                rows = reader.connection().execute("SELECT value FROM settings WHERE name = 'a'").fetchall()
                assert len(rows) == 1
        assert writer.poll() is None
    finally:
        writer.kill()
        writer.communicate()
