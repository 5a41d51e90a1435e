"""A copy made beside a busy writer is one moment of the workspace, whole; a copy that fails leaves nothing."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from core.errors import BadInput, CoreError, WorkspaceError
from core.progress import Cancelled, TaskContext
from core.store import backup
from core.store.backup import back_up
from core.store.schema import FIRST, migrate
from core.store.store import Store
from core.types import Document
from tests.waiting import wait_until

ROOT = Path(__file__).resolve().parents[3]

# Commits without a pause; each transaction moves the whole content on by one.
WRITE = """
import sys
from pathlib import Path
from core.store.store import Store
store = Store(Path(sys.argv[1]), "m", 4)
number = 0
print("writing", flush=True)
while True:
    with store.database.transaction() as connection:
        connection.execute("UPDATE document_texts SET text = printf('%08d', ?) || substr(text, 9)", (number,))
        connection.execute("INSERT OR REPLACE INTO settings VALUES ('number', ?)", (str(number),))
    number += 1
"""


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """Some megabytes of documents, closed."""
    (tmp_path / "workspace").mkdir()
    store = Store(tmp_path / "workspace", "m", 4, create=True)
    for number in range(300):
        store.documents.put_read(
            Document(f"d{number}", f"{number}.txt", "", 1, "T", "text/plain"), "00000000" + "x" * 9000, (), []
        )
    store.close()
    return tmp_path / "workspace"


def test_a_copy_next_to_a_busy_writer_is_one_moment(workspace: Path, tmp_path: Path) -> None:
    """Every row of the copy is of one transaction, and neither side waits for the other."""
    writer = subprocess.Popen(
        [sys.executable, "-c", WRITE, str(workspace)], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    try:
        assert writer.stdout is not None
        assert writer.stdout.readline() == "writing\n"
        for turn in range(2):
            before = number_in(workspace)
            found = back_up(workspace / "clew.db", tmp_path / f"copy {turn}", TaskContext())
            wait_until(lambda: number_in(workspace) > before)  # noqa: B023 - the writer was not held up
            assert found.documents == 300
            copy = sqlite3.connect(tmp_path / f"copy {turn}" / "clew.db")
            texts = {row[0] for row in copy.execute("SELECT substr(text, 1, 8) FROM document_texts")}
            assert texts == {f"{number_in(tmp_path / f'copy {turn}'):08d}"}
            assert copy.execute("PRAGMA integrity_check").fetchone() == ("ok",)
            copy.close()
    finally:
        writer.kill()
        writer.communicate()


def number_in(workspace: Path) -> int:
    connection = sqlite3.connect(workspace / "clew.db")
    try:
        row = connection.execute("SELECT value FROM settings WHERE name = 'number'").fetchone()
        return int(row[0]) if row else 0
    finally:
        connection.close()


def test_the_copy_is_the_workspace_and_only_its_truth(workspace: Path, tmp_path: Path) -> None:
    (workspace / "derived").mkdir()
    (workspace / "derived" / "passages.hnsw").write_bytes(b"derived")
    found = back_up(workspace / "clew.db", tmp_path / "new" / "copy", TaskContext())
    assert [path.name for path in (tmp_path / "new" / "copy").iterdir()] == ["clew.db"]
    store, copy = Store(workspace, "m", 4), Store(tmp_path / "new" / "copy", "m", 4)
    assert found.digest == store.census.digest() == copy.census.digest()
    assert found.size == (tmp_path / "new" / "copy" / "clew.db").stat().st_size
    store.close()
    copy.close()


def test_what_is_there_is_never_overwritten(workspace: Path, tmp_path: Path) -> None:
    target = tmp_path / "copy"
    target.mkdir()
    (target / "letter.txt").write_text("mine")
    for place in (target, target / "letter.txt", workspace):
        with pytest.raises(BadInput, match="not an empty folder"):
            back_up(workspace / "clew.db", place, TaskContext())
    assert (target / "letter.txt").read_text() == "mine"
    assert [path.name for path in target.iterdir()] == ["letter.txt"]


def test_without_room_nothing_is_begun(
    workspace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(backup, "free_bytes", lambda place: 100_000)
    with pytest.raises(WorkspaceError, match=r"The copy needs [\d.]+ MB, .* has room for 0\.1 MB"):
        back_up(workspace / "clew.db", tmp_path / "copy", TaskContext())
    assert not (tmp_path / "copy").exists()


class TestInterrupted:
    """Whatever stops a copy, nothing of it is left, and the workspace is as it was."""

    def left(self, workspace: Path, target: Path, context: TaskContext, error: type[CoreError]) -> None:
        before = (workspace / "clew.db").read_bytes()
        with pytest.raises(error):
            back_up(workspace / "clew.db", target, context)
        assert not target.exists()
        target.mkdir()
        with pytest.raises(error):
            back_up(workspace / "clew.db", target, context)
        assert list(target.iterdir()) == []  # a folder of the person's own stays
        assert (workspace / "clew.db").read_bytes() == before

    def test_by_the_person(self, workspace: Path, tmp_path: Path) -> None:
        asked: list[int] = []

        def cancelled() -> bool:
            asked.append(1)
            return len(asked) % 3 == 0

        self.left(workspace, tmp_path / "copy", TaskContext(cancelled=cancelled), Cancelled)

    def test_by_a_damaged_workspace(self, workspace: Path, tmp_path: Path) -> None:
        with (workspace / "clew.db").open("r+b") as file:
            for page in range(20, 200, 7):
                file.seek(page * 4096)
                file.write(b"\xff" * 4096)
        self.left(workspace, tmp_path / "copy", TaskContext(), WorkspaceError)

    @pytest.mark.skipif(sys.platform == "win32", reason="sizes cannot be limited here")
    def test_by_a_full_disk(self, workspace: Path, tmp_path: Path) -> None:
        limited = (
            "import resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, 1_000_000));"
            "from app.__main__ import main; sys.exit(main(sys.argv[1:]))"
        )
        found = subprocess.run(
            [sys.executable, "-c", limited, "backup", str(workspace), str(tmp_path / "copy")],
            cwd=ROOT, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert found.returncode == 1
        assert len(found.stderr.strip().splitlines()) == 1
        assert "limit on the size of files" in found.stderr
        assert not (tmp_path / "copy").exists()

    def test_a_killed_copy_is_no_workspace_and_does_not_stand_in_the_way(
        self, workspace: Path, tmp_path: Path
    ) -> None:
        killed = (
            "import os, signal, sys; from pathlib import Path; from core.progress import TaskContext;"
            "from core.store.backup import back_up;"
            "back_up(Path(sys.argv[1]), Path(sys.argv[2]),"
            " TaskContext(cancelled=lambda: os.kill(os.getpid(), signal.SIGKILL)))"
        )
        target = tmp_path / "copy"
        subprocess.run(
            [sys.executable, "-c", killed, str(workspace / "clew.db"), str(target)], cwd=ROOT, check=False
        )
        assert (target / "clew.db.part").exists()
        assert not (target / "clew.db").exists()
        back_up(workspace / "clew.db", target, TaskContext())
        assert [path.name for path in target.iterdir()] == ["clew.db"]


def test_a_workspace_of_an_older_clew_is_copied_as_it_is(
    workspace: Path, tmp_path: Path, later: None
) -> None:
    """The copy to make before an update."""
    old = tmp_path / "old"
    old.mkdir()
    connection = sqlite3.connect(old / "clew.db", isolation_level=None)
    migrate(connection, until=FIRST)
    connection.close()
    found = back_up(old / "clew.db", tmp_path / "copy", TaskContext())
    assert (found.documents, found.digest) == (0, "")
    connection = sqlite3.connect(tmp_path / "copy" / "clew.db")
    assert connection.execute("PRAGMA user_version").fetchone() == (FIRST,)
    connection.close()


@pytest.mark.skipif(os.name != "posix", reason="rights work otherwise here")
def test_a_workspace_that_may_only_be_read_can_be_copied(workspace: Path, tmp_path: Path) -> None:
    from tests.core.workspace.test_bad_workspace import clew

    for path in workspace.iterdir():
        path.chmod(0o444)
    workspace.chmod(0o555)
    shutil.rmtree(tmp_path / "copy", ignore_errors=True)
    found = clew("backup", str(workspace), str(tmp_path / "copy"), "--json")
    assert found.returncode == 0, found.stderr
    workspace.chmod(0o755)
    assert '"documents": 300' in found.stdout
