"""Training of the scope model: L2 logistic regression, its strength and thresholds by cross-validation.

Questions that are near each other never stand on both sides of a fold, or a paraphrase learned by heart
would pass for understanding.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.routing.corpuswide import Judged, Stand
from core.routing.corpuswide_model import ScopeModel

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class ScopeSettings:
    """How one scope model is chosen."""

    strengths: tuple[float, ...] = (0.05, 0.1, 0.2, 0.5)  # of the L2 penalty, summed over questions
    folds: int = 5
    repeats: int = 3
    near: float = 0.7  # cosine from which two questions share a fold
    precision: float = (
        0.98  # of rules and model together; a point above the goal, since rules fit dev too well
    )
    seed: int = 7


@dataclass(frozen=True, slots=True)
class TrainedScope:
    """`report` is for the file and for people: what was chosen, and by what it was worth out of fold."""

    model: ScopeModel
    report: dict[str, float]


def train(
    vectors: Array, labels: Flags, judged: Sequence[Judged], settings: ScopeSettings = ScopeSettings()
) -> TrainedScope:
    """From unit vectors (n, d) of questions, whether each is corpus-wide, and what the rules make of it.

    The same input gives the same model, but for rounding. ValueError where there is but one kind.
    """
    if labels.all() or not labels.any():
        raise ValueError("questions of both kinds are needed")
    x = vectors.astype(np.float64)
    groups = near_groups(x, settings.near)
    strength, guesses = min(
        ((strength, _out_of_fold(x, labels, groups, strength, settings)) for strength in settings.strengths),
        key=lambda pair: _loss(pair[1], labels),
    )
    free, narrowed, precision, recall = _thresholds(guesses, labels, judged, settings.precision)
    weights = fit(x, labels, strength)
    model = ScopeModel(weights[:-1], float(weights[-1]), free, narrowed)
    report = {
        "questions": float(len(x)),
        "groups": float(len(set(groups.tolist()))),
        "strength": strength,
        "precision": precision,
        "recall": recall,
    }
    return TrainedScope(model, report)


def fit(x: Array, labels: Flags, strength: float) -> Array:
    """Weights (d + 1,), the bias last and free of the penalty, by Newton's method."""
    if len(x) < x.shape[1]:
        # Weights lie in the span of the questions: of few, there is far less to solve.
        basis, inside = np.linalg.qr(x.T)
        few = fit(inside.T, labels, strength)
        return np.append(basis @ few[:-1], few[-1])
    rows = np.column_stack([x, np.ones(len(x))])
    penalty = np.full(rows.shape[1], strength)
    penalty[-1] = 1e-9
    weights = np.zeros(rows.shape[1])
    for _ in range(50):
        p = _sigmoid(rows @ weights)
        slope = rows.T @ (p - labels) + penalty * weights
        curvature = (rows * (p * (1 - p))[:, None]).T @ rows + np.diag(penalty)
        step = np.linalg.solve(curvature, slope)
        weights -= step
        if np.abs(step).max() < 1e-7:
            break
    return weights


def near_groups(x: Array, near: float) -> NDArray[np.intp]:
    """The group of each unit vector: those nearer than `near` are in one, and so are their neighbours'."""
    close = x @ x.T > near
    groups = np.arange(len(x))
    for row in range(len(x)):
        met = np.unique(groups[close[row]])
        groups[np.isin(groups, met)] = met[0]
    return groups


def _out_of_fold(
    x: Array, labels: Flags, groups: NDArray[np.intp], strength: float, settings: ScopeSettings
) -> Array:
    """Probabilities (repeats, n) by models that saw neither the question nor one near it."""
    guesses = np.zeros((settings.repeats, len(x)))
    for row, folds in zip(guesses, _folds(groups, settings), strict=True):
        for fold in range(settings.folds):
            left = folds == fold
            if not left.any():
                continue
            weights = fit(x[~left], labels[~left], strength)
            row[left] = _sigmoid(x[left] @ weights[:-1] + weights[-1])
    return guesses


def _folds(groups: NDArray[np.intp], settings: ScopeSettings) -> Iterator[NDArray[np.intp]]:
    """For each repeat the fold of each question; a group is in one fold."""
    names, member = np.unique(groups, return_inverse=True)
    random = np.random.default_rng(settings.seed)
    for _ in range(settings.repeats):
        yield (random.permutation(len(names)) % settings.folds)[member]


def _loss(guesses: Array, labels: Flags) -> float:
    right = np.where(labels, guesses, 1.0 - guesses)
    return float(-np.log(np.maximum(right, 1e-12)).mean())


def _thresholds(
    guesses: Array, labels: Flags, judged: Sequence[Judged], precision: float
) -> tuple[float, float, float, float]:
    """The two thresholds that find most while precision holds; then that precision and recall, with the rules."""
    stands = np.array([each.stand for each in judged])
    taken = stands == Stand.TAKEN
    rules = (np.array([(taken & labels).sum(), taken.sum()]) * len(guesses)).astype(float)
    grid = np.round(np.arange(0.5, 1.0, 0.01), 2)
    gains = {
        stand: [
            ((sure & labels).sum(), sure.sum()) for sure in ((guesses > t) & (stands == stand) for t in grid)
        ]
        for stand in (Stand.OPEN, Stand.NARROWED)
    }
    gold = labels.sum() * len(guesses)
    best = (1.0, 1.0, float(rules[0] / max(1.0, rules[1])), float(rules[0] / gold))
    for free, opened in zip(grid, gains[Stand.OPEN], strict=True):
        for tight, held in zip(grid, gains[Stand.NARROWED], strict=True):
            hits, found = rules + np.array(opened) + np.array(held)
            if tight >= free and hits / max(1.0, found) >= precision and hits / gold > best[3]:
                best = (float(free), float(tight), float(hits / found), float(hits / gold))
    return best


def _sigmoid(logits: Array) -> Array:
    result: Array = 0.5 * (1.0 + np.tanh(0.5 * logits))
    return result
