"""The queue is ordered by doubt times reach; facts of recent answers come earlier, and keeping that fails no answer."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from core.errors import WorkspaceError
from core.progress import TaskContext
from core.research.synthetic.workspace import generate_workspace
from core.review.weighing import priority, take_in
from core.store.candidate_facts import FactFigures
from core.types import Answer, FactFilter, Policy
from core.workspace import Workspace

ALL = FactFilter("")


@pytest.fixture
def synthetic(tmp_path: Path) -> Workspace:
    """Of 300 facts, which differ in what hangs on them."""
    folder = tmp_path / "made"
    folder.mkdir()
    store = generate_workspace(folder, 60, TaskContext())
    take_in(store)
    store.close()
    return Workspace.open(folder, own=True)


def priorities(workspace: Workspace) -> dict[str, float]:
    return {one.fact.id: one.priority for one in workspace.review.queue(ALL, 1000)}


def test_doubt_comes_first_and_then_what_hangs_on_a_fact() -> None:
    def of(confidence: float, reach: int = 5, uses: int = 0, plain: bool = True) -> float:
        return priority(FactFigures(1, confidence, reach, uses, plain))

    assert of(0.5) > of(0.7) > of(0.95) > of(1.0) > 0
    assert of(0.5) > of(0.3)
    assert of(0.7, reach=50) > of(0.7, reach=1)
    assert of(1.0, reach=50) > of(1.0, reach=1), "of facts that are all certain, too"
    assert of(0.7, uses=2) > of(0.7, uses=1) > of(0.7)
    assert of(0.5, plain=False) <= of(1.0), "what is denied, say, never counts"


def test_the_order_stays_while_a_person_decides(synthetic: Workspace) -> None:
    before = synthetic.review.ids(FactFilter())
    known = priorities(synthetic)
    assert len(set(known.values())) > 10
    decided = before[::7]
    for number, id in enumerate(decided):
        synthetic.review.decide([id], "rejected" if number % 3 else "approved")
        assert synthetic.review.ids(FactFilter()) == [
            one for one in before if one not in decided[: number + 1]
        ]
    take_in(synthetic._store)
    assert priorities(synthetic) == known
    while synthetic.review.undo():
        pass
    assert synthetic.review.ids(FactFilter()) == before


def test_a_policy_changes_what_counts_and_not_the_order(workspace: Workspace) -> None:
    before, everything = priorities(workspace), workspace.review.queue(ALL, 1000)
    sure = [one.probability for one in everything]
    assert min(sure) < 0.85 <= max(sure)
    workspace.review.set_policy(Policy("sure", 0.85), TaskContext())
    for one in workspace.review.queue(ALL, 1000):
        assert one.counts == (one.probability >= 0.85)
    assert priorities(workspace) == before


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


def test_where_it_cannot_be_stored_nothing_fails(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer, before = asked(workspace), priorities(workspace)

    def refuse() -> None:
        raise WorkspaceError("The disk is full.", "Make room.")

    monkeypatch.setattr(workspace._store.database, "transaction", refuse)
    workspace.review.note_use(answer)
    monkeypatch.undo()
    assert priorities(workspace) == before


def test_numbers_are_those_of_what_is_listed(synthetic: Workspace) -> None:
    review, everything = synthetic.review, FactFilter("")
    before = review.count(everything)
    hidden = review.queue(everything, 1)[0].fact.subject_id
    with synthetic._store.database.transaction() as connection:
        connection.execute("UPDATE entities SET label = 'NOUN' WHERE id = ?", (hidden,))
    ids = review.ids(everything)
    assert len(ids) < before, "some are not listed now"
    review.decide(ids[:2], "approved")
    review.decide(ids[2:3], "rejected")
    listed = review.queue(everything, before)
    document = synthetic.documents.all()[0].id
    busiest = review.predicates()[0][0]
    for wanted in (
        everything,
        FactFilter(),
        FactFilter("", document_id=document),
        FactFilter("", predicate=busiest),
    ):
        for field, found in (
            ("state", review.states(wanted)),
            ("predicate", dict(review.predicates(wanted))),
            ("proposer", dict(review.proposers(wanted))),
        ):
            assert found == {value: review.count(replace(wanted, **{field: value})) for value in found}, field
            assert sum(found.values()) == review.count(replace(wanted, **{field: ""}))
    assert review.states() == Counter(one.state for one in listed)
    assert review.count(everything) == len(listed) == len(ids)
