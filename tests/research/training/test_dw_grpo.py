"""Training by rewards: on a toy task the extractive policy learns what is rewarded."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from core.answering.integration.integrators import ExtractiveIntegrator
from core.answering.integration.signals import see
from core.progress import TaskContext
from core.research.training.dw_grpo import Plan, Trainer, rows
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


def test_a_step_is_a_row_of_the_report() -> None:
    own = tasks()
    steps = Trainer(new_policy(own), rewards, replace(PLAN, steps=2)).train(own, TaskContext())
    table = rows(steps)
    assert len(table) == 2
    assert table[0]["w relevance"] == 1.0
    assert table[1]["conciseness"] == steps[1].rewards[2]
    with pytest.raises(ValueError, match="no question"):
        Trainer(new_policy(own), rewards, PLAN).train([], TaskContext())
