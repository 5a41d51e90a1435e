"""What the routes found for a question: the material that a router learns from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
ROUTES = ("dense", "fusion", "graph")
WALK = "walk"


@dataclass(frozen=True, slots=True)
class RoutedQuestion:
    """A question with the quality (0 to 1) that each route of ROUTES reached, and the seconds it took.

    `quality` may also hold WALK: what the graph's first stage reached by itself.
    """

    question: str
    quality: Mapping[str, float]
    seconds: Mapping[str, float]
    group: str = ""  # data set and kind: groups are balanced against each other and reported apart


def qualities(records: Sequence[RoutedQuestion]) -> Array:
    """Shape (n_records, 3), columns as in ROUTES."""
    rows = [[record.quality[route] for route in ROUTES] for record in records]
    return np.array(rows, dtype=np.float64).reshape(-1, len(ROUTES))


def seconds(records: Sequence[RoutedQuestion]) -> Array:
    """Median seconds of each route over the questions, shape (3,); medians, as first calls compile."""
    rows = [[record.seconds.get(route, 0.0) for route in ROUTES] for record in records]
    middle: Array = np.median(np.array(rows, dtype=np.float64).reshape(-1, len(ROUTES)), axis=0)
    return middle


def gains(records: Sequence[RoutedQuestion]) -> Array:
    """Quality of the walk minus quality of dense, shape (n_records,), in -1 to 1. Zero: they agree.

    The second stage mends most of what a walk misses and would hide which questions want a walk;
    where the walk's own quality is not known, the graph route's stands for it.
    """
    return np.array(
        [record.quality.get(WALK, record.quality["graph"]) - record.quality["dense"] for record in records],
        dtype=np.float64,
    )


def weights(records: Sequence[RoutedQuestion]) -> Array:
    """How much each question counts in training, shape (n_records,), mean 1 over those that disagree.

    A question counts by what is to be won, and one of a large group less: by the root of its
    group's size, so that 900 plain questions do not drown 100 chained ones, nor the reverse. Both
    labels count the same in all; calibration brings their true shares back.
    """
    gained = gains(records)
    sizes: dict[str, int] = {}
    for record, gain in zip(records, gained, strict=True):
        sizes[record.group] = sizes.get(record.group, 0) + bool(gain)
    counted = np.abs(gained) / np.sqrt([max(sizes[r.group], 1) for r in records])
    for side in (gained > 0, gained < 0):
        counted[side] /= max(float(counted[side].sum()), 1e-12)
    held: Array = counted * (max(int((gained != 0).sum()), 1) / 2)
    return held
