"""The extractive integrator: numpy says what torch learned, budgets hold, places are kept."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from core.answering.integration.integrators import (
    Everything,
    ExtractiveIntegrator,
    LeadSentences,
    NearestSentences,
    with_neighbours,
)
from core.answering.integration.model import load_model, save_model
from core.answering.integration.pieces import Section, chosen
from core.answering.integration.signals import SIGNALS, STATE, see, signals
from core.errors import ModelUnavailable
from core.research.training.extractive_policy import ExtractivePolicy, Task, standard
from tests.core.answering.integration.made_pieces import QUESTION, TEXTS, pieces


@pytest.fixture(scope="module")
def task() -> Task:
    return Task(see(QUESTION, pieces()), 20)


@pytest.fixture(scope="module")
def policy(task: Task) -> ExtractivePolicy:
    policy = ExtractivePolicy(*standard([task], np.random.default_rng(0)), hidden=8)
    policy.meaning.weight.data.normal_(0, 0.3)
    return policy


def test_numpy_scores_as_torch(task: Task, policy: ExtractivePolicy) -> None:
    import torch

    for taken in ([], [0], [2, 0]):
        choice = policy.choice(task, taken)
        values, products, state = (
            torch.from_numpy(each)[None] for each in (choice.values, choice.products, choice.state)
        )
        expected = policy.logits(values, products, state)[0].detach().numpy()
        own, state_ = signals(task.inputs, taken, task.budget)
        found = policy.model().score(own, task.inputs.products, state_)
        np.testing.assert_allclose(found, expected, atol=1e-4)


def test_a_text_fits_its_budget_and_names_no_piece_twice(task: Task, policy: ExtractivePolicy) -> None:
    own = pieces()
    for budget in (0, 4, 12, 99):
        for integrator in (
            ExtractiveIntegrator(policy.model()),
            ExtractiveIntegrator(policy.model(), full=True),
            NearestSentences(),
            LeadSentences(),
        ):
            found = integrator.integrate(QUESTION, own, budget)
            assert sum(part.piece.tokens for part in found.parts) <= budget
            assert len({part.piece for part in found.parts}) == len(found.parts)
    full = ExtractiveIntegrator(policy.model(), full=True).integrate(QUESTION, own, 99)
    assert len(full.parts) == len(Everything().integrate(QUESTION, own, 0).parts) == len(TEXTS)


def test_half_of_the_budget_goes_to_what_stands_next_to_the_choice() -> None:
    """Of 24 tokens 12 are chosen; what follows these comes before what would have been chosen next."""
    own, inputs = pieces(), see(QUESTION, pieces())
    integrator = ExtractiveIntegrator(load_model()[0], full=True)
    found = integrator.rows(QUESTION, own, 24)
    tokens = own.tokens
    chosen_first = [row for at, row in enumerate(found) if tokens[found[: at + 1]].sum() <= 12]
    spent, near_by = int(tokens[chosen_first].sum()), []
    for step in (1, -1):  # the places of the pieces in their passages are their places in the list
        for row in chosen_first:
            other = row + step
            near = 0 <= other < len(TEXTS) and other // 2 == row // 2
            if near and other not in (*chosen_first, *near_by) and spent + tokens[other] <= 24:
                near_by.append(other)
                spent += int(tokens[other])
    assert near_by and found[len(chosen_first) : len(chosen_first) + len(near_by)] == near_by
    assert with_neighbours(inputs, chosen_first, 24) == [*chosen_first, *near_by]


def test_parts_of_a_passage_are_read_together_in_their_order() -> None:
    own = pieces()
    found = chosen(own, [3, 4, 2])
    assert found.by_passage() == (
        ("p1", "Otto Kask", f"{TEXTS[2][1]} {TEXTS[3][1]}"),
        ("p2", "Grain", TEXTS[4][1]),
    )
    assert all(part.piece.section is Section.PASSAGE for part in found.parts)


def test_what_was_chosen_changes_the_signals() -> None:
    inputs = see(QUESTION, pieces())
    before, _ = signals(inputs, [], 20)
    after, state = signals(inputs, [0], 20)
    column = {name: at for at, name in enumerate(SIGNALS)}
    assert not before[:, column["after"]].any()
    assert after[:, column["after"]].tolist() == [0, 1, 0, 0, 0, 0]
    assert after[2, column["bridge"]] == 2  # Otto and Kask
    assert after[2, column["title told"]] == 1
    assert state[STATE.index("spent")] == pytest.approx(6 / 20)


def test_a_model_is_saved(tmp_path: Path, policy: ExtractivePolicy) -> None:
    model = policy.model()
    save_model(model, tmp_path / "one.safetensors", "{}")
    again, report = load_model(tmp_path / "one.safetensors")
    assert report == "{}"
    np.testing.assert_array_equal(again.in_weight, model.in_weight)
    (tmp_path / "two.safetensors").write_bytes(b"no model")
    for name in ("two", "three"):
        with pytest.raises(ModelUnavailable, match=name):
            load_model(tmp_path / f"{name}.safetensors")


def test_the_model_that_ships_answers_for_its_figures(task: Task) -> None:
    model, report = load_model()
    figures = json.loads(report)
    assert len(figures["steps"]) == figures["plan"]["steps"]
    found = ExtractiveIntegrator(model).rows(QUESTION, pieces(), 12)
    assert set(found) == {0, 2}
