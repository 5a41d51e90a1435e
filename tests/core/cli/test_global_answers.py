"""`clew ask` about all documents at once, and down the communities."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import pytest

from core.cli import main
from tests.ollama_server import Fault, ScriptedServer

TEXTS = {
    "a.txt": "Marta Ilves founded Ilves Shipping in Tallinn in 1998. Otto Kask commands the Northern Star.\n",
    "b.txt": "Ilves Shipping owns the Northern Star. Marta Ilves met Otto Kask in Tallinn.\n",
}
THEMES = "What are the main themes of these documents?"
COMMANDER = "Who commands the Northern Star?"


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> str:
    root: Path = tmp_path_factory.mktemp("global")
    (root / "papers").mkdir()
    for name, text in TEXTS.items():
        (root / "papers" / name).write_text(text, encoding="utf-8")
    assert main(["index", str(root / "papers"), "--workspace", str(root / "w"), "--json"]) == 0
    return str(root / "w")


def test_a_question_about_all_documents_names_its_communities(
    place: str, capsys: pytest.CaptureFixture[str]
) -> None:
    capsys.readouterr()
    assert main(["ask", place, THEMES, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["route"]["name"] == "global" and found["beam"] == []
    assert [set(each) for each in found["communities"]] == [{"id", "level", "title"}] * len(
        found["communities"]
    )
    assert found["communities"][0]["title"] in found["answer"]
    assert main(["ask", place, THEMES]) == 0
    out = capsys.readouterr().out
    titles = "; ".join(each["title"] for each in found["communities"])
    assert f"Rests on: {titles}\n" in out
    assert "  breadth: worded like questions about all documents (0." in out
    assert "complexity" not in out.splitlines()[-1]


def test_the_way_of_reports_can_be_forced(place: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ask", place, COMMANDER, "--route", "global"]) == 0
    out = capsys.readouterr().out
    assert "Rests on: " in out and "Route global (as you chose)" in out


@pytest.mark.long
def test_the_hierarchical_way_tells_its_beam(place: str, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["ask", place, COMMANDER, "--route", "lab:hierarchical"]
    capsys.readouterr()
    assert main([*command, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert "Otto Kask" in found["answer"] and found["communities"] == []
    levels = [step["level"] for step in found["beam"]]
    assert levels and levels == sorted(levels, reverse=True)
    for step in found["beam"]:
        scores = [each["score"] for each in step["chosen"]]
        assert 0 < len(scores) <= step["considered"] and scores == sorted(scores, reverse=True)
    assert main(command) == 0
    assert f"  beam: {len(found['beam'][0]['chosen'])} of " in capsys.readouterr().out


def test_the_help_names_both(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ask", "--help"]) == 0
    words = " ".join(capsys.readouterr().out.split())
    assert "lab:NAME" in words and "global" in words


def by(server: ScriptedServer) -> list[str]:
    return ["--generator", f"ollama:{server.model}", "--set", f"models.host={server.url}"]


def test_every_citation_tells_its_community_and_those_of_one_stand_together(
    place: str, capsys: pytest.CaptureFixture[str]
) -> None:
    capsys.readouterr()
    assert main(["ask", place, THEMES, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    homes = [citation["community"] for citation in found["citations"]]
    order = [each["id"] for each in found["communities"]]
    assert homes and [home for home, _ in itertools.groupby(homes)] == order
    assert main(["ask", place, THEMES]) == 0
    out = capsys.readouterr().out.splitlines()
    title = found["communities"][0]["title"]
    assert out.index(f"  {title}") + 1 == next(at for at, line in enumerate(out) if "[1]" in line)
    assert main(["ask", place, COMMANDER, "--route", "dense", "--json"]) == 0
    others = json.loads(capsys.readouterr().out)["citations"]
    assert others and all(citation["community"] is None for citation in others)


def test_what_a_model_writes_tells_its_communities_too(
    place: str, ollama: ScriptedServer, capsys: pytest.CaptureFixture[str]
) -> None:
    ollama.say("Otto Kask commands the Northern Star [1].")
    assert main(["ask", place, THEMES, *by(ollama), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["answer"] == "Otto Kask commands the Northern Star." and not found["instead_of"]
    known = {each["id"] for each in found["communities"]}
    assert found["citations"] and {citation["community"] for citation in found["citations"]} <= known
    assert [step["failure"] for step in found["rounds"]] == [""]


@pytest.mark.long
@pytest.mark.parametrize("second", ["Blackbeard sank the Golden Hind in 1720 [1].", Fault.MEMORY])
def test_where_no_passage_carries_what_it_wrote_quotes_stand_in_its_place(
    place: str, ollama: ScriptedServer, capsys: pytest.CaptureFixture[str], second: str | Fault
) -> None:
    assert main(["ask", place, THEMES, "--json"]) == 0
    quotes = json.loads(capsys.readouterr().out)
    wrong = "Captain Blackbeard founded the bank of Lisbon [1]."
    ollama.say(wrong, second)
    assert main(["ask", place, THEMES, *by(ollama), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert "Blackbeard" not in found["answer"] and found["citations"] == quotes["citations"]
    assert found["instead_of"] == f"ollama:{ollama.model}" and len(ollama.chats) == 2
    assert found["rounds"][0]["claims"][0]["verdict"] == "absent"
    assert found["rounds"][0]["failure"] == "grounding" and "quotes" in found["rounds"][-1]["rewrite"]


@pytest.mark.long
def test_what_was_wrong_is_asked_for_again_strictly(
    place: str, ollama: ScriptedServer, capsys: pytest.CaptureFixture[str]
) -> None:
    ollama.say(
        "Captain Blackbeard founded the bank of Lisbon [1].", "Otto Kask commands the Northern Star [1]."
    )
    assert main(["ask", place, THEMES, *by(ollama), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["answer"] == "Otto Kask commands the Northern Star." and not found["instead_of"]
    assert [step["failure"] for step in found["rounds"]] == ["grounding", ""]
    assert found["usage"]["calls"] == 2
    system = ollama.chats[1]["messages"][0]["content"]
    assert "Use only words, names and numbers" in system
