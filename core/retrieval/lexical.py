"""Lexical retrieval: BM25 over titles and texts, through SQLite's full-text search."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from core.index.lexical import match_query, searched_words
from core.index.texts import Texts
from core.progress import TaskContext
from core.retrieval.document_words import DocumentWords
from core.retrieval.ranking import as_ranked, hits_of
from core.retrieval.word_search import Found
from core.text.translation import mark, trn
from core.types import Retrieval, Stage

Search = Callable[[str, int], list[tuple[str, float]]]
SearchRows = Callable[[str, int], Found]
_WIDE = 200  # passages whose documents are heard


class LexicalRetriever:
    def __init__(self, search: SearchRows, ids: Texts, documents: DocumentWords | None = None) -> None:
        """`search(match, limit)` gives rows of passages, whose `ids` these are, and scores, best first; what
        `documents` say is added to it."""
        self._search, self._ids = search, ids
        self._documents = documents if documents is not None and documents.share else None

    def retrieve(self, question: str, k: int, context: TaskContext) -> Retrieval:
        """The k best passages that hold a word of the question; there may be fewer. Raises Cancelled."""
        context.check()
        begin = time.perf_counter()
        match = match_query(question)
        wide = k if self._documents is None else max(k, _WIDE)
        rows, scores = self._search(match, wide) if match and k > 0 else (np.zeros(0, np.int64), np.zeros(0))
        sharing = len(rows)
        if sharing and self._documents is not None:
            rows, scores = self._documents.added((rows, scores), searched_words(question))
        hits = hits_of(self._ids, rows[:k], scores[:k])
        spent = time.perf_counter() - begin
        return Retrieval(
            hits,
            (
                Stage(
                    mark("lexical"),
                    spent,
                    trn("{count} passage shares words", "{count} passages share words", len(hits)),
                    as_ranked("lexical", hits, sharing, searched_words(question)),
                ),
            ),
        )
