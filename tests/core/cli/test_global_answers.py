"""`clew ask` about all documents at once, and down the communities."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import pytest

from core.cli import main
from tests.ollama_server import Fault, ScriptedServer

TEXTS = {
    "a.txt": "Marta Ilves founded Ilves Shipping in Tallinn in 1998. Otto Kask commands the Northern Star.\n",
    "b.txt": "Ilves Shipping owns the Northern Star. Marta Ilves met Otto Kask in Tallinn.\n",
}
THEMES = "What are the main themes of these documents?"
WRONG = "Captain Blackbeard founded the bank of Lisbon [1]."
COMMANDER = "Who commands the Northern Star?"


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> str:
    root: Path = tmp_path_factory.mktemp("global")
    (root / "papers").mkdir()
    for name, text in TEXTS.items():
        (root / "papers" / name).write_text(text, encoding="utf-8")
    assert main(["index", str(root / "papers"), "--workspace", str(root / "w"), "--json"]) == 0
    return str(root / "w")


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


def test_a_question_about_all_documents_names_its_communities(
    place: str, capsys: pytest.CaptureFixture[str]
) -> None:
    capsys.readouterr()
    assert main(["ask", place, THEMES, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    communities = found["communities"]
    assert found["route"]["name"] == "global" and found["beam"] == []
    assert communities[0]["title"] in found["answer"]
    homes = [citation["community"] for citation in found["citations"]]
    assert homes and [home for home, _ in itertools.groupby(homes)] == [each["id"] for each in communities]
    assert main(["ask", place, THEMES]) == 0
    out = capsys.readouterr().out.splitlines()
    assert f"Rests on: {'; '.join(each['title'] for each in communities)}" in out
    first = next(at for at, line in enumerate(out) if "[1]" in line)
    assert out[first - 1] == f"  {communities[0]['title']}"
    assert main(["ask", place, COMMANDER, "--route", "global"]) == 0
    assert "Rests on: " in capsys.readouterr().out
    assert main(["ask", place, COMMANDER, "--route", "dense", "--json"]) == 0
    others = json.loads(capsys.readouterr().out)["citations"]
    assert others and all(citation["community"] is None for citation in others)


def asked(
    place: str, ollama: ScriptedServer, capsys: pytest.CaptureFixture[str], *replies: str | Fault
) -> Any:
    """What `ask` answers of all documents where a model writes these replies; without one, by rules."""
    ollama.say(*replies)
    model = ["--generator", f"ollama:{ollama.model}", "--set", f"models.host={ollama.url}"] if replies else []
    capsys.readouterr()
    assert main(["ask", place, THEMES, *model, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_a_model_answers_with_communities_and_what_was_wrong_is_asked_for_again(
    place: str, ollama: ScriptedServer, capsys: pytest.CaptureFixture[str]
) -> None:
    right = "Otto Kask commands the Northern Star [1]."
    for replies in ([right], [WRONG, right]):
        found = asked(place, ollama, capsys, *replies)
        assert found["answer"] == "Otto Kask commands the Northern Star." and not found["instead_of"]
        known = {each["id"] for each in found["communities"]}
        assert found["citations"] and {citation["community"] for citation in found["citations"]} <= known
        assert [step["failure"] for step in found["rounds"]] == ["grounding", ""][2 - len(replies) :]
        assert found["usage"]["calls"] == len(replies)


@pytest.mark.long
@pytest.mark.parametrize("second", ["Blackbeard sank the Golden Hind in 1720 [1].", Fault.MEMORY])
def test_where_no_passage_carries_what_it_wrote_quotes_take_its_place(
    place: str, ollama: ScriptedServer, capsys: pytest.CaptureFixture[str], second: str | Fault
) -> None:
    quotes = asked(place, ollama, capsys)
    found = asked(place, ollama, capsys, WRONG, second)
    assert "Blackbeard" not in found["answer"] and found["citations"] == quotes["citations"]
    assert found["instead_of"] == f"ollama:{ollama.model}" and len(ollama.chats) == 2
    assert found["rounds"][0]["claims"][0]["verdict"] == "absent"
    assert found["rounds"][0]["failure"] == "grounding"
