"""What the rankings of a question are made of: for training, for dials, and for who asks why a passage was missed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from core.answering.candidate import Candidate
from core.answering.integration.distiller import SEEDS, gatherer_over
from core.answering.integration.pieces import Pieces
from core.answering.reader_candidates import read_candidates
from core.progress import TaskContext
from core.retrieval.fusion import Lists, apply_list_weights, join
from core.retrieval.hybrid import HybridRetriever
from core.retrieval.paths.strongest import Scores
from core.retrieval.query import Query
from core.retrieval.ranking_session import RankingSession, open_ranking_session
from core.retrieval.routes import AUTO, FUSION
from core.retrieval.routing.weighing import without_graph
from core.retrieval.selection.pool import Pool, make_pool
from core.text.escape_controls import checked
from core.types import Complexity, Hit, Retrieval

if TYPE_CHECKING:
    from core.answering.ask import Asker


class BehindRankings:
    """The lists, signals and candidates of one asker's questions."""

    def __init__(self, asker: Asker) -> None:
        self._asker, self._view = asker, asker.view
        self._config = asker.config.retrieval

    def lists(self, question: str, context: TaskContext) -> Lists:
        """Return the ranked lists as they are fused."""
        return self._lists(self._asker.analyse(question), context)

    def joined(
        self, question: str, route: str, context: TaskContext
    ) -> tuple[Lists, Complexity, tuple[Hit, ...]]:
        """Return the lists, what each counts on this route, and all that comes of it."""
        query = self._asker.analyse(question)
        lists, weigher = self._lists(query, context), self._asker.weigher
        weigh = weigher.sparing if route == AUTO else weigher
        complexity = apply_list_weights(weigh(query, lists), self._config)
        count = sum(map(len, lists.values()))
        fused = join(lists, complexity.weights, self._config, count, self._view.documents_of)
        return lists, complexity, fused

    def candidates(self, question: str, context: TaskContext) -> Retrieval:
        """Return all that the graph route ranks, before its second stage."""
        query, k = self._asker.analyse(question), len(self._view.corpus.passage_ids)
        return self._asker.retriever("graph").rank(query, k, context)

    def mass(self, question: str, context: TaskContext) -> dict[str, float]:
        """Return the share of the walk's mass that each passage holds, by id."""
        query, k = self._asker.analyse(question), len(self._view.corpus.passage_ids)
        return {
            hit.passage_id: hit.score
            for hit in self._asker.retriever("walk").retrieve(query, k, context).hits
        }

    def open_ranking_session(self, question: str, route: str, context: TaskContext) -> RankingSession:
        """Return a session with the question, for settings that are tried. Raise BadInput."""
        query, asker = self._asker.analyse(checked(question)), self._asker
        return open_ranking_session(query, route, self._view, asker.retrieval_models, asker.config, context)

    def pools(self, question: str, context: TaskContext) -> dict[str, tuple[tuple[str, ...], Pool]]:
        """Return what the graph hands to the second stage, for training it: ids and signals in order."""
        query = self._asker.analyse(question)
        hits = self._asker.retriever("graph").rank(query, self._config.pool, context).hits
        ids = tuple(hit.passage_id for hit in hits)
        return {"graph": (ids, make_pool(query, hits, self._view.wording, self._view.corpus))}

    def weighed_lists(
        self, question: str, context: TaskContext
    ) -> tuple[Lists, dict[str, float], dict[str, float]]:
        """Return, for learning the weights, the lists and the signals before the graph is consulted and after."""
        query = self._asker.analyse(question)
        lists = self._lists(query, context)
        early, full = (
            {signal.name: signal.value for signal in self._asker.weigher.signals(query, each)}
            for each in (without_graph(lists), lists)
        )
        return lists, early, full

    def gathered(self, question: str, k: int, context: TaskContext) -> tuple[list[Candidate], Pieces]:
        """Return the k passages that `auto` finds, and what is to be distilled of them. Raise Cancelled."""
        query = self._asker.analyse(question)
        found = self._asker.retriever(AUTO).retrieve(query, k, context)
        candidates, _ = read_candidates(self._asker.store, found.hits)
        seeds = [seed.entity_id for seed in found.seeds[:SEEDS]]
        gatherer = gatherer_over(self._asker.store, self._view)
        return candidates, gatherer.gather(query.vector, candidates, seeds)

    def hybrid_scores(self, question: str) -> tuple[Sequence[str], Scores, Scores]:
        """Return ids, cosine and path score of all passages, for fitting the weights of lab:hybrid."""
        hybrid = self._asker.retriever("hybrid").ranker("strength")
        assert isinstance(hybrid, HybridRetriever)
        ids = self._view.corpus.passage_ids
        _, dense, path, _ = hybrid.scores(self._asker.analyse(question), len(ids))
        return ids, dense, path

    def _lists(self, query: Query, context: TaskContext) -> Lists:
        found = self._asker.retriever(FUSION).lists(query, 0, context)
        return {name: part.hits for name, part in found.items()}
