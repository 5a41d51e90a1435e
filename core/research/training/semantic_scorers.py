"""Scorers that read what a question means, beside the adapter, which reads its syntax. EA-GraphRAG fig. 3."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from core.progress import TaskContext
from core.research.training.adapter import (
    AdapterSettings,
    chosen_of,
    feature_values,
    labelled,
    outcomes,
    trained,
)
from core.research.training.list_weights import Example
from core.retrieval.routing.weighing import Array

SHARES = (0.3, 0.4)  # of the questions, that the graph is asked for
_ROUNDS = 30
_NEAREST = 25
# Of vectors (n, dimension), labels and weights (n,), the scores (m,) of the vectors of other questions.
Scorer = Callable[[Array, Array, Array, Array], Array]


def logistic(vectors: Array, labels: Array, weights: Array, others: Array) -> Array:
    """Logistic regression."""
    from sklearn.linear_model import LogisticRegression

    model = LogisticRegression(max_iter=500).fit(vectors, labels, sample_weight=weights)
    found: Array = model.predict_proba(others)[:, 1]
    return found


def network(vectors: Array, labels: Array, weights: Array, others: Array) -> Array:
    """One hidden layer of 64."""
    from sklearn.neural_network import MLPClassifier

    model = MLPClassifier((64,), alpha=0.01, random_state=7)
    for _ in range(_ROUNDS):
        model.partial_fit(vectors, labels, classes=[0.0, 1.0], sample_weight=weights)
    found: Array = model.predict_proba(others)[:, 1]
    return found


def votes(vectors: Array, labels: Array, weights: Array, others: Array) -> Array:
    """The share of the nearest questions, by weight, for which the graph was better."""
    near = np.argsort(-(others @ vectors.T), axis=1, kind="stable")[:, :_NEAREST]
    found: Array = (weights * labels)[near].sum(1) / np.maximum(weights[near].sum(1), 1e-12)
    return found


SCORERS: dict[str, Scorer] = {"logistic": logistic, "network": network, "votes": votes}


def compared(
    examples: Sequence[Example], context: TaskContext, settings: AdapterSettings
) -> dict[str, dict[str, float]]:
    """By scorer, each learned without the family that it judges: the mean over corpora of recall@5 where the graph
    alone is asked for the SHARES of all questions with the largest scores and meaning alone for the others.

    `examples` are of several families and have vectors. Raises as `fit`; Cancelled.
    """
    features, families = feature_values(examples), np.array([example.family for example in examples])
    vectors = np.array([example.vector for example in examples], dtype=np.float64)
    scores = {name: np.zeros(len(examples)) for name in ("adapter", *SCORERS)}
    for family in sorted({*families.tolist()}):
        context.check()
        left = families == family
        targets = labelled([e for e, out in zip(examples, left, strict=True) if not out], settings)
        adapter = trained(features[~left], *targets, context, settings)
        scores["adapter"][left] = adapter.scores(chosen_of(adapter, features[left]))
        for name, scorer in SCORERS.items():
            scores[name][left] = scorer(vectors[~left], *targets, vectors[left])
    dense, _, graph = outcomes(examples, np.full(len(examples), 0.5)).T
    corpora = np.array([example.corpus for example in examples])

    def mean(values: Array) -> float:
        return round(float(np.mean([values[corpora == corpus].mean() for corpus in {*corpora.tolist()}])), 4)

    rows = {"never": {"recall@5": mean(dense)}, "always": {"recall@5": mean(graph)}}
    for name, found in scores.items():
        asked = {share: _first(found, share) for share in SHARES}
        rows[name] = {f"recall@5, {share:g}": mean(np.where(asked[share], graph, dense)) for share in SHARES}
    return rows


def _first(scores: Array, share: float) -> Array:
    """Whether a score is among the largest, as many as are that share of all."""
    found = np.zeros(len(scores), dtype=bool)
    found[np.argsort(-scores, kind="stable")[: round(share * len(scores))]] = True
    return found
