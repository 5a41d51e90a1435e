"""The three rewards of a distilled text. Deep GraphRAG 2.2.1, eq. 2 to 4."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

REWARDS = ("relevance", "faithfulness", "conciseness")
Relevance = Callable[[str, Sequence[str]], NDArray[np.float64]]


@dataclass(frozen=True, slots=True)
class Judgeable:
    """A distilled text as the rewards see it: `faithfulness` is eq. 3, `tokens` len(C)."""

    text: str
    faithfulness: float
    tokens: int


def conciseness(tokens: int, full: int) -> float:
    """Eq. 4, max(0, 1 - len(C) / len(K)); 0 for an empty K."""
    return max(0.0, 1.0 - tokens / full) if full else 0.0


class Judge(Protocol):
    """Rewards of several texts for one question."""

    def rewards(self, question: str, texts: Sequence[Judgeable], full: int) -> NDArray[np.float64]:
        """(n, 3), each in 0..1, in the order of REWARDS; `full` is len(K)."""
        ...


class ReaderJudge:
    """Eq. 2 by the trained reader's head for relevance, the cross-encoder at hand. An empty text earns nothing."""

    def __init__(self, relevance: Relevance) -> None:
        self._relevance = relevance
        self._known: dict[tuple[str, str], float] = {}

    def rewards(self, question: str, texts: Sequence[Judgeable], full: int) -> NDArray[np.float64]:
        new = list(dict.fromkeys(t.text for t in texts if t.text and (question, t.text) not in self._known))
        if new:
            for text, value in zip(new, self._relevance(question, new), strict=True):
                self._known[question, text] = float(value)
        return np.array(
            [
                [self._known[question, t.text], t.faithfulness, conciseness(t.tokens, full)]
                if t.text
                else [0.0, 0.0, 0.0]
                for t in texts
            ]
        ).reshape(-1, len(REWARDS))
