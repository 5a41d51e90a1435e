"""Reads the hierarchy from the store, once for a snapshot."""

from __future__ import annotations

import threading
from collections.abc import Callable

import numpy as np

from core.retrieval.corpus import Corpus
from core.retrieval.hierarchy.tree import Homes, Tree, build_tree
from core.store.store import Store


def tree_over(corpus: Corpus, store: Store) -> Callable[[], Tree]:
    """Gives the tree; built when it is asked for first, by one thread."""
    lock = threading.Lock()
    built: list[Tree] = []

    def tree() -> Tree:
        with lock:
            if not built:
                built.append(build_tree(corpus, read_homes(store)))
            return built[0]

    return tree


def read_homes(store: Store) -> Homes:
    rows = store.communities.rows()
    entities, homes = store.communities.members()
    return Homes(
        np.array([row.key for row in rows], dtype=np.int64),
        np.array([row.level for row in rows], dtype=np.int64),
        np.array([-1 if row.parent is None else row.parent for row in rows], dtype=np.int64),
        entities,
        homes,
    )
