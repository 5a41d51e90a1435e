"""Keeps the ties by association in step with the mentions: all of them anew, or those of names that changed."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from core.graph.association import Counts, Ties, associate
from core.store.store import Store


def update_ties(store: Store, around: Sequence[int] | None = None) -> None:
    """Make all ties, or those of the entities `around`, of mentions outside of lists of references."""
    rows = store.map_edges.mentions(around)
    rows = rows[~store.reference_lists.inside(rows[:, 0], rows[:, 2])]
    keys, names = np.unique(rows[:, 1], return_inverse=True)
    if around is None:
        pairs = np.unique(rows[:, :2], axis=0)
        of_name = np.bincount(np.searchsorted(keys, pairs[:, 1]), minlength=len(keys))
    else:
        of_name = store.map_edges.passages_of(keys.tolist())
    counts = Counts(of_name, store.census.passages())
    joined = None
    if around is None:
        facts = store.map_edges.edges()
        facts = facts.at((facts.facts >= 0) & np.isin(facts.ends, keys).all(axis=1))
        joined = np.searchsorted(keys, facts.ends)
    ties = associate(names, rows[:, 0], _sentences(store, rows), counts, joined)
    ends = keys[ties.ends].reshape(-1, 2)
    if around is not None:
        own = np.isin(ends, list(around)).any(axis=1)
        ties = Ties(ends[own], ties.passages[own], ties.strengths[own])
    else:
        ties = Ties(ends, ties.passages, ties.strengths)
    store.map_edges.replace(ties.ends, ties.passages, ties.strengths, around)


def _sentences(store: Store, rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return a number for the sentence in which each mention, a row (passage key, entity key, start), begins, (k,)."""
    starts = store.passages.sentence_starts()
    width = int(max(rows[:, 2].max(initial=0), starts[:, 1].max(initial=0))) + 1
    begins = starts[:, 0] * width + starts[:, 1]
    before = np.searchsorted(begins, rows[:, 0] * width + rows[:, 2], side="right")
    # With the passage: what stands above its first sentence is in none of the passage before.
    return np.unique(np.stack([rows[:, 0], before], axis=1), axis=0, return_inverse=True)[1].ravel()
