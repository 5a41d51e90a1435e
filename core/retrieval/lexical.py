"""Lexical retrieval: BM25 over titles and texts, through SQLite's full-text search."""

from __future__ import annotations

import time
from collections.abc import Callable

from core.index.lexical import match_query, searched_words
from core.progress import TaskContext
from core.retrieval.ranking import as_ranked, numbered
from core.translation import mark, trn
from core.types import Retrieval, Stage

Search = Callable[[str, int], list[tuple[str, float]]]


class LexicalRetriever:
    def __init__(self, search: Search) -> None:
        """`search(match, limit)` gives (passage id, score), best first."""
        self._search = search

    def retrieve(self, question: str, k: int, context: TaskContext) -> Retrieval:
        """The k best passages that hold a word of the question; there may be fewer."""
        context.check()
        begin = time.perf_counter()
        match = match_query(question)
        found = self._search(match, k) if match and k > 0 else []
        hits, spent = numbered(found), time.perf_counter() - begin
        return Retrieval(
            hits,
            (
                Stage(
                    mark("lexical"),
                    spent,
                    trn("{count} passage shares words", "{count} passages share words", len(found)),
                    as_ranked("lexical", hits, len(found), searched_words(question)),
                ),
            ),
        )
