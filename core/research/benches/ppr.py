"""How fast and how right forward push is: beside igraph, on made graphs of growing size."""

from __future__ import annotations

import statistics
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from core.graph.push import PushGraph, forward_push
from core.graph.push_kernel import loops
from core.progress import TaskContext
from core.research.benches.figures import Figure
from core.research.synthetic.graph import made_graph, made_seeds

SIZES = (100_000, 1_000_000, 10_000_000)
EDGES_A_NODE = 5
DAMPING = 0.5
EPSILON = 2e-7
QUERIES = 20
WARM_SEED = 8
BESIDE_IGRAPH = 3  # queries that igraph answers, too: it takes seconds for each
TOP = 100

Seeds = list[NDArray[np.int64]]


@dataclass(frozen=True, slots=True)
class Timed:
    """Seconds of the median query; the largest L1 error; each query's best nodes."""

    seconds: float
    error: float
    touched: float
    best: list[NDArray[np.int64]]


def run(
    dataset: Path | None,
    context: TaskContext,
    sizes: tuple[int, ...] = SIZES,
    queries: int = QUERIES,
) -> dict[str, Figure]:
    """Push on graphs of `sizes` nodes; the middle one is answered by igraph and exactly, too.

    No data set is read. Takes about two minutes and 5 GB of memory at the usual sizes.
    """
    loops()  # compiled before the clock runs
    figures: dict[str, Figure] = {}
    times: list[float] = []
    for at, n in enumerate(sizes):
        context.report("graphs", at, len(sizes), f"{n:,} nodes")
        adjacency = made_graph(n, EDGES_A_NODE * n)
        asked = made_seeds(adjacency, queries)
        timed = _push_times(adjacency, asked, context)
        times.append(timed.seconds)
        if at == len(sizes) // 2:
            figures |= _compare_with_igraph(adjacency, asked, timed, context)
        figures |= {
            f"push, {n:,} nodes": Figure(timed.seconds * 1000, "ms"),
            f"nodes touched, {n:,} nodes": Figure(timed.touched, ""),
            f"L1 error, {n:,} nodes": Figure(timed.error, ""),
        }
    figures["largest / smallest"] = Figure(times[-1] / times[0], "x", None, "<= 3 x")
    figures["epsilon"] = Figure(EPSILON, "")
    context.report("graphs", len(sizes), len(sizes))
    return figures


def _push_times(adjacency: sparse.csr_matrix, asked: Seeds, context: TaskContext) -> Timed:
    graph = PushGraph(adjacency)
    # Other seeds warm, so that no query finds its own nodes in the cache.
    for seeds in made_seeds(adjacency, len(asked), seed=WARM_SEED):
        forward_push(graph, seeds, np.ones(len(seeds)), DAMPING, EPSILON, context)
    seconds, found = [], []
    for seeds in asked:
        begin = time.perf_counter()
        push = forward_push(graph, seeds, np.ones(len(seeds)), DAMPING, EPSILON, context)
        seconds.append(time.perf_counter() - begin)
        found.append((push.top(TOP), push.error, len(push.nodes)))
    best, errors, touched = zip(*found, strict=True)
    return Timed(statistics.median(seconds), max(errors), statistics.fmean(touched), list(best))


def _compare_with_igraph(
    adjacency: sparse.csr_matrix, asked: Seeds, timed: Timed, context: TaskContext
) -> dict[str, Figure]:
    import igraph

    upper = sparse.triu(adjacency).tocoo()
    graph = igraph.Graph(n=adjacency.shape[0], edges=np.column_stack([upper.row, upper.col]))
    seconds = []
    for at, seeds in enumerate(asked[:BESIDE_IGRAPH]):
        context.report("igraph", at, BESIDE_IGRAPH)
        begin = time.perf_counter()
        graph.personalized_pagerank(damping=DAMPING, reset_vertices=seeds.tolist(), implementation="prpack")
        seconds.append(time.perf_counter() - begin)
    prpack = statistics.median(seconds)
    overlaps = _overlaps(adjacency, asked, timed.best, context)
    return {
        "times faster than igraph": Figure(prpack / timed.seconds, "x", None, ">= 100 x"),
        "igraph PRPACK": Figure(prpack * 1000, "ms"),
        "top 100 as exact, mean": Figure(statistics.fmean(overlaps), "", None, ">= 0.99"),
        "top 100 as exact, worst": Figure(min(overlaps), ""),
    }


def _overlaps(
    adjacency: sparse.csr_matrix, asked: Seeds, best: list[NDArray[np.int64]], context: TaskContext
) -> list[float]:
    """Share of the exact first 100 among those that were found; a tie at the border counts as found."""
    degrees = np.maximum(1, np.diff(adjacency.indptr))
    found = []
    for at, (seeds, nodes) in enumerate(zip(asked, best, strict=True)):
        context.report("exact", at, len(asked))
        restart = np.zeros(len(degrees))
        restart[seeds] = 1.0 / len(seeds)
        exact = restart.copy()
        # Halved with every step: after 45 the scores are exact to rounding.
        for _ in range(45):
            exact = DAMPING * (adjacency @ (exact / degrees)) + (1.0 - DAMPING) * restart
        border = np.partition(exact, -TOP)[-TOP]
        found.append(float((exact[nodes] >= border * (1.0 - 1e-9)).mean()))
    return found
