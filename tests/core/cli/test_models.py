"""Language models on the command line, against a scripted server."""

from __future__ import annotations

import json
import os
from functools import partial
from pathlib import Path

import pytest

from core.cli import main
from core.config import Config, ModelConfig
from core.workspace import Workspace
from tests.ollama_server import Fault, ScriptedServer
from tests.reading_model import reading

TEXT = "Marta Ilves founded Ilves Shipping in Tallinn. Otto Kask commands the Northern Star.\n"


@pytest.fixture
def place(tmp_path: Path, ollama: ScriptedServer) -> Path:
    ollama.answer = reading
    (tmp_path / "papers").mkdir()
    (tmp_path / "papers" / "a.txt").write_text(TEXT, encoding="utf-8")
    return tmp_path


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A Clew that waits less, and for each call once."""
    models = ModelConfig(retry_wait=0.01, token_seconds=0.4, retries=0)
    monkeypatch.setattr("core.config.Config", partial(Config, models=models))


def settings(server: ScriptedServer) -> list[str]:
    return ["--set", f"models.host={server.url}"]


def run(capsys: pytest.CaptureFixture[str], code: int, *words: str) -> dict[str, object]:
    capsys.readouterr()
    assert main([*words, "--json"]) == code
    found = json.loads(capsys.readouterr().out)
    assert isinstance(found, dict)
    return found


def test_models_are_listed(ollama: ScriptedServer, capsys: pytest.CaptureFixture[str]) -> None:
    found = run(capsys, 0, "models", "list", *settings(ollama))
    assert found["host"] == ollama.url and found["models"][0]["context"] == 8192  # type: ignore[index]
    assert main(["models", "list", *settings(ollama)]) == 0
    assert "scripted:1b" in capsys.readouterr().out
    ollama.refuse()
    assert "does not answer" in str(run(capsys, 1, "models", "list", *settings(ollama))["error"])


@pytest.mark.long
def test_a_folder_is_read_by_a_model_and_what_failed_is_tried_again(
    place: Path, ollama: ScriptedServer, capsys: pytest.CaptureFixture[str], own_host: str
) -> None:
    folder, workspace = str(place / "papers"), str(place / "w")
    ollama.say(Fault.STALL)
    words = ("index", folder, "-w", workspace, "--extractor", "ollama:scripted:1b", *settings(ollama))
    found = run(capsys, 0, *words)
    assert (found["passages"], found["failed"], found["pending"]) == (1, 1, 0)
    listed = run(capsys, 0, "status", workspace, "--failures")["failures"]
    assert "stalled" in listed[0]["reason"] and "Marta Ilves" in listed[0]["raw"]  # type: ignore[index]
    # Which extractor it was the workspace knows, where Ollama is the person's own setting.
    retried = run(capsys, 0, "index", "-w", workspace, "--retry")
    assert (retried["tried"], retried["failed"]) == (1, 0)
    assert run(capsys, 0, "status", workspace, "--failures")["failures"] == []
    found = run(capsys, 0, "index", folder, "-w", workspace)
    assert found["model"]["passages"] == 1 and found["model"]["usage"]["calls"] == 2  # type: ignore[index]
    assert main(list(words)) == 0
    assert "scripted:1b read 1 passages: 2 calls" in capsys.readouterr().out


@pytest.mark.long
def test_a_model_is_checked_and_compared(
    place: Path, ollama: ScriptedServer, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, workspace = str(place / "papers"), str(place / "w")
    run(capsys, 0, "index", folder, "-w", workspace)
    model = ("scripted:1b", *settings(ollama))
    found = run(capsys, 0, "models", "check", workspace, *model)
    assert {"model", "trial", "whole", "mixed", "recommendation"} <= found.keys()
    assert main(["models", "check", workspace, *model]) == 0
    assert "replies right at once" in capsys.readouterr().out
    found = run(capsys, 0, "models", "compare", workspace, *model, "--limit", "5")
    assert found["passages"] == 1 and found["changes"]
    assert main(["models", "compare", workspace, *model]) == 0
    assert "the same" in capsys.readouterr().out


def test_doctor_checks_ollama_with_and_without_it(
    ollama: ScriptedServer, capsys: pytest.CaptureFixture[str]
) -> None:
    for there in (True, False):
        checks = run(capsys, 0, "doctor", *settings(ollama))["checks"]
        (check,) = [each for each in checks if each["name"] == "language models"]  # type: ignore[attr-defined]
        assert check["ok"] == there and ("scripted:1b" in check["detail"]) == there
        assert there or check["remedy"]
        ollama.refuse()


def state_of(workspace: Path) -> tuple[object, ...]:
    """What a run that cannot begin must leave as it was."""
    opened = Workspace.open(workspace, read_only=True)
    try:
        status = opened.status()
        return status.digest, status.pending, opened.revision, opened.language_models.extractor, opened.folder
    finally:
        opened.close()


@pytest.mark.long
@pytest.mark.parametrize(
    ("extractor", "changed"),
    [("ollama:scripted:1b", True), ("mixed:scripted:1b", False), ("ollama:nobody:7b", True)],
)
def test_without_the_model_nothing_is_changed_and_the_next_run_is_as_before(
    place: Path,
    ollama: ScriptedServer,
    capsys: pytest.CaptureFixture[str],
    extractor: str,
    changed: bool,
    own_host: str,
) -> None:
    folder, workspace = place / "papers", place / "w"
    (folder / "old.txt").write_text("Ada Lind met Jonas Berg in Oslo on Monday.\n", encoding="utf-8")
    run(capsys, 0, "index", str(folder), "-w", str(workspace), *settings(ollama))
    before = state_of(workspace)
    if changed:  # one is new, one goes, one has another name
        (folder / "b.txt").write_text("Ivo Saar sold the Grey Petrel to Ada Lind.\n", encoding="utf-8")
        (folder / "old.txt").unlink()
        (folder / "a.txt").rename(folder / "c.txt")
    if "nobody" not in extractor:
        ollama.refuse()
    words = "no model called nobody:7b" if "nobody" in extractor else "does not answer"
    capsys.readouterr()
    assert main(["index", str(folder), "-w", str(workspace), "--extractor", extractor]) == 1
    lines = capsys.readouterr().err.splitlines()
    assert words in " ".join(lines) and len([line for line in lines if line.strip()]) == 1, lines
    assert state_of(workspace) == before
    found = run(capsys, 0, "index", str(folder), "-w", str(workspace))
    assert (found["pending"], found["model"], ollama.chats) == (0, None, [])


@pytest.mark.long
def test_a_model_that_has_read_all_is_needed_only_for_what_is_new(
    place: Path, ollama: ScriptedServer, capsys: pytest.CaptureFixture[str], own_host: str
) -> None:
    folder, workspace = place / "papers", place / "w"
    index = ("index", str(folder), "-w", str(workspace))
    run(capsys, 0, *index, "--extractor", "ollama:scripted:1b", *settings(ollama))
    run(capsys, 0, *index, "--extractor", "rules")
    ollama.refuse()
    assert run(capsys, 0, *index, "--extractor", "ollama:scripted:1b")["pending"] == 0
    os.utime(folder / "a.txt", (1, 1))
    assert run(capsys, 0, *index)["pending"] == 0
    before = state_of(workspace)
    (folder / "b.txt").write_text("Ivo Saar sold the Grey Petrel to Ada Lind.\n", encoding="utf-8")
    (folder / "a.txt").rename(folder / "d.txt")
    assert "does not answer" in str(run(capsys, 1, *index)["error"])
    assert state_of(workspace) == before
    ollama.listen()
    assert run(capsys, 0, *index)["passages"] == 2


def test_an_empty_folder_does_not_choose_a_model_that_is_not_there(
    tmp_path: Path, ollama: ScriptedServer, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "papers").mkdir()
    words = ("index", str(tmp_path / "papers"), "-w", str(tmp_path / "w"))
    run(capsys, 1, *words, "--extractor", "ollama:nobody:7b", *settings(ollama))
    assert state_of(tmp_path / "w")[3] == "rules"
    bad = run(capsys, 1, *words, "--extractor", "ollama:x", "--set", "models.host=http://[bad")
    assert "no address" in str(bad["error"])
