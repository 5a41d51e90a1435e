"""Indexes a folder of malicious files as a user would, and reports the damage."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

from core.config import ReadingConfig
from core.ingest.scan import scan
from core.progress import TaskContext
from core.research.benches.harness import Arguments, Figure, Figures, sample_folder, start_clew
from core.research.synthetic.damaged_files import make_folder

FILES = 500
SEED = 4
SLACK = 1.25  # multiples of its time limit after which a file counts as hanging
POLL_SECONDS = 0.05


@dataclass(slots=True)
class _Watched:
    """Observations of the indexing process from outside."""

    memory: int = 0  # peak resident bytes of the process and its children together
    reading: int = 0  # the same for the reading child process
    longest: float = 0.0  # longest seconds without progress while files are read
    reasons: dict[str, str] = field(default_factory=dict)  # by path; "" for a refusal without a reason
    read: set[str] = field(default_factory=set)  # paths of documents
    finished: bool = False
    in_reading: bool = False  # now


def run(arguments: Arguments) -> Figures:
    """Generate the folder (from the dataset, else from the sample), index it in a process of its own, and watch it."""
    sample, context = arguments.dataset or sample_folder(), arguments.context
    files = arguments.sizes[0] if arguments.sizes else FILES
    with tempfile.TemporaryDirectory() as place:
        folder, workspace = Path(place) / "hostile", Path(place) / "workspace"
        folder.mkdir()
        context.report("make the files", 0, files)
        file_count = make_folder(folder, sample, files, SEED)
        begin = time.monotonic()
        watched, code = watch_index(folder, workspace, context)
        seconds = time.monotonic() - begin
        unnamed = _unnamed(folder, watched, context)
    limit = SLACK * ReadingConfig().max_seconds
    silent = sum(1 for reason in watched.reasons.values() if not reason)
    return {
        "files": Figure(file_count, ""),
        "crashes": Figure(int(code != 0 or not watched.finished), "", None, "0"),
        "hangs": Figure(int(watched.longest > limit), "", None, "0"),
        "files without a reason": Figure(silent + unnamed, "", None, "0"),
        "longest time of one file": Figure(watched.longest, "s", None, f"<= {limit:.0f}"),
        "peak memory, all processes": Figure(watched.memory / 1e6, "MB"),
        "peak memory, reading process": Figure(watched.reading / 1e6, "MB", None, "<= 2,500"),
        "seconds": Figure(seconds, "s"),
        "documents read": Figure(len(watched.read), ""),
        "documents refused with a reason": Figure(len(watched.reasons) - silent, ""),
    }


def _unnamed(folder: Path, watched: _Watched, context: TaskContext) -> int:
    """Return the number of files that were neither read nor refused, wholly or in part."""
    named: set[str] = set()
    for path in watched.read | watched.reasons.keys():
        steps = path.split("/")
        named.update("/".join(steps[:end]) for end in range(1, len(steps) + 1))
    return sum(1 for file in scan(folder, context) if file.relative not in named)


def watch_index(folder: Path, workspace: Path, context: TaskContext) -> tuple[_Watched, int]:
    """Run `clew index` over the folder; return the observations and its exit code."""
    watched = _Watched()
    with start_clew("index", folder, "-w", workspace, "--events", stdout=subprocess.PIPE) as process:
        sampler = threading.Thread(target=_sample, args=(process, watched), daemon=True)
        sampler.start()
        assert process.stdout is not None
        last = time.monotonic()
        for line in process.stdout:
            now = time.monotonic()
            event = json.loads(line)
            stage = event.get("stage", "")
            if watched.in_reading:
                watched.longest = max(watched.longest, now - last)
            watched.in_reading = event["event"] == "document" or stage in {"scan", "compare", "read"}
            last = now
            _note(event, watched)
            context.report("index", len(watched.read) + len(watched.reasons), 0, event.get("path", ""))
        code = process.wait()
        sampler.join()
    return watched, code


def _note(event: dict[str, str], watched: _Watched) -> None:
    if event["event"] == "finished":
        watched.finished = True
    elif event["event"] == "document" and event["state"] == "failed":
        watched.reasons[event["path"]] = event["reason"] if event["remedy"] else ""
    elif event["event"] == "document" and event["state"] == "pending":
        watched.read.add(event["path"])


def _sample(process: subprocess.Popen[str], watched: _Watched) -> None:
    """Sample the memory of the process and its descendants until it ends, where /proc reports it."""
    while process.poll() is None:
        sizes = {pid: _resident(pid) for pid in _tree(process.pid)}
        watched.memory = max(watched.memory, sum(sizes.values()))
        if watched.in_reading:
            watched.reading = max([watched.reading, *(sizes[pid] for pid in sizes if pid != process.pid)])
        time.sleep(POLL_SECONDS)


def _tree(root: int) -> list[int]:
    """Return the process and its descendants."""
    found = [root]
    for pid in found:
        try:
            for task in Path(f"/proc/{pid}/task").iterdir():
                found += [int(child) for child in (task / "children").read_text().split()]
        except OSError:
            continue
    return found


def _resident(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, IndexError, ValueError):
        return 0
