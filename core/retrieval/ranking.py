"""From scores to hits."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from core.types import Hit


def top_hits(scores: NDArray[np.float64], ids: Sequence[str], k: int) -> tuple[Hit, ...]:
    """The k best passages of `scores`, (n_passages,); ties in the order of the corpus."""
    k = min(k, len(scores))
    if k <= 0:
        return ()
    order = np.argsort(-scores, kind="stable")[:k]
    return numbered((ids[row], float(scores[row])) for row in order)


def numbered(pairs: Iterable[tuple[str, float]]) -> tuple[Hit, ...]:
    """Hits with ranks from 1, in the order given."""
    return tuple(Hit(passage_id, score, rank) for rank, (passage_id, score) in enumerate(pairs, start=1))
