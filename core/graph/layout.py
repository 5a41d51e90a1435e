"""Where the entities are drawn: force-directed within a plane, communities kept together."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_EXACT_UP_TO = 1_500  # nodes that the slow, prettier layout still draws within a second
_ITERATIONS = 300


def force_layout(
    n: int,
    edges: NDArray[np.int64],
    weights: NDArray[np.float64],
    communities: NDArray[np.int32],
    seed: int = 7,
) -> NDArray[np.float32]:
    """Positions, (n, 2), centred, of unit mean distance between neighbours.

    Fruchterman and Reingold 1991 through igraph (its grid variant on large graphs), edges within a
    community weighing three times as much. Nodes without edges stand on a spiral around the rest.
    """
    positions = np.zeros((n, 2), dtype=np.float64)
    linked = np.zeros(n, dtype=bool)
    linked[edges.ravel()] = True
    inside = np.flatnonzero(linked)
    if len(inside):
        positions[inside] = _forces(inside, edges, weights, communities, seed)
    radius = float(np.abs(positions).max()) if len(inside) else 0.0
    positions[~linked] = _spiral(int((~linked).sum()), radius)
    return positions.astype(np.float32)


def _forces(
    inside: NDArray[np.int64],
    edges: NDArray[np.int64],
    weights: NDArray[np.float64],
    communities: NDArray[np.int32],
    seed: int,
) -> NDArray[np.float64]:
    import random

    import igraph

    ends = np.searchsorted(inside, edges)
    same = communities[edges[:, 0]] == communities[edges[:, 1]]
    pull = np.sqrt(weights) * np.where(same, 3.0, 1.0)
    graph = igraph.Graph(n=len(inside), edges=ends.tolist())
    igraph.set_random_number_generator(random.Random(seed))
    start = _start(communities[inside], seed)
    layout = graph.layout_fruchterman_reingold(
        weights=pull.tolist(),
        niter=_ITERATIONS,
        seed=start.tolist(),
        grid="nogrid" if len(inside) <= _EXACT_UP_TO else "grid",
    )
    found = np.array(layout.coords, dtype=np.float64)
    found -= np.median(found, axis=0)
    lengths = np.linalg.norm(found[ends[:, 0]] - found[ends[:, 1]], axis=1)
    return found / max(float(lengths.mean()), 1e-9)


def _start(communities: NDArray[np.int32], seed: int) -> NDArray[np.float64]:
    """Communities on a sunflower spiral, their members close around."""
    rng = np.random.default_rng(seed)
    names, at = np.unique(communities, return_inverse=True)
    centres = _spiral(len(names), 0.0) * np.sqrt(len(communities) / max(1, len(names)))
    return np.asarray(centres[at] + rng.normal(0.0, 0.5, (len(communities), 2)))


def _spiral(n: int, radius: float) -> NDArray[np.float64]:
    """Sunflower points outside `radius`, one unit apart."""
    at = np.arange(n, dtype=np.float64)
    distance = np.sqrt(at + 1.0 + (radius * 1.08) ** 2)
    angle = at * 2.399963229728653  # the golden angle
    return np.stack([distance * np.cos(angle), distance * np.sin(angle)], axis=1)
