"""Retrieval metrics of one ranking, and their means."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

RECALL_AT = (2, 5, 10)
ALL_AT = (5, 8)
DEPTH = 10
DIVERSE_AT = 5
_FOUND = (*(f"recall@{k}" for k in RECALL_AT), *(f"all@{k}" for k in ALL_AT), "mrr")
RANKING = (*_FOUND, "diversity")
PRECISE_AT = 5
PRECISION = f"precision@{PRECISE_AT}"  # share of the first passages that belong to a gold document
QUOTING = tuple(f"quote {name}" for name in _FOUND)
ANSWERING = ("exact", "f1", "contains")
# For answerable and for unanswerable questions; a guess is not an answer here.
ANSWERED, ABSTAINED = "answered", "abstained"
WRONG_ANSWER = "wrong shown"  # a wrong answer was displayed, of all questions with a known answer
# A question has all measures of a group or none.
GROUPS = (RANKING, (PRECISION,), QUOTING, ANSWERING, (ANSWERED,), (ABSTAINED,), (WRONG_ANSWER,))

Ranks = Sequence[int | None]  # of each gold item, from 1; None: it was not found


def recall_at(ranked: Sequence[str], gold: frozenset[str], k: int) -> float:
    """Return the share of the gold passages among the first k; 0 without gold."""
    return len(gold.intersection(ranked[:k])) / len(gold) if gold else 0.0


def measures(ranks: Ranks) -> dict[str, float]:
    """Return recall@2, @5, @10, all@5, all@8 and mrr of one ranking, all 0 without gold."""
    found = sorted(rank for rank in ranks if rank is not None)
    shares = {k: sum(rank <= k for rank in found) / max(1, len(ranks)) for k in (*RECALL_AT, *ALL_AT)}
    measured = {f"recall@{k}": shares[k] for k in RECALL_AT}
    measured |= {f"all@{k}": float(shares[k] == 1.0) for k in ALL_AT}
    return measured | {"mrr": 1.0 / found[0] if found else 0.0}


def diversity(vectors: NDArray[np.float32]) -> float:
    """Return 1 - the mean cosine of all pairs; `vectors` (n, dimension) are unit. 0 for fewer than two."""
    n = len(vectors)
    if n < 2:
        return 0.0
    # The cosines of all ordered pairs, including each vector with itself, sum to |sum|^2.
    total = float(np.square(vectors.sum(axis=0, dtype=np.float64)).sum())
    return 1.0 - (total - n) / (n * (n - 1))


def mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0


def percentile(values: Sequence[float], share: float) -> float:
    """Return the nearest-rank percentile; `share` in 0..1; 0 for no values."""
    if not values:
        return 0.0
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, max(0, round(share * (len(ordered) - 1))))]
