"""Time to build, update and describe the hierarchy of communities, on generated graphs of growing size."""

from __future__ import annotations

import math
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from core.answering.reports.writing import write_reports
from core.errors import BadInput
from core.graph.build import undirected
from core.graph.communities import Band, Labels, bands, hierarchy, modularity
from core.graph.update_communities import Ties, update_communities
from core.ingest.grouping import group_all
from core.progress import TaskContext
from core.research.benches.harness import Arguments, Figure, Figures, quickest, timed
from core.research.synthetic.workspace import EDGES_AN_ENTITY, generate_workspace, planted_graph

SIZES = (10_000, 30_000, 100_000)
LEAST = 100  # entities: 1 % of a smaller graph is nothing
CHANGE = 0.01  # share of the edges: half of them removed, half added
SEED, OTHER_SEED = 7, 8


@dataclass(frozen=True, slots=True)
class Timed:
    """Seconds, and by level, the finest first: modularity before the change, after the update, after a rebuild."""

    entities: int
    edges: int
    rebuild: float
    update: float
    moved: int
    modularity: list[tuple[float, float, float]]
    within: list[float]  # share of the communities within the bounds, by level, before the change
    within_after: list[float]
    counts: list[int]


def run(arguments: Arguments) -> Figures:
    """Measure graphs and workspaces of these numbers of entities, with five edges for each.

    Takes about five minutes and 2 GB of the disk for temporary files at the usual sizes.
    """
    sizes, context = arguments.sizes or SIZES, arguments.context
    if min(sizes) < LEAST:
        raise BadInput(f"A graph of {min(sizes)} entities is too small.", f"Give {LEAST} or more.")
    _timed(min(sizes), context)  # warm up
    graphs = []
    for at, size in enumerate(sizes):
        context.report("graphs", at, len(sizes), f"{size:,} entities")
        graphs.append(_timed(size, context))
    context.report("graphs", len(sizes), len(sizes))
    figures = _of_graphs(graphs)
    groupings, tellings = [], []
    for size in sizes:
        grouping, telling, reports = _workspace_times(size, context)
        groupings.append(grouping)
        tellings.append(telling)
        goal = "< 60 s" if size == SIZES[-1] else ""
        figures |= {
            f"in a workspace, {size:,} entities": Figure(grouping, "s"),
            f"extractive reports, {size:,} entities": Figure(telling, "s", None, goal),
            f"reports, {size:,} entities": Figure(reports, ""),
        }
    if len(sizes) > 1:
        figures["reports, growth with the graph"] = _growth(sizes, tellings)
    return figures


def _timed(size: int, context: TaskContext) -> Timed:
    ends = planted_graph(size, EDGES_AN_ENTITY * size, SEED)
    weights = np.ones(len(ends))
    before, full_seconds = quickest(lambda: hierarchy(size, ends, weights, SEED, context))
    after, touched = changed(size, ends)
    weights_after = np.ones(len(after))
    firsts = np.cumsum([0, *(int(labels.max()) + 1 for labels in before)])
    keys = [labels + first for labels, first in zip(before, firsts.tolist(), strict=False)]
    ties = ties_of(size, after, weights_after)
    entities = np.arange(size)
    result, update = quickest(
        lambda: update_communities(
            entities, keys, touched, (), ties, sorted, bands(size), int(firsts[-1]), SEED
        )
    )
    updated = [_labels(labels) for labels in result]
    fresh = hierarchy(size, after, weights_after, SEED, context)
    sizes = bands(size)
    return Timed(
        size,
        len(ends),
        full_seconds,
        update,
        int((result[0] != keys[0]).sum()),
        [
            (modularity(old, ends, weights), modularity(new, after, weights_after),
             modularity(rebuilt, after, weights_after))
            for old, new, rebuilt in zip(before, updated, fresh, strict=True)
        ],
        [_within(labels, band) for labels, band in zip(before, sizes, strict=True)],
        [_within(labels, band) for labels, band in zip(updated, sizes, strict=True)],
        [int(labels.max()) + 1 for labels in before],
    )  # fmt: skip


def ties_of(
    n_entities: int, ends: NDArray[np.int64], weights: NDArray[np.float64]
) -> Callable[[Sequence[int]], Ties]:
    """Return a function that gives the edges at some entities of a graph in memory: `ends` (m, 2), each pair once."""
    both = np.concatenate([ends, ends[:, ::-1]])
    order = np.argsort(both[:, 0], kind="stable")
    edge = order % max(1, len(ends))
    starts = np.searchsorted(both[order, 0], np.arange(n_entities + 1))

    def ties(entities: Sequence[int]) -> Ties:
        runs = [edge[starts[entity] : starts[entity + 1]] for entity in entities]
        rows = np.unique(np.concatenate([edge[:0], *runs]))
        return ends[rows], weights[rows]

    return ties


def changed(size: int, ends: NDArray[np.int64]) -> tuple[NDArray[np.int64], list[int]]:
    """Return the graph with a hundredth of its edges changed at random, and the entities at the changed edges."""
    rng = np.random.default_rng(SEED)
    count = max(1, int(len(ends) * CHANGE / 2))
    gone = rng.choice(len(ends), count, replace=False)
    others = planted_graph(size, EDGES_AN_ENTITY * size, OTHER_SEED)
    known = np.isin(others[:, 0] * size + others[:, 1], ends[:, 0] * size + ends[:, 1])
    others = others[~known]
    come = others[rng.choice(len(others), count, replace=False)]
    touched = np.unique(np.concatenate([ends[gone], come]))
    return np.concatenate([np.delete(ends, gone, axis=0), come]), touched.tolist()


def _labels(keys: NDArray[np.int64]) -> Labels:
    return np.unique(keys, return_inverse=True)[1].astype(np.int32)


def _within(labels: Labels, band: Band) -> float:
    """Return the share of the communities whose size is within the bounds."""
    sizes = np.bincount(labels)
    return float(((sizes >= band.least) & (sizes <= band.most)).mean())


def _of_graphs(graphs: list[Timed]) -> Figures:
    figures: Figures = {}
    for each in graphs:
        size = f"{each.entities:,} entities"
        figures |= {
            f"hierarchy, {size}": Figure(
                each.rebuild, "s", None, "< 20 s" if each.entities == SIZES[-1] else ""
            ),
            f"update after 1 %, {size}": Figure(each.update, "s", each.rebuild),
            f"times faster, {size}": Figure(each.rebuild / each.update, "x", None, ">= 5 x"),
            f"edges, {size}": Figure(each.edges, ""),
        }
    if len(graphs) > 1:
        sizes = tuple(each.entities for each in graphs)
        figures["hierarchy, growth with the graph"] = _growth(sizes, [each.rebuild for each in graphs])
        figures["update, growth with the graph"] = _growth(sizes, [each.update for each in graphs])
    largest = graphs[-1]
    figures["entities moved after 1 %"] = Figure(largest.moved, "")
    for at, band in enumerate(bands(largest.entities)):
        level = f"level {at + 1}"
        before, updated, fresh = largest.modularity[at]
        figures |= {
            f"communities, {level}": Figure(largest.counts[at], ""),
            f"share of {band.least}-{band.most} entities, {level}": Figure(largest.within[at], ""),
            f"the same after 1 %, {level}": Figure(largest.within_after[at], ""),
            f"modularity, {level}": Figure(before, ""),
            f"modularity after 1 %, {level}": Figure(updated, "", fresh, "as made anew"),
        }
    return figures


def _growth(sizes: tuple[int, ...], seconds: list[float]) -> Figure:
    """Return the exponent between the smallest and the largest graph: 1 is linear in the size of the graph."""
    return Figure(math.log(seconds[-1] / seconds[0]) / math.log(sizes[-1] / sizes[0]), "", None, "<= 1")


def _workspace_times(size: int, context: TaskContext) -> tuple[float, float, int]:
    """Return the seconds of the hierarchy and of all extractive reports in a workspace, and the number of reports."""
    with tempfile.TemporaryDirectory(prefix="clew-communities-") as place:
        store = generate_workspace(Path(place), size, context)
        try:
            columns = store.facts.columns()
            # Keys of a new store count from 1.
            ends = np.stack([columns.subjects, columns.objects], axis=1) - 1
            edges = undirected(ends, columns.strengths)
            _, grouping = timed(lambda: group_all(store, np.arange(1, size + 1), edges, SEED, context))
            reports, telling = timed(lambda: write_reports(store, context))
            return grouping, telling, reports.written
        finally:
            store.close()
