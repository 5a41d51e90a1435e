"""Kills `clew` at random moments, repeatedly, and compares the final state with uninterrupted runs."""

from __future__ import annotations

import random
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from core.errors import CoreError
from core.progress import TaskContext
from core.research.benches.harness import Arguments, Figure, Figures, run_clew, sample_folder, start_clew
from core.research.datasets import read_dataset

KILLS = 200
FIRST = 15.0  # seconds from the start of a first indexing, so that more kills hit the writing of rows
SEED = 11
_ADDED_TEXT = "\n\nGwendolyn Ashworth met Barnaby Thistle in Riga. Barnaby Thistle owns Thistle Mills.\n"
Content = Mapping[str, str]  # digests by part


@dataclass(frozen=True, slots=True)
class _Job:
    """A command, the copy of the workspace that it starts from (None: it creates one), and the number of kills.

    The workspace is always at the same path: a copy or a new one at another path would be another workspace.
    """

    name: str
    command: Sequence[str]  # without the workspace
    begin: Path | None
    kills: int


@dataclass(slots=True)
class _Tally:
    """The results of the killed runs of one job."""

    kills: int = 0
    alive: int = 0  # kills that hit a process at work
    finished: int = 0
    differing: list[set[str]] = field(default_factory=list)  # differing parts of each completed workspace
    seconds: list[float] = field(default_factory=list)  # of uninterrupted runs
    uninterrupted: float = 0.0  # seconds of an uninterrupted run

    def figures(self, job: str) -> Figures:
        same = self.differing.count(set())
        parts = sorted(set().union(*self.differing))
        return {
            f"{job}: kills": Figure(self.kills, ""),
            f"{job}: kills that hit a process at work": Figure(self.alive, ""),
            f"{job}: workspaces taken to their end": Figure(self.finished, ""),
            f"{job}: equal to the uninterrupted one, what is derived too": Figure(
                same, "", self.finished, "all"
            ),
            **{
                f"{job}: other {part}": Figure(sum(part in one for one in self.differing), "", None, "none")
                for part in parts
            },
            f"{job}: uninterrupted run": Figure(self.uninterrupted, "s"),
            f"{job}: last run after kills, mean": Figure(sum(self.seconds) / max(1, len(self.seconds)), "s"),
        }


def run(arguments: Arguments) -> Figures:
    """Index the data set's passages as a folder of files, remove a document, change one: 200 kills in all.

    Each workspace is completed, compared and started over, so that kills hit every phase.
    """
    (kills, *_), context = arguments.sizes or (KILLS,), arguments.context
    with tempfile.TemporaryDirectory() as place:
        folder, workspace, reference = (Path(place) / name for name in ("folder", "workspace", "reference"))
        files = export(arguments.dataset, folder)
        index = ("index", str(folder), "--workspace")
        found = _killed(_Job("first indexing", index, None, kills // 2), workspace, reference, context)
        removed = files[len(files) // 2].relative_to(folder).as_posix()
        found |= _killed(
            _Job("removal", ("remove", removed), reference, kills // 4), workspace, None, context
        )
        with files[-1].open("a", encoding="utf-8") as changed:
            changed.write(_ADDED_TEXT)
        changed_job = _Job("changed file", index, reference, kills // 4)
        return found | _killed(changed_job, workspace, None, context)


def export(dataset: Path | None, folder: Path) -> list[Path]:
    """Write the passages of a question set as one Markdown file each, and return the plain-text files; by default
    the sample.
    """
    if dataset is None:
        shutil.copytree(sample_folder(), folder)
        return sorted(path for path in folder.rglob("*") if path.suffix in (".md", ".txt"))
    folder.mkdir(parents=True)
    files = []
    for number, passage in enumerate(read_dataset(dataset).passages):
        path = folder / f"{number // 500:03}" / f"{number:05}.md"
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"# {passage.title}\n\n{passage.text}\n", encoding="utf-8")
        files.append(path)
    return files


def _killed(job: _Job, workspace: Path, copy: Path | None, context: TaskContext) -> Figures:
    """Run the job once uninterrupted (its result is copied to `copy`), then kill it as often as it says."""
    moments = random.Random(SEED)
    tally = _Tally()
    expected, tally.uninterrupted = _timed(job, workspace, context)
    if copy is not None:
        shutil.copytree(workspace, copy)
    shutil.rmtree(workspace)
    if job.begin is None:
        workspace = workspace.with_name("killed")
    # Kills at the first rows, in the middle, and while derived data is computed.
    latest = tally.uninterrupted if job.begin else min(FIRST, tally.uninterrupted / 3)
    kills = max(1, job.kills)
    while tally.kills < kills or workspace.exists():
        context.report("kills", tally.kills, kills, job.name)
        done = tally.kills < kills and _kill_once(job, workspace, moments.uniform(0.3, latest), tally)
        if done or tally.kills >= kills:
            content, seconds = _timed(job, workspace, context)
            tally.differing.append({part for part in expected if content[part] != expected[part]})
            tally.seconds.append(seconds)
            tally.finished += 1
            shutil.rmtree(workspace)
    return tally.figures(job.name)


def _kill_once(job: _Job, workspace: Path, after: float, tally: _Tally) -> bool:
    """Start the job and kill it; return whether it had finished by then."""
    process = _start(job, workspace)
    try:
        process.wait(after)
    except subprocess.TimeoutExpired:
        tally.alive += 1
    process.send_signal(signal.SIGKILL)
    process.wait()
    tally.kills += 1
    return process.returncode == 0


def _timed(job: _Job, workspace: Path, context: TaskContext) -> tuple[Content, float]:
    """Return the content of the workspace after an uninterrupted run, and its seconds.

    Raises CoreError when anything is unsound.
    """
    begin = time.perf_counter()
    process = _start(job, workspace)
    while process.poll() is None:
        context.check()
        time.sleep(0.1)
    seconds = time.perf_counter() - begin
    if process.returncode:
        raise CoreError("A run failed.", f"Run it by hand: clew {' '.join(job.command)} {workspace}")
    status = run_clew("status", workspace)
    if status["pending"] or status["failed"]:
        raise CoreError("Something was left behind.", str(status))
    if not run_clew("verify", workspace)["ok"]:
        raise CoreError("The workspace is unsound.", f"See: clew verify {workspace}")
    assert isinstance(status["derived"], dict)
    return {"documents": str(status["digest"]), **status["derived"]}, seconds


def _start(job: _Job, workspace: Path) -> subprocess.Popen[str]:
    if job.begin is not None and not workspace.exists():
        shutil.copytree(job.begin, workspace)
    verb, *rest = job.command
    arguments = [verb, str(workspace), *rest] if verb == "remove" else [verb, *rest, str(workspace)]
    return start_clew(*arguments, "--json")
