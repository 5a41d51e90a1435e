"""Growth of bytes, seconds and memory with the number of passages: `clew research bench scale`.

Generated workspaces of several sizes are asked and changed, each part in a process of its own. Above the largest
workspace, only the arrays that grow most are generated. See `docs/research/scale.md`.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from core.errors import BadInput
from core.lab.metrics import percentile
from core.progress import TaskContext
from core.research.benches import scale_arrays
from core.research.benches.harness import Arguments, Figure, Figures, bench_place
from core.research.benches.scale_arrays import BuildCost, QueryCost
from core.research.benches.scale_workspace import (
    ask_from_start,
    ask_many,
    disk_usage,
    find_changes,
    make_snapshot,
    measure_recall,
)
from core.research.benches.separate_process import Apart, apart
from core.research.benches.vectors import compare_with_exact
from core.research.synthetic.library import generate_questions, make_library

SIZES = (10_000, 100_000, 1_000_000, 10_000_000)
LEAST = 100  # passages
LARGEST_WORKSPACE = 2_000_000  # passages; above this only the arrays are generated
QUESTIONS = 40
STARTS = 5
CHANGES = 3  # of one file
QUERIES = 100  # queries to measure the recall
BEYOND = 100_000_000  # passages for which the laws are extrapolated

_MB, _MS = 1e-6, 1e3
# Goals by number of passages.
_GOALS: dict[str, dict[int, str]] = {
    "process start to first answer, median": {100_000: "under 3 s", 1_000_000: "under 5 s"},
    "next questions, median": {100_000: "at most 120 ms", 1_000_000: "at most 180 ms"},
    "next questions, 95th percentile": {100_000: "at most 250 ms", 1_000_000: "at most 400 ms"},
    "memory of a process that asks, peak": {100_000: "under 1,200 MB", 1_000_000: "under 3,000 MB"},
    "changed file until it is found, median": {100_000: "under 3 s", 1_000_000: "under 5 s"},
    "snapshot / vectors as float32": {100_000: "under 0.5", 1_000_000: "under 0.5"},
}
Numbers = NDArray[np.float64]

_FORMS: dict[str, Callable[[Numbers], Numbers]] = {
    "constant": np.zeros_like,
    "logarithm": np.log2,
    "root": np.sqrt,
    "linear": lambda sizes: sizes,
}
_FEWEST = 3  # sizes that a law needs
_AS_GOOD = 0.02  # relative error by which a faster growing law must be better
_NO_LAW = ("", "quality")  # units that are not costs


@dataclass(frozen=True, slots=True)
class Law:
    """`fixed` + `slope` times constant, logarithm, root or linear.

    `error` is the root mean square of the relative errors at the measured sizes. `exponent` is the slope of the
    line through the logarithms of sizes and values.
    """

    name: str
    exponent: float
    fixed: float
    slope: float
    error: float

    def at(self, size: float) -> float:
        """Return the value for another size; outside the measured range it is an extrapolation."""
        return self.fixed + self.slope * float(_FORMS[self.name](np.array([float(size)]))[0])


def law_of(sizes: Sequence[float], values: Sequence[float]) -> Law | None:
    """Return the law with the smallest relative error; of equally good fits, the one that grows slowest.

    None for fewer than three sizes, or a value that is not above zero.
    """
    n, measured = np.array(sizes, float), np.array(values, float)
    if len(n) < _FEWEST or (measured <= 0).any():
        return None
    exponent = float(np.polyfit(np.log(n), np.log(measured), 1)[0])
    found: Law | None = None
    for name, form in _FORMS.items():
        fixed, slope = _fitted(form(n), measured)
        error = float(np.sqrt(np.mean(((fixed + slope * form(n)) / measured - 1.0) ** 2)))
        if found is None or error < found.error - _AS_GOOD:
            found = Law(name, exponent, fixed, slope, error)
    return found


def _fitted(shape: Numbers, values: Numbers) -> tuple[float, float]:
    """Fit by least squares of the relative errors; neither coefficient is negative."""
    # Relative errors, or only the largest size would count.
    columns = np.stack([1.0 / values, shape / values], axis=1)
    wanted = np.ones(len(values))
    if not shape.any():
        return float(columns[:, 0] @ wanted / (columns[:, 0] @ columns[:, 0])), 0.0
    (fixed, slope), *_ = np.linalg.lstsq(columns, wanted, rcond=None)
    if slope < 0:
        return float(columns[:, 0] @ wanted / (columns[:, 0] @ columns[:, 0])), 0.0
    if fixed < 0:
        return 0.0, float(columns[:, 1] @ wanted / (columns[:, 1] @ columns[:, 1]))
    return float(fixed), float(slope)


@dataclass(frozen=True, slots=True)
class _Part:
    unit: str
    by_size: dict[int, Figure] = field(default_factory=dict)


class _Table:
    """Figures by part and size, in the order of the first measurement of each part."""

    def __init__(self) -> None:
        self._parts: dict[str, _Part] = {}

    def put(self, size: int, part: str, value: float, unit: str, baseline: float | None = None) -> None:
        goal = _GOALS.get(part, {}).get(size, "")
        self._parts.setdefault(part, _Part(unit)).by_size[size] = Figure(value, unit, baseline, goal)

    def figures(self) -> Figures:
        """Return a row for each part and size, and below each cost measured at three sizes or more its law."""
        found = Figures()
        for name, part in self._parts.items():
            found |= {f"{name}, {size:,} passages": figure for size, figure in part.by_size.items()}
            law = law_of(list(part.by_size), [figure.value for figure in part.by_size.values()])
            if law is not None and part.unit not in _NO_LAW:
                beyond = f"extrapolated to {BEYOND:,}: {law.at(BEYOND):,.3g} {part.unit}"
                words = f"{law.name}, within {law.error:.0%}; {beyond}"
                found[f"{name}, law"] = Figure(law.exponent, "exponent", None, words)
        return found


def run(arguments: Arguments) -> Figures:
    """Measure at each size. The data set, if any, shows the loss of quality by quantising on real questions.

    Generated data stays if the user named a folder by CLEW_BENCH_FOLDER. Raises BadInput for invalid sizes,
    CoreError where a part fails, Cancelled.
    """
    sizes, dataset, context = arguments.sizes or SIZES, arguments.dataset, arguments.context
    if min(sizes) < LEAST:
        raise BadInput(f"A size is {LEAST} passages or more.", "Write 10000,100000")
    table, figures = _Table(), Figures()
    with bench_place() as place:
        if dataset is not None:
            figures = _quality(dataset, context)
        for at, size in enumerate(sizes):
            report = partial(context.report, "sizes", at, len(sizes))
            if size <= LARGEST_WORKSPACE:
                _workspace(place, size, table, context, lambda words: report(words))  # noqa: B023  called in this round
            report(f"{size:,} passages: arrays alone")
            _arrays(place / f"arrays-{size}", size, table, context)
    return figures | table.figures()


def _quality(dataset: Path, context: TaskContext) -> Figures:
    context.report("quality", 0, 1, dataset.name)
    lost = apart(context, compare_with_exact, dataset).result
    context.report("quality", 1, 1)
    goal = "at most 0.003 below"
    return {
        f"{dataset.name}: recall@10 of passages by vectors, quantised": Figure(lost.passages, "", 1.0),
        f"{dataset.name}: recall@3 of sentences by vectors, quantised": Figure(lost.sentences, "", 1.0),
        f"{dataset.name}: recall@5 of the ranking": Figure(lost.ranked, "", lost.ranked_exactly, goal),
    }


def _workspace(
    place: Path, size: int, table: _Table, context: TaskContext, report: Callable[[str], None]
) -> None:
    put = partial(table.put, size)
    workspace = place / f"workspace-{size}"
    report(f"{size:,} passages: making the workspace")
    apart(context, make_library, workspace, size)
    questions = apart(context, generate_questions, size, QUESTIONS + 1).result
    report(f"{size:,} passages: making the snapshot")
    built = apart(context, make_snapshot, workspace)
    usage = apart(context, disk_usage, workspace).result
    put("database", usage.database * _MB, "MB")
    put("snapshot", usage.snapshot * _MB, "MB")
    for part, bytes_ in usage.parts.items():
        if bytes_:
            put(f"snapshot: {part}", bytes_ * _MB, "MB")
    put("snapshot / vectors as float32", usage.snapshot / usage.as_float32, "")
    put("making the snapshot", built.result, "s")
    put("making the snapshot, peak memory", built.memory.peak * _MB, "MB")
    put("making the snapshot, peak memory of its own", built.memory.own_peak * _MB, "MB")
    report(f"{size:,} passages: asking")
    _put_answers(workspace, questions, table, size, context)
    report(f"{size:,} passages: recall")
    passages, sentences = apart(context, measure_recall, workspace, QUERIES).result
    put("recall@10 of passages by vectors, made", passages, "quality", 1.0)
    put("recall@3 of sentences by vectors, made", sentences, "quality", 1.0)
    report(f"{size:,} passages: changing a file")
    changed = apart(context, find_changes, workspace, place / f"changed-{size}", CHANGES)
    answered = [each.answered for each in changed.result]
    put("changed file until it is found, median", percentile(answered, 0.5), "s")
    put("changed file until it is found, worst", max(answered), "s")
    put("of it indexing, median", percentile([each.indexed for each in changed.result], 0.5), "s")
    put("changing a file, peak memory", changed.memory.peak * _MB, "MB")


def _put_answers(
    workspace: Path, questions: list[str], table: _Table, size: int, context: TaskContext
) -> None:
    put = partial(table.put, size)
    ask_from_start(workspace, questions[0])  # warms the page cache
    starts = [ask_from_start(workspace, question) for question in questions[1 : STARTS + 1]]
    put("process start to first answer, median", percentile([each.seconds for each in starts], 0.5), "s")
    put("process start to first answer, worst", max(each.seconds for each in starts), "s")
    put("memory of a process that asks once, peak", max(each.peak for each in starts) * _MB, "MB")
    process = apart(context, ask_many, workspace, questions)
    asked = process.result
    put("loading models and graph", asked.loading, "s")
    put("next questions, median", percentile(asked.questions, 0.5) * _MS, "ms")
    put("next questions, 95th percentile", percentile(asked.questions, 0.95) * _MS, "ms")
    for stage, seconds in asked.stages.items():
        put(f"stage {stage}, mean", seconds * _MS, "ms")
    put("ranking alone, median", percentile(asked.rankings, 0.5) * _MS, "ms")
    put("ranking alone, 95th percentile", percentile(asked.rankings, 0.95) * _MS, "ms")
    put("memory of a process that asks: its own", asked.own * _MB, "MB")
    put("memory of a process that asks: mapped files", asked.mapped * _MB, "MB")
    put("memory of a process that asks, peak", process.memory.peak * _MB, "MB")
    put("memory of a process that asks, peak of its own", process.memory.own_peak * _MB, "MB")


@dataclass(frozen=True, slots=True)
class _Array:
    """An array that is measured alone, and the name of its query."""

    name: str
    make: Callable[[Path, int], BuildCost]
    use: Callable[[Path, int], QueryCost]
    act: str
    quality: str = ""


_ARRAYS = (
    _Array(
        "quantised vectors",
        scale_arrays.make_vectors,
        scale_arrays.search_vectors,
        "search for 100",
        "recall@10",
    ),
    _Array("graph", scale_arrays.make_graph, scale_arrays.walk_graph, "walk"),
    _Array("names", scale_arrays.make_names, scale_arrays.look_up_names, "look-up", "found"),
)


def _arrays(place: Path, size: int, table: _Table, context: TaskContext) -> None:
    place.mkdir(parents=True, exist_ok=True)
    try:
        for array in _ARRAYS:
            file = place / f"{array.name}.arrays"
            built = apart(context, array.make, file, size)
            query = apart(context, array.use, file, size)
            file.unlink()  # gigabytes
            _put_array(array, built, query, partial(table.put, size))
    finally:
        shutil.rmtree(place, ignore_errors=True)


def _put_array(
    array: _Array, build: Apart[BuildCost], query: Apart[QueryCost], put: Callable[[str, float, str], None]
) -> None:
    name = f"{array.name} alone"
    put(f"{name}: rows", build.result.count, "rows")
    put(f"{name}: file", build.result.size * _MB, "MB")
    put(f"{name}: making", build.result.making, "s")
    put(f"{name}: writing", build.result.writing, "s")
    put(f"{name}: making, peak memory", build.memory.peak * _MB, "MB")
    put(f"{name}: opening", query.result.opening * _MS, "ms")
    if query.result.preparing:
        put(f"{name}: making ready", query.result.preparing * _MS, "ms")
    put(f"{name}: {array.act}, median", query.result.median * _MS, "ms")
    put(f"{name}: {array.act}, 95th percentile", percentile(query.result.questions, 0.95) * _MS, "ms")
    put(f"{name}: {array.act}, peak memory of its own", query.memory.own_peak * _MB, "MB")
    if array.quality:
        put(f"{name}: {array.quality}", query.result.quality, "quality")
