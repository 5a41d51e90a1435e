"""The extractive integrator: budgets hold, and pieces stay in their order."""

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
)
from core.answering.integration.model import load_model, save_model
from core.answering.integration.pieces import Section, chosen
from core.errors import ModelUnavailable
from tests.core.answering.integration.pieces_of_a_case import QUESTION, TEXTS, pieces


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
