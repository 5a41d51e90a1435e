"""Guesses, other readings and verdicts on the command line, over scripted answers."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from core.answering.models import Models
from core.cli import main
from core.progress import TaskContext
from core.types import Alternative, Answer
from core.workspace import Workspace
from tests.conftest import written

pytestmark = pytest.mark.long

QUESTION = "Who commands the Northern Star?"
Change = Callable[..., None]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory, models: Models) -> Path:
    folder = written(
        tmp_path_factory.mktemp("guesses") / "papers",
        {"star.txt": "Otto Kask commands the Northern Star.", "kask.txt": "Otto Kask was born in Parnu."},
    )
    with Workspace.open(folder.parent / "workspace", create=True, models=models) as opened:
        opened.index(folder, TaskContext(), digest=False)
    return folder.parent / "workspace"


@pytest.fixture
def answers(monkeypatch: pytest.MonkeyPatch) -> Change:
    """Change what every question is answered."""
    asked = Workspace.ask

    def change(**values: Any) -> None:
        def scripted(*given: Any, **how: Any) -> Answer:
            answer = replace(asked(*given, **how), text="Otto Kask", abstained=False, confidence=0.38)
            others = (Alternative("Par\u202enu", 0.12, answer.citations[0]),)
            cited = (replace(answer.citations[0], marked=(0, 9)),)
            return replace(answer, **{"alternatives": others, "citations": cited, **values})

        monkeypatch.setattr(Workspace, "ask", scripted)

    return change


def test_the_sentence_comes_first_and_says_whether_it_is_only_possible(
    place: Path, answers: Change, capsys: pytest.CaptureFixture[str]
) -> None:
    answers(guess=True)
    assert main(["ask", str(place), QUESTION]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "38 %" in lines[0] and "Star" in lines[1]
    assert lines[2] == "**Otto Kask** commands the Northern Star."
    passage = next(at for at, line in enumerate(lines) if line.startswith("  1. "))
    assert lines.index("  [1] Otto Kask commands the Northern Star.") < passage
    assert any(line.startswith("  Or (12 %): ") for line in lines[passage:])
    answers(guess=False)
    assert main(["ask", str(place), QUESTION]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "Star" in lines[0] and lines[1] == "**Otto Kask** commands the Northern Star."


def test_sources_that_differ_are_named_with_their_number(
    place: Path, answers: Change, capsys: pytest.CaptureFixture[str]
) -> None:
    with Workspace.open(place) as workspace:
        citation = workspace.ask(QUESTION, TaskContext()).citations[0]
    answers(documents=3, conflicts=(Alternative("Ines Holm", 0.2, citation, documents=1),))
    assert main(["ask", str(place), QUESTION]) == 0
    out = capsys.readouterr().out
    assert "Sources differ: Otto Kask (3 documents); Ines Holm (1 document)" in out


def test_a_refusal_lists_no_readings_that_nobody_could_use(
    place: Path, answers: Change, capsys: pytest.CaptureFixture[str]
) -> None:
    answers(abstained=True, missing="Read 2 passages: none says clearly what is asked.", text="")
    assert main(["ask", str(place), QUESTION]) == 0
    out = capsys.readouterr().out
    assert "Or (12 %)" not in out and "  1. " in out and "--json" in out
    assert main(["ask", str(place), QUESTION, "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["alternatives"]) == 1


def test_json_holds_guess_alternatives_and_marks(
    place: Path, answers: Change, capsys: pytest.CaptureFixture[str]
) -> None:
    answers(guess=True)
    assert main(["ask", str(place), QUESTION, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["guess"], found["confidence"], found["citations"][0]["marked"]) == (True, 0.38, [0, 9])
    (other,) = found["alternatives"]
    place = {"document", "page", "start", "end", "quote"}
    assert set(other) == {"text", "probability", "documents", "holds", *place}
    assert (other["text"], other["probability"], other["document"]) == ("Par\u202enu", 0.12, "star.txt")


def test_what_was_judged_is_asked_again(
    place: Path, answers: Change, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["research", "eval", str(place), "--verdicts"]) == 1
    assert "No answer of this workspace was judged" in capsys.readouterr().err
    answers(guess=False)
    with Workspace.open(place) as workspace:
        answer = workspace.ask(QUESTION, TaskContext())
        workspace.answers.judge(answer, "right")
        workspace.answers.judge(replace(answer, text="Grain"), "wrong")
    assert main(["research", "eval", str(place), "--verdicts", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["routes"]["auto"]["all"]
    assert (found["questions"], found["exact"], found["f1"]) == (1, 1.0, 1.0)
    assert (found["calibration"]["answers"], found["calibration"]["right"]) == (1, 1.0)


def test_verdicts_are_questions_of_their_own(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for more in (["--only", "x"], ["--fresh"], ["--questions", "x"]):
        assert main(["research", "eval", str(place), "--verdicts", *more]) == 2
        assert "--verdicts" in capsys.readouterr().err
