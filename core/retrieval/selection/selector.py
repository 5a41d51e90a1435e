"""The second stage: passages chosen one by one, each for what it adds to those before it.

People read two to five passages. A ranking by relevance alone puts two passages that say the same
above the one that closes the chain; here every choice is conditioned on the choices before: what
they name, which of the question's words and names they leave open (the chain-of-passages idea of
multi-hop retrieval, e.g. Xiong et al. 2021, done on graph signals and without encoding again).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from core.progress import TaskContext
from core.retrieval.corpus import Corpus
from core.retrieval.query import Query, Signals
from core.retrieval.selection.model import SelectionModel
from core.retrieval.selection.pool import SIGNALS, Pool, make_pool, signals
from core.retrieval.selection.wording import Wording
from core.types import Hit

STEPS = 5  # passages chosen one by one; the rest follow in the order of the last scores


class Selector:
    """Implement `SecondStage` with a model over the signals of candidates from one snapshot."""

    def __init__(self, corpus: Corpus, wording: Wording, model: SelectionModel) -> None:
        self._corpus, self._wording = corpus, wording
        self.model = model

    def pool(self, query: Query, hits: Sequence[Hit]) -> Pool:
        """Return the signals of the candidates, rows in the order of `hits`."""
        return make_pool(query, hits, self._wording, self._corpus)

    def reorder(
        self, query: Query, hits: Sequence[Hit], k: int, context: TaskContext
    ) -> tuple[tuple[Hit, ...], Signals]:
        """Return the k best of `hits`, with the signals of each when it was chosen.

        Scores are the chance of each to be the next evidence, never rising.
        """
        if not hits or k <= 0:
            return (), Signals()
        context.check()
        pool = self.pool(query, hits)
        order, chances = choose(pool, self.model.score)
        least = np.minimum.accumulate(chances)
        chosen = tuple(
            replace(hits[at], score=float(least[place]), rank=place + 1) for place, at in enumerate(order[:k])
        )
        values = dict(zip((hit.passage_id for hit in chosen), signals_of(pool, order[:k]), strict=True))
        return chosen, Signals(SIGNALS, values)


def choose(
    pool: Pool, score: Callable[[NDArray[np.float64]], NDArray[np.float64]], steps: int = STEPS
) -> tuple[list[int], NDArray[np.float64]]:
    """All rows of the pool in order of choice, and the chance of each when it was chosen."""
    chosen: list[int] = []
    chances: list[float] = []
    left = np.ones(len(pool), dtype=bool)
    logits = np.zeros(len(pool))
    for _ in range(min(steps, len(pool))):
        logits = np.where(left, score(signals(pool, chosen)), -np.inf)
        best = int(logits.argmax())
        chances.append(float(_shares(logits)[best]))
        chosen.append(best)
        left[best] = False
    rest = [int(row) for row in np.argsort(-logits, kind="stable") if left[row]]
    shares = _shares(np.where(left, logits, -np.inf)) if rest else logits
    return chosen + rest, np.array(chances + [float(shares[row]) for row in rest])


def signals_of(pool: Pool, order: Sequence[int]) -> list[tuple[float, ...]]:
    """Of each row of an order that `choose` made, what was known of it when it was chosen."""
    tables = [signals(pool, order[:step]) for step in range(min(STEPS, len(order)))]
    return [tuple(tables[min(place, len(tables) - 1)][row].tolist()) for place, row in enumerate(order)]


def _shares(logits: NDArray[np.float64]) -> NDArray[np.float64]:
    """Softmax; rows of minus infinity get 0."""
    powers = np.exp(logits - logits.max())
    return np.asarray(powers / powers.sum(), dtype=np.float64)
