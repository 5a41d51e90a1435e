"""Workspaces and questions that cannot be used: one clear line, the right exit code, and nothing lost."""

from __future__ import annotations

import contextlib
import ctypes
import hashlib
import io
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from app.__main__ import main
from core.answering.models import Models
from core.progress import TaskContext
from core.workspace import Workspace
from tests.conftest import copied

ROOT = Path(__file__).resolve().parents[3]
QUESTION = "Who hired Ines Holm?"
PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\1\0\0\0\1\x08\6\0\0\0\x1f\x15\xc4\x89"

RUN_LINE = "import sys; from app.__main__ import main; sys.exit(main(sys.argv[1:]))"


@contextlib.contextmanager
def without_rights() -> Iterator[None]:
    """Root may write anywhere by its capabilities; without them it obeys the mode of a file like everybody else."""
    libc = ctypes.CDLL(None)
    header, rights = (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)()
    assert libc.capget(header, rights) == 0
    lowered = (ctypes.c_uint32 * 6)(*rights)
    lowered[0] = lowered[3] = 0  # what is in effect
    assert libc.capset(header, lowered) == 0
    try:
        yield
    finally:
        assert libc.capset(header, rights) == 0


def clew(*words: str) -> subprocess.CompletedProcess[str]:
    """The command line by somebody who is not root. See `run`."""
    with without_rights():
        return run(*words)


def run(*words: str) -> subprocess.CompletedProcess[str]:
    """The command line in this process; a bug flies."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main(list(words))
    return subprocess.CompletedProcess(words, code, out.getvalue(), err.getvalue())


def line_of(found: subprocess.CompletedProcess[str], *expected: str) -> str:
    """Check that a command failed, and return its one line of error."""
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
    found = run("status", str(workspace), "--json")
    assert found.returncode == 0, found.stderr
    return found.stdout


@pytest.fixture
def papers(tmp_path: Path) -> Path:
    folder = tmp_path / "papers"
    folder.mkdir()
    (folder / "a.txt").write_text("Otto Kask commands the Northern Star.\n", encoding="utf-8")
    return folder


def lock(workspace: Path) -> Path:
    """Take the right to write to a workspace away."""
    for path in workspace.rglob("*"):
        path.chmod(0o555 if path.is_dir() else 0o444)
    workspace.chmod(0o555)
    return workspace


@pytest.fixture
def workspace(names_path: Path, tmp_path: Path) -> Path:
    return copied(names_path, tmp_path / "workspace")


@pytest.mark.usefixtures("lent_models")
@pytest.mark.skipif(sys.platform != "linux", reason="rights work otherwise here")
class TestReadOnly:
    def test_it_answers_and_refuses_to_be_indexed_into(self, workspace: Path, papers: Path) -> None:
        (workspace / "clew.db-wal").touch()  # an empty log is no hindrance
        before = content(lock(workspace))
        answered = clew("ask", str(workspace), QUESTION)
        assert answered.returncode == 0, answered.stderr
        assert "Tobias Renwick" in answered.stdout
        found = clew("index", str(papers), "--workspace", str(workspace))
        line_of(found, "read-only", "Choose another place")
        assert content(workspace) == before

    def test_what_a_killed_process_had_committed_is_read(self, workspace: Path) -> None:
        """The last changes lie in the log beside the database, which cannot be worked in here."""
        last = (
            "import os, sqlite3, sys; c = sqlite3.connect(sys.argv[1]);"
            "c.execute(\"INSERT INTO settings VALUES ('folder', '/last') ON CONFLICT DO UPDATE SET value = '/last'\");"
            "c.commit(); os._exit(0)"
        )
        subprocess.run([sys.executable, "-c", last, str(workspace / "clew.db")], check=True)
        assert (workspace / "clew.db-wal").stat().st_size
        found = clew("status", str(lock(workspace)))
        assert found.returncode == 0, found.stderr
        assert " of /last" in found.stdout

    def test_no_workspace_is_written_where_nothing_may_be(self, tmp_path: Path, papers: Path) -> None:
        place = tmp_path / "closed"
        place.mkdir(mode=0o555)
        found = clew("index", str(papers), "--workspace", str(place / "new"))
        line_of(found, str(place / "new"), "where you may write")
        assert list(place.iterdir()) == []


def of_a_newer_clew(database: Path) -> None:
    with contextlib.closing(sqlite3.connect(database)) as connection:
        connection.execute("PRAGMA user_version = 999")


def of_another_program(database: Path) -> None:
    database.unlink()
    with contextlib.closing(sqlite3.connect(database)) as connection:
        connection.execute("CREATE TABLE recipes (name TEXT)")


def of_no_database(database: Path) -> None:
    database.write_bytes(b"Dear diary, this is no database. " * 200)


def of_a_third(database: Path) -> None:
    with database.open("r+b") as file:
        file.truncate(database.stat().st_size // 3)


def of_damaged_pages(database: Path) -> None:
    with database.open("r+b") as file:
        for at in range(8192, database.stat().st_size, 4096):
            file.seek(at)
            file.write(b"\xff" * 512)


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (of_a_newer_clew, ("newer Clew", "Update Clew")),
        (of_another_program, ("another program",)),
        (of_no_database, ("damaged",)),
        (of_a_third, ("damaged",)),
        (of_damaged_pages, ("damaged",)),
    ],
)
def test_a_database_that_cannot_be_used_is_named_and_left_as_it_was(
    damage: Callable[[Path], None], words: tuple[str, ...], workspace: Path, papers: Path
) -> None:
    damage(workspace / "clew.db")
    before = content(workspace)
    place = str(workspace)
    for command in (
        ["ask", place, QUESTION],
        ["status", place],
        ["index", str(papers), "--workspace", place],
    ):
        line_of(run(*command), *words)
    assert content(workspace) == before


@pytest.mark.long
def test_a_disk_that_fills_while_indexing(
    sample_folder: Path, sample_path: Path, tmp_path: Path, models: Models
) -> None:
    """No file may grow past a limit: one line, what was committed stays, and the next run ends as any other."""
    workspace = tmp_path / "workspace"
    limited = (
        f"import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (1_700_000, 1_700_000))\n{RUN_LINE}"
    )
    words = ["index", str(sample_folder), "--workspace", str(workspace)]
    found = subprocess.run(
        [sys.executable, "-c", limited, *words], cwd=ROOT, capture_output=True, text=True, check=False
    )
    line_of(found, "limit on the size of files", "what was done is kept")
    assert '"passages": 0' not in digest(workspace)
    with Workspace.open(workspace, models=models) as opened:
        opened.index(sample_folder, TaskContext())
    assert digest(workspace) == digest(sample_path)


@pytest.mark.long
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no full device here")
def test_an_output_that_cannot_be_written_is_one_line(names_path: Path) -> None:
    with open("/dev/full", "w") as full:
        found = subprocess.run(
            [sys.executable, "-m", "app", "status", str(names_path)],
            cwd=ROOT, stdout=full, stderr=subprocess.PIPE, text=True, check=False,
        )  # fmt: skip
    assert found.returncode == 1
    (line,) = found.stderr.strip().splitlines()
    assert line.startswith("The disk is full (the output).")


def test_derived_files_may_be_deleted(workspace: Path, models: Models) -> None:
    before = digest(workspace)
    for path in workspace.iterdir():
        if path.is_dir():
            shutil.rmtree(path)
        elif not path.name.startswith("clew.db"):
            path.unlink()
    with Workspace.open(workspace, models=models) as opened:
        assert opened.ask(QUESTION, TaskContext(), "graph").text == "Tobias Renwick"
    assert digest(workspace) == before


def test_a_workspace_that_is_a_file(tmp_path: Path, papers: Path) -> None:
    file = tmp_path / "file.txt"
    file.write_text("mine", encoding="utf-8")
    line_of(run("index", str(papers), "--workspace", str(file)), str(file))
    line_of(run("ask", str(file), QUESTION), str(file))
    assert file.read_text(encoding="utf-8") == "mine"


@pytest.mark.parametrize("name", ["nowhere", "a.txt"])
def test_a_folder_that_is_none(name: str, tmp_path: Path, papers: Path) -> None:
    found = run("index", str(papers / name), "--workspace", str(tmp_path / "workspace"))
    line_of(found, name)


def test_a_missing_folder_takes_nothing_from_an_index(workspace: Path, tmp_path: Path) -> None:
    """An unplugged disk must not empty the workspace."""
    before = digest(workspace)
    line_of(run("index", str(tmp_path / "unplugged"), "--workspace", str(workspace)), "unplugged")
    assert digest(workspace) == before


def test_an_empty_folder(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    found = run("index", str(tmp_path / "empty"), "--workspace", str(tmp_path / "workspace"))
    assert found.returncode == 0, found.stderr
    assert "The folder holds no documents" in found.stdout
    line_of(run("ask", str(tmp_path / "workspace"), QUESTION), "no passages", "clew index")


def test_a_folder_of_pictures(tmp_path: Path) -> None:
    folder = tmp_path / "pictures"
    folder.mkdir()
    for number in range(3):
        (folder / f"scan {number}.png").write_bytes(PNG)
    found = run("index", str(folder), "--workspace", str(tmp_path / "workspace"))
    assert found.returncode == 1 and "None of the 3 files" in found.stderr
    assert found.stdout.count("Not read: scan") == 3
    assert "OCR" in found.stdout
    assert "Traceback" not in found.stderr
    line_of(run("ask", str(tmp_path / "workspace"), QUESTION), "no passages")


@pytest.mark.parametrize(
    ("question", "words"),
    [(" \t\n ", "empty"), ("why " * 2500, "9,999 characters")],
    ids=["white", "10,000 characters"],
)
def test_questions_that_cannot_be_asked(question: str, words: str, names_path: Path) -> None:
    line_of(run("ask", str(names_path), question), words)


@pytest.mark.parametrize("route", ["auto", "dense", "lexical", "graph", "fusion"])
def test_odd_questions_are_answered_or_declined(route: str, sample_workspace: Workspace) -> None:
    for question in ("?", "🜁 ⸘", '"; DROP TABLE passages; --', "NEAR( AND * OR", "a" * 1999):
        answer = sample_workspace.ask(question, TaskContext(), route)
        assert bool(answer.citations) != answer.abstained


@pytest.mark.parametrize(
    "words", [["ask"], ["ask", "a", "b", "-k", "0"], ["nonsense"], ["status", "--loud"]], ids=" ".join
)
def test_bad_usage_is_code_two(words: list[str]) -> None:
    found = run(*words)
    assert found.returncode == 2
    assert "Usage" in found.stderr
