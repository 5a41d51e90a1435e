"""The global stage: a walk over the whole graph, mapped back to passages. A2RAG III-C.3, eq. 9 to 12."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.config import AgenticConfig, RetrievalConfig
from core.graph.pagerank import Walker
from core.graph.push import compile_push
from core.progress import TaskContext
from core.retrieval.corpus import Corpus
from core.retrieval.ppr import TOLERANCE, hottest
from core.retrieval.seeds import Normalise, restart


@dataclass(frozen=True, slots=True)
class Spread:
    """Passages by mass, the heaviest nodes that each of them names, and the entities' heat."""

    passages: tuple[str, ...]
    nodes: dict[str, tuple[str, ...]]
    heat: dict[str, float]
    detail: str


class Diffusion:
    def __init__(
        self, corpus: Corpus, retrieval: RetrievalConfig, config: AgenticConfig, normalise: Normalise
    ) -> None:
        self._corpus = corpus
        self._retrieval = retrieval
        self._config = config
        self._normalise = normalise
        self._walker = Walker(corpus.graph)
        if self._walker.method == "push":
            compile_push()

    def spread(
        self,
        question: str,
        vector: NDArray[np.float32],
        seeds: Iterable[int],
        k: int,
        context: TaskContext,
    ) -> Spread:
        """The k passages that hold most of the mass.

        The walk starts at the seeds by 1 / degree (eq. 10), which share the restart with the entities
        of the nearest sentences and with passages, as on the graph route: what extraction lost
        of the question's names is found by them.
        """
        corpus = self._corpus
        degrees = np.diff(corpus.graph.adjacency.indptr)
        start = restart(
            question,
            corpus.passage_vectors @ vector,
            corpus.sentence_vectors @ vector,
            corpus,
            self._retrieval,
            self._normalise,
            {row: 1.0 / max(1, int(degrees[row])) for row in seeds},
        )
        walk = self._walker.walk(start.mass, self._retrieval.damping, context, tolerance=TOLERANCE)
        n = corpus.graph.n_entities
        rows = np.argsort(-walk.scores[n:], kind="stable")[:k]
        passages = tuple(corpus.passage_ids[int(row)] for row in rows)
        heaviest = set(np.argsort(-walk.scores[:n], kind="stable")[: self._config.nodes].tolist())
        nodes = {}
        for row, passage in zip(rows.tolist(), passages, strict=True):
            first, last = corpus.graph.adjacency.indptr[n + row : n + row + 2]
            named = [int(at) for at in corpus.graph.adjacency.indices[first:last] if int(at) in heaviest]
            named.sort(key=lambda at: -walk.scores[at])
            if named:
                nodes[passage] = tuple(corpus.entity_names[at] for at in named)
        detail = f"{walk.iterations} steps over {corpus.graph.n_nodes:,} nodes, {len(nodes)} passages of the {self._config.nodes} heaviest"
        return Spread(passages, nodes, hottest(corpus, walk.scores[:n]), detail)
