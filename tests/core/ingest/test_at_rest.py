"""When a folder is at rest: what differs between two looks, how long is waited, who still writes."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from core.config import WatchConfig
from core.ingest.scan import FoundFile, scan
from core.ingest.source_files import left_out
from core.ingest.watch import QuiescenceTimer, anybody_writes, being_written, differences, same
from core.progress import TaskContext
from core.types import Changes

CONFIG = WatchConfig(quiet=2, stable=1, longest=60)
linux = pytest.mark.skipif(sys.platform != "linux", reason="asks Linux who writes")


def file(name: str, size: int = 3, modified: int = 5) -> FoundFile:
    return FoundFile(Path(name), name, size, modified)


def look(*files: FoundFile) -> dict[str, FoundFile]:
    return {found.relative: found for found in files}


def quiet() -> bool:
    return False


def test_differences_are_named_by_kind() -> None:
    before = look(file("a"), file("b", 4), file("c", 7, 70))
    after = look(file("a"), file("b", 4, 6), file("d", 8))
    assert differences(before, after) == Changes(added=("d",), changed=("b",), removed=("c",))
    assert differences(before, before) == Changes()
    # A clock that goes back is a change like any other.
    assert differences(look(file("a", 3, 500)), look(file("a", 3, -500))) == Changes(changed=("a",))
    assert not same(look(file("a", 3, 500)), look(replace(file("a", 3, 500), signature="written since")))


def test_a_renamed_file_is_one_change_and_copies_are_matched_one_to_one() -> None:
    before = look(file("a", 9, 90), file("b", 9, 90), file("empty", 0, 1))
    after = look(file("sub/a", 9, 90), file("other", 0, 1))
    assert differences(before, after) == Changes(
        added=("other",), removed=("b", "empty"), renamed=(("a", "sub/a"),)
    )


def test_a_batch_waits_for_quiet_and_for_two_equal_looks() -> None:
    rest = QuiescenceTimer(CONFIG)
    assert not rest.due(0)
    rest.touch(10)
    assert not rest.due(11.9) and rest.due(12)
    assert not rest.rests(12, look(file("a", 1)), quiet)
    assert not rest.due(12.9) and rest.due(13)
    assert not rest.rests(13, look(file("a", 2)), quiet)  # it grew
    assert rest.rests(14, look(file("a", 2)), quiet)


def test_every_event_restarts_the_quiet() -> None:
    rest = QuiescenceTimer(CONFIG)
    for second in range(10, 20):
        rest.touch(second)
        assert not rest.due(second + 1)
    assert rest.due(21)


def test_an_open_file_is_waited_for_but_not_for_ever() -> None:
    rest = QuiescenceTimer(CONFIG)
    rest.touch(0)
    assert not any(rest.rests(second, look(file("a")), lambda: True) for second in range(2, 60))
    assert rest.rests(60, look(file("a")), lambda: True)


def test_a_folder_that_never_rests_is_a_batch_after_the_longest_time() -> None:
    rest = QuiescenceTimer(CONFIG)
    for second in range(61):
        rest.touch(second)
        assert rest.due(second) == (second == 60)
    assert rest.rests(60, look(file("a")), lambda: True)
    rest.clear()
    assert not rest.active and not rest.due(1000)


@linux
def test_a_file_open_for_writing_is_noticed_whoever_writes(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("one", encoding="utf-8")
    assert not being_written(path)
    with open(path, encoding="utf-8"):
        assert not being_written(path)  # read by somebody: no matter
    with open(path, "a", encoding="utf-8"):
        assert being_written(path)
    program = f"file = open({str(path)!r}, 'a'); print(flush=True); input()"
    with subprocess.Popen(
        [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as writer:
        assert writer.stdin is not None and writer.stdout is not None
        writer.stdout.readline()
        assert being_written(path)
        writer.stdin.write(b"\n")
        writer.stdin.close()
        writer.wait(10)
    assert not being_written(path)


@linux
def test_asking_who_writes_does_not_stop_a_writer(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.touch()
    program = f"for n in range(3000): open({str(path)!r}, 'a').close()"
    with subprocess.Popen([sys.executable, "-c", program]) as writer:
        while writer.poll() is None:
            being_written(path)
    assert writer.returncode == 0


def test_files_that_are_gone_or_shut_are_nobodys_writing(tmp_path: Path) -> None:
    assert not being_written(tmp_path / "nothing")
    os.mkfifo(tmp_path / "pipe")
    assert not being_written(tmp_path / "pipe")  # and it does not hang


def test_the_empty_place_of_a_download_is_waited_for(tmp_path: Path) -> None:
    place = tmp_path / "report.pdf"
    place.touch()
    assert not anybody_writes([place])
    (tmp_path / "Xk3.pdf.part").write_bytes(b"%PDF")
    assert anybody_writes([place])
    place.write_bytes(b"%PDF-1.4")
    assert not anybody_writes([place])


@pytest.mark.parametrize(
    "name",
    ".hidden ~$letter.docx .~lock.a.odt# a.pdf.crdownload ~WRL0001.tmp a.txt~ #a.txt# Thumbs.db a.PARTIAL".split(),
)
def test_what_programs_leave_while_they_write_is_left_out(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text("x", encoding="utf-8")
    assert left_out(name) and scan(tmp_path, TaskContext()) == []


@pytest.mark.parametrize("name", "part.pdf tmp a.bak a.tmp.pdf #1.txt".split())
def test_documents_with_such_words_in_their_names_are_read(name: str) -> None:
    assert not left_out(name)
