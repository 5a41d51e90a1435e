"""Training by rewards: on a toy task the extractive policy learns what is rewarded."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
import pytest
import torch

from core.answering.integration.integrators import ExtractiveIntegrator
from core.answering.integration.signals import see
from core.progress import TaskContext
from core.research.training.dw_grpo import Plan, Trainer, Weights, clipped_loss, rows
from core.research.training.extractive_policy import (
    Extract,
    ExtractivePolicy,
    Task,
    imitate,
    standard,
)
from tests.core.answering.integration.pieces_of_a_case import QUESTION, pieces

GOOD = frozenset({0, 2})
PLAN = Plan(steps=40, questions=4, group=8, rate=1e-2, window=5)


def tasks() -> list[Task]:
    return [Task(see(QUESTION, pieces(seed=seed)), 20) for seed in range(4)]


def new_policy(own: Sequence[Task]) -> ExtractivePolicy:
    return ExtractivePolicy(*standard(own, np.random.default_rng(0)), hidden=8)


def rewards(task: Task, texts: Sequence[Extract]) -> np.ndarray:
    """Share of the good pieces, share of what is good, and shortness."""
    return np.array(
        [
            [len(GOOD & set(t.rows)) / 2, len(GOOD & set(t.rows)) / max(1, len(t.rows)), 1 - len(t.rows) / 6]
            for t in texts
        ]
    )


def trained(plan: Plan) -> tuple[ExtractivePolicy, list[float]]:
    own = tasks()
    policy = new_policy(own)
    steps = Trainer(policy, rewards, plan).train(own, TaskContext())
    return policy, [sum(step.rewards) for step in steps]


@pytest.mark.long
def test_rewards_rise() -> None:
    policy, sums = trained(PLAN)
    assert np.mean(sums[-5:]) > np.mean(sums[:5]) + 0.3
    found = ExtractiveIntegrator(policy.model()).rows(QUESTION, pieces(seed=9), 20)
    assert set(found) == GOOD


@pytest.mark.long
def test_the_same_seed_gives_the_same_training() -> None:
    plan = replace(PLAN, steps=4)
    assert trained(plan)[1] == trained(plan)[1]


@pytest.mark.long
def test_equation_5_as_printed_unlearns() -> None:
    _, sums = trained(replace(PLAN, printed=True, dynamic=False))
    assert np.mean(sums[-5:]) < np.mean(sums[:5])


@pytest.mark.long
def test_imitation_takes_what_is_good_and_stops() -> None:
    own = tasks()
    policy = new_policy(own)
    imitate(policy, [(task, GOOD) for task in own], 60, 1e-2, TaskContext())
    found = ExtractiveIntegrator(policy.model()).rows(QUESTION, pieces(seed=9), 20)
    assert set(found) == GOOD


class Two:
    """Two texts, 0 and 1, that are sampled alike; their log-probabilities are learned."""

    def __init__(self) -> None:
        self.logits = torch.nn.Parameter(torch.zeros(2))

    def parameters(self) -> Iterator[torch.nn.Parameter]:
        yield self.logits

    def sample(self, task: str, n: int, chance: np.random.Generator) -> list[int]:
        return [0, 1] * (n // 2)

    def log_probabilities(self, texts: Sequence[int]) -> torch.Tensor:
        return torch.log_softmax(self.logits, 0)[list(texts)]


@pytest.mark.parametrize("printed", [False, True])
def test_the_advantage_is_of_the_rewards_as_they_are_weighted_now(printed: bool) -> None:
    """Text 0 has all of the first reward and text 1 of the second: alike at first, not once the second one grows."""
    policy = Two()
    plan = Plan(steps=1, group=4, window=3, printed=printed)
    trainer = Trainer(policy, lambda task, texts: np.eye(3)[list(texts)], plan)
    for means in ([0.5, 0.1, 0.2], [0.5, 0.2, 0.2], [0.5, 0.3, 0.2]):
        trainer.weights.add(means)
    (step,) = trainer.train(["task"], TaskContext())
    assert step.weights[0] > step.weights[1], "what grows slower counts more"
    first, second = policy.logits.tolist()
    assert (first < second) if printed else (first > second)


@pytest.mark.long
def test_the_weights_of_a_step_follow_from_the_steps_before() -> None:
    own = tasks()
    plan = replace(PLAN, steps=6, window=3)
    weights = Weights(plan.first_weights, window=plan.window, temperature=plan.temperature)
    for step in Trainer(new_policy(own), rewards, plan).train(own, TaskContext()):
        assert step.weights == pytest.approx(tuple(weights.now()))
        weights.add(step.rewards)
    assert weights.now().tolist() != list(plan.first_weights)


def test_the_loss_is_clipped_against_the_policy_and_penalised_by_its_divergence() -> None:
    """Ratios of 1.5 and .5 at a clip of .2: a gain ends at the bound, a loss does not."""
    now, before = torch.log(torch.tensor([1.5, 1.5, 0.5, 0.5])), torch.zeros(4)
    advantages = torch.tensor([1.0, -1.0, 1.0, -1.0])
    gains = (1.2, -1.5, 0.5, -0.8)
    assert float(clipped_loss(now, before, now, advantages, 0.2, 0.5)) == pytest.approx(-sum(gains) / 4)
    away = math.log(2) - math.log(1.5)
    divergence = [math.exp(each) - each - 1 for each in (away, away, math.log(4), math.log(4))]
    expected = -(sum(gains) - 0.5 * sum(divergence)) / 4
    first = torch.full((4,), math.log(2))
    assert float(clipped_loss(now, before, first, advantages, 0.2, 0.5)) == pytest.approx(expected)


def test_a_step_is_a_row_of_the_report() -> None:
    own = tasks()
    steps = Trainer(new_policy(own), rewards, replace(PLAN, steps=2)).train(own, TaskContext())
    table = rows(steps)
    assert len(table) == 2
    assert table[0]["w relevance"] == 1.0
    assert table[1]["conciseness"] == steps[1].rewards[2]
    with pytest.raises(ValueError, match="no question"):
        Trainer(new_policy(own), rewards, PLAN).train([], TaskContext())
