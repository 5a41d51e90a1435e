"""A reranker: question and component are read together. LEGO-GraphRAG 3.2.2 a.2."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from core.progress import TaskContext
from core.retrieval.scoring.scorer import ComponentTexts, TextScorer
from core.retrieval.subgraph.subgraph import Asked, Scores

Relevance = Callable[[str, Sequence[str]], Scores]  # of texts to a question, (n,) in 0 to 1
_AT_ONCE = 128  # between two looks at the cancel flag


class ReadingScorer(TextScorer):
    """`relevance` reads question and words together."""

    def __init__(self, texts: ComponentTexts, relevance: Relevance) -> None:
        super().__init__(texts)
        self._relevance = relevance

    def score(self, asked: Asked, texts: Sequence[str], context: TaskContext) -> Scores:
        """Raises Cancelled, ModelUnavailable."""
        found = [np.zeros(0)]
        for first in range(0, len(texts), _AT_ONCE):
            context.check()
            found.append(self._relevance(asked.text, texts[first : first + _AT_ONCE]))
        return np.concatenate(found)
