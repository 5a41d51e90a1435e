"""A model tried beside the rules."""

from __future__ import annotations

from core.types import Triple
from core.workspace.preflight import compare


def test_two_extractions_are_compared() -> None:
    def triple(subject: str, predicate: str, object_: str) -> Triple:
        return Triple(subject, predicate, object_, "p", 0, 1, 1.0)

    rules = [triple("Kask", "commands", "Star"), triple("Star", "of", "Ilves"), triple("A", "near", "B")]
    model = [triple("the Kask", "Commands", "Star"), triple("Ilves", "owns", "Star"), triple("C", "in", "D")]
    same, changes = compare(rules, model)
    assert same == 1
    reported = [(c.kind, c.rules and c.rules.predicate, c.model and c.model.predicate) for c in changes]
    assert reported == [("changed", "of", "owns"), ("gained", None, "in"), ("lost", "near", None)]
