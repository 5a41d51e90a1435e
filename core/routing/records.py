"""What the routes found for a question: the material that a router learns from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
ROUTES = ("dense", "fusion", "graph")


@dataclass(frozen=True, slots=True)
class RoutedQuestion:
    """A question with the quality (0 to 1) that each route reached and the seconds each took."""

    question: str
    dense: float
    fusion: float
    graph: float
    dense_seconds: float = 0.0
    fusion_seconds: float = 0.0
    graph_seconds: float = 0.0
    group: str = ""  # data set and kind: groups are balanced against each other and reported apart


def qualities(records: Sequence[RoutedQuestion]) -> Array:
    """Shape (n_records, 3), columns as in ROUTES."""
    return np.array([(r.dense, r.fusion, r.graph) for r in records], dtype=np.float64).reshape(-1, 3)


def seconds(records: Sequence[RoutedQuestion]) -> Array:
    """Median seconds of each route over the questions, shape (3,); medians, as first calls compile."""
    rows = [(r.dense_seconds, r.fusion_seconds, r.graph_seconds) for r in records]
    middle: Array = np.median(np.array(rows, dtype=np.float64).reshape(-1, 3), axis=0)
    return middle


def gains(records: Sequence[RoutedQuestion]) -> Array:
    """Quality of graph minus quality of dense, shape (n_records,), in -1 to 1. Zero: they agree."""
    found = qualities(records)
    gained: Array = found[:, 2] - found[:, 0]
    return gained


def weights(records: Sequence[RoutedQuestion]) -> Array:
    """How much each question counts in training, shape (n_records,), mean 1 over those that disagree.

    A question counts by what is to be won, and one of a large group less: by the root of its
    group's size, so that 900 plain questions do not drown 100 chained ones, nor the reverse.
    """
    sizes: dict[str, int] = {}
    stake = np.abs(gains(records))
    for record, at_stake in zip(records, stake, strict=True):
        sizes[record.group] = sizes.get(record.group, 0) + bool(at_stake)
    counted = stake / np.sqrt([max(sizes[r.group], 1) for r in records])
    held: Array = counted / (counted[counted > 0].mean() if (counted > 0).any() else 1.0)
    return held
