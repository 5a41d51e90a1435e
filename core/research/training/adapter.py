"""Training of the EA-GraphRAG adapter: feature selection, the network, its thresholds (torch, only here)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from core.progress import TaskContext
from core.research.training.list_weights import (
    Example,
    FitSettings,
    by_family,
    counted,
    one_torch_thread,
    recall,
)
from core.retrieval.routing.adapter import EVEN, HIDDEN, Adapter
from core.retrieval.routing.features.vector import FEATURE_NAMES
from core.retrieval.routing.weighing import Array

if TYPE_CHECKING:
    import torch

FEWEST = 100  # least questions that one route answers and the other does not; with fewer, train on recall
_BINS = 8
_MEASURED = FitSettings(crowding=1.0)  # eq. 8 as it stands
_STEPS = np.round(np.linspace(0.0, 1.0, 41), 3)  # candidate thresholds


@dataclass(frozen=True, slots=True)
class AdapterSettings:
    """`cost` is the share of a right answer, or of recall, that asking the graph must gain: with 0, questions on
    which both routes are equal teach nothing, as in the paper.
    """

    chosen: int = 85
    cost: float = 0.05
    smoothing: float = 0.1
    rate: float = 1e-3
    decay: float = 1e-2
    dropout: float = 0.3
    rounds: int = 40
    batch: int = 64
    folds: int = 4
    seed: int = 7


def fit(
    examples: Sequence[Example], context: TaskContext, settings: AdapterSettings = AdapterSettings()
) -> Adapter:
    """Train an adapter, repeatably. Its thresholds are the best out of fold: by family of corpora, or by question
    with a single family.

    Raises ValueError where neither route is ever better; Cancelled.
    """
    labels, weights = labelled(examples, settings)
    families = sorted({example.family for example in examples})
    units = [families.index(e.family) if len(families) > 1 else at for at, e in enumerate(examples)]
    folds = np.array(units) % settings.folds
    features = feature_values(examples)
    scores = np.full(len(examples), 0.5)
    for fold in np.unique(folds):
        left = folds == fold
        if len(set(labels[~left & (weights > 0)].tolist())) == 2:
            found = trained(features[~left], labels[~left], weights[~left], context, settings)
            scores[left] = found.scores(chosen_of(found, features[left]))
    low, high = thresholds(scores, outcomes(examples, scores), counted(examples), settings.cost)
    return replace(trained(features, labels, weights, context, settings), low=low, high=high)


def labelled(examples: Sequence[Example], settings: AdapterSettings) -> tuple[Array, Array]:
    """Return whether the graph is the better route, (n,) of 0 and 1, and each question's weight. EA-GraphRAG 3.3,
    with the cost of the graph.

    Raises ValueError where one of the routes is never the better one.
    """
    if by_answers(examples):
        sides = np.array([e.right or (np.nan, np.nan) for e in examples], dtype=np.float64)
    else:
        sides = np.array([[recall(e, one, _MEASURED) for one in np.eye(3)[1:]] for e in examples])
    gains = np.diff(sides.reshape(-1, 2))[:, 0]
    labels = (gains > settings.cost).astype(np.float64)
    if not (labels.sum() > 0 and (gains < 0).any()):
        raise ValueError(
            "No question is found better by meaning, or none by the graph: nothing to learn from."
        )
    weights = np.nan_to_num(np.abs(gains - settings.cost)) * counted(examples)
    return labels, weights / weights.mean()


def by_answers(examples: Sequence[Example]) -> bool:
    """Return whether enough questions are answered right by exactly one of the routes."""
    return sum(not e.plain and e.right in ((True, False), (False, True)) for e in examples) >= FEWEST


def feature_values(examples: Sequence[Example]) -> Array:
    """Return the values of all features, (n, all features)."""
    return np.array([[example.signals[name] for name in FEATURE_NAMES] for example in examples])


def most_informative(values: Array, labels: Array, weights: Array, most: int) -> NDArray[np.intp]:
    """Return the columns of (n, features) with the most mutual information with the labels (n,), in their own
    order. EA-GraphRAG 3.2.5.
    """
    scores = [mutual_information(column, labels, weights) for column in values.T]
    return np.sort(np.argsort(-np.array(scores), kind="stable")[:most])


def mutual_information(values: Array, labels: Array, weights: Array) -> float:
    """Return the weighted mutual information in nats; more than _BINS different values are put into bins of equal
    counts.
    """
    lowest = np.unique(values)
    if len(lowest) > _BINS:
        lowest = np.unique(np.quantile(values, np.arange(_BINS) / _BINS))
    joint = np.zeros((len(lowest), 2))
    parts = np.searchsorted(lowest, values, side="right") - 1
    np.add.at(joint, (parts, labels.astype(np.intp)), weights / weights.sum())
    apart = joint.sum(1, keepdims=True) * joint.sum(0)
    there = joint > 0
    return float((joint[there] * np.log(joint[there] / apart[there])).sum())


def trained(
    features: Array, labels: Array, weights: Array, context: TaskContext, settings: AdapterSettings
) -> Adapter:
    """Train on the rows with a weight; the thresholds are not yet chosen."""
    taught = weights > 0
    features, labels, weights = features[taught], labels[taught], weights[taught]
    columns = most_informative(features, labels, weights, settings.chosen)
    values = features[:, columns]
    mean, scale = values.mean(0), values.std(0) + 1e-6
    names = tuple(FEATURE_NAMES[at] for at in columns)
    adapter = replace(EVEN, names=names, mean=_single(mean), scale=_single(scale))
    layers = network(chosen_of(adapter, features), labels, weights / weights.mean(), context, settings)
    return replace(adapter, layers=layers)


def chosen_of(adapter: Adapter, features: Array) -> Array:
    """Return the chosen features, standardised, (n, d), from all features (n, len(FEATURE_NAMES))."""
    columns = [FEATURE_NAMES.index(name) for name in adapter.names]
    z: Array = np.clip((features[:, columns] - adapter.mean) / adapter.scale, -3.0, 3.0)
    return z


def network(
    z: Array, labels: Array, weights: Array, context: TaskContext, settings: AdapterSettings
) -> tuple[tuple[Array, Array], ...]:
    """Train the layers of an Adapter on (n, d) standardised features and (n,) labels and weights. Raises Cancelled."""
    import torch

    x, y, w = (torch.tensor(each, dtype=torch.float32) for each in (z, labels, weights))
    wide = (x.shape[1], x.shape[1], *HIDDEN, HIDDEN[-1], 1)
    with one_torch_thread(), torch.random.fork_rng(devices=[]):
        torch.manual_seed(settings.seed)
        layers = [torch.nn.Linear(one, other) for one, other in pairwise(wide)]
        step, schedule = optimiser([p for layer in layers for p in layer.parameters()], settings)
        for _ in range(settings.rounds):
            context.check()
            for rows in torch.split(torch.randperm(len(x)), settings.batch):
                step.zero_grad()
                logits = _logits(layers, x[rows], settings.dropout)
                loss = smoothed_loss(logits, y[rows], w[rows], settings.smoothing)
                loss.backward()  # type: ignore[no-untyped-call]
                step.step()
            schedule.step()
    return tuple((_single(layer.weight), _single(layer.bias)) for layer in layers)


def _single(values: torch.Tensor | Array) -> Array:
    """Round as a saved file does."""
    plain = values if isinstance(values, np.ndarray) else values.detach().numpy()
    return plain.astype(np.float32).astype(np.float64)


def _logits(layers: Sequence[torch.nn.Linear], x: torch.Tensor, dropout: float) -> torch.Tensor:
    """Return the logits, as `Adapter.logits`, (n,), with dropout."""
    import torch

    def attended(values: torch.Tensor, layer: torch.nn.Linear) -> torch.Tensor:
        return values + values * values.shape[1] * torch.softmax(layer(values), 1)

    first, *hidden, last, out = layers
    activations = attended(x, first)
    for layer in hidden:
        activations = torch.nn.functional.dropout(torch.relu(layer(activations)), dropout)
    found: torch.Tensor = out(attended(activations, last))[:, 0]
    return found


def smoothed_loss(
    logits: torch.Tensor, labels: torch.Tensor, weights: torch.Tensor, smoothing: float
) -> torch.Tensor:
    """Return the binary cross-entropy with labels smoothed towards .5, the weighted mean of (n,)."""
    import torch

    drawn = labels * (1.0 - smoothing) + smoothing / 2
    losses = torch.nn.functional.binary_cross_entropy_with_logits(logits, drawn, reduction="none")
    return (losses * weights).mean()


def optimiser(
    parameters: Sequence[torch.nn.Parameter], settings: AdapterSettings
) -> tuple[torch.optim.Optimizer, torch.optim.lr_scheduler.LRScheduler]:
    """Return AdamW with a rate that falls along half a cosine to 0 over all rounds."""
    import torch

    step = torch.optim.AdamW(parameters, settings.rate, weight_decay=settings.decay)
    return step, torch.optim.lr_scheduler.CosineAnnealingLR(step, settings.rounds)


def outcomes(examples: Sequence[Example], scores: Array) -> Array:
    """Return recall@5 of each question by meaning, fused by its score (eq. 8), and by the graph, (n, 3)."""
    ways = ((np.array([0.0, 1.0 - s, s]) for s in (0.0, score, 1.0)) for score in scores.tolist())
    return np.array(
        [[recall(e, way, _MEASURED) for way in own] for e, own in zip(examples, ways, strict=True)]
    )


def thresholds(scores: Array, found: Array, counts: Array, cost: float) -> tuple[float, float]:
    """Return the low and high thresholds with the largest recall less `cost` times the share of questions that ask
    the graph.

    From (n,) scores, the recall of each route (n, 3) and the questions' weights; ties go to the cheapest.
    EA-GraphRAG 3.3.
    """
    best, chosen = -np.inf, (0.0, 1.0)
    for low in _STEPS[::-1]:
        for high in _STEPS[low < _STEPS]:
            way = taken(scores, low, high)
            worth = found[np.arange(len(way)), way] - cost * (way > 0)
            if (total := float(worth @ counts)) > best + 1e-12:
                best, chosen = total, (float(low), float(high))
    return chosen


def taken(scores: Array, low: float, high: float) -> NDArray[np.intp]:
    """Return 0 for meaning, 1 for both, 2 for the graph, (n,). Eq. 2."""
    return np.where(scores >= high, 2, np.where(scores <= low, 0, 1))


def left_out(
    examples: Sequence[Example], context: TaskContext, settings: AdapterSettings = AdapterSettings()
) -> dict[str, dict[str, float]]:
    """Evaluate each corpus with an adapter and thresholds trained without its family.

    By corpus: recall@5 of each route and of the adapter's choice, the shares of the routes it takes, and how often
    the reader is right with each alone.
    """
    if len({example.family for example in examples}) < 2:
        return {}
    return by_family(examples, lambda others: fit(others, context, settings), _row, context)


def _row(examples: Sequence[Example], adapter: Adapter) -> dict[str, float]:
    scores = adapter.scores(chosen_of(adapter, feature_values(examples)))
    ways = outcomes(examples, scores)
    way = taken(scores, adapter.low, adapter.high)
    row = {"questions": float(len(examples)), "dense": ways[:, 0].mean(), "graph": ways[:, 2].mean()}
    row["adapter"] = ways[np.arange(len(way)), way].mean()
    row |= {f"share {name}": (way == at).mean() for at, name in enumerate(("dense", "fusion", "graph"))}
    if answered := [e.right for e in examples if e.right is not None]:
        row["right dense"], row["right graph"] = np.mean(answered, axis=0)
    return {name: round(float(value), 4) for name, value in row.items()}
