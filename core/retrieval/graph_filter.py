"""The graph that is walked, filtered by configuration or cut to some passages.

Edges that follow from others are added and weak ones pruned (triple-layer 4.3.1, 7.1.3). A snapshot that is
restricted to some passages is a snapshot of its own, so that nobody who reads it sees another passage.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from core.config import RetrievalConfig
from core.graph.build import KnowledgeGraph, undirected
from core.graph.push import weighted_degrees
from core.index.texts import Coded, Ids, NameTable, Texts
from core.retrieval.corpus import Corpus
from core.retrieval.fact_graph import FactGraph
from core.types import DerivedEdges
from core.types.edges import BEFORE, CITATION, HIERARCHY

Keys = NDArray[np.int64]
_ROUNDING = 1e-4  # a weight that is left by rounding alone


def filter_graph(
    corpus: Corpus, facts: FactGraph, edges: Callable[[], DerivedEdges] | None, config: RetrievalConfig
) -> tuple[Corpus, FactGraph]:
    """The corpus and its facts as `config` has them walked; the very same where it asks for nothing else.

    `edges` is asked only where some are walked; None: of a part of what is walked already. `counts` of the graph tells
    how many are walked, and how many pairs of entities were `pruned`.
    """
    graph, left = corpus.graph, facts
    if edges is None:
        return corpus, facts
    if config.least_strength > 0:
        graph, left = pruned(graph, facts, config.least_strength)
    weights = {
        BEFORE: config.temporal_edges,
        HIERARCHY: config.hierarchy_edges,
        CITATION: config.citation_edges,
    }
    for kind, weight in weights.items():
        if weight > 0:
            found = edges()
            graph = with_edges(graph, found.ends[found.rows(kind)], weight, kind)
    return (corpus if graph is corpus.graph else replace(corpus, graph=graph)), left


def pruned(graph: KnowledgeGraph, facts: FactGraph, least: float) -> tuple[KnowledgeGraph, FactGraph]:
    """Without the facts of two entities that together are weaker than `least`, 0 to 1, as strong as a fact is.

    Mentions and synonyms stay: names that only weak facts tie are still tied to the passages that name them.
    """
    from scipy import sparse  # slow to import, and needed for asking only

    n, ends = graph.n_entities, np.repeat(np.arange(graph.n_entities), np.diff(facts.starts))
    codes = ends * max(1, n) + facts.others
    pairs, place = np.unique(codes, return_inverse=True)
    pair_sums = np.bincount(place, weights=facts.confidences, minlength=len(pairs))
    weak = 1.0 - np.exp(-pair_sums) < least
    taken = sparse.coo_matrix(
        (pair_sums[weak].astype(np.float32), np.divmod(pairs[weak], max(1, n))), shape=graph.adjacency.shape
    )
    adjacency = (graph.adjacency - taken.tocsr()).tocsr()
    adjacency.data[np.abs(adjacency.data) < _ROUNDING] = 0.0
    counts = graph.counts | {"pruned": int(weak.sum()) // 2}
    return _of(graph, adjacency, counts), facts.select(facts.keys[~weak[place]])


def with_edges(graph: KnowledgeGraph, ends: Keys, weight: float, kind: str) -> KnowledgeGraph:
    """With an edge of this weight between each two entities that some of the `ends`, (k, 2) keys, name; of those that
    are in the graph."""
    from scipy import sparse  # slow to import, and needed for asking only

    known = ends[np.isin(ends, graph.entity_keys).all(axis=1) & (ends[:, 0] != ends[:, 1])]
    rows = np.searchsorted(graph.entity_keys, known)
    pairs = undirected(rows, np.ones(len(rows))).ends
    both = np.concatenate([pairs, pairs[:, ::-1]])
    data = np.full(len(both), weight, np.float32)
    added = sparse.coo_matrix((data, (both[:, 0], both[:, 1])), shape=graph.adjacency.shape)
    return _of(graph, (graph.adjacency + added.tocsr()).tocsr(), graph.counts | {kind: len(pairs)})


def _of(graph: KnowledgeGraph, adjacency: object, counts: dict[str, int]) -> KnowledgeGraph:
    from scipy import sparse

    assert isinstance(adjacency, sparse.csr_matrix)
    adjacency.eliminate_zeros()
    adjacency.sort_indices()
    return KnowledgeGraph(
        graph.entity_keys, graph.passage_keys, adjacency, weighted_degrees(adjacency), counts
    )


def restrict_to_passages(
    corpus: Corpus, facts: FactGraph, rows: Keys, fact_keys: Keys, confidences: NDArray[np.float64]
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


def _evidence(facts: FactGraph, fact_keys: Keys, confidences: NDArray[np.float64]) -> NDArray[np.float32]:
    """Return the confidence that each entry of `facts` has from the given evidence, 0 without any."""
    if not len(fact_keys):
        return np.zeros_like(facts.confidences)
    at = np.minimum(np.searchsorted(fact_keys, facts.keys), len(fact_keys) - 1)
    found = np.where(fact_keys[at] == facts.keys, confidences[at], 0.0)
    return np.minimum(found, facts.confidences).astype(np.float32)


def _names(corpus: Corpus, entities: Keys, passages: Keys) -> NameTable:
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
    graph: KnowledgeGraph, facts: FactGraph, weights: NDArray[np.float32], entities: Keys, rows: Keys
) -> KnowledgeGraph:
    """Return the graph of these nodes, its facts weighted by the evidence that remains of them."""
    from scipy import sparse  # slow to import, and needed for asking only

    nodes = np.concatenate([entities, graph.n_entities + rows])
    ends = np.repeat(np.arange(graph.n_entities), np.diff(facts.starts))
    lost = sparse.coo_matrix((facts.confidences - weights, (ends, facts.others)), shape=graph.adjacency.shape)
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
