"""All features of a question in one fixed order: phi(q) of EA-GraphRAG 3.2."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from core.extraction.question import ParsedQuestion
from core.retrieval.routing.features import dependencies, lexicon, steps, tree, units
from core.retrieval.routing.features.signal import Signal

_FAMILIES = (units, dependencies, lexicon, tree, steps)
FEATURE_NAMES: tuple[str, ...] = tuple(name for family in _FAMILIES for name in family.NAMES)


@lru_cache(maxsize=16)  # each route and each round of a question asks
def described(question: ParsedQuestion) -> tuple[Signal, ...]:
    """Every feature with its value and its words, in the order of FEATURE_NAMES."""
    return tuple(signal for family in _FAMILIES for signal in family.measure(question))


def measure(question: ParsedQuestion) -> NDArray[np.float64]:
    """The values, shape (len(FEATURE_NAMES),), all finite."""
    return np.array([signal.value for signal in described(question)], dtype=np.float64)
