"""Active and passive are one fact with two places, in whatever order documents come and go."""

from __future__ import annotations

from pathlib import Path

from core.progress import TaskContext
from core.types import FactFilter
from core.workspace import Workspace

TEXTS = {
    "one.txt": "Vest Holdings acquired Gull Marine in 2019.",
    "two.txt": "The report has more. Gull Marine was acquired by Vest Holdings.",
    "three.txt": "Otto Kask was hired by Gull Marine.",
}


def facts(workspace: Workspace) -> dict[tuple[str, str, str], int]:
    """Each fact between two names with how many places say it."""
    found = (candidate.fact for candidate in workspace.review.queue(FactFilter(state="")))
    return {
        (fact.subject, fact.predicate, fact.object): len(fact.triples)
        for fact in found
        if not fact.object.isdigit()
    }


def test_two_voices_are_one_fact_with_two_places(workspace: Workspace) -> None:
    assert facts(workspace) == {
        ("Vest Holdings", "acquired", "Gull Marine"): 2,
        ("Otto Kask", "hired by", "Gull Marine"): 1,
    }
    (fact,) = (
        candidate.fact
        for candidate in workspace.review.queue(FactFilter(state="", words="Vest"))
        if not candidate.fact.object.isdigit()
    )
    assert {(t.subject, t.predicate, t.object) for t in fact.triples} == {
        ("Vest Holdings", "acquired", "Gull Marine")
    }


def test_without_the_active_the_fact_is_that_of_a_fresh_index(workspace: Workspace, folder: Path) -> None:
    (folder / "one.txt").write_text("Nothing is said here.")
    workspace.index(folder, TaskContext())
    passive = {
        ("Gull Marine", "acquired by", "Vest Holdings"): 1,
        ("Otto Kask", "hired by", "Gull Marine"): 1,
    }
    assert facts(workspace) == passive
    (folder / "one.txt").write_text(TEXTS["one.txt"])
    workspace.index(folder, TaskContext())
    assert facts(workspace)[("Vest Holdings", "acquired", "Gull Marine")] == 2


def test_a_decision_on_the_passive_holds_when_the_active_comes(workspace: Workspace, folder: Path) -> None:
    (folder / "one.txt").write_text("Nothing is said here.")
    workspace.index(folder, TaskContext())
    (passive,) = workspace.review.queue(FactFilter(state="", words="Vest"))
    workspace.review.decide([passive.fact.id], "rejected")
    (folder / "one.txt").write_text(TEXTS["one.txt"])
    workspace.index(folder, TaskContext())
    states = {c.fact.predicate: c.state for c in workspace.review.queue(FactFilter(state="", words="Vest"))}
    assert states["acquired"] == "rejected"
    workspace.review.undo()
    states = {c.fact.predicate: c.state for c in workspace.review.queue(FactFilter(state="", words="Vest"))}
    assert states["acquired"] == "open"


def test_a_decision_on_the_active_holds_when_the_active_goes(workspace: Workspace, folder: Path) -> None:
    (active,) = (
        candidate.fact.id
        for candidate in workspace.review.queue(FactFilter(state="", words="Vest"))
        if candidate.fact.object == "Gull Marine"
    )
    workspace.review.decide([active], "rejected")
    (folder / "one.txt").write_text("Nothing is said here.")
    workspace.index(folder, TaskContext())
    (passive,) = workspace.review.queue(FactFilter(state="", words="Vest"))
    assert (passive.fact.predicate, passive.state) == ("acquired by", "rejected")


def test_facts_are_filtered_by_the_family_of_their_predicate(workspace: Workspace) -> None:
    assert workspace.review.count(FactFilter(state="", family="ownership", words="Gull")) >= 1
    assert dict(workspace.review.families())["office"] == 1
    found = workspace.review.queue(FactFilter(state="", family="office"))
    assert [candidate.fact.predicate for candidate in found] == ["hired by"]
