"""Training: the figures against what is counted by hand, and learning where there is something to learn."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from core.errors import BadInput
from core.extraction.question import ParsedQuestion
from core.progress import Cancelled, TaskContext
from core.routing import adapter, statistics
from core.routing.fit import FitSettings
from core.routing.learned import LearnedRouter
from core.routing.records import RoutedQuestion, weights
from core.routing.train import Trained, TrainSettings, train

Parse = Callable[[str], ParsedQuestion]
QUICK = TrainSettings(selected=(12, 24), folds=3, fit=FitSettings(epochs=12))


@pytest.fixture(scope="module")
def trained(routed: list[RoutedQuestion], parse: Parse) -> Trained:
    return train(routed, parse, TaskContext(), QUICK)


def test_a_router_learns_what_a_constant_cannot(trained: Trained) -> None:
    learned = trained.report["learned"]
    assert isinstance(learned, dict)
    assert learned["auc"] > 0.9  # of a constant: 0.5
    quality = trained.report["quality"]
    assert isinstance(quality, dict)
    row = quality["all"]
    assert row["learned"] > max(row["dense"], row["fusion"], row["graph"]) + 0.1
    assert row["learned"] <= row["best"]


def test_a_trained_router_sends_new_questions_their_way(
    trained: Trained, parse: Parse, tmp_path: Path
) -> None:
    place = tmp_path / "own.safetensors"
    beside = adapter.write(
        place,
        trained.tensors,
        trained.names,
        trained.standard,
        trained.calibration,
        trained.thresholds,
        trained.report,
    )
    assert json.loads(beside.read_text())["disagreement"] == 47
    router = LearnedRouter(adapter.read(place), parse)
    assert router.route("Where is Astrid Lund?").name == "dense"
    chained = "When did the director of the film Winter Road that Astrid Lund starred in die?"
    assert router.route(chained).name == "graph"


def test_the_same_questions_give_the_same_weights(
    trained: Trained, routed: list[RoutedQuestion], parse: Parse
) -> None:
    again = train(routed, parse, TaskContext(), QUICK)
    assert again.names == trained.names
    assert (again.calibration, again.thresholds) == (trained.calibration, trained.thresholds)
    for name, value in trained.tensors.items():
        np.testing.assert_array_equal(again.tensors[name], value)


def test_too_little_to_learn_from_is_said(routed: list[RoutedQuestion], parse: Parse) -> None:
    with pytest.raises(BadInput, match="differ too seldom"):
        train(routed[:20], parse, TaskContext(), QUICK)


def test_training_can_be_stopped(routed: list[RoutedQuestion], parse: Parse) -> None:
    with pytest.raises(Cancelled):
        train(routed, parse, TaskContext(cancelled=lambda: True), QUICK)


def test_weights_follow_the_stakes_and_balance_both_sides(routed: list[RoutedQuestion]) -> None:
    quarter = RoutedQuestion("Who?", {"dense": 0.25, "fusion": 0.0, "graph": 0.0}, {}, "plain")
    counted = weights([*routed, quarter])
    graph = np.array([r.quality["graph"] > r.quality["dense"] for r in [*routed, quarter]])
    agree = np.array([r.quality["graph"] == r.quality["dense"] for r in [*routed, quarter]])
    assert counted[graph].sum() == pytest.approx(counted[~graph].sum())
    assert (counted[agree] == 0).all()
    assert counted[-1] == pytest.approx(counted[0] / 4)
    assert counted[~agree].mean() == pytest.approx(1.0)


def test_mutual_information_finds_what_tells_and_nothing_in_noise() -> None:
    random = np.random.default_rng(0)
    labels = np.arange(400) % 2 == 0
    columns = np.column_stack([labels, ~labels, random.normal(size=400), np.zeros(400)]).astype(float)
    found = statistics.mutual_information(columns, labels, np.ones(400))
    chance = 1 / 800  # two bins
    assert found[:2] == pytest.approx([math.log(2) - chance] * 2, abs=1e-6)
    assert found[2] < 0.02
    assert found[3] == 0.0


def test_auc_counts_pairs_and_halves_ties() -> None:
    labels = np.array([True, True, False, False])
    assert statistics.auc(np.array([4.0, 3.0, 2.0, 1.0]), labels) == 1.0
    assert statistics.auc(np.array([1.0, 1.0, 1.0, 1.0]), labels) == 0.5
    assert statistics.auc(np.array([4.0, 1.0, 2.0, 1.0]), labels) == pytest.approx((2 + 0.5) / 4)


def test_calibration_brings_back_true_shares() -> None:
    random = np.random.default_rng(1)
    truth = random.normal(size=6000)
    labels = random.uniform(size=6000) < statistics.sigmoid(truth)
    slope, offset = statistics.calibrate(truth * 3.0 + 2.0, labels)
    assert slope == pytest.approx(1 / 3, abs=0.03)
    assert offset == pytest.approx(-2 / 3, abs=0.08)
    scores = statistics.sigmoid(slope * (truth * 3.0 + 2.0) + offset)
    assert statistics.calibration_error(scores, labels) < 0.03
    assert statistics.calibration_error(statistics.sigmoid(truth * 3.0 + 2.0), labels) > 0.1


def test_a_backward_score_is_not_turned_around() -> None:
    labels = np.arange(100) % 2 == 0
    slope, _ = statistics.calibrate(np.where(labels, -1.0, 1.0), labels)
    assert slope == pytest.approx(0.05)


def test_thresholds_are_the_best_there_are() -> None:
    random = np.random.default_rng(2)
    scores = random.uniform(0.05, 0.95, size=300)
    quality = np.column_stack([scores < 0.3, (scores >= 0.3) & (scores < 0.7), scores >= 0.7]).astype(float)
    cost = np.array([0.2, 1.0, 0.9])
    low, high = statistics.choose_thresholds(scores, quality, cost, price=0.01)
    taken = statistics.routed(scores, low, high)
    assert quality[np.arange(300), taken].mean() > 0.96
    assert 0 <= low < high <= 1


@pytest.mark.parametrize(("best", "route"), [(0, "dense"), (2, "graph")])
def test_one_route_may_serve_all(best: int, route: str) -> None:
    scores = np.linspace(0.2, 0.8, 50)
    quality = np.zeros((50, 3))
    quality[:, best] = 1.0
    low, high = statistics.choose_thresholds(scores, quality, np.ones(3), price=0.01)
    assert (statistics.routed(scores, low, high) == best).all()


def test_latency_decides_between_equals() -> None:
    scores = np.linspace(0.2, 0.8, 50)
    same = np.ones((50, 3))
    low, high = statistics.choose_thresholds(scores, same, np.array([0.2, 1.0, 0.9]), price=0.01)
    assert (statistics.routed(scores, low, high) == 0).all()
    low, high = statistics.choose_thresholds(scores, same, np.array([1.0, 1.0, 0.1]), price=0.01)
    assert (statistics.routed(scores, low, high) == 2).all()
