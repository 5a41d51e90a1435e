"""What the reader's network says of one question with one text."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.models.reader_examples import KINDS
from core.types import Verdict

VERDICTS = tuple(Verdict)
ON_TOKENS = 3  # start, end, inside
ON_PAIR = len(KINDS) + 1 + len(VERDICTS)


@dataclass(frozen=True, slots=True)
class Logits:
    """`start`, `end` and `inside` of each token (n,), `kind` (KINDS,), `relevance`, `support` (VERDICTS,)."""

    start: NDArray[np.float32]
    end: NDArray[np.float32]
    inside: NDArray[np.float32]
    kind: NDArray[np.float32]
    relevance: float
    support: NDArray[np.float32]

    @classmethod
    def of(cls, tokens: NDArray[np.float32], pair: NDArray[np.float32]) -> Logits:
        """`tokens` (n, ON_TOKENS), `pair` (ON_PAIR,)."""
        kinds, (start, end, inside) = len(KINDS), tokens.T
        return cls(start, end, inside, pair[:kinds], float(pair[kinds]), pair[kinds + 1 :])
