"""The scope model: what it adds to the rules, what it may not, its file, and that training gives that file."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from core.errors import BadInput
from core.evaluation.bench_recogniser import labelled_questions
from core.extraction.question import ParsedQuestion
from core.models import Models
from core.routing import corpuswide_model
from core.routing.corpuswide import BROAD, Stand, by_rules, corpus_wide
from core.routing.corpuswide_model import SHIPPED, ScopeModel, read, shipped, write
from core.routing.corpuswide_train import ScopeSettings, fit, near_groups, train
from core.routing.tensors import metadata_of

Parse = Callable[[str], ParsedQuestion]


@pytest.mark.parametrize(
    "question", ["Walk me through what this pile of papers is trying to say.", "Nutshell?"]
)
def test_an_unusual_wording_is_recognised_by_its_vector(parse: Parse, models: Models, question: str) -> None:
    assert not corpus_wide(question, parse(question)).recognised
    found = corpus_wide(question, parse(question), models.embed_question(question))
    assert found.recognised
    assert found.reason.startswith("worded like questions about all documents (0.")


def test_where_the_rules_take_a_question_their_reason_stays(parse: Parse, models: Models) -> None:
    question = "What are the main themes?"
    found = corpus_wide(question, parse(question), models.embed_question(question))
    assert found == corpus_wide(question, parse(question))
    assert found.breadth == BROAD


@pytest.mark.parametrize(
    "question",
    [
        "What are the main themes of Marta Holm's letters?",
        "What are the main points of clause 14?",
        "Summarise this report",
        "How many themes are there across the documents?",
        "When were the documents summarised?",
        "How do I summarise all my documents?",
    ],
)
def test_the_surest_model_overrules_no_anchor(
    parse: Parse, question: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    certain = ScopeModel(np.zeros(4), 50.0, 0.5, 0.5)
    monkeypatch.setattr("core.routing.corpuswide.shipped", lambda: certain)
    assert by_rules(parse(question)).stand == Stand.AGAINST
    assert not corpus_wide(question, parse(question), np.ones(4)).recognised
    other = "Who stole the papers from the safe?"
    assert corpus_wide(other, parse(other), np.ones(4)).recognised  # or the test above shows nothing


def test_a_narrowed_question_wants_a_surer_model(parse: Parse, monkeypatch: pytest.MonkeyPatch) -> None:
    wavering = ScopeModel(np.zeros(4), 1.0, 0.5, 0.9)  # 0.73
    monkeypatch.setattr("core.routing.corpuswide.shipped", lambda: wavering)
    free, narrowed = "Where do things clash?", "Where does the river rise?"
    assert corpus_wide(free, parse(free), np.ones(4)).recognised
    assert not corpus_wide(narrowed, parse(narrowed), np.ones(4)).recognised


def test_a_vector_of_another_size_leaves_the_rules_alone(parse: Parse) -> None:
    assert not corpus_wide("Nutshell?", parse("Nutshell?"), np.ones(7)).recognised


def test_the_shipped_weights_are_what_training_gives(models: Models) -> None:
    """At the strength that the file names: choosing it and the thresholds anew takes a minute."""
    kept = read(SHIPPED)
    strength = json.loads(metadata_of(SHIPPED)["report"])["strength"]
    rows = [row for row in labelled_questions() if row.split == "dev"]
    vectors = np.array([models.embed_question(row.question) for row in rows], dtype=np.float64)
    again = fit(vectors, np.array([row.label == "corpus" for row in rows]), strength)
    np.testing.assert_allclose(again[:-1], kept.weights, atol=0.01)  # weights are about 1
    assert again[-1] == pytest.approx(kept.bias, abs=0.01)


def test_training_chooses_by_both_kinds_of_questions(parse: Parse, models: Models) -> None:
    rows = [row for row in labelled_questions() if row.split == "dev"][::12]
    vectors = np.array([models.embed_question(row.question) for row in rows], dtype=np.float64)
    labels = np.array([row.label == "corpus" for row in rows])
    judged = [by_rules(parse(row.question)) for row in rows]
    settings = ScopeSettings(strengths=(0.2,), repeats=1)
    once, again = (train(vectors, labels, judged, settings) for _ in range(2))
    np.testing.assert_array_equal(once.model.weights, again.model.weights)
    assert once.report == again.report
    assert once.report["precision"] >= settings.precision
    taken = np.array([each.found.recognised for each in judged])
    assert once.report["recall"] > (taken & labels).sum() / labels.sum()  # more than by rules alone


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
    with pytest.raises(ValueError, match="both kinds"):
        train(np.eye(2), np.array([True, True]), [by_rules(parse("Nutshell?"))] * 2, ScopeSettings())


def test_the_file_keeps_the_model(tmp_path: Path) -> None:
    model = ScopeModel(np.array([0.5, -2.0]), 0.25, 0.7, 0.9)
    write(tmp_path / "m.safetensors", model, {"questions": 2.0})
    again = read(tmp_path / "m.safetensors")
    assert again.weights.tolist() == [0.5, -2.0]
    assert (again.bias, again.open, again.narrowed) == (0.25, 0.7, 0.9)
    with pytest.raises(BadInput):
        write(tmp_path, model, {})


def test_a_broken_file_leaves_the_rules_alone(
    tmp_path: Path, parse: Parse, models: Models, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = tmp_path / "scope.safetensors"
    broken.write_bytes(SHIPPED.read_bytes()[:200])
    with pytest.raises(ValueError, match="cannot be read"):
        read(broken)
    monkeypatch.setattr(corpuswide_model, "SHIPPED", broken)
    shipped.cache_clear()
    try:
        assert shipped() is None
        vector = models.embed_question("Nutshell?")
        assert not corpus_wide("Nutshell?", parse("Nutshell?"), vector).recognised
    finally:
        shipped.cache_clear()
