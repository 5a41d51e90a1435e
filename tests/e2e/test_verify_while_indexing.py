"""Every rule holds at every moment: beside a running process, after a kill, after changes to the folder."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from core.progress import TaskContext
from core.types import Check
from core.workspace import Workspace

pytestmark = pytest.mark.long

SAMPLE = Path(__file__).resolve().parents[2] / "resources" / "sample"


def start(folder: Path, workspace: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "app", "index", str(folder), "--workspace", str(workspace), "--events"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def faults(workspace: Path) -> tuple[list[str], str]:
    """What breaks a rule, and whether indexing is finished."""
    opened = Workspace.open(workspace, read_only=True)
    try:
        checks: list[Check] = opened.verify(TaskContext())
    finally:
        opened.close()
    (now,) = (check.detail for check in checks if check.name == "indexing")
    return [f"{check.name}: {check.detail}" for check in checks if not check.ok], now


def follow(folder: Path, workspace: Path, kill_after: int = 0) -> int:
    """Index and look at the workspace at every batch; how often it was looked at. Kills it on demand."""
    process = start(folder, workspace)
    assert process.stdout is not None
    looked = 0
    for line in process.stdout:
        event = json.loads(line)["event"]
        if event in ("growth", "document"):
            looked += 1
            assert faults(workspace)[0] == []
        if kill_after and looked >= kill_after:
            process.send_signal(signal.SIGKILL)
            break
    process.communicate()
    assert process.returncode == (-signal.SIGKILL if kill_after else 0)
    return looked


def test_the_rules_hold_while_indexing_after_a_kill_and_after_changes(tmp_path: Path) -> None:
    folder, workspace = tmp_path / "papers", tmp_path / "workspace"
    shutil.copytree(SAMPLE / "press", folder)
    assert follow(folder, workspace, kill_after=2) == 2
    killed, now = faults(workspace)
    assert killed == []
    assert "not finished" in now
    assert follow(folder, workspace) > 1
    assert faults(workspace) == ([], "finished")

    first, second, third = sorted(
        path for path in folder.iterdir() if path.suffix in (".html", ".txt", ".md")
    )[:3]
    first.rename(folder / f"renamed {first.name}")
    second.unlink()
    third.write_text(third.read_text(encoding="utf-8").replace("the", "this", 3), encoding="utf-8")
    shutil.copy(SAMPLE / "ships" / "port-calls.csv", folder / "calls.csv")
    follow(folder, workspace)
    assert faults(workspace) == ([], "finished")
