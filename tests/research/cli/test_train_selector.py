"""`clew research train selector` as its users meet it."""

from __future__ import annotations

import importlib
import json
from pathlib import Path

import pytest

from core.cli import main
from core.retrieval.selection.model import load_model

pytestmark = pytest.mark.long

select = importlib.import_module("core.cli.research.training")  # the name in core.cli is the command

PEOPLE = (("Otto Kask", "Northern Star", "Parnu"), ("Ines Holm", "Southern Cross", "Bergen"))


@pytest.fixture
def dataset(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    data = tmp_path / "tiny"
    data.mkdir()
    rows = [{"id": "grain", "title": "Grain", "text": "Grain prices rose."}]
    lines = []
    for person, ship, town in PEOPLE:
        rows.append({"id": ship, "title": ship, "text": f"{person} commands the {ship}."})
        rows.append({"id": person, "title": person, "text": f"{person} was born in {town}."})
        asked = (
            (f"Where was the commander of the {ship} born?", [ship, person], "multi-hop"),
            (f"Who commands the {ship}?", [ship], "single-hop"),
            (f"Where was {person} born?", [person], "single-hop"),
        )
        lines += [
            {"id": f"{ship}{i}", "question": q, "answers": ["x"], "supporting": gold, "kind": kind}
            for i, (q, gold, kind) in enumerate(asked)
        ]
    (data / "corpus.jsonl").write_text("\n".join(json.dumps(row) for row in rows))
    (data / "questions.jsonl").write_text("\n".join(json.dumps(line) for line in lines))
    return data


def test_a_model_and_its_report_are_written(
    dataset: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "own.safetensors"
    assert main(["research", "train", "selector", str(dataset), "--out", str(out), "--json"]) == 0
    output = json.loads(capsys.readouterr().out)
    assert load_model(out).direct.any()
    report = json.loads((tmp_path / "own-report.json").read_text(encoding="utf-8"))
    assert output == {"model": str(out), "report": str(tmp_path / "own-report.json"), **report}
    assert report["datasets"] == ["tiny"]
    assert report["examples"] == 6  # six questions, one first stage
    assert set(report["cross_validated"]) == {f"tiny {kind} graph" for kind in ("multi-hop", "single-hop")}
    select.print_recalls(report)
    lines = capsys.readouterr().out
    row = report["first_stage"]["tiny multi-hop graph"]["recall@2"]
    assert "not trained on" in lines
    assert f"{row:.3f} to" in lines


def test_missing_evidence_is_reported(
    dataset: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    questions = dataset / "questions.jsonl"
    lines = [json.loads(line) for line in questions.read_text().split("\n")]
    questions.write_text("\n".join(json.dumps({**line, "supporting": ["elsewhere"]}) for line in lines))
    out = tmp_path / "own.safetensors"
    assert main(["research", "train", "selector", str(dataset), "--out", str(out)]) == 1
    message = capsys.readouterr().err
    assert message.strip()
    assert "Traceback" not in message
    assert not out.exists()


@pytest.mark.parametrize("out", [".", "model.bin"])
def test_a_place_that_cannot_be_is_refused_at_once(
    out: str,
    dataset: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def collect(*_: object) -> None:
        raise AssertionError("questions were asked before the place was looked at")

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("core.research.training.selector.collect", collect)
    assert main(["research", "train", "selector", str(dataset), "--out", out]) == 1
    assert capsys.readouterr().err.strip()


def test_a_missing_data_set_is_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = str(tmp_path / "own.safetensors")
    assert main(["research", "train", "selector", str(tmp_path / "gone"), "--out", out]) == 1
    assert "gone" in capsys.readouterr().err


def test_the_hybrid_weights_are_fitted_and_can_be_set(
    dataset: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["research", "train", "hybrid", str(dataset), "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["rows"] == 30  # six questions, five passages
    assert report["hybrid_dense"] + report["hybrid_path"] == pytest.approx(1)
    assert min(report["hybrid_dense"], report["hybrid_path"]) >= 0
    assert main(["research", "train", "hybrid", str(dataset)]) == 0
    change = [word for word in capsys.readouterr().out.split() if word.startswith("retrieval.")]
    sets = [part for setting in change for part in ("--set", setting)]
    assert (
        main(["research", "eval", str(dataset), "--route", "lab:hybrid", "--no-answers", *sets, "--json"])
        == 0
    )
