"""What a passage's document adds to its words: what is asked for may stand in different passages of one.

Interpolates the BM25 of passages with that of their documents (Callan, SIGIR 1994). A document's is told from how
many of its passages hold each word, so that no second index is needed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from core.index.lexical import quoted
from core.retrieval.word_search import Found

Holders = Callable[[Sequence[str]], Sequence[Sequence[int] | NDArray[np.int64]]]
_SATURATION, _LENGTH = 1.2, 0.75  # k1 and b of BM25
_SHARE = 0.7  # of a long document's score, beside that of the passage


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
