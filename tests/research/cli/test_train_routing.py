"""`clew research train weights` as its users meet it."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load

from core.answering.models import Models
from core.cli import main
from core.files.tensors import pack_tensors
from core.progress import TaskContext
from core.research.datasets import Dataset, read_corpus
from core.research.training.list_weights import Example, collect, collect_routes
from core.retrieval.routing import adapter, corpuswide, weighing
from core.retrieval.routing.features.vector import FEATURE_NAMES


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


@pytest.mark.long
def test_both_ways_to_ask_are_examples_with_gold_marked(dataset: Path, models: Models) -> None:
    found = collect(read_corpus(dataset), models, TaskContext())
    assert [(e.corpus, e.plain, e.documents) for e in found] == [
        ("tiny", False, 2), ("tiny", True, 2), ("tiny", False, 1), ("tiny", True, 1),
    ]  # fmt: skip
    for each in found:
        assert each.gold.shape == (each.documents, len(each.ranks))
        assert each.gold.sum(1).tolist() == [1] * each.documents, "a passage each"
        assert each.ranks.min() >= 0 and sorted(each.ranks[:, 1])[-1] == 3, "all are in the list by meaning"
    assert list(found[0].signals) == list(found[3].signals)


@pytest.mark.long
def test_weights_and_their_report_are_written(
    dataset: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "new" / "own.safetensors"
    other = dataset.with_name("other")
    shutil.copytree(dataset, other)
    assert main(["research", "train", "weights", str(dataset), str(other), "--out", str(out), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert list(found["corpora"]) == ["other", "other, plain", "tiny", "tiny, plain"]
    row = found["corpora"]["tiny"]
    assert row["questions"] == 2 and 0.0 <= row["learned"] <= row["best fixed"] == 1.0
    read = weighing.read(out)
    assert read.full.names and read.early is not None
    assert json.loads(Path(found["report"]).read_text(encoding="utf-8"))["corpora"] == found["corpora"]
    first = out.read_bytes()
    assert main(["research", "train", "weights", str(dataset), str(other), "--out", str(out)]) == 0
    output = capsys.readouterr().out
    assert "tiny, plain" in output and f"Written: {out}" in output.replace("\n", " ")
    assert out.read_bytes() == first, "the same questions give the same file"


@pytest.mark.long
def test_both_routes_are_judged_by_what_the_reader_answers(dataset: Path, models: Models) -> None:
    lines = [json.loads(line) for line in (dataset / "questions.jsonl").read_text().splitlines()]
    for line, answers in zip(lines, (["Moscow"], ["Otto Kask"]), strict=True):
        line["answers"] = answers
    (dataset / "questions.jsonl").write_text("\n".join(map(json.dumps, lines)))
    found = collect_routes(read_corpus(dataset), models, TaskContext())
    assert [(e.plain, e.documents) for e in found] == [(False, 2), (True, 2), (False, 1), (True, 1)]
    assert [e.right for e in found] == [(False, False)] * 2 + [(True, True)] * 2
    for each in found:
        assert tuple(each.signals) == FEATURE_NAMES
        assert not each.ranks[:, 0].any() and each.ranks[:, 1:].max(0).tolist() == [3, 3]


@pytest.mark.long
def test_an_adapter_is_written(
    dataset: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    other, out = dataset.with_name("other"), tmp_path / "new" / "own.safetensors"
    shutil.copytree(dataset, other)

    def example(name: str, number: int) -> Example:
        """Gold is first in one list and last in the other, as its features say."""
        far = number % 2 == 1
        ranks = np.stack(
            [np.zeros(9, int), np.roll(np.arange(1, 10), far), np.roll(np.arange(1, 10), not far)], 1
        )
        signals = {**dict.fromkeys(FEATURE_NAMES, 0.0), "C": float(far), "length": float(number)}
        return Example(name, False, signals, {}, ranks, np.arange(9)[None] == 0, 1, np.arange(9))

    def collected(data: Dataset, *_: object) -> list[Example]:
        return [example(data.name, number) for number in range(40)]

    monkeypatch.setattr("core.research.training.list_weights.collect_routes", collected)
    command = ["research", "train", "adapter", str(dataset), str(other), "--out", str(out)]
    assert main([*command, "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["labels"] == "recall@5 of gold documents" and list(report["corpora"]) == ["other", "tiny"]
    read = adapter.read(out)
    assert [read.low, read.high] == report["thresholds"] and "C" in read.names
    first = out.read_bytes()
    assert main(command) == 0
    assert out.read_bytes() == first


@pytest.mark.long
def test_questions_without_gold_teach_nothing(
    dataset: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    line = {"id": "q", "question": "Who knows?", "answers": [], "supporting": [], "kind": "none"}
    (dataset / "questions.jsonl").write_text(json.dumps(line))
    out = tmp_path / "own.safetensors"
    for command in ("weights", "adapter"):
        assert main(["research", "train", command, str(dataset), "--out", str(out)]) == 1
        assert "nothing to learn" in capsys.readouterr().err
        assert not out.exists()


@pytest.mark.parametrize("out", ["router.bin", "."])
def test_a_place_that_cannot_be_is_refused_at_once(
    out: str, dataset: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["research", "train", "weights", str(dataset), "--out", out]) == 1
    assert ".safetensors" in capsys.readouterr().err


def test_the_units_of_a_question_are_counted(capsys: pytest.CaptureFixture[str]) -> None:
    question = "Who owned the company that chartered the ship?"
    assert main(["research", "units", question, "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["dependencies"]["W"] == 8
    assert (report["dependencies"]["C"], report["dependencies"]["DC"]) == (2, 1)
    assert report["trees"] is None or report["trees"].keys() == report["dependencies"].keys()


CORPUS_WIDE = (
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
HOLDOUT = "corpus\theld\tWhat is all of this about?"


def table(path: Path, *lines: str) -> Path:
    path.write_text("\n".join(["label\tsplit\tquestion", *lines]) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def labelled(tmp_path: Path) -> Path:
    lines = [f"corpus\tdev\t{q}" for q in CORPUS_WIDE] + [f"particular\tdev\t{q}" for q in PARTICULAR]
    return table(tmp_path / "labelled.tsv", *lines, HOLDOUT)


def train_scope(out: Path, questions: Path, *more: str) -> int:
    return main(["research", "train", "scope", "--out", str(out), "--questions", str(questions), *more])


@pytest.mark.long
def test_the_scope_model_is_written_to_out_and_repeats(
    labelled: Path, tmp_path: Path, models: Models, capsys: pytest.CaptureFixture[str]
) -> None:
    out, again = tmp_path / "new" / "scope.safetensors", tmp_path / "again.safetensors"
    assert train_scope(out, labelled, "--json") == 0
    report = json.loads(capsys.readouterr().out)
    assert (report["model"], report["questions"]) == (str(out), 12), "held questions are not trained on"
    model = corpuswide.read(out)
    assert model.threshold == report["threshold"]
    sure = [
        [model.probabilities(models.parse(q), models.embed_question(q))[0] for q in kind]
        for kind in (CORPUS_WIDE, PARTICULAR)
    ]
    assert min(sure[0]) > 0.5 > max(sure[1])
    assert train_scope(again, labelled) == 0
    assert f"Written: {again}" in capsys.readouterr().out
    assert again.read_bytes() == out.read_bytes()


def test_the_same_weights_give_the_same_bytes() -> None:
    tensors = {"weights": np.arange(5, dtype=np.float32), "bias": np.ones(1, dtype=np.float32)}
    metadata = {"format": "f", "thresholds": "[0.5, 0.6]", "report": '{"of": "Bór"}'}
    written = {pack_tensors(tensors, metadata) for _ in range(20)}
    assert len(written) == 1
    read = load(written.pop())
    assert {name: value.tolist() for name, value in read.items()} == {"weights": [0, 1, 2, 3, 4], "bias": [1]}


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        (None, "cannot be read"),
        ((), "holds no question"),
        (("corpus\tdev",), "line 2 is no labelled question"),
        ((HOLDOUT, "whole\tdev\tWhat is all this?"), "line 3 is no labelled question"),
        (("corpus\tdev\t ",), "line 2 is no labelled question"),
        (("corpus\tdev\tWhat is it about?", "particular\theld\tWho is it?"), "both kinds are needed"),
    ],
)
def test_bad_questions_are_one_line_and_nothing_is_written(
    lines: tuple[str, ...] | None, words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, questions = tmp_path / "new" / "scope.safetensors", tmp_path / "labelled.tsv"
    if lines is not None:
        table(questions, *lines)
    assert train_scope(out, questions) == 1
    output = capsys.readouterr()
    assert output.out == "" and words in output.err and len(output.err.splitlines()) == 1
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
        message = capsys.readouterr().err
        assert words in message and len(message.splitlines()) == 1
    assert main(["research", "train", "scope"]) == 2
    assert not out.exists()
