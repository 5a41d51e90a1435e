"""The graphs of two workspaces on one layout, so that the same name stands in the same place in both."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from core.types import CommonLayout, GraphView

_ROUNDS = 8  # how far from a name that both have one of the second may lie and still be drawn near it


def common_layout(first: GraphView, second: GraphView | None = None) -> CommonLayout:
    """Those of `first` where they stand; what only `second` has, at the mean of its neighbours there.

    What is joined to nothing of `first` keeps its own place, both graphs laid into one frame.
    """
    if second is None:
        return CommonLayout(first.ids, first.names, first.positions)
    known = {id: row for row, id in enumerate(first.ids)}
    at = np.array([known.get(id, -1) for id in second.ids], dtype=np.int64)
    places = _framed(second.positions, first.positions)
    places[at >= 0] = first.positions[at[at >= 0]]
    _pull(places, at >= 0, second.edges)
    only = np.flatnonzero(at < 0)
    return CommonLayout(
        (*first.ids, *(second.ids[row] for row in only)),
        (*first.names, *(second.names[row] for row in only)),
        np.concatenate([first.positions, places[only]]).astype(np.float32),
    )


def _pull(places: NDArray[np.float64], placed: NDArray[np.bool_], edges: NDArray[np.int32]) -> None:
    """Put each row to the mean of its neighbours that have a place, outwards from those; in place."""
    placed = placed.copy()
    one, other = np.concatenate([edges, edges[:, ::-1]]).T
    for _ in range(_ROUNDS):
        telling = placed[other] & ~placed[one]
        if not telling.any():
            return
        sums, counts = np.zeros_like(places), np.zeros(len(places))
        np.add.at(sums, one[telling], places[other[telling]])
        np.add.at(counts, one[telling], 1)
        found = counts > 0
        places[found] = sums[found] / counts[found, None]
        placed |= found


def _framed(points: NDArray[np.float32], frame: NDArray[np.float32]) -> NDArray[np.float64]:
    """Points moved and scaled into the box of others, shape kept."""
    if not len(points) or not len(frame):
        return points.astype(np.float64)
    low, high = frame.min(axis=0), frame.max(axis=0)
    own_low, own_high = points.min(axis=0), points.max(axis=0)
    scale = float(np.min((high - low) / np.maximum(own_high - own_low, 1e-6))) or 1.0
    framed: NDArray[np.float64] = (points - (own_low + own_high) / 2) * scale + (low + high) / 2
    return framed
