"""What follows from the facts: names, synonyms, communities, places. Done once after each run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from core.config import GraphConfig
from core.graph.build import Edges, undirected
from core.graph.communities import leiden
from core.graph.files import save_edges
from core.graph.layout import force_layout
from core.graph.synonymy import synonym_edges
from core.progress import TaskContext
from core.store.store import Store

_NAMES = 512  # names a transaction
# Near in meaning, and not the same: dates, amounts, ordinals and plain nouns have no synonyms here.
_UNLINKED = frozenset({"DATE", "TIME", "CARDINAL", "ORDINAL", "QUANTITY", "MONEY", "PERCENT", "NOUN"})


class Embed(Protocol):
    """Vectors of short texts."""

    def embed(self, texts: Sequence[str], context: TaskContext) -> NDArray[np.float32]: ...


class Index(Protocol):
    """Nearest neighbours over the names' vectors."""

    def search(
        self, queries: NDArray[np.float32], k: int
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]: ...


def derive(
    store: Store,
    embedder: Embed,
    make_index: Callable[[NDArray[np.float32]], Index],
    folder: Path,
    config: GraphConfig,
    context: TaskContext,
) -> None:
    """Sweep what nothing supports, then rebuild synonyms, communities and layout."""
    store.facts.sweep()
    store.entities.sweep()
    store.entities.relabel()
    store.documents.finish()
    _embed_names(store, embedder, context)
    store.settings.touch()
    context.report("synonyms", 0, 1)
    synonyms = _synonyms(store, make_index, config)
    save_edges(folder, synonyms, store.settings.revision())
    context.report("communities", 0, 1)
    _place(store, config, context)


def _embed_names(store: Store, embedder: Embed, context: TaskContext) -> None:
    missing = store.embeddings.missing_entities()
    for first in range(0, len(missing), _NAMES):
        context.report("names", first, len(missing))
        part = missing[first : first + _NAMES]
        vectors = embedder.embed([name for _, name in part], context)
        with store.database.transaction() as connection:
            store.embeddings.put(
                connection, "entity", [(key, vectors[at]) for at, (key, _) in enumerate(part)]
            )
    context.report("names", len(missing), len(missing))


def _synonyms(store: Store, make_index: Callable[[NDArray[np.float32]], Index], config: GraphConfig) -> Edges:
    labels = {row.key: row.label for row in store.entities.rows()}
    keys, vectors = store.embeddings.all("entity")
    linkable = np.array([labels.get(int(key), "NOUN") not in _UNLINKED for key in keys], dtype=bool)
    keys, vectors = keys[linkable], vectors[linkable]
    if not len(keys):
        return Edges(np.zeros((0, 2), dtype=np.int64), np.zeros(0))
    return synonym_edges(
        keys,
        vectors,
        make_index(vectors),
        np.ones(len(keys), dtype=bool),
        config.synonymy_threshold,
        config.synonymy_neighbours,
    )


def _place(store: Store, config: GraphConfig, context: TaskContext) -> None:
    """Communities and places over the fact edges; entities without facts stand outside."""
    rows = store.entities.rows()
    keys = np.array([row.key for row in rows], dtype=np.int64)
    # By id, not by row: an interrupted run must draw the same picture.
    order = np.argsort(np.array([row.id for row in rows])) if rows else np.zeros(0, dtype=np.int64)
    rank = np.empty(len(rows), dtype=np.int64)
    rank[order] = np.arange(len(rows))
    columns = store.facts.columns()
    ends = np.stack(
        [rank[np.searchsorted(keys, columns.subjects)], rank[np.searchsorted(keys, columns.objects)]], axis=1
    )
    edges = undirected(ends, columns.strengths)
    communities = leiden(len(rows), edges.ends, edges.weights, seed=config.seed)
    context.report("layout", 0, 1)
    positions = force_layout(len(rows), edges.ends, edges.weights, communities, config.seed)
    linked = np.zeros(len(rows), dtype=bool)
    linked[edges.ends.ravel()] = True
    communities = np.where(linked, communities, -1)
    store.layout.replace(
        (int(keys[at]), int(communities[place]), float(positions[place, 0]), float(positions[place, 1]))
        for at, place in enumerate(rank)
    )
    context.report("layout", 1, 1)
