"""Which seed sent the mass: the scores of a walk split by where it started."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.graph.build import KnowledgeGraph
from core.graph.push import EPSILON, PushGraph, check_damping, check_mass, checked_seeds, forward_push
from core.progress import TaskContext

Numbers = NDArray[np.float64]
Nodes = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Attribution:
    """Who sent the mass: `shares` (m, t) of each of `seeds` (m,) in the score of each of t targets.

    A column sums to the target's score. `error` (t,) bounds how far a column's sum may be off.
    """

    seeds: Nodes
    shares: Numbers
    error: Numbers


def attribute(
    graph: KnowledgeGraph,
    restart: Numbers,
    targets: Nodes,
    damping: float = 0.5,
    tolerance: float = 1e-6,
    max_iterations: int = 200,
    context: TaskContext | None = None,
) -> Attribution:
    """Split the scores of the nodes `targets`, (t,), by the seeds of `restart`, (n_nodes,).

    Scores are linear in the restart, so one backward walk from each target tells what every seed
    sends there: the cost follows the number of targets, however many seeds there are.
    Raises ValueError, Cancelled. Jeh and Widom 2003, section 2 (linearity).
    """
    check_damping(damping)
    restart = as_restart(graph, restart)
    source = restart / check_mass(restart)
    targets = _inside(targets, graph.n_nodes)
    context = context or TaskContext()
    # The last column asks what a seed sends anywhere at all: below 1 where mass is lost at a dead end.
    wanted = np.zeros((graph.n_nodes, len(targets) + 1))
    wanted[targets, np.arange(len(targets))] = 1.0
    wanted[:, -1] = 1.0
    backward = graph.transition.T.tocsr()
    sent, left, iterations = (1.0 - damping) * wanted, 1.0, 0
    while left > tolerance and iterations < max_iterations:
        context.check()
        following = (1.0 - damping) * wanted + damping * (backward @ sent)
        # Rows of `backward` sum to at most 1: the largest difference contracts by `damping`.
        left = float(np.abs(following - sent).max()) * damping / (1.0 - damping)
        sent = following
        iterations += 1
    seeds = np.flatnonzero(source)
    kept = float(source @ sent[:, -1])
    shares = source[seeds, None] * sent[seeds, :-1] / kept
    # Both the target's column and `kept` are off by at most `left`.
    error = left * (1.0 + shares.sum(axis=0)) / (kept - left)
    return Attribution(seeds, shares, error)


def attribute_by_push(
    graph: PushGraph,
    seeds: Nodes,
    mass: Numbers,
    targets: Nodes,
    damping: float = 0.5,
    epsilon: float = EPSILON,
    context: TaskContext | None = None,
) -> Attribution:
    """As `attribute`, by a forward push from each target; shares are never above the exact ones.

    On an undirected graph what v sends to t is what t sends to v, times degree of t / degree of v.
    Raises ValueError, Cancelled. Lofgren, Banerjee, Goel 2015, section 3 (symmetry).
    """
    check_damping(damping)
    nodes, shares = checked_seeds(graph.n_nodes, seeds, mass)
    targets = _inside(targets, graph.n_nodes)
    degrees = graph.degrees
    # What isolated seeds lose returns to all seeds in proportion.
    kept = 1.0 - damping * float(shares[degrees[nodes] == 0].sum())
    split, error = np.zeros((len(nodes), len(targets))), np.zeros(len(targets))
    for at, target in enumerate(targets):
        if degrees[target] == 0:
            split[nodes == target, at] = (1.0 - damping) * shares[nodes == target] / kept
            continue
        push = forward_push(graph, np.array([target]), np.ones(1), damping, epsilon, context)
        reached = degrees[nodes] > 0
        back = push.at(nodes[reached]) * degrees[target] / degrees[nodes[reached]]
        split[reached, at] = shares[reached] * back / kept
        error[at] = push.slack * degrees[target] * float(shares[reached].sum()) / kept
    return Attribution(nodes, split, error)


def as_restart(graph: KnowledgeGraph, restart: Numbers) -> Numbers:
    """`restart` as numbers of shape (n_nodes,). Raises ValueError where it has another shape."""
    restart = np.asarray(restart, dtype=np.float64)
    if restart.shape != (graph.n_nodes,):
        raise ValueError("A restart must have one number a node.")
    return restart


def _inside(targets: Nodes, n_nodes: int) -> Nodes:
    targets = np.asarray(targets, dtype=np.int64)
    if len(targets) and not (targets.min() >= 0 and targets.max() < n_nodes):
        raise ValueError("A target is not in the graph.")
    return targets
