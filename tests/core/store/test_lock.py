"""One writer at a time: told in words, gone with its process, harmless where locks are unknown."""

from __future__ import annotations

import errno
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from core.errors import WorkspaceError
from core.progress import TaskContext
from core.store.database import Database
from core.store.workspace_files import WINDOW, WRITER, WriterLock, lock_holder
from core.workspace import Workspace

ROOT = Path(__file__).resolve().parents[3]
HOLD = """
import sys
from pathlib import Path
from core.store.workspace_files import FileLock
lock = FileLock(Path(sys.argv[1]), sys.argv[2])
assert lock.acquire()
print("held", flush=True)
sys.stdin.read()
"""
Hold = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture
def hold() -> Iterator[Hold]:
    """Starts another process that holds a lock until its stdin ends."""
    started: list[subprocess.Popen[str]] = []

    def start(path: Path, doing: str = "indexed") -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, "-c", HOLD, str(path), doing],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        started.append(process)
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()


def test_a_second_writer_is_refused_and_learns_who_the_first_is(tmp_path: Path, hold: Hold) -> None:
    process = hold(tmp_path / WRITER)
    words = lock_holder(tmp_path)
    assert re.fullmatch(rf"being indexed by process {process.pid} since \d\d:\d\d", words or "")
    with pytest.raises(WorkspaceError) as caught, WriterLock(tmp_path, "repaired", patience=0.1):
        pass
    assert caught.value.message == f"The workspace {tmp_path} is {words}."
    assert "Wait until it has finished" in caught.value.remedy
    process.communicate()
    assert lock_holder(tmp_path) is None
    with WriterLock(tmp_path, "repaired"):
        assert "being repaired" in (lock_holder(tmp_path) or "")
    assert lock_holder(tmp_path) is None


def test_a_killed_process_leaves_no_lock(tmp_path: Path, hold: Hold) -> None:
    process = hold(tmp_path / WRITER)
    process.send_signal(signal.SIGKILL)
    process.wait(10)
    assert (tmp_path / WRITER).read_text().startswith(f"{process.pid}\n")  # its note is still there
    assert lock_holder(tmp_path) is None
    with WriterLock(tmp_path):
        pass


def test_two_in_one_process_exclude_each_other_too(tmp_path: Path) -> None:
    with WriterLock(tmp_path), pytest.raises(WorkspaceError), WriterLock(tmp_path, patience=0.05):
        pass


def test_without_locks_of_the_file_system_work_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(file: int, operation: int) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr("fcntl.flock", refuse)
    with WriterLock(tmp_path):
        assert lock_holder(tmp_path) is None


def test_a_migration_waits_for_its_turn(tmp_path: Path, hold: Hold, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two processes that meet an old or a new workspace do not both build it."""
    monkeypatch.setattr("core.store.database._MIGRATION_SECONDS", 0.1)
    process = hold(tmp_path / WRITER, "brought up to date")
    with pytest.raises(WorkspaceError, match="brought up to date by process"):
        Database(tmp_path / "clew.db", create=True)
    process.communicate()
    Database(tmp_path / "clew.db", create=True).close()


class TestWorkspace:
    def test_no_command_writes_while_another_indexes(
        self, sample_copy: Path, sample_folder: Path, hold: Hold
    ) -> None:
        process = hold(sample_copy / WRITER)
        opened = Workspace.open(sample_copy)
        before = opened.status()
        assert opened.written_by.startswith(f"being indexed by process {process.pid}")
        with pytest.raises(WorkspaceError, match=f"being indexed by process {process.pid}"):
            opened.index(sample_folder, TaskContext())
        with pytest.raises(WorkspaceError, match=f"being indexed by process {process.pid}"):
            opened.index_passages([], TaskContext())
        assert opened.status() == before  # and reading goes on
        process.communicate()
        assert opened.written_by == ""
        opened.index(sample_folder, TaskContext())
        assert opened.status() == before
        opened.close()

    def test_the_second_window_reads_only_and_says_why(self, sample_copy: Path) -> None:
        first = Workspace.open(sample_copy, exclusive=True)
        assert (first.read_only, first.in_use_by) == (False, "")
        second = Workspace.open(sample_copy, exclusive=True)
        assert second.read_only
        assert second.in_use_by.startswith("being worked on by process")
        assert second.status() == first.status()
        command = Workspace.open(sample_copy)  # `clew index` beside the window
        assert not command.read_only
        command.close()
        second.close()
        first.close()
        third = Workspace.open(sample_copy, exclusive=True)
        assert (third.read_only, third.in_use_by) == (False, "")
        third.close()

    def test_a_window_that_cannot_open_lets_go_of_its_claim(self, tmp_path: Path) -> None:
        (tmp_path / "clew.db").write_bytes(b"no database " * 500)
        with pytest.raises(WorkspaceError):
            Workspace.open(tmp_path, exclusive=True)
        assert lock_holder(tmp_path, WINDOW) is None
