"""Lexical retrieval: BM25 over titles and texts, through SQLite's full-text search.

The BM25 of passages is interpolated with that of their documents (Callan, SIGIR 1994): what is asked for may stand in
different passages of one. A document's follows from how many of its passages hold each word, without a second index.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from core.index.lexical import alternatives, either, quoted
from core.index.texts import Texts
from core.progress import TaskContext
from core.retrieval.query import Query
from core.retrieval.ranking import as_ranked, hits_of
from core.store.passages import PassageFilter, Passages
from core.text.translation import mark, trn
from core.types import Retrieval, Stage

Found = tuple[NDArray[np.int64], NDArray[np.float64]]  # rows and scores, (m,) each
Search = Callable[[str, int], list[tuple[str, float]]]
SearchRows = Callable[[str, int], Found]
Holders = Callable[[Sequence[str]], Sequence[Sequence[int] | NDArray[np.int64]]]
_WIDE = 200  # passages that are found at least, and whose documents count: more or fewer of them cost no other search
_MATCHES = 8  # searches that are remembered
_WORDS = 256  # whose passages are remembered
_SATURATION, _LENGTH = 1.2, 0.75  # k1 and b of BM25
_SHARE = 0.7  # of a long document's score, added to that of the passage
_Key = TypeVar("_Key")
_Value = TypeVar("_Value")


class WordSearch:
    """BM25 over the passages of one snapshot. Thread-safe: each word is looked up in the database once."""

    def __init__(
        self, passages: Passages, inside: PassageFilter | None, keys: NDArray[np.int64], ids: Sequence[str]
    ) -> None:
        """`keys` of the passages in the snapshot, (n,) ascending, and their `ids`; others are not found."""
        self._passages, self._inside, self._keys, self._ids = passages, inside, keys, ids
        self._found: dict[tuple[str, int], Found] = {}
        self._holders: dict[str, NDArray[np.int64]] = {}
        self._counts: dict[str, int] = {}

    def search(self, match: str, limit: int) -> list[tuple[str, float]]:
        """As `rows`, by the ids of the passages."""
        rows, scores = self.rows(match, limit)
        return [(self._ids[row], score) for row, score in zip(rows.tolist(), scores.tolist(), strict=True)]

    def rows(self, match: str, limit: int) -> Found:
        """Rows and scores, best first, of the passages that match one of the alternatives.

        FTS5 ranks every passage that holds any of the words, so that in a large corpus those of more than a tenth of
        all passages, which tell least, are left aside where there are others: else the cost grows with the corpus.
        """
        wide = max(limit, _WIDE)
        rows, scores = _remembered(self._found, (match, wide), _MATCHES, self._search)
        return rows[:limit], scores[:limit]

    def holders(self, queries: Sequence[str]) -> list[NDArray[np.int64]]:
        """Keys of the passages that match each query for a word; none where very many do."""
        return [_remembered(self._holders, query, _WORDS, self._holding) for query in queries]

    def counts(self, queries: Sequence[str]) -> list[int]:
        """How many passages of all match each query for a word; of very many not all are counted."""
        return [_remembered(self._counts, query, _WORDS, self._count) for query in queries]

    def _search(self, asked: tuple[str, int]) -> Found:
        match, limit = asked
        words = alternatives(match)
        telling = [word for word, n in zip(words, self.counts(words), strict=True) if n <= self._many]
        found = self._passages.search(either(telling or words), limit, self._inside)
        wanted = np.array([key for key, _ in found], dtype=np.int64)
        rows = np.searchsorted(self._keys, wanted).clip(max=len(self._keys) - 1)
        known = self._keys[rows] == wanted
        return rows[known], np.array([score for _, score in found])[known]

    def _holding(self, query: str) -> NDArray[np.int64]:
        (keys,) = self._passages.holders([query])
        return np.array(keys, dtype=np.int64)

    def _count(self, query: str) -> int:
        cached = self._holders.get(query)
        if cached is not None and len(cached):  # none where very many hold it
            return min(len(cached), self._many + 1)  # the same whether they are known already
        (count,) = self._passages.holding([query], most=self._many + 1)
        return count

    @cached_property
    def _many(self) -> int:
        return self._passages.many()


def _remembered(memory: dict[_Key, _Value], key: _Key, most: int, make: Callable[[_Key], _Value]) -> _Value:
    known = memory.get(key)
    if known is None:
        known = memory[key] = make(key)
        for oldest in list(memory)[:-most]:
            memory.pop(oldest, None)
    return known


class DocumentWords:
    def __init__(
        self,
        holders: Holders,
        keys: NDArray[np.int64],
        documents: NDArray[np.int64],
    ) -> None:
        """`holders(queries)` gives the keys of the passages that match each. `keys` of the passages, (n,) ascending,
        and the `documents` they are of, (n,)."""
        self._holders, self._keys = holders, keys
        self._owners = np.unique(documents, return_inverse=True)[1]
        self._lengths = np.bincount(self._owners)
        # Where documents are single passages theirs is the same score, told more coarsely.
        self.share = _SHARE * (1 - len(self._lengths) / max(1, len(self._owners)))

    def added(self, found: Found, words: Sequence[str]) -> Found:
        """Passages with their scores, their documents' added, best first."""
        rows, scores = found
        scores = scores + self.share * self.scores(words)[self._owners[rows]]
        order = np.argsort(-scores, kind="stable")
        return rows[order], scores[order]

    def scores(self, words: Sequence[str]) -> NDArray[np.float64]:
        """BM25 of every document, (n_documents,), its length and the counts of words being of passages."""
        count = len(self._lengths)
        scores = np.zeros(count)
        norm = _SATURATION * (1 - _LENGTH + _LENGTH * self._lengths / max(1e-9, self._lengths.mean()))
        for holders in self._holders([quoted(word) for word in words]):
            term_counts = np.bincount(self._owners[self._rows(holders)], minlength=count)
            having = int(np.count_nonzero(term_counts))
            rarity = math.log(1 + (count - having + 0.5) / (having + 0.5))
            scores += rarity * term_counts * (_SATURATION + 1) / (term_counts + norm)
        return scores

    def _rows(self, keys: Sequence[int] | NDArray[np.int64]) -> NDArray[np.int64]:
        """Places of passages; of those that came after this snapshot none."""
        wanted = np.asarray(keys, dtype=np.int64)
        rows = np.searchsorted(self._keys, wanted).clip(max=len(self._keys) - 1)
        known: NDArray[np.int64] = rows[self._keys[rows] == wanted]
        return known


class LexicalRetriever:
    def __init__(self, search: SearchRows, ids: Texts, documents: DocumentWords | None = None) -> None:
        """`search(match, limit)` gives rows of passages, whose `ids` these are, and scores, best first; what
        `documents` say is added to it."""
        self._search, self._ids = search, ids
        self._documents = documents if documents is not None and documents.share else None

    def retrieve(self, query: Query, k: int, context: TaskContext) -> Retrieval:
        """The k best passages that hold a word of the question; there may be fewer. Raises Cancelled."""
        context.check()
        begin = time.perf_counter()
        match = either(list(map(quoted, query.words)))
        wide = k if self._documents is None else max(k, _WIDE)
        rows, scores = self._search(match, wide) if match and k > 0 else (np.zeros(0, np.int64), np.zeros(0))
        sharing = len(rows)
        if sharing and self._documents is not None:
            rows, scores = self._documents.added((rows, scores), query.words)
        hits = hits_of(self._ids, rows[:k], scores[:k])
        spent = time.perf_counter() - begin
        return Retrieval(
            hits,
            (
                Stage(
                    mark("lexical"),
                    spent,
                    trn("{count} passage shares words", "{count} passages share words", len(hits)),
                    as_ranked("lexical", hits, sharing, query.words),
                ),
            ),
        )
