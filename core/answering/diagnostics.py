"""What the rankings of a question are made of: for training, for dials, and for who asks why a passage was missed."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from core.answering.candidate import Candidate
from core.answering.integration.distiller import SEEDS, gatherer_over
from core.answering.integration.pieces import Pieces
from core.answering.reader_candidates import read_candidates
from core.progress import TaskContext
from core.retrieval.build import open_ranking_session, pools
from core.retrieval.composed import ComposedRetriever
from core.retrieval.fusion import FusionRetriever, Lists, apply_list_weights, join
from core.retrieval.hybrid import HybridRetriever
from core.retrieval.parts import RetrievalParts
from core.retrieval.paths.strongest import Scores
from core.retrieval.ranking_session import RankingSession
from core.retrieval.routes import AUTO, FUSION
from core.retrieval.routing.weighing import Weigher, without_graph
from core.retrieval.selection.pool import Pool
from core.store.store import Store
from core.text.escape_controls import checked
from core.types import Complexity, Hit, Retrieval


class BehindRankings:
    """Of one asker, by its `retriever(name)`."""

    def __init__(
        self,
        store: Store,
        parts: RetrievalParts,
        weigher: Weigher,
        retriever: Callable[[str], ComposedRetriever],
    ) -> None:
        self._store, self._parts, self._weigher, self._retriever = store, parts, weigher, retriever

    def lists(self, question: str, context: TaskContext) -> Lists:
        """The ranked lists as they are joined."""
        joined = self._retriever(FUSION).first
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
        return self._retriever("graph").first.retrieve(question, len(self._parts.corpus.passage_ids), context)

    def mass(self, question: str, context: TaskContext) -> dict[str, float]:
        """Return the share of the walk's mass that each passage holds, by id."""
        walk = self._retriever("walk").retrieve(question, len(self._parts.corpus.passage_ids), context)
        return {hit.passage_id: hit.score for hit in walk.hits}

    def open_ranking_session(self, question: str, route: str, context: TaskContext) -> RankingSession:
        """The question with what its rankings are made of, for settings that are tried. Raises BadInput."""
        return open_ranking_session(checked(question), route, self._parts, self._weigher.under, context)

    def pools(self, question: str, context: TaskContext) -> dict[str, tuple[tuple[str, ...], Pool]]:
        """For training the second stage: what the graph hands it, ids and signals in order."""
        hits = self._retriever("graph").first.retrieve(question, self._parts.config.pool, context).hits
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
        found = self._retriever(AUTO).retrieve(question, k, context)
        candidates, _ = read_candidates(self._store, found.hits)
        seeds = [seed.entity_id for seed in found.seeds[:SEEDS]]
        gatherer = gatherer_over(self._store, self._parts)
        return candidates, gatherer.gather(self._parts.embedder.embed_question(question), candidates, seeds)

    def hybrid_scores(self, question: str) -> tuple[Sequence[str], Scores, Scores]:
        """For fitting lab:hybrid's weights: ids, cosine and path score of all passages."""
        hybrid = self._retriever("hybrid").first
        assert isinstance(hybrid, HybridRetriever)
        ids = self._parts.corpus.passage_ids
        _, dense, path, _ = hybrid.scores(question, len(ids))
        return ids, dense, path
