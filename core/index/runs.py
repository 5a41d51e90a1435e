"""Rows by ascending key, and lists of entries by row (CSR): where they stand, and whose they are."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.int64]


def found_in(keys: Rows, wanted: Rows) -> tuple[Rows, Rows]:
    """Rows of `keys`, ascending, that are wanted, and where they stand in `wanted`."""
    if not len(keys):
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    at = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    there = np.flatnonzero(keys[at] == wanted)
    return at[there], there


def run_entries(starts: NDArray[Any], rows: Rows) -> tuple[Rows, Rows]:
    """Places of all entries of these rows, and at which of `rows` each stands."""
    first = starts[rows].astype(np.int64)
    counts = starts[rows + 1].astype(np.int64) - first
    owners = np.repeat(np.arange(len(rows)), counts)
    return np.arange(len(owners)) + (first - np.cumsum(counts) + counts)[owners], owners


def run_of(starts: Rows, places: Rows) -> Rows:
    """Whose each of these entries is."""
    found: Rows = np.searchsorted(starts, places, side="right") - 1
    return found


def offsets(owners: Rows, count: int) -> Rows:
    """Where the entries of each of `count` owners begin, (count + 1,), among `owners`, ascending."""
    return np.searchsorted(owners, np.arange(count + 1)).astype(np.int64)
