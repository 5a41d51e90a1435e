"""A filter learns from decisions how likely facts are right; it orders the queue, and decides nothing."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from core.errors import BadInput
from core.progress import TaskContext
from core.research.calibration import auc
from core.research.synthetic.workspace import made_workspace
from core.review.features import HASHED, NUMBERS, features
from core.review.learning import LEAST, kept_filter
from core.review.weighing import take_in
from core.store.facts import NewTriple
from core.types import CandidateFact, FactFilter, Policy, Triple
from core.workspace import Workspace
from tests.core.review.conftest import broken

ALL = FactFilter(state="")
RIGHT = {"met", "hired", "paid", "visited"}


@pytest.fixture
def made(tmp_path: Path) -> Callable[[str], Workspace]:
    def make(name: str) -> Workspace:
        folder = tmp_path / name
        folder.mkdir()
        store = made_workspace(folder, 60, TaskContext())
        take_in(store)
        store.close()
        return Workspace.open(folder, own=True)

    return make


@pytest.fixture
def workspace(made: Callable[[str], Workspace]) -> Workspace:
    return made("workspace")


def is_right(one: CandidateFact) -> bool:
    return one.fact.predicate in RIGHT


def decide(workspace: Workspace, count: int, seed: int = 1) -> set[str]:
    """Ids of facts that were decided on by their predicates."""
    facts = sorted(workspace.review.queue(ALL, 1000), key=lambda one: one.fact.id)
    decided = random.Random(0).sample(facts, count)
    random.Random(seed).shuffle(decided)
    for one in decided:
        workspace.review.decide([one.fact.id], "approved" if is_right(one) else "rejected")
    return {one.fact.id for one in decided}


def probabilities(workspace: Workspace) -> dict[str, float]:
    return {one.fact.id: one.probability for one in workspace.review.queue(ALL, 1000)}


def test_it_tells_right_facts_from_wrong_ones_and_orders_the_queue(workspace: Workspace) -> None:
    decide(workspace, 60)
    workspace.review.learn(TaskContext())
    waiting = workspace.review.queue(FactFilter(), 1000)
    assert (auc([one.probability for one in waiting], [is_right(one) for one in waiting]) or 0) > 0.95
    doubt = [abs(one.probability - 0.5) for one in waiting]
    assert np.mean(doubt[:80]) < np.mean(doubt[-80:])
    assert [one.priority for one in waiting] == sorted((one.priority for one in waiting), reverse=True)


def test_it_proposes_and_decides_nothing(workspace: Workspace) -> None:
    assert workspace.review.proposals(0.6) == []
    decided = decide(workspace, 60)
    workspace.review.learn(TaskContext())
    before = workspace.review.states()
    proposed = workspace.review.proposals(0.65)
    assert {one.outcome for one in proposed} == {"approved", "rejected"}
    for one in proposed:
        assert (one.probability >= 0.65) if one.outcome == "approved" else (one.probability <= 0.35)
        assert is_right(workspace.review.fact(one.fact_id)) == (one.outcome == "approved")
        assert one.fact_id not in decided
    sure = [abs(one.probability - 0.5) for one in proposed]
    assert sure == sorted(sure, reverse=True)
    assert workspace.review.proposals(0.65, 3) == proposed[:3]
    assert workspace.review.states() == before
    with pytest.raises(BadInput):
        workspace.review.proposals(0.5)


def test_too_few_or_one_sided_decisions_leave_the_confidence(workspace: Workspace) -> None:
    before = probabilities(workspace)
    facts = workspace.review.queue(FactFilter(), 1000)
    workspace.review.decide([one.fact.id for one in facts if is_right(one)][:40], "approved")
    wrong = [one.fact.id for one in facts if not is_right(one)]
    workspace.review.decide(wrong[: LEAST - 1], "rejected")
    workspace.review.learn(TaskContext())
    assert probabilities(workspace) == before
    workspace.review.decide(wrong[LEAST - 1 : LEAST], "rejected")
    workspace.review.learn(TaskContext())
    assert probabilities(workspace) != before


def test_what_is_undone_is_unlearned(workspace: Workspace) -> None:
    before = probabilities(workspace)
    for _ in decide(workspace, 40):
        workspace.review.learn(TaskContext())
    assert probabilities(workspace) != before
    while workspace.review.undo():
        pass
    workspace.review.learn(TaskContext())
    assert probabilities(workspace) == before


def test_the_same_decisions_teach_the_same(made: Callable[[str], Workspace]) -> None:
    one, other = made("one"), made("other")
    decide(one, 40, seed=1)
    decide(other, 40, seed=2)
    for each in (one, other):
        each.review.learn(TaskContext())
    assert probabilities(one) == probabilities(other)


def test_sure_facts_count_by_what_was_learned(workspace: Workspace) -> None:
    workspace._store.candidates.set_policy(Policy("sure", 0.6))
    decide(workspace, 60)
    workspace.review.learn(TaskContext())
    for one in workspace.review.queue(FactFilter(), 1000):
        assert one.counts == (one.probability >= 0.6)


# Weighs all facts anew and is killed after the third part of them.
_KILLED = """
import os, pathlib, sys
from core.progress import TaskContext
from core.review import weighing
from core.store.candidate_facts import CandidateFacts
from core.workspace import Workspace

put, parts = CandidateFacts.put_weights, []

def killed(self, rows):
    if len(parts) == 3:
        os._exit(9)
    parts.append(rows)
    return put(self, rows)

CandidateFacts.put_weights = killed
weighing._AT_ONCE = 20
with Workspace.open(pathlib.Path(sys.argv[1]), own=True) as workspace:
    workspace.review.learn(TaskContext())
"""


@pytest.mark.long
def test_killed_while_it_learns_the_facts_that_count_are_those_that_should(workspace: Workspace) -> None:
    before = probabilities(workspace)
    workspace._store.candidates.set_policy(Policy("sure", 0.6))
    decide(workspace, 60)
    sound = broken(workspace).keys()
    workspace.close()
    done = subprocess.run([sys.executable, "-c", _KILLED, str(workspace.path)], check=False)
    assert done.returncode == 9
    with Workspace.open(workspace.path, own=True) as again:
        held = probabilities(again)
        assert 0 < sum(held[id] == before[id] for id in before) < len(before), "in the middle of it"
        for one in again.review.queue(FactFilter(), 1000):
            assert one.counts == (one.probability >= 0.6)
        assert broken(again).keys() == sound
        again.review.learn(TaskContext())
        for one in again.review.queue(FactFilter(), 1000):
            assert one.counts == (one.probability >= 0.6)
        assert sum(probabilities(again)[id] == before[id] for id in before) == 0


def test_facts_that_come_later_are_weighed_by_what_was_learned(workspace: Workspace) -> None:
    decide(workspace, 60)
    workspace.review.learn(TaskContext())
    before = probabilities(workspace)
    store = workspace._store
    with store.database.transaction() as connection:
        connection.execute("UPDATE candidate_facts SET probability = 0.5, priority = 0")
    take_in(store)
    assert probabilities(workspace) == before


@pytest.mark.parametrize(
    "kept", ["", "[]", "{", '{"version": 1}', "[" * 100_000, "wide", '{"version": 1, "encoder": NaN}']
)
def test_a_filter_that_somebody_else_wrote_is_no_filter(workspace: Workspace, kept: str) -> None:
    decide(workspace, 40)
    workspace.review.learn(TaskContext())
    store = workspace._store
    if kept == "wide":
        kept = json.dumps(json.loads(store.settings.get("review.filter")) | {"weights": [1e400]})
    store.settings.set("review.filter", kept)
    assert kept_filter(store) is None
    assert workspace.review.proposals() == []
    workspace.review.learn(TaskContext())
    assert kept_filter(store) is not None


def test_hostile_text_has_features_too(tmp_path: Path) -> None:
    store = made_workspace(tmp_path, 4, TaskContext())
    words = ["\x00\x07", "‮evil‬", "a" * 5_000, "𝔘𝔫𝔦 🏴‍☠️", "́" * 50, "' OR 1=1 --", " ", "NaN"]
    triples = [
        NewTriple(1, f"x{at}", f"y{at}", Triple(word, word, word, "p", at - 3, 10**9, 0.5))
        for at, word in enumerate(words)
    ]
    with store.database.transaction() as connection:
        names = [(normal, normal, "‮") for at in range(len(words)) for normal in (f"x{at}", f"y{at}")]
        rows = store.entities.ensure(connection, names)
        store.facts.add(connection, triples, rows)
    found = features(store, store.candidates.keys())
    assert found.dense.shape == (store.facts.count(), NUMBERS + store.embeddings.dimension)
    assert np.isfinite(found.dense).all() and np.isfinite(found.values).all()
    assert found.columns.min() >= 0 and found.columns.max() < HASHED
    assert features(store, []).dense.shape[0] == features(store, [10**9]).dense.shape[0] == 0
    store.close()


def test_numbers_are_those_of_what_is_listed(workspace: Workspace) -> None:
    review, everything = workspace.review, FactFilter("")
    before = review.count(everything)
    hidden = review.queue(everything, 1)[0].fact.subject_id
    with workspace._store.database.transaction() as connection:
        connection.execute("UPDATE entities SET label = 'NOUN' WHERE id = ?", (hidden,))
    ids = review.ids(everything)
    assert len(ids) < before, "some are not listed now"
    review.decide(ids[:2], "approved")
    review.decide(ids[2:3], "rejected")
    listed = review.queue(everything, before)
    document = workspace.documents.all()[0].id
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
