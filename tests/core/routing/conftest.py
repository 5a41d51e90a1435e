"""The routers' tests share one parser and one set of made questions."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import pytest

from core.extraction.question import ParsedQuestion
from core.models import Models
from core.routing.records import RoutedQuestion

_PEOPLE = ("Marta Holm", "Jonas Berg", "Otto Kask", "Ines Valadares", "Piotr Zielak")
_THINGS = ("Northern Lights", "Last Harbour", "Grey Petrel", "Silver Tide")


@pytest.fixture(scope="session")
def parse(models: Models) -> Callable[[str], ParsedQuestion]:
    """Every question is parsed once a run."""
    return cache(models.parse)


@pytest.fixture(scope="session")
def routed() -> list[RoutedQuestion]:
    """Plain questions that dense answers better, chained ones for the graph, some where both agree."""
    plain = [f"{ask} {person}?" for person in _PEOPLE for ask in ("Who was", "When was", "Where is")]
    chained = [
        text.format(person=person, thing=thing)
        for person in _PEOPLE[:4]
        for thing in _THINGS
        for text in (
            "When did the director of the film {thing} that {person} starred in die?",
            "Where was the wife of the captain who sold the {thing} to {person} born?",
        )
    ]
    spent = {"dense": 0.01, "fusion": 0.03, "graph": 0.03}
    found = [RoutedQuestion(q, {"dense": 1, "fusion": 0.5, "graph": 0}, spent, "plain") for q in plain]
    found += [RoutedQuestion(q, {"dense": 0, "fusion": 0.5, "graph": 1}, spent, "chained") for q in chained]
    same = {"dense": 1.0, "fusion": 1.0, "graph": 1.0}
    return found + [RoutedQuestion(f"Who owns the {t}?", same, spent, "plain") for t in _THINGS]
