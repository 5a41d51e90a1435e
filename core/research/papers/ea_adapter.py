"""EA-GraphRAG 3.2.5 and 3.3: features chosen, the network, its training, and the route it takes."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise, product
from types import SimpleNamespace
from typing import cast

import numpy as np

from core.config import RetrievalConfig
from core.progress import TaskContext
from core.research.papers.check import expect, expect_close, expect_equal
from core.research.papers.toy_corpus import draw_corpus, query_of
from core.research.training.adapter import (
    AdapterSettings,
    labelled,
    most_informative,
    mutual_information,
    network,
    optimiser,
    smoothed_loss,
    taken,
    thresholds,
)
from core.research.training.list_weights import Example
from core.retrieval.composed import ComposedRetriever
from core.retrieval.compositions import ADAPTER, Composition
from core.retrieval.query import Query
from core.retrieval.routing.adapter import EVEN, HIDDEN, Adapter
from core.retrieval.view import RetrievalModels, SnapshotView
from core.types import Complexity, Hit, Retrieval

_SETTINGS = AdapterSettings(cost=0.0)


def selection() -> None:
    """Check mutual information against tables counted by hand: of the label itself, of nothing, and of 3 in 4."""
    labels, even = np.array([0.0, 0, 0, 0, 1, 1, 1, 1]), np.ones(8)
    columns = {
        "itself": (labels, math.log(2)),
        "nothing": (np.array([0.0, 1, 0, 1, 0, 1, 0, 1]), 0.0),
        "constant": (np.full(8, 3.0), 0.0),
        "3 in 4": (np.array([0.0, 0, 0, 1, 0, 1, 1, 1]), 0.75 * math.log(1.5) + 0.25 * math.log(0.5)),
    }
    for name, (column, expected) in columns.items():
        expect_close(mutual_information(column, labels, even), expected, f"I({name}; label)")
    table = np.column_stack([column for column, _ in columns.values()])
    expect_equal(most_informative(table, labels, even, 2).tolist(), [0, 3], "the two that tell most")
    twice = np.concatenate([labels, labels[:4]])
    doubled = np.concatenate([columns["3 in 4"][0], columns["3 in 4"][0][:4]])
    weighed = mutual_information(columns["3 in 4"][0], labels, np.array([2.0, 2, 2, 2, 1, 1, 1, 1]))
    expect_close(weighed, mutual_information(doubled, twice, np.ones(12)), "a row of weight 2 is two rows")
    steep = np.array([2.0**at for at in range(16)])  # eight parts of two values each
    halves = (np.arange(16) >= 8).astype(np.float64)
    expect_close(mutual_information(steep, halves, np.ones(16)), math.log(2), "I of many values, in parts")


def _plain_logit(layers: list[tuple[list[list[float]], list[float]]], values: list[float]) -> float:
    """The network one number after the other."""

    def linear(at: int, x: list[float]) -> list[float]:
        weights, bias = layers[at]
        return [
            sum(w * v for w, v in zip(row, x, strict=True)) + b for row, b in zip(weights, bias, strict=True)
        ]

    def attended(at: int, x: list[float]) -> list[float]:
        powers = [math.exp(value) for value in linear(at, x)]
        return [v + v * len(x) * power / sum(powers) for v, power in zip(x, powers, strict=True)]

    activations = attended(0, values)
    for at in (1, 2, 3):
        activations = [max(0.0, value) for value in linear(at, activations)]
    return linear(5, attended(4, activations))[0]


def architecture() -> None:
    """Check given weights number by number, and the paper's widths in a trained network."""
    random = np.random.default_rng(3)
    wide = (5, 5, 7, 6, 4, 4, 1)
    layers = tuple((random.normal(size=(out, one)), random.normal(size=out)) for one, out in pairwise(wide))
    adapter = replace(EVEN, names=tuple("abcde"), mean=np.zeros(5), scale=np.ones(5), layers=layers)
    z = random.normal(size=(6, 5))
    plain = [(weights.tolist(), bias.tolist()) for weights, bias in layers]
    expect_close(adapter.logits(z), [_plain_logit(plain, row) for row in z.tolist()], "logits", 1e-9)
    labels = (z[:, 0] > 0).astype(np.float64)
    found = network(z, labels, np.ones(6), TaskContext(), replace(_SETTINGS, rounds=1))
    expect_equal(tuple(len(bias) for _, bias in found), (5, *HIDDEN, HIDDEN[-1], 1), "widths of the layers")


def score() -> None:
    """Check 1 / (1 + exp(-logit))."""
    layers = (
        *((np.zeros((out, one)), np.zeros(out)) for one, out in ((2, 2), (2, 3), (3, 3), (3, 2), (2, 2))),
        (np.zeros((1, 2)), np.array([0.7])),
    )
    adapter = replace(EVEN, names=("a", "b"), mean=np.zeros(2), scale=np.ones(2), layers=layers)
    expect_close(adapter.scores(np.ones((1, 2))), [1 / (1 + math.exp(-0.7))], "s(q)")


def _question(dense: bool, graph: bool, number: int) -> Example:
    gold = np.zeros((1, 12), dtype=bool)
    return Example(
        f"c{number % 2}", False, {}, {}, np.zeros((12, 3), int), gold, 1, np.arange(12), (dense, graph)
    )


def training() -> None:
    """Check the labels of exactly one right route, the smoothed loss and the falling rate by their formulas."""
    import torch

    sides = list(product((False, True), repeat=2)) * 60  # enough to train on answers
    labels, weights = labelled(
        [_question(dense, graph, at) for at, (dense, graph) in enumerate(sides)], _SETTINGS
    )
    expect_equal(
        (weights > 0).tolist(), [dense != graph for dense, graph in sides], "who is in the training set"
    )
    expect_equal(labels.tolist(), [float(graph and not dense) for dense, graph in sides], "labels")
    _, priced = labelled(
        [_question(dense, graph, at) for at, (dense, graph) in enumerate(sides)], AdapterSettings(cost=0.05)
    )
    gains = np.array([abs(float(graph) - float(dense) - 0.05) for dense, graph in sides])
    expect_close(priced, gains / gains.mean(), "weights where asking the graph costs .05")
    logits, targets, counts = [-1.5, 0.3, 2.0], [0.0, 1.0, 1.0], [1.0, 2.0, 0.5]
    losses = []
    for logit, label in zip(logits, targets, strict=True):
        chance, drawn = 1 / (1 + math.exp(-logit)), label * 0.9 + 0.05
        losses.append(-drawn * math.log(chance) - (1 - drawn) * math.log(1 - chance))
    by_hand = sum(loss * count for loss, count in zip(losses, counts, strict=True)) / 3
    found = smoothed_loss(torch.tensor(logits), torch.tensor(targets), torch.tensor(counts), 0.1)
    expect_close(float(found), by_hand, "smoothed cross-entropy")
    step, schedule = optimiser([torch.nn.Parameter(torch.zeros(1))], _SETTINGS)
    expect(isinstance(step, torch.optim.AdamW), "the optimiser is AdamW")
    for at in range(_SETTINGS.rounds):
        falling = _SETTINGS.rate * (1 + math.cos(math.pi * at / _SETTINGS.rounds)) / 2
        expect_close(step.param_groups[0]["lr"], falling, f"rate of round {at}", 1e-9)
        step.step()
        schedule.step()


def _thresholded(low: float, high: float) -> Adapter:
    return replace(EVEN, low=low, high=high)


def tuned() -> None:
    """Check that no pair of thresholds that was tried is better, whatever asking the graph costs."""
    random = np.random.default_rng(8)
    scores, found, counts = random.random(30), random.random((30, 3)), np.full(30, 1 / 30)

    def worth(low: float, high: float, cost: float) -> float:
        ways = [2 if s >= high else 0 if s <= low else 1 for s in scores]
        return sum(float(row[way]) - cost * (way > 0) for row, way in zip(found, ways, strict=True)) / 30

    steps = np.arange(41) / 40
    for cost in (0.0, 0.1, 0.4):
        low, high = thresholds(scores, found, counts, cost)
        best = max(worth(one, other, cost) for one in steps for other in steps if one < other)
        expect_close(worth(low, high, cost), best, f"recall less the cost of the graph, {cost}")


class _Listed:
    """A ranker that counts how often it is asked."""

    def __init__(self, *ids: str) -> None:
        self.hits = tuple(Hit(key, 1.0, rank) for rank, key in enumerate(ids, start=1))
        self.asked = 0

    def retrieve(self, query: Query, k: int, context: TaskContext) -> Retrieval:
        self.asked += 1
        return Retrieval(self.hits)


def routed() -> None:
    """Check the routes: dense alone up to the low threshold, the graph alone from the high one, fused with s(q)
    between.

    A list with no weight is not asked.
    """
    low, high = 0.3, 0.6
    adapter, config = _thresholded(low, high), RetrievalConfig(rrf_k=60, crowding=1.0)
    ranks = {"dense": ("a", "b", "c"), "graph": ("d", "b", "a")}
    view = cast(SnapshotView, SimpleNamespace(documents_of=lambda ids: ids))
    for s in (0.0, low, low + 1e-9, 0.45, high - 1e-9, high, 1.0):
        way = int(taken(np.array([s]), low, high)[0])
        expect_equal(way, 2 if s >= high else 0 if s <= low else 1, f"route at s(q) = {s}")
        dense, graph = _Listed(*ranks["dense"]), _Listed(*ranks["graph"])
        counts = dict(zip(("lexical", "dense", "graph"), (0.0, *adapter.weights(s)), strict=True))
        level = Complexity(s, low, high, (), counts)
        adapted = SimpleNamespace(judged=lambda _, level=level: level)
        models = cast(RetrievalModels, SimpleNamespace(adapter=lambda adapted=adapted: adapted))
        rankers = {"dense": dense, "graph": graph}
        joined = ComposedRetriever(
            rankers, Composition(join=ADAPTER, second_stage=False), view, models, config
        )
        hits = joined.rank(query_of(draw_corpus()), 4, TaskContext()).hits
        expect_equal((dense.asked, graph.asked), ((1, 0), (1, 1), (0, 1))[way], f"lists asked at s(q) = {s}")
        if way != 1:
            expect_equal(tuple(hit.passage_id for hit in hits), ranks["graph" if way else "dense"], "D(q)")
            continue
        for hit in hits:
            places = [
                ids.index(hit.passage_id) + 61 if hit.passage_id in ids else math.inf
                for ids in ranks.values()
            ]
            expect_close(hit.score, (1 - s) / places[0] + s / places[1], f"RRF({hit.passage_id})", 1e-12)
