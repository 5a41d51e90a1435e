"""Training the router: select, standardise, cross-validate, fit, calibrate, cut. EA-GraphRAG 3.2.5 and 3.3."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from core.config import RoutingConfig
from core.errors import BadInput
from core.extraction.question import ParsedQuestion
from core.progress import TaskContext
from core.routing import statistics
from core.routing.features.vector import FEATURE_NAMES, measure
from core.routing.fit import FitSettings, fit, tensors_of
from core.routing.network import from_tensors, logits
from core.routing.records import Array, RoutedQuestion, gains, qualities, seconds, weights
from core.routing.rules import RuleRouter
from core.routing.training_report import report_of

FEWEST = 8  # of each label; below that nothing can be learned


@dataclass(frozen=True, slots=True)
class TrainSettings:
    """`price`: quality given up for the whole latency of the slowest route (0.01: one point)."""

    selected: tuple[int, ...] = (16, 32, 48, 85)  # numbers of features that are tried
    folds: int = 5
    price: float = 0.01
    fit: FitSettings = field(default_factory=FitSettings)


@dataclass(frozen=True, slots=True)
class Material:
    """All questions as arrays: rows correspond. `differs` marks the disagreement set."""

    features: Array  # (n, len(FEATURE_NAMES))
    quality: Array  # (n, 3)
    labels: NDArray[np.bool_]  # graph better than dense
    differs: NDArray[np.bool_]
    weights: Array
    folds: NDArray[np.int64]
    rules: Array  # score of the rule router


@dataclass(frozen=True, slots=True)
class Trained:
    """What `adapter.write` needs, and the report for people."""

    tensors: dict[str, NDArray[np.float32]]
    names: tuple[str, ...]
    standard: tuple[Array, Array]
    calibration: tuple[float, float]
    thresholds: tuple[float, float]
    report: dict[str, object]


def train(
    records: Sequence[RoutedQuestion],
    parse: Callable[[str], ParsedQuestion],
    context: TaskContext,
    settings: TrainSettings = TrainSettings(),
) -> Trained:
    """Raises BadInput when dense and graph differ on too few questions; Cancelled."""
    material = read_material(records, parse, context, settings)
    tried: dict[int, Array] = {}
    for number, k in enumerate(settings.selected):
        context.report("training", number, len(settings.selected) + 1, f"{k} features")
        tried[k] = out_of_fold(material, k, settings, context)
    differs, labels = material.differs, material.labels
    areas = {k: statistics.auc(found[differs], labels[differs]) for k, found in tried.items()}
    k = max(areas, key=lambda each: round(areas[each], 3))
    slope, offset = statistics.calibrate(tried[k][differs], labels[differs])
    scores = statistics.sigmoid(slope * tried[k] + offset)
    cost = relative_cost(records)
    thresholds = statistics.choose_thresholds(scores, material.quality, cost, settings.price)
    columns, mean, scale = prepare(material, differs, k)
    z = standardise(material.features[differs][:, columns], mean, scale)
    model = fit(z, labels[differs], material.weights[differs], settings.fit)
    context.report("training", len(settings.selected) + 1, len(settings.selected) + 1)
    report = report_of(records, material, scores, areas, cost, thresholds, settings)
    return Trained(
        tensors_of(model),
        tuple(FEATURE_NAMES[i] for i in columns),
        (mean, scale),
        (slope, offset),
        thresholds,
        report | {"features": [FEATURE_NAMES[i] for i in columns], "calibration": [slope, offset]},
    )


def read_material(
    records: Sequence[RoutedQuestion],
    parse: Callable[[str], ParsedQuestion],
    context: TaskContext,
    settings: TrainSettings,
) -> Material:
    """Measure every question; raise BadInput where there is too little to learn from."""
    gained = gains(records)
    fewest = min(int((gained > 0).sum()), int((gained < 0).sum()))
    if fewest < FEWEST:
        raise BadInput(
            f"Dense and graph retrieval differ too seldom: {fewest} questions on the lesser side, {FEWEST} needed.",
            "Train on more questions.",
        )
    rules = RuleRouter(RoutingConfig(), parse)
    rows, scores = [], []
    for number, record in enumerate(records):
        context.report("features", number + 1, len(records))
        parsed = parse(record.question)
        rows.append(measure(parsed))
        scores.append(rules.complexity(parsed).score)
    return Material(
        features=np.array(rows),
        quality=qualities(records),
        labels=gained > 0,
        differs=gained != 0,
        weights=weights(records),
        folds=fold_of(records, gained, settings.folds, settings.fit.seed),
        rules=np.array(scores),
    )


def fold_of(records: Sequence[RoutedQuestion], gained: Array, folds: int, seed: int) -> NDArray[np.int64]:
    """A fold for each question, even over groups and labels; the same question has one fold."""
    random = np.random.default_rng(seed)
    strata: dict[tuple[str, float], list[int]] = {}
    for i in random.permutation(len(records)):
        strata.setdefault((records[i].group, float(np.sign(gained[i]))), []).append(int(i))
    found = np.zeros(len(records), dtype=np.int64)
    order = [i for key in sorted(strata) for i in strata[key]]
    known: dict[str, int] = {}
    for place, i in enumerate(order):
        found[i] = known.setdefault(records[i].question, place % folds)
    return found


def out_of_fold(material: Material, k: int, settings: TrainSettings, context: TaskContext) -> Array:
    """Logits of all questions by adapters that have not seen their fold, shape (n,)."""
    found = np.zeros(len(material.labels))
    for fold in range(settings.folds):
        context.check()
        seen = material.differs & (material.folds != fold)
        columns, mean, scale = prepare(material, seen, k)
        z = standardise(material.features[:, columns], mean, scale)
        chosen = replace(settings.fit, seed=settings.fit.seed + fold)
        model = fit(z[seen], material.labels[seen], material.weights[seen], chosen)
        unseen = material.folds == fold
        found[unseen] = logits(from_tensors(tensors_of(model), k), z[unseen])
    return found


def prepare(material: Material, seen: NDArray[np.bool_], k: int) -> tuple[list[int], Array, Array]:
    """The k columns of most mutual information with the label, their means and deviations, by `seen` alone."""
    features = material.features[seen]
    told = statistics.mutual_information(features, material.labels[seen], material.weights[seen])
    spread = features.std(axis=0)
    columns = np.sort(np.lexsort((np.arange(len(told)), -told))[:k]).tolist()
    mean, scale = features.mean(axis=0)[columns], np.where(spread > 1e-9, spread, 1.0)[columns]
    return columns, mean.astype(np.float32).astype(np.float64), scale.astype(np.float32).astype(np.float64)


def standardise(features: Array, mean: Array, scale: Array) -> Array:
    """z-scores held at six deviations, as `Adapter.standardised` does it."""
    held: Array = np.clip((features - mean) / scale, -6.0, 6.0)
    return held


def relative_cost(records: Sequence[RoutedQuestion]) -> Array:
    """Seconds of each route over those of the slowest, shape (3,); zeros where nothing was timed."""
    spent = seconds(records)
    cost: Array = spent / spent.max() if spent.max() > 0 else spent
    return cost
