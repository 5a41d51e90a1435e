"""Lexical retrieval: BM25 over titles and texts, through SQLite's full-text search."""

from __future__ import annotations

import time
from collections.abc import Callable

from core.index.lexical import match_query, searched_words
from core.progress import TaskContext
from core.retrieval.document_words import DocumentWords
from core.retrieval.ranking import as_ranked, numbered
from core.translation import mark, trn
from core.types import Retrieval, Stage

Search = Callable[[str, int], list[tuple[str, float]]]
_WIDE = 200  # passages whose documents are heard


class LexicalRetriever:
    def __init__(self, search: Search, documents: DocumentWords | None = None) -> None:
        """`search(match, limit)` gives (passage id, score), best first; what `documents` say is added to it."""
        self._search = search
        self._documents = documents if documents is not None and documents.share else None

    def retrieve(self, question: str, k: int, context: TaskContext) -> Retrieval:
        """The k best passages that hold a word of the question; there may be fewer. Raises Cancelled."""
        context.check()
        begin = time.perf_counter()
        match = match_query(question)
        wide = k if self._documents is None else max(k, _WIDE)
        found = self._search(match, wide) if match and k > 0 else []
        sharing = len(found)
        if found and self._documents is not None:
            found = self._documents.added(found, searched_words(question))[:k]
        hits, spent = numbered(found), time.perf_counter() - begin
        return Retrieval(
            hits,
            (
                Stage(
                    mark("lexical"),
                    spent,
                    trn("{count} passage shares words", "{count} passages share words", len(found)),
                    as_ranked("lexical", hits, sharing, searched_words(question)),
                ),
            ),
        )
