"""One Leiden partition of the entities. Traag, Waltman and van Eck 2019; Deep GraphRAG 2.1."""

from __future__ import annotations

import random

import numpy as np
from numpy.typing import NDArray

# Four take half as long again, longer the larger the graph, and gain nothing (see docs/communities.md).
_ITERATIONS = 2


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
