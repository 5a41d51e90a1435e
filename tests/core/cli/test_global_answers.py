"""`clew ask` about all documents at once, and down the communities."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from core.cli import main
from tests.ollama_server import ScriptedServer

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
    place: str,
    ollama: ScriptedServer,
    capsys: pytest.CaptureFixture[str],
    answer: Callable[[Any], str] | None = None,
) -> Any:
    """What `ask` answers of all documents where a model writes so; without one, by rules."""
    settings = (f"models.host={ollama.url}", "answer.write_themes=true")
    model = ["--generator", f"ollama:{ollama.model}", *(word for own in settings for word in ("--set", own))]
    model = model if answer else []
    ollama.answer = answer or ollama.answer
    capsys.readouterr()
    assert main(["ask", place, THEMES, *model, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_a_model_writes_of_each_theme_what_its_sentences_carry(
    place: str, ollama: ScriptedServer, capsys: pytest.CaptureFixture[str]
) -> None:
    def cite(body: Any) -> str:
        number = re.search(r"\[(\d+)\] Marta Ilves founded", body["messages"][-1]["content"])
        return f"Marta Ilves founded Ilves Shipping in Tallinn [{number[1]}]." if number else WRONG

    found = asked(place, ollama, capsys, cite)
    assert found["answer"] == "Marta Ilves founded Ilves Shipping in Tallinn." and not found["instead_of"]
    known = {each["id"] for each in found["communities"]}
    assert found["citations"] and {citation["community"] for citation in found["citations"]} <= known
    assert found["usage"]["calls"] == len(ollama.chats) > 0


def test_a_model_is_not_asked_for_themes_by_default(
    place: str, ollama: ScriptedServer, capsys: pytest.CaptureFixture[str]
) -> None:
    quotes = asked(place, ollama, capsys)
    model = ["--generator", f"ollama:{ollama.model}", "--set", f"models.host={ollama.url}"]
    assert main(["ask", place, THEMES, *model, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["answer"] == quotes["answer"] and not ollama.chats


@pytest.mark.long
def test_where_no_sentence_carries_what_it_wrote_quotes_take_its_place(
    place: str, ollama: ScriptedServer, capsys: pytest.CaptureFixture[str]
) -> None:
    quotes = asked(place, ollama, capsys)
    found = asked(place, ollama, capsys, lambda body: WRONG)
    assert "Blackbeard" not in found["answer"] and found["citations"] == quotes["citations"]
    assert found["instead_of"] == f"ollama:{ollama.model}"
    assert found["rounds"][0]["claims"][0]["verdict"] == "absent"
    assert found["rounds"][0]["failure"] == "grounding"
