"""The control loop: asks again in other words, within bounds, and abstains rather than guess."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.answering.models import Models
from core.config import ControlConfig
from core.progress import TaskContext
from core.types import Answer
from core.workspace import Workspace

TEXTS = {
    "clonbrook.txt": "Clonbrook is a village in Guyana. Its people grow rice.",
    "guyana.txt": "Guyana became a member of CARICOM in 1973. Georgetown is its capital.",
    "jamaica.txt": "Jamaica became a member of CARICOM in 1974. Kingston is its capital.",
    "petrel.txt": "The Grey Petrel was chartered by Brandvold Lines. Ines Holm commands the Grey Petrel.",
    "holm.txt": "Ines Holm was born in Bergen in 1961. Ines Holm studied in Oslo.",
    "grain.txt": "Grain prices rose in the autumn. Nobody knew why.",
}


@pytest.fixture
def workspace(indexed_path: Path, models: Models) -> Iterator[Workspace]:
    """For asking only."""
    # Bars under which what stands there is sure, and a guess of one in four is none.
    settings = ("answer.min_probability=0.3", "answer.sure=0.4")
    with Workspace.open(indexed_path, models=models, settings=settings) as opened:
        yield opened


def ask(workspace: Workspace, question: str, route: str = "auto") -> Answer:
    return workspace.ask(question, TaskContext(), route)


@pytest.mark.long
def test_an_answer_that_holds_takes_one_round(workspace: Workspace) -> None:
    answer = ask(workspace, "Where was Ines Holm born?", "auto")
    only = answer.trace.rounds[0]
    assert (only.number, only.answer) == (1, "Bergen")
    assert [check.name for check in only.validations] == ["relevance", "grounding", "resolution"]
    assert all(check.words for check in only.validations)
    assert [claim.text for claim in answer.claims] == list(answer.sentences)
    assert (only.failure, len(answer.trace.rounds)) == ("", 1), "what holds takes one round"


def test_what_the_documents_do_not_say_is_not_answered(workspace: Workspace) -> None:
    answer = ask(workspace, "Which tower did Brandvold Lines buy from Gustave Eiffel?")
    assert answer.abstained
    assert (answer.text, answer.citations, answer.claims) == ("", (), ())
    assert "No document holds “Gustave Eiffel”" in answer.missing
    assert re.search(r"Read \d+ passages of \d+ documents", answer.missing), "what was looked at"
    assert 1 <= len(answer.trace.rounds) <= ControlConfig().rounds + 1


def test_another_route_is_taken_where_one_is_named(workspace: Workspace) -> None:
    settings = ("control.relevance=1.0", "control.widest=lexical")
    untold = "Which tower did Brandvold Lines buy from Gustave Eiffel?"
    answer = workspace.ask(untold, TaskContext(), settings=settings)
    assert [each.route for each in answer.trace.rounds][1:] == ["lexical"]
    assert "lexical" in answer.trace.rounds[0].rewrite
    for once in (settings[:1], (*settings, "control.rounds=0")):
        answer = workspace.ask(untold, TaskContext(), settings=once)
        assert [each.failure for each in answer.trace.rounds] == ["relevance"]


def test_the_trace_lists_every_round(workspace: Workspace) -> None:
    answer = ask(workspace, "Which tower did Brandvold Lines buy from Gustave Eiffel?", "dense")
    assert {each.route for each in answer.trace.rounds} == {"dense"}, "the person's own choice stays"
    assert answer.trace.question == "Which tower did Brandvold Lines buy from Gustave Eiffel?"
    stages = answer.trace.stages
    assert [stage.name for stage in stages].count("checks") == len(answer.trace.rounds)
    unnamed = answer.trace.seconds - sum(stage.seconds for stage in stages)
    # Of a question that was asked before, all is remembered and takes two milliseconds.
    assert unnamed < max(0.2 * answer.trace.seconds, 0.05), "nearly all of the time is listed"
