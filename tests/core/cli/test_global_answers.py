"""`clew ask` about all documents at once, and down the communities."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from core.cli import main

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
    assert f"From the reports of: {titles}\n" in out
    assert '  scope: asks for what matters most ("main themes")' in out
    assert "complexity" not in out.splitlines()[-1]


def test_the_way_of_reports_can_be_forced(place: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ask", place, COMMANDER, "--route", "global"]) == 0
    out = capsys.readouterr().out
    assert "From the reports of: " in out and "Route global (as you chose)" in out


def test_the_hierarchical_way_tells_its_beam(place: str, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["ask", place, COMMANDER, "--route", "hierarchical"]
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
    assert "hierarchical" in words and "global" in words
