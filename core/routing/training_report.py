"""The training report: what was learned from, what it is worth on questions not seen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from core.config import RoutingConfig
from core.routing import statistics
from core.routing.records import ROUTES, Array, RoutedQuestion, seconds

if TYPE_CHECKING:
    from core.routing.train import Material, TrainSettings


def report_of(
    records: Sequence[RoutedQuestion],
    material: Material,
    scores: Array,
    areas: dict[int, float],
    cost: Array,
    thresholds: tuple[float, float],
    settings: TrainSettings,
) -> dict[str, object]:
    """Every figure is of scores by adapters that had not seen the question."""
    differs, labels = material.differs, material.labels
    config = RoutingConfig()
    learned = cross_fitted(material, scores, cost, settings)
    ruled = statistics.routed(material.rules, config.low, config.high)
    return {
        "questions": len(records),
        "disagreement": int(differs.sum()),
        "graph_better": int((labels & differs).sum()),
        "dense_better": int((~labels & differs).sum()),
        "folds": settings.folds,
        "auc_by_features": {str(k): round(area, 4) for k, area in areas.items()},
        "learned": _judged(scores[differs], labels[differs]),
        "rules": _judged(material.rules[differs], labels[differs]),
        "thresholds": list(thresholds),
        "objective": f"mean quality - {settings.price} * mean latency over that of the slowest route",
        "latency_ms": {r: round(1000 * s, 2) for r, s in zip(ROUTES, seconds(records), strict=True)},
        "quality": _by_group(records, material, learned, ruled),
        "shares": _shares(statistics.routed(scores, *thresholds)),
        "fit": {name: getattr(settings.fit, name) for name in settings.fit.__slots__},
    }


def cross_fitted(
    material: Material, scores: Array, cost: Array, settings: TrainSettings
) -> NDArray[np.int64]:
    """The route of each question by thresholds that were chosen on the other folds, (n,)."""
    taken = np.zeros(len(scores), dtype=np.int64)
    for fold in range(settings.folds):
        inside = material.folds == fold
        low, high = statistics.choose_thresholds(
            scores[~inside], material.quality[~inside], cost, settings.price
        )
        taken[inside] = statistics.routed(scores[inside], low, high)
    return taken


def _judged(scores: Array, labels: NDArray[np.bool_]) -> dict[str, float]:
    return {
        "auc": round(statistics.auc(scores, labels), 4),
        "accuracy": round(float(((scores >= 0.5) == labels).mean()), 4),
        "calibration_error": round(statistics.calibration_error(scores, labels), 4),
    }


def _by_group(
    records: Sequence[RoutedQuestion],
    material: Material,
    learned: NDArray[np.int64],
    ruled: NDArray[np.int64],
) -> dict[str, dict[str, float]]:
    """Mean quality of each way to choose, by group and over all; `best` knows the better route."""
    rows = np.arange(len(records))
    found = material.quality
    ways = {name: found[:, i] for i, name in enumerate(ROUTES)}
    ways |= {"rules": found[rows, ruled], "learned": found[rows, learned], "best": found.max(axis=1)}
    groups = np.array([record.group for record in records])
    masks = {group: groups == group for group in sorted(set(groups.tolist()))}
    masks |= {"all": np.ones(len(records), dtype=bool)}
    return {
        group or "unnamed": {
            "questions": float(mask.sum()),
            **{way: round(float(values[mask].mean()), 4) for way, values in ways.items()},
        }
        for group, mask in masks.items()
    }


def _shares(taken: NDArray[np.int64]) -> dict[str, float]:
    return {name: round(float((taken == i).mean()), 4) for i, name in enumerate(ROUTES)}
