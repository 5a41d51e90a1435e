"""The map of the graph: that it repeats, and that it stays what it was while the graph grows."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from core.graph.layout import force_layout
from core.research.synthetic.workspace import planted_graph

N, ISLAND = 600, 60


def grown(share: float) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.float32]]:
    """Where nodes stood before this share of the graph came, and where they are then: laid out anew, and kept."""
    edges = planted_graph(N, 4 * N, seed=3, mixed=False)
    communities = (np.arange(N) // ISLAND).astype(np.int32)
    old = np.sort(np.random.default_rng(0).choice(N, round(N * (1 - share)), replace=False))
    row = np.full(N, -1)
    row[old] = np.arange(len(old))
    inner = row[edges][(row[edges] >= 0).all(axis=1)]
    before = np.full((N, 2), np.nan, np.float32)
    before[old] = force_layout(len(old), inner, np.ones(len(inner)), communities[old])
    anew, kept = (force_layout(N, edges, np.ones(len(edges)), communities, before=b) for b in (None, before))
    assert np.array_equal(kept, force_layout(N, edges, np.ones(len(edges)), communities, before=before))
    return before, anew, kept


def moved(before: NDArray[np.float32], after: NDArray[np.float32]) -> float:
    """The median way of those that were there, in shares of the map."""
    told = ~np.isnan(before[:, 0])
    way = np.linalg.norm(after[told] - before[told], axis=1)
    return float(np.median(way) / np.ptp(before[told], axis=0).max())


@pytest.mark.parametrize("share", [0.0, 0.15, 0.3])
def test_a_map_that_grows_keeps_its_places(share: float) -> None:
    before, anew, kept = grown(share)
    assert np.isfinite(kept).all()
    assert moved(before, kept) < 0.1
    if share:
        assert moved(before, kept) < moved(before, anew) / 2


def test_with_most_of_it_new_the_map_is_made_anew() -> None:
    before, anew, kept = grown(0.7)
    assert np.array_equal(anew, kept) and not np.isnan(before).all()


def test_new_islands_come_beside_what_they_are_linked_with() -> None:
    communities = np.repeat(np.arange(4, dtype=np.int32), 3)
    rings = [(3 * c + a, 3 * c + b) for c in range(4) for a, b in ((0, 1), (1, 2), (2, 0))]
    edges = np.array([*rings, (0, 3), (3, 6), (9, 6)])  # the last island is new, and linked with the third
    before = np.full((12, 2), np.nan, np.float32)
    for island, centre in enumerate([(-8, 0), (0, 0), (8, 0)]):
        before[3 * island : 3 * island + 3] = np.add(centre, [(0, 1), (-1, -1), (1, -1)])
    found = force_layout(12, edges, np.ones(len(edges)), communities, before=before)
    middles = found.reshape(4, 3, 2).mean(axis=1)
    assert np.argmin(np.linalg.norm(middles[:3] - middles[3], axis=1)) == 2
