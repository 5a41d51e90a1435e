"""Whatever people decide, undo and index anew in whatever order: all fits together, and undone it is as it was."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from core.answering.models import Models
from core.errors import BadInput
from core.progress import TaskContext
from core.types import (
    NAME_CHANGES,
    POLICIES,
    CandidateFact,
    FactFilter,
    FactWords,
    NameChange,
    Policy,
    StatedFact,
)
from core.workspace import Workspace
from tests.conftest import NAMES, copied, written
from tests.core.review.conftest import broken

pytestmark = pytest.mark.long

OUTCOMES = ("approved", "rejected", "open")
VERDICTS = ("same", "different", "")
WORDS = (
    FactWords(predicate="sold to"),
    FactWords(subject="Ines Holm"),
    FactWords(object="Harbour Master"),
    FactWords(subject="trading", object_label="ORG"),
    FactWords(object="Northern Gannet", date="2024"),
)
LABELS = ("ORG", "PERSON", "NOUN", "DATE")
CHOSEN = ("The Founder", "Ines Holm", "Old Toby", "the cook")
TEXTS = (*NAMES.values(), "Ines Holm met Tobias Renwick in Riga.", f"A note. {NAMES['a.txt']}", "")


class Desk:
    """A workspace and its folder, as somebody works at it."""

    def __init__(self, home: Path, names: Path, models: Models) -> None:
        self.papers = written(home / "papers", NAMES)
        self.workspace = Workspace.open(copied(names, home / "workspace"), models=models)
        self.workspace.index(self.papers, TaskContext())

    def facts(self, number: int) -> list[CandidateFact]:
        return self.workspace.review.queue(FactFilter(""), 2, skip=number)

    def decide(self, one: int, other: int) -> None:
        if facts := self.facts(one):
            self.workspace.review.decide([found.fact.id for found in facts], OUTCOMES[other % 3])

    def edit(self, one: int, other: int) -> None:
        for found in self.facts(one)[:1]:
            self.workspace.review.edit(found.fact.id, WORDS[other % len(WORDS)], reverse=other % 2 == 0)

    def add(self, one: int, other: int) -> None:
        documents = self.workspace.documents.all()
        document = documents[one % len(documents)]
        quote = self.workspace.documents.text(document.id)[:40]
        words = FactWords("Ines Holm", "knows", ("Bergen", "harbour")[other % 2])
        self.workspace.review.add(document.id, quote, words)

    def propose(self, one: int, other: int) -> None:
        documents = self.workspace.documents.all()
        document = documents[one % len(documents)]
        quote = self.workspace.documents.text(document.id)[:40]
        ends = (("Tobias Renwick", "Calder Reach Trading"), ("Ines Holm", "Northern Gannet"))[other % 2]
        words = (ends[0], f"led {other % 3}", ends[1], "", "")
        stated = StatedFact(*words, quote, document.path, "", 0, len(quote), "", "answer")
        self.workspace.review.propose("Who led it?", [stated])

    def note(self, one: int, other: int) -> None:
        for found in self.facts(one)[:1]:
            self.workspace.review.note("Look again.", fact_id=found.fact.id)

    def names(self, one: int, other: int) -> None:
        ids = sorted(self.workspace.names.entity_ids().values())
        verdict = VERDICTS[(one + other) % 3]
        self.workspace.names.decide(ids[one % len(ids)], ids[other % len(ids)], verdict, TaskContext())

    def change(self, kind: str, one: int, other: int) -> None:
        """What is shown beforehand comes about."""
        entities = sorted(self.workspace.graph.entities(), key=lambda found: found.id)
        ids = tuple(entities[number % len(entities)].id for number in (one, other))
        passages = tuple(self.workspace.names.passages_of(ids[0])[1:]) if kind == "split" else ()
        value = LABELS[other % len(LABELS)] if kind == "retype" else CHOSEN[other % len(CHOSEN)]
        several = kind in ("merge", "part")
        change = NameChange(kind, ids if several else ids[:1], "" if several else value, passages)
        self.settle(0, 0)
        preview = self.workspace.names.preview(change)
        self.workspace.names.change(change, TaskContext())
        found = {entity.id: entity for entity in self.workspace.graph.entities()}
        for entity in preview.entities_after:
            now = found[entity.id]
            assert (now.name, now.label, now.passages) == (entity.name, entity.label, entity.passages)

    def undo(self, one: int, other: int) -> None:
        acts = [act.id for act in self.workspace.review.log() if not act.about and not act.undone]
        self.workspace.review.undo(acts[other % len(acts)] if one == 0 and acts else "")

    def redo(self, one: int, other: int) -> None:
        self.workspace.review.redo()

    def policy(self, one: int, other: int) -> None:
        self.workspace.review.set_policy(Policy(POLICIES[one % 3], other / 9), TaskContext())

    def write(self, one: int, other: int) -> None:
        (self.papers / f"{'abcd'[one % 4]}.txt").write_text(TEXTS[other % len(TEXTS)], encoding="utf-8")
        self.index(one, other)

    def move(self, one: int, other: int) -> None:
        for path in sorted(self.papers.iterdir())[one % 4 : one % 4 + 1]:
            path.rename(self.papers / f"{'abcdef'[other % 6]}.txt")
        self.index(one, other)

    def index(self, one: int, other: int) -> None:
        self.workspace.index(self.papers, TaskContext(), digest=False)

    def again(self, one: int, other: int) -> None:
        self.workspace._store.passages.reset("extract")
        self.index(one, other)

    def settle(self, one: int, other: int) -> None:
        self.workspace.review.settle(TaskContext())


def changing(kind: str) -> Callable[[Desk, int, int], None]:
    def act(desk: Desk, one: int, other: int) -> None:
        desk.change(kind, one, other)

    act.__name__ = kind
    return act


ACTS: list[Callable[[Desk, int, int], None]] = [
    *map(changing, NAME_CHANGES),
    Desk.decide, Desk.edit, Desk.add, Desk.propose, Desk.note, Desk.names, Desk.undo, Desk.undo, Desk.redo, Desk.policy,
    Desk.write, Desk.move, Desk.again, Desk.settle,
]  # fmt: skip
steps = st.tuples(st.sampled_from(ACTS), st.integers(0, 9), st.integers(0, 9))


@settings(
    max_examples=2,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@example(
    taken=[
        (ACTS[NAME_CHANGES.index("rename")], 0, 0),
        (Desk.write, 0, 1),
        (ACTS[NAME_CHANGES.index("retype")], 1, 2),
    ]
)
@given(taken=st.lists(steps, min_size=6, max_size=10))
def test_any_sequence_leaves_all_in_step_and_undoing_it_restores_the_digest(
    models: Models,
    names_path: Path,
    tmp_path_factory: pytest.TempPathFactory,
    taken: list[tuple[Callable[[Desk, int, int], None], int, int]],
) -> None:
    desk = Desk(tmp_path_factory.mktemp("desk"), names_path, models)
    begin = desk.workspace.status().digest
    for act, one, other in taken:
        try:
            act(desk, one, other)
        except BadInput:
            continue  # one name, a fact that is so already, a document without text
        assert broken(desk.workspace) == {}, act.__name__
        waiting = desk.workspace.review.queue(FactFilter(proposer="answer"), 100)
        assert not any(found.counts for found in waiting if found.proposers == ("answer",)), act.__name__
    desk.settle(0, 0)
    assert broken(desk.workspace) == {}
    for path in desk.papers.iterdir():
        path.unlink()
    for name, text in NAMES.items():
        (desk.papers / name).write_text(text, encoding="utf-8")
    desk.index(0, 0)
    while desk.workspace.review.undo():
        pass
    for proposed in desk.workspace.review.log(-1):
        if proposed.verb == "propose" and not proposed.undone:
            desk.workspace.review.undo(proposed.id)
    assert desk.workspace.review.without_subject() == []
    desk.workspace.review.set_policy(Policy(), TaskContext())
    desk.settle(0, 0)
    assert broken(desk.workspace) == {}
    assert desk.workspace.status().digest == begin
    desk.workspace.close()
