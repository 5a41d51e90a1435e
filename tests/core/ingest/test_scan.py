"""The scan finds documents, and nothing in a folder can trap it."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from core.errors import BadInput
from core.ingest.scan import scan
from core.progress import Cancelled, Progress, TaskContext


def names(folder: Path) -> list[str]:
    return [file.relative for file in scan(folder, TaskContext())]


def put(folder: Path, *paths: str) -> None:
    for path in paths:
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text("text", encoding="utf-8")


def test_finds_files_below_sorted_with_size_and_time(tmp_path: Path) -> None:
    put(tmp_path, "b.txt", "a/z.md", "a/b/c.txt")
    found = scan(tmp_path, TaskContext())
    assert [file.relative for file in found] == ["a/b/c.txt", "a/z.md", "b.txt"]
    assert found[2].size == 4
    assert found[2].modified_ns == (tmp_path / "b.txt").stat().st_mtime_ns
    assert all(file.path.read_text(encoding="utf-8") == "text" and not file.reason for file in found)


def test_leaves_out_hidden_lock_and_system_files(tmp_path: Path) -> None:
    put(tmp_path, "seen.txt", ".hidden", ".git/config", "~$seen.docx", ".~lock.seen.odt#", "Thumbs.db")
    put(tmp_path, "__MACOSX/seen.txt")
    assert names(tmp_path) == ["seen.txt"]


def test_leaves_out_a_workspace_inside_the_folder(tmp_path: Path) -> None:
    put(tmp_path, "a.txt", "space/clew.db", "space/graph.txt")
    assert names(tmp_path) == ["a.txt"]


def test_names_with_spaces_letters_and_bytes_that_are_no_text(tmp_path: Path) -> None:
    put(tmp_path, "Bericht über Köln 2021.txt", "日本語/ファイル.md", "two  spaces .txt")
    (tmp_path / os.fsdecode(b"caf\xe9.txt")).write_bytes(b"text")
    found = {file.relative: file for file in scan(tmp_path, TaskContext())}
    assert set(found) == {
        "Bericht über Köln 2021.txt",
        "日本語/ファイル.md",
        "two  spaces .txt",
        "caf\\xe9.txt",
    }
    for relative, file in found.items():
        assert relative.encode("utf-8")  # can be stored
        assert file.path.read_bytes() == b"text"  # and still be opened


def test_loops_of_links_end_and_list_nothing_twice(tmp_path: Path) -> None:
    put(tmp_path, "a/b/c.txt")
    (tmp_path / "a/b/up").symlink_to(tmp_path / "a", target_is_directory=True)
    (tmp_path / "a/root").symlink_to(tmp_path, target_is_directory=True)
    (tmp_path / "again.txt").symlink_to(tmp_path / "a/b/c.txt")
    assert names(tmp_path) == ["a/b/c.txt"]


def test_links_out_of_the_folder_are_reported_and_not_followed(tmp_path: Path) -> None:
    put(tmp_path, "in/a.txt", "out/b.txt")
    for name, target in {
        "in/file.txt": "out/b.txt",
        "in/folder": "out",
        "in/above": ".",
        "in/around.txt": "in/folder/b.txt",
        "in/gone.txt": "out/nothing",
        "in/zero": "/dev/zero",
        "start": "in",
    }.items():
        (tmp_path / name).symlink_to(tmp_path / target)
    found = {file.relative: file for file in scan(tmp_path / "start", TaskContext())}
    links = {"above", "around.txt", "file.txt", "folder", "gone.txt", "zero"}
    assert found.keys() == links | {"a.txt"}
    assert all("outside of the folder" in found[name].reason and found[name].remedy for name in links)
    before = found["file.txt"].signature
    (tmp_path / "in/file.txt").unlink()
    (tmp_path / "in/file.txt").symlink_to("/etc/passwd")
    now = {file.relative: file for file in scan(tmp_path / "in", TaskContext())}
    assert now["file.txt"].signature != before  # told anew


def test_links_that_lead_nowhere_have_a_reason(tmp_path: Path) -> None:
    assert scan(tmp_path, TaskContext()) == []
    (tmp_path / "gone.txt").symlink_to(tmp_path / "nothing")
    (tmp_path / "self.txt").symlink_to(tmp_path / "self.txt")
    found = scan(tmp_path, TaskContext())
    assert [file.relative for file in found] == ["gone.txt", "self.txt"]
    assert all(file.reason.startswith("The link cannot be opened") and file.remedy for file in found)


def test_a_folder_that_may_not_be_entered_costs_itself_only(
    open_folder: Path, ordinary_user: Callable[[], AbstractContextManager[None]]
) -> None:
    put(open_folder, "open/a.txt", "shut/b.txt")
    (open_folder / "shut").chmod(0)
    with ordinary_user():
        found = scan(open_folder, TaskContext())
    assert [(file.relative, bool(file.reason)) for file in found] == [("open/a.txt", False), ("shut", True)]
    assert "permission denied" in found[1].reason


def test_bad_folders_are_refused_in_words(
    tmp_path: Path, open_folder: Path, ordinary_user: Callable[[], AbstractContextManager[None]]
) -> None:
    put(tmp_path, "file.txt")
    (open_folder / "shut").mkdir(mode=0)
    with pytest.raises(BadInput, match="There is no folder"):
        scan(tmp_path / "missing", TaskContext())
    with pytest.raises(BadInput, match="is a file, not a folder"):
        scan(tmp_path / "file.txt", TaskContext())
    with ordinary_user(), pytest.raises(BadInput, match="cannot be opened: permission denied") as caught:
        scan(open_folder / "shut", TaskContext())
    assert caught.value.remedy


def test_reports_and_can_be_stopped(tmp_path: Path) -> None:
    put(tmp_path, *(f"{number}.txt" for number in range(5)))
    reports: list[Progress] = []
    scan(tmp_path, TaskContext(reports.append, interval=0))
    assert [progress.done for progress in reports] == [1, 2, 3, 4, 5]
    with pytest.raises(Cancelled):
        scan(tmp_path, TaskContext(cancelled=lambda: True))
