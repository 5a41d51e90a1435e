"""Which seed sent the mass: the score of one node split by where the walk started; and how it got there, by steps."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.graph.build import KnowledgeGraph
from core.graph.pagerank import as_restart
from core.graph.push import check_damping, check_mass
from core.progress import TaskContext

Numbers = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Attribution:
    """`shares` (n_nodes,) of each node of the restart in the score of one node: they sum to that score.

    `error` bounds how far the sum may be off.
    """

    shares: Numbers
    error: float


def attribute(
    graph: KnowledgeGraph,
    restart: Numbers,
    target: int,
    damping: float = 0.5,
    tolerance: float = 1e-6,
    max_iterations: int = 200,
    context: TaskContext | None = None,
) -> Attribution:
    """Split the score of the node `target` by the nodes of `restart`, (n_nodes,).

    Scores are linear in the restart, so one backward walk from the target tells what every seed sends
    there, however many seeds there are. Raises ValueError, Cancelled. Jeh and Widom 2003, section 2 (linearity).
    """
    check_damping(damping)
    restart = as_restart(graph, restart)
    source = restart / check_mass(restart)
    if not 0 <= target < graph.n_nodes:
        raise ValueError("The target is not in the graph.")
    context = context or TaskContext()
    # The second column asks what a seed sends anywhere at all: below 1 where mass is lost at a dead end.
    wanted = np.ones((graph.n_nodes, 2))
    wanted[:, 0] = 0.0
    wanted[target, 0] = 1.0
    backward = graph.transition.T.tocsr()
    sent, left, iterations = (1.0 - damping) * wanted, 1.0, 0
    while left > tolerance and iterations < max_iterations:
        context.check()
        following = (1.0 - damping) * wanted + damping * (backward @ sent)
        # Rows of `backward` sum to at most 1: the largest difference contracts by `damping`.
        left = float(np.abs(following - sent).max()) * damping / (1.0 - damping)
        sent = following
        iterations += 1
    retained = float(source @ sent[:, 1])
    shares = source * sent[:, 0] / retained
    # Both the target's column and `kept` are off by at most `left`.
    return Attribution(shares, left * (1.0 + float(shares.sum())) / max(retained - left, 1e-12))


def diffusion(graph: KnowledgeGraph, restart: Numbers, damping: float, most: int) -> Iterator[Numbers]:
    """Where the mass is after 0, 1, 2, ... steps, up to `most`: each (n_nodes,), summing to 1. The last is nearest
    to the stationary scores. Raises ValueError."""
    check_damping(damping)
    restart = as_restart(graph, restart)
    source = restart / check_mass(restart)
    scores = source
    yield scores
    for _ in range(most):
        walked = damping * (graph.transition @ scores)
        scores = walked + (1.0 - walked.sum()) * source
        yield scores
