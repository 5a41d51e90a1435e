"""Retrieval by personalised PageRank over the graph. EA-GraphRAG 3.4.2, eq. 4 to 7."""

from __future__ import annotations

import time
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from core.config import RetrievalConfig
from core.graph.pagerank import Reached, Walker
from core.index.vector_table import Near
from core.progress import TaskContext
from core.retrieval.corpus import Corpus
from core.retrieval.fact_seeds import FactChooser
from core.retrieval.query import Query
from core.retrieval.ranking import as_ranked, hits_of, largest_of
from core.retrieval.seed_candidates import BELOW, candidates_of
from core.retrieval.seeds import NEAREST, CandidateFact, restart
from core.text.translation import mark, tr, trn
from core.types import Hit, Retrieval, Stage

TOLERANCE = 1e-3  # L1: far below what separates the ranks
_HEAT_NODES = 400  # entities whose share of the mass is worth showing


class WalkRetriever:
    def __init__(
        self,
        corpus: Corpus,
        config: RetrievalConfig,
        chooser: FactChooser | None = None,
    ) -> None:
        """Without a `chooser` the nearest sentences seed the walk."""
        self._corpus = corpus
        self._config = config
        self._chooser = chooser
        self._walker = Walker(corpus.graph)

    def retrieve(self, query: Query, k: int, context: TaskContext) -> Retrieval:
        """Return the k passages that hold most of the walk's mass; `heat` is the entities' part of it."""
        context.check()
        if not self._corpus.passage_ids:
            return Retrieval(())
        return self.walk(query, k, context)[0]

    def walk(
        self, query: Query, k: int, context: TaskContext, names: Mapping[int, float] | None = None
    ) -> tuple[Retrieval, Reached]:
        """Return what `retrieve` does, and the mass of every node that was reached.

        `names` weighs the nodes to start at in the place of the entities that the question names, see `restart`.
        """
        corpus = self._corpus
        near = nearest_to(query.vector, corpus, self._config, self._chooser)
        facts, chosen = self._facts(query, near[1], context)
        begin = time.perf_counter()
        start = restart(query.entities, *near, corpus, self._config, names, facts)
        candidates = candidates_of(query, near[1], corpus, self._config, start, sentences=facts is None)
        seeded = time.perf_counter()
        context.check()
        walk = self._walker.reach(start.nodes, start.mass, self._config.damping, context, tolerance=TOLERANCE)
        walked = time.perf_counter()
        hits = top_passages(corpus, walk, k)
        count = trn("{count} entity", "{count} entities", len(start.seeds))
        stages = (
            *chosen,
            Stage(mark("seeds"), seeded - begin, count, candidates),
            Stage(
                mark("graph"),
                walked - seeded,
                _walk_words(walk, corpus),
                as_ranked("graph", hits, len(corpus.passage_ids)),
            ),
        )
        return Retrieval(hits, stages, top_entities(corpus, walk.nodes, walk.scores), start.seeds), walk

    def _facts(
        self, query: Query, near: Near, context: TaskContext
    ) -> tuple[tuple[CandidateFact, ...] | None, tuple[Stage, ...]]:
        """The facts that were chosen, None where nobody chooses, and the stage that tells it. Eq. 5."""
        if self._chooser is None:
            return None, ()
        begin = time.perf_counter()
        facts, words, near_facts = self._chooser.choose(query, near, self._config.top_facts, context)
        return facts, (Stage(mark("facts"), time.perf_counter() - begin, words, near_facts),)


def _walk_words(walk: Reached, corpus: Corpus) -> str:
    graph = corpus.graph
    summary = tr("{steps} steps, {nodes} nodes", steps=walk.iterations, nodes=graph.n_nodes)
    if pruned := graph.counts.get("pruned"):
        weak = trn("{count} weak edge left out", "{count} weak edges left out", pruned)
        return tr("{said}, {weak}", said=summary, weak=weak)
    return summary


def nearest_to(
    vector: NDArray[np.float32],
    corpus: Corpus,
    config: RetrievalConfig,
    chooser: FactChooser | None = None,
) -> tuple[Near, Near]:
    """The passages and the sentences nearest to a question, as many of them as `restart` and its trace look at."""
    wide = max(config.top_facts + BELOW, 0 if chooser is None else chooser.wide)
    return corpus.passage_vectors.nearest(vector, NEAREST), corpus.sentence_vectors.nearest(vector, wide)


def top_passages(corpus: Corpus, walk: Reached, k: int) -> tuple[Hit, ...]:
    """The k passages that hold most of the mass; ties in the order of the corpus."""
    n = corpus.graph.n_entities
    inside = walk.nodes >= n
    rows, scores = largest_of(walk.nodes[inside] - n, walk.scores[inside], k)
    return hits_of(corpus.passage_ids, rows, scores)


def top_entities(corpus: Corpus, nodes: NDArray[np.int64], mass: NDArray[np.float64]) -> dict[str, float]:
    """Mass of the heaviest entities by id, heaviest first, of `nodes`, (t,), with their `mass`, (t,)."""
    own = (nodes < corpus.graph.n_entities) & (mass > 0)
    rows, scores = largest_of(nodes[own], mass[own], _HEAT_NODES)
    return dict(zip(corpus.entity_ids.at(rows), scores.tolist(), strict=True))
