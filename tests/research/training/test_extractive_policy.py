"""What torch learned, numpy computes; log probabilities are those of the choices."""

from __future__ import annotations

import numpy as np
import pytest

from core.answering.integration.signals import see, signals
from core.research.training.extractive_policy import ExtractivePolicy, Task, standard
from tests.core.answering.integration.pieces_of_a_case import QUESTION, TEXTS, pieces


@pytest.fixture(scope="module")
def task() -> Task:
    return Task(see(QUESTION, pieces()), 20)


@pytest.fixture(scope="module")
def policy(task: Task) -> ExtractivePolicy:
    found = ExtractivePolicy(*standard([task], np.random.default_rng(0)), hidden=8)
    found.meaning.weight.data.normal_(0, 0.3)
    return found


def test_numpy_scores_as_torch(task: Task, policy: ExtractivePolicy) -> None:
    import torch

    for rows in ([], [0], [2, 0]):
        choice = policy.choice(task, rows)
        values, products, state = (
            torch.from_numpy(each)[None] for each in (choice.values, choice.products, choice.state)
        )
        expected = policy.logits(values, products, state)[0].detach().numpy()
        own, numbers = signals(task.inputs, rows, task.budget)
        found = policy.model().score(own, task.inputs.products, numbers)
        np.testing.assert_allclose(found, expected, atol=1e-4)


def test_log_probabilities_are_those_of_the_choices(task: Task, policy: ExtractivePolicy) -> None:
    texts = policy.sample(task, 5, np.random.default_rng(1))
    found = policy.log_probabilities(texts).detach().numpy()
    for text, log in zip(texts, found, strict=True):
        total = 0.0
        rows: list[int] = []
        for choice in text.choices:
            values, state = signals(task.inputs, rows, task.budget)
            logits = policy.model().score(values, task.inputs.products, state)
            powers = np.where(choice.open, np.exp(logits), 0.0)
            total += np.log(powers[choice.chosen] / powers.sum())
            rows.append(choice.chosen)
        assert log == pytest.approx(total, abs=1e-3)
        assert list(text.rows) == [row for row in rows if row < len(TEXTS)]
