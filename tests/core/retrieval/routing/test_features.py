"""The features of a question: all there, finite on anything, and right on questions counted by hand."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from core.extraction.question import ParsedQuestion
from core.retrieval.routing.features.vector import FEATURE_NAMES, described, measure

Parse = Callable[[str], ParsedQuestion]
PAPER = "W S C DC T CT CP CN VP MLS MLT C/S C/T CT/T DC/C DC/T CP/C CP/T T/S CN/C CN/T VP/T".split()
HOSTILE = [
    "",
    "...!?,;--",
    "誰がこの船を所有していますか?",
    "(" * 500,
    "Who owned it? " * 30,
    "\x00\x07 who\u202e?",
]


def values(parse: Parse, question: str) -> dict[str, float]:
    return dict(zip(FEATURE_NAMES, measure(parse(question)).tolist(), strict=True))


def test_names_are_many_and_unique() -> None:
    assert len(FEATURE_NAMES) >= 85
    assert len(set(FEATURE_NAMES)) == len(FEATURE_NAMES)
    assert set(PAPER) <= set(FEATURE_NAMES)


@pytest.mark.long
@pytest.mark.parametrize("question", HOSTILE, ids=range(len(HOSTILE)))
def test_any_text_gives_finite_values_under_their_names(parse: Parse, question: str) -> None:
    signals = described(parse(question))
    assert tuple(signal.name for signal in signals) == FEATURE_NAMES
    assert np.isfinite(measure(parse(question))).all()
    assert all(signal.words for signal in signals)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        (
            "Which company owned the ship that sank off the coast where Marta Holm was born?",
            {
                "W": 15,
                "S": 1,
                "C": 3,
                "DC": 2,
                "T": 1,
                "CN": 2,
                "VP": 3,
                "C/T": 3,
                "DC/C": 2 / 3,
                "T/S": 1,
                "people": 1,
                "type_which": 1,
                "passive_markers": 1,
                "subordination_markers": 2,
                "longest_name": 2,
            },
        ),
        (
            "When was Marta Holm born?",
            {
                "W": 5,
                "C": 1,
                "DC": 0,
                "CN": 0,
                "VP": 1,
                "type_when": 1,
                "asks_date": 1,
                "entity_density": 0.2,
                "tree_depth": 2,
                "temporal_roles": 1,
                "long_dependencies": 0,
            },
        ),
        (
            "Who is older, Marta Holm or Jonas Berg?",
            {"CP": 1, "people": 2, "coordination_markers": 1, "comparison_words": 1, "choice": 1},
        ),
        (
            "Why did nobody sell the ship in 1998?",
            {"negation_markers": 1, "dates": 1, "quantities": 0, "object_relations": 1, "digits": 4},
        ),
        (
            "Who owned the old mill and who bought it?",
            {"T": 2, "C": 2, "CT": 0, "T/S": 2, "subject_relations": 2, "pronouns": 3},
        ),
    ],
)
def test_values_counted_by_hand(parse: Parse, question: str, expected: dict[str, float]) -> None:
    found = values(parse, question)
    assert {name: found[name] for name in expected} == pytest.approx(expected)


def test_a_long_dependency_is_longer_than_five_words(parse: Parse) -> None:
    question = "Who, after many long years in the cold north, returned?"
    tokens = parse(question).tokens
    words = [i for i, t in enumerate(tokens) if t.pos != "PUNCT"]
    far = [i for i in words if abs(words.index(i) - words.index(tokens[i].head)) > 5]
    assert far
    assert values(parse, question)["long_dependencies"] == len(far)
