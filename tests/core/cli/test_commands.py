"""The command line as its users meet it, in this process."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from core.cli import main

TEXT = "Marta Ilves founded Ilves Shipping in Tallinn in 1998. Otto Kask commands the Northern Star.\n"


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("cli")
    (root / "papers").mkdir()
    (root / "papers" / "a b ä.txt").write_text(TEXT, encoding="utf-8")
    (root / "papers" / "empty.pdf").write_bytes(b"")
    assert main(["index", str(root / "papers"), "--workspace", str(root / "w"), "--json"]) == 0
    return root


def printed(capsys: pytest.CaptureFixture[str]) -> dict[str, object]:
    found = json.loads(capsys.readouterr().out)
    assert isinstance(found, dict)
    return found


def test_index_tells_counts_and_problems(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["index", str(place / "papers"), "-w", str(place / "w"), "--json"]) == 0
    found = printed(capsys)
    assert found["documents"] == 1
    assert found["failed"] == 1
    assert found["problems"][0]["path"] == "empty.pdf"  # type: ignore[index]
    assert main(["index", str(place / "papers"), "-w", str(place / "w")]) == 0
    assert "Not read: empty.pdf" in capsys.readouterr().out


@pytest.mark.parametrize("files", [("broken.pdf", "zeros.txt"), ()])
def test_a_run_that_could_read_nothing_is_a_failure(
    files: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, code = tmp_path / "papers", int(bool(files))
    folder.mkdir()
    for name in files:
        (folder / name).write_bytes(b"%PDF-1.7\n%garbage" if name.endswith(".pdf") else bytes(200))
    arguments = ["index", str(folder), "--workspace", str(tmp_path / "w")]
    for _ in range(2):  # also where it is known from before
        assert main(arguments) == code
        printed_words = capsys.readouterr()
        assert printed_words.out.startswith("0 documents, ")
        assert ("be read" in printed_words.err) == bool(files)
        assert main([*arguments, "--json"]) == code
        assert printed(capsys)["failed"] == len(files)


def test_ask_prints_what_the_contract_names(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ask", str(place / "w"), "Who commands the Northern Star?", "--json"]) == 0
    found = printed(capsys)
    assert {"answer", "abstained", "citations", "route", "hits", "stages", "seconds"} <= found.keys()
    assert "Otto Kask" in str(found["answer"])
    citation = found["citations"][0]  # type: ignore[index]
    assert {"passage_id", "page", "place", "community", "marked"} < citation.keys()
    assert TEXT[citation["start"] : citation["end"]] == citation["quote"]
    assert citation["document"] == "a b ä.txt"
    assert {"name", "score", "low", "high", "features"} <= found["route"].keys()  # type: ignore[attr-defined]
    assert {"passage_id", "document", "title", "score", "rank", "why"} == found["hits"][0].keys()  # type: ignore[index]
    assert {"name", "seconds", "detail", "data", "shared"} == found["stages"][0].keys()  # type: ignore[index]


@pytest.mark.long
def test_ask_for_people_names_the_place_and_the_stages(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["ask", str(place / "w"), "Who commands the Northern Star?", "--route", "graph"]
    assert main(command) == 0
    out = capsys.readouterr().out
    assert all(words in out for words in ("Otto Kask", "a b ä.txt", "Route graph", "  local: "))
    assert main([*command, "--json"]) == 0
    hits = printed(capsys)["hits"]
    assert {"stage", "facts", "nodes"} == hits[0]["why"]["brought"].keys()  # type: ignore[index]


def test_status_prints_counts_and_digest(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["status", str(place / "w"), "--json"]) == 0
    found = printed(capsys)
    assert found.keys() >= {"documents", "passages", "entities", "facts", "failed", "pending", "encoder"}
    assert found["trusted"] is True
    assert len(str(found["digest"])) == len(str(found["derived_digest"])) == 32
    assert found["derived"].keys() >= {"vectors", "synonyms", "communities", "reports"}  # type: ignore[attr-defined]
    assert main(["status", str(place / "w")]) == 0
    out = capsys.readouterr().out
    assert str(found["digest"]) in out and str(found["derived_digest"]) in out and "Not finished" not in out


@pytest.mark.usefixtures("socket_enabled")
def test_doctor_checks_every_part(capsys: pytest.CaptureFixture[str]) -> None:
    # Nobody takes calls at the discard port.
    assert main(["doctor", "--json", "--set", "models.host=http://127.0.0.1:9"]) == 0
    for check in printed(capsys)["checks"]:  # type: ignore[attr-defined]
        assert check.keys() == {"name", "ok", "detail", "remedy"}
        assert check["ok"] or check["remedy"]


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["ask", "NOWHERE", "Who?"], 1, "no Clew workspace"),
        (["ask", "NOWHERE", "   "], 1, "question is empty"),
        (["ask", "NOWHERE", "Who?", "--route", "psychic"], 1, "psychic"),
        (["ask", "NOWHERE"], 2, "Missing argument"),
        (["research", "bench", "nonsense"], 2, "nonsense"),
        (["research", "eval", "NOWHERE"], 1, "corpus.jsonl"),
    ],
)
def test_failures_are_one_line_that_helps(
    arguments: list[str],
    code: int,
    words: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(arguments) == code
    told = capsys.readouterr().err.strip()
    assert words in told
    if code == 1:
        assert len(told.splitlines()) == 1
