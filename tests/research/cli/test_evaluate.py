"""`clew research eval` as its users meet it, on a question set of three passages."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from core.cli import main

pytestmark = pytest.mark.long

PASSAGES = (
    ("p1", "Northern Star", "Otto Kask commands the Northern Star. It carries timber."),
    ("p2", "Otto Kask (captain)", "Otto Kask was born in Parnu."),
    ("p3", "Grain", "Grain prices rose."),
)
QUESTIONS = (
    ("q1", "Where was the commander of the Northern Star born?", ["Parnu"], ["p1", "p2"], "multi-hop"),
    ("q2", "Who commands the Northern Star?", ["Otto Kask"], ["p1"], "single-hop"),
    ("q3", "What rose?", [], ["p3"], "single-hop"),
)
EXTERNAL: tuple[tuple[str, str, list[str], list[list[str]]], ...] = (
    ("p1", "Northern Star", ["Otto Kask", "Northern Star"], [["Otto Kask", "commands", "Northern Star"]]),
    (
        "p2",
        "Otto Kask (captain)",
        ["Otto Kask"],
        [["Otto Kask", "born in", "Parnu"], ["Otto Kask", "captain"]],
    ),
    ("p3", "Grain", [], []),
)


def lines(names: tuple[str, ...], rows: tuple[tuple[object, ...], ...]) -> str:
    return "\n".join(json.dumps(dict(zip(names, row, strict=True))) for row in rows)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("eval") / "tiny"
    folder.mkdir()
    (folder / "corpus.jsonl").write_text(lines(("id", "title", "text"), PASSAGES))
    names = ("id", "question", "answers", "supporting", "kind")
    (folder / "questions.jsonl").write_text(lines(names, QUESTIONS))
    (folder / "given.jsonl").write_text(lines(("id", "title", "entities", "triples"), EXTERNAL))
    return folder


def printed(capsys: pytest.CaptureFixture[str]) -> dict[str, object]:
    found = json.loads(capsys.readouterr().out)
    assert isinstance(found, dict)
    return found


def test_json_holds_intervals_differences_and_answers(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["research", "eval", str(data), "--json"]) == 0
    found = printed(capsys)
    assert found["extraction"] == "rules"
    row = found["routes"]["auto"]["all"]  # type: ignore[index]
    low, high = row["intervals"]["recall@2"]
    assert 0.0 <= low <= row["recall@2"] <= high <= 1.0
    assert 0.0 < row["diversity"] < 1.0
    assert (row["questions"], row["scored"]) == (3, 2)
    assert found["routes"]["auto"]["single-hop"]["exact"] == 1.0  # type: ignore[index]
    assert found["routes"]["dense"]["all"]["scored"] == 0  # type: ignore[index]
    pairs = [(pair["left"], pair["right"]) for pair in found["comparisons"] if pair["kind"] == "all"]  # type: ignore[attr-defined]
    assert pairs[:4] == [("auto", way) for way in ("lexical", "dense", "graph", "fusion")]
    difference = found["comparisons"][0]["measures"]["recall@2"]  # type: ignore[index]
    assert difference.keys() == {"difference", "low", "high", "p", "significant"}


def test_the_tables_fit_and_name_what_they_show(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        main(["research", "eval", str(data), "--route", "dense", "--route", "graph", "--route", "auto"]) == 0
    )
    out = capsys.readouterr().out
    for words in (
        "multi-hop, 1 question",
        "all, 3 questions",
        "recall@10",
        "refused answerable",
        "auto - graph",
        "±",
    ):
        assert words in out
    assert "auto took:" in out
    assert "…" not in out
    assert max(map(len, out.splitlines())) <= 110


def test_a_report_is_compared_with_itself(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "report.json"
    command = ["research", "eval", str(data), "--route", "graph", "--no-answers"]
    assert main([*command, "--out", str(out), "--json"]) == 0
    capsys.readouterr()
    assert len(json.loads(out.read_text())["rows"]["graph"]) == 3
    assert main(["research", "eval", "--compare", str(out), str(out), "--json"]) == 0
    capsys.readouterr()
    assert main(command) == 0
    output = capsys.readouterr().out
    assert max(map(len, output.splitlines())) <= 110


def test_no_answers_are_looked_for_when_not_wanted(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["research", "eval", str(data), "--route", "graph", "--no-answers", "--json"]) == 0
    row = printed(capsys)["routes"]["graph"]["all"]  # type: ignore[index]
    assert row["scored"] == 0
    assert "exact" not in row


def test_external_triples_replace_our_own(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = [
        "research",
        "eval",
        str(data),
        "--triples",
        str(data / "given.jsonl"),
        "--route",
        "graph",
        "--json",
    ]
    assert main(command) == 0
    first = printed(capsys)
    assert "given.jsonl (1 triples without three parts left out)" in str(first["extraction"])
    assert first["routes"]["graph"]["multi-hop"]["recall@2"] == 1.0  # type: ignore[index]
    assert float(str(first["index_seconds"])) > 0
    assert main(command) == 0
    assert printed(capsys)["index_seconds"] == 0.0  # from the cache
    other = tmp_path / "other.jsonl"
    other.write_text((data / "given.jsonl").read_text().replace("born in", "was born in"))
    command[4] = str(other)
    assert main(command) == 0
    assert float(str(printed(capsys)["index_seconds"])) > 0  # other triples, another workspace
    assert main(["research", "eval", str(data), "--route", "graph", "--json"]) == 0
    assert printed(capsys)["extraction"] == "rules"


def test_two_reports_are_compared(data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    a, b = tmp_path / "a.json", tmp_path / "b.json"
    for path in (a, b):
        assert (
            main(
                [
                    "research",
                    "eval",
                    str(data),
                    "--route",
                    "dense",
                    "--route",
                    "graph",
                    "--out",
                    str(path),
                    "--json",
                ]
            )
            == 0
        )
    capsys.readouterr()
    assert main(["research", "eval", "--compare", str(a), str(b), "--json"]) == 0
    found = printed(capsys)
    change = found["routes"]["graph"]["all"]["recall@5"]  # type: ignore[index]
    assert change["before"] == change["after"]
    assert (change["difference"], change["significant"]) == (0.0, False)
    assert found["unpaired"] == {}
    assert main(["research", "eval", "--compare", str(a), str(b)]) == 0
    out = capsys.readouterr().out
    assert "+.000 [+.000 +.000]" in out
    assert max(map(len, out.splitlines()[1:])) <= 110


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        ([], 2, "Missing argument"),
        (["--compare", "A"], 2, "--compare"),
        (["DATA", "--compare", "A", "B"], 2, "besides"),
        (["--compare", "A", "B"], 1, "A cannot be read"),
        (["DATA", "--out", "NOWHERE/report.json"], 1, "folder that exists"),
        (["DATA", "--triples", "NOWHERE"], 1, "NOWHERE cannot be read"),
        (["DATA", "--route", "psychic"], 1, "Choose one of"),
    ],
)
def test_failures_say_what_to_do(
    arguments: list[str],
    code: int,
    words: str,
    data: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["research", "eval", *(str(data) if word == "DATA" else word for word in arguments)]) == code
    message = capsys.readouterr().err
    assert words in message
    assert code == 2 or len(message.strip().splitlines()) == 1
