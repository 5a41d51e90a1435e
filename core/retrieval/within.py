"""Some passages of a snapshot as a snapshot of their own, so that nobody who reads it sees another."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from core.graph.build import KnowledgeGraph
from core.graph.push import weighted_degrees
from core.retrieval.corpus import Corpus


def within(corpus: Corpus, rows: NDArray[np.int64]) -> Corpus:
    """The corpus of the passages `rows`, ascending; all entities stay, and what joins them.

    Arrays are cut and nothing is read again. A walk spreads over the facts of
    all documents and comes to rest in passages of these `rows`.
    """
    place = np.full(len(corpus.passage_ids), -1, dtype=np.int64)
    place[rows] = np.arange(len(rows))
    owners = place[corpus.sentence_passages]
    sentences = np.flatnonzero(owners >= 0)
    counts = np.diff(corpus.named_starts)[sentences]
    starts = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    # Positions of the kept sentences' entities: each run begins where its sentence's did.
    named = np.repeat(corpus.named_starts[sentences] - starts[:-1], counts) + np.arange(starts[-1])
    graph = _cut(corpus.graph, rows)
    n = graph.n_entities
    return replace(
        corpus,
        passage_ids=tuple(corpus.passage_ids[row] for row in rows.tolist()),
        passage_vectors=corpus.passage_vectors.cut(rows),
        sentence_vectors=corpus.sentence_vectors.cut(sentences),
        sentence_passages=owners[sentences],
        sentence_starts=np.searchsorted(owners[sentences], np.arange(len(rows) + 1)).astype(np.int64),
        entity_passages=np.bincount(graph.adjacency[n:].indices, minlength=n).astype(np.int64),
        named_starts=starts,
        named_entities=corpus.named_entities[named],
        graph=graph,
    )


def _cut(graph: KnowledgeGraph, rows: NDArray[np.int64]) -> KnowledgeGraph:
    """Without the other passages' nodes."""
    nodes = np.concatenate([np.arange(graph.n_entities), graph.n_entities + rows])
    adjacency = graph.adjacency[nodes][:, nodes]
    counts = graph.counts | {"occurrence": int(adjacency[graph.n_entities :].nnz)}
    return KnowledgeGraph(
        graph.entity_keys, graph.passage_keys[rows], adjacency, weighted_degrees(adjacency), counts
    )
