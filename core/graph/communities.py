"""Communities of the entities: one Leiden partition, and which of a new one are those of the old.

Traag, Waltman and van Eck 2019; Deep GraphRAG 2.1.
"""

from __future__ import annotations

import random

import numpy as np
from numpy.typing import NDArray

# Four take half as long again, longer the larger the graph, and gain nothing (see docs/communities.md).
_ITERATIONS = 2
LEAST_SHARED = 0.25  # of the entities of both together, shared: less, and it is another community


def leiden(
    n_entities: int,
    edges: NDArray[np.int64],
    weights: NDArray[np.float64],
    resolution: float = 1.0,
    seed: int = 7,
) -> NDArray[np.int32]:
    """Community of each entity, (n_entities,), numbered by falling size; ties by their first entity.

    `edges` (m, 2) are entity node numbers with `weights` (m,) > 0. Isolated entities are alone.
    """
    import igraph

    if n_entities == 0:
        return np.zeros(0, dtype=np.int32)
    graph = igraph.Graph(n=n_entities, edges=edges)
    # igraph's own Leiden: as good as leidenalg's on the same graph, and fifteen times as fast.
    igraph.set_random_number_generator(random.Random(seed))
    partition = graph.community_leiden(
        objective_function="modularity",
        weights=weights.tolist() if len(weights) else None,
        resolution=resolution,
        n_iterations=_ITERATIONS,
    )
    raw = np.array(partition.membership, dtype=np.int64)
    names, first, sizes = np.unique(raw, return_index=True, return_counts=True)
    order = np.lexsort((first, -sizes))
    place = np.empty(len(names), dtype=np.int32)
    place[order] = np.arange(len(names), dtype=np.int32)
    return place[np.searchsorted(names, raw)]


def matched(old: NDArray[np.int64], new: NDArray[np.int64]) -> dict[int, int]:
    """Old community by new one, each used once, those that share most first.

    `old` and `new` (n,) are the communities of the same entities; below 0 where an entity had none.
    """
    both = (old >= 0) & (new >= 0)
    pairs, shared = np.unique(np.stack([new[both], old[both]], axis=1), axis=0, return_counts=True)
    if not len(pairs):
        return {}
    of_new, of_old = _sizes(new), _sizes(old)
    found: dict[int, int] = {}
    taken: set[int] = set()
    for at in np.lexsort((pairs[:, 1], pairs[:, 0], -shared)).tolist():
        one, other = int(pairs[at, 0]), int(pairs[at, 1])
        together = of_new[one] + of_old[other] - int(shared[at])
        if one not in found and other not in taken and shared[at] >= LEAST_SHARED * together:
            found[one] = other
            taken.add(other)
    return found


def _sizes(labels: NDArray[np.int64]) -> dict[int, int]:
    names, counts = np.unique(labels, return_counts=True)
    return dict(zip(names.tolist(), counts.tolist(), strict=True))
