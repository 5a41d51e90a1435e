"""What the walk goes over beside facts, passages and synonyms, and what it does not: edges that follow from others, and
weak ones that are pruned (triple-layer 4.3.1, 7.1.3)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from core.config import RetrievalConfig
from core.graph.build import KnowledgeGraph, undirected
from core.graph.push import weighted_degrees
from core.retrieval.corpus import Corpus
from core.retrieval.fact_graph import FactGraph
from core.types import DerivedEdges
from core.types.edges import BEFORE, CITATION, HIERARCHY

Keys = NDArray[np.int64]
_NOTHING = 1e-4  # a weight that is left by rounding alone


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
    pair_sums = np.bincount(place, weights=facts.told, minlength=len(pairs))
    weak = 1.0 - np.exp(-pair_sums) < least
    taken = sparse.coo_matrix(
        (pair_sums[weak].astype(np.float32), np.divmod(pairs[weak], max(1, n))), shape=graph.adjacency.shape
    )
    adjacency = (graph.adjacency - taken.tocsr()).tocsr()
    adjacency.data[np.abs(adjacency.data) < _NOTHING] = 0.0
    counts = graph.counts | {"pruned": int(weak.sum()) // 2}
    return _of(graph, adjacency, counts), facts.told_by(facts.keys[~weak[place]])


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
