"""Rankings of one snapshot: a question's route, the passages that it ranks, and what the ranking is made of."""

from __future__ import annotations

import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from core.answering.candidates import Candidate
from core.answering.integration.distiller import SEEDS, gatherer_over
from core.answering.integration.pieces import Pieces
from core.answering.passage_reader import read_candidates
from core.config import Config, RetrievalConfig, RoutingConfig
from core.extraction.question import ParsedQuestion
from core.progress import TaskContext
from core.retrieval.composed import ComposedRetriever, compose
from core.retrieval.compositions import Composition
from core.retrieval.fusion import Lists, apply_list_weights, join
from core.retrieval.gate import Gate
from core.retrieval.hybrid import HybridRetriever
from core.retrieval.path_ranking import Memo
from core.retrieval.paths.strongest import Scores
from core.retrieval.ppr import nearest_to
from core.retrieval.query import Query, analyse
from core.retrieval.ranking_session import RankingSession, open_ranking_session
from core.retrieval.routes import AUTO, FUSION, GLOBAL, LAB, check_route, composition_of, route_stage
from core.retrieval.routing.weighing import without_graph
from core.retrieval.seeds import named_seeds
from core.retrieval.selection.pool import Pool, make_pool
from core.retrieval.view import RetrievalModels, SnapshotView
from core.store.settings import COMPOSITIONS, OWN_ROUTE
from core.store.store import Store
from core.text.escape_controls import checked
from core.types import Complexity, Hit, Retrieval, Route, Stage, Way


class Rankings:
    """Chooses routes and ranks passages over one snapshot."""

    def __init__(
        self, store: Store, view: SnapshotView, models: RetrievalModels, gate: Gate, config: Config
    ) -> None:
        self._store = store
        self._view = view
        self.models = models
        self._weigher = models.weigher
        self._gate = gate
        self._config = config
        # Created on demand: a scope is for a few questions.
        self._retrievers = dict[Composition, ComposedRetriever]()

    def analyse(self, question: str) -> Query:
        """Return the question with everything that is known of it before anything is searched for."""
        return analyse(question, self._view.corpus, self.models.parse, self.models.embedder)

    def resolve(self, route: str) -> str:
        """Return the route; for "auto" the composition that the workspace adopted, where it did."""
        return (self._store.settings.get(OWN_ROUTE) if route == AUTO else "") or route

    def choose_route(
        self, question: str, route: str = AUTO, way: Way = Way.DIRECT, reason: str = ""
    ) -> tuple[Route, list[Stage]]:
        """Return the route that a question takes by its words alone, before retrieval, and the stage that says so.

        `way` and `reason` are those of the route. Raises BadInput for a route that there is not.
        """
        begin = time.perf_counter()
        name = self.resolve(route)
        check_route(name, AUTO, own=self._store.settings.get(COMPOSITIONS))
        parsed = self.models.parse(question)
        complexity = self._weigher.of_question(parsed)
        chosen = Route(FUSION if name == AUTO else name, complexity, route != AUTO, reason, way)
        return chosen, [route_stage(chosen, time.perf_counter() - begin, parsed)]

    def global_route(self, question: ParsedQuestion, is_forced: bool, reason: str) -> Route:
        """Return the route of a question about all documents, with why it was taken to be one."""
        return Route(GLOBAL, self._weigher.of_question(question), is_forced, reason, Way.OVERVIEW)

    def retriever(self, name: str) -> ComposedRetriever:
        """Return the retriever of a route or composition. Raises BadInput where there is none of this name."""
        own = self._store.settings.get(COMPOSITIONS) if name.startswith(LAB) else ""
        # By its value: a person may change what a name stands for.
        composition = composition_of(name, own)
        if composition not in self._retrievers:
            self._retrievers[composition] = self.compose(composition)
        return self._retrievers[composition]

    def compose(self, composition: Composition, memo: Memo | None = None) -> ComposedRetriever:
        """Return the composition at work over this snapshot; `memo` as for `compose`. Raises BadInput."""
        return compose(self._view, self.models, self._config, composition, memo)

    def retrieve(self, question: str, route: str, k: int, context: TaskContext) -> tuple[str, Retrieval]:
        """Return the route that was taken, by name, and the k passages that it ranks first."""
        name = self.resolve(route)
        check_route(name, AUTO, own=self._store.settings.get(COMPOSITIONS))
        found = self.retriever(name).retrieve(self.analyse(question), k, context)
        if name == AUTO and found.complexity is not None:
            name = self._weigher.route(found.complexity).name
        return name, found

    def retrieve_along(
        self, query: Query, route: Route, name: str, stages: Sequence[Stage], k: int, context: TaskContext
    ) -> tuple[Route, Retrieval]:
        """Return what the retriever `name` finds, `stages` before its own, and the route by what it found."""
        found = self.retriever(name).retrieve(query, k, context)
        if found.complexity is not None:
            joined = self._weigher.route(found.complexity)
            is_fixed = route.forced or route.name.startswith(LAB)
            route = replace(joined, name=route.name, forced=route.forced) if is_fixed else joined
            stages = (route_stage(route, stages[0].seconds, query.parsed), *stages[1:])
            if not found.seeds:  # the graph was spared: chains lead from what the question names
                limit = self._config.retrieval.top_seeds
                found = replace(found, seeds=named_seeds(query.entities, self._view.corpus, limit))
        return route, replace(found, stages=(*stages, *found.stages))

    def with_passages(self, found: Retrieval, ids: Sequence[str]) -> Retrieval:
        """Return the ranking with these passages at its end, where they are of this snapshot and not found already."""
        known = {hit.passage_id for hit in found.hits}
        more = [id for id in dict.fromkeys(ids) if id not in known and id in self._view.corpus.passage_ids]
        least, count = found.hits[-1].score if found.hits else 0.0, len(found.hits)
        extras = tuple(Hit(id, least, count + at) for at, id in enumerate(more, start=1))
        return replace(found, hits=found.hits + extras)

    def nearest(self, query: Query, count: int, context: TaskContext) -> list[str]:
        """Return ids of the passages nearest by words, then of those nearest in meaning, `count` of each."""
        # What is near in meaning is found on another core meanwhile, and remembered by the vectors.
        with ThreadPoolExecutor(1) as pool:
            ahead = pool.submit(self._prefetch, query)
            lexical = self.retriever("lexical").retrieve(query, count, context).hits
            ahead.result()
        dense = self.retriever("dense").retrieve(query, count, context).hits
        return [hit.passage_id for hit in (*lexical, *dense)]

    def _prefetch(self, query: Query) -> None:
        """Search the large tables of vectors, which remember what was nearest to the last questions."""
        if len(self._view.corpus.passage_ids) > self._config.retrieval.exact_up_to:
            nearest_to(query.vector, self._view.corpus, self._config.retrieval)
            self._gate.similarity(query.vector)

    def heat(self, question: str, context: TaskContext) -> dict[str, float]:
        """Return where a walk over the graph leads, by entity id, for a question that was answered without one."""
        return self.retriever("walk").retrieve(self.analyse(question), 1, context).heat

    def lists(self, query: Query, context: TaskContext) -> Lists:
        """Return the ranked lists as they are fused."""
        found = self.retriever(FUSION).lists(query, 0, context)
        return {name: part.hits for name, part in found.items()}

    def weigh_under(self, query: Query, lists: Lists, config: RoutingConfig) -> Complexity:
        """Return what `auto` lets each list count by other thresholds."""
        return self._weigher.under(config).sparing(query, lists)

    def join_under(self, lists: Lists, complexity: Complexity, config: RetrievalConfig, k: int) -> list[str]:
        """Return ids of the first k passages of the lists, weighed for the question and by `config`."""
        weights = apply_list_weights(complexity, config).weights
        return [hit.passage_id for hit in join(lists, weights, config, k, self._view.documents_of)]

    def joined(
        self, question: str, route: str, context: TaskContext
    ) -> tuple[Lists, Complexity, tuple[Hit, ...]]:
        """Return the lists, what each counts on this route, and all that comes of it."""
        query, config = self.analyse(question), self._config.retrieval
        lists = self.lists(query, context)
        weigh = self._weigher.sparing if route == AUTO else self._weigher
        complexity = apply_list_weights(weigh(query, lists), config)
        count = sum(map(len, lists.values()))
        return lists, complexity, join(lists, complexity.weights, config, count, self._view.documents_of)

    def candidates(self, question: str, context: TaskContext) -> Retrieval:
        """Return all that the graph route ranks, before its second stage."""
        return self.retriever("graph").rank(self.analyse(question), self._count, context)

    def mass(self, question: str, context: TaskContext) -> dict[str, float]:
        """Return the share of the walk's mass that each passage holds, by id."""
        walk = self.retriever("walk").retrieve(self.analyse(question), self._count, context)
        return {hit.passage_id: hit.score for hit in walk.hits}

    def open_ranking_session(self, question: str, route: str, context: TaskContext) -> RankingSession:
        """Return a session with the question, for settings that are tried. Raises BadInput."""
        query = self.analyse(checked(question))
        return open_ranking_session(query, route, self._view, self.models, self._config, context)

    def pools(self, question: str, context: TaskContext) -> dict[str, tuple[tuple[str, ...], Pool]]:
        """Return what the graph hands to the second stage, for training it: ids and signals in order."""
        query = self.analyse(question)
        hits = self.retriever("graph").rank(query, self._config.retrieval.pool, context).hits
        ids = tuple(hit.passage_id for hit in hits)
        return {"graph": (ids, make_pool(query, hits, self._view.wording, self._view.corpus))}

    def weighed_lists(
        self, question: str, context: TaskContext
    ) -> tuple[Lists, dict[str, float], dict[str, float]]:
        """Return, for learning the weights, the lists and the signals before the graph is consulted and after."""
        query = self.analyse(question)
        lists = self.lists(query, context)
        early, full = (
            {signal.name: signal.value for signal in self._weigher.signals(query, each)}
            for each in (without_graph(lists), lists)
        )
        return lists, early, full

    def gathered(self, question: str, k: int, context: TaskContext) -> tuple[list[Candidate], Pieces]:
        """Return the k passages that `auto` finds, and what is to be distilled of them. Raises Cancelled."""
        query = self.analyse(question)
        found = self.retriever(AUTO).retrieve(query, k, context)
        candidates, _ = read_candidates(self._store, found.hits)
        seeds = [seed.entity_id for seed in found.seeds[:SEEDS]]
        return candidates, gatherer_over(self._store, self._view).gather(query.vector, candidates, seeds)

    def hybrid_scores(self, question: str) -> tuple[Sequence[str], Scores, Scores]:
        """Return ids, cosine and path score of all passages, for fitting the weights of lab:hybrid."""
        hybrid = self.retriever("hybrid").ranker("strength")
        assert isinstance(hybrid, HybridRetriever)
        _, dense, path, _ = hybrid.scores(self.analyse(question), self._count)
        return self._view.corpus.passage_ids, dense, path

    @property
    def _count(self) -> int:
        return len(self._view.corpus.passage_ids)
