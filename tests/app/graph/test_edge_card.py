"""The card of an edge: its first fact with the sentence that describes it, the others, how many, where."""

from __future__ import annotations

from dataclasses import replace

from app.graph.pointing import EdgeFacts, edge_words
from core.types import Fact

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
