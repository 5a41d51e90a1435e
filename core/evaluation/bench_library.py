"""A large library: does indexing stay quick as it grows, and what does one changed file cost?"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

from core.errors import BadInput, CoreError
from core.evaluation.datasets import read_dataset
from core.evaluation.figures import Figure
from core.progress import TaskContext
from core.types import Passage

SIZE_VARIABLE = "CLEW_BENCH_PASSAGES"  # for trying the benchmark itself; the figures are those of SIZE
SIZE = 100_000
A_FILE = 10  # passages
SYLLABLES = ("an", "or", "el", "is", "um", "ar", "en", "ov", "ia", "ek", "us", "il")
NAME = re.compile(r"\b[A-Z][a-z]{3,}\b")


def run(dataset: Path | None, context: TaskContext) -> dict[str, Figure]:
    """Index SIZE passages, made by repeating the data set's under other names, as files of ten; then change one."""
    if dataset is None:
        raise BadInput("This benchmark needs a question set whose passages it repeats.", "Name its folder.")
    size = int(os.environ.get(SIZE_VARIABLE, SIZE))
    with tempfile.TemporaryDirectory() as place:
        folder, workspace = Path(place) / "folder", Path(place) / "workspace"
        files = write_library(dataset, size, folder)
        done, peak = _index(folder, workspace, context)
        again = _timed(folder, workspace, context)
        files[len(files) // 2].write_text(
            "# A changed file\n\nAda Lovelace met Charles Babbage in London on 5 June 1833.\n",
            encoding="utf-8",
        )
        changed = _timed(folder, workspace, context)
        files[0].unlink()
        deleted = _timed(folder, workspace, context)
        bytes_ = sum(path.stat().st_size for path in workspace.rglob("*") if path.is_file())
    start, end = _speed(done, 0.02, 0.12), _speed(done, 0.9, 1.0)
    return {
        "passages": Figure(size, ""),
        "speed at the end / at the start": Figure(end / start, "", None, "at least 0.8"),
        "passages a second at the start": Figure(start, "/s"),
        "passages a second at the end": Figure(end, "/s"),
        "whole index": Figure(done[-1][0], "s"),
        "of it after the last passage": Figure(done[-1][0] - done[-2][0], "s"),
        "peak memory, all processes": Figure(peak / 1e6, "MB"),
        "workspace": Figure(bytes_ / 1e6, "MB"),
        "nothing changed": Figure(again, "s", None, "2 s at 3,000 passages"),
        "one file changed": Figure(changed, "s", None, "under 5 s"),
        "one file deleted": Figure(deleted, "s"),
    }


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


def _index(folder: Path, workspace: Path, context: TaskContext) -> tuple[list[tuple[float, int]], int]:
    """(seconds, passages done) as it went on, the last at the end of all; peak bytes of all processes."""
    begin = time.perf_counter()
    process = _start(folder, workspace, "--events")
    peak = _Peak(process.pid)
    done: list[tuple[float, int]] = []
    assert process.stdout is not None
    for line in process.stdout:
        event = json.loads(line)
        if event["event"] == "progress" and event.get("stage") == "index":
            context.report("index", int(event["done"]), int(event["total"]))
            if not done or done[-1][1] != int(event["done"]):
                done.append((time.perf_counter() - begin, int(event["done"])))
    _ended(process)
    return [*done, (time.perf_counter() - begin, done[-1][1])], peak.bytes()


def _speed(done: list[tuple[float, int]], first: float, last: float) -> float:
    """Passages a second between two shares of the whole."""
    total = done[-1][1]
    inside = [(seconds, count) for seconds, count in done[:-1] if first * total <= count <= last * total]
    return (inside[-1][1] - inside[0][1]) / max(1e-9, inside[-1][0] - inside[0][0])


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
    """The greatest memory that a process and its children held together, looked at twice a second."""

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._bytes = 0
        threading.Thread(target=self._follow, daemon=True).start()

    def bytes(self) -> int:
        return self._bytes

    def _follow(self) -> None:
        while Path(f"/proc/{self._pid}").exists():
            self._bytes = max(self._bytes, sum(_private(pid) for pid in [self._pid, *_children(self._pid)]))
            time.sleep(0.5)


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
