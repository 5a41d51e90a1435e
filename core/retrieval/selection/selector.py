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
from core.protocols import Embedder, Signals
from core.retrieval.corpus import Corpus
from core.retrieval.seeds import Normalise, names_in_question
from core.retrieval.selection.model import SelectionModel
from core.retrieval.selection.pool import SIGNALS, Asked, Pool, make_pool, signals
from core.retrieval.selection.wording import NameKey, Wording
from core.types import Hit

STEPS = 5  # passages chosen one by one; the rest follow in the order of the last scores

Names = Callable[[str], tuple[str, ...]]


class Pools:
    """Makes the pool of a question over one corpus."""

    def __init__(
        self,
        corpus: Corpus,
        embedder: Embedder,
        wording: Wording,
        names: Names,
        normalise: Normalise,
        key: NameKey,
    ) -> None:
        """`names(question)` gives its names made comparable by `key`, `normalise` keys of entities."""
        self._corpus = corpus
        self._embedder = embedder
        self._wording = wording
        self._names = names
        self._normalise = normalise
        self._key = key
        self._rows = corpus.passage_ids.rows

    def pool(self, question: str, hits: Sequence[Hit]) -> Pool:
        """The candidates' signals, rows in the order of `hits`, all of which are in the corpus."""
        asked = Asked(
            question,
            self._embedder.embed_question(question),
            self._names(question),
            frozenset(names_in_question(question, self._corpus, self._normalise)),
        )
        ids = [hit.passage_id for hit in hits]
        rows = [self._rows[passage] for passage in ids]
        return make_pool(asked, rows, self._wording.of(ids), self._corpus)


class Selector:
    """Implements `SecondStage` with a model over the pools of one corpus."""

    def __init__(self, pools: Pools, model: SelectionModel) -> None:
        self.pools = pools
        self.model = model

    def reorder(self, question: str, hits: Sequence[Hit], k: int, context: TaskContext) -> tuple[Hit, ...]:
        """The k best of `hits`; scores are the chance of each to be the next evidence, never rising."""
        return self.reorder_telling(question, hits, k, context)[0]

    def reorder_telling(
        self, question: str, hits: Sequence[Hit], k: int, context: TaskContext
    ) -> tuple[tuple[Hit, ...], Signals]:
        """As `reorder`, with the signals of each passage when it was chosen."""
        if not hits or k <= 0:
            return (), Signals()
        context.check()
        pool = self.pools.pool(question, hits)
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
