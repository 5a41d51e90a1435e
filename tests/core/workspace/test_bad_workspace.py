"""Workspaces and questions that cannot be used: one clear line, the right exit code, and nothing lost."""

from __future__ import annotations

import contextlib
import hashlib
import io
import os
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from app.__main__ import main
from core.progress import TaskContext
from core.workspace import Workspace

ROOT = Path(__file__).resolve().parents[3]
QUESTION = "Where was Tobias Renwick arrested?"
PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\1\0\0\0\1\x08\6\0\0\0\x1f\x15\xc4\x89"

# Root may write anywhere by its capabilities; without them it obeys the mode of a file like everybody else.
WITHOUT_RIGHTS = """
import ctypes, sys
libc = ctypes.CDLL(None)
assert libc.prctl(28, 1, 0, 0, 0) == 0  # no capabilities back for programs started from here
header, none = (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)()
assert libc.capset(header, none) == 0
from app.__main__ import main
sys.exit(main(sys.argv[1:]))
"""

RUN = "import sys; from app.__main__ import main; sys.exit(main(sys.argv[1:]))"


def clew(*words: str, unprivileged: bool = False) -> subprocess.CompletedProcess[str]:
    """The real command line in a process of its own; without root's rights where it has them. See `told`."""
    program = ["-m", "app"]
    if unprivileged and os.geteuid() == 0:
        program = ["-c", WITHOUT_RIGHTS]
    return subprocess.run(
        [sys.executable, *program, *words],
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def told(*words: str) -> subprocess.CompletedProcess[str]:
    """The same in this process, where nothing is at stake that a process has of its own; a bug flies."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main(list(words))
    return subprocess.CompletedProcess(words, code, out.getvalue(), err.getvalue())


def line_of(found: subprocess.CompletedProcess[str], *expected: str) -> str:
    """The one line that a failure is told in."""
    assert found.returncode == 1, found.stdout + found.stderr
    lines = found.stderr.strip().splitlines()
    assert len(lines) == 1, found.stderr
    assert "Traceback" not in found.stdout + found.stderr
    for words in expected:
        assert words in lines[0]
    assert found.stdout.strip() == ""
    return lines[0]


def content(folder: Path) -> dict[str, str]:
    """Every file of a folder with the hash of its bytes; SQLite's own side files aside."""
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.name.endswith(("-wal", "-shm"))
    }


def digest(workspace: Path) -> str:
    found = told("status", str(workspace), "--json")
    assert found.returncode == 0, found.stderr
    return found.stdout


@pytest.fixture
def papers(tmp_path: Path) -> Path:
    folder = tmp_path / "papers"
    folder.mkdir()
    (folder / "a.txt").write_text("Otto Kask commands the Northern Star.\n", encoding="utf-8")
    return folder


@pytest.fixture
def locked(sample_copy: Path) -> Path:
    """An indexed workspace that may be read and not written."""
    for path in sample_copy.rglob("*"):
        path.chmod(0o555 if path.is_dir() else 0o444)
    sample_copy.chmod(0o555)
    return sample_copy


@pytest.mark.skipif(sys.platform != "linux", reason="rights work otherwise here")
class TestReadOnly:
    @pytest.mark.long
    def test_it_answers_and_counts(self, locked: Path) -> None:
        before = content(locked)
        answered = clew("ask", str(locked), QUESTION, unprivileged=True)
        assert answered.returncode == 0, answered.stderr
        assert "Funchal" in answered.stdout
        counted = clew("status", str(locked), unprivileged=True)
        assert counted.returncode == 0, counted.stderr
        assert content(locked) == before

    @pytest.mark.long
    def test_what_a_killed_process_had_committed_is_read(self, sample_copy: Path) -> None:
        """The last changes lie in the log beside the database, which cannot be worked in here."""
        last = (
            "import os, sqlite3, sys; c = sqlite3.connect(sys.argv[1]);"
            "c.execute(\"INSERT INTO settings VALUES ('folder', '/last') ON CONFLICT DO UPDATE SET value = '/last'\");"
            "c.commit(); os._exit(0)"
        )
        subprocess.run([sys.executable, "-c", last, str(sample_copy / "clew.db")], check=True)
        assert (sample_copy / "clew.db-wal").stat().st_size
        for path in sample_copy.iterdir():
            path.chmod(0o555 if path.is_dir() else 0o444)
        sample_copy.chmod(0o555)
        found = clew("status", str(sample_copy), unprivileged=True)
        assert found.returncode == 0, found.stderr
        assert " of /last" in found.stdout
        verified = clew("verify", str(sample_copy), unprivileged=True)
        assert verified.returncode == 0, verified.stdout + verified.stderr

    @pytest.mark.long
    def test_an_empty_log_left_behind_is_no_hindrance(self, locked: Path) -> None:
        locked.chmod(0o755)
        (locked / "clew.db-wal").touch(0o444)
        locked.chmod(0o555)
        found = clew("status", str(locked), unprivileged=True)
        assert found.returncode == 0, found.stderr

    @pytest.mark.long
    def test_it_refuses_to_be_indexed_into(self, locked: Path, papers: Path) -> None:
        before = content(locked)
        found = clew("index", str(papers), "--workspace", str(locked), unprivileged=True)
        line_of(found, "read-only", "Choose another place")
        assert content(locked) == before

    @pytest.mark.long
    def test_no_workspace_is_made_where_nothing_may_be_written(self, tmp_path: Path, papers: Path) -> None:
        place = tmp_path / "closed"
        place.mkdir(mode=0o555)
        for workspace in (place, place / "new"):
            found = clew("index", str(papers), "--workspace", str(workspace), unprivileged=True)
            line_of(found, str(workspace), "where you may write")
        assert list(place.iterdir()) == []


@pytest.mark.parametrize("words", [["ask", QUESTION], ["status"], ["index"]], ids=lambda words: str(words[0]))
class TestDatabasesOfOthers:
    """A database that is not ours is named, refused and left as it was, whatever the command."""

    def refused(self, words: list[str], workspace: Path, papers: Path) -> str:
        command, *rest = words
        before = content(workspace)
        if command == "index":
            found = told("index", str(papers), "--workspace", str(workspace))
        else:
            found = told(command, str(workspace), *rest)
        line = line_of(found)
        assert content(workspace) == before
        return line

    def test_a_newer_schema(self, words: list[str], sample_copy: Path, papers: Path) -> None:
        with sqlite3.connect(sample_copy / "clew.db") as connection:
            connection.execute("PRAGMA user_version = 999")
        connection.close()
        line = self.refused(words, sample_copy, papers)
        assert "newer Clew" in line
        assert "Update Clew" in line

    def test_another_program(self, words: list[str], tmp_path: Path, papers: Path) -> None:
        workspace = tmp_path / "workspace"
        workspace.mkdir()
        with sqlite3.connect(workspace / "clew.db") as connection:
            connection.execute("CREATE TABLE recipes (name TEXT)")
        connection.close()
        line = self.refused(words, workspace, papers)
        assert "another program" in line

    def test_no_database_at_all(self, words: list[str], tmp_path: Path, papers: Path) -> None:
        workspace = tmp_path / "workspace"
        workspace.mkdir()
        (workspace / "clew.db").write_bytes(b"Dear diary, this is no database. " * 200)
        line = self.refused(words, workspace, papers)
        assert "damaged" in line

    def test_a_database_cut_off(self, words: list[str], sample_copy: Path, papers: Path) -> None:
        database = sample_copy / "clew.db"
        with database.open("r+b") as file:
            file.truncate(database.stat().st_size // 3)
        line = self.refused(words, sample_copy, papers)
        assert "damaged" in line


def test_a_damaged_page_is_told_in_one_line(sample_copy: Path) -> None:
    """Bytes in the middle that no longer fit: found on reading, never a traceback."""
    database = sample_copy / "clew.db"
    size = database.stat().st_size
    with database.open("r+b") as file:
        for at in range(8192, size, 4096):
            file.seek(at)
            file.write(b"\xff" * 512)
    line_of(told("status", str(sample_copy)), "damaged")
    line_of(told("ask", str(sample_copy), QUESTION), "damaged")


@pytest.mark.long
def test_a_disk_that_fills_while_indexing(sample_folder: Path, sample_path: Path, tmp_path: Path) -> None:
    """No file may grow past a limit: one line, what was committed stays, and the next run ends as any other."""
    workspace = tmp_path / "workspace"
    limited = f"import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (1_700_000, 1_700_000))\n{RUN}"
    words = ["index", str(sample_folder), "--workspace", str(workspace)]
    found = subprocess.run(
        [sys.executable, "-c", limited, *words], cwd=ROOT, capture_output=True, text=True, check=False
    )
    line_of(found, "limit on the size of files", "what was done is kept")
    assert '"passages": 0' not in digest(workspace)
    assert clew(*words).returncode == 0
    assert digest(workspace) == digest(sample_path)


@pytest.mark.long
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no full device here")
@pytest.mark.parametrize("words", [["status"], ["status", "--json"]], ids=" ".join)
def test_an_output_that_cannot_be_written_is_told_in_one_line(words: list[str], sample_path: Path) -> None:
    with open("/dev/full", "w") as full:
        found = subprocess.run(
            [sys.executable, "-m", "app", words[0], str(sample_path), *words[1:]],
            cwd=ROOT, stdout=full, stderr=subprocess.PIPE, text=True, check=False,
        )  # fmt: skip
    assert found.returncode == 1
    assert found.stderr.strip().splitlines() == [
        "The disk is full (the output). Free some space and start again; what was done is kept."
    ]


@pytest.mark.long
def test_derived_files_may_be_deleted(sample_copy: Path) -> None:
    before = digest(sample_copy)
    for path in sample_copy.iterdir():
        if path.is_dir():
            shutil.rmtree(path)
        elif not path.name.startswith("clew.db"):
            path.unlink()
    answered = told("ask", str(sample_copy), QUESTION)
    assert answered.returncode == 0, answered.stderr
    assert "Funchal" in answered.stdout
    assert digest(sample_copy) == before


def test_a_workspace_that_is_a_file(tmp_path: Path, papers: Path) -> None:
    file = tmp_path / "file.txt"
    file.write_text("mine", encoding="utf-8")
    line_of(told("index", str(papers), "--workspace", str(file)), str(file))
    line_of(told("ask", str(file), QUESTION), str(file))
    assert file.read_text(encoding="utf-8") == "mine"


@pytest.mark.parametrize("name", ["nowhere", "a.txt"])
def test_a_folder_that_is_none(name: str, tmp_path: Path, papers: Path) -> None:
    found = told("index", str(papers / name), "--workspace", str(tmp_path / "workspace"))
    line_of(found, name)


def test_a_missing_folder_takes_nothing_from_an_index(sample_copy: Path, tmp_path: Path) -> None:
    """An unplugged disk must not empty the workspace."""
    before = digest(sample_copy)
    line_of(told("index", str(tmp_path / "unplugged"), "--workspace", str(sample_copy)), "unplugged")
    assert digest(sample_copy) == before


def test_an_empty_folder(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    found = told("index", str(tmp_path / "empty"), "--workspace", str(tmp_path / "workspace"))
    assert found.returncode == 0, found.stderr
    assert "The folder holds no documents" in found.stdout
    line_of(told("ask", str(tmp_path / "workspace"), QUESTION), "no passages", "clew index")


def test_a_folder_of_pictures(tmp_path: Path) -> None:
    folder = tmp_path / "pictures"
    folder.mkdir()
    for number in range(3):
        (folder / f"scan {number}.png").write_bytes(PNG)
    found = told("index", str(folder), "--workspace", str(tmp_path / "workspace"))
    assert found.returncode == 1 and "None of the 3 files" in found.stderr
    assert found.stdout.count("Not read: scan") == 3
    assert "OCR" in found.stdout
    assert "Traceback" not in found.stderr
    line_of(told("ask", str(tmp_path / "workspace"), QUESTION), "no passages")


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("", "empty"),
        (" \t\n ", "empty"),
        ("why " * 2500, "9,999 characters"),
        ("?" * 10_000, "10,000 characters"),
    ],
    ids=["empty", "white", "10,000 characters", "10,000 marks"],
)
def test_questions_that_cannot_be_asked(question: str, words: str, sample_path: Path) -> None:
    line_of(told("ask", str(sample_path), question), words)


@pytest.mark.long
@pytest.mark.parametrize("question", ["?", "🜁 ⸘", '"; DROP TABLE passages; --', "NEAR( AND * OR"])
@pytest.mark.parametrize("route", ["auto", "dense", "lexical", "graph", "fusion"])
def test_odd_questions_are_answered_or_declined(
    question: str, route: str, sample_workspace: Workspace
) -> None:
    answer = sample_workspace.ask(question, TaskContext(), route)
    assert bool(answer.citations) != answer.abstained


@pytest.mark.parametrize(
    "words",
    [
        ["ask"],
        ["index"],
        ["index", "."],
        ["ask", "a", "b", "-k", "0"],
        ["nonsense"],
        ["status", "--loud"],
        ["open", "a", "b"],
    ],
    ids=" ".join,
)
def test_bad_usage_is_code_two(words: list[str]) -> None:
    found = clew(*words)
    assert found.returncode == 2
    assert "Usage" in found.stderr
    assert "Traceback" not in found.stderr
