"""`clew reports`: by rules, by a scripted model; counted, stopped, gone on with."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from core.cli import main
from core.store.workspace_files import WriterLock
from core.types import CommunityReport
from core.workspace import Workspace
from tests.conftest import NAMES, copied
from tests.ollama_server import Fault, ScriptedServer

_FIRST = re.compile(r"\[1\]\n<sentence (\w+)>\n(?:Title: .*\n)?(.*?)\n</sentence \1>", re.DOTALL)


@pytest.fixture
def place(names_path: Path, tmp_path: Path) -> str:
    return str(copied(names_path, tmp_path / "workspace"))


def reports_of(place: str) -> list[CommunityReport]:
    opened = Workspace.open(Path(place), read_only=True)
    try:
        return [opened.reports.get(community.id) for community in opened.graph.communities()]
    finally:
        opened.close()


def repeating(body: dict[str, Any]) -> str:
    """Says again what it was shown first, and one thing that nobody told it."""
    found = _FIRST.search("\n".join(message["content"] for message in body["messages"]))
    assert found is not None
    said = [(found.group(2), [1]), ("Captain Blackbeard sank the Golden Hind.", [1])]
    return json.dumps({"title": "", "statements": [{"text": t, "sentences": n} for t, n in said]})


def by(server: ScriptedServer) -> list[str]:
    return ["--generator", f"ollama:{server.model}", "--set", f"models.host={server.url}"]


def run(*arguments: str, capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    capsys.readouterr()
    assert main(["reports", *arguments, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert isinstance(found, dict)
    return found


def test_by_rules_only_what_is_wanting_is_written(place: str, capsys: pytest.CaptureFixture[str]) -> None:
    count = len(reports_of(place))
    assert count
    found = run(place, capsys=capsys)
    assert (found["written"], found["kept"], found["generator"]) == (0, count, "extractive")
    found = run(place, "--again", capsys=capsys)
    assert (found["written"], found["by_model"], found["kept"]) == (count, 0, 0)
    assert main(["reports", place]) == 0
    assert f"0 reports written (0 by a model, 0 by rules), {count} kept" in capsys.readouterr().out


def test_a_model_writes_and_what_it_said_is_counted(
    place: str, ollama: ScriptedServer, capsys: pytest.CaptureFixture[str]
) -> None:
    count = len(reports_of(place))
    ollama.answer = repeating
    found = run(place, *by(ollama), capsys=capsys)
    assert (found["written"], found["by_model"]) == (count, count)
    said = found["model"]
    assert (said["statements"], said["kept"], said["uncarried"]) == (2 * count, count, count)
    assert (said["titles"], said["unread"], said["usage"]["calls"]) == (0, 0, count)
    assert {report.written_by for report in reports_of(place)} == {f"ollama:{ollama.model}"}
    # Nothing is left to write; the rules do not overwrite it, and `--again` takes it back.
    assert run(place, *by(ollama), capsys=capsys)["kept"] == count == len(ollama.chats)
    assert run(place, capsys=capsys)["kept"] == count
    assert main(["reports", place, *by(ollama), "--again"]) == 0
    out = capsys.readouterr().out
    assert f"said {2 * count} statements: {count} told, {count} dropped" in out
    assert run(place, "--again", capsys=capsys)["written"] == count
    assert {report.written_by for report in reports_of(place)} == {"rules"}


def test_indexing_again_keeps_what_a_model_wrote(
    place: str, ollama: ScriptedServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ollama.answer = repeating
    run(place, *by(ollama), capsys=capsys)
    before = reports_of(place)
    folder = tmp_path / "papers"
    folder.mkdir()
    for name, text in NAMES.items():
        (folder / name).write_text(text, encoding="utf-8")
    assert main(["index", str(folder), "--workspace", place, "--json"]) == 0
    assert reports_of(place) == before


def test_a_run_that_fails_goes_on_where_it_stood(
    sample_copy: Path, ollama: ScriptedServer, capsys: pytest.CaptureFixture[str]
) -> None:
    place = str(sample_copy)
    count = sum(report.level == 1 for report in reports_of(place))
    assert count > 3

    def three(body: dict[str, Any]) -> str | Fault:
        return repeating(body) if len(ollama.chats) <= 3 else Fault.MEMORY

    ollama.answer = three
    assert main(["reports", place, "--level", "1", *by(ollama)]) == 1
    assert len(capsys.readouterr().err.strip().splitlines()) == 1
    assert sum(report.written_by != "rules" for report in reports_of(place)) == 3
    ollama.answer = repeating
    found = run(place, "--level", "1", *by(ollama), capsys=capsys)
    assert (found["kept"], found["written"], found["by_model"]) == (3, count - 3, count - 3)
    assert {r.level for r in reports_of(place) if r.written_by != "rules"} == {1}


def test_where_no_reply_is_of_use_the_rules_write(
    place: str, ollama: ScriptedServer, capsys: pytest.CaptureFixture[str]
) -> None:
    ollama.answer = lambda body: Fault.BROKEN_JSON
    before = reports_of(place)
    found = run(place, *by(ollama), capsys=capsys)
    assert found["by_model"] == 0 and found["model"]["unread"] == found["written"] == len(before)
    assert reports_of(place) == before


def test_what_cannot_be_done_is_told_in_one_line(
    place: str, ollama: ScriptedServer, capsys: pytest.CaptureFixture[str]
) -> None:
    before = reports_of(place)
    for arguments, words in (
        (["--level", "9"], "no communities of level 9"),
        (["--generator", "oracle"], "oracle"),
        (["--generator", "ollama:"], "No model is named"),
        (["--generator", "ollama:other", "--set", f"models.host={ollama.url}"], "other"),
    ):
        assert main(["reports", place, *arguments]) == 1
        told = capsys.readouterr().err.strip()
        assert words in told and len(told.splitlines()) == 1
    with WriterLock(Path(place), "indexed"):
        assert main(["reports", place]) == 1
    assert "being indexed by process" in capsys.readouterr().err
    ollama.refuse()
    assert main(["reports", place, *by(ollama), "--set", "models.retries=0"]) == 1
    assert reports_of(place) == before


def test_a_workspace_without_communities_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Workspace.open(tmp_path / "w", create=True).close()
    assert main(["reports", str(tmp_path / "w")]) == 0
    assert "no communities yet" in capsys.readouterr().out
    assert main(["reports", str(tmp_path / "nowhere")]) == 1
