"""Facts that recent answers rested on come earlier in the queue, and keeping that never fails an answer."""

from __future__ import annotations

import sqlite3
from dataclasses import replace

import pytest

from core.errors import WorkspaceError
from core.progress import TaskContext
from core.review.weighing import priority
from core.store.candidate_facts import _RECENT, FactFigures
from core.types import Answer, FactFilter, Policy
from core.workspace import Workspace

ALL = FactFilter("")


def priorities(workspace: Workspace) -> dict[str, float]:
    return {one.fact.id: one.priority for one in workspace.review.queue(ALL, 1000)}


def asked(workspace: Workspace) -> Answer:
    fact = workspace.review.queue(ALL, 1)[0].fact
    return workspace.ask(f"Who {fact.predicate} {fact.object}?", TaskContext(), k=1)


def test_facts_of_recent_answers_come_earlier(workspace: Workspace) -> None:
    before, answer = priorities(workspace), asked(workspace)
    passages = {one.passage.id for one in answer.evidence}
    seeds = {seed.entity_id for seed in answer.trace.seeds[:3]}
    used = {
        one.fact.id
        for one in workspace.review.queue(ALL, 1000)
        if passages & {triple.passage_id for triple in one.fact.triples}
        or seeds & {one.fact.subject_id, one.fact.object_id}
    }
    assert 0 < len(used) < len(before)
    workspace.review.note_use(answer)
    once = priorities(workspace)
    assert {id for id in before if once[id] > before[id]} == used
    assert {id for id in before if once[id] == before[id]} == before.keys() - used
    workspace.review.note_use(answer)
    assert all(priorities(workspace)[id] > once[id] for id in used)


def test_what_is_long_ago_is_forgotten(workspace: Workspace) -> None:
    before, answer = priorities(workspace), asked(workspace)
    workspace.review.note_use(answer)
    assert priorities(workspace) != before
    other = replace(
        answer,
        citations=(),
        evidence=tuple(replace(one, passage=replace(one.passage, id="gone")) for one in answer.evidence),
        trace=replace(answer.trace, seeds=()),
    )
    for _ in range(_RECENT):
        workspace.review.note_use(other)
    assert priorities(workspace) == before
    with sqlite3.connect(workspace.path / "clew.db") as connection:
        assert connection.execute("SELECT count(DISTINCT answer) FROM recent_evidence").fetchone() == (
            _RECENT,
        )


def test_where_it_cannot_be_kept_nothing_fails(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    answer, before = asked(workspace), priorities(workspace)

    def refuse() -> None:
        raise WorkspaceError("The disk is full.", "Make room.")

    monkeypatch.setattr(workspace._store.database, "transaction", refuse)
    workspace.review.note_use(answer)
    monkeypatch.undo()
    assert priorities(workspace) == before


def test_what_matters_comes_first() -> None:
    policy = Policy("sure", 0.7)

    def of(probability: float, reach: int = 5, uses: int = 0, learned: bool = True) -> float:
        return priority(FactFigures(1, "f", 0.9, 1, reach, uses, 0.5), probability, policy, learned)

    assert of(0.7) > of(0.6) > of(0.3) and of(0.7) > of(0.8) > of(0.95), "by doubt whether it counts rightly"
    assert of(0.6, learned=False) == of(0.9, learned=False)
    assert of(0.7, reach=50) > of(0.7, reach=1)
    assert of(0.7, uses=2) > of(0.7, uses=1) > of(0.7)
    held = Policy("approved")
    figures = FactFigures(1, "f", 0.9, 1, 5, 0, 0.5)
    assert priority(figures, 0.5, held, True) > priority(figures, 0.6, held, True)
