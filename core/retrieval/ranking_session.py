"""A session with one question: what its ranking would be under other settings, quickly enough to turn them by hand.

What settings leave alone is read once: cosines, the lists by words and by meaning, the facts that a reranker chose. The
walk, the second stage and the fusion are repeated, by the same functions as for an answer.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from core.config import Config, RetrievalConfig, RoutingConfig
from core.errors import BadInput
from core.graph.pagerank import attribute, diffusion, personalized_pagerank
from core.progress import TaskContext
from core.retrieval.agentic.retriever import EarlyStages
from core.retrieval.composed import RANKERS, graph_retriever
from core.retrieval.corpus import Corpus
from core.retrieval.fact_seeds import fact_chooser
from core.retrieval.fusion import LISTS, apply_list_weights, graph_alone, join
from core.retrieval.ppr import TOLERANCE, top_entities
from core.retrieval.query import Query, SecondStage
from core.retrieval.ranking import by_rank, top_hits
from core.retrieval.rerank import append_below, second_stage
from core.retrieval.routes import AUTO, FUSION
from core.retrieval.routing.weighing import Weigher
from core.retrieval.seeds import NEAREST, CandidateFact, restart
from core.retrieval.selection.selector import Selector
from core.retrieval.view import RetrievalModels, SnapshotView
from core.text.translation import tr
from core.types import Attributed, Hit, Ranking, Source

DEPTH = 50  # passages of a ranking
_ALL_FACTS = 1_000  # that a reranker ranked
QUICK_TOLERANCE, QUICK_STEPS = 1e-2, 8  # L1, and steps of a walk that goes on from the one before
MOST_STEPS = 40  # of a diffusion that is shown
_STILL = 2e-3  # L1 between two steps from which on nothing is seen to move

Numbers = NDArray[np.float64]


class RankingSession:
    """One question over one snapshot, by one route. Holds nothing that changes: any thread may ask."""

    def __init__(
        self,
        query: Query,
        route: str,
        view: SnapshotView,
        weigher: Weigher,
        second: SecondStage | None,
        lists: Mapping[str, tuple[Hit, ...]],
        early: EarlyStages,
        facts: tuple[CandidateFact, ...] | None = None,
    ) -> None:
        """`route`: auto, fusion, or the one list that counts. `second` None: there is no second stage. `lists` by words
        and by meaning; `early` of the graph's stages before the walk; `facts` ranked, None where nobody ranks them."""
        self.query, self.route, self.view, self.second = query, route, view, second
        self.question = query.text
        self._weigher = weigher
        corpus, vector = view.corpus, query.vector
        # As many sentences as the dial of them goes.
        self._near = (
            corpus.passage_vectors.nearest(vector, NEAREST),
            corpus.sentence_vectors.nearest(vector, DEPTH),
        )
        self.lists, self.early, self.facts = lists, early, facts
        self.rows = corpus.passage_ids.rows
        self.entities = corpus.entity_ids.rows

    @cached_property
    def similarities(self) -> NDArray[np.float32]:
        """Cosines of all passages to the question, (n_passages,)."""
        return self.view.corpus.passage_vectors.cosines(self.query.vector)

    def rank(
        self,
        retrieval: RetrievalConfig,
        routing: RoutingConfig,
        context: TaskContext,
        after: Ranking | None = None,
    ) -> Ranking:
        """The ranking under these settings, as an answer would have it.

        With `after` it goes on from that ranking: near enough to be looked at while a hand moves. Raises Cancelled.
        """
        begin, corpus = time.perf_counter(), self.view.corpus
        facts = None if self.facts is None else self.facts[: retrieval.top_facts]
        start = restart(
            self.query.entities,
            *self._near,
            corpus,
            retrieval,
            self.early.start_weights,
            facts,
        )
        context.check()
        restarted = start.dense(corpus.graph.n_nodes)
        mass = self._walked(restarted, retrieval.damping, context, after)
        n, wide = corpus.graph.n_entities, max(DEPTH, retrieval.candidates)
        walk = top_hits(mass[n:], corpus.passage_ids, max(wide, retrieval.pool))
        candidates = by_rank(self.early.merge([hit.passage_id for hit in walk]))
        context.check()
        chosen = self.chosen(candidates, retrieval, context, quick=after is not None)
        lists = {**self.lists, "graph": chosen[:wide]}
        lists = {name: lists[name] for name in LISTS}
        if self.route in LISTS:
            complexity, hits = None, lists[self.route]
        else:
            weigher = self._weigher.under(replace(routing, low=0.0) if graph_alone(retrieval) else routing)
            weigh = weigher.sparing if self.route == AUTO else weigher
            weighed = replace(weigh(self.query, lists), low=routing.low)
            complexity = apply_list_weights(weighed, retrieval)
            hits = join(lists, complexity.weights, retrieval, DEPTH, self.view.documents_of)
        heat, spent = _hottest(corpus, mass), time.perf_counter() - begin
        return Ranking(
            *(
                hits[:DEPTH],
                lists,
                candidates,
                complexity,
                heat,
                start.seeds,
                mass,
                restarted,
                after is None,
                spent,
            )
        )

    def _walked(self, mass: Numbers, damping: float, context: TaskContext, after: Ranking | None) -> Numbers:
        if after is None:
            return self.view.walker.walk(mass, damping, context, tolerance=TOLERANCE).scores
        return personalized_pagerank(
            self.view.corpus.graph, mass, damping, QUICK_TOLERANCE, QUICK_STEPS, context, after.mass
        ).scores

    def chosen(
        self,
        candidates: tuple[Hit, ...],
        retrieval: RetrievalConfig,
        context: TaskContext,
        quick: bool = False,
    ) -> tuple[Hit, ...]:
        """The graph's list after its second stage; one that takes long waits until there is time."""
        second = self.second
        if not retrieval.second_stage or second is None or (quick and not isinstance(second, Selector)):
            return candidates
        pool, below = candidates[: retrieval.pool], candidates[retrieval.pool :]
        return append_below(second.reorder(self.query, pool, len(pool), context)[0], below)

    # ------------------------------------------------------------ where the mass comes from

    def attributed(
        self, ranking: Ranking, damping: float, id: str, context: TaskContext
    ) -> Attributed | None:
        """Which seed gave how much to a passage or an entity; None for one that is not there. Raises Cancelled."""
        corpus = self.view.corpus
        graph, n = corpus.graph, corpus.graph.n_entities
        node = n + self.rows[id] if id in self.rows else self.entities.get(id, -1)
        if node < 0:
            return None
        shares = attribute(graph, ranking.restart, node, damping, TOLERANCE, context=context).shares
        total = float(shares.sum())
        name = corpus.entity_names[node] if node < n else ""  # who asks knows the titles
        if total <= 0:
            return Attributed(id, name, 0.0)
        itself = float(shares[node]) if node >= n else 0.0
        reasons = {seed.entity_id: seed.reason for seed in ranking.seeds}
        found = [
            Source(
                corpus.entity_ids[row],
                corpus.entity_names[row],
                float(shares[row]) / total,
                reasons.get(corpus.entity_ids[row], tr("in a sentence near the question")),
            )
            for row in np.flatnonzero(shares[:n]).tolist()
        ]
        near = tr("near the question in meaning")
        if itself:
            found.append(Source("", tr("The passage itself"), itself / total, near, itself=True))
        if (others := float(shares[n:].sum()) - itself) > 0:
            words = tr("Other passages") if node >= n else tr("Passages")
            found.append(Source("", words, others / total, near))
        return Attributed(id, name, total, tuple(sorted(found, key=lambda source: -source.share)))

    def heat_from(
        self, ranking: Ranking, damping: float, entity_id: str, context: TaskContext
    ) -> dict[str, float]:
        """The heat that one seed alone sends out, by entity id; "" is all passages near the question."""
        corpus, alone = self.view.corpus, np.zeros_like(ranking.restart)
        n = corpus.graph.n_entities
        rows = slice(n, None) if not entity_id else self.entities.get(entity_id, n)
        if rows != n:
            alone[rows] = ranking.restart[rows]
        if (share := float(alone.sum())) <= 0:
            return {}
        mass = personalized_pagerank(corpus.graph, alone, damping, TOLERANCE, context=context).scores
        return _hottest(corpus, share * mass)

    def steps(self, ranking: Ranking, damping: float, context: TaskContext) -> tuple[dict[str, float], ...]:
        """The heat after 0, 1, 2, ... steps of the walk, until it is seen to move no more. Raises Cancelled."""
        corpus = self.view.corpus
        found: list[dict[str, float]] = []
        before = None
        for mass in diffusion(corpus.graph, ranking.restart, damping, MOST_STEPS):
            context.check()
            found.append(_hottest(corpus, mass))
            if before is not None and float(np.abs(mass - before).sum()) < _STILL:
                break
            before = mass
        return tuple(found)


def _hottest(corpus: Corpus, mass: Numbers) -> dict[str, float]:
    return top_entities(corpus, np.arange(len(mass)), mass)


def open_ranking_session(
    query: Query,
    route: str,
    view: SnapshotView,
    models: RetrievalModels,
    config: Config,
    context: TaskContext,
) -> RankingSession:
    """Return a session with the question. Raise BadInput for a route whose ranking has no settings."""
    if route not in (AUTO, FUSION, *LISTS):
        raise BadInput(
            tr("A ranking by this route cannot be laid open."),
            tr("Ask by the graph, by words, by meaning, or let Clew choose the route."),
        )
    chooser, facts = fact_chooser(view, config.retrieval, models.embedder, models.language_model), None
    if chooser is not None:
        near = view.corpus.sentence_vectors.nearest(query.vector, chooser.wide)
        facts = chooser.choose(query, near, _ALL_FACTS, context)[0]
    wide = max(DEPTH, config.retrieval.candidates)
    names = {"lexical": "words" if route == "lexical" else "document-words", "dense": "meaning"}
    lists = {
        list_: RANKERS[name](view, models, config).retrieve(query, wide, context).hits
        for list_, name in names.items()
    }
    second = second_stage(view, config.retrieval, models.selection)
    early = graph_retriever(view, models, config).run_early_stages(query, max(wide, NEAREST), context)
    return RankingSession(query, route, view, models.weigher, second, lists, early, facts)
