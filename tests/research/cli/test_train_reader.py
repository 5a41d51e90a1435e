"""`clew reader` as its users meet it."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from core.answering import comprehension as calibration
from core.cli import main

pytestmark = pytest.mark.long


@pytest.fixture
def asked(tmp_path: Path) -> Path:
    rows = []
    for number, name in enumerate(("Petrel", "Auk", "Tern")):
        text = f"The ship {name} was built in {1900 + number}. It carried salt."
        answers = [{"text": str(1900 + number), "start": text.index("19")}]
        rows.append(
            {"id": f"{number}", "question": f"When was {name} built?", "text": text, "answers": answers}
        )
    rows.append(
        {"id": "3", "question": "Who sank it?", "text": rows[0]["text"], "answers": [], "kind": "none"}
    )
    path = tmp_path / "ships.jsonl"
    path.write_text("\n".join(json.dumps(row) for row in rows), "utf-8")
    return path


def read_report(capsys: pytest.CaptureFixture[str]) -> dict[str, object]:
    return dict(json.loads(capsys.readouterr().out))


def test_a_reader_is_trained_and_measured(
    asked: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "own.safetensors"
    assert (
        main(["research", "train", "reader", str(asked), "--out", str(out), "--cap", "ships=2", "--json"])
        == 0
    )
    report = read_report(capsys)
    assert report["examples"] == {"ships": 2}
    assert [each.name for each in tmp_path.iterdir() if "own" in each.name] == [out.name], "no state is left"
    assert (
        main(["research", "score", "reader", str(asked), "--reader", str(out), "--limit", "3", "--json"]) == 0
    )
    assert read_report(capsys)["questions"] == 3


def test_the_shipped_reader_finds_what_stands_there(asked: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["research", "score", "reader", str(asked), "--json"]) == 0
    found = read_report(capsys)
    assert found["questions"] == 4 and float(str(found["f1"])) > 0.9
    assert found["here_auc"] == 1.0, "it tells the question that the text does not answer"


def test_a_calibration_is_fitted_on_question_sets(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    folders = []
    for name, answer in (("one", "Otto Kask"), ("two", "nobody known")):
        folder = tmp_path / name
        folder.mkdir()
        folders.append(str(folder))
        texts = ["Otto Kask commands the Northern Star.", "Grain prices rose in the autumn."]
        rows = [{"id": f"p{n}", "title": "Log", "text": text} for n, text in enumerate(texts)]
        (folder / "corpus.jsonl").write_text("\n".join(map(json.dumps, rows)))
        question = {"id": "q", "question": "Who commands the Northern Star?", "answers": [answer]}
        (folder / "questions.jsonl").write_text(json.dumps(question | {"supporting": ["p0"], "kind": "one"}))
    out, report = tmp_path / "c.json", tmp_path / "r.json"
    assert (
        main(["research", "train", "calibration", *folders, "--out", str(out), "--report", str(report)]) == 1
    )
    assert "right and wrong answers are needed" in capsys.readouterr().err, "one alone has no right answer"
    third = tmp_path / "one-more"
    shutil.copytree(tmp_path / "one", third)
    shutil.copytree(tmp_path / "one", tmp_path / "three")
    folders += [str(third), str(tmp_path / "three")]
    assert (
        main(
            [
                "research",
                "train",
                "calibration",
                *folders,
                "--out",
                str(out),
                "--report",
                str(report),
                "--json",
            ]
        )
        == 0
    )
    assert calibration.load(out).weights.any()
    assert json.loads(report.read_text())["corpora"].keys() == {"one", "two", "one-more", "three"}


def test_a_fine_tuned_model_keeps_part_of_the_earlier_one(
    asked: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from core.models.reader_network import load

    first, out = tmp_path / "first.safetensors", tmp_path / "next.safetensors"
    assert main(["research", "train", "reader", str(asked), "--out", str(first), "--seed", "1"]) == 0
    more = ["research", "train", "reader", str(asked), "--out", str(out), "--seed", "2", "--rate", "0.01"]
    moved = {}
    for keep in ("0", "0.5", "1"):
        assert main([*more, "--start", str(first), "--keep", keep]) == 0
        name = "heads.tokens.weight"
        moved[keep] = float((load(out)[name] - load(first)[name]).abs().max())
    assert moved["1"] == 0.0 < moved["0.5"] < moved["0"]
    assert main([*more, "--keep", "0.5"]) == 2
    assert "--start" in capsys.readouterr().err


def test_an_unwritable_path_is_rejected_before_training(
    asked: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def never(*_: object) -> None:
        pytest.fail("an hour of training would be lost")

    monkeypatch.setattr("core.research.training.reader.train", never)
    for place in (tmp_path, tmp_path / "no" / "such" / "x", asked / "x"):
        assert main(["research", "train", "reader", str(asked), "--out", str(place)]) == 1
        assert main(["research", "train", "calibration", str(tmp_path), "--out", str(place)]) == 1
        assert capsys.readouterr().err.count("cannot be written") == 2


@pytest.mark.parametrize(
    "words",
    [
        ["train", "reader", "absent.jsonl", "--out", "x"],
        ["score", "reader", "absent.jsonl"],
        ["train", "reader", "absent.jsonl", "--out", "no/such/folder/x"],
        ["train", "reader", "absent.jsonl", "--out", "x", "--cap", "many"],
        ["score", "reader", "absent.jsonl", "--reader", "absent"],
    ],
)
def test_errors_are_one_line(
    words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["research", *words]) == 1
    assert len(capsys.readouterr().err.strip().splitlines()) <= 2
