"""A filter that learns from what people decided on facts how likely each of the others is right.

Logistic regression under a strong penalty: with few decisions it stays near their mean, so that its probabilities hold
(docs/research/learning.md). It is trained on the facts that are approved or rejected, and on nothing else.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from core.review.features import HASHED, NUMBERS, VERSION, Array, features
from core.store.store import Store

LEAST = 10  # decisions of either outcome
_NEW_SHARE = 0.1  # share of the decisions that must be new before it is trained again; at least LEAST of them
_MOST = 4_000  # decisions that it is trained on
_PENALTY = 0.03  # scikit-learn's C
_FURTHEST = 3.0  # standard deviations at which a number counts most
_WEIGHT = 2.0  # of tokens and vectors, beside numbers of variance 1
_DIGITS = 2  # of a probability: with finer ones every fact would be written anew each time
_SETTING = "review.filter"


@dataclass(frozen=True, slots=True)
class LearnedFilter:
    """`mean` and `scale` are of `Features.dense`; `weights` of these columns, then of the tokens."""

    encoder: str  # by which the sentences have vectors
    approved: int  # facts it was trained on
    rejected: int
    mean: Array
    scale: Array
    weights: Array
    bias: float

    def probabilities(self, store: Store, keys: Sequence[int]) -> dict[int, float]:
        """That each of these facts is right, by key, without those that are gone."""
        found = features(store, keys)
        dense, tokens = self.weights[:-HASHED], self.weights[-HASHED:]
        scores = _scaled(found.dense, self.mean, self.scale) @ dense + self.bias
        token_scores = tokens[found.columns] * found.values * _WEIGHT
        scores += np.bincount(found.rows, token_scores, minlength=len(found.facts))
        sure = np.round(1 / (1 + np.exp(-np.clip(scores, -30, 30))), _DIGITS).tolist()
        return {fact.key: probability for fact, probability in zip(found.facts, sure, strict=True)}

    def proper(self, dimension: int) -> bool:
        parts = (self.mean, self.scale, self.weights, np.array([self.bias]))
        return (
            self.mean.shape == self.scale.shape == (NUMBERS + dimension,)
            and self.weights.shape == (NUMBERS + dimension + HASHED,)
            and all(np.isfinite(part).all() for part in parts)
            and bool((self.scale > 0).all())
        )


def kept_filter(store: Store) -> LearnedFilter | None:
    """The one that was trained last; None where there is none of these features and this encoder."""
    encoder = store.embeddings.encoder
    try:
        record = json.loads(store.settings.get(_SETTING, "{}"))
        if record["version"] != VERSION or record["encoder"] != encoder.model:
            return None
        mean, scale, weights = (np.array(record[name], np.float64) for name in ("mean", "scale", "weights"))
        counts = int(record["approved"]), int(record["rejected"])
        found = LearnedFilter(encoder.model, *counts, mean, scale, weights, float(record["bias"]))
    # A workspace that was received may hold anything.
    except (ValueError, KeyError, TypeError, OverflowError, RecursionError):
        return None
    return found if found.proper(encoder.dimension) else None


def keep_filter(store: Store, learned: LearnedFilter | None) -> None:
    if learned is None:
        store.settings.set(_SETTING, "{}")
        return
    numbers = {name: getattr(learned, name).tolist() for name in ("mean", "scale", "weights")}
    counts = {"approved": learned.approved, "rejected": learned.rejected}
    record = {"version": VERSION, "encoder": learned.encoder, **counts, "bias": learned.bias, **numbers}
    store.settings.set(_SETTING, json.dumps(record))


def outdated(decided: tuple[int, int], kept: LearnedFilter | None) -> bool:
    """Whether enough was decided, or undone, since it was trained. `decided`: facts that are approved, rejected."""
    if kept is None:
        return min(decided) >= LEAST
    changed = abs(decided[0] - kept.approved) + abs(decided[1] - kept.rejected)
    return changed >= max(LEAST, _NEW_SHARE * (kept.approved + kept.rejected))


def train(store: Store) -> LearnedFilter | None:
    """None where too little was decided of one outcome. The same decisions give the same filter."""
    approved, rejected = store.candidates.decisions()
    if min(approved, rejected) < LEAST:
        return None
    found = features(store, store.candidates.decided(_MOST))
    right = np.array([fact.state == "approved" for fact in found.facts])
    if right.all() or not right.any():
        return None
    from scipy.sparse import csr_array, hstack
    from sklearn.linear_model import LogisticRegression  # takes a second

    # Rounded as they are kept, so that they are the same when they are read again.
    mean, scale = np.round(found.dense.mean(0), 6), np.round(found.dense.std(0) + 1e-6, 6)
    scale[NUMBERS:] = 1 / _WEIGHT  # a vector is of one scale
    tokens = csr_array((found.values * _WEIGHT, (found.rows, found.columns)), (len(found.facts), HASHED))
    design = hstack([csr_array(_scaled(found.dense, mean, scale)), tokens], format="csr")
    model = LogisticRegression(C=_PENALTY, max_iter=500).fit(design, right)
    encoder = store.embeddings.encoder.model
    weights, bias = np.round(model.coef_[0], 6), round(float(model.intercept_[0]), 6)
    return LearnedFilter(encoder, approved, rejected, mean, scale, weights, bias)


def _scaled(dense: Array, mean: Array, scale: Array) -> Array:
    found: Array = np.clip((dense - mean) / scale, -_FURTHEST, _FURTHEST)
    return found
