"""Reads a workspace into the arrays that retrieval works on."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from core.graph.build import Edges, KnowledgeGraph, build_graph
from core.identity import without_sense
from core.index.quantising import vector_table
from core.index.texts import Ids
from core.index.vector_table import VectorTable
from core.retrieval.corpus import Corpus, sentence_entities
from core.retrieval.fact_graph import fact_graph
from core.retrieval.kept_snapshot import Linked, Made, Snapshot, snapshot_of
from core.store.entities import EntityRow
from core.store.facts import FactColumns
from core.store.store import Store

Tables = tuple[VectorTable, VectorTable]  # of passages and of sentences


@dataclass(frozen=True, slots=True)
class Extracted:
    """What extraction gave, as the store holds it. Keys refer to rows of the store."""

    entities: tuple[EntityRow, ...]  # by key
    aliases: tuple[tuple[str, int], ...]  # (normal form, key of the entity)
    occurrences: NDArray[np.int64]  # (n, 3): entity key, passage key, count
    places: NDArray[np.int64]  # (n, 3): passage key, entity key, start
    facts: FactColumns
    synonyms: Edges  # between entity keys


def read_extracted(store: Store, synonymy: bool = True) -> Extracted:
    """All of it; without the synonyms where they are not wanted."""
    none = Edges(np.zeros((0, 2), np.int64), np.zeros(0))
    return Extracted(
        entities=tuple(store.entities.rows()),
        aliases=tuple(store.entities.aliases()),
        occurrences=store.entities.occurrences(),
        places=store.entities.places(),
        facts=store.facts.columns(),
        synonyms=Edges(*store.synonyms.edges()) if synonymy else none,
    )


def read_corpus(
    store: Store,
    extracted: Extracted,
    exact_up_to: int,
    tables: Tables | None = None,
) -> Corpus:
    """The corpus as it stands, over what was extracted, without passages that have no vector yet or may not be found.

    `tables` of the vectors of just these passages and sentences, where they are at hand.
    """
    found = store.candidates.passages()
    keys, sentence_keys = store.embeddings.owner_keys("passage"), store.embeddings.owner_keys("sentence")
    ids = dict(store.passages.ids())
    if found is not None:
        keys, sentence_keys = keys[np.isin(keys, found)], sentence_keys[np.isin(sentence_keys, found)]
    if tables is None:
        dimension = store.embeddings.dimension
        read = partial(store.embeddings.blocks, only=found)
        tables = (
            vector_table(len(keys), dimension, partial(read, "passage"), True, exact_up_to),
            vector_table(len(sentence_keys), dimension, partial(read, "sentence"), False, exact_up_to),
        )
    entities = extracted.entities
    occurrences = _known(extracted.occurrences, keys)
    graph = _graph(extracted, keys, occurrences)
    sentence_passages = np.searchsorted(keys, sentence_keys)
    mentions = _rows(extracted.places, graph)
    sentences = _rows(store.passages.sentence_starts(), graph, entities=False)
    starts, named = sentence_entities(mentions, sentences, sentence_passages)
    counts = np.bincount(
        np.searchsorted(graph.entity_keys, occurrences[:, 0]), minlength=len(entities)
    ).astype(np.int64)
    return Corpus(
        passage_ids=Ids.of(ids[int(key)] for key in keys),
        passage_vectors=tables[0],
        sentence_vectors=tables[1],
        sentence_passages=sentence_passages,
        sentence_starts=np.searchsorted(sentence_passages, np.arange(len(keys) + 1)).astype(np.int64),
        entity_ids=Ids.of(row.id for row in entities),
        entity_names=tuple(row.name for row in entities),
        entity_labels=tuple(row.label for row in entities),
        entity_rows=_named(extracted, counts),
        entity_passages=counts,
        named_starts=starts,
        named_entities=named,
        graph=graph,
    )


def read_snapshot(store: Store, made: Made, extracted: Extracted, tables: Tables | None = None) -> Snapshot:
    """All of it, read as a whole. `extracted` is what was read of the store, or a changed copy of that."""
    corpus = read_corpus(store, extracted, made.exact_up_to, tables)
    of = store.passages.documents()
    documents = np.fromiter((of[id] for id in corpus.passage_ids), np.int64, len(corpus.passage_ids))
    facts = fact_graph(corpus.graph, extracted.facts, corpus.entity_labels)
    ends = np.searchsorted(corpus.graph.entity_keys, extracted.synonyms.ends).astype(np.int32)
    linked = Linked(ends, extracted.synonyms.weights.astype(np.float32))
    return snapshot_of(corpus, facts, documents, made.exact_up_to, linked)


def _named(extracted: Extracted, counts: NDArray[np.int64]) -> dict[str, tuple[int, ...]]:
    """Rows by every normal form that an entity goes by, in whatever sense, the most mentioned first."""
    rows = {row.key: at for at, row in enumerate(extracted.entities)}
    names = [(normal, rows[head]) for normal, head in extracted.aliases if head in rows]
    found: dict[str, set[int]] = defaultdict(set)
    for normal, at in [*names, *((row.normal, at) for at, row in enumerate(extracted.entities))]:
        found[without_sense(normal)].add(at)
    return {normal: tuple(sorted(own, key=lambda at: (-counts[at], at))) for normal, own in found.items()}


def _graph(
    extracted: Extracted, passages: NDArray[np.int64], occurrences: NDArray[np.int64]
) -> KnowledgeGraph:
    entity_keys = np.array([row.key for row in extracted.entities], dtype=np.int64)
    columns = extracted.facts
    facts = Edges(np.stack([columns.subjects, columns.objects], axis=1), columns.strengths)
    held = Edges(occurrences[:, :2], np.ones(len(occurrences)))
    return build_graph(entity_keys, passages, facts, held, extracted.synonyms)


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
