"""Facts that the documents deny, suppose, plan or report: stored with their mark, to be seen, and counted nowhere."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from core.answering.models import Models
from core.cli import main
from core.progress import TaskContext
from core.types import POLICIES, FactFilter, FactWords, Policy
from core.workspace import Workspace
from tests.conftest import written
from tests.core.review.conftest import broken, find_fact

PAPERS = {
    "register of the harbour.txt": "Ada Moe hired Otto Rask. Ada Moe did not marry Emil Thorn. It is not true that"
    " Ada Moe hired Otto Rask. Lena Vik says that Ada Moe hired Piet Sand."
}


@pytest.fixture(scope="module")
def indexed(tmp_path_factory: pytest.TempPathFactory, models: Models) -> Path:
    folder = tmp_path_factory.mktemp("unasserted")
    with Workspace.open(folder / "workspace", create=True, models=models) as opened:
        opened.index(written(folder / "papers", PAPERS), TaskContext())
    return folder / "workspace"


@pytest.fixture
def workspace(indexed: Path, models: Models) -> Iterator[Workspace]:
    with Workspace.open(indexed, models=models) as opened:
        yield opened


def entity(workspace: Workspace, name: str) -> str:
    return next(each.id for each in workspace.graph.entities() if each.name == name)


def test_what_is_denied_is_another_fact_than_the_plain_one_and_counts_nowhere(workspace: Workspace) -> None:
    hired = [c for c in workspace.review.queue(FactFilter(""), 100) if c.fact.object == "Otto Rask"]
    assert {(c.fact.assertion, c.counts, len(c.fact.triples)) for c in hired} == {
        ("", True, 1),
        ("denied", False, 1),
    }
    ada = entity(workspace, "Ada Moe")
    assert [fact.object for fact in workspace.graph.facts_of(ada)] == ["Otto Rask"]
    assert {(f.object, f.put_predicate) for f in workspace.graph.unasserted_facts(ada)} == {
        ("Otto Rask", "hired (denied)"),
        ("Emil Thorn", "marry (denied)"),
        ("Piet Sand", "hired (according to Lena Vik)"),
    }
    assert not workspace.graph.facts_between(ada, entity(workspace, "Emil Thorn"))
    assert not broken(workspace)


def test_it_counts_under_no_policy_and_not_when_it_is_approved(workspace: Workspace) -> None:
    denied = find_fact(workspace, "Emil Thorn")
    act = workspace.review.decide([denied.fact.id], "approved")
    for counts in POLICIES:
        workspace.review.set_policy(Policy(counts, 0.0), TaskContext())
        approved = workspace.review.fact(denied.fact.id)
        assert (approved.state, approved.counts) == ("approved", False)
    assert not broken(workspace)
    workspace.review.undo(act)
    workspace.review.set_policy(Policy(), TaskContext())


def test_a_person_who_knows_better_states_it_as_a_plain_fact(workspace: Workspace) -> None:
    denied = find_fact(workspace, "Emil Thorn")
    act = workspace.review.edit(denied.fact.id, FactWords(predicate="married"))
    (stated,) = [c for c in workspace.review.queue(FactFilter("approved")) if c.fact.object == "Emil Thorn"]
    assert (stated.fact.assertion, stated.counts) == ("", True)
    workspace.review.undo(act)


def test_the_command_line_shows_the_mark(workspace: Workspace, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["review", "list", str(workspace.path), "--words", "Emil Thorn"]) == 0
    text = capsys.readouterr().out
    assert "marry (denied)" in text and "does not count" in text
