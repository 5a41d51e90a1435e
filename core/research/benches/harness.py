"""Shared by all benches: arguments and figures, the table of benches, clocks, and folders for their files.

A bench is a function from `Arguments` to figures by name. `clew research bench NAME` and `packaging/benches` read
the same table; nothing heavy is imported until a bench runs.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from core.errors import BadInput, CoreError
from core.progress import TaskContext

PLACE_VARIABLE = "CLEW_BENCH_FOLDER"  # where a bench stores its data for the next run
_HOME = Path(__file__).resolve().parents[3]
_WINDOW = _HOME / "packaging" / "benches" / "bench_window.py"
_Item = TypeVar("_Item")
_Result = TypeVar("_Result")


@dataclass(frozen=True, slots=True)
class Figure:
    """`baseline` is what the value is compared with in the same run, `goal` in words."""

    value: float
    unit: str
    baseline: float | None = None
    goal: str = ""


Figures = dict[str, Figure]


@dataclass(frozen=True, slots=True)
class Arguments:
    """`dataset` is a folder or file, as the bench's help says; `sizes` are () for those that the bench is made for."""

    dataset: Path | None = None
    sizes: tuple[int, ...] = ()
    context: TaskContext = field(default_factory=TaskContext)


@dataclass(frozen=True, slots=True)
class Bench:
    """One bench: "module:function", what it measures, what DATASET is, and what its sizes count ("": it has none)."""

    where: str
    help: str
    data: str = ""
    needed: bool = False  # whether a DATASET is required
    sizes: str = ""
    window: bool = False  # measured in the window's own process, from `packaging/benches`


_SET = "a question set; without one the sample"
_ENGINE = "core.research.benches."
BENCHES: Mapping[str, Bench] = {
    "index": Bench(f"{_ENGINE}index:run", "indexing, beside bare encoding and bare spaCy", _SET),
    "ask": Bench(f"{_ENGINE}ask:run", "a question, in a warm process and from a cold start", _SET),
    "extraction": Bench(
        f"{_ENGINE}extraction:run",
        "how many gold facts the rules find",
        "a question set with gold triples, or a dev.json of Re-DocRED",
        needed=True,
    ),
    "resolution": Bench(
        f"{_ENGINE}resolution:run",
        "which names are one entity",
        "a question set of titled passages",
        needed=True,
    ),
    "tables": Bench(
        f"{_ENGINE}tables:run", "generated questions about registers", "a folder with CSV files", needed=True
    ),
    "recogniser": Bench(f"{_ENGINE}recogniser:run", "which questions are about all documents"),
    "ppr": Bench(f"{_ENGINE}ppr:run", "personalised PageRank, beside igraph", sizes="nodes"),
    "vectors": Bench(f"{_ENGINE}vectors:run", "vector indexes, beside exact search", sizes="vectors"),
    "communities": Bench(f"{_ENGINE}communities:run", "the hierarchy of communities", sizes="entities"),
    "kill": Bench(f"{_ENGINE}kill:run", "`clew` killed at random moments", _SET, sizes="kills"),
    "snapshot": Bench(f"{_ENGINE}snapshot:run", "the snapshot, its makers killed", _SET, sizes="kills"),
    "hostile": Bench(
        f"{_ENGINE}hostile:run", "files that mean harm", "a folder to make them of; the sample", sizes="files"
    ),
    "growth": Bench(
        f"{_ENGINE}growth:run", "seconds by the size of a file", sizes="characters read, extracted"
    ),
    "scale": Bench(
        f"{_ENGINE}scale:run",
        "bytes, seconds and memory by the size of a workspace",
        "a question set, to tell what quantising costs",
        sizes="passages",
    ),
    "startup": Bench("bench_window:startup", "the first painted window", sizes="starts", window=True),
    "fluid": Bench(
        "bench_window:fluid", "the window while a folder is indexed", sizes="passages", window=True
    ),
    "page": Bench("bench_page:page", "a page of a long PDF until it is seen", window=True),
    "canvas": Bench("bench_canvas:canvas", "large graphs, drawn and moved", sizes="entities", window=True),
    "window": Bench(
        "bench_open:window",
        "a large workspace, opened, searched and scrolled",
        "a workspace; one is made",
        window=True,
    ),
}


def run_bench(name: str, arguments: Arguments) -> Figures:
    """Run a bench of the table. Raises BadInput for arguments that it does not take, CoreError, Cancelled."""
    bench = BENCHES[name]
    if bench.needed and arguments.dataset is None:
        raise BadInput(f"The benchmark {name} needs {bench.data}.", "Name it.")
    if arguments.dataset is not None and not bench.data:
        raise BadInput(f"The benchmark {name} makes its own data.", "Leave DATASET out.")
    if arguments.sizes and not bench.sizes:
        raise BadInput(f"The benchmark {name} has one size.", "Leave --sizes out.")
    return _in_window(name, arguments) if bench.window else measure(name, arguments)


def measure(name: str, arguments: Arguments) -> Figures:
    """Run a bench in this process."""
    module, _, function = BENCHES[name].where.partition(":")
    found: Figures = getattr(importlib.import_module(module), function)(arguments)
    return found


def report(name: str, figures: Figures) -> dict[str, object]:
    """Return the object that `clew research bench NAME --json` promises."""
    return {"name": name, "figures": {label: asdict(figure) for label, figure in figures.items()}}


def parse_sizes(text: str) -> tuple[int, ...]:
    """Return the sizes in words like "300,1000", ascending; () for "". Raises BadInput for anything else."""
    try:
        sizes = {int(size) for size in text.split(",")} if text.strip() else set()
    except ValueError:
        sizes = {0}
    if sizes and min(sizes) < 1:
        raise BadInput(f"{text!r} are no sizes.", "Name numbers with commas between, such as 300,1000,3000.")
    return tuple(sorted(sizes))


def _in_window(name: str, arguments: Arguments) -> Figures:
    """Run a bench of the window in a process of its own: the engine does not know Qt."""
    if not _WINDOW.is_file():
        raise BadInput(f"{name} measures a checkout of Clew.", "Run it where its sources lie.")
    sizes = ",".join(map(str, arguments.sizes))
    dataset = [str(arguments.dataset)] if arguments.dataset is not None else []
    done = subprocess.run(
        [sys.executable, str(_WINDOW), name, sizes, *dataset], stdout=subprocess.PIPE, text=True, check=False
    )
    if done.returncode != 0 or not done.stdout.strip():
        raise CoreError(
            f"The benchmark {name} ended with code {done.returncode}.",
            "Read what it printed above; the window's libraries may be missing: clew doctor",
        )
    found = json.loads(done.stdout.strip().splitlines()[-1])
    return {label: Figure(**figure) for label, figure in found["figures"].items()}


# ------------------------------------------------------------ clocks


def timed(act: Callable[[], _Result]) -> tuple[_Result, float]:
    """Return the result of `act`, and its wall-clock seconds."""
    begin = time.perf_counter()
    found = act()
    return found, time.perf_counter() - begin


def timed_each(
    items: Iterable[_Item], act: Callable[[_Item], _Result], context: TaskContext | None = None
) -> tuple[list[_Result], list[float]]:
    """Return the results of `act` for each item, one after the other, and the seconds of each. Raises Cancelled."""
    results, seconds = list[_Result](), list[float]()
    for item in items:
        if context is not None:
            context.check()
        begin = time.perf_counter()
        results.append(act(item))
        seconds.append(time.perf_counter() - begin)
    return results, seconds


def quickest(act: Callable[[], _Result], times: int = 3) -> tuple[_Result, float]:
    """Return the result of `act`, and the seconds of the quickest of several calls: the others waited for
    something.
    """
    found, seconds = zip(*(timed(act) for _ in range(times)), strict=True)
    return found[-1], min(seconds)


# ------------------------------------------------------------ processes and files


def start_clew(*arguments: object, stdout: int = subprocess.DEVNULL) -> subprocess.Popen[str]:
    """Start a `clew` command in a process of its own, its errors unseen unless its output is read."""
    command = [sys.executable, "-m", "app", *map(str, arguments)]
    errors = subprocess.DEVNULL if stdout == subprocess.DEVNULL else None
    return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=stdout, stderr=errors, text=True)


def run_clew(*arguments: object) -> dict[str, Any]:
    """Run a `clew` command with --json and return what it prints. Raises CoreError where it fails."""
    command = [sys.executable, "-m", "app", *map(str, arguments), "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise CoreError(f"clew {' '.join(map(str, arguments))} failed.", done.stderr.strip())
    found = json.loads(done.stdout)
    assert isinstance(found, dict)
    return found


@contextlib.contextmanager
def bench_place() -> Iterator[Path]:
    """Return the folder that the user named, which stays; else a temporary one."""
    if named := os.environ.get(PLACE_VARIABLE):
        Path(named).mkdir(parents=True, exist_ok=True)
        yield Path(named)
        return
    with tempfile.TemporaryDirectory(prefix="clew-bench-") as place:
        yield Path(place)


def sample_folder() -> Path:
    """Return the sample that ships with Clew."""
    return _HOME / "resources" / "sample"
