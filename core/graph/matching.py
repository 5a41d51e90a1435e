"""Which of the new communities are the old ones: by what they share."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

LEAST = 0.25  # of the entities of both together, shared: less, and it is another community


def matched(old: NDArray[np.int64], new: NDArray[np.int64]) -> dict[int, int]:
    """Old community by new one, each used once, those that share most first.

    `old` and `new` (n,) are the communities of the same entities; below 0 where an entity had none.
    """
    both = (old >= 0) & (new >= 0)
    pairs, shared = np.unique(np.stack([new[both], old[both]], axis=1), axis=0, return_counts=True)
    if not len(pairs):
        return {}
    of_new, of_old = _sizes(new), _sizes(old)
    found: dict[int, int] = {}
    taken: set[int] = set()
    for at in np.lexsort((pairs[:, 1], pairs[:, 0], -shared)).tolist():
        one, other = int(pairs[at, 0]), int(pairs[at, 1])
        together = of_new[one] + of_old[other] - int(shared[at])
        if one not in found and other not in taken and shared[at] >= LEAST * together:
            found[one] = other
            taken.add(other)
    return found


def _sizes(labels: NDArray[np.int64]) -> dict[int, int]:
    names, counts = np.unique(labels, return_counts=True)
    return dict(zip(names.tolist(), counts.tolist(), strict=True))
