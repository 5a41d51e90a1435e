"""The adapter of EA-GraphRAG: it learns a rule from the question alone, repeats, and reports what it cannot use."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from core.answering.models import Models
from core.extraction.question import ParsedQuestion
from core.progress import Cancelled, TaskContext
from core.research.runner import plainly
from core.research.training import adapter as adapter_training
from core.research.training.adapter import AdapterSettings, fit, left_out
from core.research.training.list_weights import Example
from core.retrieval.compositions import shipped_compositions
from core.retrieval.routing.adapter import EVEN, SHIPPED, Adapter, read, write
from core.retrieval.routing.features.vector import FEATURE_NAMES, described
from core.retrieval.routing.weighing import standardised
from core.types import Complexity
from core.workspace import Workspace

Parse = Callable[[str], ParsedQuestion]
QUICK = AdapterSettings(rounds=15, batch=16)
QUESTION = "Who owned the company that chartered the ship that sank off Port Vell?"
CONTEXT = TaskContext()
PASSAGES = 12


def example(corpus: str, number: int) -> Example:
    """Gold is first by the graph and last by meaning where a question has many clauses; else the other way round."""
    far = number % 2 == 1
    random = np.random.default_rng(number)
    signals = dict(zip(FEATURE_NAMES, random.normal(size=len(FEATURE_NAMES)).tolist(), strict=True))
    signals |= {"C": 3.0 + number % 3 if far else 1.0, "DC": float(far)}
    good = np.arange(1, PASSAGES + 1)
    bad = np.roll(good, 1)
    ranks = np.stack([np.zeros(PASSAGES, int), bad if far else good, good if far else bad], axis=1)
    gold = np.arange(PASSAGES)[None] == 0
    return Example(corpus, False, signals, {}, ranks, gold, 1, np.arange(PASSAGES))


def corpora(*names: str) -> list[Example]:
    return [example(name, 40 * at + number) for at, name in enumerate(names) for number in range(40)]


@pytest.fixture(scope="module")
def found() -> list[Example]:
    return corpora("letters", "pages-news", "minutes")


@pytest.mark.long
def test_it_learns_a_planted_rule_and_spares_the_graph_on_new_families(found: list[Example]) -> None:
    rows = left_out(found, CONTEXT, QUICK)
    assert list(rows) == ["letters", "minutes", "pages-news"]
    for row in rows.values():
        assert (row["dense"], row["graph"]) == (0.5, 0.5)
        assert row["adapter"] >= 0.75, "meaning or the graph alone has half"
        assert 0.3 < row["share dense"] < 0.7


def test_the_features_of_the_rule_are_chosen(found: list[Example]) -> None:
    few = fit(found, CONTEXT, replace(QUICK, chosen=2, rounds=1))
    assert few.names == ("C", "DC")


def test_thresholds_are_chosen_by_scores_of_families_that_were_not_learned_from(
    found: list[Example], monkeypatch: pytest.MonkeyPatch
) -> None:
    learned: list[int] = []
    train = adapter_training.trained

    def count(features: np.ndarray, *others: object) -> Adapter:
        learned.append(len(features))
        return train(features, *others)  # type: ignore[arg-type]

    monkeypatch.setattr(adapter_training, "trained", count)
    fit(found, CONTEXT, replace(QUICK, rounds=1))
    assert learned == [80, 80, 80, 120], "without each family in turn, then from all"


def test_questions_count_by_their_weights_and_those_without_one_do_not(
    found: list[Example], monkeypatch: pytest.MonkeyPatch
) -> None:
    passed: list[list[float]] = []

    def learn(z: np.ndarray, labels: np.ndarray, weights: np.ndarray, *others: object) -> tuple[()]:
        passed.extend((labels.tolist(), weights.tolist()))
        return ()

    monkeypatch.setattr(adapter_training, "network", learn)
    labels, weights = np.array([1.0, 0.0, 1.0, 0.0]), np.array([2.0, 0.0, 1.0, 3.0])
    adapter_training.trained(adapter_training.feature_values(found[:4]), labels, weights, CONTEXT, QUICK)
    assert passed == [[1.0, 1.0, 0.0], [1.0, 0.5, 1.5]]


def test_the_same_data_and_seed_give_the_same_file(found: list[Example], tmp_path: Path) -> None:
    files = [tmp_path / name for name in ("one.safetensors", "again.safetensors", "other.safetensors")]
    for file, seed in zip(files, (7, 7, 8), strict=True):
        report = write(file, fit(found, CONTEXT, replace(QUICK, rounds=2, seed=seed)), {"of": "letters"})
        assert json.loads(report.read_text(encoding="utf-8")) == {"of": "letters"}
    one, again, other = (file.read_bytes() for file in files)
    assert one == again != other


def test_it_comes_back_as_it_was_trained(found: list[Example], tmp_path: Path) -> None:
    trained = fit(found, CONTEXT, replace(QUICK, rounds=1))
    write(tmp_path / "own.safetensors", trained, {})
    loaded = read(tmp_path / "own.safetensors")
    z = np.random.default_rng(0).normal(size=(5, len(trained.names)))
    assert (loaded.names, loaded.low, loaded.high) == (trained.names, trained.low, trained.high)
    assert loaded.scores(z).tolist() == trained.scores(z).tolist()


def test_numpy_says_what_torch_learned(found: list[Example]) -> None:
    import torch

    trained = fit(found, CONTEXT, replace(QUICK, rounds=1))
    layers = []
    for weights, bias in trained.layers:
        layer = torch.nn.Linear(weights.shape[1], weights.shape[0])
        layer.load_state_dict({"weight": torch.tensor(weights), "bias": torch.tensor(bias)})
        layers.append(layer)
    z = np.random.default_rng(0).normal(size=(5, len(trained.names)))
    logits = adapter_training._logits(layers, torch.tensor(z, dtype=torch.float32), 0.0)
    assert logits.detach().numpy() == pytest.approx(trained.logits(z), abs=1e-5)


def test_useless_examples_are_rejected_and_training_can_be_stopped(found: list[Example]) -> None:
    same = [replace(each, ranks=np.repeat(each.ranks[:, 1:2], 3, axis=1)) for each in found]
    with pytest.raises(ValueError, match="nothing to learn"):
        fit(same, CONTEXT, QUICK)
    with pytest.raises(Cancelled):
        fit(found, TaskContext(cancelled=lambda: True), QUICK)


@pytest.mark.parametrize("broken", ["missing", "text", "cut", "nan", "huge", "names", "thresholds"])
def test_without_a_sound_file_meaning_and_graph_count_the_same(
    broken: str, tmp_path: Path, parse: Parse
) -> None:
    file, sound = tmp_path / "own.safetensors", read(SHIPPED)
    assert sound.names
    if broken == "text":
        file.write_text("adapter")
    elif broken == "cut":
        file.write_bytes(SHIPPED.read_bytes()[:-100])
    elif broken == "nan":
        write(file, replace(sound, mean=np.full(len(sound.mean), np.nan)), {})
    elif broken == "huge":
        layers = tuple((np.full_like(weights, 1e38), bias) for weights, bias in sound.layers)
        write(file, replace(sound, layers=layers), {})
    elif broken == "names":
        write(file, replace(sound, names=sound.names[1:]), {})
    elif broken == "thresholds":
        write(file, replace(sound, low=0.6, high=0.4), {})
    assert read(file) is EVEN
    complexity = read(file).judged(parse(QUESTION))
    assert (complexity.source, complexity.weights) == ("equal", {"lexical": 0.0, "dense": 0.5, "graph": 0.5})


def test_a_question_is_judged_with_what_moved_it_also_in_a_hurry(parse: Parse) -> None:
    adapter = read(SHIPPED)
    for text in (QUESTION, plainly(QUESTION), "", "🚢?", "who " * 300):
        complexity = adapter.judged(parse(text))
        assert 0.0 < complexity.score < 1.0 and (complexity.low, complexity.high) == (
            adapter.low,
            adapter.high,
        )
        assert sum(complexity.weights.values()) == pytest.approx(1.0) and complexity.source == "adapter"
        assert complexity.features and all(
            np.isfinite(f.contribution) and f.words for f in complexity.features
        )
        values = {each.name: each.value for each in described(parse(text))}
        z = standardised(adapter.names, adapter.mean, adapter.scale, values)
        for feature in complexity.features:
            average = np.where(np.array(adapter.names) == feature.name, 0.0, z)
            moved = float(np.diff(adapter.logits(np.stack([average, z])))[0])
            assert feature.contribution == pytest.approx(moved), (
                "what the logit loses where it is as on average"
            )
        moves = [abs(f.contribution) for f in complexity.features]
        assert moves == sorted(moves, reverse=True)
    assert adapter.judged(parse(QUESTION)) == adapter.judged(parse(QUESTION))


@pytest.mark.long
def test_the_composition_takes_the_lists_that_the_adapter_says(
    sample_workspace: Workspace, models: Models, monkeypatch: pytest.MonkeyPatch
) -> None:
    composition = shipped_compositions()["ea-graphrag-adapter"]
    dense, graph = (
        sample_workspace.retrieve(QUESTION, CONTEXT, route, 5)[1].hits for route in ("dense", "graph")
    )
    sound = read(SHIPPED)
    for low, high, lists in (
        (0.0, 1e-9, {"graph"}),
        (1.0 - 1e-9, 1.0, {"dense"}),
        (0.0, 1.0, {"dense", "graph"}),
    ):
        monkeypatch.setattr(models, "adapter", lambda _, one=low, two=high: replace(sound, low=one, high=two))
        asker = sample_workspace.retrieval.asker()
        query = asker.rankings.analyse(QUESTION)
        result = asker.rankings.compose(composition).retrieve(query, 5, CONTEXT)
        assert isinstance(result.complexity, Complexity) and (
            result.complexity.low,
            result.complexity.high,
        ) == (
            low,
            high,
        )
        assert {name for ranks in result.ranks.values() for name in ranks} == lists
        if len(lists) == 1:
            expected = graph if lists == {"graph"} else dense
            assert [hit.passage_id for hit in result.hits] == [hit.passage_id for hit in expected]
    monkeypatch.setattr(models, "adapter", lambda _: EVEN)
    words = asker.rankings.compose(composition).retrieve(query, 5, CONTEXT).stages[-1].detail
    assert "no trained model tells" in words
