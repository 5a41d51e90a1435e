"""The card of an edge: its first fact with the sentence that describes it, the others, how many, where."""

from __future__ import annotations

import gettext
from dataclasses import replace

import pytest

from app.graph.edge_facts import EdgeFacts, edge_words
from app.graph.entity_card import edge_lines
from core.text import translation
from core.types import DerivedEdge, Fact

FACT = Fact("f", "a", "commands", "b", 0.9, "Otto Kask", "Northern Star")


def test_the_first_fact_is_described() -> None:
    facts = (replace(FACT, description="Otto Kask commands the\u202e Star."), replace(FACT, predicate="owns"))
    headline, lines = edge_words(EdgeFacts(facts, "Crew list"))
    assert headline == "Otto Kask – commands → Northern Star"
    assert lines.split("\n") == [
        "Otto Kask commands the\\u202e Star.",
        "Otto Kask – owns → Northern Star",
        "2 facts, told in Crew list",
    ]


def test_a_long_description_takes_three_lines() -> None:
    _, lines = edge_words(EdgeFacts((replace(FACT, description="and on " * 100),), ""))
    described = lines.split("\n")[:-1]
    assert len(described) == 3 and described[-1].endswith("…")
    assert max(map(len, described)) <= 72


class _Other(gettext.NullTranslations):
    def gettext(self, message: str) -> str:
        return f"<{message}>" if message == "subsidiary of" else message


def test_what_ties_the_ends_is_stated_in_the_persons_language(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(translation, "catalogue", _Other())
    edge = DerivedEdge("hierarchy", "subsidiary of", "a", "Kask Lines", "b", "Berg & Sons", ())
    assert edge_lines(edge) == ("Kask Lines <subsidiary of> Berg & Sons", "")
