"""The scope model: its file, and that training gives the same model from the same questions."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import minimize

from core.answering.models import Models
from core.errors import BadInput
from core.extraction.question import ParsedQuestion
from core.files.tensors import metadata_of
from core.progress import TaskContext
from core.research.training import corpuswide as corpuswide_train
from core.research.training.corpuswide import ScopeSettings, fit, labelled_questions, near_groups, train
from core.retrieval.routing import corpuswide
from core.retrieval.routing.corpuswide import (
    SHIPPED,
    Array,
    ScopeModel,
    corpus_wide,
    read,
    shipped,
    sigmoid,
    signs,
    write,
)

Parse = Callable[[str], ParsedQuestion]


def test_signs_are_words_outside_names_and_forms(parse: Parse) -> None:
    found = signs(parse("What did Otto Kask say about the oldest contracts?"))
    assert {"what", "about", "contracts", ":name", ":plural", ":superlative", ":all"} <= found
    assert not {"otto", "kask", ":singular"} & found


def test_the_shipped_model_was_trained_on_the_table() -> None:
    report = json.loads(metadata_of(SHIPPED)["report"])
    assert report["questions"] == sum(row.split == "dev" for row in labelled_questions())
    assert read(SHIPPED).dimension == 384


def by_another_solver(x: Array, labels: NDArray[np.bool_], strength: float) -> Array:
    """Return the result of `fit` but for rounding, in a tenth of its time with many questions."""
    rows = np.column_stack([x, np.ones(len(x))])
    penalty = np.append(np.full(x.shape[1], strength), 1e-9)
    signs = np.where(labels, 1.0, -1.0)

    def loss(weights: Array) -> tuple[float, Array]:
        scores = rows @ weights
        value = np.logaddexp(0, -signs * scores).sum() + penalty @ weights**2 / 2
        return float(value), rows.T @ (sigmoid(scores) - labels) + penalty * weights

    how = {"gtol": 1e-3, "ftol": 1e-12}
    found = minimize(loss, np.zeros(len(penalty)), jac=True, method="L-BFGS-B", options=how)
    return np.asarray(found.x)


@pytest.mark.long
def test_the_shipped_weights_are_what_training_gives(
    parse: Parse, models: Models, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At the strength that the file names."""
    monkeypatch.setattr(corpuswide_train, "fit", by_another_solver)
    strength = json.loads(metadata_of(SHIPPED)["report"])["strength"]
    rows = [row for row in labelled_questions() if row.split == "dev"]
    vectors = models.encoder().embed([row.question for row in rows], TaskContext()).astype(np.float64)
    labels = np.array([row.label for row in rows])
    parses = [parse(row.question) for row in rows]
    settings = ScopeSettings(strengths=(strength,))
    again = train(vectors, parses, labels != "particular", labels == "broad", settings).model
    shipped = read(SHIPPED)
    assert again.vocabulary == shipped.vocabulary
    assert again.threshold == pytest.approx(shipped.threshold, abs=0.02)
    np.testing.assert_allclose(again.scope, shipped.scope, atol=0.01)


@pytest.mark.long
def test_training_finds_the_same_again(parse: Parse, models: Models) -> None:
    rows = [row for row in labelled_questions() if row.split == "dev"][::12]
    vectors = np.array([models.embed_question(row.question) for row in rows], dtype=np.float64)
    labels = np.array([row.label for row in rows])
    parses = [parse(row.question) for row in rows]
    settings = ScopeSettings(strengths=(0.1,))
    once, again = (
        train(vectors, parses, labels != "particular", labels == "broad", settings) for _ in range(2)
    )
    np.testing.assert_array_equal(once.model.scope, again.model.scope)
    assert once.report == again.report
    assert once.report["precision"] >= settings.precision
    assert once.report["recall"] > 0.3  # 160 questions teach that much


def test_near_questions_are_in_one_group() -> None:
    angles = np.array([0.0, 0.5, 1.0, 3.0])  # each of the first three is near the next
    groups = near_groups(np.column_stack([np.cos(angles), np.sin(angles)]), 0.8)
    assert groups[0] == groups[1] == groups[2] != groups[3]


@pytest.mark.parametrize("numbers", [3, 40, 90])
def test_the_fit_has_no_slope_left(numbers: int) -> None:
    random = np.random.default_rng(1)
    x = random.normal(size=(40, numbers))
    labels = x[:, 0] + random.normal(size=40) > 0
    weights = fit(x, labels, 0.3)
    p = 1 / (1 + np.exp(-(x @ weights[:-1] + weights[-1])))
    np.testing.assert_allclose(x.T @ (p - labels) + 0.3 * weights[:-1], 0, atol=1e-6)
    assert (p - labels).sum() == pytest.approx(0, abs=1e-6)


def test_one_kind_alone_teaches_nothing(parse: Parse) -> None:
    parses = [parse("Nutshell?")] * 2
    with pytest.raises(ValueError, match="both kinds"):
        train(np.eye(2), parses, np.array([True, True]), np.array([True, False]))


def test_the_file_keeps_the_model(tmp_path: Path) -> None:
    model = ScopeModel(np.array([0.5, -2.0, 1.0, 0.25]), np.zeros(4), ("main",), 0.75)
    write(tmp_path / "m.safetensors", model, {"questions": 2.0})
    again = read(tmp_path / "m.safetensors")
    assert again.scope.tolist() == model.scope.tolist()
    assert (again.vocabulary, again.threshold, again.dimension) == (("main",), 0.75, 2)
    with pytest.raises(BadInput):
        write(tmp_path, model, {})


def test_a_broken_file_recognises_nothing(
    tmp_path: Path, models: Models, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = tmp_path / "scope.safetensors"
    broken.write_bytes(SHIPPED.read_bytes()[:200])
    with pytest.raises(ValueError, match="cannot be read"):
        read(broken)
    monkeypatch.setattr(corpuswide, "SHIPPED", broken)
    shipped.cache_clear()
    try:
        question = "What are the main themes?"
        assert not corpus_wide(models.parse(question), models.embed_question(question)).recognised
    finally:
        shipped.cache_clear()
