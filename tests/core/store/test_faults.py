"""Disk full, closed, locked, damaged, gone: one clear line each, and nothing lost that was committed."""

from __future__ import annotations

import errno
import os
import random
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from core.errors import WorkspaceError
from core.files.faults import as_core_error, explained
from core.store.database import Database
from core.store.store import Store
from core.types import Document, Passage

ROOT = Path(__file__).resolve().parents[3]
PAGE = 8192

# Writes documents until it cannot; tells how many were committed and what was said.
WRITE = """
import resource, sys
from pathlib import Path
from core.errors import WorkspaceError
from core.store.store import Store
from core.types import Document
limit = int(sys.argv[2])
if limit:
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
store = Store(Path(sys.argv[1]), "m", 4)
if not limit:
    store.database.connection().execute("PRAGMA max_page_count = 150")
done = 0
try:
    for number in range(10_000):
        store.documents.put_read(Document(f"n{number}", f"n{number}", "", 1, "N", "text/plain"), "x" * 5000, (), [])
        done += 1
except WorkspaceError as error:
    print(done, error.message, error.remedy, sep="|")
"""


def document(number: int) -> Document:
    return Document(f"d{number}", f"{number}.txt", "", 1, f"Title {number}", "text/plain")


def passage(number: int) -> Passage:
    return Passage(f"p{number}", f"d{number}", 0, "Log", f"entry {number} " * 40, 0, 9)


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """Sixty documents, closed."""
    (tmp_path / "workspace").mkdir()
    store = Store(tmp_path / "workspace", "m", 4, create=True)
    for number in range(60):
        store.documents.put_read(document(number), f"text {number} " * 30, (), [passage(number)])
    store.close()
    return tmp_path / "workspace"


def digest(workspace: Path, tmp_path: Path) -> str:
    """Of a copy, as the next process would find it."""
    copy = tmp_path / "copy"
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(workspace, copy)
    store = Store(copy, "m", 4)
    try:
        assert store.database.connection().execute("PRAGMA integrity_check").fetchone()[0] == "ok"
        return store.census.digest()
    finally:
        store.close()


@pytest.mark.skipif(sys.platform == "win32", reason="sizes cannot be limited here")
@pytest.mark.parametrize(
    ("limit", "words"),
    [(900_000, "limit on the size of files"), (0, "The disk is full")],
    ids=["write refused", "database full"],
)
def test_when_nothing_more_fits_what_was_committed_stays(limit: int, words: str, tmp_path: Path) -> None:
    (tmp_path / "workspace").mkdir()
    Store(tmp_path / "workspace", "m", 4, create=True).close()
    found = subprocess.run(
        [sys.executable, "-c", WRITE, str(tmp_path / "workspace"), str(limit)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    done, message, remedy = found.stdout.strip().split("|")
    assert words in message
    assert "what was done is kept" in remedy
    assert int(done) > 10
    store = Store(tmp_path / "workspace", "m", 4)
    assert len(store.documents.all()) == int(done)  # not one less, and not half of the next
    store.documents.put_read(document(1), "text", (), [])  # and on it goes
    store.close()
    assert digest(tmp_path / "workspace", tmp_path)


@pytest.mark.long
@pytest.mark.parametrize("noise", ["page", "bytes", "zeros"])
def test_damage_anywhere_is_a_workspace_error_or_does_no_harm(
    noise: str, workspace: Path, tmp_path: Path
) -> None:
    """Noise over each of many pages: whatever is read or written, nothing but WorkspaceError comes of it."""
    sound = (workspace / "clew.db").read_bytes()
    before = digest(workspace, tmp_path)
    rng = random.Random(noise)
    harmed_by = 0
    for _ in range(25):
        bad = bytearray(sound)
        at = rng.randrange(1, len(sound) // PAGE) * PAGE
        if noise == "bytes":
            at += rng.randrange(PAGE - 64)
        size = 64 if noise == "bytes" else PAGE
        bad[at : at + size] = bytes(size) if noise == "zeros" else rng.randbytes(size)
        (workspace / "clew.db").write_bytes(bad)
        harmed_by += sum(is_harmed(workspace, act) for act in (read_all, write_some))
    assert harmed_by
    for side in ("clew.db-wal", "clew.db-shm"):
        (workspace / side).unlink(missing_ok=True)
    (workspace / "clew.db").write_bytes(sound)
    assert digest(workspace, tmp_path) == before


def is_harmed(workspace: Path, act: Callable[[Store], None]) -> bool:
    try:
        store = Store(workspace, "m", 4)
        try:
            act(store)
        finally:
            store.close()
    except WorkspaceError as error:
        assert "damaged" in error.message
        assert "clew verify" in error.remedy
        return True
    return False


def read_all(store: Store) -> None:
    store.census.status(digest=True)
    for known in store.documents.all():
        store.documents.text(known.id)
        store.passages.of_document(known.id)
    store.passages.search("entry", 5)


def write_some(store: Store) -> None:
    store.documents.remove(["d7", "d30", "d59"])
    store.documents.put_read(document(100), "text", (), [passage(100)])


def test_a_row_that_is_reached_late_is_harmed_by_too(workspace: Path) -> None:
    """The fault shows in the middle of the loop over rows, not when the statement begins."""
    raw = sqlite3.connect(workspace / "clew.db")
    pages = [row[0] for row in raw.execute("SELECT pageno FROM dbstat WHERE name = 'passages' ORDER BY path")]
    raw.close()
    with (workspace / "clew.db").open("r+b") as file:
        file.seek((pages[-2] - 1) * PAGE)
        file.write(b"\xff" * PAGE)
    database = Database(workspace / "clew.db")
    rows = iter(database.connection().execute("SELECT key, text FROM passages NOT INDEXED ORDER BY key"))
    with pytest.raises(WorkspaceError, match="damaged"):
        list(rows)
    with pytest.raises(WorkspaceError, match="damaged"):
        database.connection().execute("SELECT sum(length(text)) FROM passages NOT INDEXED").fetchone()
    database.close()


def test_a_text_of_invalid_utf8_is_damage(workspace: Path) -> None:
    raw = sqlite3.connect(workspace / "clew.db", isolation_level=None)
    raw.execute("UPDATE passages SET text = CAST(x'ff00fe' AS TEXT) WHERE id = 'p3'")
    raw.close()
    store = Store(workspace, "m", 4)
    with pytest.raises(WorkspaceError, match="damaged"):
        store.passages.get("p3")
    store.close()


def test_a_workspace_that_is_taken_away_is_missed(workspace: Path) -> None:
    store = Store(workspace, "m", 4)
    for path in workspace.iterdir():
        path.unlink()
    with pytest.raises(WorkspaceError, match="moved or deleted"):
        store.documents.put_read(document(500), "text", (), [])
    store.close()
    with pytest.raises(WorkspaceError, match="moved or deleted"):
        store.documents.all()  # a new connection does not make a new file
    assert list(workspace.iterdir()) == []


def test_a_fault_of_ours_is_not_explained_away(workspace: Path) -> None:
    database = Database(workspace / "clew.db")
    with pytest.raises(sqlite3.OperationalError):
        database.connection().execute("SELECT nonsense FROM nowhere")
    with pytest.raises(sqlite3.IntegrityError), database.transaction() as connection:
        connection.execute("INSERT INTO settings VALUES (NULL, NULL)")
    database.close()
    assert as_core_error(OSError(errno.EINVAL, "Invalid argument")) is None


def test_a_failed_commit_leaves_no_transaction_open(workspace: Path) -> None:
    store = Store(workspace, "m", 4)
    connection = store.database.connection()
    connection.execute("PRAGMA max_page_count = 1")  # no page more
    with pytest.raises(WorkspaceError, match="full"):
        store.documents.put_read(document(200), "y" * 100_000, (), [])
    connection.execute("PRAGMA max_page_count = 1500000")
    store.documents.put_read(document(200), "y" * 100_000, (), [])
    assert len(store.documents.all()) == 61
    store.close()


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (errno.ENOSPC, "disk is full"),
        (errno.EACCES, "cannot be written"),
        (errno.EIO, "cannot be read or written"),
        (errno.ENOENT, "is not there"),
    ],
)
def test_faults_of_the_system_have_words(number: int, words: str, tmp_path: Path) -> None:
    with pytest.raises(WorkspaceError, match=words) as caught, explained(tmp_path):
        raise OSError(number, os.strerror(number))
    assert caught.value.remedy
