"""The control loop: asks again in other words, within bounds, and abstains rather than guess."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from core.answering.models import Models
from core.config import Config, ControlConfig
from core.progress import Cancelled, TaskContext
from core.types import Answer
from core.workspace import Workspace

TEXTS = {
    "clonbrook": "Clonbrook is a village in Guyana. Its people grow rice.",
    "guyana": "Guyana became a member of CARICOM in 1973. Georgetown is its capital.",
    "jamaica": "Jamaica became a member of CARICOM in 1974. Kingston is its capital.",
    "petrel": "The Grey Petrel was chartered by Brandvold Lines. Ines Holm commands the Grey Petrel.",
    "holm": "Ines Holm was born in Bergen in 1961. Ines Holm studied in Oslo.",
    "grain": "Grain prices rose in the autumn. Nobody knew why.",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("control")
    for name, text in TEXTS.items():
        (place / f"{name}.txt").write_text(text, encoding="utf-8")
    return place


@pytest.fixture(scope="module")
def workspace(folder: Path, models: Models, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    config = Config()
    # Bars under which what stands there is sure, and a guess of one in four is none.
    config = replace(config, answer=replace(config.answer, min_probability=0.3, sure=0.4))
    place = tmp_path_factory.mktemp("control") / "workspace"
    opened = Workspace.open(place, create=True, config=config, models=models)
    opened.index(folder, TaskContext())
    yield opened
    opened.close()


def ask(workspace: Workspace, question: str, route: str = "auto") -> Answer:
    return workspace.ask(question, TaskContext(), route)


@pytest.mark.long
def test_an_answer_that_holds_takes_one_round(workspace: Workspace) -> None:
    answer = ask(workspace, "Where was Ines Holm born?", "auto")
    only = answer.trace.rounds[0]
    assert (only.number, only.answer) == (1, "Bergen")
    assert [check.name for check in only.validations] == ["relevance", "grounding", "resolution"]
    assert [check.by for check in only.validations] == ["vectors", "words", "reader and kind"]
    assert all(check.words for check in only.validations)
    assert [claim.text for claim in answer.claims] == list(answer.sentences)
    assert (only.failure, len(answer.trace.rounds)) == ("", 1), "what holds takes one round"


def test_what_the_documents_do_not_tell_is_not_answered(workspace: Workspace) -> None:
    answer = ask(workspace, "Which tower did Brandvold Lines buy from Gustave Eiffel?")
    assert answer.abstained
    assert (answer.text, answer.citations, answer.claims) == ("", (), ())
    assert "No document holds “Gustave Eiffel”" in answer.missing
    assert re.search(r"Read \d+ passages of \d+ documents", answer.missing), "what was looked at"
    assert 1 <= len(answer.trace.rounds) <= ControlConfig().rounds + 1


def test_a_further_route_is_taken_where_one_is_named(workspace: Workspace) -> None:
    settings = ("control.relevance=1.0", "control.widest=lexical")
    answer = workspace.ask("What became of grain prices?", TaskContext(), settings=settings)
    assert [told.route for told in answer.trace.rounds][1:] == ["lexical"]
    assert "lexical" in answer.trace.rounds[0].rewrite
    once = workspace.ask("What became of grain prices?", TaskContext(), settings=settings[:1])
    assert [told.failure for told in once.trace.rounds] == ["relevance"]


def test_the_trace_tells_every_round(workspace: Workspace) -> None:
    answer = ask(workspace, "Which tower did Brandvold Lines buy from Gustave Eiffel?", "dense")
    assert {told.route for told in answer.trace.rounds} == {"dense"}, "the person's own choice is kept"
    assert answer.trace.question == "Which tower did Brandvold Lines buy from Gustave Eiffel?"
    stages = answer.trace.stages
    assert [stage.name for stage in stages].count("checks") == len(answer.trace.rounds)
    untold = answer.trace.seconds - sum(stage.seconds for stage in stages)
    # Of a question that was asked before, all is remembered and takes two milliseconds.
    assert untold < max(0.2 * answer.trace.seconds, 0.005), "nearly all of the time is told"


def test_no_rounds_are_one_round(folder: Path, models: Models, tmp_path: Path) -> None:
    config = Config()
    config = replace(config, control=replace(config.control, rounds=0))
    opened = Workspace.open(tmp_path / "workspace", create=True, config=config, models=models)
    opened.index(folder, TaskContext())
    assert len(ask(opened, "Which tower did Brandvold Lines buy from Gustave Eiffel?").trace.rounds) == 1
    opened.close()


def test_a_question_can_be_stopped(workspace: Workspace) -> None:
    with pytest.raises(Cancelled):
        workspace.ask("Where was Ines Holm born?", TaskContext(cancelled=lambda: True))
