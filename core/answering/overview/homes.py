"""The community that each group of passages speaks of most, so that a theme leads to a place in the graph."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from core.retrieval.corpus import Corpus
from core.store.communities import CommunityRow
from core.store.store import Store


def homes(store: Store, corpus: Corpus, groups: Sequence[NDArray[np.int64]]) -> list[CommunityRow | None]:
    """Another community for each group of rows, of the highest level that has as many; None where there is none.

    Of all ways to give them away the one in which most mentions are at home, each counted by the square root of how
    often its community is named: a large one is named everywhere.
    """
    from scipy.optimize import linear_sum_assignment

    rows = {row.key: row for row in store.communities.rows()}
    if not rows or not groups:
        return [None] * len(groups)
    entities, home = store.communities.members()
    keys = np.unique(home)
    for _ in range(store.communities.levels() - 1):
        above = np.array([rows[int(key)].parent or int(key) for key in home.tolist()], dtype=np.int64)
        if len(np.unique(above)) < len(groups):
            break
        home = above
    keys, numbers = np.unique(home, return_inverse=True)
    own = np.full(len(corpus.entity_ids), -1)
    at = np.searchsorted(corpus.graph.entity_keys, entities)
    there = (at < len(own)) & (corpus.graph.entity_keys[np.minimum(at, len(own) - 1)] == entities)
    own[at[there]] = numbers[there]
    passages = np.repeat(corpus.sentence_passages, np.diff(corpus.named_starts))
    group = np.full(len(corpus.passage_ids), -1)
    for number, members in enumerate(groups):
        group[members] = number
    named = own[corpus.named_entities]
    inside = (named >= 0) & (group[passages] >= 0)
    counts = np.zeros((len(groups), len(keys)))
    np.add.at(counts, (group[passages][inside], named[inside]), 1.0)
    counts /= np.sqrt(np.maximum(np.bincount(named[named >= 0], minlength=len(keys)), 1))
    found: list[CommunityRow | None] = [None] * len(groups)
    for number, key in zip(*linear_sum_assignment(counts, maximize=True), strict=True):
        found[number] = rows[int(keys[key])]
    return found
