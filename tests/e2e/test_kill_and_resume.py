"""A process that is killed while it indexes loses nothing that was committed."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from core.workspace import Workspace
from tests.processes import alive, at_rest, children
from tests.waiting import wait_until

pytestmark = pytest.mark.long

SAMPLE = Path(__file__).resolve().parents[2] / "resources" / "sample"


def start(folder: Path, workspace: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "app", "index", str(folder), "--workspace", str(workspace), "--events"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def until(process: subprocess.Popen[str], event: str) -> list[dict[str, object]]:
    """Events up to and with the first one of that name, or all of them."""
    seen: list[dict[str, object]] = []
    assert process.stdout is not None
    for line in process.stdout:
        seen.append(json.loads(line))
        if seen[-1]["event"] == event:
            break
    return seen


def content(workspace: Path) -> dict[str, str]:
    """Digests by what they are of."""
    opened = Workspace.open(workspace, read_only=True)
    try:
        status = opened.status()
    finally:
        opened.close()
    return {"documents": status.digest, **status.derived}


def test_killed_cancelled_and_paused_runs_end_with_the_same_content(tmp_path: Path) -> None:
    folder = tmp_path / "papers"
    for part in ("investigation", "ships"):  # enough passages for a second process, and for several batches
        shutil.copytree(SAMPLE / part, folder / part)
    killed = start(folder, tmp_path / "a")
    until(killed, "growth")
    workers = children(killed.pid)
    assert workers
    killed.send_signal(signal.SIGKILL)
    killed.wait(30)
    wait_until(lambda: not any(map(alive, workers)))  # no worker outlives its killed parent

    cancelled = start(folder, tmp_path / "a")
    until(cancelled, "growth")
    assert cancelled.stdin is not None
    cancelled.stdin.write("cancel\n")
    cancelled.stdin.flush()
    assert until(cancelled, "cancelled")[-1]["event"] == "cancelled"
    assert cancelled.wait(60) == 0

    finished = start(folder, tmp_path / "a")
    events = until(finished, "finished")
    assert finished.wait(60) == 0
    status = events[-1]["status"]
    assert isinstance(status, dict)
    assert status["pending"] == 0

    whole = start(folder, tmp_path / "b")
    until(whole, "growth")
    assert whole.stdin is not None
    whole.stdin.write("pause\n")
    whole.stdin.flush()
    wait_until(at_rest(whole.pid))
    whole.stdin.write("resume\n")
    whole.stdin.flush()
    other = until(whole, "finished")[-1]["status"]
    assert whole.wait(60) == 0
    assert isinstance(other, dict)
    assert content(tmp_path / "b") == content(tmp_path / "a")
