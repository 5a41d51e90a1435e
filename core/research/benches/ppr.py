"""Speed and accuracy of forward push, compared with igraph, on generated graphs of growing size."""

from __future__ import annotations

import statistics
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from core.graph.push import Push, PushGraph, forward_push
from core.graph.push_kernel import loops
from core.progress import TaskContext
from core.research.benches.harness import Arguments, Figure, Figures, timed_each
from core.research.synthetic.workspace import generate_graph, sample_seeds

SIZES = (100_000, 1_000_000, 10_000_000)
EDGES_A_NODE = 5
DAMPING = 0.5
EPSILON = 2e-7
QUERIES = 20
WARM_SEED = 8
IGRAPH_QUERIES = 3  # queries that igraph answers as well: each takes seconds
TOP = 100

Seeds = list[NDArray[np.int64]]


@dataclass(frozen=True, slots=True)
class Timed:
    """Seconds of the median query; the largest L1 error; each query's best nodes."""

    seconds: float
    error: float
    touched: float
    best: list[NDArray[np.int64]]


def run(arguments: Arguments) -> Figures:
    """Run push on graphs of these numbers of nodes; igraph and an exact solution answer the middle one as well.

    Takes about two minutes and 5 GB of memory at the usual sizes.
    """
    loops()  # compile before timing
    sizes, context = arguments.sizes or SIZES, arguments.context
    figures: Figures = {}
    times: list[float] = []
    for at, n in enumerate(sizes):
        context.report("graphs", at, len(sizes), f"{n:,} nodes")
        adjacency = generate_graph(n, EDGES_A_NODE * n)
        asked = sample_seeds(adjacency, QUERIES)
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
    return figures


def _push_times(adjacency: sparse.csr_matrix, asked: Seeds, context: TaskContext) -> Timed:
    graph = PushGraph(adjacency)

    def push(seeds: NDArray[np.int64]) -> Push:
        return forward_push(graph, seeds, np.ones(len(seeds)), DAMPING, EPSILON, context)

    # Warm up with other seeds, so that no query finds its own nodes in the cache.
    timed_each(sample_seeds(adjacency, len(asked), seed=WARM_SEED), push)
    pushes, seconds = timed_each(asked, push)
    found = ((each.top(TOP), each.error, len(each.nodes)) for each in pushes)
    best, errors, touched = zip(*found, strict=True)
    return Timed(statistics.median(seconds), max(errors), statistics.fmean(touched), list(best))


def _compare_with_igraph(
    adjacency: sparse.csr_matrix, asked: Seeds, timed: Timed, context: TaskContext
) -> Figures:
    import igraph

    upper = sparse.triu(adjacency).tocoo()
    graph = igraph.Graph(n=adjacency.shape[0], edges=np.column_stack([upper.row, upper.col]))
    context.report("igraph", 0, 1)
    _, seconds = timed_each(
        asked[:IGRAPH_QUERIES],
        lambda seeds: graph.personalized_pagerank(
            damping=DAMPING, reset_vertices=seeds.tolist(), implementation="prpack"
        ),
        context,
    )
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
    """Return the share of the exact first 100 that were found; a tie at the border counts as found."""
    degrees = np.maximum(1, np.diff(adjacency.indptr))
    found = []
    for at, (seeds, nodes) in enumerate(zip(asked, best, strict=True)):
        context.report("exact", at, len(asked))
        restart = np.zeros(len(degrees))
        restart[seeds] = 1.0 / len(seeds)
        exact = restart.copy()
        # The error halves with every step: after 45 the scores are exact to rounding.
        for _ in range(45):
            exact = DAMPING * (adjacency @ (exact / degrees)) + (1.0 - DAMPING) * restart
        border = np.partition(exact, -TOP)[-TOP]
        found.append(float((exact[nodes] >= border * (1.0 - 1e-9)).mean()))
    return found
