"""An indexing process is watched, copied, paused and killed: nothing that was committed is lost."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from core.answering.models import Models
from core.progress import TaskContext
from core.workspace import Workspace
from tests.conftest import SAMPLE
from tests.processes import alive, at_rest, children
from tests.waiting import wait_until

pytestmark = pytest.mark.long


class Indexing:
    """`clew index` in a process of its own, which takes commands and reports events."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process

    def send(self, command: str) -> None:
        assert self.process.stdin is not None
        print(command, file=self.process.stdin, flush=True)

    def until(self, event: str) -> dict[str, object]:
        """The next event of that name."""
        assert self.process.stdout is not None
        return next(found for line in self.process.stdout if (found := json.loads(line))["event"] == event)


@contextmanager
def indexing(folder: Path, workspace: Path) -> Iterator[Indexing]:
    words = ["index", str(folder), "--workspace", str(workspace), "--events"]
    with subprocess.Popen(
        [sys.executable, "-m", "app", *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        yield Indexing(process)


def check(place: Path) -> tuple[list[str], str]:
    """Which rules do not hold there, and whether indexing is finished."""
    with Workspace.open(place, read_only=True) as opened:
        found = opened.verify(TaskContext())
    (state,) = (each.detail for each in found if each.name == "indexing")
    return [f"{each.name}: {each.detail}" for each in found if not each.ok], state


def content(workspace: Workspace) -> dict[str, str]:
    """Digests by what they are of."""
    status = workspace.status()
    assert (status.pending, status.failed) == (0, 0)
    return {"documents": status.digest, **status.derived}


def change(folder: Path) -> None:
    """Rename a document, delete one, edit one and add one."""
    first, second, third = sorted((folder / "investigation").glob("*.[mt]*"))
    first.rename(folder / f"renamed {first.name}")
    second.unlink()
    third.write_text(third.read_text(encoding="utf-8").replace("the", "this", 3), encoding="utf-8")
    shutil.copy(SAMPLE / "registers/Certidão Mariscal Metals.txt", folder)


def test_an_interrupted_run_and_a_copy_end_like_an_undisturbed_one(tmp_path: Path, models: Models) -> None:
    folder, place, copy = tmp_path / "papers", tmp_path / "workspace", tmp_path / "copy"
    for part in ("investigation", "ships"):  # enough passages for a second process, and for several batches
        shutil.copytree(SAMPLE / part, folder / part)
    shutil.copy(SAMPLE / "press/2021-11-09 Arrest at the airport.html", folder)

    with indexing(folder, place) as paused:
        paused.until("growth")
        paused.send("pause")
        wait_until(at_rest(paused.process.pid))
        assert check(place)[0] == []
        with Workspace.open(place, read_only=True) as opened:
            copied = opened.backup(copy, TaskContext())
        paused.send("resume")
        paused.until("growth")
        workers = children(paused.process.pid)
        assert workers
        paused.process.send_signal(signal.SIGKILL)
        paused.process.wait(30)
        wait_until(lambda: not any(map(alive, workers)))  # no worker outlives its killed parent
    faults, state = check(place)
    assert faults == [] and "not finished" in state

    with indexing(folder, place) as finished:
        finished.until("finished")
        assert finished.process.wait(60) == 0
    assert check(place) == ([], "finished")

    with Workspace.open(tmp_path / "undisturbed", create=True, models=models) as opened:
        opened.index(folder, TaskContext())
        expected = content(opened)
    with Workspace.open(place, read_only=True) as opened:
        assert content(opened) == expected

    assert copied.pending, "taken in the middle, or this proves nothing"
    Workspace.trust(copy)
    with Workspace.open(copy, models=models) as opened:
        assert opened.status().digest == copied.digest
        opened.index(folder, TaskContext())
        assert content(opened) == expected
        assert "Funchal" in opened.ask("Where was Tobias Renwick arrested?", TaskContext()).text
        change(folder)
        opened.index(folder, TaskContext())
    assert check(copy) == ([], "finished")
