"""Which groups of passages tell of all documents together: near to the question, and each for what it adds."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

_LEAST = 1e-3  # nearness of what is not near at all: what covers most comes first among those


def by_coverage(
    groups: Sequence[NDArray[np.int64]], owners: NDArray[np.int64], near: NDArray[np.float32]
) -> list[int]:
    """The groups in the order in which they are best told.

    `groups` hold numbers of passages, `owners` (n,) the number of each passage's document, `near` (groups,) the cosine
    of each group to the question. A document is covered by the root of the sum, over the groups that are told, of the
    share of its passages that is of the group times the group's nearness: a second group of a document adds less than
    the first. Each next one is the one that adds most. However many are told, they cover at least 1 - 1/e of what any
    others of that number could (Nemhauser, Wolsey and Fisher 1978).
    """
    if not groups:
        return []
    sizes = np.bincount(owners).astype(np.float64)
    shares = np.stack([np.bincount(owners[group], minlength=len(sizes)) / sizes for group in groups])
    # Coarsely: the last bits of a cosine differ from run to run.
    weighed = np.maximum(np.round(near, 4), _LEAST)[:, None] * shares
    covered = np.zeros(len(sizes))
    left, order = list(range(len(groups))), []
    while left:
        gains = (np.sqrt(covered + weighed[left]) - np.sqrt(covered)).sum(axis=1)
        order.append(left.pop(int(np.argmax(np.round(gains, 9)))))
        covered += weighed[order[-1]]
    return order
