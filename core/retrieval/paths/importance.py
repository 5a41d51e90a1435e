"""What an entity counts on a path. Triple-layer GraphRAG 4.3.1 and A.2."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from core.retrieval.fact_graph import FactGraph

DAMPING = 0.85
STEPS = 20


def page_rank(facts: FactGraph, damping: float = DAMPING, steps: int = STEPS) -> NDArray[np.float64]:
    """PageRank of the entities, (n,), summing to 1, after `steps` steps of the power method. A.2.

    Facts are walked both ways, each pair of entities alike however many facts join it: |Out| counts neighbours. The
    mass of an entity without facts goes to all.
    """
    n = len(facts.starts) - 1
    if n == 0:
        return np.zeros(0)
    ends = np.repeat(np.arange(n), np.diff(facts.starts))
    pairs = np.unique(np.stack([ends, facts.others.astype(np.int64)]), axis=1)
    joined = csr_array((np.ones(pairs.shape[1]), (pairs[0], pairs[1])), shape=(n, n))
    degrees = np.asarray(joined.sum(axis=1)).ravel()
    rank, alone = np.full(n, 1.0 / n), degrees == 0
    for _ in range(steps):
        shares = np.divide(rank, degrees, out=np.zeros(n), where=~alone)
        rank = (1.0 - damping) / n + damping * (joined @ shares + rank[alone].sum() / n)
    return rank


def rarity(facts: FactGraph) -> NDArray[np.float32]:
    """From 1 for an entity without facts down to 0.5 for that with most, (n,): everything meets at a hub."""
    return np.float32(1.5) - facts.importance
