"""Some passages of a snapshot as a snapshot of their own, so that nobody who reads it sees another."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from core.graph.build import KnowledgeGraph
from core.graph.push import weighted_degrees
from core.index.texts import Coded, Ids, NameTable, Texts
from core.retrieval.corpus import Corpus
from core.retrieval.fact_graph import FactGraph

Rows = NDArray[np.int64]
_ROUNDING = 1e-4  # a weight that is left by rounding alone


def restrict_to_passages(
    corpus: Corpus, facts: FactGraph, rows: Rows, fact_keys: Rows, confidences: NDArray[np.float64]
) -> tuple[Corpus, FactGraph]:
    """Return the corpus of the passages `rows`, ascending, with the entities that they mention, and their facts.

    `fact_keys`, ascending, are the facts with evidence in these passages and `confidences` the sums of that evidence.
    No other entity or fact remains. Arrays are cut; nothing is read from the store.
    """
    place = np.full(len(corpus.passage_ids), -1, dtype=np.int64)
    place[rows] = np.arange(len(rows))
    owners = place[corpus.sentence_passages]
    sentences = np.flatnonzero(owners >= 0)
    counts = np.diff(corpus.named_starts)[sentences]
    starts = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    # Positions of the remaining sentences' entities: each run begins where its sentence's did.
    named = np.repeat(corpus.named_starts[sentences] - starts[:-1], counts) + np.arange(starts[-1])
    mentioned = corpus.named_entities[named]
    n = corpus.graph.n_entities
    occurring = corpus.graph.adjacency[n + rows].indices
    entities = np.union1d(mentioned, occurring[occurring < n]).astype(np.int64)
    weights = _evidence(facts, fact_keys, confidences)
    graph = _cut(corpus.graph, facts, weights, entities, rows)
    passages = np.bincount(graph.adjacency[len(entities) :].indices, minlength=len(entities))
    passages = passages[: len(entities)].astype(np.int64)
    ids, names = (
        Texts.of(column[row] for row in entities.tolist())
        for column in (corpus.entity_ids, corpus.entity_names)
    )
    cut = replace(
        corpus,
        passage_ids=Ids.of(corpus.passage_ids[row] for row in rows.tolist()),
        passage_vectors=corpus.passage_vectors.cut(rows),
        sentence_vectors=corpus.sentence_vectors.cut(sentences),
        sentence_passages=owners[sentences],
        sentence_starts=np.searchsorted(owners[sentences], np.arange(len(rows) + 1)).astype(np.int64),
        entity_ids=Ids(ids.starts, ids.blob),
        entity_names=names,
        entity_labels=Coded.of([corpus.entity_labels[row] for row in entities.tolist()]),
        entity_rows=_names(corpus, entities, passages),
        entity_passages=passages,
        named_starts=starts,
        named_entities=np.searchsorted(entities, mentioned).astype(np.int64),
        graph=graph,
    )
    return cut, facts.restrict(entities, weights)


def _evidence(facts: FactGraph, fact_keys: Rows, confidences: NDArray[np.float64]) -> NDArray[np.float32]:
    """Return the confidence that each entry of `facts` has from the given evidence, 0 without any."""
    if not len(fact_keys):
        return np.zeros_like(facts.told)
    at = np.minimum(np.searchsorted(fact_keys, facts.keys), len(fact_keys) - 1)
    found = np.where(fact_keys[at] == facts.keys, confidences[at], 0.0)
    return np.minimum(found, facts.told).astype(np.float32)


def _names(corpus: Corpus, entities: Rows, passages: Rows) -> NameTable:
    """Return the names of these entities alone, the most mentioned first of those that share one."""
    table = corpus.entity_rows
    table = table if isinstance(table, NameTable) else NameTable.of(table)
    place = np.full(corpus.graph.n_entities, -1, dtype=np.int64)
    place[entities] = np.arange(len(entities))
    rows = place[table.rows]
    owners = np.repeat(np.arange(len(table)), np.diff(table.starts))[rows >= 0]
    rows = rows[rows >= 0]
    rows = rows[np.lexsort((-passages[rows], owners))]
    used, starts = np.unique(owners, return_index=True)
    return NameTable(
        table.hashes[used], table.names.take(used), np.append(starts, len(rows)).astype(np.int64), rows
    )


def _cut(
    graph: KnowledgeGraph, facts: FactGraph, weights: NDArray[np.float32], entities: Rows, rows: Rows
) -> KnowledgeGraph:
    """Return the graph of these nodes, its facts weighted by the evidence that remains of them."""
    from scipy import sparse  # slow to import, and needed for asking only

    nodes = np.concatenate([entities, graph.n_entities + rows])
    ends = np.repeat(np.arange(graph.n_entities), np.diff(facts.starts))
    lost = sparse.coo_matrix((facts.told - weights, (ends, facts.others)), shape=graph.adjacency.shape)
    adjacency = (graph.adjacency[nodes][:, nodes] - lost.tocsr()[nodes][:, nodes]).tocsr()
    adjacency.data[np.abs(adjacency.data) < _ROUNDING] = 0.0
    adjacency.eliminate_zeros()
    adjacency.sort_indices()
    counts = graph.counts | {
        "fact": len(np.unique(facts.keys[weights > 0])),
        "occurrence": int((adjacency[len(entities) :].indices < len(entities)).sum()),
    }
    return KnowledgeGraph(
        graph.entity_keys[entities], graph.passage_keys[rows], adjacency, weighted_degrees(adjacency), counts
    )
