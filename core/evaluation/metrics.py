"""Retrieval metrics of one ranking, and their means."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

RECALL_AT = (2, 5, 10)
ALL_AT = (5, 8)
DEPTH = 10
DIVERSE_AT = 5
RANKING = (*(f"recall@{k}" for k in RECALL_AT), *(f"all@{k}" for k in ALL_AT), "mrr", "diversity")
ANSWERING = ("exact", "f1", "contains", "abstained")


def recall_at(ranked: Sequence[str], gold: frozenset[str], k: int) -> float:
    """Share of the gold passages among the first k; 0 for no gold."""
    return len(gold.intersection(ranked[:k])) / len(gold) if gold else 0.0


def all_at(ranked: Sequence[str], gold: frozenset[str], k: int) -> float:
    """1 when every gold passage is among the first k."""
    return float(bool(gold) and gold.issubset(ranked[:k]))


def reciprocal_rank(ranked: Sequence[str], gold: frozenset[str]) -> float:
    """1 / rank of the first gold passage, 0 when there is none."""
    for rank, passage in enumerate(ranked, start=1):
        if passage in gold:
            return 1.0 / rank
    return 0.0


def measures(ranked: Sequence[str], gold: frozenset[str]) -> dict[str, float]:
    """recall@2, @5, @10, all@5, all@8 and mrr of one ranking."""
    found = {f"recall@{k}": recall_at(ranked, gold, k) for k in RECALL_AT}
    found |= {f"all@{k}": all_at(ranked, gold, k) for k in ALL_AT}
    return found | {"mrr": reciprocal_rank(ranked, gold)}


def diversity(vectors: NDArray[np.float32]) -> float:
    """1 - mean cosine of all pairs; `vectors` (n, dimension) are unit. 0 for fewer than two."""
    n = len(vectors)
    if n < 2:
        return 0.0
    # The cosines of all ordered pairs, those of a vector with itself included, sum to |sum|^2.
    total = float(np.square(vectors.sum(axis=0, dtype=np.float64)).sum())
    return 1.0 - (total - n) / (n * (n - 1))


def mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0


def percentile(values: Sequence[float], share: float) -> float:
    """Nearest-rank percentile; `share` in 0..1; 0 for no values."""
    if not values:
        return 0.0
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, max(0, round(share * (len(ordered) - 1))))]
