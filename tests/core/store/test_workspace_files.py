"""A workspace that somebody sent: nothing outside it is written or read, whatever stands in it."""

from __future__ import annotations

import os
import shutil
import socket
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from app.__main__ import main
from core.errors import WorkspaceError
from core.store.database import Database
from core.store.workspace_files import WINDOW, WRITER, FileLock, WriterLock, lock_holder
from core.workspace import Workspace

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="links need privileges here")
PROBE = ".clew.db.probe"
NAMES = (PROBE, WRITER, "clew.db-wal", "derived")


def state(folder: Path) -> dict[str, tuple[int, int, bytes]]:
    """Every file and folder with its inode, its time and its bytes; for root SQLite sets owners again (ctime)."""
    found = {}
    for path in (folder, *sorted(folder.rglob("*"))):
        observed = path.lstat()
        data = path.read_bytes() if path.is_file() else b""
        found[str(path)] = observed.st_ino, observed.st_mtime_ns, data
    return found


def refused(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert main(list(words)) == 1
    stated = capsys.readouterr().err.strip()
    assert len(stated.splitlines()) == 1, stated
    return stated


@pytest.mark.parametrize("name", NAMES)
def test_a_link_in_a_workspace_is_refused_and_its_target_stays(
    name: str, names_path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    workspace = Path(shutil.copytree(names_path, tmp_path / "workspace"))
    mine = tmp_path / "mine.txt"
    mine.write_text("mine", encoding="utf-8")
    shutil.rmtree(workspace / name, ignore_errors=True)
    (workspace / name).unlink(missing_ok=True)
    (workspace / name).symlink_to(mine)
    papers = tmp_path / "papers"
    papers.mkdir()
    for words in (
        ("status", str(workspace)),
        ("index", str(papers), "--workspace", str(workspace)),
        ("backup", str(workspace), str(tmp_path / "copy")),
    ):
        stated = refused(capsys, *words)
        assert f"{workspace / name} is a symbolic link" in stated
        assert mine.read_text(encoding="utf-8") == "mine"
    with pytest.raises(WorkspaceError, match="a symbolic link"):
        Workspace.open(workspace, exclusive=True)
    assert mine.read_text(encoding="utf-8") == "mine"


@pytest.mark.parametrize(
    ("name", "make"),
    [(WRITER, os.mkfifo), (PROBE, lambda path: socket.socket(socket.AF_UNIX).bind(str(path)))],
    ids=["pipe", "socket"],
)
def test_pipes_and_sockets_are_refused_and_never_waited_for(
    name: str, make: Callable[[Path], object], tmp_path: Path
) -> None:
    """In a process of its own with a limit of time: opening a pipe waits for its other end."""
    Database(tmp_path / "clew.db", create=True).close()
    (tmp_path / name).unlink(missing_ok=True)
    make(tmp_path / name)
    found = subprocess.run(
        [sys.executable, "-m", "app", "status", str(tmp_path)],
        cwd=Path(__file__).resolve().parents[3],
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    assert found.returncode == 1
    assert f"{tmp_path / name} is a " in found.stderr


@pytest.mark.parametrize("name", [WRITER, WINDOW])
def test_a_lock_writes_into_no_other_file(name: str, tmp_path: Path) -> None:
    """Also where nobody looked at the folder before, and where the other name is a second one (a hard link)."""
    mine = tmp_path / "mine.txt"
    mine.write_text("mine", encoding="utf-8")
    for link in (os.symlink, os.link):
        workspace = tmp_path / link.__name__
        workspace.mkdir()
        link(mine, workspace / name)
        with pytest.raises(WorkspaceError, match="link"):
            FileLock(workspace / name, "indexed").acquire()
        assert mine.read_text(encoding="utf-8") == "mine"
    os.mkfifo(tmp_path / name)
    with pytest.raises(WorkspaceError, match="a named pipe"):
        FileLock(tmp_path / name, "indexed").acquire()
    with pytest.raises(WorkspaceError, match="a named pipe"):
        lock_holder(tmp_path, name)


def test_a_lock_file_of_a_third_person_is_not_written(tmp_path: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can give files away")
    lock = tmp_path / WRITER
    lock.write_text("theirs", encoding="utf-8")
    os.chown(lock, 12345, 12345)
    with WriterLock(tmp_path):  # it is still a lock
        assert not FileLock(lock, "indexed").acquire(patience=0)
    assert lock.read_text(encoding="utf-8") == "theirs"


def test_a_database_with_a_second_name_is_read_and_not_written(tmp_path: Path, names_path: Path) -> None:
    workspace = Path(shutil.copytree(names_path, tmp_path / "workspace"))
    os.link(workspace / "clew.db", tmp_path / "second.db")
    before = state(workspace)
    Database(workspace / "clew.db", read_only=True).close()
    with pytest.raises(WorkspaceError, match="a hard link"):
        Database(workspace / "clew.db")
    assert state(workspace) == before


@pytest.mark.parametrize("left", ["closed", "killed"])
@pytest.mark.parametrize(
    "words", [["status"], ["verify"], ["names", "show", "WORKSPACE", "Ines Holm"]], ids=lambda w: w[0]
)
def test_who_only_reads_writes_nothing(words: list[str], left: str, names_path: Path, tmp_path: Path) -> None:
    """Not a byte, not a time, not a file that comes and goes; also what a killed process left is read."""
    workspace = Path(shutil.copytree(names_path, tmp_path / "workspace"))
    if left == "killed":
        last = (
            "import os, sqlite3, sys; c = sqlite3.connect(sys.argv[1]);"
            "c.execute(\"INSERT OR REPLACE INTO settings VALUES ('folder', '/last')\"); c.commit(); os._exit(0)"
        )
        subprocess.run([sys.executable, "-c", last, str(workspace / "clew.db")], check=True)
        assert (workspace / "clew.db-wal").stat().st_size
    before = state(workspace)
    words = [*words, "WORKSPACE"] if len(words) == 1 else words
    assert main([str(workspace) if word == "WORKSPACE" else word for word in words]) == 0
    assert state(workspace) == before
    database = Database(workspace / "clew.db", read_only=True)
    row = database.connection().execute("SELECT value FROM settings WHERE name = 'folder'").fetchone()
    database.close()
    assert (row[0] == "/last") == (left == "killed")


def test_what_a_writer_changes_under_the_hands_of_a_reader_is_read_again(
    names_path: Path, tmp_path: Path
) -> None:
    """It came, wrote and went: no file beside the database tells of it."""
    workspace = Path(shutil.copytree(names_path, tmp_path / "workspace"))
    reading = Database(workspace / "clew.db", read_only=True)
    counts: list[int] = []

    def read() -> int:
        counts.append(reading.connection().execute("SELECT count(*) FROM settings").fetchone()[0])
        if len(counts) == 1:
            write("one")
            raise WorkspaceError("what is read while it changes may look damaged")
        return counts[-1]

    def write(name: str) -> None:
        with closing(Database(workspace / "clew.db")) as writing, writing.transaction() as connection:
            connection.execute("INSERT INTO settings VALUES (?, '1')", (name,))

    assert reading.retry_read(read) == counts[0] + 1
    write("two")
    assert reading.retry_read(read) == counts[0] + 2
    with pytest.raises(WorkspaceError, match="damaged indeed"):
        reading.retry_read(lambda: (_ for _ in ()).throw(WorkspaceError("damaged indeed")))
    reading.close()


def test_a_log_without_its_index_is_reported_to_who_only_reads(names_path: Path, tmp_path: Path) -> None:
    """SQLite could read it only by writing; who may write puts it in place."""
    workspace = Path(shutil.copytree(names_path, tmp_path / "workspace"))
    writing = sqlite3.connect(workspace / "clew.db")
    writing.execute("INSERT INTO settings VALUES ('new', '1')")
    writing.commit()
    copy = Path(shutil.copytree(workspace, tmp_path / "copy", ignore=shutil.ignore_patterns("*-shm")))
    writing.close()
    before = state(copy)
    with pytest.raises(WorkspaceError, match="not in place yet"):
        Database(copy / "clew.db", read_only=True)
    assert state(copy) == before
    opened = Database(copy / "clew.db")
    assert opened.connection().execute("SELECT value FROM settings WHERE name = 'new'").fetchone() == ("1",)
    opened.close()
