"""`clew research eval` of a folder of documents, and of a suite of question sets, as its users meet it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from core.cli import main
from core.research.report import SuiteRow, below_bm25, mean_figures
from tests.conftest import written

pytestmark = pytest.mark.long

TEXTS = {
    "star.txt": "Otto Kask commands the Northern Star.",
    "kask.txt": "Otto Kask was born in Parnu.",
    "grain.txt": "Grain prices rose in Odessa.",
}
# As a tool that gathers pages writes them: one answer, names of files.
QUESTIONS = (
    {
        "id": "0",
        "question": "Who commands the Northern Star?",
        "answer": "Otto Kask",
        "kind": "single-fact",
        "gold": ["star.txt"],
    },
    {
        "id": "1",
        "question": "Where was the commander of the Northern Star born?",
        "answer": "Parnu",
        "kind": "multi_fact",
        "gold": ["kask.txt", "star.txt"],
    },
    {"id": "2", "question": "Who painted the Mona Lisa?", "answers": [], "kind": "none", "gold": []},
)
PASSAGES = ({"id": "p", "title": "Grain", "text": "Grain prices rose in Odessa."},)
SUPPORTED = (
    {"id": "q", "question": "What rose in Odessa?", "answers": ["Grain prices"], "supporting": ["p"]},
)


def lines(rows: tuple[dict[str, object], ...]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("suite")
    written(folder / "papers" / "docs", TEXTS)
    (folder / "papers" / "questions.jsonl").write_text(lines(QUESTIONS))
    written(folder / "passages", {"corpus.jsonl": lines(PASSAGES), "questions.jsonl": lines(SUPPORTED)})
    written(folder / "broken" / "docs", {"a.txt": "Ada sold a ship."})
    (folder / "broken" / "questions.jsonl").write_text("{")
    written(folder / "no questions", {"a.txt": "Ada sold a ship."})
    return folder


def test_a_folder_is_compared_with_bm25_and_dense(suite: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder, questions = str(suite / "papers" / "docs"), str(suite / "papers" / "questions.jsonl")
    assert main(["research", "eval", folder, "--questions", questions, "--route", "auto", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert list(found["routes"]) == ["lexical", "dense", "auto"]
    assert (found["documents"], found["passages"], found["plain"]) == (3, 3, False)
    assert found["bytes"] == sum(map(len, TEXTS.values()))
    assert found["index_seconds_per_mb"] == pytest.approx(found["whole_index_seconds"] / found["bytes"] * 1e6)
    auto = found["routes"]["auto"]
    assert auto["shares"] and auto["all"]["unanswerable"] == 1
    assert auto["single-fact"]["exact"] == 1.0
    assert auto["multi_fact"]["all@5"] == 1.0
    assert auto["none"]["abstained"] == 1.0
    assert auto["all"]["calibration"]["answerable_auc"] == 1.0
    assert sum(one["share"] for one in auto["all"]["calibration"]["bins"]) == pytest.approx(1.0)
    assert auto["all"]["wrong shown"] == 0.0
    seconds = found["whole_index_seconds"]
    assert main(["research", "eval", folder, "--questions", questions, "--plain"]) == 0
    out = capsys.readouterr().out
    columns = ("wrong shown", "refused unanswerable", "refused answerable", "answerable auc", "ECE")
    for words in ("1 of them unanswerable", *columns, "asked in lower case", "s a MB"):
        assert words in out
    assert max(map(len, out.splitlines()[1:])) <= 110
    assert (
        main(["research", "eval", folder, "--questions", questions, "--no-answers", "--fresh", "--json"]) == 0
    )
    again = json.loads(capsys.readouterr().out)
    assert again["index_seconds"] == again["whole_index_seconds"] != seconds
    assert "calibration" not in again["routes"]["auto"]["all"]


def test_a_suite_is_a_table_and_a_failure_is_reported(
    suite: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "suite.json"
    assert main(["research", "eval", "--suite", str(suite), "--out", str(out)]) == 1
    output = capsys.readouterr()
    rows = {line.split()[0]: line.split() for line in output.out.splitlines() if line.strip()}
    assert rows["corpus"][1:7] == ["asked", "passages", "BM25", "dense", "graph", "auto"]
    assert rows["papers"][1:3] == ["3", "3"]
    assert rows["passages"][1:3] == ["1", "1"]
    assert float(rows["mean"][1]) == (float(rows["papers"][3]) + float(rows["passages"][3])) / 2
    assert "auto finds less than BM25 on 0 of 2" in output.out
    assert "broken failed" in output.out and "line 1 cannot be read" in output.err
    assert "…" not in output.out
    assert max(map(len, (line for line in output.out.splitlines() if line.count(".") > 5))) <= 110
    saved = json.loads(out.read_text())
    assert set(saved["corpora"]) == {"papers", "passages"}
    assert [row["id"] for row in saved["corpora"]["papers"]["rows"]["auto"]] == ["0", "1", "2"]
    assert "no JSON" in saved["failed"]["broken"]["error"]


def test_one_of_a_suite_with_another_route_into_a_folder(
    suite: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["research", "eval", "--suite", str(suite), "--only", "papers", "--route", "fusion"]
    assert main([*command, "--out", str(tmp_path), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert list(found["corpora"]["papers"]["routes"]) == ["lexical", "dense", "graph", "auto", "fusion"]
    assert found["mean"] == found["figures"]["papers"]
    assert found["mean"]["several"] == 1.0
    assert found["below_bm25"] == [] and found["failed"] == {}
    report = str(tmp_path / "papers.json")
    assert main(["research", "eval", "--compare", report, report]) == 0
    compared = capsys.readouterr().out
    assert "abstained" in compared and "…" not in compared


def test_means_are_over_those_that_have_a_figure() -> None:
    rows = [
        SuiteRow("a", 3, 9, {"recall@5 lexical": 0.5, "recall@5 auto": 0.4, "several": 0.2}),
        SuiteRow("b", 90, 9, {"recall@5 lexical": 0.5, "recall@5 auto": 0.8}),
        SuiteRow("c", 9, 9, {"recall@5 lexical": 0.5, "recall@5 auto": 0.5}),
    ]
    means = mean_figures(rows)
    assert means["recall@5 auto"] == pytest.approx(1.7 / 3)
    assert means["several"] == 0.2
    assert below_bm25(rows) == ["a"]


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["--suite", "NOWHERE"], 1, "not a folder"),
        (["--suite", "."], 1, "holds no question sets"),
        (["--suite", "SUITE", "--only", "psalms"], 1, "Choose one of: broken, papers, passages"),
        (["--suite", "SUITE", "--out", "NOWHERE/x.json"], 1, "folder that exists"),
        (["--suite", "SUITE", "SUITE"], 2, "goes with no DATASET"),
        (["SUITE", "--only", "papers"], 2, "--only goes with --suite"),
        (["SUITE/papers", "--triples", "SUITE/papers/questions.jsonl"], 2, "DATASET of passages"),
        (["NOWHERE", "--questions", "SUITE/papers/questions.jsonl"], 1, "not a folder"),
    ],
)
def test_failures_say_what_to_do(
    arguments: list[str],
    code: int,
    words: str,
    suite: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["research", "eval", *(word.replace("SUITE", str(suite)) for word in arguments)]) == code
    assert words in capsys.readouterr().err
