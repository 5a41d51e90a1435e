"""From scores to hits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from heapq import heapify, heappop, heappush
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from core.index.texts import Texts
from core.types import Hit
from core.types.stages import MOST, Ranked

Scores = TypeVar("Scores", NDArray[np.float32], NDArray[np.float64])


def top_hits(scores: NDArray[np.float64], ids: Texts, k: int) -> tuple[Hit, ...]:
    """The k best passages of `scores`, (n_passages,); ties in the order of the corpus."""
    return hits_of(ids, *largest_of(np.arange(len(scores)), scores, k))


def hits_of(ids: Texts, rows: NDArray[np.int64], scores: Scores) -> tuple[Hit, ...]:
    """The passages of `rows`, (m,), with their `scores`, (m,), in the order given."""
    return numbered(zip(ids.at(rows), scores.tolist(), strict=True))


def largest_of(rows: NDArray[np.int64], scores: Scores, k: int) -> tuple[NDArray[np.int64], Scores]:
    """The k of `rows`, (m,), with the largest `scores`, (m,), by score and then by row, with these. Sorts no others."""
    k = max(0, min(k, len(rows)))
    if 0 < k < len(rows):
        # All ties at the border come along, so that the row decides between them.
        candidates = np.flatnonzero(scores >= np.partition(scores, -k)[-k])
        rows, scores = rows[candidates], scores[candidates]
    order = np.lexsort((rows, -scores))[:k]
    return rows[order], scores[order]


def numbered(pairs: Iterable[tuple[str, float]]) -> tuple[Hit, ...]:
    """Hits with ranks from 1, in the order given."""
    return tuple(Hit(passage_id, score, rank) for rank, (passage_id, score) in enumerate(pairs, start=1))


def by_rank(passages: Iterable[str]) -> tuple[Hit, ...]:
    """Return hits in the order given, each with the score 1 / rank."""
    return numbered((passage, 1.0 / rank) for rank, passage in enumerate(passages, start=1))


def diversify_by_document(
    scores: Sequence[float], owners: Sequence[object], crowding: float, k: int
) -> list[tuple[int, float]]:
    """Places of the best k with what each counts: `crowding` (0..1) as much for every better one of its owner.

    As web search does with hosts: who looks at the first results sees more than one document. Ties in the order given.
    """
    waiting = [(-score, place) for place, score in enumerate(scores)]
    heapify(waiting)
    owner_counts: Counter[object] = Counter()
    found: list[tuple[int, float]] = []
    while waiting and len(found) < k:
        priority, place = heappop(waiting)
        counts = -scores[place] * crowding ** owner_counts[owners[place]]
        if counts > priority:  # others of its owner have come before it since
            heappush(waiting, (counts, place))
            continue
        found.append((place, -counts))
        owner_counts[owners[place]] += 1
    return found


def as_ranked(name: str, hits: tuple[Hit, ...], count: int, words: Sequence[str] = ()) -> Ranked:
    """A list for the trace; `count` passages were ranked in all."""
    return Ranked(name, hits[:MOST], len(hits), count, tuple(words)[:MOST])
