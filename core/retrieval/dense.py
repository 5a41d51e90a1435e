"""Dense retrieval: inner product of unit vectors. EA-GraphRAG 3.4.1, eq. 3."""

from __future__ import annotations

import time

from core.progress import TaskContext
from core.retrieval.corpus import Corpus
from core.retrieval.query import Query
from core.retrieval.ranking import as_ranked, hits_of
from core.text.translation import mark, tr
from core.types import Retrieval, Stage


class DenseRetriever:
    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus

    def retrieve(self, query: Query, k: int, context: TaskContext) -> Retrieval:
        """The k passages nearest to the question; scores are cosines."""
        context.check()
        begin = time.perf_counter()
        near = self._corpus.passage_vectors.nearest(query.vector, k)
        hits = hits_of(self._corpus.passage_ids, near.rows, near.cosines)
        spent = time.perf_counter() - begin
        detail = tr("{count} of {all} passages", count=len(hits), all=len(self._corpus.passage_ids))
        ranked = as_ranked("dense", hits, len(self._corpus.passage_ids))
        return Retrieval(hits, (Stage(mark("dense"), spent, detail, ranked),))
