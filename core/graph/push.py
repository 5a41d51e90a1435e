"""Personalised PageRank by forward push: the cost follows the mass, not the size of the graph."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from core.graph.push_kernel import PLACE, RESIDUE, STATE, loops
from core.progress import TaskContext

if TYPE_CHECKING:
    from scipy import sparse

EPSILON = 1e-7
EDGES_A_SLICE = 250_000  # some milliseconds of walking between two looks at the cancel flag

Nodes = NDArray[np.int64]
Numbers = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Push:
    """Scores of the nodes that were touched; all others score 0.

    `nodes` (t,) and `scores` (t,), not sorted; a score is never above the exact one. `error` is the
    L1 distance to the exact scores, which sum to 1.
    """

    nodes: NDArray[np.int32]
    scores: Numbers
    error: float
    pushes: int
    edges: int  # edges walked

    def top(self, k: int) -> Nodes:
        """The k best nodes, best first; equal scores in order of their number."""
        if k < len(self.scores):
            # All ties at the border come along, so that the number decides between them.
            border = np.partition(self.scores, -k)[-k] if k else np.inf
            candidates = np.flatnonzero(self.scores >= border)
        else:
            candidates = np.arange(len(self.scores))
        order = np.lexsort((self.nodes[candidates], -self.scores[candidates]))[:k]
        return self.nodes[candidates[order]].astype(np.int64)


class _Scratch:
    """Working memory of one query at a time; always clean between two."""

    def __init__(self, starts: NDArray[np.int32], degrees: Numbers) -> None:
        n = len(degrees)
        # `empty` and not `zeros`: NumPy asks for huge pages then, and far fewer addresses are looked up.
        self.residue = np.empty(n, RESIDUE)
        self.residue["residual"], self.residue["degree"] = 0.0, degrees
        self.places = np.empty(n + 1, PLACE)
        self.places["start"], self.places["estimate"] = starts, 0.0
        self.queue = np.empty(1 << n.bit_length(), np.int32)  # a ring, longer than n: it cannot run over
        self.touched = np.empty(n + 1, np.int32)


class PushGraph:
    """A weighted undirected graph laid out for forward push. Any number of threads may query it."""

    def __init__(self, adjacency: sparse.csr_matrix, degrees: Numbers | None = None) -> None:
        """`adjacency` (n, n) is symmetric with weights above 0, as in `KnowledgeGraph.adjacency`, and is not copied;
        `degrees` (n,) are the `weighted_degrees` where they are known.

        n is below 2**31. Takes memory of 40 bytes a node for each thread that queries at once.
        """
        rows, columns = adjacency.shape
        if rows != columns:
            raise ValueError("The adjacency matrix is not square.")
        if adjacency.nnz and not (adjacency.data.min() > 0 and adjacency.data.max() < np.inf):
            raise ValueError("Weights must be finite and above zero.")
        self.n_nodes = rows
        self.others = np.ascontiguousarray(adjacency.indices, np.int32)
        self.weights = np.ascontiguousarray(adjacency.data, np.float32)
        self._starts = adjacency.indptr
        self.degrees: Numbers = weighted_degrees(adjacency) if degrees is None else degrees
        total = float(self.degrees.sum())
        self.mean_weight = total / adjacency.nnz if adjacency.nnz else 1.0
        self._idle: list[_Scratch] = []

    def take(self) -> _Scratch:
        # list.pop and list.append are atomic, so no lock is needed.
        try:
            return self._idle.pop()
        except IndexError:
            return _Scratch(self._starts, self.degrees)

    def give_back(self, scratch: _Scratch) -> None:
        self._idle.append(scratch)


def forward_push(
    graph: PushGraph,
    seeds: Nodes,
    mass: Numbers,
    damping: float = 0.5,
    epsilon: float = EPSILON,
    context: TaskContext | None = None,
) -> Push:
    """Scores of a walk that returns to `seeds`, (m,), in proportion to `mass`, (m,).

    The same scores as `personalized_pagerank`. A node is pushed while its residual is above
    epsilon times its weighted degree, counted in edges of mean weight: about 1 / (epsilon (1 - damping))
    edges are walked at most, whatever the size of the graph. By the symmetry of the walk each score is low
    by at most epsilon times that degree. Mass that reaches a node without edges returns to the seeds.
    Raises ValueError for a bad restart, damping or epsilon; Cancelled. Andersen, Chung, Lang 2006.
    """
    check_damping(damping)
    if not (0.0 < epsilon < np.inf):
        raise ValueError("Epsilon must be above zero.")
    nodes, shares = _checked_seeds(graph.n_nodes, seeds, mass)
    scratch = graph.take()
    try:
        return _walk(graph, scratch, nodes, shares, damping, epsilon, context or TaskContext())
    finally:
        graph.give_back(scratch)


def _walk(
    graph: PushGraph,
    scratch: _Scratch,
    nodes: Nodes,
    shares: Numbers,
    damping: float,
    epsilon: float,
    context: TaskContext,
) -> Push:
    push, collect = loops()
    threshold = epsilon / graph.mean_weight
    state, count = np.zeros(1, STATE), len(nodes)
    scratch.residue["residual"][nodes] = shares
    scratch.touched[:count] = nodes
    waiting = nodes[shares > threshold * graph.degrees[nodes]]
    scratch.queue[: len(waiting)] = waiting
    state["tail"], state["touched"] = len(waiting), count
    try:
        while state["head"] != state["tail"]:
            context.check()
            push(
                scratch.residue, scratch.places, graph.others, graph.weights, scratch.queue, scratch.touched, state,
                EDGES_A_SLICE, damping, threshold,
            )  # fmt: skip
    finally:
        # Also after a cancel: only what was touched is cleaned.
        count = int(state["touched"][0])
        scores = np.empty(count)
        left = collect(scratch.residue, scratch.places, scratch.touched, scores, count, damping)
    # Only isolated seeds lose mass, and all of theirs; to give it back to the seeds is to scale.
    retained = 1.0 - float(state["lost"][0])
    if retained < 1.0:
        scores /= retained
    touched = scratch.touched[:count].copy()
    return Push(touched, scores, damping * left / retained, int(state["pushes"][0]), int(state["edges"][0]))


def check_damping(damping: float) -> None:
    """Raises ValueError unless damping lies between 0 and 1, both left out."""
    if not 0.0 < damping < 1.0:
        raise ValueError("Damping must lie between 0 and 1.")


def check_mass(mass: Numbers) -> float:
    """The sum of a restart. Raises ValueError where it is negative, not finite, or all zero."""
    total = float(mass.sum())
    if not np.isfinite(total) or (mass < 0).any():
        raise ValueError("The restart vector must be finite and not negative.")
    if total <= 0.0:
        raise ValueError("The restart vector holds no mass.")
    return total


def _checked_seeds(n_nodes: int, seeds: Nodes, mass: Numbers) -> tuple[Nodes, Numbers]:
    """Each seed once with its share, shares above 0 that sum to 1. Raises ValueError."""
    seeds, mass = np.asarray(seeds, dtype=np.int64), np.asarray(mass, dtype=np.float64)
    if seeds.shape != mass.shape or seeds.ndim != 1:
        raise ValueError("Seeds and their mass must be two lists of one length.")
    total = check_mass(mass)
    if seeds.min() < 0 or seeds.max() >= n_nodes:
        raise ValueError("A seed is not in the graph.")
    nodes, place = np.unique(seeds, return_inverse=True)
    shares = np.zeros(len(nodes))
    np.add.at(shares, place, mass / total)
    return nodes[shares > 0], shares[shares > 0]


def weighted_degrees(adjacency: sparse.csr_matrix) -> Numbers:
    """Sums of the rows, (n,), in float64 from the float32 weights that are walked: no mass appears or vanishes."""
    sums = np.zeros(adjacency.shape[0])
    filled = np.flatnonzero(np.diff(adjacency.indptr))
    if len(filled):
        sums[filled] = np.add.reduceat(adjacency.data, adjacency.indptr[filled], dtype=np.float64)
    return sums
