"""The recogniser's bench: its labelled questions, its figures, and what it tells of a question set."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from click.testing import CliRunner

from core.cli.research.bench import bench
from core.errors import BadInput
from core.progress import Cancelled, TaskContext
from core.research.benches.recogniser import LABELS, SPLITS, labelled_questions, measure


@pytest.fixture
def question_set(tmp_path: Path) -> Path:
    rows = [
        {"id": "1", "question": "Who commands the Northern Star?"},
        {"id": "2", "question": "Summarise it all"},
    ]
    (tmp_path / "questions.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return tmp_path


def test_labelled_questions_are_sound() -> None:
    rows = labelled_questions()
    assert len(rows) >= 240
    assert {row.label for row in rows} == set(LABELS)
    assert {row.split for row in rows} == set(SPLITS)
    asked = [" ".join(row.question.lower().split()) for row in rows]
    assert len(set(asked)) == len(asked)  # nothing of one half stands in the other
    kinds = Counter((row.label, row.split) for row in rows)
    for split, fewest in (("dev", 500), ("held", 100), ("works", 20)):
        assert kinds["particular", split] >= fewest
        assert kinds["corpus", split] + kinds["broad", split] >= fewest


@pytest.mark.long
def test_figures_are_those_of_the_labels_and_errors_are_shown(
    question_set: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On all that the model was not trained on, and a part of what it was."""
    rows = labelled_questions()
    asked = [row for row in rows if row.split != "dev"] + [row for row in rows if row.split == "dev"][::10]
    monkeypatch.setattr("core.research.benches.recogniser.labelled_questions", lambda: tuple(asked))
    report = measure([question_set], TaskContext())
    figures = {name: figure.value for name, figure in report.figures.items()}
    assert figures["precision, held"] >= 0.97
    assert figures["questions"] == len(asked) + 2
    for split in SPLITS:
        missed = [c for c in report.confused if c.where == split and c.label != "particular"]
        wrong = [c for c in report.confused if c.where == split and c.label == "particular"]
        told = f"{split}, trained on" if split == "dev" else split
        gold = figures[f"corpus-wide questions, {told}"]
        hits = gold - len(missed)
        assert figures[f"recall, {told}"] == pytest.approx(hits / gold)
        assert figures[f"precision, {told}"] == pytest.approx(hits / (hits + len(wrong)))
    assert figures[f"{question_set.name}, taken for corpus-wide"] == 1
    assert [c.question for c in report.confused if c.where == question_set.name] == ["Summarise it all"]


def test_a_folder_without_questions_is_refused_first(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"questions\.jsonl"):
        measure([tmp_path], TaskContext(cancelled=lambda: True))


def test_it_can_be_stopped() -> None:
    with pytest.raises(Cancelled):
        measure([], TaskContext(cancelled=lambda: True))


def test_other_benches_take_one_question_set() -> None:
    refused = CliRunner().invoke(bench, ["ppr", "a", "b"])
    assert refused.exit_code == 2
    assert "one question set" in refused.output


def test_the_command_prints_confused_questions_when_asked(
    question_set: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "core.research.benches.recogniser.labelled_questions", lambda: labelled_questions()[:4] * 30
    )
    monkeypatch.setattr("core.research.benches.recogniser.SPLITS", ("dev",))
    told = CliRunner().invoke(bench, ["recogniser", str(question_set), "--verbose"], standalone_mode=False)
    assert "Summarise it all" in told.output
    quiet = CliRunner().invoke(bench, ["recogniser", str(question_set), "--json"], standalone_mode=False)
    found = json.loads(quiet.stdout.strip().splitlines()[-1])
    assert found["name"] == "recogniser"
    assert any(c["question"] == "Summarise it all" for c in found["confused"])
