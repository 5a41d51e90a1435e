"""Signals of every candidate, given the passages that were chosen before it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from core.retrieval.selection.pool import ALONE, LINKS, Pool

_STEPS = 3  # passages that are told apart by number: none, one, two, more
NEWS = ("new_words", "words_left", "new_name", "new_title", "title_again")
SIGNALS = (*ALONE, *LINKS, *NEWS, *(f"step_{step}" for step in range(_STEPS + 1)))


def signals(pool: Pool, chosen: Sequence[int]) -> NDArray[np.float64]:
    """(n, len(SIGNALS)): alone, the strongest link from any chosen passage, and what would be new."""
    n, picked = len(pool), list(chosen)
    links = pool.links[picked].max(0) if picked else np.zeros((n, len(LINKS)))
    seen_words, seen_names, seen_titles = (
        table[picked].max(0, initial=0.0) for table in (pool.words, pool.names, pool.titles)
    )
    total = max(float(pool.rarity.sum()), 1e-9)
    left = pool.rarity * (1.0 - seen_words)
    news = np.stack(
        [
            (pool.words * left).sum(1) / total,
            np.full(n, left.sum() / total),
            (pool.names * (1.0 - seen_names)).max(1, initial=0.0),
            (pool.titles * (1.0 - seen_titles)).max(1, initial=0.0),
            (pool.titles * seen_titles).max(1, initial=0.0),
        ],
        axis=1,
    )
    step = np.zeros((n, _STEPS + 1))
    step[:, min(len(picked), _STEPS)] = 1.0
    return np.concatenate([pool.alone, links, news, step], axis=1)
