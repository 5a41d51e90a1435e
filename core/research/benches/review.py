"""How fast the reviewer's desk is at a hundred thousand facts."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from pathlib import Path

import numpy as np
import platformdirs

from core.progress import TaskContext
from core.research.benches.figures import Figure
from core.research.synthetic.workspace import EDGES_AN_ENTITY, made_workspace
from core.review.weighing import take_in
from core.types import Changed, FactFilter
from core.workspace import Workspace

FACTS = 100_000
DECISIONS = 1_000
_PAGE = 50
_DRAWN = 20_000  # nodes, as the window draws them


def run(
    dataset: Path | None, context: TaskContext, facts: int = FACTS, decisions: int = DECISIONS
) -> dict[str, Figure]:
    """Of a made workspace, which is kept in the person's cache folder for the next time. No data set is read.

    `decisions` are made one after the other, as by a person who always takes the first of the queue.
    """
    original = _made(facts, context)
    with tempfile.TemporaryDirectory(prefix="clew-review-") as place:
        copy = Path(place) / "workspace"
        shutil.copytree(original, copy)
        with Workspace.open(copy, own=True) as workspace:
            return _opened(workspace) | _decided(workspace, decisions, context)


def _made(facts: int, context: TaskContext) -> Path:
    folder = Path(platformdirs.user_cache_dir("clew")) / "eval" / f"made-{facts}-facts"
    if not folder.exists():
        part = folder.with_name(f"{folder.name}.part")
        shutil.rmtree(part, ignore_errors=True)
        part.mkdir(parents=True)
        store = made_workspace(part, facts // EDGES_AN_ENTITY, context)
        try:
            take_in(store)
        finally:
            store.close()
        part.rename(folder)
    return folder


def _opened(workspace: Workspace) -> dict[str, Figure]:
    """The first page with the numbers beside it, three times: the first one reads from the disk; the filters' menu."""
    review, seconds = workspace.review, []
    for _ in range(3):
        begin = time.perf_counter()
        review.queue(FactFilter(), _PAGE)
        states = review.states()
        seconds.append(time.perf_counter() - begin)
    begin = time.perf_counter()
    review.predicates(FactFilter())
    review.proposers(FactFilter())
    return {
        "facts that wait": Figure(states["open"], ""),
        "the queue opens, the first time": Figure(1000 * seconds[0], "ms", None, "< 300 ms"),
        "the queue opens again": Figure(1000 * min(seconds[1:]), "ms", None, "< 300 ms"),
        "the menu of its filters": Figure(1000 * (time.perf_counter() - begin), "ms"),
    }


def _decided(workspace: Workspace, decisions: int, context: TaskContext) -> dict[str, Figure]:
    """A decision, the next fact, and the drawn graph as it is afterwards."""
    review, graph, wanted = workspace.review, workspace.graph, FactFilter()
    changes: list[Changed] = []
    workspace.tell_changes(changes.append)
    view = graph.view(_DRAWN)
    (fact,) = review.queue(wanted, 1)
    seconds = np.zeros((decisions, 3))
    memory = []
    for number in range(decisions):
        context.report("decisions", number, decisions)
        begin = time.perf_counter()
        review.decide([fact.fact.id], "rejected" if number % 3 else "approved")
        decided = time.perf_counter()
        (fact,) = review.queue(wanted, 1)
        read = time.perf_counter()
        while changes:
            view = graph.renewed_view(view, changes.pop(), _DRAWN)
        seconds[number] = decided - begin, read - decided, time.perf_counter() - read
        memory.append(_memory())
    context.report("decisions", decisions, decisions)
    workspace.tell_changes(None)
    times = {"a decision": seconds[:, 0], "the next fact": seconds[:, 1], "the drawn graph": seconds[:, 2],
             "all of it": seconds.sum(1)}  # fmt: skip
    figures = {}
    for name, spent in times.items():
        for words, part in (("median", 50), ("95th percentile", 95)):
            goal = "< 30 ms" if name == "all of it" else ""
            figures[f"{name}, {words}"] = Figure(1000 * float(np.percentile(spent, part)), "ms", None, goal)
    half = decisions // 2
    grown = float(np.median(memory[-half // 2 :]) - np.median(memory[half - half // 2 : half]))
    figures["memory, growth from the middle to the end"] = Figure(grown, "MB", None, "flat")
    return figures


def _memory() -> float:
    """Resident memory of this process, MB."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6
