"""Questions for tests that have no workspace."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from core.extraction.question import ParsedQuestion, QuestionType
from core.index.lexical import searched_words
from core.retrieval.query import Query


def query(
    text: str, vector: NDArray[np.float32] | None = None, entities: Mapping[int, str] | None = None
) -> Query:
    """Return a question without grammar, that names nothing unless it is told."""
    parsed = ParsedQuestion(text, (), (), QuestionType.OTHER, "", -1, -1, (), frozenset())
    vector = np.zeros(2, np.float32) if vector is None else vector
    return Query(text, lambda _: parsed, lambda _: vector, tuple(searched_words(text)), entities or {})
