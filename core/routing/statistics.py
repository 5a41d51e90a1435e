"""Figures of a trained router: mutual information, AUC, calibration, thresholds. All numpy."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from core.routing.records import Array

_BINS = 8
SLACK = 1e-4  # of mean quality: a hundredth of a point decides nothing


def mutual_information(features: Array, labels: NDArray[np.bool_], weights: Array) -> Array:
    """I(feature; label) in nats for each column, quantile bins; (n, d), (n,), (n,) -> (d,).

    Corrected for what chance alone gives (Miller 1955): (bins - 1) / 2n, so that a feature of many
    values has no advantage over a yes-or-no one. Never below 0.
    """
    shares = weights / weights.sum()
    effective = 1.0 / float((shares**2).sum())
    found = np.zeros(features.shape[1])
    for column in range(features.shape[1]):
        edges = np.unique(np.quantile(features[:, column], np.linspace(0, 1, _BINS + 1)[1:-1]))
        bins = np.searchsorted(edges, features[:, column], side="right")
        joint = np.zeros((len(edges) + 1, 2))
        np.add.at(joint, (bins, labels.astype(int)), shares)
        apart = joint.sum(axis=1, keepdims=True) * joint.sum(axis=0, keepdims=True)
        held = joint > 0
        raw = float((joint[held] * np.log(joint[held] / apart[held])).sum())
        chance = (int((joint.sum(axis=1) > 0).sum()) - 1) / (2.0 * effective)
        found[column] = max(raw - chance, 0.0)
    return found


def auc(scores: Array, labels: NDArray[np.bool_]) -> float:
    """Chance that a graph question scores above a dense one, ties half; 0.5 where one kind is missing."""
    above, below = scores[labels], scores[~labels]
    if not len(above) or not len(below):
        return 0.5
    ordered = np.sort(below)
    lower = np.searchsorted(ordered, above, side="left")
    upper = np.searchsorted(ordered, above, side="right")
    return float((lower + upper).sum() / (2.0 * len(above) * len(below)))


def calibrate(logits: Array, labels: NDArray[np.bool_], rounds: int = 50) -> tuple[float, float]:
    """(slope, offset) of Platt 1999 by Newton's method; the slope is 1 / temperature and stays above 0.

    A small ridge holds them where the labels are separable or all alike.
    """
    x = np.column_stack([logits, np.ones_like(logits)])
    y = labels.astype(np.float64)
    prior = np.array([1.0, 0.0])

    def loss(beta: Array) -> float:
        raised = x @ beta
        return float((np.logaddexp(0.0, raised) - y * raised).sum() + ((beta - prior) ** 2).sum() / 2)

    beta = prior.copy()
    for _ in range(rounds):
        p = sigmoid(x @ beta)
        gradient = x.T @ (p - y) + (beta - prior)
        step = np.linalg.solve((x * (p * (1 - p))[:, None]).T @ x + np.eye(2), gradient)
        before = loss(beta)
        while loss(beta - step) > before and np.abs(step).max() > 1e-9:
            step = step / 2  # a whole step overshoots where most scores are near 0 or 1
        beta = beta - step
        if np.abs(step).max() < 1e-9:
            break
    return max(float(beta[0]), 0.05), float(beta[1])


def calibration_error(scores: Array, labels: NDArray[np.bool_], bins: int = 10) -> float:
    """Expected calibration error: how far scores and shares lie apart, bins of equal width."""
    place = np.minimum((scores * bins).astype(int), bins - 1)
    parts = [
        (place == b).mean() * abs(scores[place == b].mean() - labels[place == b].mean())
        for b in range(bins)
        if (place == b).any()
    ]
    return float(sum(parts))


def routed(scores: Array, low: float, high: float) -> NDArray[np.int64]:
    """Column of `records.ROUTES` for each score: dense 0, fusion 1, graph 2. EA-GraphRAG, eq. 2."""
    found: NDArray[np.int64] = np.where(scores >= high, 2, np.where(scores <= low, 0, 1)).astype(np.int64)
    return found


def choose_thresholds(scores: Array, quality: Array, cost: Array, price: float) -> tuple[float, float]:
    """low < high in 0..1 that make mean quality - price * mean relative cost largest.

    `quality` (n, 3), `cost` (3,) with the slowest route at 1. Low 0 never takes dense, high 1 never
    takes graph. Of all pairs on a grid that come within SLACK of the best, the one nearest to a third
    and two thirds wins: where the questions seen do not tell, the score decides as it reads.
    """
    cuts = np.quantile(scores, np.linspace(0.0, 1.0, 61))
    even = np.linspace(0.05, 0.95, 19)
    grid = np.unique(np.round(np.concatenate([[0.0, 0.001, 0.999, 1.0], cuts, cuts + 1e-4, even]), 4))
    grid = grid[(grid >= 0.0) & (grid <= 1.0)]
    order = np.argsort(scores, kind="stable")
    worth = (quality - price * cost[None, :])[order]
    sums = np.vstack([np.zeros(3), np.cumsum(worth, axis=0)]) / len(scores)
    low, high = (each.ravel() for each in np.meshgrid(grid, grid, indexing="ij"))
    low, high = low[low < high], high[low < high]
    first = np.searchsorted(scores[order], low, side="right")
    last = np.maximum(np.searchsorted(scores[order], high, side="left"), first)
    value = sums[first, 0] + sums[last, 1] - sums[first, 1] + sums[-1, 2] - sums[last, 2]
    far = np.abs(low - 1 / 3) + np.abs(high - 2 / 3)
    chosen = int(np.argmin(np.where(value >= value.max() - SLACK, far, np.inf)))
    return float(low[chosen]), float(high[chosen])


def sigmoid(x: Array) -> Array:
    """1 / (1 + exp(-x)) without overflow."""
    s: Array = 0.5 * (1.0 + np.tanh(0.5 * x))
    return s
