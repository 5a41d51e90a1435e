"""Reads a workspace into the arrays that retrieval works on."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from core.graph.build import Edges, KnowledgeGraph, build_graph
from core.index.vector import Stamp, open_index
from core.retrieval.corpus import Corpus, sentence_entities
from core.store.entities import EntityRow
from core.store.store import Store


def read_corpus(store: Store, model: str, dimension: int, folder: Path, synonymy: bool = True) -> Corpus:
    """The corpus as it stands. Passages without a vector yet are left out.

    `folder` holds the vector index, which is derived.
    """
    revision = store.settings.revision()
    keys, vectors = store.embeddings.all("passage")
    ids = dict(store.passages.ids())
    sentence_keys, sentence_vectors = store.embeddings.all("sentence")
    entities = store.entities.rows()
    occurrences = _known(store.entities.occurrences(), keys)
    graph = _graph(store, entities, keys, occurrences, synonymy)
    sentence_passages = np.searchsorted(keys, sentence_keys)
    mentions = _rows(store.entities.places(), graph)
    sentences = _rows(store.passages.sentence_starts(), graph, entities=False)
    starts, named = sentence_entities(mentions, sentences, sentence_passages)
    counts = np.bincount(
        np.searchsorted(graph.entity_keys, occurrences[:, 0]), minlength=len(entities)
    ).astype(np.int64)
    return Corpus(
        passage_ids=tuple(ids[int(key)] for key in keys),
        passage_vectors=vectors,
        passage_index=open_index(vectors, keys, Stamp(model, dimension, "ip", revision, len(keys)), folder),
        sentence_vectors=sentence_vectors,
        sentence_passages=sentence_passages,
        sentence_starts=np.searchsorted(sentence_passages, np.arange(len(keys) + 1)).astype(np.int64),
        entity_ids=tuple(row.id for row in entities),
        entity_names=tuple(row.name for row in entities),
        entity_labels=tuple(row.label for row in entities),
        entity_rows=_named(store, entities),
        entity_passages=counts,
        named_starts=starts,
        named_entities=named,
        graph=graph,
    )


def _named(store: Store, entities: Sequence[EntityRow]) -> dict[str, int]:
    """Row by every normal form that an entity goes by."""
    rows = {row.key: at for at, row in enumerate(entities)}
    found = {normal: rows[head] for normal, head in store.entities.aliases() if head in rows}
    return found | {row.normal: at for at, row in enumerate(entities)}


def _graph(
    store: Store,
    entities: Sequence[EntityRow],
    passages: NDArray[np.int64],
    occurrences: NDArray[np.int64],
    synonymy: bool,
) -> KnowledgeGraph:
    entity_keys = np.array([row.key for row in entities], dtype=np.int64)
    columns = store.facts.columns()
    facts = Edges(np.stack([columns.subjects, columns.objects], axis=1), columns.strengths)
    synonyms = Edges(*store.synonyms.edges()) if synonymy else Edges(np.zeros((0, 2), np.int64), np.zeros(0))
    held = Edges(occurrences[:, :2], np.ones(len(occurrences)))
    return build_graph(entity_keys, passages, facts, held, synonyms)


def _known(rows: NDArray[np.int64], passages: NDArray[np.int64]) -> NDArray[np.int64]:
    """Rows (entity, passage, ...) whose passage has a vector."""
    return rows[np.isin(rows[:, 1], passages)]


def _rows(table: NDArray[np.int64], graph: KnowledgeGraph, entities: bool = True) -> NDArray[np.int64]:
    """Keys to row numbers: first column passages, second entities when `entities`."""
    table = table[np.isin(table[:, 0], graph.passage_keys)].copy()
    table[:, 0] = np.searchsorted(graph.passage_keys, table[:, 0])
    if entities:
        table[:, 1] = np.searchsorted(graph.entity_keys, table[:, 1])
    return table
