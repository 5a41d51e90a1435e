"""Numbers of very many rows in arrays, read some thousands at a time: no object of Python for each of them."""

from __future__ import annotations

from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

_AT_ONCE = 1 << 15  # rows


def whole_numbers(cursor: Any, width: int) -> NDArray[np.int64]:
    """All rows of a query for `width` whole numbers, (n, width)."""
    found = [np.zeros(0, np.int64)]
    while rows := cursor.fetchmany(_AT_ONCE):
        found.append(np.fromiter(chain.from_iterable(rows), np.int64, width * len(rows)))
    return np.concatenate(found).reshape(-1, width)


def weighted_numbers(cursor: Any, width: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Of a query for `width` whole numbers, (n, width), and a real one behind them, (n,)."""
    found, weights = [np.zeros((0, width), np.int64)], [np.zeros(0, np.float64)]
    while rows := cursor.fetchmany(_AT_ONCE):
        part = np.fromiter(chain.from_iterable(rows), np.float64, (width + 1) * len(rows))
        part = part.reshape(-1, width + 1)
        found.append(part[:, :width].astype(np.int64))
        weights.append(part[:, width].copy())
    return np.concatenate(found), np.concatenate(weights)
