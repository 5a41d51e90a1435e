"""A large library: does indexing stay quick as it grows, and what does one changed file cost?"""

from __future__ import annotations

import contextlib
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from core.errors import BadInput, CoreError
from core.progress import TaskContext
from core.research.benches.figures import Figure
from core.research.datasets import read_dataset
from core.types import Passage

SIZE_VARIABLE = "CLEW_BENCH_PASSAGES"  # for trying the benchmark itself; the figures are those of SIZE
PLACE_VARIABLE = "CLEW_BENCH_FOLDER"  # where it is kept; a benchmark that was interrupted goes on from there
TIMES = "times.jsonl"  # one line a report: number of the run, and what `Run` holds
SIZE = 100_000
A_FILE = 10  # passages
SYLLABLES = ("an", "or", "el", "is", "um", "ar", "en", "ov", "ia", "ek", "us", "il")
CHANGED = "Ada Lovelace met Charles Babbage in London on 5 June 1833. They met"
Run = list[tuple[float, int, float]]  # seconds since the run began, passages done, processor seconds
NAME = re.compile(r"\b[A-Z][a-z]{3,}\b")


def run(dataset: Path | None, context: TaskContext) -> dict[str, Figure]:
    """Index SIZE passages, made by repeating the data set's under other names, as files of ten; then change one."""
    if dataset is None:
        raise BadInput("This benchmark needs a question set whose passages it repeats.", "Name its folder.")
    size = int(os.environ.get(SIZE_VARIABLE, SIZE))
    with bench_place() as place:
        folder, workspace = place / "folder", place / "workspace"
        files = write_library(dataset, size, folder)
        runs, peak = _index(folder, workspace, place / TIMES, context)
        again = _timed(folder, workspace, context)
        changed_file = files[len(files) // 2]
        changed_file.write_text(f"# A changed file\n\n{CHANGED} {len(runs)} times.\n", encoding="utf-8")
        changed = _timed(folder, workspace, context)
        files[0].unlink()
        deleted = _timed(folder, workspace, context)
        bytes_ = sum(path.stat().st_size for path in workspace.rglob("*") if path.is_file())
    start, work_at_start = _speed(runs, 0.02, 0.12)
    end, work_at_end = _speed(runs, 0.9, 1.0)
    last = runs[-1]
    return {
        "passages": Figure(size, ""),
        "speed at the end / at the start": Figure(end / start, "", None, "at least 0.8"),
        "processor time of a passage at the start / at the end": Figure(work_at_start / work_at_end, ""),
        "passages a second at the start": Figure(start, "/s"),
        "passages a second at the end": Figure(end, "/s"),
        "whole index": Figure(sum(run[-1][0] for run in runs), "s"),
        "of it after the last passage": Figure(last[-1][0] - (last[-2][0] if len(last) > 1 else 0), "s"),
        "times it was interrupted": Figure(len(runs) - 1, ""),
        "peak memory, all processes": Figure(peak / 1e6, "MB"),
        "workspace": Figure(bytes_ / 1e6, "MB"),
        "nothing changed": Figure(again, "s", None, "2 s at 3,000 passages"),
        "one file changed": Figure(changed, "s", None, "under 5 s"),
        "one file deleted": Figure(deleted, "s"),
    }


@contextlib.contextmanager
def bench_place() -> Iterator[Path]:
    """The folder that the person named, which is kept; else one that goes away."""
    if named := os.environ.get(PLACE_VARIABLE):
        Path(named).mkdir(parents=True, exist_ok=True)
        yield Path(named)
        return
    with tempfile.TemporaryDirectory() as place:
        yield Path(place)


def write_library(dataset: Path, size: int, folder: Path) -> list[Path]:
    """`size` passages in Markdown files of ten; the first copy as it is, the others under other names."""
    passages = read_dataset(dataset).passages
    written: list[Path] = []
    texts: list[str] = []
    for number in range(size):
        title, text = varied(passages[number % len(passages)], number // len(passages))
        texts.append(f"## {title}\n\n{text}\n")
        if len(texts) == A_FILE or number == size - 1:
            path = folder / f"{len(written) // 200:03}" / f"{len(written):05}.md"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"# Volume {len(written)}\n\n" + "\n".join(texts), encoding="utf-8")
            written.append(path)
            texts = []
    return written


def varied(passage: Passage, copy: int) -> tuple[str, str]:
    """Title and text; in a further copy every name is another, the same one throughout the copy."""
    if not copy:
        return passage.title, passage.text
    ending = SYLLABLES[copy % len(SYLLABLES)] + SYLLABLES[copy // len(SYLLABLES) % len(SYLLABLES)]

    def other(match: re.Match[str]) -> str:
        return match.group()[:-1] + ending

    # The first word of a sentence may be no name, but what is done to all copies alike changes no speed.
    return NAME.sub(other, passage.title), NAME.sub(other, passage.text)


def _index(folder: Path, workspace: Path, times: Path, context: TaskContext) -> tuple[list[Run], int]:
    """Each run's (seconds, passages done) as it went on, the last at its end; peak bytes of all processes."""
    runs = _before(times)
    behind = runs[-1][-1][1] if runs else 0
    begin = time.perf_counter()
    process = _start(folder, workspace, "--events")
    peak = _Peak(process.pid)
    done: Run = []
    assert process.stdout is not None
    with times.open("a", encoding="utf-8") as log_file:
        for line in process.stdout:
            event = json.loads(line)
            if event["event"] == "progress" and event.get("stage") == "index":
                # A run that goes on counts what is left.
                count, total = int(event["done"]) + behind, int(event["total"]) + behind
                context.report("index", count, total)
                if not done or done[-1][1] != count:
                    done.append((time.perf_counter() - begin, count, peak.processor_seconds()))
                    log_file.write(json.dumps([len(runs), *done[-1]]) + "\n")
                    log_file.flush()
    _ended(process)
    end = (time.perf_counter() - begin, done[-1][1] if done else behind, done[-1][2] if done else 0.0)
    return [*runs, [*done, end]], peak.bytes()


def _before(times: Path) -> list[Run]:
    """The runs before this one."""
    runs: dict[int, Run] = {}
    lines = times.read_text(encoding="utf-8").splitlines() if times.exists() else []
    for line in lines:
        run, seconds, count, work = json.loads(line)
        runs.setdefault(int(run), []).append((float(seconds), int(count), float(work)))
    return [runs[run] for run in sorted(runs)]


def _speed(runs: Sequence[Run], first: float, last: float) -> tuple[float, float]:
    """Passages a second, and processor seconds a passage, between two shares of the whole.

    The pause between two runs does not count.
    """
    total = runs[-1][-1][1]
    seconds = work = passages = 0.0
    for run in runs:
        reports = run[:-1] if run is runs[-1] else run  # the last one is of the end, not of a passage
        inside = [report for report in reports if first * total <= report[1] <= last * total]
        if len(inside) > 1:
            seconds += inside[-1][0] - inside[0][0]
            passages += inside[-1][1] - inside[0][1]
            work += inside[-1][2] - inside[0][2]
    return passages / max(1e-9, seconds), work / max(1.0, passages)


def _timed(folder: Path, workspace: Path, context: TaskContext) -> float:
    context.report("again", 0, 0)
    begin = time.perf_counter()
    process = _start(folder, workspace, "--json")
    process.communicate()
    _ended(process)
    return time.perf_counter() - begin


def _start(folder: Path, workspace: Path, form: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "app", "index", str(folder), "--workspace", str(workspace), form]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def _ended(process: subprocess.Popen[str]) -> None:
    if process.wait():
        raise CoreError("Indexing failed.", "Read what it printed above.")


class _Peak:
    """What a process and its children take: memory, looked at twice a second, and processor time."""

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._bytes = 0
        self._work: dict[int, float] = {}
        threading.Thread(target=self._follow, daemon=True).start()

    def bytes(self) -> int:
        return self._bytes

    def processor_seconds(self) -> float:
        """Of the process and its children, those that ended included as last seen."""
        for pid in [self._pid, *_children(self._pid)]:
            self._work[pid] = max(self._work.get(pid, 0.0), _worked(pid))
        return sum(self._work.values())

    def _follow(self) -> None:
        while Path(f"/proc/{self._pid}").exists():
            self._bytes = max(self._bytes, sum(_private(pid) for pid in [self._pid, *_children(self._pid)]))
            time.sleep(0.5)


def _worked(pid: int) -> float:
    """Processor seconds of a process."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _private(pid: int) -> int:
    """Resident bytes of a process, what it shares with others left out."""
    try:
        pages, shared = Path(f"/proc/{pid}/statm").read_text().split()[1:3]
    except (OSError, ValueError):
        return 0
    return (int(pages) - int(shared)) * 4096


def _children(pid: int) -> Iterator[int]:
    try:
        found = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        return
    for child in map(int, found):
        yield child
        yield from _children(child)
