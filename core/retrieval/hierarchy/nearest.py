"""Communities and entities by meaning: their vectors (Deep GraphRAG 2.1.1, eq. 1) in an index of their own."""

from __future__ import annotations

import threading
from collections.abc import Callable, Set

import numpy as np
from numpy.typing import NDArray

from core.index.vector import COMMUNITIES, ENTITIES, IndexFolder, Stamp, open_index
from core.protocols import VectorIndex
from core.retrieval.corpus import Corpus
from core.retrieval.hierarchy.tree import Tree, joined

MOST_ENTITIES = 50_000  # the most mentioned; their index takes some 40 s and 80 MB once

Numbers = NDArray[np.int64]
Vectors = NDArray[np.float32]


class Nearest:
    """Over one snapshot. `open` it first, off the window's thread; then it is safe from every thread."""

    def __init__(self, corpus: Corpus, tree: Callable[[], Tree], without: Set[str]) -> None:
        """Entities of labels `without` are left out."""
        self._corpus = corpus
        self._tree = tree
        self._without = without
        self._lock = threading.Lock()
        self._communities: tuple[Numbers, VectorIndex] | None = None
        self._entities: tuple[Numbers, VectorIndex] | None = None

    @property
    def ready(self) -> bool:
        """Whether it was opened."""
        return self._entities is not None

    def open(self, model: str, revision: int, folder: IndexFolder | None) -> None:
        """Build the indexes, or bring those that are kept in `folder` up to date. One thread does it."""
        with self._lock:
            if not self.ready:
                self._open(model, revision, folder)

    def _open(self, model: str, revision: int, folder: IndexFolder | None) -> None:
        tree = self._tree()
        keys, vectors = community_vectors(tree)
        self._communities = keys, _index(keys, vectors, model, revision, folder, COMMUNITIES)
        rows, joined = entity_vectors(self._corpus, tree, self._without)
        keys = self._corpus.graph.entity_keys[rows]
        self._entities = rows, _index(keys, joined, model, revision, folder, ENTITIES)

    def communities(self, vector: Vectors, k: int) -> list[tuple[int, float]]:
        """Keys of the k communities nearest to a unit vector (d,), of all levels, with their cosines."""
        if self._communities is None:
            return []
        keys, index = self._communities
        found, cosines = index.search(vector[None], k)
        return [(int(keys[at]), float(cosine)) for at, cosine in zip(found[0], cosines[0], strict=True)]

    def entities(self, vector: Vectors, k: int) -> list[tuple[str, float]]:
        """Ids of the k entities nearest to a unit vector (d,), with the mean of the cosines with what is said
        of them and with their community."""
        if self._entities is None:
            return []
        rows, index = self._entities
        found, cosines = index.search(vector[None], k)
        ids = self._corpus.entity_ids
        return [(ids[int(rows[at])], float(cosine)) for at, cosine in zip(found[0], cosines[0], strict=True)]


def community_vectors(tree: Tree) -> tuple[Numbers, Vectors]:
    """Keys of all communities that something is known of, (n,) ascending, and their unit vectors, (n, d)."""
    if not tree.levels:
        return np.zeros(0, np.int64), np.zeros((0, 1), np.float32)
    keys = np.concatenate([level.keys for level in tree.levels])
    vectors = np.concatenate([level.vectors for level in tree.levels])
    known = np.flatnonzero(np.abs(vectors).max(axis=1) > 0)
    order = known[np.argsort(keys[known], kind="stable")]
    return keys[order], vectors[order]


def entity_vectors(corpus: Corpus, tree: Tree, without: Set[str] = frozenset()) -> tuple[Numbers, Vectors]:
    """Rows of entities with a description, ascending, and their D(v), (n, d), see `joined`.

    None of labels `without`; where there are too many, the most mentioned.
    """
    if not tree.levels:
        return np.zeros(0, np.int64), np.zeros((0, 1), np.float32)
    named = np.array([label not in without for label in corpus.entity_labels], dtype=bool)
    rows = np.flatnonzero(named & (tree.levels[0].home >= 0) & (np.diff(tree.sentence_starts) > 0))
    if len(rows) > MOST_ENTITIES:
        most = np.argsort(-corpus.entity_passages[rows], kind="stable")[:MOST_ENTITIES]
        rows = np.sort(rows[most])
    return rows, joined(corpus, tree, rows)


def _index(
    keys: Numbers, vectors: Vectors, model: str, revision: int, folder: IndexFolder | None, name: str
) -> VectorIndex:
    stamp = Stamp(model, int(vectors.shape[1]), "ip", revision, len(keys))
    return open_index(vectors, keys, stamp, folder, name)
