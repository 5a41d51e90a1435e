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
from core.answering.integration.signals import see
from core.errors import ModelUnavailable
from tests.core.answering.integration.made_pieces import QUESTION, TEXTS, pieces


def test_a_text_fits_its_budget_and_names_no_piece_twice() -> None:
    own, (model, _) = pieces(), load_model()
    for budget in (0, 4, 12, 99):
        for integrator in (
            ExtractiveIntegrator(model),
            ExtractiveIntegrator(model, full=True),
            NearestSentences(),
            LeadSentences(),
        ):
            found = integrator.integrate(QUESTION, own, budget)
            assert sum(part.piece.tokens for part in found.parts) <= budget
            assert len({part.piece for part in found.parts}) == len(found.parts)
    full = ExtractiveIntegrator(model, full=True).integrate(QUESTION, own, 99)
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


def test_a_model_is_saved(tmp_path: Path) -> None:
    model, _ = load_model()
    save_model(model, tmp_path / "one.safetensors", "{}")
    again, report = load_model(tmp_path / "one.safetensors")
    assert report == "{}"
    np.testing.assert_array_equal(again.in_weight, model.in_weight)
    (tmp_path / "two.safetensors").write_bytes(b"no model")
    for name in ("two", "three"):
        with pytest.raises(ModelUnavailable, match=name):
            load_model(tmp_path / f"{name}.safetensors")


def test_the_model_that_ships_answers_for_its_figures() -> None:
    model, report = load_model()
    figures = json.loads(report)
    assert len(figures["steps"]) == figures["plan"]["steps"]
    found = ExtractiveIntegrator(model).rows(QUESTION, pieces(), 12)
    assert set(found) == {0, 2}
