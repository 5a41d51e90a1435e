"""`clew router train` as its users meet it."""

from __future__ import annotations

import importlib
import json
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load

from core.cli import main
from core.evaluation.datasets import read_dataset
from core.models import Models
from core.progress import TaskContext
from core.routing import adapter, corpuswide_model
from core.routing.records import RoutedQuestion
from core.routing.tensors import packed

router = importlib.import_module("core.cli.router")  # the name in core.cli is the command


@pytest.fixture
def dataset(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    data = tmp_path / "tiny"
    data.mkdir()
    rows = [
        {"id": "p1", "title": "Northern Star", "text": "Otto Kask commands the Northern Star."},
        {"id": "p2", "title": "Otto Kask", "text": "Otto Kask was born in Parnu."},
        {"id": "p3", "title": "Grain", "text": "Grain prices rose."},
    ]
    (data / "corpus.jsonl").write_text("\n".join(json.dumps(row) for row in rows))
    questions = [
        ("Where was the commander of the Northern Star born?", ["p1", "p2"], "multi-hop"),
        ("Who commands the Northern Star?", ["p1"], "single-hop"),
    ]
    lines = [
        {"id": f"q{i}", "question": q, "answers": ["x"], "supporting": gold, "kind": kind}
        for i, (q, gold, kind) in enumerate(questions)
    ]
    (data / "questions.jsonl").write_text("\n".join(json.dumps(line) for line in lines))
    return data


def made(*_: object) -> list[RoutedQuestion]:
    """Forty questions: the chained ones need the graph."""
    people = [f"{first} {last}" for first in ("Marta", "Otto", "Ines", "Piotr") for last in ("Holm", "Kask")]
    plain = [f"{ask} {p}?" for p in people for ask in ("Who was", "Where is")]
    chained = [
        f"When did the director of the film that {p} {did} die?" for p in people for did in ("saw", "made")
    ]
    spent = {"dense": 0.01, "fusion": 0.03, "graph": 0.02}
    return [
        RoutedQuestion(q, {"dense": 1 - graph, "fusion": 0.5, "graph": graph}, spent, "made")
        for group, graph in ((plain, 0.0), (chained, 1.0))
        for q in group
    ]


def test_every_route_is_run_and_timed(dataset: Path, models: Models) -> None:
    found = router.collect(read_dataset(dataset), models, TaskContext())
    assert [record.group for record in found] == ["tiny multi-hop", "tiny single-hop"]
    for record in found:
        assert set(record.seconds) == {"dense", "fusion", "graph"}
        assert set(record.quality) == {"dense", "fusion", "graph", "walk"}
        assert min(record.seconds.values()) > 0
    assert found[0].quality["graph"] == 1.0  # both passages within two
    assert found[1].quality["dense"] == 1.0


def test_too_few_questions_are_told(
    dataset: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "own.safetensors"
    assert main(["router", "train", str(dataset), "--out", str(out), "--json"]) == 1
    assert "differ too seldom" in capsys.readouterr().err
    assert not out.exists()


def test_an_adapter_and_its_report_are_written(
    dataset: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(router, "collect", made)
    out = tmp_path / "new" / "own.safetensors"
    assert main(["router", "train", str(dataset), "--out", str(out), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["disagreement"] == 32
    held = adapter.read(out)
    assert list(held.names) == found["features"]
    assert [held.low, held.high] == found["thresholds"]
    report = Path(found["report"]).read_text(encoding="utf-8")
    assert adapter.digest(report) == held.report
    assert json.loads(report)["datasets"] == ["tiny"]
    router.tell(json.loads(report))
    told = capsys.readouterr().out
    assert "graph is better on 16, dense on 16" in told
    assert "learned: auc" in told


@pytest.mark.parametrize("out", ["router.bin", "."])
def test_a_place_that_cannot_be_is_refused_at_once(
    out: str, dataset: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["router", "train", str(dataset), "--out", out]) == 1
    assert ".safetensors" in capsys.readouterr().err


def test_the_units_of_a_question_are_counted(capsys: pytest.CaptureFixture[str]) -> None:
    question = "Who owned the company that chartered the ship?"
    assert main(["router", "units", question, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["dependencies"]["W"] == 8
    assert (told["dependencies"]["C"], told["dependencies"]["DC"]) == (2, 1)
    assert told["trees"] is None or told["trees"].keys() == told["dependencies"].keys()


WHOLE = (
    "What are the main themes of these documents?",
    "What comes up most often?",
    "Give me the lay of the land.",
    "Summarise the collection.",
    "Which risks are named across the contracts?",
    "What do the letters have in common?",
)
PARTICULAR = (
    "Who commands the Northern Star?",
    "When was Otto Kask born?",
    "Where did the Grey Petrel sink?",
    "How much did the grain cost in 1921?",
    "Who signed the charter of the Calder Reach?",
    "What did Marta Ilves sell to Jonas Berg?",
)
HELD = "corpus\theld\tWhat is all of this about?"


def table(path: Path, *lines: str) -> Path:
    path.write_text("\n".join(["label\tsplit\tquestion", *lines]) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def labelled(tmp_path: Path) -> Path:
    lines = [f"corpus\tdev\t{q}" for q in WHOLE] + [f"particular\tdev\t{q}" for q in PARTICULAR]
    return table(tmp_path / "labelled.tsv", *lines, HELD)


def train_scope(out: Path, questions: Path, *more: str) -> int:
    return main(["router", "train-scope", "--out", str(out), "--questions", str(questions), *more])


def test_the_scope_model_is_written_where_told_and_the_same_again(
    labelled: Path, tmp_path: Path, models: Models, capsys: pytest.CaptureFixture[str]
) -> None:
    out, again = tmp_path / "new" / "scope.safetensors", tmp_path / "again.safetensors"
    assert train_scope(out, labelled, "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["model"], told["questions"]) == (str(out), 12), "held questions are not trained on"
    model = corpuswide_model.read(out)
    assert (model.open, model.narrowed) == (told["open"], told["narrowed"])
    sure = [[model.probability(models.embed_question(q)) for q in kind] for kind in (WHOLE, PARTICULAR)]
    assert min(sure[0]) > 0.5 > max(sure[1])
    assert train_scope(again, labelled) == 0
    assert f"Written: {again}" in capsys.readouterr().out
    assert again.read_bytes() == out.read_bytes()


def test_the_same_weights_give_the_same_bytes() -> None:
    tensors = {"weights": np.arange(5, dtype=np.float32), "bias": np.ones(1, dtype=np.float32)}
    told = {"format": "f", "thresholds": "[0.5, 0.6]", "report": '{"of": "Bór"}'}
    written = {packed(tensors, told) for _ in range(20)}
    assert len(written) == 1
    read = load(written.pop())
    assert {name: value.tolist() for name, value in read.items()} == {"weights": [0, 1, 2, 3, 4], "bias": [1]}


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        (None, "cannot be read"),
        ((), "holds no question"),
        (("corpus\tdev",), "line 2 is no labelled question"),
        ((HELD, "whole\tdev\tWhat is all this?"), "line 3 is no labelled question"),
        (("corpus\tdev\t ",), "line 2 is no labelled question"),
        (("corpus\tdev\tWhat is it about?", "particular\theld\tWho is it?"), "both kinds are needed"),
    ],
)
def test_bad_questions_are_told_in_one_line_and_nothing_is_written(
    lines: tuple[str, ...] | None, words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, questions = tmp_path / "new" / "scope.safetensors", tmp_path / "labelled.tsv"
    if lines is not None:
        table(questions, *lines)
    assert train_scope(out, questions) == 1
    told = capsys.readouterr()
    assert told.out == "" and words in told.err and len(told.err.splitlines()) == 1
    assert not out.parent.exists()


def test_files_of_no_text_and_bad_places_are_refused(
    labelled: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    empty, binary = tmp_path / "empty.tsv", tmp_path / "binary.tsv"
    empty.touch()
    binary.write_bytes(b"\xff\xfe\x00")
    out = tmp_path / "scope.safetensors"
    for questions, place, words in (
        (empty, out, "holds no question"),
        (binary, out, "not text in UTF-8"),
        (tmp_path, out, "cannot be read"),
        (labelled, tmp_path / "scope.bin", "no name for"),
        (labelled, labelled / "scope.safetensors", "cannot be written"),
    ):
        assert train_scope(place, questions) == 1
        told = capsys.readouterr().err
        assert words in told and len(told.splitlines()) == 1
    assert main(["router", "train-scope"]) == 2
    assert not out.exists()
