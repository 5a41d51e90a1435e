"""Names that are one entity are shown, counted and walked as one; each merge has its reason and can be undone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from core.answering.models import Models
from core.errors import BadInput
from core.progress import TaskContext
from core.types.kinds import stable_id
from core.workspace import Workspace
from tests.conftest import NAMES, copied

TEXTS = NAMES


@pytest.fixture
def workspace(tmp_path: Path, names_path: Path, models: Models) -> Iterator[Workspace]:
    opened = Workspace.open(copied(names_path, tmp_path / "workspace"), models=models)
    yield opened
    opened.close()


def entity(normal: str) -> str:
    return stable_id("entity", normal)


def names(workspace: Workspace) -> set[str]:
    return {found.name for found in workspace.graph.entities()}


def test_names_of_one_entity_are_one_everywhere(workspace: Workspace) -> None:
    assert {"Tobias Renwick", "Calder Reach Trading"} <= names(workspace)
    assert not {"Tobias J. Renwick", "Calder Reach Trading Ltd"} & names(workspace)
    renwick = workspace.graph.entity(entity("tobias j. renwick"))
    assert renwick == workspace.graph.entity(entity("tobias renwick"))
    assert renwick.passages == 2
    reported = {(fact.subject, fact.object) for fact in workspace.graph.facts_of(renwick.id)}
    assert ("Tobias Renwick", "Bergen") in reported, "a fact of the other name"
    view = workspace.graph.view()
    assert view.names.count("Tobias Renwick") == 1
    assert "Tobias J. Renwick" not in view.names
    assert [r.id for r in workspace.search("J. Renw") if r.kind == "entity"] == [renwick.id]
    assert renwick.id in workspace.graph.neighbourhood(entity("tobias j. renwick")).ids
    document = next(d for d in workspace.documents.all() if d.path == "a.txt")
    assert entity("tobias j. renwick") not in {m.entity_id for m in workspace.documents.mentions(document.id)}


def test_a_question_by_the_other_name_walks_from_the_same_entity(workspace: Workspace) -> None:
    answer = workspace.ask("Which ship does Calder Reach Trading Ltd own?", TaskContext(), route="graph")
    assert entity("calder reach trading") in {seed.entity_id for seed in answer.trace.seeds}


def test_each_merge_has_its_reason_and_can_be_undone(workspace: Workspace, folder: Path) -> None:
    complete = workspace.status()
    (merge,) = workspace.names.merges_of(entity("calder reach trading"))
    assert {merge.one, merge.other} == {"Calder Reach Trading", "Calder Reach Trading Ltd"}
    assert (merge.rule, merge.reason) == ("form", "the same but for a title or legal form")
    workspace.names.decide(merge.one_id, merge.other_id, "different", TaskContext())
    assert "Calder Reach Trading Ltd" in names(workspace)
    assert workspace.names.merges_of(merge.one_id) == []

    (folder / "b.txt").write_text(TEXTS["b.txt"] + " It sails to Bergen.", encoding="utf-8")
    workspace.index(folder, TaskContext())
    assert "Calder Reach Trading Ltd" in names(workspace), "the decision did not outlive indexing"
    (folder / "b.txt").write_text(TEXTS["b.txt"], encoding="utf-8")
    workspace.index(folder, TaskContext())
    workspace.names.decide(merge.other_id, merge.one_id, "", TaskContext())
    again = workspace.status()
    assert (again.digest, workspace.counts()) == (
        complete.digest,
        replace(complete, digest="", derived_digest="", derived={}),
    )
    # How names are grouped, told of and placed depends on what was there before: little changes where little changed.
    differ = {part for part, digest in again.derived.items() if digest != complete.derived[part]}
    assert differ <= {"communities", "reports", "map"}


def test_people_may_join_what_no_rule_joins(workspace: Workspace) -> None:
    one, other = entity("ines holm"), entity("tobias renwick")
    workspace.names.decide(one, other, "same", TaskContext())
    assert workspace.graph.entity(one) == workspace.graph.entity(other)
    (merge,) = [m for m in workspace.names.merges_of(one) if m.rule == "person"]
    assert {merge.one_id, merge.other_id} == {one, other}
    with pytest.raises(BadInput, match="one name"):
        workspace.names.decide(one, one, "same", TaskContext())
    with pytest.raises(BadInput, match="no longer"):
        workspace.names.decide(one, "nobody", "same", TaskContext())


def test_one_who_fits_two_belongs_to_neither(folder: Path, tmp_path: Path, models: Models) -> None:
    (folder / "a.txt").write_text(
        "Jane Smithson met John Smithson in Bergen. J. Smithson signed the charter.", encoding="utf-8"
    )
    opened = Workspace.open(tmp_path / "smithsons", create=True, models=models)
    opened.index(folder, TaskContext())
    assert {"Jane Smithson", "John Smithson", "J. Smithson"} <= names(opened)
    opened.close()
