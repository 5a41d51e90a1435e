"""A backup made while another process indexes: it opens, answers, and goes on to the same end."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from core.answering.models import Models
from core.progress import TaskContext
from core.workspace import Workspace

pytestmark = pytest.mark.long

SAMPLE = Path(__file__).resolve().parents[2] / "resources" / "sample"


def clew(*words: str) -> dict[str, object]:
    found = subprocess.run(
        [sys.executable, "-m", "app", *words, "--json"], capture_output=True, text=True, check=True
    )
    return dict(json.loads(found.stdout))


def digest(place: Path) -> str:
    opened = Workspace.open(place, read_only=True)
    try:
        return opened.status().digest
    finally:
        opened.close()


def test_copies_taken_while_indexing_end_like_an_undisturbed_run(tmp_path: Path, models: Models) -> None:
    folder = tmp_path / "papers"
    for part in ("investigation", "ships"):  # enough for several batches
        shutil.copytree(SAMPLE / part, folder / part)
    shutil.copy(SAMPLE / "press/2021-11-09 Arrest at the airport.html", folder)
    status: dict[str, object] = {}
    copies: list[dict[str, object]] = []
    with subprocess.Popen(
        [sys.executable, "-m", "app", "index", str(folder), "--workspace", str(tmp_path / "a"), "--events"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as indexing:
        assert indexing.stdin is not None and indexing.stdout is not None
        for line in indexing.stdout:
            event = json.loads(line)
            if event["event"] == "growth" and len(copies) < 2:
                print(
                    "pause", file=indexing.stdin, flush=True
                )  # a busy machine could be done before the copy is
                copies.append(clew("backup", str(tmp_path / "a"), str(tmp_path / f"copy {len(copies)}")))
                print("resume", file=indexing.stdin, flush=True)
            elif event["event"] == "finished":
                status = event["status"]
        assert indexing.wait(60) == 0
    whole = digest(tmp_path / "a")
    assert status["pending"] == 0
    assert len(copies) == 2
    assert any(copy["pending"] for copy in copies)  # taken in the middle, or this proves nothing
    for number, copy in enumerate(copies):
        place = tmp_path / f"copy {number}"
        assert digest(place) == copy["digest"]
        Workspace.trust(place)
        opened = Workspace.open(place, models=models)
        assert opened.index(folder, TaskContext()).pending == 0
        assert "Funchal" in opened.ask("Where was Tobias Renwick arrested?", TaskContext()).text
        opened.close()
        assert digest(place) == whole
