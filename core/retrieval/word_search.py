"""Search by words over the passages of one snapshot: what is known of a word is asked of the database once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from core.index.lexical import alternatives, either
from core.store.passages import PassageFilter, Passages

_WIDE = (
    200  # passages that are found, at least: who asks again, for more or fewer, asks for no more than these
)
_MATCHES = 8  # searches that are remembered
_WORDS = 256  # whose passages are remembered

Found = tuple[NDArray[np.int64], NDArray[np.float64]]  # rows and scores, (m,) each
_Value = TypeVar("_Value")


class WordSearch:
    """BM25 of passages. Safe from every thread."""

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


_Key = TypeVar("_Key")


def _remembered(memory: dict[_Key, _Value], key: _Key, most: int, make: Callable[[_Key], _Value]) -> _Value:
    known = memory.get(key)
    if known is None:
        known = memory[key] = make(key)
        for oldest in list(memory)[:-most]:
            memory.pop(oldest, None)
    return known
