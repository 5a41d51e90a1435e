"""Every command answers for people, answers with one JSON object, and fails in one line with a remedy."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from core.answering.models import Models
from core.cli import group, main
from core.progress import TaskContext
from core.research import lab_search
from core.workspace import Workspace
from tests.conftest import NAMES, copied, written
from tests.core.cli.test_named_commands import fault, named_in
from tests.ollama_server import ScriptedServer
from tests.reading_model import reading

pytestmark = pytest.mark.long

ASK = "ask W 'Who hired Ines Holm?'"
PIN = "pins add W 'Who hired Ines Holm?'"
# What is typed, with steps before it; W is the workspace, DIR an empty folder, and so on: `make_places`.
COMMANDS: dict[str, str] = {
    "index": "index PAPERS --workspace W --retry",
    "ask": ASK,
    "paths": "paths W 'Tobias Renwick' 'Ines Holm'",
    "entity": "entity W 'Tobias Renwick'",
    "communities": "communities W",
    "contradictions": "contradictions W",
    "status": "status W",
    "documents": "documents W type:text",
    "remove": "remove W a.txt --dry-run",
    "reports": "reports W",
    "names list": "names list W",
    "names show": "names show W 'Tobias Renwick'",
    "names confirm": "names confirm W ollama:scripted:1b",
    "names join": "names join W 'Tobias Renwick' 'Ines Holm'",
    "names separate": "names separate W 'Tobias Renwick' 'Ines Holm' --preview",
    "names reset": "names reset W 'Tobias Renwick' 'Ines Holm'",
    "names split": "names split W 'Tobias Renwick' PASSAGE --as 'the cook'",
    "names rename": "names rename W 'Ines Holm' 'The Captain' --preview",
    "names retype": "names retype W 'Ines Holm' ORG",
    "names alias": "names alias W 'Ines Holm' Nessie",
    "review list": "review list W",
    "review approve": "review approve W FACT",
    "review reject": "review reject W FACT",
    "review reopen": "review reopen W FACT",
    "review edit": "review edit W FACT --predicate met",
    "review add": "review add W c.txt 'Tobias Renwick hired Ines Holm.' 'Tobias Renwick' met 'Ines Holm'",
    "review note": "review note W Hm --fact FACT",
    "review log": "review log W",
    "review undo": "review undo W",
    "review redo": "review redo W",
    "review export": "review export W DIR/log",
    "review replay": "review export W DIR/log; review replay W DIR/log",
    "review orphans": "review orphans W",
    "review policy": "review policy W",
    "pins list": "pins list W",
    "pins add": PIN,
    "pins remove": f"{PIN}; pins remove W PIN",
    "pins run": f"{PIN}; pins run W",
    "pins baseline": f"{PIN}; pins run W; pins baseline W 1",
    "pins compare": f"{PIN}; pins run W; pins run W; pins compare W 1 2",
    "pins import": f"{PIN}; pins export W DIR/pins; pins import W DIR/pins",
    "pins export": f"{PIN}; pins export W DIR/pins",
    "train": "pins import W PINNED; train W",
    "trace show": f"{ASK} --trace DIR/trace; trace show DIR/trace",
    "trace compare": f"{ASK} --trace DIR/trace; trace compare DIR/trace DIR/trace",
    "trace threads": f"{ASK}; trace threads W 1 --name Hiring",
    "pack verify": f"{ASK} --pack DIR/pack; pack verify DIR/pack",
    "verify": "verify W",
    "backup": "backup W DIR/copy",
    "export": "export W DIR/graph.json",
    "private mark": "private mark W a.txt",
    "private unmark": "private mark W a.txt; private unmark W a.txt",
    "private list": "private list W",
    "settings": "settings W",
    "trust": "trust W",
    "models list": "models list",
    "models host": "models host",
    "models allow": "models allow",
    "models check": "models check W scripted:1b",
    "models compare": "models compare W scripted:1b",
    "doctor": "doctor",
    "lab list": "lab list",
    "lab run": "lab run W --questions QUESTIONS --instances dense",
    "lab report": "lab run W --questions QUESTIONS --instances dense --out DIR/run; lab report DIR/run",
    "lab search": "lab search W --questions QUESTIONS --seconds 1",
    "lab robustness": "lab robustness W --questions QUESTIONS --instances graph --lost 0.2",
    "eval": "eval PAPERS --questions QUESTIONS --route dense",
}
# Where the same words with a workspace, a folder or a file that does not exist are no error.
ERRORS = {
    "trust": "trust NOWHERE --yes",
    "models list": "models list --set models.host=nonsense://",
    "models host": "models host nonsense://",
    "models allow": "models allow nonsense://",
    "doctor": "doctor --set nonsense=1",
}
NO_ERROR = ("lab list",)  # it takes nothing that could be wrong


def leaves(command: click.Command, path: str = "") -> Iterator[str]:
    if not isinstance(command, click.Group):
        yield path
        return
    for name, inner in command.commands.items():
        if name != "research":
            yield from leaves(inner, f"{path} {name}".strip())


@pytest.fixture(scope="module")
def prepared(
    names_path: Path, models: Models, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, dict[str, str]]:
    """A workspace with a pinned question, for copying, and ids in it."""
    path = copied(names_path, tmp_path_factory.mktemp("prepared") / "w")
    with Workspace.open(path, models=models) as opened:
        renwick = opened.names.id_of("Tobias Renwick")
        return path, {
            "PASSAGE": opened.names.passages_of(renwick)[-1],
            "FACT": opened.graph.facts_of(renwick)[0].id,
            "PIN": opened.pins.add("Who commands the Northern Gannet?", TaskContext()).id,
        }


def make_places(prepared: tuple[Path, dict[str, str]], place: Path) -> dict[str, str]:
    """Return what the words of COMMANDS stand for, in a new folder."""
    questions = place / "questions.jsonl"
    (place / "dir").mkdir(parents=True)
    rows = [
        {
            "id": str(at),
            "question": f"Who hired Ines Holm{'?' * at}",
            "gold": ["c.txt"],
            "answers": ["Renwick"],
        }
        for at in range(8)
    ]
    questions.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    pinned = [{"question": row["question"], "quotes": [NAMES["c.txt"].strip()]} for row in rows]
    (place / "pinned.jsonl").write_text("".join(json.dumps(row) + "\n" for row in pinned), encoding="utf-8")
    folder = written(place / "papers", NAMES)
    found = {
        "W": copied(prepared[0], place / "w"),
        "DIR": place / "dir",
        "PAPERS": folder,
        "QUESTIONS": questions,
        "PINNED": place / "pinned.jsonl",
    }
    return {name: str(value) for name, value in found.items()} | prepared[1]


def steps(words: str, places: dict[str, str]) -> list[list[str]]:
    def filled(word: str) -> str:
        return "/".join(places.get(part, part) for part in word.split("/"))

    return [[filled(word) for word in shlex.split(step)] for step in words.split("; ")]


def test_every_command_is_tried() -> None:
    assert set(COMMANDS) == set(leaves(group))
    assert all(COMMANDS[name].split("; ")[-1].startswith(name) for name in COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_it_answers_people_and_programs(
    name: str,
    prepared: tuple[Path, dict[str, str]],
    tmp_path: Path,
    ollama: ScriptedServer,
    own_host: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    ollama.answer = reading
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    search = lab_search.search
    monkeypatch.setattr(lab_search, "search", lambda *args, seconds: search(*args, seconds=0.1))
    for form in ("text", "json"):
        *before, last = steps(COMMANDS[name], make_places(prepared, tmp_path / form))
        for words in before:
            assert main(words) == 0, (words, capsys.readouterr().err)
        capsys.readouterr()
        assert main([*last, "--json"] if form == "json" else last) == 0, capsys.readouterr().err
        out = capsys.readouterr().out
        if form == "json":
            assert out.count("\n") == 1 and isinstance(json.loads(out), dict)
        else:
            assert out.strip() and not out.startswith("{")


@pytest.mark.parametrize("name", [name for name in COMMANDS if name not in NO_ERROR])
def test_its_error_is_one_line_with_a_remedy(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    nowhere = dict.fromkeys(("W", "DIR", "PAPERS", "QUESTIONS", "NOWHERE"), str(tmp_path / "nowhere"))
    words = steps(ERRORS.get(name, COMMANDS[name]), nowhere)[-1]
    assert main(words) == 1
    printed = capsys.readouterr()
    assert len(printed.err.strip().splitlines()) == 1 and not printed.out
    assert main([*words, "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert found["error"] and found["remedy"]
    assert [why for line in named_in(found["remedy"]) if (why := fault(line))] == []
    assert not (tmp_path / "nowhere").exists()
