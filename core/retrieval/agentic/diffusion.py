"""The global stage: a walk over the whole graph, mapped back to passages. A2RAG III-C.3, eq. 9 to 12."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from core.config import AgenticConfig, RetrievalConfig
from core.graph.pagerank import Reached, Walker
from core.progress import TaskContext
from core.retrieval.corpus import Corpus
from core.retrieval.ppr import TOLERANCE, nearest_to, top_entities, top_passages
from core.retrieval.ranking import largest_of
from core.retrieval.seeds import Normalise, restart
from core.text.translation import tr
from core.types import Seed


@dataclass(frozen=True, slots=True)
class Spread:
    """Passages by mass, the heaviest nodes that each of them names, and the entities' heat."""

    passages: tuple[str, ...]
    nodes: dict[str, tuple[str, ...]]
    heat: dict[str, float]
    seeds: tuple[Seed, ...]
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

    def spread(
        self,
        question: str,
        vector: NDArray[np.float32],
        seeds: Mapping[int, float],
        lost: Sequence[Sequence[int]],
        k: int,
        context: TaskContext,
    ) -> Spread:
        """The k passages that hold most of the mass, or that name the nodes that do, as eq. 12 has it.

        The walk starts at the seeds by weight / degree (eq. 10): the degree counts the passages that
        name the entity, since facts and synonyms come and go with extraction. For a name that no entity
        bears, the passages that hold it (rows in `lost`) stand as its neighbours would. They share the
        restart with the entities of the nearest sentences and with passages, as on the graph route.
        """
        corpus, n = self._corpus, self._corpus.graph.n_entities
        weights = {row: weight / max(1, int(corpus.entity_passages[row])) for row, weight in seeds.items()}
        for rows in lost:
            for row in rows:
                weights[n + row] = weights.get(n + row, 0.0) + 1.0 / len(rows) ** 2
        start = restart(
            question,
            *nearest_to(vector, corpus, self._retrieval),
            corpus,
            self._retrieval,
            self._normalise,
            weights,
        )
        walk = self._walker.reach(
            start.nodes, start.mass, self._retrieval.damping, context, tolerance=TOLERANCE
        )
        hits = top_passages(corpus, self._mapped(walk) if self._config.map_back else walk, k)
        passages = tuple(hit.passage_id for hit in hits)
        nodes = self._mapped_back(walk, [corpus.passage_ids.rows[id] for id in passages])
        detail = tr(
            "{steps} steps over {nodes} nodes; the {most} heaviest are in {count} of {passages} passages",
            steps=walk.iterations,
            nodes=corpus.graph.n_nodes,
            most=self._config.nodes,
            count=len(nodes),
            passages=len(passages),
        )
        return Spread(passages, nodes, top_entities(corpus, walk.nodes, walk.scores), start.seeds, detail)

    def _mapped(self, walk: Reached) -> Reached:
        """The heaviest entities, and the passages that name them with the sum of their masses. Eq. 12.

        The paper's evidence is a set; the sum puts it in an order.
        """
        n, adjacency = self._corpus.graph.n_entities, self._corpus.graph.adjacency
        own = (walk.nodes < n) & (walk.scores > 0)
        rows, mass = largest_of(walk.nodes[own], walk.scores[own], self._config.nodes)
        near = [adjacency.indices[adjacency.indptr[row] : adjacency.indptr[row + 1]] for row in rows]
        owners = np.repeat(np.arange(len(rows)), [len(each) for each in near])
        flat = np.concatenate([*near, np.zeros(0, np.int64)]).astype(np.int64)
        nodes, places = np.unique(flat[flat >= n], return_inverse=True)
        summed = np.bincount(places, mass[owners[flat >= n]], len(nodes))
        return replace(walk, nodes=np.concatenate([rows, nodes]), scores=np.concatenate([mass, summed]))

    def _mapped_back(self, walk: Reached, rows: Sequence[int]) -> dict[str, tuple[str, ...]]:
        """The heaviest entities that each passage names, by passage id (eq. 12)."""
        corpus, n = self._corpus, self._corpus.graph.n_entities
        own = (walk.nodes < n) & (walk.scores > 0)
        found = largest_of(walk.nodes[own], walk.scores[own], self._config.nodes)
        mass = dict(zip(found[0].tolist(), found[1].tolist(), strict=True))
        nodes = {}
        for row in rows:
            first, last = corpus.graph.adjacency.indptr[n + row : n + row + 2]
            named = [int(at) for at in corpus.graph.adjacency.indices[first:last] if int(at) in mass]
            if named:
                named.sort(key=lambda at: (-mass[at], at))
                nodes[corpus.passage_ids[row]] = tuple(corpus.entity_names[at] for at in named)
        return nodes
