"""`auto` on a real folder: the graph is left out where words and meaning are enough, and what is still told then."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from core.answering.models import Models
from core.progress import TaskContext
from core.types import Answer
from core.workspace import Workspace

ASKED = Path(__file__).resolve().parents[4] / "resources" / "sample-questions.jsonl"
GRAPH = "second stage"  # a stage of the graph's list alone


def stages(answer: Answer) -> set[str]:
    return {stage.name for stage in answer.trace.stages}


@pytest.fixture(scope="module")
def spared(sample_workspace: Workspace) -> Answer:
    """The first question of the sample that the graph was not asked for, and that names an entity."""
    for line in ASKED.read_text(encoding="utf-8").splitlines():
        answer = sample_workspace.ask(json.loads(line)["question"], TaskContext())
        if "join" in stages(answer) and GRAPH not in stages(answer) and answer.trace.seeds:
            return answer
    raise AssertionError("the graph is asked for all")


def test_an_answer_without_the_graph_says_so_and_begins_at_names_of_the_question(spared: Answer) -> None:
    route = spared.trace.route
    assert route.name in ("lexical", "dense") and not route.forced
    assert route.complexity.weights["graph"] == 0.0 and route.complexity.score <= route.complexity.low
    assert not spared.trace.heat
    assert {seed.reason for seed in spared.trace.seeds} == {"named in the question"}
    assert sum(seed.weight for seed in spared.trace.seeds) <= 1.0 + 1e-9
    assert any(each.why is not None and each.why.entity_ids for each in spared.evidence)


def test_where_a_walk_leads_is_reported_when_it_is_wanted(
    sample_workspace: Workspace, spared: Answer
) -> None:
    question = spared.trace.question
    heat = sample_workspace.retrieval.heat(question, TaskContext())
    assert heat == sample_workspace.retrieve(question, TaskContext(), "graph")[1].heat != {}


def test_who_asks_for_all_lists_gets_all(sample_workspace: Workspace, spared: Answer, models: Models) -> None:
    question = spared.trace.question
    forced = sample_workspace.ask(question, TaskContext(), "fusion")
    assert GRAPH in stages(forced) and forced.trace.heat
    with Workspace.open(sample_workspace.path, models=models, settings=["routing.low=0"]) as always:
        assert GRAPH in stages(always.ask(question, TaskContext()))
