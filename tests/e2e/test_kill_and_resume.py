"""A process that is killed while it indexes loses nothing that was committed."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

from core.workspace import Workspace

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
    workers = _children(killed.pid)
    assert workers
    killed.send_signal(signal.SIGKILL)
    killed.wait(30)
    assert alive_after(15, workers) == [], "a worker outlived its killed parent"

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
    time.sleep(0.5)
    whole.stdin.write("resume\n")
    whole.stdin.flush()
    other = until(whole, "finished")[-1]["status"]
    assert whole.wait(60) == 0
    assert isinstance(other, dict)
    assert content(tmp_path / "b") == content(tmp_path / "a")


def alive_after(seconds: float, processes: list[int]) -> list[int]:
    """Those of them that have not ended by then."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline and any(_alive(process) for process in processes):
        time.sleep(0.05)
    return [process for process in processes if _alive(process)]


def _children(parent: int) -> list[int]:
    found = []
    for place in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = place.read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue
        if int(fields[1]) == parent:
            found.append(int(place.parent.name))
    return found


def _alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False
