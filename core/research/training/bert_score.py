"""BERTScore over the encoder's token vectors. Zhang et al. 2020, section 3; Deep GraphRAG, eq. 3."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Tokens = NDArray[np.float32]


def bert_score(candidate: Tokens, reference: Tokens) -> float:
    """Return the F1 of the greedy matches of unit token vectors (n, d) and (m, d); 0 if either is empty.

    Precision is the mean over the candidate's tokens of the best cosine with one of the reference's, recall the
    mean over the reference's. No weights by rarity, no rescaling.
    """
    if not len(candidate) or not len(reference):
        return 0.0
    cosines = candidate @ reference.T
    return harmonic(float(cosines.max(1).mean()), float(cosines.max(0).mean()))


def harmonic(precision: float, recall: float) -> float:
    """Return the harmonic mean; 0 where both cannot be positive."""
    if precision <= 0 or recall <= 0:
        return 0.0
    return 2 * precision * recall / (precision + recall)


class ExtractScore:
    """The same score for texts that consist of a reference's own sentences, each encoded separately.

    Every token of such a text is in the reference, so precision is 1; the best cosine of each reference token with
    each sentence is computed once.
    """

    def __init__(self, sentences: Sequence[Tokens]) -> None:
        """Take unit token vectors of each sentence; at least one token in all."""
        tokens = np.concatenate(sentences)
        self._best = np.stack(
            [(tokens @ own.T).max(1) if len(own) else np.full(len(tokens), -1.0) for own in sentences], axis=1
        ).astype(np.float32)

    def of(self, rows: Sequence[int]) -> float:
        """Return the score of the text of these sentences; 0 for none."""
        if not len(rows):
            return 0.0
        return harmonic(1.0, float(self._best[:, list(rows)].max(1).mean()))
