"""The heterogeneous graph as CSR arrays. EA-GraphRAG 3.1; HippoRAG 2, section 3."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from core.graph.push import PushGraph, weighted_degrees

if TYPE_CHECKING:
    from scipy import sparse

FACT, OCCURRENCE, SYNONYMY = 0, 1, 2

Keys = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Edges:
    """Undirected edges between node numbers: ends (m, 2), weights (m,) > 0."""

    ends: NDArray[np.int64]
    weights: NDArray[np.float64]


@dataclass(frozen=True)
class KnowledgeGraph:
    """Entity nodes first, then passage nodes; symmetric weights in CSR form.

    `entity_keys` (n_entities,) and `passage_keys` (n_passages,) are ascending row keys of the
    store; node `i` is an entity for i < n_entities and a passage above. What walks need besides is made when the first
    of them needs it, once for all that ask.
    """

    entity_keys: Keys
    passage_keys: Keys
    adjacency: sparse.csr_matrix  # (n, n) float32, symmetric
    degrees: NDArray[np.float64]  # (n,) sums of the rows
    counts: dict[str, int]  # edges by kind: fact, occurrence, synonymy

    @property
    def n_entities(self) -> int:
        return len(self.entity_keys)

    @property
    def n_nodes(self) -> int:
        return len(self.entity_keys) + len(self.passage_keys)

    @cached_property
    def pushed(self) -> PushGraph:
        """As forward push walks it, over the same arrays."""
        return PushGraph(self.adjacency, self.degrees)

    @cached_property
    def transition(self) -> sparse.csr_matrix:
        """(n, n) float64: columns divided by their sums, so that mass is kept; those of isolated nodes are empty."""
        from scipy import sparse

        scale = np.divide(1.0, self.degrees, out=np.zeros_like(self.degrees), where=self.degrees > 0)
        # float64 like the scores: mixed types would be converted at every step of a walk.
        return (self.adjacency.astype(np.float64) @ sparse.diags(scale)).tocsr()


def undirected(ends: Keys, weights: NDArray[np.float64]) -> Edges:
    """Each pair of `ends`, (m, 2), once, the smaller end first, weights summed, sorted."""
    if not len(ends):
        return Edges(ends.reshape(-1, 2), weights)
    # One number for each pair: they are sorted four times as fast as rows.
    low, high = np.sort(ends, axis=1).T
    codes, place = np.unique(low * (int(high.max()) + 1) + high, return_inverse=True)
    pairs = np.stack(np.divmod(codes, int(high.max()) + 1), axis=1)
    return Edges(pairs, np.bincount(place, weights, len(pairs)).astype(np.float64, copy=False))


def build_graph(
    entity_keys: Keys, passage_keys: Keys, facts: Edges, occurrences: Edges, synonyms: Edges
) -> KnowledgeGraph:
    """Join the three kinds of edges; parallel edges add up, loops are dropped.

    `facts` and `synonyms` join entity row keys; `occurrences` joins (entity key, passage key).
    """
    from scipy import sparse  # slow to import, and needed for asking only

    n_entities, n = len(entity_keys), len(entity_keys) + len(passage_keys)
    most = 2 * sum(len(edges.ends) for edges in (facts, occurrences, synonyms))
    # Each end once, filled from both sides; 32 bits, which the sparse matrix takes as they are.
    rows, columns, values = np.empty(most, np.int32), np.empty(most, np.int32), np.empty(most, np.float64)
    numbers, at = list[int](), 0
    for kind, edges in ((FACT, facts), (OCCURRENCE, occurrences), (SYNONYMY, synonyms)):
        left = np.searchsorted(entity_keys, edges.ends[:, 0])
        if kind == OCCURRENCE:
            right = n_entities + np.searchsorted(passage_keys, edges.ends[:, 1])
        else:
            right = np.searchsorted(entity_keys, edges.ends[:, 1])
        proper = left != right
        numbers.append(int(proper.sum()))
        for own, other in ((left, right), (right, left)):
            part = slice(at, at + numbers[-1])
            rows[part], columns[part], values[part] = own[proper], other[proper], edges.weights[proper]
            at += numbers[-1]
    adjacency = sparse.coo_matrix((values[:at], (rows[:at], columns[:at])), shape=(n, n)).tocsr()
    del rows, columns, values
    adjacency = adjacency.astype(np.float32)
    counts = dict(zip(("fact", "occurrence", "synonymy"), numbers, strict=True))
    return KnowledgeGraph(entity_keys, passage_keys, adjacency, weighted_degrees(adjacency), counts)
