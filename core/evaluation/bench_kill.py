"""Kills an indexing process at random moments, over and over, and holds what it ends with against a whole run."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

from core.errors import CoreError
from core.evaluation.bench_index import sample_folder
from core.evaluation.datasets import read_dataset
from core.evaluation.figures import Figure
from core.progress import TaskContext

KILLS = 200
KILLS_VARIABLE = "CLEW_BENCH_KILLS"  # for trying the benchmark itself; the figures are those of KILLS
LATEST = 15.0  # seconds after the start: the more kills fall while rows are written
SEED = 11


@dataclass(slots=True)
class _Tally:
    """What the killed runs came to."""

    kills: int = 0
    alive: int = 0  # kills that hit a process at work
    finished: int = 0
    same: int = 0
    seconds: list[float] = field(default_factory=list)  # of runs that were let end


def run(dataset: Path | None, context: TaskContext) -> dict[str, Figure]:
    """Index the data set's passages as a folder of files; 200 kills, each workspace taken to its end.

    A workspace that is finished is compared and begun anew, so that kills fall on every phase.
    """
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "folder"
        export(dataset, folder)
        begin = time.perf_counter()
        whole = _finished(folder, Path(place) / "whole", context)
        length = time.perf_counter() - begin
        tally = _killed(folder, Path(place) / "killed", whole, length, context)
    return {
        "kills": Figure(tally.kills, "", None, str(KILLS)),
        "kills that hit a process at work": Figure(tally.alive, ""),
        "workspaces taken to their end": Figure(tally.finished, ""),
        "workspaces equal to the uninterrupted one": Figure(tally.same, "", tally.finished, "all"),
        "uninterrupted run": Figure(length, "s"),
        "last run after kills, mean": Figure(sum(tally.seconds) / max(1, len(tally.seconds)), "s"),
    }


def export(dataset: Path | None, folder: Path) -> None:
    """The passages of a question set as one Markdown file each; without one, the sample."""
    if dataset is None:
        shutil.copytree(sample_folder(), folder)
        return
    folder.mkdir(parents=True)
    for number, passage in enumerate(read_dataset(dataset).passages):
        path = folder / f"{number // 500:03}" / f"{number:05}.md"
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"# {passage.title}\n\n{passage.text}\n", encoding="utf-8")


def _killed(folder: Path, workspace: Path, whole: str, length: float, context: TaskContext) -> _Tally:
    moments = random.Random(SEED)
    tally = _Tally()
    kills = int(os.environ.get(KILLS_VARIABLE, KILLS))
    latest = min(LATEST, length / 3)
    while tally.kills < kills or workspace.exists():
        context.report("kills", tally.kills, kills)
        # Some kills while the first rows are written, some in the middle, some while the end is derived.
        done = tally.kills < kills and _kill_once(folder, workspace, moments.uniform(0.3, latest), tally)
        if done or tally.kills >= kills:
            begin = time.perf_counter()
            tally.same += _finished(folder, workspace, context) == whole
            tally.seconds.append(time.perf_counter() - begin)
            tally.finished += 1
            shutil.rmtree(workspace)
    return tally


def _kill_once(folder: Path, workspace: Path, after: float, tally: _Tally) -> bool:
    """Start indexing and kill it; whether it had finished by then."""
    process = _start(folder, workspace)
    try:
        process.wait(after)
    except subprocess.TimeoutExpired:
        tally.alive += 1
    process.send_signal(signal.SIGKILL)
    process.wait()
    tally.kills += 1
    return process.returncode == 0


def _finished(folder: Path, workspace: Path, context: TaskContext) -> str:
    """Digest of the workspace after an uninterrupted run. Raises CoreError when there is anything unsound."""
    process = _start(folder, workspace)
    while process.poll() is None:
        context.check()
        time.sleep(0.1)
    if process.returncode:
        raise CoreError("Indexing failed.", f"Run it by hand: clew index {folder} --workspace {workspace}")
    status = _told("status", str(workspace))
    if status["pending"] or status["failed"]:
        raise CoreError("Some passages were left behind.", str(status))
    if not _told("verify", str(workspace))["ok"]:
        raise CoreError("The workspace is unsound.", f"See: clew verify {workspace}")
    return str(status["digest"])


def _start(folder: Path, workspace: Path) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "app", "index", str(folder), "--workspace", str(workspace), "--json"]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def _told(*arguments: str) -> dict[str, object]:
    done = subprocess.run(
        [sys.executable, "-m", "app", *arguments, "--json"], capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise CoreError(f"clew {' '.join(arguments)} failed.", done.stderr.strip())
    found = json.loads(done.stdout)
    assert isinstance(found, dict)
    return found
