"""Families of predicates, and the active voice."""

from __future__ import annotations

import pytest

from core.text.predicates import PARENTS, active_form, count_families, family_of, in_family, same_voice


@pytest.mark.parametrize(
    ("predicate", "family"),
    [
        ("employs", "office"), ("owned by", "ownership"), ("owner", "ownership"), ("pays", "exchange"),
        ("wrote to", "communication"), ("wrote", "work"), ("met with", "communication"), ("part of", "part"),
        ("is located in", "place"), ("in", "place"), ("took place on", "event"), ("defines", "definition"),
        ("requires", "rule"), ("daughter of", "family"), ("bassist of", "office"), ("footing in", ""),
        ("is not a member of", "office"), ("controlled by", "ownership"), ("used in", "use"), ("sued", "conduct"),
        ("moved to", "journey"), ("based in", "place"), ("ran for", "office"),
    ],
)  # fmt: skip
def test_a_predicate_has_the_family_of_its_word(predicate: str, family: str) -> None:
    assert family_of(predicate) == family


def test_a_family_holds_those_below_it() -> None:
    assert in_family("owned by", "organisation") and in_family("owned by", "ownership")
    assert not in_family("owned by", "office") and not in_family("footing in", "")
    assert set(PARENTS.values()) <= {"", *PARENTS}
    counts = dict(count_families([("owned by", 2), ("director of", 3), ("footing in", 9)]))
    assert counts == {"organisation": 5, "office": 3, "ownership": 2}


@pytest.mark.parametrize(
    ("passive", "active"),
    [
        ("acquired by", "acquired"), ("was acquired by", "acquired"), ("written by", "wrote"),
        ("bought by", "bought"), ("album by", ""), ("shares acquired by", ""), ("acquired", ""), ("", ""),
    ],
)  # fmt: skip
def test_the_passive_has_an_active_form(passive: str, active: str) -> None:
    assert active_form(passive) == active


def test_two_voices_say_the_same() -> None:
    assert same_voice("Gull", "acquired by", "Vest") == same_voice("Vest", "acquired", "Gull")
    assert same_voice("Gull", "acquired by", "Vest") != same_voice("Vest", "acquired by", "Gull")
