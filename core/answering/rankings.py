"""Rankings of one snapshot: a question's route, the passages that it ranks, and what the ranking is made of."""

from __future__ import annotations

import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from core.answering.candidates import Candidate
from core.answering.integration.distiller import SEEDS, gatherer_over
from core.answering.integration.pieces import Pieces
from core.answering.models import QuestionVectors
from core.answering.passage_reader import read_candidates
from core.extraction.names import normalise
from core.extraction.question import ParsedQuestion
from core.progress import TaskContext
from core.retrieval.build import open_ranking_session, pools
from core.retrieval.composed import ComposedRetriever
from core.retrieval.compositions import Composition
from core.retrieval.fusion import FusionRetriever, Lists, apply_list_weights, join
from core.retrieval.gate import Gate
from core.retrieval.hybrid import HybridRetriever
from core.retrieval.parts import RetrievalParts
from core.retrieval.paths.strongest import Scores
from core.retrieval.ppr import nearest_to
from core.retrieval.ranking_session import RankingSession
from core.retrieval.routes import AUTO, FUSION, GLOBAL, LAB, check_route, composition_of, route_stage
from core.retrieval.routing.weighing import Weigher, without_graph
from core.retrieval.seeds import named_seeds
from core.retrieval.selection.pool import Pool
from core.store.settings import COMPOSITIONS, OWN_ROUTE
from core.store.store import Store
from core.text.user_input import checked
from core.types import Complexity, Hit, Retrieval, Route, Stage


class Rankings:
    """Chooses routes and ranks passages over one snapshot."""

    def __init__(
        self, store: Store, vectors: QuestionVectors, parts: RetrievalParts, weigher: Weigher, gate: Gate
    ) -> None:
        self._store = store
        self._vectors = vectors
        self._parts = parts
        self._weigher = weigher
        self._gate = gate
        # Created on demand: a scope is for a few questions.
        self._retrievers = dict[Composition, ComposedRetriever]()

    def resolve(self, route: str) -> str:
        """Return the route; for "auto" the composition that the workspace adopted, where it did."""
        return (self._store.settings.get(OWN_ROUTE) if route == AUTO else "") or route

    def choose_route(self, question: str, route: str = AUTO) -> tuple[Route, list[Stage]]:
        """Return the route that a question takes by its words alone, before retrieval, and the stage that says so.

        Raises BadInput for a route that there is not.
        """
        begin = time.perf_counter()
        name = self.resolve(route)
        check_route(name, AUTO, own=self._store.settings.get(COMPOSITIONS))
        parsed = self._vectors.models.parse(question)
        complexity = self._weigher.of_question(parsed)
        chosen = Route(FUSION if name == AUTO else name, complexity, route != AUTO)
        return chosen, [route_stage(chosen, time.perf_counter() - begin, parsed)]

    def global_route(self, question: ParsedQuestion, is_forced: bool, reason: str) -> Route:
        """Return the route of a question about all documents, with why it was taken to be one."""
        return Route(GLOBAL, self._weigher.of_question(question), is_forced, reason)

    def retriever(self, name: str) -> ComposedRetriever:
        """Return the retriever of a route or composition. Raises BadInput where there is none of this name."""
        own = self._store.settings.get(COMPOSITIONS) if name.startswith(LAB) else ""
        # By its value: a person may change what a name stands for.
        composition = composition_of(name, own)
        if composition not in self._retrievers:
            self._retrievers[composition] = ComposedRetriever(self._parts, composition)
        return self._retrievers[composition]

    def retrieve(self, question: str, route: str, k: int, context: TaskContext) -> tuple[str, Retrieval]:
        """Return the route that was taken, by name, and the k passages that it ranks first."""
        name = self.resolve(route)
        check_route(name, AUTO, own=self._store.settings.get(COMPOSITIONS))
        found = self.retriever(name).retrieve(question, k, context)
        if name == AUTO and found.complexity is not None:
            name = self._weigher.route(found.complexity).name
        return name, found

    def retrieve_along(
        self, question: str, route: Route, name: str, stages: Sequence[Stage], k: int, context: TaskContext
    ) -> tuple[Route, Retrieval]:
        """Return what the retriever `name` finds, `stages` before its own, and the route by what it found."""
        found = self.retriever(name).retrieve(question, k, context)
        if found.complexity is not None:
            joined, is_fixed = (
                self._weigher.route(found.complexity),
                route.forced or route.name.startswith(LAB),
            )
            route = replace(joined, name=route.name, forced=route.forced) if is_fixed else joined
            parsed = self._vectors.models.parse(question)
            stages = (route_stage(route, stages[0].seconds, parsed), *stages[1:])
            if not found.seeds:  # the graph was spared: chains lead from what the question names
                limit = self._parts.config.top_seeds
                found = replace(found, seeds=named_seeds(question, self._parts.corpus, normalise, limit))
        return route, replace(found, stages=(*stages, *found.stages))

    def nearest(self, question: str, count: int, context: TaskContext) -> list[str]:
        """Return ids of the passages nearest by words, then of those nearest in meaning, `count` of each."""
        # What is near in meaning is found on another core meanwhile, and remembered by the vectors.
        with ThreadPoolExecutor(1) as pool:
            ahead = pool.submit(self._prefetch, question)
            lexical = self.retriever("lexical").retrieve(question, count, context).hits
            ahead.result()
        dense = self.retriever("dense").retrieve(question, count, context).hits
        return [hit.passage_id for hit in (*lexical, *dense)]

    def _prefetch(self, question: str) -> None:
        """Search the large tables of vectors, which remember what was nearest to the last questions."""
        if len(self._parts.corpus.passage_ids) > self._parts.config.exact_up_to:
            vector = self._vectors.embed_question(question)
            nearest_to(vector, self._parts.corpus, self._parts.config)
            self._gate.similarity(vector)

    def heat(self, question: str, context: TaskContext) -> dict[str, float]:
        """Return where a walk over the graph leads, by entity id, for a question that was answered without one."""
        return self.retriever("walk").retrieve(question, 1, context).heat

    def lists(self, question: str, context: TaskContext) -> Lists:
        """The ranked lists as they are joined."""
        joined = self.retriever(FUSION).first
        assert isinstance(joined, FusionRetriever)
        return {name: part.hits for name, part in joined.lists(question, 0, context).items()}

    def joined(
        self, question: str, route: str, context: TaskContext
    ) -> tuple[Lists, Complexity, tuple[Hit, ...]]:
        """The lists, what each counts on this route, and all that comes of it."""
        lists, config = self.lists(question, context), self._parts.config
        weigh = self._weigher.sparing if route == AUTO else self._weigher
        complexity = apply_list_weights(weigh(question, lists), config)
        every = sum(map(len, lists.values()))
        return lists, complexity, join(lists, complexity.weights, config, every, self._parts.documents)

    def candidates(self, question: str, context: TaskContext) -> Retrieval:
        """Return all that the graph route ranks, before its second stage."""
        return self.retriever("graph").first.retrieve(question, len(self._parts.corpus.passage_ids), context)

    def mass(self, question: str, context: TaskContext) -> dict[str, float]:
        """Return the share of the walk's mass that each passage holds, by id."""
        walk = self.retriever("walk").retrieve(question, len(self._parts.corpus.passage_ids), context)
        return {hit.passage_id: hit.score for hit in walk.hits}

    def open_ranking_session(self, question: str, route: str, context: TaskContext) -> RankingSession:
        """The question with what its rankings are made of, for settings that are tried. Raises BadInput."""
        return open_ranking_session(checked(question), route, self._parts, self._weigher.under, context)

    def pools(self, question: str, context: TaskContext) -> dict[str, tuple[tuple[str, ...], Pool]]:
        """For training the second stage: what the graph hands it, ids and signals in order."""
        hits = self.retriever("graph").first.retrieve(question, self._parts.config.pool, context).hits
        ids = tuple(hit.passage_id for hit in hits)
        return {"graph": (ids, pools(self._parts).pool(question, hits))}

    def weighed_lists(
        self, question: str, context: TaskContext
    ) -> tuple[Lists, dict[str, float], dict[str, float]]:
        """For learning the weights: the lists, and the signals before the graph is asked and after."""
        lists = self.lists(question, context)
        early, full = (
            {signal.name: signal.value for signal in self._weigher.signals(question, each)}
            for each in (without_graph(lists), lists)
        )
        return lists, early, full

    def gathered(self, question: str, k: int, context: TaskContext) -> tuple[list[Candidate], Pieces]:
        """The k passages that `auto` finds, and what is to be distilled of them. Raises Cancelled."""
        found = self.retriever(AUTO).retrieve(question, k, context)
        candidates, _ = read_candidates(self._store, found.hits)
        seeds = [seed.entity_id for seed in found.seeds[:SEEDS]]
        gatherer = gatherer_over(self._store, self._parts)
        return candidates, gatherer.gather(self._parts.embedder.embed_question(question), candidates, seeds)

    def hybrid_scores(self, question: str) -> tuple[Sequence[str], Scores, Scores]:
        """For fitting lab:hybrid's weights: ids, cosine and path score of all passages."""
        hybrid = self.retriever("hybrid").first
        assert isinstance(hybrid, HybridRetriever)
        ids = self._parts.corpus.passage_ids
        _, dense, path, _ = hybrid.scores(question, len(ids))
        return ids, dense, path
